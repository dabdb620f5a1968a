// Searches by NLopt. Its functions ask for f and for the constraints one after the other, at the same point: every
// point is evaluated once, with derivatives, and kept as a row. The numbers that NLopt sees are x / reach, x = p or
// ln p, so that a step of 1 is large for all of them.
//
// Where nothing can be evaluated (a run that does not come to its end) there is a wall: more than the worst so far,
// rising with the distance from the last good point, so that line searches turn back. Its row has no f (NaN).
//
// What NLopt calls success is judged again: by the constraints at the best point, and by what df_dp and dc_dp promise
// there (the stationarity of Karush, Kuhn and Tucker).
#include "design/parts.h"

#include <assert.h>
#include <math.h>
#include <nlopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *td_design_method_name(td_design_method method) {
  static const char *const names[TD_DESIGN_METHOD_COUNT] = {"slsqp", "mma", "lbfgs"};
  return (unsigned)method < TD_DESIGN_METHOD_COUNT ? names[method] : NULL;
}

const char *td_design_end_name(td_design_end end) {
  static const char *const names[TD_DESIGN_END_COUNT] = {"running",     "converged",  "stalled",
                                                         "evaluations", "infeasible", "failed"};
  return (unsigned)end < TD_DESIGN_END_COUNT ? names[end] : NULL;
}

void td_design_defaults(td_design_spec *spec) {
  spec->max_evaluations = 200;
  spec->tolerance = 1e-6;
  spec->slack = 1e-6;
}

size_t td_design_row_size(const td_design_spec *spec) {
  return 2 * spec->count + 1 + spec->constraints * (1 + spec->count);
}

// ------------------------------------------------------------------------------------------------ rules

static td_status check_unknown(const td_unknown *u, size_t i, td_error *err) {
  char pointer[48];
  const char *what = !isfinite(u->value)          ? "/value"
                     : !(u->lower < u->upper)     ? "/upper"
                     : !(u->value >= u->lower)    ? "/lower"
                     : !(u->value <= u->upper)    ? "/upper"
                     : u->log && !(u->value > 0)  ? "/scale"
                     : u->log && !(u->lower >= 0) ? "/lower"
                                                  : NULL;
  if (!what) return TD_OK;
  snprintf(pointer, sizeof pointer, "/parameters/%zu%s", i, what);
  return td_fail(err, TD_INVALID_ARGUMENT, pointer, "%.15g cannot begin within [%.15g, %.15g]%s", u->value, u->lower,
                 u->upper, u->log ? " by its logarithm" : "");
}

td_status td_design_check(const td_design_spec *spec, td_error *err) {
  if (spec->count < 1 || spec->count > TD_MAX_DESIGN_NUMBERS)
    return td_fail(err, TD_INVALID_ARGUMENT, "/parameters", "a design has 1 to %d numbers, this one %zu",
                   (int)TD_MAX_DESIGN_NUMBERS, spec->count);
  if (spec->constraints > TD_MAX_DESIGN_CONSTRAINTS)
    return td_fail(err, TD_LIMIT, "/constraints", "%zu bounds on numbers of samples are more than %d",
                   spec->constraints, (int)TD_MAX_DESIGN_CONSTRAINTS);
  if (spec->method == TD_DESIGN_LBFGS && spec->constraints > 0)
    return td_fail(err, TD_INVALID_ARGUMENT, "/method", "lbfgs takes no constraints; slsqp and mma do");
  if (spec->max_evaluations < 1 || spec->max_evaluations > TD_MAX_DESIGN_EVALUATIONS)
    return td_fail(err, TD_INVALID_ARGUMENT, "/max_evaluations", "must be between 1 and %d, is %d",
                   (int)TD_MAX_DESIGN_EVALUATIONS, spec->max_evaluations);
  if (!(spec->tolerance > 0 && spec->tolerance < 1))
    return td_fail(err, TD_INVALID_ARGUMENT, "/tolerance", "must be between 0 and 1, is %.15g", spec->tolerance);
  td_status status = TD_OK;
  for (size_t i = 0; status == TD_OK && i < spec->count; i++) status = check_unknown(&spec->unknowns[i], i, err);
  return status;
}

// ------------------------------------------------------------------------------------------------ evaluations

enum { MOST_WALLS = 30 };

static void p_of(const design *d, const double *z, double *p) {
  for (size_t j = 0; j < d->spec->count; j++) {
    const td_unknown *u = &d->spec->unknowns[j];
    double x = z[j] * fit_reach(u), near = 1e-12 * fmax(1, fabs(x)); // a bound that z is at is p's, to the last bit
    p[j] = fit_p_of(u, x);
    if (fabs(x - fit_x_of(u, u->upper)) <= near) p[j] = u->upper;
    if (fabs(x - fit_x_of(u, u->lower)) <= near) p[j] = u->lower;
  }
}

static bool is_wall(const design *d, const double *row) { return isnan(row[d->spec->count]); }

static double violation_of(const design *d, const double *row) {
  double most = 0;
  const double *c = row + 2 * d->spec->count + 1;
  for (size_t i = 0; i < d->spec->constraints; i++) most = fmax(most, c[i]);
  return most;
}

// The least f of those that meet the constraints, else the least violation.
static bool is_better(const design *d, const double *row, const double *than) {
  size_t n = d->spec->count;
  if (is_wall(d, row) || is_wall(d, than)) return !is_wall(d, row);
  double own = violation_of(d, row), other = violation_of(d, than), slack = d->spec->slack;
  if (own <= slack && other <= slack) return row[n] < than[n];
  return own < other;
}

static bool grow(design *d) {
  if (d->count < d->room) return true;
  size_t room = d->room ? 2 * d->room : 64;
  double *rows = realloc(d->rows, room * d->size * sizeof *rows);
  if (!rows) return false;
  d->rows = rows;
  d->room = room;
  return true;
}

static td_status compute(design *d, double *row) {
  size_t n = d->spec->count, c = d->spec->constraints;
  double *f = row + n, *df = f + 1, *values = df + n, *slopes = values + c;
  td_status status = d->spec->evaluate(d->spec->context, row, f, df, values, slopes, &d->err);
  for (size_t i = n; status == TD_OK && i < d->size; i++)
    if (!isfinite(row[i])) status = td_fail(&d->err, TD_NONFINITE, "", "the objective or a constraint is not finite");
  return status;
}

// The row of a point: one of the last, one that was known, or a new one. NULL: the search is over (d->status).
static const double *row_at(design *d, const double *z) {
  size_t n = d->spec->count;
  double *p = d->p;
  p_of(d, z, p);
  for (size_t back = 1; back <= d->count && back <= 8; back++) {
    const double *row = d->rows + (d->count - back) * d->size;
    if (memcmp(row, p, n * sizeof *p) == 0) return row;
  }
  if (!grow(d)) return d->status = td_fail(&d->err, TD_NO_MEMORY, "", "not enough memory"), NULL;
  double *row = d->rows + d->count * d->size;
  const double *known = d->count < d->known_count ? d->known + d->count * d->size : NULL;
  bool is_known = known && memcmp(known, p, n * sizeof *p) == 0;
  memcpy(row, is_known ? known : p, (is_known ? d->size : n) * sizeof *row);
  if (!is_known) d->status = compute(d, row);
  if (d->status != TD_OK && d->count > 0 && d->walls < MOST_WALLS && fit_can_avoid(d->status)) {
    for (size_t i = n; i < d->size; i++) row[i] = i == n ? NAN : 0;
    d->status = TD_OK;
  }
  if (d->status != TD_OK) return NULL;
  d->walls += is_wall(d, row);
  if (d->count == 0 || is_better(d, row, d->rows + d->best * d->size)) d->best = d->count;
  d->count++;
  if (!is_known && d->hooks && d->hooks->evaluated && !d->hooks->evaluated(d->hooks->context, row, d->count - 1))
    return d->status = TD_CANCELLED, NULL;
  return row;
}

// ------------------------------------------------------------------------------------------------ NLopt

static double slope_of(const design *d, const double *row, size_t j) {
  const td_unknown *u = &d->spec->unknowns[j];
  return fit_slope(u, row[j]) * fit_reach(u);
}

// f of the wall and its gradient in z.
static double wall_at(const design *d, const double *row, double *gradient) {
  size_t n = d->spec->count, last = d->count;
  double most = 0, way = 0;
  for (size_t k = 0; k < d->count; k++)
    if (!is_wall(d, d->rows + k * d->size)) most = fmax(most, fabs(d->rows[k * d->size + n]));
  do last--;
  while (is_wall(d, d->rows + last * d->size)); // the first one is none
  const double *good = d->rows + last * d->size;
  for (size_t j = 0; j < n; j++) {
    const td_unknown *u = &d->spec->unknowns[j];
    double step = (fit_x_of(u, row[j]) - fit_x_of(u, good[j])) / fit_reach(u);
    way += step * step;
    if (gradient) gradient[j] = 2 * (1 + most) * step;
  }
  return 2 * (1 + most) + (1 + most) * way;
}

static double objective(unsigned n, const double *z, double *gradient, void *context) {
  design *d = context;
  const double *row = row_at(d, z);
  if (!row) return nlopt_force_stop(d->opt), HUGE_VAL;
  if (is_wall(d, row)) return wall_at(d, row, gradient);
  for (unsigned j = 0; gradient && j < n; j++) gradient[j] = row[n + 1 + j] * slope_of(d, row, j);
  return row[n];
}

static void constraints(unsigned m, double *c, unsigned n, const double *z, double *gradient, void *context) {
  design *d = context;
  const double *row = row_at(d, z);
  if (!row) {
    nlopt_force_stop(d->opt);
    for (unsigned i = 0; i < m; i++) c[i] = HUGE_VAL;
    return;
  }
  const double *values = row + 2 * n + 1, *slopes = values + m;
  for (unsigned i = 0; i < m; i++) {
    c[i] = values[i];
    for (unsigned j = 0; gradient && j < n; j++)
      gradient[(size_t)i * n + j] = slopes[(size_t)i * n + j] * slope_of(d, row, j);
  }
}

static bool set_up(design *d, double *z, double *bound) {
  static const nlopt_algorithm of[TD_DESIGN_METHOD_COUNT] = {
      [TD_DESIGN_SLSQP] = NLOPT_LD_SLSQP, [TD_DESIGN_MMA] = NLOPT_LD_MMA, [TD_DESIGN_LBFGS] = NLOPT_LD_LBFGS};
  const td_design_spec *spec = d->spec;
  size_t n = spec->count;
  d->opt = nlopt_create(of[spec->method], (unsigned)n);
  if (!d->opt) return false;
  for (size_t j = 0; j < n; j++) {
    const td_unknown *u = &spec->unknowns[j];
    z[j] = fit_x_of(u, u->value) / fit_reach(u);
  }
  for (size_t j = 0; j < n; j++)
    bound[j] = fit_x_of(&spec->unknowns[j], spec->unknowns[j].lower) / fit_reach(&spec->unknowns[j]);
  bool good = nlopt_set_lower_bounds(d->opt, bound) > 0;
  for (size_t j = 0; j < n; j++)
    bound[j] = fit_x_of(&spec->unknowns[j], spec->unknowns[j].upper) / fit_reach(&spec->unknowns[j]);
  good = good && nlopt_set_upper_bounds(d->opt, bound) > 0 && nlopt_set_min_objective(d->opt, objective, d) > 0;
  if (good && spec->constraints > 0)
    good = nlopt_add_inequality_mconstraint(d->opt, (unsigned)spec->constraints, constraints, d, d->slack) > 0;
  return good && nlopt_set_ftol_rel(d->opt, spec->tolerance) > 0 && nlopt_set_xtol_rel(d->opt, spec->tolerance) > 0 &&
         nlopt_set_maxeval(d->opt, spec->max_evaluations) > 0;
}

static void tell_best(const design *d, td_design_result *r) {
  size_t n = d->spec->count;
  r->evaluations = d->count;
  if (d->count == 0) return;
  const double *row = d->rows + d->best * d->size;
  r->best = d->best;
  r->f = row[n];
  r->first_f = d->rows[n];
  r->violation = violation_of(d, row);
  for (size_t j = 0; j < n; j++) {
    if (r->p) r->p[j] = row[j];
    if (r->at_bound) r->at_bound[j] = design_side(d, j, row[j]) != 0;
  }
}

// ------------------------------------------------------------------------------------------------ a search

static td_status search(design *d, td_design_result *r) {
  double least = 0;
  if (!set_up(d, d->z, d->bound)) return td_fail(&d->err, TD_NO_MEMORY, "", "not enough memory");
  if (!row_at(d, d->z)) return d->status;
  td_status status = design_check_derivatives(d, r);
  if (status != TD_OK) return status;
  nlopt_result end = nlopt_optimize(d->opt, d->z, &least);
  tell_best(d, r);
  if (d->status == TD_CANCELLED || d->status == TD_NO_MEMORY || d->status == TD_LIMIT) return d->status;
  r->failure = d->err;
  design_judge(d, d->status != TD_OK || d->walls > 0, end == NLOPT_MAXEVAL_REACHED, r);
  return TD_OK;
}

static bool carve(design *d) {
  size_t n = d->spec->count;
  d->p = calloc(5 * n + d->spec->constraints + 1, sizeof *d->p);
  if (!d->p) return false;
  d->z = d->p + n;
  d->bound = d->z + n;
  d->slope = d->bound + n;
  d->beside = d->slope + n;
  d->slack = d->beside + n;
  for (size_t i = 0; i < d->spec->constraints; i++) d->slack[i] = d->spec->slack;
  return true;
}

td_status td_design_run(const td_design_spec *spec, const double *known, size_t known_count,
                        const td_design_hooks *hooks, td_design_result *result, td_error *err) {
  result->end = TD_DESIGN_RUNNING;
  result->evaluations = result->best = 0;
  result->f = result->first_f = result->violation = result->promised = result->derivative_error = NAN;
  result->failure = (td_error){.status = TD_OK};
  result->warnings = (td_warnings){0};
  td_error own = {.status = TD_OK}, *why = err ? err : &own;
  td_status status = td_design_check(spec, why);
  if (status != TD_OK) return status;
  design d = {.spec = spec, .hooks = hooks, .known = known, .known_count = known_count};
  d.size = td_design_row_size(spec);
  status = carve(&d) ? search(&d, result) : td_fail(&d.err, TD_NO_MEMORY, "", "not enough memory");
  tell_best(&d, result);
  if (status != TD_OK) *why = d.err, why->status = status;
  nlopt_destroy(d.opt);
  free(d.rows);
  free(d.p);
  return status;
}
