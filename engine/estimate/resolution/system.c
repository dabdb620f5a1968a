// The linear system of the estimates (resolution.c): what the twin leaves unbalanced, its stiffness with mass where
// that takes it, solutions on the coordinates of the model and some of the polynomials beyond its basis, and the shapes
// they make.
#include "constraint/loop_closure.h"
#include "estimate/resolution/parts.h"
#include "math/cholesky.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { TRIES = 24 };
static const double PENALTY = 1e6;     // of loops against the stiffness
static const double LEAST_UNIT = 1e-3; // of the largest force on any element

// Rows and columns that are solved for: not those of prescribed joints, nor polynomials beyond `level`.
bool td_resolution_is_free(const td_resolution *r, int i, int level) {
  const td_model *t = r->twin.model;
  return r->twin.level[i] <= level && (!t->prescribed_count || t->prescribed_mask[i] != 0);
}

// S = (K + K^T) / 2 + sigma M + mu G^T G on the free rows, 1 on the diagonal of the others.
void td_resolution_assemble(td_resolution *r, int level, double sigma) {
  assert(level >= 0 && sigma >= 0);
  int N = r->N, rows = r->model->loop_rows;
  double stiff = 0, steep = 0;
  for (int i = 0; i < N; i++) stiff = fmax(stiff, fabs(r->K[i * N + i]));
  for (int i = 0; i < rows * N; i++) steep = fmax(steep, fabs(r->G[i]));
  double mu = steep > 0 ? PENALTY * stiff / (steep * steep) : 0;
  memset(r->S, 0, (size_t)(N * r->ld) * sizeof *r->S);
  for (int i = 0; i < N; i++) {
    bool free_i = td_resolution_is_free(r, i, level);
    for (int j = i; j < N && free_i; j++) {
      if (!td_resolution_is_free(r, j, level)) continue;
      double sum = 0.5 * (r->K[i * N + j] + r->K[j * N + i]) + sigma * r->M[i * N + j];
      if (i == j) sum *= 1 + 1e-10; // functions that nearly depend on each other; the penalty would drown soft strains
      for (int c = 0; c < rows; c++) sum += mu * r->G[c * N + i] * r->G[c * N + j];
      r->S[i * r->ld + j] = sum;
    }
    if (!free_i) r->S[i * r->ld + i] = 1;
  }
}

// Stiffness over mass of the slowest strain, 1/s^2.
double td_resolution_slowest(const td_resolution *r) {
  const td_model *t = r->twin.model;
  double least = INFINITY;
  for (int i = 0; i < t->rod_count; i++) {
    const td_rod *rod = &t->rod[i];
    const td_element *e = &t->element[rod->element];
    const double *block = rod->stiffness;
    for (int g = 0; g < rod->group_count && rod->basis; g++) {
      int c = e->coordinate + rod->group[g].first, count = rod->group[g].count;
      double mass = r->M[c * r->N + c];
      if (mass > 0) least = fmin(least, block[0] / mass);
      block += count * count;
    }
  }
  return isfinite(least) ? least : 1;
}

double td_resolution_sigma(const td_resolution *r, const td_resolution_state *at) {
  return at->path ? td_resolution_slowest(r) : 0;
}

// dq = S^-1 force on the levels up to `level`; *sigma is what makes S positive definite, found once.
bool td_resolution_solve(td_resolution *r, int level, double *sigma, const double *force, double *dq) {
  double next = *sigma > 0 ? 4 * *sigma : td_resolution_slowest(r);
  for (int i = 0; i < TRIES; i++) {
    td_resolution_assemble(r, level, *sigma);
    if (!td_spd_factor(r->N, r->ld, r->S, r->ld, r->U)) {
      for (int k = 0; k < r->N; k++) dq[k] = td_resolution_is_free(r, k, level) ? force[k] : 0;
      td_spd_solve(r->N, r->ld, r->U, dq);
      return true;
    }
    *sigma = next;
    next *= 4;
  }
  return false;
}

td_status td_resolution_residuals(td_resolution *r, const td_model *own_model, td_workspace *own_ws,
                                  const td_resolution_state *at) {
  const td_model *t = r->twin.model;
  const td_state *s = &at->state;
  td_twin_embed(r->model, &r->twin, s->q, r->q);
  td_twin_embed(r->model, &r->twin, s->qd, r->qd);
  td_twin_embed(r->model, &r->twin, s->qdd, r->qdd);
  td_state fine = {.q = r->q, .qd = r->qd, .qdd = r->qdd, .u = s->u, .baumgarte = s->baumgarte};
  td_constraint_terms out = {.residual = r->fine, .K = r->K, .M = r->M, .G = t->loop_rows ? r->G : NULL};
  td_constraint_terms own = {.residual = r->own};
  if (t->loop_rows) {
    own_ws->constraint.closure = r->twin.ws->constraint.closure = at->closure;
    td_loop_follow(t, r->twin.ws, r->q, true);
    td_loop_follow(own_model, own_ws, s->q, true);
  }
  td_status status = td_constraint_terms_at(t, r->twin.ws, &fine, at->lambda, &out);
  if (!status) status = td_constraint_terms_at(own_model, own_ws, s, at->lambda, &own);
  for (int i = 0; i < r->model->n && !status; i++) r->fine[r->twin.at[i]] -= r->own[i];
  return status;
}

bool td_resolution_shapes(td_resolution *r, const double *q, double (*out)[3]) {
  return td_twin_shapes(&r->twin, q, out);
}

// The largest force on any rod, and on any joint.
static void largest(const td_model *m, const td_kind_unit *unit, double most[2]) {
  most[0] = most[1] = 0;
  for (int i = 0; i < m->element_count; i++) {
    bool rod = m->element[i].rod >= 0;
    most[rod] = fmax(most[rod], unit[i].scale);
  }
}

void td_resolution_ratios(const td_resolution *r, double *ratio) {
  const td_model *m = r->model;
  double most[2];
  largest(m, r->unit, most);
  for (int i = 0; i < m->element_count; i++) {
    double scale = fmax(r->unit[i].scale, LEAST_UNIT * most[m->element[i].rod >= 0]);
    ratio[i] = scale > 0 ? r->unit[i].total / scale : 0;
  }
}
