// Equilibria: tau(q, 0, u) = ID(q, 0, 0, u).
//
// Ladder, each rung from the first guess: descent of the potential; damped Newton; continuation of the inputs from zero in steps
// that adapt to success; pseudo-transient relaxation, then descent from where it ends. Only when all fail is the problem
// reported as not converged, with the best iterate, its residual and the coordinate where it is worst.
// Stability: smallest eigenvalue of the symmetric part of K scaled by the diagonal of M, in 1/s^2.
#include "solve/statics.h"
#include "math/lapack.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void td_statics_defaults(td_statics_options *options) {
  *options = (td_statics_options){.tolerance = 1e-10, .max_iterations = 100, .max_load_steps = 200};
}

static void assign(td_statics *s, double *at, size_t n) {
  double **matrix[] = {&s->K, &s->M, &s->H};
  double **vector[] = {&s->q, &s->r, &s->step, &s->trial_q, &s->trial_r, &s->best_q};
  for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++, at += n * n) *matrix[i] = at;
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++, at += n) *vector[i] = at;
  s->part = at;
  s->U = at + 4 * n;
  s->scaled_u = s->U + n * (size_t)s->ld;
}

td_status td_statics_init(td_statics *s, const td_model *model, td_workspace *ws, const td_statics_options *options) {
  *s = (td_statics){
      .model = model, .ws = ws, .options = *options, .n = td_model_ndof(model), .m = td_model_channel_count(model)};
  size_t n = (size_t)s->n;
  s->ld = (s->n + 7) / 8 * 8;
  double *memory = calloc(3 * n * n + 10 * n + n * (size_t)s->ld + (size_t)s->m + 1, sizeof *memory);
  s->pivot = calloc(n + 1, sizeof *s->pivot);
  if (memory) assign(s, memory, n);
  if (memory && s->pivot) return TD_OK;
  free(memory);
  free(s->pivot);
  *s = (td_statics){0};
  return TD_NO_MEMORY;
}

void td_statics_fini(td_statics *s) {
  free(s->K);
  free(s->pivot);
  *s = (td_statics){0};
}

// ------------------------------------------------------------------------------------------------ stability

// H = D^-1/2 K_sym D^-1/2, D the diagonal of M
static void scale_stiffness(td_statics *s) {
  int n = s->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double k = 0.5 * (s->K[i * n + j] + s->K[j * n + i]);
      s->H[i * n + j] = k / sqrt(s->M[i * n + i] * s->M[j * n + j]);
    }
}

static td_status smallest_eigenvalue(td_statics *s, double *smallest) {
  td_status status = td_residual_derivatives(s->model, s->ws, s->q, NULL, NULL, s->u, s->r, s->K, NULL, s->M);
  *smallest = INFINITY; // a rigid structure
  if (status || s->n == 0) return status;
  scale_stiffness(s);
  int n = s->n, lwork = 4 * s->n, info = 0;
  dsyev_("N", "L", &n, s->H, &n, s->trial_q, s->part, &lwork, &info);
  *smallest = s->trial_q[0];
  return info == 0 ? TD_OK : TD_NONFINITE;
}

// ------------------------------------------------------------------------------------------------ ladder

static td_status guess(td_statics *s, const double *q) {
  memcpy(s->q, q, (size_t)s->n * sizeof *q);
  return td_mass_matrix(s->model, s->ws, s->q, s->M);
}

static td_status correct(td_statics *s, const double *from) {
  td_status status = guess(s, from);
  if (!status) status = td_statics_descend(s);
  if (status == TD_NOT_CONVERGED) status = td_statics_newton(s); // near, but at a place that is no minimum
  if (!status) return TD_OK;
  status = guess(s, from);
  return status ? status : td_statics_newton(s);
}

// Raises the inputs from zero; `reached` [n] holds the equilibrium at the fraction reached, s->best_q is left alone.
static td_status raise_inputs(td_statics *s, const double *u, double *reached) {
  double fraction = 0, stride = 0.125;
  s->u = s->scaled_u;
  for (int i = 0; i < s->options.max_load_steps; i++) {
    double next = i == 0 ? 0 : fmin(1, fraction + stride);
    for (int k = 0; k < s->m; k++) s->scaled_u[k] = next * u[k];
    if (next == 1) s->u = u;
    if (!correct(s, reached)) {
      memcpy(reached, s->q, (size_t)s->n * sizeof *reached);
      fraction = next;
      stride = fmin(2 * stride, 0.25);
      if (fraction == 1) return TD_OK;
      continue;
    }
    s->u = s->scaled_u;
    stride /= 2;
    if (i == 0 || stride < 1e-4) return TD_NOT_CONVERGED;
  }
  return TD_NOT_CONVERGED;
}

static td_status relax(td_statics *s, const double *from) {
  td_status status = guess(s, from);
  if (!status) status = td_statics_relax(s);
  if (status == TD_NOT_CONVERGED) status = td_statics_descend(s);
  return status;
}

static td_status climb(td_statics *s, const double *u, const double *first, double *reached) {
  s->u = u;
  if (!correct(s, first)) return TD_OK;
  memcpy(reached, first, (size_t)s->n * sizeof *reached);
  td_status status = raise_inputs(s, u, reached);
  s->u = u;
  if (!status) return TD_OK;
  return relax(s, first);
}

td_status td_statics_find(td_statics *s, const double *u, td_statics_result *result, td_error *err) {
  *result = (td_statics_result){0};
  double *first = calloc(2 * (size_t)s->n + 1, sizeof *first);
  if (!first) return td_fail(err, TD_NO_MEMORY, "", "no memory for statics");
  memcpy(first, s->q, (size_t)s->n * sizeof *first);
  memcpy(s->best_q, s->q, (size_t)s->n * sizeof *first);
  s->iterations = 0;
  s->best = INFINITY;
  td_status status = climb(s, u, first, first + s->n);
  free(first);
  result->iterations = s->iterations;
  if (status) status = td_statics_explain(s, status, err);
  result->converged = !status;
  result->residual = s->residual;
  td_status eigen = smallest_eigenvalue(s, &result->smallest_eigenvalue);
  result->stable = !status && !eigen && result->smallest_eigenvalue > 0;
  return status;
}

td_status td_statics_solve(const td_model *model, td_workspace *ws, const double *u, const td_statics_options *options,
                           double *q, td_statics_result *result, td_error *err) {
  td_statics s;
  td_status status = td_statics_init(&s, model, ws, options);
  if (status) return td_fail(err, status, "", "no memory for statics");
  memcpy(s.q, q, (size_t)s.n * sizeof *q);
  status = td_statics_find(&s, u, result, err);
  memcpy(q, s.q, (size_t)s.n * sizeof *q);
  td_statics_fini(&s);
  return status;
}
