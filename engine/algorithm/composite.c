// Newton-Euler wrenches and composite quantities in the world frame.
//
// A body of mass m, first moment h = m c and inertia I about the origin has momentum L = I w + h x v, P = m v + w x h and needs
//   F = (I wd + h x vd + w x L + v x P,  m vd - h x wd + w x P).
// dF/dV along the rate dV/dq seen from the body is B = (B11, -2 P^) acting on the angular part alone,
//   B11 = -L^ + w^ I - I w^ + 2 (h.v) 1 - h v^T - v h^T;
// a wrench (m, f) at p fixed in the world turns against the body as N = ((p.f) 1 - f p^T - m^, -f^) does on the angular part.
// In the world frame composites are plain sums over the subtree (engine.md, «where the speed comes from»).
#include "algorithm/composite.h"
#include "algorithm/external.h"
#include "algorithm/immersed.h"
#include "algorithm/ritz.h"
#include "algorithm/slice.h"
#include "algorithm/strip.h"
#include "lie/spatial.h"
#include <string.h>

void td_node_point(const td_workspace *ws, int node, const double local[3], double world[3]) {
  td_mat3_vec(ws->pose[node].R, local, world);
  for (int i = 0; i < 3; i++) world[i] += ws->pose[node].p[i];
}

// I_world = R I_c R^T + m (c.c 1 - c c^T), M = (m, m c, I).
TD_INLINE void world_inertia(const td_inertia *in, const td_se3 *g, double M[10]) {
  const double *R = g->R, *J = in->inertia, m = in->mass;
  double c[3], RJ[9];
  td_mat3_vec(R, in->com, c);
  for (int i = 0; i < 3; i++) c[i] += g->p[i];
  for (int i = 0; i < 3; i++) {
    const double *r = R + 3 * i;
    RJ[3 * i] = r[0] * J[0] + r[1] * J[1] + r[2] * J[2];
    RJ[3 * i + 1] = r[0] * J[1] + r[1] * J[3] + r[2] * J[4];
    RJ[3 * i + 2] = r[0] * J[2] + r[1] * J[4] + r[2] * J[5];
  }
  M[0] = m;
  for (int i = 0; i < 3; i++) M[1 + i] = m * c[i];
  double cc = m * td_vec3_dot(c, c);
  M[4] = td_vec3_dot(RJ, R) + cc - m * c[0] * c[0];
  M[5] = td_vec3_dot(RJ, R + 3) - m * c[0] * c[1];
  M[6] = td_vec3_dot(RJ, R + 6) - m * c[0] * c[2];
  M[7] = td_vec3_dot(RJ + 3, R + 3) + cc - m * c[1] * c[1];
  M[8] = td_vec3_dot(RJ + 3, R + 6) - m * c[1] * c[2];
  M[9] = td_vec3_dot(RJ + 6, R + 6) + cc - m * c[2] * c[2];
}

// B11 and 2 P of one body.
TD_INLINE void coriolis_map(const double *M, const double *V, const double *momentum, double *B) {
  const double *w = V, *v = V + 3, *h = M + 1, *L = momentum, *P = momentum + 3;
  const double I[9] = {M[4], M[5], M[6], M[5], M[7], M[8], M[6], M[8], M[9]};
  double wI[9];
  for (int j = 0; j < 3; j++) {
    double column[3] = {I[j], I[3 + j], I[6 + j]}, turned[3];
    td_vec3_cross(w, column, turned);
    for (int i = 0; i < 3; i++) wI[3 * i + j] = turned[i];
  }
  double hv = 2 * td_vec3_dot(h, v);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      B[3 * i + j] = wI[3 * i + j] + wI[3 * j + i] - h[i] * v[j] - v[i] * h[j]; // -I w^ = (w^ I)^T
  for (int i = 0; i < 3; i++) B[4 * i] += hv, B[9 + i] = 2 * P[i];
  B[1] += L[2], B[2] -= L[1], B[3] -= L[2], B[5] += L[0], B[6] += L[1], B[7] -= L[0];
}

TD_INLINE void body_composite(td_workspace *ws, int node, const td_inertia *in, td_composite_level level) {
  td_composite *c = &ws->composite[node];
  double momentum[6];
  world_inertia(in, &ws->pose[node], c->M);
  if (level == TD_COMPOSITE_MASS) return;
  const double *V = ws->V[node];
  td_inertia_times_scalar(c->M, ws->A[node], ws->A[node] + 3, c->F);
  td_inertia_times_scalar(c->M, V, V + 3, momentum);
  td_cobracket_add(V, momentum, c->F);
  if (level == TD_COMPOSITE_ALL) coriolis_map(c->M, V, momentum, c->B);
}

void td_composite_apply(td_composite *c, const double moment[3], const double force[3], const double point[3]) {
  double turn[3], pf = td_vec3_dot(point, force);
  td_vec3_cross(point, force, turn);
  for (int i = 0; i < 3; i++) {
    c->F[i] -= moment[i] + turn[i];
    c->F[3 + i] -= force[i];
    for (int j = 0; j < 3; j++) c->N[3 * i + j] -= force[i] * point[j];
    c->N[4 * i] += pf;
    c->N[9 + i] += force[i];
  }
  c->N[1] += moment[2], c->N[2] -= moment[1], c->N[3] -= moment[2], c->N[5] += moment[0], c->N[6] += moment[1],
      c->N[7] -= moment[0];
}

static void apply_load(td_workspace *ws, const td_load *load, const double *u) {
  double wrench[6], moment[3], force[3], point[3];
  for (int i = 0; i < 6; i++)
    wrench[i] = load->scale * (load->channel[i] < 0 ? load->wrench[i] : u ? u[load->channel[i]] : 0);
  td_composite *c = &ws->composite[load->node];
  td_node_point(ws, load->node, load->pose.p, point);
  if (load->frame == TD_LOAD_WORLD) {
    td_composite_apply(c, wrench, wrench + 3, point);
    return;
  }
  double R[9];
  td_mat3_mul(ws->pose[load->node].R, load->pose.R, R);
  td_mat3_vec(R, wrench, moment);
  td_mat3_vec(R, wrench + 3, force);
  td_vec3_cross_add(point, force, moment);
  for (int i = 0; i < 3; i++) c->F[i] -= moment[i], c->F[3 + i] -= force[i];
}

void td_composite_lift(td_composite *c, const double lift[3]) {
  const double *h = c->M + 1;
  double hl = td_vec3_dot(h, lift);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) c->N[3 * i + j] += lift[i] * h[j];
    c->N[4 * i] -= hl;
    c->N[9 + i] -= c->M[0] * lift[i];
  }
}

// Displaced fluid pushes against gravity at the centre of mass; particles feel it in their own sums.
static void apply_buoyancy(const td_model *m, td_workspace *ws, const double *gravity, td_composite_level level) {
  for (int k = 1; k < m->node_count; k++) {
    const td_inertia *in = m->node[k].inertia < 0 ? NULL : &m->inertia[m->node[k].inertia];
    if (!in || !(in->displaced > 0)) continue;
    double force[3] = {-in->displaced * gravity[0], -in->displaced * gravity[1], -in->displaced * gravity[2]},
           zero[3] = {0}, point[3];
    td_node_point(ws, k, in->com, point);
    if (m->water.has_surface)
      td_immersed_lift(m, ws, k, in->displaced, gravity, point, level);
    else
      td_composite_apply(&ws->composite[k], zero, force, point);
  }
}

void td_composite_clear(const td_model *m, td_workspace *ws) {
  memset(ws->composite, 0, (size_t)m->node_count * sizeof *ws->composite);
  if (m->slice_count) memset(ws->slice, 0, (size_t)m->slice_count * sizeof *ws->slice);
  for (int i = 0; i < m->solid_count; i++) {
    td_solid_state *s = &ws->solid[i];
    size_t n = (size_t)m->solid[i].n;
    memset(s->pi, 0, n * sizeof *s->pi);
    memset(s->U, 0, n * sizeof *s->U);
    memset(s->Gq, 0, n * sizeof *s->Gq);
    memset(s->Gv, 0, n * sizeof *s->Gv);
    memset(s->W, 0, n * sizeof *s->W);
    memset(s->N, 0, n * sizeof *s->N);
    memset(s->mass, 0, n * n * sizeof *s->mass);
    memset(s->dq, 0, n * n * sizeof *s->dq);
    memset(s->dqd, 0, n * n * sizeof *s->dqd);
  }
  if (ws->full) memset(ws->full, 0, (size_t)m->node_count * sizeof *ws->full);
}

void td_composite_nodes(const td_model *m, td_workspace *ws, const double *u, unsigned forces, const double *gravity,
                        td_composite_level level) {
  td_composite_clear(m, ws);
  ws->world_forces = m->world_forces;
  for (int k = 1; k < m->node_count; k++)
    if (m->node[k].inertia >= 0) body_composite(ws, k, &m->inertia[m->node[k].inertia], level);
  if (m->slice_count) td_slice_nodes(m, ws, gravity, level);
  if (m->solid_count) td_ritz_nodes(m, ws, gravity, level);
  if (ws->full) td_external_nodes(m, ws, u, forces, gravity, level);
  if (level == TD_COMPOSITE_MASS) return;
  for (int i = 0; (forces & TD_FORCE_LOADS) && i < m->load_count; i++) apply_load(ws, &m->load[i], u);
  if (m->world_forces) apply_buoyancy(m, ws, gravity, level);
}

// Doubles of a composite by level: F and M, or all (16 or 40, whole vectors at every width).
enum { COMPOSITE_WRENCH_SIZE = 16, COMPOSITE_SIZE = 40 };
_Static_assert(sizeof(td_composite) == COMPOSITE_SIZE * sizeof(double), "a composite is 40 doubles");

TD_INLINE void add_composite(td_composite *to, const td_composite *from, int size) {
  double *a = (double *)to;
  const double *b = (const double *)from;
  for (int i = 0; i < size; i += TD_LANES) *(td_vecu *)(a + i) += *(const td_vecu *)(b + i);
}

// map += [A11 0; -p^ 0]
static void add_angular_map(const double *A, double *map) {
  const double *p = A + 9;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) map[6 * i + j] += A[3 * i + j];
  map[6 * 3 + 1] += p[2], map[6 * 3 + 2] -= p[1], map[6 * 4] -= p[2];
  map[6 * 4 + 2] += p[0], map[6 * 5] += p[1], map[6 * 5 + 1] -= p[0];
}

// Lean maps into the general ones: M = [I h^; -h^ m].
static void add_lean(const td_composite *c, td_full *full) {
  const double *h = c->M + 1, *I = c->M + 4;
  double angular[12] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5], h[0], h[1], h[2]}, *M = full->M;
  add_angular_map(angular, M);
  M[5] += h[1], M[4] -= h[2], M[9] += h[2], M[11] -= h[0], M[15] -= h[1], M[16] += h[0];
  for (int i = 3; i < 6; i++) M[7 * i] += c->M[0];
  add_angular_map(c->B, full->B);
  add_angular_map(c->N, full->N);
}

TD_INLINE void add_full(td_full *to, const td_full *from, int size) {
  double *a = (double *)to;
  const double *b = (const double *)from;
  for (int i = 0; i < size; i++) a[i] += b[i];
}

static void sum_full(const td_model *m, td_workspace *ws, td_composite_level level) {
  int size = level == TD_COMPOSITE_ALL ? 108 : 36;
  for (int k = 1; k < m->node_count; k++) add_lean(&ws->composite[k], &ws->full[k]);
  for (int i = m->element_count - 1; i >= 0; i--) {
    const td_element *e = &m->element[i];
    if (e->type != TD_ELEMENT_STRIP) add_full(&ws->full[e->start], &ws->full[e->end], size);
    for (int k = e->interval_count - 1; k >= 0; k--) add_full(&ws->full[e->from[k]], &ws->full[e->to[k]], size);
  }
}

void td_composite_sum(const td_model *m, td_workspace *ws, td_composite_level level) {
  if (ws->full) sum_full(m, ws, level);
  int size = level == TD_COMPOSITE_ALL ? COMPOSITE_SIZE : COMPOSITE_WRENCH_SIZE;
  for (int i = m->element_count - 1; i >= 0; i--) {
    const td_element *e = &m->element[i];
    if (e->type != TD_ELEMENT_STRIP) {
      add_composite(&ws->composite[e->start], &ws->composite[e->end], size);
      continue;
    }
    for (int k = e->interval_count - 1; k >= 0; k--)
      add_composite(&ws->composite[e->from[k]], &ws->composite[e->to[k]], size);
  }
}

void td_composite_project(const td_model *m, td_workspace *ws, double *generalized) {
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (e->type == TD_ELEMENT_SCREW) generalized[e->coordinate] = td_dot6(ws->screw[i], ws->composite[e->end].F);
    if (e->type == TD_ELEMENT_STRIP) td_strip_project(ws, e, generalized + e->coordinate);
    if (e->type == TD_ELEMENT_SOLID) td_ritz_project(m, ws, e, generalized + e->coordinate);
    if (e->slice_at) td_slice_project(m, ws, e, generalized + e->coordinate);
  }
}
