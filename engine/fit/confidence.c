// What the answer is worth, to first order: covariance = (R^T R)^-1 of data and priors at the answer.
//
// Method: SVD of R with columns of length 1, so that no size of an unknown, which may be 0, weighs; a column that is 0
// beside the others as far as its unknown may be sought stands as that. Directions below RANK of the largest singular
// value are told by nobody: who takes part in one has an infinite variance. Unknowns at bounds are held, the others'
// covariance is that with them held. Singular values and directions that are handed out are those of columns measured by
// each unknown's size (of x = ln p: 1).
#include "fit/parts.h"
#include "math/lapack.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double RANK = 1e-7, PART = 1e-5;

typedef struct decomposition {
  double s[TD_MAX_UNKNOWNS]; // falling
  double *V;                 // [k][k], row i: direction of s[i]
  size_t k;
} decomposition;

// How far each unknown `of` [k] goes for a change of 1 in what was measured.
static void choose_scales(const fit *f, const double *R, const size_t *of, size_t k, double *scale) {
  size_t n = f->spec->count;
  double most = 0;
  for (size_t j = 0; j < k; j++) {
    double square = 0;
    for (size_t i = 0; i < n; i++) square += R[i * n + of[j]] * R[i * n + of[j]];
    scale[j] = sqrt(square);
    most = fmax(most, scale[j] * fit_reach(&f->spec->unknowns[of[j]]));
  }
  for (size_t j = 0; j < k; j++) {
    double reach = fit_reach(&f->spec->unknowns[of[j]]);
    scale[j] = scale[j] * reach > RANK * most ? 1 / scale[j] : reach;
  }
}

// R [n][n] row-major, its columns `of` [k] times `scale` [k].
static void decompose(fit *f, const double *R, const size_t *of, size_t k, const double *scale, double *V,
                      decomposition *d) {
  size_t n = f->spec->count;
  double *a = f->small, none = 0;
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < n; i++) a[j * n + i] = R[i * n + of[j]] * scale[j];
  int rows = (int)n, columns = (int)k, one = 1, info = 0;
  d->k = k;
  d->V = V;
  dgesvd_("N", "S", &rows, &columns, a, &rows, d->s, &none, &one, V, &columns, f->work, &f->lwork, &info);
  assert(info == 0);             // finite numbers: it converges
  for (size_t i = 0; i < k; i++) // column-major V^T to rows
    for (size_t j = 0; j < i; j++) {
      double t = V[i * k + j];
      V[i * k + j] = V[j * k + i];
      V[j * k + i] = t;
    }
}

static size_t choose_free(const fit *f, const double *p, size_t *of) {
  size_t k = 0;
  for (size_t j = 0; j < f->spec->count; j++) {
    double x = fit_x_of(&f->spec->unknowns[j], p[j]);
    if (x > f->lower[j] && x < f->upper[j]) of[k++] = j;
  }
  return k;
}

static bool is_told(const decomposition *d, size_t i) { return d->s[i] > RANK * d->s[0]; }

static bool is_open(const decomposition *d, size_t j) {
  for (size_t i = 0; i < d->k; i++)
    if (!is_told(d, i) && fabs(d->V[i * d->k + j]) > PART) return true;
  return false;
}

static double covariance_of(const decomposition *d, size_t a, size_t b) {
  double sum = 0;
  for (size_t i = 0; i < d->k; i++)
    if (is_told(d, i)) sum += d->V[i * d->k + a] * d->V[i * d->k + b] / (d->s[i] * d->s[i]);
  return sum;
}

// Of the free unknowns, in p.
static void fill_covariance(fit *f, const decomposition *d, const size_t *of, const double *scale, double variance,
                            double *covariance) {
  size_t n = f->spec->count;
  double unit[TD_MAX_UNKNOWNS];
  for (size_t i = 0; i < n * n; i++) covariance[i] = NAN;
  for (size_t a = 0; a < d->k; a++) {
    unit[a] = scale[a] * fit_slope(&f->spec->unknowns[of[a]], f->best_p[of[a]]);
  }
  for (size_t a = 0; a < d->k; a++) {
    if (is_open(d, a)) {
      covariance[of[a] * n + of[a]] = INFINITY;
      continue;
    }
    for (size_t b = 0; b < d->k; b++)
      if (!is_open(d, b)) covariance[of[a] * n + of[b]] = variance * covariance_of(d, a, b) * unit[a] * unit[b];
  }
}

static void fill_correlation(size_t n, const double *covariance, double *correlation) {
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      double size = sqrt(covariance[a * n + a]) * sqrt(covariance[b * n + b]);
      correlation[a * n + b] = a == b && size > 0 ? 1 : covariance[a * n + b] / size;
    }
}

td_status fit_confide(fit *f, td_fit_result *result) {
  size_t n = f->spec->count, of[TD_MAX_UNKNOWNS], every[TD_MAX_UNKNOWNS];
  double scale[TD_MAX_UNKNOWNS];
  double *V = f->now.R, *R = f->trial.R, *covariance = result->covariance ? result->covariance : f->now.data;
  decomposition d;
  for (size_t j = 0; j < n; j++) every[j] = j, scale[j] = fit_size_at(f, j);
  decompose(f, f->best_data, every, n, scale, result->directions ? result->directions : V, &d);
  if (result->singular_values) memcpy(result->singular_values, d.s, n * sizeof *d.s);
  fit_add_priors(f, f->best_data, f->best_p, R, NULL, NULL);
  size_t k = choose_free(f, f->best_p, of);
  double variance = f->spec->sigma ? 1 : result->misfit * result->misfit;
  for (size_t i = 0; i < n * n; i++) covariance[i] = NAN;
  if (k > 0) {
    choose_scales(f, R, of, k, scale);
    decompose(f, R, of, k, scale, V, &d);
    fill_covariance(f, &d, of, scale, variance, covariance);
  }
  // what a bound holds may be the reason that the others look well known: directions are judged without bounds
  choose_scales(f, R, every, n, scale);
  decompose(f, R, every, n, scale, V, &d);
  if (result->correlation) fill_correlation(n, covariance, result->correlation);
  return fit_judge_directions(f, &(fit_directions){every, n, d.s, V, scale}, result);
}
