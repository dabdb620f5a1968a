// What hangs on a node, and its sums towards the root. In the world frame composites are plain sums over the subtree
// (engine/README.md, «How a state is computed»).
//
// A wrench (m, f) at p fixed in the world turns against the body as N = ((p.f) 1 - f p^T - m^, -f^) does on the angular
// part.
#include "pass/composite.h"
#include "lie/spatial.h"
#include <assert.h>
#include <string.h>

void td_node_point(const td_workspace *ws, int node, const double local[3], double world[3]) {
  td_mat3_vec(ws->pose[node].R, local, world);
  for (int i = 0; i < 3; i++) world[i] += ws->pose[node].p[i];
}

void td_node_place(const td_workspace *ws, int node, const double local[3], double world[3]) {
  td_mat3_vec(ws->pose[node].R, local, world);
  for (int d = 0; d < 3; d++) world[d] += ws->pose[node].p[d] + ws->origin[d];
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

void td_composite_lift(td_composite *c, const double lift[3]) {
  const double *h = c->M + 1;
  double hl = td_vec3_dot(h, lift);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) c->N[3 * i + j] += lift[i] * h[j];
    c->N[4 * i] -= hl;
    c->N[9 + i] -= c->M[0] * lift[i];
  }
}

double td_inertia_kinetic(const double M[TD_INERTIA_SIZE], const double V[6]) {
  double Iw[3] = {M[4] * V[0] + M[5] * V[1] + M[6] * V[2], M[5] * V[0] + M[7] * V[1] + M[8] * V[2],
                  M[6] * V[0] + M[8] * V[1] + M[9] * V[2]};
  double hv[3];
  td_vec3_cross(M + 1, V + 3, hv); // w.(h x v) appears twice
  return 0.5 * td_vec3_dot(V, Iw) + td_vec3_dot(V, hv) + 0.5 * M[0] * td_vec3_dot(V + 3, V + 3);
}

void td_composite_weigh(const td_model *m, const td_workspace *ws, int node, double displaced, double *kinetic,
                        double *gravitational) {
  const double *M = ws->composite[node].M;
  assert(td_holds(ws, TD_HOLDS_POSES | TD_HOLDS_TWISTS) && !td_holds(ws, TD_HOLDS_COMPOSITES));
  for (int k = 0; k < 3; k++) *gravitational -= (1 - displaced) * m->gravity[k] * (M[1 + k] + M[0] * ws->origin[k]);
  *kinetic += td_inertia_kinetic(M, ws->V[node]);
}

// Doubles of a composite by level: F and M, or all. Both are whole vectors at every width.
enum { COMPOSITE_WRENCH_SIZE = 6 + TD_INERTIA_SIZE };
_Static_assert(COMPOSITE_WRENCH_SIZE % TD_MOST_LANES == 0 && TD_COMPOSITE_SIZE % TD_MOST_LANES == 0, "whole vectors");

void td_composite_clear_to(const td_model *m, td_workspace *ws, td_composite_level level) {
  size_t nodes = (size_t)m->node_count;
  bool all = level == TD_COMPOSITE_ALL;
  if (all) memset(ws->composite, 0, nodes * sizeof *ws->composite);
  for (size_t k = 0; k < nodes && !all; k++) memset(&ws->composite[k], 0, COMPOSITE_WRENCH_SIZE * sizeof(double));
  for (const td_body_row *const *row = m->bodies; *row; row++)
    if ((*row)->clear) (*row)->clear(m, ws);
  ws->holds &= ~(unsigned)(TD_HOLDS_COMPOSITES | TD_HOLDS_MAPS);
  if (ws->full && all) memset(ws->full, 0, nodes * sizeof *ws->full);
  for (size_t k = 0; k < nodes && ws->full && !all; k++) memset(ws->full[k].M, 0, sizeof ws->full[k].M);
}

void td_composite_clear(const td_model *m, td_workspace *ws) { td_composite_clear_to(m, ws, TD_COMPOSITE_ALL); }

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
static void add_lean(const td_composite *c, td_full *full, td_composite_level level) {
  const double *h = c->M + 1, *I = c->M + 4;
  double angular[TD_ANGULAR_MAP_SIZE] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5], h[0], h[1], h[2]},
         *M = full->M;
  add_angular_map(angular, M);
  M[5] += h[1], M[4] -= h[2], M[9] += h[2], M[11] -= h[0], M[15] -= h[1], M[16] += h[0];
  for (int i = 3; i < 6; i++) M[7 * i] += c->M[0];
  if (level != TD_COMPOSITE_ALL) return;
  add_angular_map(c->B, full->B);
  add_angular_map(c->N, full->N);
}

TD_INLINE void add_full(td_full *to, const td_full *from, int size) {
  double *a = (double *)to;
  const double *b = (const double *)from;
  for (int i = 0; i < size; i++) a[i] += b[i];
}

static void sum_full(const td_model *m, td_workspace *ws, td_composite_level level) {
  int size = level == TD_COMPOSITE_ALL ? TD_FULL_SIZE : TD_MATRIX6;
  for (int k = 1; k < m->node_count; k++) add_lean(&ws->composite[k], &ws->full[k], level);
  for (int i = m->element_count - 1; i >= 0; i--) {
    const td_element *e = &m->element[i];
    if (e->type != TD_ELEMENT_STRIP) add_full(&ws->full[e->start], &ws->full[e->end], size);
    for (int k = e->interval_count - 1; k >= 0; k--) add_full(&ws->full[e->from[k]], &ws->full[e->to[k]], size);
  }
}

void td_composite_sum(const td_model *m, td_workspace *ws, td_composite_level level) {
  assert(!td_holds(ws, TD_HOLDS_COMPOSITES)); // once
  ws->holds |= level == TD_COMPOSITE_ALL ? TD_HOLDS_COMPOSITES | TD_HOLDS_MAPS : TD_HOLDS_COMPOSITES;
  if (ws->full) sum_full(m, ws, level);
  int size = level == TD_COMPOSITE_ALL ? TD_COMPOSITE_SIZE : COMPOSITE_WRENCH_SIZE;
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
  assert(td_holds(ws, TD_HOLDS_POSES | TD_HOLDS_COMPOSITES));
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (e->row->project) e->row->project(m, ws, e, generalized + e->coordinate);
  }
}
