// Equilibria: tau(q, 0, u) + A^T lambda = ID(q, 0, 0, u), e(q) = 0, prescribed coordinates where u puts them.
//
// Every iterate lies on the loops' constraint: a step goes along the tangent space, then back by projection, and lambda is
// the least-squares multiplier there. So the equations are those of a free robot, confined to the motions that loops allow.
// Ladder, each rung from the first guess: descent of the potential; damped Newton; continuation of the inputs from zero in steps
// that adapt to success; pseudo-transient relaxation, then descent from where it ends. Only when all fail is the problem
// reported as not converged, with the best iterate, its residual and the coordinate where it is worst.
// Stability: smallest eigenvalue of the symmetric part of K (lambda held) on the motions that loops allow, scaled by the diagonal
// of M, in 1/s^2.
#include "solve/statics.h"
#include "math/lapack.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void td_statics_defaults(td_statics_options *options) {
  *options = (td_statics_options){.tolerance = 1e-10, .max_iterations = 100, .max_load_steps = 200};
}

static void assign(td_statics *s, double *at) {
  size_t n = (size_t)s->n, d = (size_t)s->d;
  double **matrix[] = {&s->K, &s->M, &s->H}, **reduced[] = {&s->r, &s->step, &s->trial_r};
  double **vector[] = {&s->q, &s->trial_q, &s->best_q, &s->path_q, &s->force, &s->trial_force};
  for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++, at += d * d) *matrix[i] = at;
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++, at += n) *vector[i] = at;
  for (size_t i = 0; i < sizeof reduced / sizeof *reduced; i++, at += d) *reduced[i] = at;
  s->full = at;
  s->part = s->full + n * n;
  s->U = s->part + 4 * n;
  s->scaled_u = s->U + d * (size_t)s->ld;
  s->lambda = s->scaled_u + s->m;
  s->held = s->lambda + td_model_loop_row_count(s->model) + td_model_prescribed_count(s->model);
}

static td_status list_free(td_statics *s) {
  s->free = calloc((size_t)s->n + 1, sizeof *s->free);
  if (!s->free) return TD_NO_MEMORY;
  for (int i = 0; i < td_model_prescribed_count(s->model); i++)
    s->free[td_model_prescribed_coordinate(s->model, i, NULL)] = 1;
  for (int i = 0; i < s->n; i++)
    if (!s->free[i]) s->free[s->d++] = i; // d <= i: behind what is still read
  return TD_OK;
}

td_status td_statics_init(td_statics *s, const td_model *model, td_workspace *ws, const td_statics_options *options) {
  *s = (td_statics){
      .model = model, .ws = ws, .options = *options, .n = td_model_ndof(model), .m = td_model_channel_count(model)};
  if (list_free(s)) return TD_NO_MEMORY;
  size_t n = (size_t)s->n, d = (size_t)s->d,
         c = (size_t)(td_model_loop_row_count(model) + td_model_prescribed_count(model));
  s->ld = (s->d + 7) / 8 * 8;
  double *memory =
      calloc(3 * d * d + 10 * n + 3 * d + n * n + d * (size_t)s->ld + (size_t)s->m + 2 * c + 1, sizeof *memory);
  s->pivot = calloc(d + 1, sizeof *s->pivot);
  if (memory) assign(s, memory);
  bool ready = memory && s->pivot && !td_projection_init(&s->loops, model, ws, s->d, s->free);
  s->basis_size = d * (size_t)s->loops.ldp * sizeof *s->basis;
  size_t p = (size_t)s->loops.ldp;
  s->confined_size = (2 * p * (size_t)s->loops.ld + 2 * d * p + p * p) * sizeof *s->confined;
  s->basis = ready ? malloc(s->basis_size + s->confined_size + 1) : NULL;
  if (s->basis) {
    s->confined = s->basis + d * p;
    return TD_OK;
  }
  td_statics_fini(s);
  return TD_NO_MEMORY;
}

void td_statics_fini(td_statics *s) {
  td_projection_fini(&s->loops);
  free(s->K);
  free(s->pivot);
  free(s->free);
  free(s->basis);
  *s = (td_statics){0};
}

// ------------------------------------------------------------------------------------------------ stability

// H = D^-1/2 K_sym D^-1/2, D the diagonal of M
static void scale_stiffness(td_statics *s) {
  int d = s->d;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double k = 0.5 * (s->K[i * d + j] + s->K[j * d + i]);
      s->H[i * d + j] = k / sqrt(s->M[i * d + i] * s->M[j * d + j]);
    }
}

// The loops' rows in the scaled coordinates: D is their metric.
static td_status scaled_rows(td_statics *s) {
  int d = s->d;
  memset(s->H, 0, (size_t)(d * d) * sizeof *s->H);
  for (int i = 0; i < d; i++) s->H[i * d + i] = s->M[i * d + i];
  td_projection_metric(&s->loops, s->H);
  td_status status = td_loop_multipliers(&s->loops, s->q, s->force, s->held);
  td_projection_metric(&s->loops, NULL);
  return status;
}

static td_status smallest_eigenvalue(td_statics *s, double *smallest) {
  *smallest = INFINITY; // a rigid structure
  td_status status = td_statics_linearise(s);
  if (!status) status = td_mass_matrix(s->model, s->ws, s->q, s->full);
  if (status || s->d == 0) return status;
  td_statics_gather(s, s->full, s->M);
  if (s->loops.rows) status = scaled_rows(s);
  if (status) return status;
  scale_stiffness(s);
  td_statics_confine(s, s->H);
  int d = s->d, lwork = 4 * s->n, info = 0;
  dsyev_("N", "L", &d, s->H, &d, s->trial_r, s->part, &lwork, &info);
  if (s->d > s->loops.rank) *smallest = s->trial_r[0];
  return info == 0 ? TD_OK : TD_NONFINITE;
}

// ------------------------------------------------------------------------------------------------ ladder

// Prescribed coordinates follow u; then the loops are closed from there.
static td_status guess(td_statics *s, const double *q) {
  memcpy(s->q, q, (size_t)s->n * sizeof *q);
  for (int i = 0; i < td_model_prescribed_count(s->model); i++) {
    int channel = -1, c = td_model_prescribed_coordinate(s->model, i, &channel);
    s->q[c] = s->u[channel];
  }
  s->closing = (td_error){.status = TD_OK};
  td_status status = s->loops.rows ? td_assemble(&s->loops, s->q, &s->closing) : TD_OK;
  if (!status) status = td_mass_matrix(s->model, s->ws, s->q, s->full);
  if (!status) td_statics_gather(s, s->full, s->M);
  return status;
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
  s->evaluations = s->jacobians = s->factorisations = 0;
  s->best = INFINITY;
  td_status status = climb(s, u, first, first + s->n);
  free(first);
  result->iterations = s->iterations;
  if (status) status = td_statics_explain(s, status, err);
  result->converged = !status;
  result->residual = s->residual;
  result->lambda = s->lambda;
  (void)!td_loop_drift(&s->loops, s->q, &result->loop_error, NULL);
  td_status eigen = smallest_eigenvalue(s, &result->smallest_eigenvalue);
  result->stable = !status && !eigen && result->smallest_eigenvalue > 0;
  result->evaluations = s->evaluations;
  result->jacobians = s->jacobians;
  result->factorisations = s->factorisations;
  return status;
}

void td_statics_tell(const td_statics_result *result, td_run_statistics *statistics) {
  statistics->newton_iterations += (uint64_t)result->iterations;
  statistics->evaluations += result->evaluations;
  statistics->jacobians += result->jacobians;
  statistics->factorisations += result->factorisations;
}

td_status td_statics_solve(const td_model *model, td_workspace *ws, const double *u, const td_statics_options *options,
                           double *q, td_statics_result *result, td_error *err) {
  td_statics s;
  *result = (td_statics_result){0};
  td_status status = td_statics_init(&s, model, ws, options);
  if (status) return td_fail(err, status, "", "no memory for statics");
  memcpy(s.q, q, (size_t)s.n * sizeof *q);
  status = td_statics_find(&s, u, result, err);
  memcpy(q, s.q, (size_t)s.n * sizeof *q);
  td_statics_fini(&s);
  result->lambda = NULL;
  return status;
}
