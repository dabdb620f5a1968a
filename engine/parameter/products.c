// Products of the derivatives of forward dynamics with vectors: one solve, no matrix of n right-hand sides.
//   along a direction   x of f = -K dq - C dqd + r_u du + r_p dp,  c = Cq dq + Cv dqd + a_p dp
//   of a cotangent y    x, mu of f = y, c = 0; the system is symmetric, so that the gradient in z is x.r_z + mu.a_z
// K = -dr/dq, C = -dr/dqd, r_u = dtau_du - did_du at the accelerations found (td_constraint_terms_at).
#include "constraint/closed_chain.h"
#include "constraint/loop.h"
#include "math/finite.h"
#include "parameter/motion.h"
#include <assert.h>
#include <string.h>

static td_status state_matrices(const td_motion_at *o) {
  td_parameter_workspace *ws = o->ws;
  bool loops = o->m->loop_rows > 0;
  td_constraint_terms terms = {.K = ws->K, .C = ws->C, .Cq = loops ? ws->Cq : NULL, .Cv = loops ? ws->Cv : NULL};
  return td_constraint_terms_at(o->m, ws->side, &o->at, ws->lambda, &terms);
}

// ws->dtau_du becomes r_u [n][m].
static td_status input_matrix(const td_motion_at *o) {
  td_parameter_workspace *ws = o->ws;
  const td_state *s = &o->at;
  td_status status = td_force_derivatives(o->m, ws->side, s->q, s->qd, s->u, NULL, NULL, ws->dtau_du);
  if (!status) status = td_id_input_derivative(o->m, ws->side, s->q, s->qd, s->u, ws->did_du);
  for (int i = 0; !status && i < o->m->n * o->m->channel_count; i++) ws->dtau_du[i] -= ws->did_du[i];
  return status;
}

// y [rows] += k A x, and its transpose; A [rows][columns].
static void add_product(double k, int rows, int columns, const double *A, const double *x, double *y) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) y[i] += k * A[(size_t)i * columns + j] * x[j];
}

static void add_transposed(double k, int rows, int columns, const double *A, const double *x, double *y) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) y[j] += k * A[(size_t)i * columns + j] * x[i];
}

// ---- along a direction

// What is left over of dependent rows turns with q: d(A^T a) at that a, -did_dq of td_loop_force_derivative.
static void add_turning(const td_motion_at *o, const double *dq) {
  td_parameter_workspace *ws = o->ws;
  td_loop_force_derivative(o->m, ws->side, o->at.q, ws->a);
  memset(ws->z, 0, (size_t)o->m->n * sizeof *ws->z);
  for (int i = 0; i < o->m->n; i++)
    for (int j = 0; j < o->m->n; j++) ws->z[i] -= ws->side->did_dq[(size_t)i * o->m->ld + j] * dq[j];
  td_closed_leftover(o->m, ws->base, ws->z, ws->c);
}

static td_status add_state(const td_motion_at *o, const td_variation *v) {
  td_parameter_workspace *ws = o->ws;
  int n = o->m->n, r = o->m->loop_rows;
  td_status status = v->q || v->qd ? state_matrices(o) : TD_OK;
  if (status) return status;
  if (v->q) add_product(-1, n, n, ws->K, v->q, ws->f);
  if (v->qd) add_product(-1, n, n, ws->C, v->qd, ws->f);
  if (v->q) add_product(1, r, n, ws->Cq, v->q, ws->c);
  if (v->qd) add_product(1, r, n, ws->Cv, v->qd, ws->c);
  return TD_OK;
}

static td_status add_parameters(const td_motion_at *o, const double *p) {
  td_parameter_workspace *ws = o->ws;
  size_t np = o->p->count;
  td_status status = td_motion_right_sides(o, p);
  memset(ws->z, 0, (size_t)o->m->n * sizeof *ws->z);
  for (size_t j = 0; !status && j < np; j++) {
    if (p[j] == 0) continue;
    for (int i = 0; i < o->m->n; i++) ws->f[i] += p[j] * ws->force[(size_t)i * np + j];
    for (int i = 0; i < o->m->loop_rows; i++) ws->c[i] += p[j] * ws->rows[(size_t)i * np + j];
    for (int i = 0; o->leftover && i < o->m->n; i++) ws->z[i] += p[j] * ws->left[(size_t)i * np + j];
  }
  if (!status && o->leftover) td_closed_leftover(o->m, ws->base, ws->z, ws->c);
  return status;
}

td_status td_parameter_jvp(const td_parameters *p, td_parameter_workspace *ws, const td_state *state,
                           const td_variation *v, double *fd, double *jvp) {
  td_motion_at o;
  td_status status = td_motion_begin(&o, p, ws, state, false);
  memset(ws->f, 0, (size_t)o.m->n * sizeof *ws->f);
  memset(ws->c, 0, (size_t)o.m->loop_rows * sizeof *ws->c);
  if (!status) status = add_state(&o, v);
  if (!status && v->q && o.leftover) add_turning(&o, v->q);
  if (!status && v->u) status = input_matrix(&o);
  if (!status && v->u) add_product(1, o.m->n, o.m->channel_count, ws->dtau_du, v->u, ws->f);
  if (!status && v->p) status = add_parameters(&o, v->p);
  if (status) return status;
  td_motion_solve(&o, ws->f, ws->c, NULL);
  memcpy(jvp, ws->x, (size_t)o.m->n * sizeof *jvp);
  if (fd) memcpy(fd, ws->fd, (size_t)o.m->n * sizeof *fd);
  return td_all_finite(jvp, o.m->n);
}

// ---- of a cotangent

static td_status state_gradient(const td_motion_at *o, const td_variation *g) {
  td_parameter_workspace *ws = o->ws;
  int n = o->m->n, r = o->m->loop_rows;
  td_status status = g->q || g->qd ? state_matrices(o) : TD_OK;
  if (status) return status;
  if (g->q) memset(g->q, 0, (size_t)n * sizeof *g->q), add_transposed(-1, n, n, ws->K, ws->x, g->q);
  if (g->qd) memset(g->qd, 0, (size_t)n * sizeof *g->qd), add_transposed(-1, n, n, ws->C, ws->x, g->qd);
  if (g->q) add_transposed(1, r, n, ws->Cq, ws->mu, g->q);
  if (g->qd) add_transposed(1, r, n, ws->Cv, ws->mu, g->qd);
  if (!g->q || !o->leftover) return TD_OK;
  td_loop_force_derivative(o->m, ws->side, o->at.q, ws->a);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) g->q[j] -= ws->z[i] * ws->side->did_dq[(size_t)i * o->m->ld + j];
  return TD_OK;
}

typedef struct weighted {
  const td_motion_at *motion;
  double *residual, *a; ///< [n], [r] scratch
} weighted;

// x.r + mu.a of a neighbour
static td_status weighted_at(void *context, const td_model *m, td_workspace *side, double *out) {
  const weighted *w = context;
  const td_motion_at *o = w->motion;
  td_constraint_terms terms = {.residual = w->residual, .a = m->loop_rows ? w->a : NULL};
  td_status status = td_constraint_terms_at(m, side, &o->at, o->ws->lambda, &terms);
  *out = 0;
  for (int i = 0; i < m->n; i++) *out += o->ws->x[i] * w->residual[i];
  for (int i = 0; i < m->loop_rows; i++) *out += o->ws->mu[i] * w->a[i];
  return status;
}

// Where rows depend on each other all right-hand sides are needed, to see whether they part; x, mu and z are kept from
// what that overwrites.
static td_status dependent_gradient(const td_motion_at *o, double *p) {
  td_parameter_workspace *ws = o->ws;
  size_t np = o->p->count;
  memcpy(ws->c, ws->mu, (size_t)o->m->loop_rows * sizeof *ws->c);
  td_status status = td_motion_right_sides(o, NULL);
  memset(p, 0, np * sizeof *p);
  add_transposed(1, o->m->n, (int)np, ws->force, ws->x, p);
  add_transposed(1, o->m->loop_rows, (int)np, ws->rows, ws->c, p);
  if (o->leftover) add_transposed(1, o->m->n, (int)np, ws->left, ws->z, p);
  return status;
}

static td_status parameter_gradient(const td_motion_at *o, double *p) {
  weighted w = {o, o->ws->f, o->ws->c};
  if (o->dependent) return dependent_gradient(o, p);
  return td_parameters_sum(o->p, o->ws, weighted_at, &w, &(td_parameter_part){1, p}, 1, &o->at, o->ws->scratch, NULL);
}

td_status td_parameter_vjp(const td_parameters *p, td_parameter_workspace *ws, const td_state *state,
                           const double *cotangent, double *fd, const td_variation *g) {
  td_motion_at o;
  td_status status = td_motion_begin(&o, p, ws, state, false);
  if (status) return status;
  td_motion_solve(&o, cotangent, NULL, NULL);
  if (o.leftover) td_closed_range_motion(o.m, ws->base, ws->mu, ws->z);
  if (fd) memcpy(fd, ws->fd, (size_t)o.m->n * sizeof *fd);
  status = state_gradient(&o, g);
  if (!status && g->u) status = input_matrix(&o);
  if (!status && g->u) {
    memset(g->u, 0, (size_t)o.m->channel_count * sizeof *g->u);
    add_transposed(1, o.m->n, o.m->channel_count, ws->dtau_du, ws->x, g->u);
  }
  if (!status && g->p) status = parameter_gradient(&o, g->p);
  return status;
}
