// Motion and inertia of bodies whose particles move linearly with their coordinates, x = X + sum phi_k q_k in the start
// frame.
//
// Particles: as in slice.c, displaced fluid included, with J_k = R phi_k constant in the frame, so that J' = J'' = 0
// and no second derivative enters.
// Distal frame: omega = sum S_i(z) z_i' of its two edges z = B q + z0 (element/reduced/frame_of_points.h), v0 = t' + t
// x omega, so
//   omega_c = S B_c,   d omega/dq_e = S' z' B_e,   d omega'/dq_e = (S' z'' + S'' z' z') B_e,   d omega'/dqd_e = (S' +
//     S'^T) z' B_e;
// in the world frame s, r, k, y follow as for any element (engine/README.md).
#include "body/ritz/ritz.h"
#include "lie/spatial.h"
#include "pass/composite.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// ---- the distal frame in the start frame

typedef struct local_motion {
  double edge_rate[6], edge_second[6], t[3], t_rate[3], t_second[3];
} local_motion;

// Edge component i of mode c: difference of tip points.
static double edge_of(const td_ritz *ritz, int c, int i) {
  const double *tip = ritz->tip_mode + 9 * c;
  return tip[3 + i] - tip[i % 3];
}

static void tip_at(const td_ritz *ritz, const double *q, double z[6], double t[3]) {
  for (int i = 0; i < 6; i++) z[i] = ritz->tip[3 + i] - ritz->tip[i % 3];
  memcpy(t, ritz->tip, 3 * sizeof *t);
  for (int c = 0; c < ritz->n; c++) {
    for (int i = 0; i < 6; i++) z[i] += edge_of(ritz, c, i) * q[c];
    for (int i = 0; i < 3; i++) t[i] += ritz->tip_mode[9 * c + i] * q[c];
  }
}

static void rates_at(const td_ritz *ritz, const double *x, double z[6], double t[3]) {
  memset(z, 0, 6 * sizeof *z);
  memset(t, 0, 3 * sizeof *t);
  for (int c = 0; x && c < ritz->n; c++) {
    for (int i = 0; i < 6; i++) z[i] += edge_of(ritz, c, i) * x[c];
    for (int i = 0; i < 3; i++) t[i] += ritz->tip_mode[9 * c + i] * x[c];
  }
}

// out += t x w
static void moment(const double *t, const double *w, double *out) { td_vec3_cross_add(t, w, out); }

// Angular part of column c: S B_c; all of it: (omega_c, T_c + t x omega_c).
static void local_column(const td_ritz *ritz, const td_turning *S, const double *t, int c, double out[6]) {
  memset(out, 0, 6 * sizeof *out);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 3; k++) out[k] += S->S[i][k] * edge_of(ritz, c, i);
  for (int k = 0; k < 3; k++) out[3 + k] = ritz->tip_mode[9 * c + k];
  moment(t, out, out + 3);
}

// Changes with q_e of omega, of its rate (with q and qd) and of column d contracted later.
typedef struct local_changes {
  double sigma[6], beta[6], beta_d[6];
} local_changes;

static void local_rates(const td_turning *S, const local_motion *o, double omega[3], double omega_d[3]) {
  memset(omega, 0, 3 * sizeof *omega);
  memset(omega_d, 0, 3 * sizeof *omega_d);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 3; k++) {
      omega[k] += S->S[i][k] * o->edge_rate[i];
      omega_d[k] += S->S[i][k] * o->edge_second[i];
      for (int j = 0; j < 6; j++) omega_d[k] += S->first[i][j][k] * o->edge_rate[i] * o->edge_rate[j];
    }
}

static void changes_of(const td_ritz *ritz, const td_turning *S, const local_motion *o, const double *omega,
                       const double *omega_d, int e, local_changes *out) {
  memset(out, 0, sizeof *out);
  double own[6];
  local_column(ritz, S, o->t, e, own);
  for (int j = 0; j < 6; j++) {
    double B = edge_of(ritz, e, j);
    for (int i = 0; i < 6; i++)
      for (int k = 0; k < 3; k++) {
        double second = 0;
        for (int l = 0; l < 6; l++) second += S->second[i][l][j][k] * o->edge_rate[l];
        out->sigma[k] += B * S->first[i][j][k] * o->edge_rate[i];
        out->beta[k] += B * (S->first[i][j][k] * o->edge_second[i] + second * o->edge_rate[i]);
        out->beta_d[k] += B * (S->first[i][j][k] + S->first[j][i][k]) * o->edge_rate[i];
      }
  }
  const double *T = ritz->tip_mode + 9 * e;
  moment(T, omega, out->sigma + 3);
  moment(o->t, out->sigma, out->sigma + 3);
  moment(T, omega_d, out->beta + 3);
  moment(o->t_rate, out->sigma, out->beta + 3);
  moment(o->t, out->beta, out->beta + 3);
  moment(T, omega, out->beta_d + 3);
  moment(o->t_rate, own, out->beta_d + 3);
  moment(o->t, out->beta_d, out->beta_d + 3);
}

// ---- kinematics

static void start_frame(const td_workspace *ws, const td_element *e, td_se3 *g) { *g = ws->pose[e->start]; }

static void ritz_poses(td_workspace *ws, const td_element *e, const td_ritz *ritz, td_ritz_state *state,
                       const double *q) {
  td_se3 start, local;
  double z[6];
  start_frame(ws, e, &start);
  memcpy(state->q, q + e->coordinate, (size_t)ritz->n * sizeof *q);
  tip_at(ritz, state->q, z, local.p);
  td_frame_of_points(z, &state->turning);
  memcpy(local.R, state->turning.R, sizeof local.R);
  memcpy(state->t, local.p, sizeof state->t);
  td_se3_compose(&start, &local, &ws->pose[e->end]);
  for (int c = 0; c < ritz->n; c++) {
    double column[6];
    local_column(ritz, &state->turning, local.p, c, column);
    td_adjoint(&start, column, state->s[c]);
  }
}

static void ritz_accelerations(td_workspace *ws, const td_element *e, const td_ritz *ritz, td_ritz_state *state,
                               const double sd[6]) {
  td_se3 start;
  local_motion o;
  double omega[3], beta[6], world[6], A[6];
  start_frame(ws, e, &start);
  memcpy(o.t, state->t, sizeof o.t);
  rates_at(ritz, state->qd, o.edge_rate, o.t_rate);
  rates_at(ritz, state->qdd, o.edge_second, o.t_second);
  local_rates(&state->turning, &o, omega, beta);
  memcpy(beta + 3, o.t_second, sizeof o.t_second);
  moment(o.t_rate, omega, beta + 3);
  moment(o.t, beta, beta + 3);
  td_adjoint(&start, beta, world);
  for (int i = 0; i < 6; i++) A[i] = ws->A[e->start][i] + world[i];
  td_bracket_add(ws->V[e->start], sd, A);
  memcpy(ws->A[e->end], A, sizeof A);
}

static void ritz_motion(const td_model *m, td_workspace *ws, const td_element *e, const td_sweep *sweep) {
  const td_ritz *ritz = &m->ritz[e->ritz];
  td_ritz_state *state = &ws->ritz[e->ritz];
  size_t size = (size_t)ritz->n * sizeof(double);
  double sd[6] = {0};
  assert(ritz->n == e->n);
  assert(td_sweeps(sweep, TD_LEVEL_POSE) || td_holds(ws, TD_HOLDS_POSES));
  if (td_sweeps(sweep, TD_LEVEL_POSE)) ritz_poses(ws, e, ritz, state, sweep->q);
  if (sweep->last < TD_LEVEL_TWIST) return;
  memcpy(state->qd, sweep->qd + e->coordinate, size);
  for (int c = 0; c < ritz->n; c++)
    for (int i = 0; i < 6; i++) sd[i] += state->s[c][i] * state->qd[c];
  for (int i = 0; i < 6; i++) ws->V[e->end][i] = ws->V[e->start][i] + sd[i];
  if (sweep->last < TD_LEVEL_ACCELERATION) return;
  memcpy(state->qdd, sweep->qdd + e->coordinate, size);
  ritz_accelerations(ws, e, ritz, state, sd);
}

// ---- particles

TD_INLINE void rotate(const double *R, const td_vec *x, td_vec *out) {
  for (int i = 0; i < 3; i++) out[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}
typedef struct particle {
  td_vec weight, r[3], v[3], lambda[3];
} particle;

TD_INLINE void add_force(const td_vec *r, const td_vec *f, double out[6]) {
  td_vec turn[3];
  td_v3_cross(r, f, turn);
  for (int i = 0; i < 3; i++) out[i] += td_total(turn[i]), out[3 + i] += td_total(f[i]);
}

// A is that of the start node and what displaced fluid adds.
static void particle_motion(const td_workspace *ws, const td_ritz *ritz, const td_ritz_state *state, const double *A,
                            int batch, int level, particle *x) {
  const td_se3 *g = &ws->pose[ritz->node];
  const double *V = ws->V[ritz->node];
  const td_ritz_points *points = &ritz->points[batch];
  td_vec y[3], yd[3] = {0}, ydd[3] = {0}, rel[3], acc[3], carried[3], turned[3], twice[3], al[3];
  for (int i = 0; i < 3; i++) y[i] = points->X[i], yd[i] = ydd[i] = td_splat(0);
  for (int k = 0; k < ritz->n; k++) {
    const td_ritz_modes *mode = &ritz->modes[batch * ritz->n + k];
    for (int i = 0; i < 3; i++) {
      y[i] += mode->phi[i] * state->q[k];
      if (level) yd[i] += mode->phi[i] * state->qd[k], ydd[i] += mode->phi[i] * state->qdd[k];
    }
  }
  x->weight = ritz->density * points->volume;
  rotate(g->R, y, x->r);
  for (int i = 0; i < 3; i++) x->r[i] += g->p[i];
  if (!level) return;
  rotate(g->R, yd, rel);
  rotate(g->R, ydd, acc);
  td_v3_cross_const(V, x->r, carried);
  for (int i = 0; i < 3; i++) carried[i] += V[3 + i];
  for (int i = 0; i < 3; i++) x->v[i] = carried[i] + rel[i];
  td_v3_cross_const(V, carried, turned);
  td_v3_cross_const(V, rel, twice);
  td_v3_cross_const(A, x->r, al);
  for (int i = 0; i < 3; i++) x->lambda[i] = x->weight * (A[3 + i] + al[i] + turned[i] + 2.0 * twice[i] + acc[i]);
}

static void add_inertia(const particle *x, double M[TD_INERTIA_SIZE]) {
  const td_vec *r = x->r;
  td_vec w = x->weight;
  M[0] += td_total(w);
  for (int i = 0; i < 3; i++) M[1 + i] += td_total(w * r[i]);
  M[4] += td_total(w * (r[1] * r[1] + r[2] * r[2])), M[7] += td_total(w * (r[0] * r[0] + r[2] * r[2]));
  M[9] += td_total(w * (r[0] * r[0] + r[1] * r[1]));
  M[5] -= td_total(w * r[0] * r[1]), M[6] -= td_total(w * r[0] * r[2]), M[8] -= td_total(w * r[1] * r[2]);
}

static void add_coriolis(const particle *x, double B[TD_ANGULAR_MAP_SIZE]) {
  td_vec twice = 2.0 * x->weight, rv = td_v3_dot(x->r, x->v);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) B[3 * i + j] -= td_total(twice * x->v[i] * x->r[j]);
    B[4 * i] += td_total(twice * rv);
    B[9 + i] += td_total(twice * x->v[i]);
  }
}

static void add_mode(const td_workspace *ws, const td_ritz *ritz, td_ritz_state *s, int batch, int d,
                     td_composite_level level, const particle *x) {
  const double *R = ws->pose[ritz->node].R, *w = ws->V[ritz->node], *al = ws->A[ritz->node];
  td_vec J[3], mJ[3], wJ[3], da[3], db[3], vJ[3];
  rotate(R, ritz->modes[batch * ritz->n + d].phi, J);
  for (int i = 0; i < 3; i++) mJ[i] = x->weight * J[i];
  add_force(x->r, mJ, s->U[d]);
  if (level != TD_COMPOSITE_MASS) s->pi[d] += td_total(td_v3_dot(J, x->lambda));
  if (level == TD_COMPOSITE_ALL) {
    td_v3_cross_const(w, J, wJ);
    td_v3_cross_const(w, wJ, da);
    td_vec alJ[3], turn[3];
    td_v3_cross_const(al, J, alJ);
    for (int i = 0; i < 3; i++) da[i] = x->weight * (da[i] + alJ[i]), db[i] = 2.0 * x->weight * wJ[i];
    add_force(x->r, da, s->Gq[d]);
    td_v3_cross(J, x->lambda, turn);
    for (int i = 0; i < 3; i++) s->Gq[d][i] += td_total(turn[i]);
    add_force(x->r, db, s->Gv[d]);
    td_v3_cross(x->v, J, vJ);
    for (int i = 0; i < 3; i++) s->W[d][i] += td_total(2.0 * x->weight * vJ[i]);
  }
  for (int e = 0; e < ritz->n; e++) { // row e, column d
    td_vec Je[3];
    rotate(R, ritz->modes[batch * ritz->n + e].phi, Je);
    if (e <= d) s->mass[e * ritz->n + d] += td_total(td_v3_dot(mJ, Je));
    if (level != TD_COMPOSITE_ALL) continue;
    s->dq[e * ritz->n + d] += td_total(td_v3_dot(Je, da));
    s->dqd[e * ritz->n + d] += td_total(td_v3_dot(Je, db));
  }
}

// N of the displaced fluid.
static void add_lift(const td_ritz *ritz, const double lift[3], td_composite *c, td_ritz_state *s) {
  td_composite_lift(c, lift);
  for (int d = 0; d < ritz->n; d++) td_vec3_cross_add(s->U[d] + 3, lift, s->N[d]);
}

static void ritz_nodes(const td_model *m, td_workspace *ws, const double *gravity, td_composite_level level) {
  for (int i = 0; i < m->ritz_count; i++) {
    const td_ritz *ritz = &m->ritz[i];
    td_ritz_state *s = &ws->ritz[i];
    td_composite *c = &ws->composite[ritz->node];
    double A[6], lift[3];
    memcpy(A, ws->A[ritz->node], sizeof A);
    for (int k = 0; k < 3 && level != TD_COMPOSITE_MASS; k++)
      lift[k] = ritz->displaced * gravity[k], A[3 + k] += lift[k];
    for (int b = 0; b < ritz->batch_count && !td_stopped(ws); b++) {
      particle x;
      particle_motion(ws, ritz, s, A, b, level != TD_COMPOSITE_MASS, &x);
      add_inertia(&x, c->M);
      if (level != TD_COMPOSITE_MASS) add_force(x.r, x.lambda, c->F);
      if (level == TD_COMPOSITE_ALL) add_coriolis(&x, c->B);
      for (int d = 0; d < ritz->n; d++) add_mode(ws, ritz, s, b, d, level, &x);
    }
    if (level == TD_COMPOSITE_ALL && ritz->displaced > 0) add_lift(ritz, lift, c, s);
    for (int d = 0; d < ritz->n; d++)
      for (int e = 0; e < d; e++) s->mass[d * ritz->n + e] = s->mass[e * ritz->n + d];
  }
}

static void ritz_project(const td_model *m, const td_workspace *ws, const td_element *e, double *out) {
  const td_ritz_state *s = &ws->ritz[e->ritz];
  for (int c = 0; c < m->ritz[e->ritz].n; c++) out[c] = s->pi[c] + td_dot6(s->s[c], ws->composite[e->end].F);
}

static double ritz_kinetic(const td_model *m, const td_workspace *ws) {
  double energy = 0;
  for (int i = 0; i < m->ritz_count; i++) {
    const td_ritz_state *s = &ws->ritz[i];
    int n = m->ritz[i].n;
    for (int d = 0; d < n; d++) {
      energy += s->qd[d] * td_dot6(s->U[d], ws->V[m->ritz[i].node]);
      for (int e = 0; e < n; e++) energy += 0.5 * s->qd[d] * s->qd[e] * s->mass[d * n + e];
    }
  }
  return energy;
}

// ---- columns

// Own rows of one coordinate: what the particles exert and what lies beyond the distal frame.
static void beyond(const td_workspace *ws, const td_element *e, const double *s, const double *column, td_columns what,
                   double *wrench) {
  const td_composite *c = &ws->composite[e->end];
  const double *r = column + TD_ROW_R, *k = column + TD_ROW_Q, *y = column + TD_ROW_Y;
  double U[6], Gq[6], Gv[6], W[3], N[3];
  td_inertia_times_scalar(c->M, s, s + 3, U);
  for (int i = 0; i < 6; i++) wrench[TD_WRENCH_U + i] += U[i];
  if (!(what & TD_COLUMNS_SLOPES)) return;
  td_inertia_times_scalar(c->M, k, k + 3, Gq);
  td_cobracket_add(s, c->F, Gq);
  td_angular_map_add_scalar(c->B, r, Gq);
  td_angular_map_add_scalar(c->N, s, Gq);
  td_inertia_times_scalar(c->M, y, y + 3, Gv);
  td_angular_map_add_scalar(c->B, s, Gv);
  td_angular_map_transposed_scalar(c->B, s, s + 3, W);
  td_angular_map_transposed_scalar(c->N, s, s + 3, N);
  for (int i = 0; i < 6; i++) wrench[TD_WRENCH_GQ + i] += Gq[i], wrench[TD_WRENCH_GV + i] += Gv[i];
  for (int i = 0; i < 3; i++) wrench[TD_WRENCH_W + i] += W[i], wrench[TD_WRENCH_N + i] += N[i];
}

// The same with the general maps of water and contact.
static void beyond_full(const td_workspace *ws, const td_element *e, const double *s, const double *column,
                        td_columns what, double *wrench) {
  const td_full *full = &ws->full[e->end];
  const double *r = column + TD_ROW_R, *k = column + TD_ROW_Q, *y = column + TD_ROW_Y;
  double W[6], N[6];
  td_full_map_add_scalar(full->M, s, s + 3, wrench + TD_WRENCH_U);
  if (!(what & TD_COLUMNS_SLOPES)) return;
  td_full_map_add_scalar(full->M, k, k + 3, wrench + TD_WRENCH_GQ);
  td_full_map_add_scalar(full->B, r, r + 3, wrench + TD_WRENCH_GQ);
  td_full_map_add_scalar(full->N, s, s + 3, wrench + TD_WRENCH_GQ);
  td_cobracket_add(s, ws->composite[e->end].F, wrench + TD_WRENCH_GQ);
  td_full_map_add_scalar(full->M, y, y + 3, wrench + TD_WRENCH_GV);
  td_full_map_add_scalar(full->B, s, s + 3, wrench + TD_WRENCH_GV);
  td_full_map_transposed_scalar(full->B, s, s + 3, W);
  td_full_map_transposed_scalar(full->N, s, s + 3, N);
  for (int i = 0; i < 6; i++) wrench[TD_WRENCH_W + i] += W[i], wrench[TD_WRENCH_N + i] += N[i];
}

static void world_columns(const td_workspace *ws, const td_element *e, const td_ritz *ritz, const td_ritz_state *state,
                          const local_motion *o, const double *omega, const double *omega_d, int c,
                          double column[TD_ROWS]) {
  const double *V0 = ws->V[e->start], *V1 = ws->V[e->end], *s = state->s[c];
  double *r = column + TD_ROW_R, *k = column + TD_ROW_Q, *y = column + TD_ROW_Y, dsigma[6], V[6];
  local_changes local;
  td_se3 start;
  start_frame(ws, e, &start);
  changes_of(ritz, &state->turning, o, omega, omega_d, c, &local);
  td_adjoint(&start, local.sigma, dsigma);
  memcpy(r, dsigma, sizeof dsigma);
  td_bracket_add(V1, s, r);
  td_adjoint(&start, local.beta, k);
  td_bracket_add(V0, dsigma, k);
  td_bracket_add(ws->A[e->end], s, k);
  td_bracket_add(V1, r, k);
  td_adjoint(&start, local.beta_d, y);
  for (int i = 0; i < 6; i++) V[i] = V0[i] + V1[i];
  td_bracket_add(V, s, y);
}

// F . ds_d/dq_e with the start frame at rest: m . d(omega_d) + f . (T_e x omega_d + t x d(omega_d)).
static double curvature(const td_ritz *ritz, const td_ritz_state *state, const double F[6], int d, int e) {
  double turn[3] = {0}, own[6], lever[3] = {0};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 3; k++) turn[k] += state->turning.first[i][j][k] * edge_of(ritz, d, i) * edge_of(ritz, e, j);
  local_column(ritz, &state->turning, state->t, d, own);
  moment(ritz->tip_mode + 9 * e, own, lever);
  moment(state->t, turn, lever);
  return td_vec3_dot(F, turn) + td_vec3_dot(F + 3, lever);
}

// The wrench beyond the distal frame in the start frame: Ad^T F.
static void local_wrench(const td_workspace *ws, const td_element *e, double out[6]) {
  const double *F = ws->composite[e->end].F;
  double m[3], turn[3];
  td_se3 g;
  start_frame(ws, e, &g);
  td_vec3_cross(g.p, F + 3, turn);
  for (int i = 0; i < 3; i++) m[i] = F[i] - turn[i];
  td_mat3_tvec(g.R, m, out);
  td_mat3_tvec(g.R, F + 3, out + 3);
}

static void write_column(const td_model *m, td_workspace *ws, const td_element *e, int c, td_columns what,
                         const double *column, const double *wrench, const double *before) {
  const td_ritz *ritz = &m->ritz[e->ritz];
  const td_ritz_state *state = &ws->ritz[e->ritz];
  double F[6];
  local_wrench(ws, e, F);
  for (int d = 0; d < ritz->n; d++) { // row d, column c: s_d against what is beyond, and the particles
    int at = (e->coordinate + d) * m->ld + e->coordinate + c;
    double U[6], Gq[6], Gv[6];
    for (int i = 0; i < 6; i++) {
      U[i] = wrench[TD_WRENCH_U + i] - before[TD_WRENCH_U + i];
      Gq[i] = wrench[TD_WRENCH_GQ + i] - before[TD_WRENCH_GQ + i];
      Gv[i] = wrench[TD_WRENCH_GV + i] - before[TD_WRENCH_GV + i];
    }
    if (what & TD_COLUMNS_MASS) ws->mass[at] = state->mass[d * ritz->n + c] + td_dot6(state->s[d], U);
    if (!(what & TD_COLUMNS_SLOPES)) continue;
    ws->did_dq[at] = state->dq[d * ritz->n + c] + td_dot6(state->s[d], Gq) + curvature(ritz, state, F, d, c);
    ws->did_dqd[at] = state->dqd[d * ritz->n + c] + td_dot6(state->s[d], Gv);
  }
  for (int i = 0; i < TD_WRENCH_ROWS; i++) ws->wrench[i * ws->strip_stride + c] = wrench[i];
  int rows = what & TD_COLUMNS_SLOPES ? TD_ROWS : 6;
  for (int i = 0; e->block_count && i < rows; i++) ws->kept[i * m->kept_stride + e->block[0].first + c] = column[i];
}

static void ritz_columns(const td_model *m, td_workspace *ws, const td_element *e, td_columns what) {
  const td_ritz *ritz = &m->ritz[e->ritz];
  const td_ritz_state *state = &ws->ritz[e->ritz];
  local_motion o = {0};
  double omega[3], omega_d[3];
  memcpy(o.t, state->t, sizeof o.t);
  if (what & TD_COLUMNS_SLOPES) {
    rates_at(ritz, state->qd, o.edge_rate, o.t_rate);
    rates_at(ritz, state->qdd, o.edge_second, o.t_second);
    local_rates(&state->turning, &o, omega, omega_d);
  }
  for (int c = 0; c < ritz->n; c++) {
    double column[TD_ROWS] = {0}, before[TD_WRENCH_ROWS] = {0}, wrench[TD_WRENCH_ROWS];
    memcpy(column + TD_ROW_J, state->s[c], 6 * sizeof(double));
    if (what & TD_COLUMNS_SLOPES) world_columns(ws, e, ritz, state, &o, omega, omega_d, c, column);
    memcpy(before + TD_WRENCH_U, state->U[c], sizeof state->U[c]);
    if (what & TD_COLUMNS_SLOPES) {
      memcpy(before + TD_WRENCH_GQ, state->Gq[c], sizeof state->Gq[c]);
      memcpy(before + TD_WRENCH_GV, state->Gv[c], sizeof state->Gv[c]);
      memcpy(before + TD_WRENCH_W, state->W[c], sizeof state->W[c]);
      memcpy(before + TD_WRENCH_N, state->N[c], sizeof state->N[c]);
    }
    memcpy(wrench, before, sizeof wrench);
    (ws->full ? beyond_full : beyond)(ws, e, state->s[c], column, what, wrench);
    write_column(m, ws, e, c, what, column, wrench, before);
  }
}

// ---- the row

static void ritz_jacobian(const td_model *m, td_workspace *ws, const td_element *e, int node, double *J) {
  (void)node;
  for (int c = 0; c < e->n; c++)
    for (int r = 0; r < 6; r++) J[r * m->n + e->coordinate + c] = ws->ritz[e->ritz].s[c][r];
}

static void ritz_clear(const td_model *m, td_workspace *ws) {
  for (int i = 0; i < m->ritz_count; i++) {
    td_ritz_state *s = &ws->ritz[i];
    size_t n = (size_t)m->ritz[i].n;
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
}

static void ritz_weigh(const td_model *m, const td_workspace *ws, double *kinetic, double *gravitational) {
  for (int i = 0; i < m->ritz_count; i++)
    td_composite_weigh(m, ws, m->ritz[i].node, m->ritz[i].displaced, kinetic, gravitational);
}

static double ritz_cost_ns(const td_model *m, bool derivatives) {
  const double mode = 20, pair = 3; // of a batch of particles
  double ns = 0;
  for (int i = 0; i < m->ritz_count; i++) {
    const td_ritz *s = &m->ritz[i];
    ns += s->batch_count * (mode * s->n + (derivatives ? pair * s->n * s->n : 0));
  }
  return ns;
}

const td_body_row td_body_ritz = {.name = "ritz",
                                  .motion = ritz_motion,
                                  .project = ritz_project,
                                  .columns = ritz_columns,
                                  .jacobian = ritz_jacobian,
                                  .skin = td_ritz_skin,
                                  .surface = td_ritz_surface,
                                  .clear = ritz_clear,
                                  .nodes = ritz_nodes,
                                  .weigh = ritz_weigh,
                                  .kinetic = ritz_kinetic,
                                  .forces = td_ritz_forces,
                                  .slopes = td_ritz_derivatives,
                                  .elastic = td_ritz_energy,
                                  .valid = td_ritz_valid,
                                  .cost_ns = ritz_cost_ns};
