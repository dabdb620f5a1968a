// Do the derivatives fit their function? At the answer, along one direction in which every unknown moves by as much of
// y as any other: dy/dp v against (-3 y(p) + 4 y(p + h v) - y(p + 2 h v)) / 2 h, which needs no room outside the box.
//
// A wrong column is a part of v like any other, so one direction finds it, whichever it is.
#include "fit/parts.h"

#include <math.h>
#include <string.h>

// splitmix64 [Steele2014]
double fit_random(uint64_t *seed) {
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double norm_of_column(const fit *f, size_t j) {
  size_t n = f->spec->count;
  double sum = 0;
  for (size_t i = 0; i <= j; i++) sum += f->best_data[i * n + j] * f->best_data[i * n + j];
  return sqrt(sum);
}

// v [np] of x, scaled so that no unknown moves by more than a thousandth, 2 v to stay within the bounds.
static void choose_direction(fit *f, const double *x, double *v) {
  static const double part = 1e-3;
  static const double faint = 1e-6; // a column that is less of the largest moves by no more for it
  double largest = 0, longest = 0;
  uint64_t seed = 1;
  for (size_t j = 0; j < f->spec->count; j++) largest = fmax(largest, norm_of_column(f, j) * fit_size_at(f, j));
  for (size_t j = 0; j < f->spec->count; j++) {
    double size = fit_size_at(f, j), seen = fmax(norm_of_column(f, j) * size, faint * largest);
    v[j] = seen > 0 ? size / seen : size;
    longest = fmax(longest, v[j] / size);
    if (fit_random(&seed) < 0.5) v[j] = -v[j];
  }
  for (size_t j = 0; j < f->spec->count; j++) {
    v[j] *= part / longest;
    double room = v[j] > 0 ? f->upper[j] - x[j] : x[j] - f->lower[j], other = f->upper[j] - f->lower[j] - room;
    if (room < 2 * fabs(v[j]) && other > room) v[j] = -v[j], room = other;
    v[j] = copysign(fmin(fabs(v[j]), room / 2), v[j]);
  }
}

static td_status predict_at(fit *f, const double *x, const double *v, double factor, double *y) {
  const td_fit_spec *spec = f->spec;
  for (size_t j = 0; j < spec->count; j++) f->p[j] = fit_p_of(&spec->unknowns[j], x[j] + factor * v[j]);
  f->state->predictions++;
  return spec->predict(spec->context, f->p, y, NULL, f->err);
}

// |error| / sqrt(sum_j |dy/dx_j v_j|^2): columns that cancel each other hide nothing.
static double compare(fit *f, const double *v) {
  const td_fit_spec *spec = f->spec;
  size_t n = spec->count;
  double error = 0, all = 0;
  for (size_t i = 0; i < spec->samples; i++) {
    if (isnan(spec->data[i])) continue;
    double weight = spec->sigma ? 1 / spec->sigma[i] : 1, slope = 0;
    for (size_t j = 0; j < n; j++) {
      double part = weight * f->dy_dp[i * n + j] * fit_slope(&spec->unknowns[j], f->best_p[j]) * v[j];
      slope += part;
      all += part * part;
    }
    double seen = weight * (-3 * f->y[i] + 4 * f->near[i] - f->far[i]) / 2;
    error += (seen - slope) * (seen - slope);
  }
  return all > 0 ? sqrt(error / all) : error > 0 ? INFINITY : 0;
}

td_status fit_check_derivatives(fit *f, td_fit_result *result) {
  const td_fit_spec *spec = f->spec;
  double *x = f->now.x, *v = f->step;
  for (size_t j = 0; j < spec->count; j++) x[j] = fit_x_of(&spec->unknowns[j], f->best_p[j]);
  f->state->predictions++;
  td_status status = spec->predict(spec->context, f->best_p, f->y, f->dy_dp, f->err);
  if (status != TD_OK) return status;
  if (result->y) memcpy(result->y, f->y, spec->samples * sizeof *f->y);
  choose_direction(f, x, v);
  status = predict_at(f, x, v, 1, f->near);
  if (status == TD_OK) status = predict_at(f, x, v, 2, f->far);
  if (status == TD_OK) result->derivative_error = compare(f, v);
  result->predictions = f->state->predictions;
  return fit_can_avoid(status) ? TD_OK : status;
}
