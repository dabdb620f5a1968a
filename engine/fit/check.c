// What a fit may ask for.
#include "fit/parts.h"

#include <math.h>
#include <stdio.h>

void td_fit_defaults(td_fit_options *options) {
  *options = (td_fit_options){.max_iterations = 50, .tolerance = 1e-10, .starts = 1};
}

const char *td_fit_end_name(td_fit_end end) {
  static const char *const names[TD_FIT_END_COUNT] = {
      [TD_FIT_RUNNING] = "running",
      [TD_FIT_CONVERGED] = "converged",
      [TD_FIT_STALLED] = "stalled",
      [TD_FIT_EXHAUSTED] = "iterations",
  };
  return (unsigned)end < TD_FIT_END_COUNT ? names[end] : NULL;
}

// Bounds that are far away say nothing of a number's size, its first value does.
double fit_reach(const td_unknown *u) {
  static const double far = 10;
  if (u->log) return 1;
  double span = u->upper - u->lower, size = fabs(u->value);
  if (!(isfinite(span) && span > 0)) return size > 0 ? size : 1;
  return size > 0 ? fmin(span, far * size) : span;
}

double fit_size(const td_unknown *u, double x) { return u->log ? 1 : fmax(fabs(x), 1e-3 * fit_reach(u)); }

double fit_size_at(const fit *f, size_t j) {
  td_unknown there = f->spec->unknowns[j];
  double x = fit_x_of(&there, f->best_p[j]), size = fit_size(&there, x); // by the first value, which may be far off
  there.value = f->best_p[j];
  return fmin(size, fit_size(&there, x));
}

static td_status fail_at(td_error *err, size_t i, const char *member, const char *what, double value) {
  char pointer[64];
  snprintf(pointer, sizeof pointer, "/parameters/%zu%s", i, member);
  return td_fail(err, TD_INVALID_ARGUMENT, pointer, "%s, is %.15g", what, value);
}

static td_status check_unknown(const td_fit_spec *spec, size_t i, td_error *err) {
  const td_unknown *u = &spec->unknowns[i];
  if (!isfinite(u->value)) return fail_at(err, i, "", "the first value must be finite", u->value);
  if (!(u->lower < u->upper)) return fail_at(err, i, "/upper", "must be above the lower bound", u->upper);
  if (!(u->value >= u->lower)) return fail_at(err, i, "/lower", "must not be above the first value", u->lower);
  if (!(u->value <= u->upper)) return fail_at(err, i, "/upper", "must not be below the first value", u->upper);
  if (u->log && !(u->value > 0))
    return fail_at(err, i, "/scale", "\"log\" needs a value above 0 to begin with", u->value);
  if (u->log && !(u->lower >= 0)) return fail_at(err, i, "/lower", "must not be negative with \"log\"", u->lower);
  if (!isfinite(u->prior) || !(u->prior_sigma >= 0) || !isfinite(u->prior_sigma))
    return fail_at(err, i, "/prior/sigma", "must be positive", u->prior_sigma);
  if (u->prior_sigma > 0 && !spec->sigma)
    return fail_at(err, i, "/prior",
                   "a prior needs data with sigma to be weighed against (records have none); its own sigma",
                   u->prior_sigma);
  bool bounded = isfinite(u->upper) && (u->log ? u->lower > 0 : isfinite(u->lower));
  if (spec->options.starts > 1 && !bounded)
    return fail_at(err, i, isfinite(u->upper) ? "/lower" : "/upper",
                   "random starts (starts > 1) need a lower and an upper bound of every parameter; the first value",
                   u->value);
  return TD_OK;
}

static td_status check_options(const td_fit_options *o, td_error *err) {
  if (o->max_iterations < 0 || o->max_iterations > TD_MAX_FIT_ITERATIONS)
    return td_fail(err, TD_INVALID_ARGUMENT, "/max_iterations", "must be between 0 and %d, is %d",
                   TD_MAX_FIT_ITERATIONS, o->max_iterations);
  if (!(o->tolerance > 0 && o->tolerance < 1))
    return td_fail(err, TD_INVALID_ARGUMENT, "/tolerance", "must be between 0 and 1, is %.15g", o->tolerance);
  if (o->starts < 1 || o->starts > TD_MAX_FIT_STARTS)
    return td_fail(err, TD_INVALID_ARGUMENT, "/starts", "must be between 1 and %d, is %d", TD_MAX_FIT_STARTS,
                   o->starts);
  return TD_OK;
}

td_status td_fit_check(const td_fit_spec *spec, td_error *err) {
  if (spec->count < 1 || spec->count > TD_MAX_UNKNOWNS)
    return td_fail(err, TD_INVALID_ARGUMENT, "/parameters", "a fit has 1 to %d unknown numbers, this one %zu",
                   TD_MAX_UNKNOWNS, spec->count);
  td_status status = check_options(&spec->options, err);
  for (size_t i = 0; status == TD_OK && i < spec->count; i++) status = check_unknown(spec, i, err);
  size_t used = 0;
  for (size_t i = 0; status == TD_OK && i < spec->samples; i++) {
    used += !isnan(spec->data[i]);
    if (isinf(spec->data[i]))
      status = td_fail(err, TD_INVALID_ARGUMENT, "/of", "sample %zu of the data is infinite", i);
    else if (!isnan(spec->data[i]) && spec->sigma && !(spec->sigma[i] > 0 && isfinite(spec->sigma[i])))
      status =
          td_fail(err, TD_INVALID_ARGUMENT, "/of", "sigma of sample %zu must be positive, is %.15g", i, spec->sigma[i]);
  }
  if (status == TD_OK && used == 0) status = td_fail(err, TD_INVALID_ARGUMENT, "/of", "there are no data");
  return status;
}
