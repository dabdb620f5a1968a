// From a prediction to R and c: rows (y - data) / sigma and their slopes in x, a QR, then the priors' rows, another.
#include "fit/parts.h"
#include "math/lapack.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double fit_x_of(const td_unknown *u, double p) { return u->log ? (p > 0 ? log(p) : -INFINITY) : p; }

double fit_p_of(const td_unknown *u, double x) {
  double p = u->log ? exp(x) : x;
  return fmin(fmax(p, u->lower), u->upper);
}

double fit_slope(const td_unknown *u, double p) { return u->log ? p : 1; }

bool fit_can_avoid(td_status status) {
  return status != TD_CANCELLED && status != TD_LIMIT && status != TD_NO_MEMORY && status != TD_INTERNAL;
}

// a [columns][rows] column-major -> the upper triangle of its QR, in place.
static void triangulate(fit *f, int rows, int columns, double *a) {
  int info = 0;
  dgeqrf_(&rows, &columns, a, &rows, f->tau, f->work, &f->lwork, &info);
  assert(info == 0); // it has no other failure than wrong arguments
}

static double sigma_of(const td_fit_spec *spec, size_t i) { return spec->sigma ? spec->sigma[i] : 1; }

// The rows of samples that are there. False: a number is not finite.
static bool weigh(fit *f) {
  const td_fit_spec *spec = f->spec;
  size_t n = spec->count, rows = f->rows, k = 0;
  memset(f->columns, 0, (n + 1) * rows * sizeof *f->columns);
  bool finite = true;
  for (size_t i = 0; i < spec->samples; i++) {
    if (isnan(spec->data[i])) continue;
    double weight = 1 / sigma_of(spec, i);
    for (size_t j = 0; j < n; j++) {
      double slope = weight * f->dy_dp[i * n + j] * fit_slope(&spec->unknowns[j], f->p[j]);
      f->columns[j * rows + k] = slope;
      finite = finite && isfinite(slope);
    }
    double residual = weight * (f->y[i] - spec->data[i]);
    f->columns[n * rows + k++] = residual;
    finite = finite && isfinite(residual);
  }
  return finite;
}

static double half_square(const double *v, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += v[i] * v[i];
  return 0.5 * sum;
}

void fit_add_priors(fit *f, const double *data, const double *p, double *R, double *c, double *cost) {
  const td_fit_spec *spec = f->spec;
  size_t n = spec->count, rows = 2 * n;
  double *a = f->small;
  memset(a, 0, (n + 1) * rows * sizeof *a);
  for (size_t i = 0; i < n; i++)
    for (size_t j = i; j < n; j++) a[j * rows + i] = data[i * n + j];
  for (size_t i = 0; c && i < n; i++) a[n * rows + i] = c[i];
  for (size_t j = 0; j < n; j++) {
    const td_unknown *u = &spec->unknowns[j];
    if (!(u->prior_sigma > 0)) continue;
    double residual = (p[j] - u->prior) / u->prior_sigma;
    a[j * rows + n + j] = fit_slope(u, p[j]) / u->prior_sigma;
    a[n * rows + n + j] = residual;
    if (cost) *cost += 0.5 * residual * residual;
  }
  triangulate(f, (int)rows, (int)n + 1, a);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) R[i * n + j] = j >= i ? a[j * rows + i] : 0;
    if (c) c[i] = a[n * rows + i];
  }
}

bool fit_reduce(fit *f, fit_point *point) {
  size_t n = f->spec->count;
  if (!weigh(f)) return false;
  point->cost = half_square(f->columns + n * f->rows, f->rows);
  triangulate(f, (int)f->rows, (int)n + 1, f->columns);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) point->data[i * n + j] = j >= i ? f->columns[j * f->rows + i] : 0;
    point->c[i] = f->columns[n * f->rows + i];
  }
  fit_add_priors(f, point->data, f->p, point->R, point->c, &point->cost);
  return true;
}

td_status fit_measure(fit *f, fit_point *point) {
  const td_fit_spec *spec = f->spec;
  for (size_t j = 0; j < spec->count; j++) f->p[j] = fit_p_of(&spec->unknowns[j], point->x[j]);
  td_status status = spec->predict(spec->context, f->p, f->y, f->dy_dp, f->err);
  if (status != TD_OK) return status;
  if (!fit_reduce(f, point))
    return td_fail(f->err, TD_NONFINITE, "/of", "a prediction or its derivative is not finite");
  if (!isfinite(point->cost))
    return td_fail(f->err, TD_NONFINITE, "/of", "squares of what is left over are too large: predictions ran away");
  return TD_OK;
}
