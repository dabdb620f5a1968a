// Rules, and rounds of searches from one start. A search that stalls or is misled by a wall begins once more at its best, with units
// taken there and without memory of the way; one that comes no nearer to meeting the constraints looks for a point that
// does, from the best, from the start and from places all over the bounds, and goes on from it. A list of evaluations tells all of it, so that one that was interrupted goes on to the same bits.
//
// What NLopt calls success is judged again: by the constraints at the best point, and by what df_dp and dc_dp promise
// there (the stationarity of Karush, Kuhn and Tucker).
#include "design/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *td_design_method_name(td_design_method method) {
  static const char *const names[TD_DESIGN_METHOD_COUNT] = {"slsqp", "mma", "lbfgs"};
  return (unsigned)method < TD_DESIGN_METHOD_COUNT ? names[method] : NULL;
}

const char *td_design_end_name(td_design_end end) {
  static const char *const names[TD_DESIGN_END_COUNT] = {"running",    "converged", "stalled", "evaluations",
                                                         "infeasible", "unbounded", "failed"};
  return (unsigned)end < TD_DESIGN_END_COUNT ? names[end] : NULL;
}

void td_design_defaults(td_design_spec *spec) {
  spec->max_evaluations = 200;
  spec->tolerance = 1e-6;
  spec->slack = 1e-6;
  spec->starts = 1;
}

size_t td_design_row_size(const td_design_spec *spec) {
  return 2 * spec->count + 1 + spec->constraints * (1 + spec->count) + 1;
}

// ------------------------------------------------------------------------------------------------ rules

static bool is_bounded(const td_unknown *u) {
  return isfinite(u->upper) && (u->log ? u->lower > 0 : isfinite(u->lower));
}

static td_status check_unknown(const td_design_spec *spec, size_t i, td_error *err) {
  char pointer[48];
  const td_unknown *u = &spec->unknowns[i];
  const char *what = !isfinite(u->value)          ? "/value"
                     : !(u->lower < u->upper)     ? "/upper"
                     : !(u->value >= u->lower)    ? "/lower"
                     : !(u->value <= u->upper)    ? "/upper"
                     : u->log && !(u->value > 0)  ? "/scale"
                     : u->log && !(u->lower >= 0) ? "/lower"
                                                  : NULL;
  snprintf(pointer, sizeof pointer, "/parameters/%zu%s", i, what ? what : isfinite(u->upper) ? "/lower" : "/upper");
  if (!what && spec->starts > 1 && !is_bounded(u))
    return td_fail(err, TD_INVALID_ARGUMENT, pointer, "random starts need both bounds%s; one is missing",
                   u->log ? ", above 0 for a logarithm" : "");
  if (!what) return TD_OK;
  return td_fail(err, TD_INVALID_ARGUMENT, pointer, "%.15g cannot begin within [%.15g, %.15g]%s", u->value, u->lower,
                 u->upper, u->log ? " by its logarithm" : "");
}

static td_status check_amount(const td_design_spec *spec, td_error *err) {
  if (spec->max_evaluations < 1 || spec->max_evaluations > TD_MAX_DESIGN_EVALUATIONS)
    return td_fail(err, TD_INVALID_ARGUMENT, "/max_evaluations", "must be between 1 and %d, is %d",
                   (int)TD_MAX_DESIGN_EVALUATIONS, spec->max_evaluations);
  int most = TD_MAX_DESIGN_EVALUATIONS / spec->max_evaluations;
  if (spec->starts < 1 || spec->starts > most)
    return td_fail(err, TD_INVALID_ARGUMENT, "/starts",
                   "must be between 1 and %d (times max_evaluations no more than %d), is %d", most,
                   (int)TD_MAX_DESIGN_EVALUATIONS, spec->starts);
  return TD_OK;
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
  if (!(spec->tolerance > 0 && spec->tolerance < 1))
    return td_fail(err, TD_INVALID_ARGUMENT, "/tolerance", "must be between 0 and 1, is %.15g", spec->tolerance);
  td_status status = check_amount(spec, err);
  for (size_t i = 0; status == TD_OK && i < spec->count; i++) status = check_unknown(spec, i, err);
  return status;
}

// ------------------------------------------------------------------------------------------------ rounds

enum { MOST_ROUNDS = 8, ANEW = 2, ELSEWHERE = 14 };
static const double GAINED = 1e-9;  // of f
static const double FINER = 0.1;    // the tolerance of the next round
static const double FINEST = 1e-12; // the tolerance of one that is to prove an optimum
static const double LITTLE = 1e-6;  // of f: a round that brings no more has been at one
static const double NOUGHT = 1e-9;  // of f at the start: as good as nothing

void design_tell(const design *d, td_design_result *r) {
  size_t n = d->spec->count;
  r->evaluations = d->count;
  if (d->count == 0) return;
  const double *row = d->rows + d->best * d->size;
  r->best = d->best;
  r->f = row[n];
  r->first_f = d->rows[n];
  r->violation = design_violation(d, row);
  for (size_t j = 0; j < n; j++) {
    if (r->p) r->p[j] = row[j];
    if (r->at_bound) r->at_bound[j] = design_side(d, j, row[j]) != 0;
  }
  for (size_t i = 0; r->c && i < d->spec->constraints; i++) r->c[i] = row[2 * n + 1 + i];
}

static void judge(design *d, td_design_result *r) {
  design_judge(d, r);
  design_tell(d, r);
}

// Whether a round has brought the search on.
static bool has_gained(const design *d, size_t before) {
  size_t n = d->spec->count;
  const double *was = d->rows + before * d->size, *is = d->rows + d->best * d->size;
  if (d->best == before) return false;
  if (design_violation(d, was) > d->spec->slack) return true;
  return was[n] - is[n] > GAINED * fmax(fabs(was[n]), fabs(d->rows[n]));
}

// Where f is flat little is promised, and steps are small, long before the optimum. The proof is that less than a
// millionth is promised, or a round of the finest steps that brought hardly anything.
static bool is_sure(const design *d, const td_design_result *r, size_t before) {
  size_t n = d->spec->count;
  double was = d->rows[before * d->size + n], is = d->rows[d->best * d->size + n], first = fabs(d->rows[n]);
  return r->promised <= DESIGN_SURE || (d->proves && was - is <= LITTLE * fabs(is) + NOUGHT * first);
}

// Where one method does not come any further another one may: slsqp is the best near an optimum, unless there are many
// numbers, then lbfgs where nothing is constrained.
static td_design_method method_of_round(const design *d, int round) {
  const td_design_spec *spec = d->spec;
  td_design_method other = spec->count <= DESIGN_FEW ? TD_DESIGN_SLSQP
                           : spec->constraints == 0  ? TD_DESIGN_LBFGS
                                                     : spec->method;
  if (d->proves) return other;
  if (spec->method == TD_DESIGN_SLSQP) return round % 3 == 2 ? TD_DESIGN_MMA : TD_DESIGN_SLSQP;
  return round % 2 == 1 ? other : spec->method;
}

static td_status search_round(design *d, int round) {
  td_design_method method = method_of_round(d, round);
  double tolerance = d->tolerance;
  if (d->proves && method != TD_DESIGN_MMA) d->tolerance = FINEST;
  td_status status = design_search(d, d->best, false, method);
  d->tolerance = tolerance;
  if (d->over == DESIGN_PROVED || d->over == DESIGN_TURNS) d->over = DESIGN_GOES_ON;
  return status;
}

static bool can_go_on(const design *d) { return d->over == DESIGN_GOES_ON && d->status == TD_OK; }

static bool is_met(const design *d) { return design_violation(d, d->rows + d->best * d->size) <= d->spec->slack; }

// Points that lie evenly within a box, however many there are: multiples of the powers of 1/g, g^(n+1) = g + 1.
static double ratio_of(size_t n) {
  double g = 1.5;
  for (int i = 0; i < 60; i++) g = pow(1 + g, 1 / ((double)n + 1));
  return g;
}

// The row of a point elsewhere within the bounds, or about the start where there are none; count: there is none.
static size_t row_elsewhere(design *d, int k) {
  double g = ratio_of(d->spec->count), part = 1;
  for (size_t j = 0; j < d->spec->count; j++) {
    const td_unknown *u = &d->spec->unknowns[j];
    double from = design_z(d, d->rows, j), lower = fit_x_of(u, u->lower) / d->reach[j],
           upper = fit_x_of(u, u->upper) / d->reach[j];
    part /= g;
    lower = fmax(lower, from - 1), upper = fmin(upper, from + 1);
    d->z[j] = lower + fmod(0.5 + k * part, 1) * (upper - lower);
  }
  const double *row = design_row_at(d, d->z);
  return row && !design_is_wall(d, row) ? (size_t)(row - d->rows) / d->size : d->count;
}

// Constraints are met from the best so far, else from the start, else from somewhere else: what is missed may be least
// at a corner, and nothing at another place.
static td_status restore(design *d, td_design_result *r) {
  td_status status = TD_OK;
  for (int k = 0; k < ELSEWHERE && status == TD_OK && can_go_on(d) && !is_met(d); k++) {
    size_t from = k == 0 ? d->best : k == 1 ? 0 : row_elsewhere(d, k - 1);
    if (from < d->count) status = design_search(d, from, true, TD_DESIGN_SLSQP);
    if (d->over == DESIGN_MET) d->over = DESIGN_GOES_ON;
  }
  d->restoring = false;
  if (status == TD_OK) judge(d, r);
  return status;
}

td_status design_explore(design *d, td_design_result *r) {
  for (size_t j = 0; j < d->spec->count; j++) {
    const td_unknown *u = &d->spec->unknowns[j];
    d->z[j] = fit_x_of(u, u->value) / d->reach[j];
  }
  if (!design_row_at(d, d->z)) return d->status;
  td_status status = design_check_derivatives(d, r);
  size_t before = 0, idle = 0;
  bool doubted = false; // whether what falls for ever is looked at once more from where it came to
  d->tolerance = d->spec->tolerance;
  for (int round = 0; status == TD_OK && round < MOST_ROUNDS; round++) {
    before = d->best;
    status = search_round(d, round);
    if (status == TD_OK) judge(d, r);
    if (status == TD_OK && r->end == TD_DESIGN_INFEASIBLE && can_go_on(d)) {
      status = restore(d, r);
      if (r->end == TD_DESIGN_INFEASIBLE) break;
      continue;
    }
    bool moved = can_go_on(d) && design_measure_anew(d, d->rows + d->best * d->size);
    if (status == TD_OK && moved) judge(d, r);
    bool found = r->end == TD_DESIGN_CONVERGED, away = r->end == TD_DESIGN_UNBOUNDED;
    bool open = found ? !is_sure(d, r, before) : r->end == TD_DESIGN_STALLED || r->end == TD_DESIGN_FAILED || away;
    idle = has_gained(d, before) ? 0 : idle + 1;
    if (away && !moved && doubted) break;
    doubted = doubted || away;
    if (!open || !can_go_on(d) || idle >= ANEW) break;
    d->proves = found;
    d->tolerance *= FINER;
  }
  if (status != TD_OK) return status;
  r->failure = d->err;
  design_remark(d, r);
  return TD_OK;
}
