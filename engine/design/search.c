// One search by NLopt, from a row on: for the least f within the constraints, or for a point that meets them.
//
// Where nothing can be evaluated there is a wall: more than the worst so far, rising with the distance from the last
// good point, so that line searches turn back.
#include "design/parts.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

enum { LEAST = 20 };               // evaluations by moving asymptotes before another method is tried
static const double LEAP = 2;      // reaches
static const double INSIDE = 1e-3; // of its measure: what restores a constraint goes so far beyond its bound

// f of the wall and its gradient in z.
static double wall_at(const design *d, const double *row, double *gradient) {
  size_t n = d->spec->count, last = d->count;
  double most = 0, way = 0;
  for (size_t k = 0; k < d->count; k++)
    if (!design_is_wall(d, d->rows + k * d->size)) most = fmax(most, fabs(d->rows[k * d->size + n]) / d->f_unit);
  do last--;
  while (design_is_wall(d, d->rows + last * d->size)); // the first one is none
  const double *good = d->rows + last * d->size;
  for (size_t j = 0; j < n; j++) {
    double step = design_z(d, row, j) - design_z(d, good, j);
    way += step * step;
    if (gradient) gradient[j] = 2 * (1 + most) * step;
  }
  return 2 * (1 + most) + (1 + most) * way;
}

// Half the sum of squares of what constraints are missed by, in their measures; the steepest of them changes by 1.
static double missed_at(const design *d, const double *row, double *gradient) {
  size_t n = d->spec->count, m = d->spec->constraints;
  const double *c = row + 2 * n + 1, *slopes = c + m;
  double sum = 0, steepest = 0;
  for (size_t i = 0; i < m; i++) steepest = fmax(steepest, d->unit[i] / d->measure[i]);
  for (size_t j = 0; gradient && j < n; j++) gradient[j] = 0;
  for (size_t i = 0; i < m; i++) {
    double measure = d->measure[i] * steepest, by = c[i] / measure + (design_is_half(d, i) ? 0 : INSIDE / steepest);
    if (!(by > 0)) continue;
    sum += 0.5 * by * by;
    for (size_t j = 0; gradient && j < n; j++)
      gradient[j] += by * slopes[i * n + j] / measure * design_slope(d, row, j);
  }
  return sum;
}

static double objective(unsigned n, const double *z, double *gradient, void *context) {
  design *d = context;
  const double *row = design_row_at(d, z);
  if (!row) return nlopt_force_stop(d->opt), HUGE_VAL;
  if (design_is_wall(d, row)) return wall_at(d, row, gradient);
  if (d->restoring) return missed_at(d, row, gradient);
  for (unsigned j = 0; gradient && j < n; j++) gradient[j] = row[n + 1 + j] * design_slope(d, row, j) / d->f_unit;
  return row[n] / d->f_unit;
}

static void some(design *d, const size_t *which, unsigned m, double *c, unsigned n, const double *z, double *gradient) {
  const double *row = design_row_at(d, z);
  if (!row) {
    nlopt_force_stop(d->opt);
    for (unsigned i = 0; i < m; i++) c[i] = HUGE_VAL;
    return;
  }
  const double *values = row + 2 * n + 1, *slopes = values + d->spec->constraints;
  for (unsigned k = 0; k < m; k++) {
    size_t i = which[k];
    c[k] = values[i] / d->unit[i];
    for (unsigned j = 0; gradient && j < n; j++)
      gradient[(size_t)k * n + j] = slopes[i * n + j] / d->unit[i] * design_slope(d, row, j);
  }
}

static void equations(unsigned m, double *c, unsigned n, const double *z, double *gradient, void *context) {
  design *d = context;
  some(d, d->which, m, c, n, z, gradient);
}

static void bounds(unsigned m, double *c, unsigned n, const double *z, double *gradient, void *context) {
  design *d = context;
  some(d, d->which + d->equations, m, c, n, z, gradient);
}

// slsqp takes equations: two bounds in their place depend on each other, and its steps are none. Nor are they any where
// equations depend on each other (the y of a planar robot is 0): those that do where the search begins are left out, and
// the end of it is judged by all of them. Moving asymptotes do with bounds. False: not enough memory.
static bool sort_constraints(design *d, const double *row, td_design_method method, size_t *rest) {
  bool apart = method == TD_DESIGN_SLSQP;
  size_t m = d->spec->constraints, count = 0;
  design_span span = {.count = 0};
  if (apart && !design_span_make(d, row, &span)) return false;
  for (size_t k = 0; k < span.count; k++) d->which[count++] = span.which[k];
  design_span_free(&span);
  d->equations = count;
  for (size_t i = 0; i < m; i++)
    if (!apart || !design_is_half(d, i)) d->which[count++] = i;
  *rest = count - d->equations;
  return true;
}

// Tolerances in the order of d->which.
static bool add_constraints(design *d, const double *row, td_design_method method) {
  size_t rest = 0;
  bool good = sort_constraints(d, row, method, &rest);
  size_t m = good ? d->equations + rest : 0;
  for (size_t k = 0; k < m; k++) d->slack[k] = d->spec->slack * d->measure[d->which[k]] / d->unit[d->which[k]];
  if (good && d->equations > 0)
    good = nlopt_add_equality_mconstraint(d->opt, (unsigned)d->equations, equations, d, d->slack) > 0;
  if (good && rest > 0)
    good = nlopt_add_inequality_mconstraint(d->opt, (unsigned)rest, bounds, d, d->slack + d->equations) > 0;
  return good;
}

// Moving asymptotes begin as far away as the bounds are: where these are absurdly far, with a leap to where nothing
// changes any more. Bounds that are farther than this come nearer; the next search goes on from there.
static double end_of(const design *d, size_t j, bool upper, td_design_method method) {
  const td_unknown *u = &d->spec->unknowns[j];
  double end = fit_x_of(u, upper ? u->upper : u->lower) / d->reach[j];
  if (method != TD_DESIGN_MMA || !isfinite(end)) return end;
  return upper ? fmin(end, d->z[j] + LEAP) : fmax(end, d->z[j] - LEAP);
}

static bool set_up(design *d, const double *row, td_design_method method) {
  static const nlopt_algorithm of[TD_DESIGN_METHOD_COUNT] = {
      [TD_DESIGN_SLSQP] = NLOPT_LD_SLSQP, [TD_DESIGN_MMA] = NLOPT_LD_MMA, [TD_DESIGN_LBFGS] = NLOPT_LD_LBFGS};
  const td_design_spec *spec = d->spec;
  size_t n = spec->count;
  d->opt = nlopt_create(of[method], (unsigned)n);
  if (!d->opt) return false;
  for (size_t j = 0; j < n; j++) d->bound[j] = end_of(d, j, false, method);
  bool good = nlopt_set_lower_bounds(d->opt, d->bound) > 0;
  for (size_t j = 0; j < n; j++) d->bound[j] = end_of(d, j, true, method);
  good = good && nlopt_set_upper_bounds(d->opt, d->bound) > 0 && nlopt_set_min_objective(d->opt, objective, d) > 0;
  if (good && spec->constraints > 0 && !d->restoring) good = add_constraints(d, row, method);
  return good && nlopt_set_ftol_rel(d->opt, d->tolerance * d->tolerance / spec->tolerance) > 0 &&
         nlopt_set_xtol_rel(d->opt, d->tolerance) > 0 &&
         nlopt_set_maxeval(d->opt, 4 * spec->max_evaluations) > 0; // points that are asked for again count there
}

// Moving asymptotes follow a curved valley in ever smaller steps: after a while another method goes on, where there is one.
static size_t turns_at(const design *d, td_design_method method) {
  const td_design_spec *spec = d->spec;
  bool other = spec->count <= DESIGN_FEW || spec->constraints == 0;
  size_t share = (size_t)spec->max_evaluations / 4;
  return method == TD_DESIGN_MMA && other ? d->count + (share > LEAST ? share : LEAST) : SIZE_MAX;
}

td_status design_search(design *d, size_t from, bool restoring, td_design_method method) {
  size_t n = d->spec->count;
  const double *row = d->rows + from * d->size;
  double least = 0;
  d->restoring = restoring;
  d->turns_at = turns_at(d, method);
  d->missed = INFINITY;
  d->missed_at = d->count;
  d->from_row = from;
  for (size_t j = 0; j < n; j++) d->z[j] = d->from[j] = design_z(d, row, j);
  design_scale(d, row);
  bool ready = set_up(d, row, method);
  if (ready) (void)nlopt_optimize(d->opt, d->z, &least);
  nlopt_destroy(d->opt);
  d->opt = NULL;
  if (!ready) return td_fail(&d->err, TD_NO_MEMORY, "", "not enough memory");
  bool ends = d->status == TD_CANCELLED || d->status == TD_NO_MEMORY || d->status == TD_LIMIT;
  return ends ? d->status : TD_OK;
}
