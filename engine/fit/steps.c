// What the lengths of steps have to do with the answer: its covariance holds noise, and nothing of what coarse steps do.
//
// Method: where finer steps predict y', the answer would be another by one undamped step of the search with y' in place of
// y, to first order: the derivatives at hand are as good for it. Told where that is more than a standard deviation.
#include "fit/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double UNDAMPED = 1e-16; // as the search's own look at what could still be gained
static const double TOLD = 1;         // standard deviations

static double p_after(const fit *f, size_t j) { return fit_p_of(&f->spec->unknowns[j], f->now.x[j] + f->step[j]); }

// In standard deviations; 0 of an unknown that has none.
static double moved(const fit *f, const double *covariance, size_t j) {
  double deviation = sqrt(covariance[j * f->spec->count + j]), by = (p_after(f, j) - f->best_p[j]) / deviation;
  return isfinite(by) ? by : 0;
}

static void tell(const fit *f, size_t j, double by, td_fit_result *r) {
  char pointer[48];
  snprintf(pointer, sizeof pointer, "/parameters/%zu", j);
  td_warn(
      &r->warnings, "coarse_step", pointer,
      "with runs in steps half as long %.120s would come out as %.6g, %.2g of its standard deviations %s: they hold "
      "noise, and not what the steps do. Take smaller steps, or a method with error control",
      f->spec->unknowns[j].name, p_after(f, j), fabs(by), by > 0 ? "higher" : "lower");
}

td_status fit_judge_steps(fit *f, td_fit_result *r) {
  const td_fit_spec *spec = f->spec;
  size_t n = spec->count, most = 0;
  if (!spec->predict_finer || !r->covariance) return TD_OK;
  r->predictions = ++f->state->predictions;
  td_status status = spec->predict_finer(spec->context, f->best_p, f->y, NULL, f->err);
  if (status != TD_OK) return fit_can_avoid(status) ? TD_OK : status;
  memcpy(f->p, f->best_p, n * sizeof *f->p);
  for (size_t j = 0; j < n; j++) f->now.x[j] = fit_x_of(&spec->unknowns[j], f->best_p[j]);
  if (!fit_reduce(f, &f->now)) return TD_OK;
  fit_step(f, &f->now, UNDAMPED, f->step);
  for (size_t j = 1; j < n; j++)
    if (fabs(moved(f, r->covariance, j)) > fabs(moved(f, r->covariance, most))) most = j;
  double by = moved(f, r->covariance, most);
  if (fabs(by) > TOLD) tell(f, most, by, r);
  return TD_OK;
}
