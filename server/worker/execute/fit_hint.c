// Why a fit may not fit: what a person would see in a plot of measured against fitted curves, in words.
//
// In this order, since each hides those after it: numbers in other units, numbers of the other sign, samples that are no
// measurements (zeros of lost frames, single outliers), and the record that most is left over of.
#include "worker/execute/fit_hint.h"

#include <math.h>
#include <stdio.h>

static const double UNITS = 30;                // times as large or small as what is predicted
static const double OPPOSITE = -0.3;           // of 1: measured and predicted as two vectors
static const double SHARE = 0.3;               // of all that is left over
static const double ALIKE = 0.4, CHANCE = 3.5; // correlation of neighbours, and in deviations of that of noise
enum { ENOUGH = 9 };                           // numbers: of fewer one always stands out

typedef struct looking {
  const fit_document *fit;
  const double *data, *sigma, *y;
  double left; // sum of squares of residuals
  char *text;
  size_t size;
  double alike; // the largest correlation of neighbours so far
} looking;

// The numbers of a record begin at data[first], row by row.
typedef bool on_record(looking *l, const fit_data *record, size_t experiment, size_t index, size_t first);

static bool each_record(looking *l, on_record *look) {
  size_t first = 0;
  for (size_t e = 0; e < l->fit->count; e++)
    for (size_t k = 0; k < l->fit->of[e].data_count; k++) {
      const fit_data *d = &l->fit->of[e].data[k];
      if (look(l, d, e, k, first)) return true;
      first += d->rows * d->width;
    }
  return false;
}

static double residual(const looking *l, size_t i) {
  return isnan(l->data[i]) ? 0 : (l->y[i] - l->data[i]) / (l->sigma ? l->sigma[i] : 1);
}

static bool other_units(looking *l, const fit_data *d, size_t e, size_t k, size_t first) {
  double measured = 0, predicted = 0;
  for (size_t i = first; i < first + d->rows * d->width; i++) {
    if (isnan(l->data[i])) continue;
    measured = fmax(measured, fabs(l->data[i]));
    predicted = fmax(predicted, fabs(l->y[i]));
  }
  if (!(measured > UNITS * predicted) && !(predicted > UNITS * measured)) return false;
  snprintf(l->text, l->size,
           "What was measured of %.80s goes up to %.3g, what is predicted up to %.3g (/of/%zu/data/%zu): are both in "
           "the same units (m, s, rad, N)?",
           d->field, measured, predicted, e, k);
  return true;
}

static bool other_sign(looking *l, const fit_data *d, size_t e, size_t k, size_t first) {
  double all = 0;
  for (size_t i = first; i < first + d->rows * d->width; i++) all += isnan(l->data[i]) ? 0 : l->data[i] * l->data[i];
  for (size_t j = 0; j < d->width; j++) {
    double both = 0, measured = 0, predicted = 0;
    for (size_t i = first + j; i < first + d->rows * d->width; i += d->width) {
      if (isnan(l->data[i])) continue;
      both += l->data[i] * l->y[i], measured += l->data[i] * l->data[i], predicted += l->y[i] * l->y[i];
    }
    if (!(measured > SHARE * all) || !(both < OPPOSITE * sqrt(measured) * sqrt(predicted))) continue;
    snprintf(l->text, l->size,
             "Number %zu of what was measured of %.80s has the opposite sign of what is predicted (/of/%zu/data/%zu): "
             "look at signs, axes and `gravity`",
             j, d->field, e, k);
    return true;
  }
  return false;
}

static bool zeros(looking *l) {
  double share = 0;
  size_t count = 0;
  for (size_t i = 0; i < l->fit->samples; i++)
    if (l->data[i] == 0) share += residual(l, i) * residual(l, i), count++;
  if (!(share > SHARE * l->left)) return false;
  snprintf(l->text, l->size, "%.0f %% of it are %zu numbers that are 0: a sample that was lost is null, not 0",
           100 * share / l->left, count);
  return true;
}

static size_t largest(const looking *l) {
  size_t most = 0;
  for (size_t i = 0; i < l->fit->samples; i++)
    if (fabs(residual(l, i)) > fabs(residual(l, most))) most = i;
  return most;
}

static bool outlier(looking *l, const fit_data *d, size_t e, size_t k, size_t first) {
  size_t i = largest(l);
  double r = residual(l, i), share = r * r / l->left;
  if (i < first || i >= first + d->rows * d->width || !(share > SHARE)) return false;
  size_t row = (i - first) / d->width;
  int n = snprintf(l->text, l->size,
                   "%.0f %% of it is one number: %.6g was measured where %.6g is predicted (/of/%zu/data/%zu/value/%zu",
                   100 * share, l->data[i], l->y[i], e, k, row);
  if (n > 0 && (size_t)n < l->size && d->t) n += snprintf(l->text + n, l->size - (size_t)n, ", at %.6g s", d->t[row]);
  if (n > 0 && (size_t)n < l->size) snprintf(l->text + n, l->size - (size_t)n, "): an outlier? null leaves it out");
  return true;
}

static bool worst(looking *l, const fit_data *d, size_t e, size_t k, size_t first) {
  double share = 0;
  for (size_t i = first; i < first + d->rows * d->width; i++) share += residual(l, i) * residual(l, i);
  bool alone = l->fit->count == 1 && l->fit->of[0].data_count == 1;
  if (alone || !(share > 2 * SHARE * l->left)) return false;
  snprintf(l->text, l->size, "%.0f %% of it is one record, %.80s (/of/%zu/data/%zu)", 100 * share / l->left, d->field,
           e, k);
  return true;
}

// ------------------------------------------------------------------------------------------------ patterns

// Of noise it is 0 with a deviation of 1 / sqrt(rows), however many numbers a row has.
static double correlation_of(const looking *l, const fit_data *d, size_t first) {
  double both = 0, own = 0;
  size_t pairs = 0;
  for (size_t i = first; i + d->width < first + d->rows * d->width; i++) {
    if (isnan(l->data[i]) || isnan(l->data[i + d->width])) continue;
    double a = residual(l, i), b = residual(l, i + d->width);
    both += a * b, own += 0.5 * (a * a + b * b);
    pairs++;
  }
  double chance = pairs > 0 ? sqrt((double)d->width / (double)pairs) : INFINITY;
  return own > 0 && both > fmax(ALIKE, CHANCE * chance) * own ? both / own : 0;
}

static bool no_noise(looking *l, const fit_data *d, size_t e, size_t k, size_t first) {
  double alike = d->t ? correlation_of(l, d, first) : 0;
  if (!(alike > l->alike)) return false;
  l->alike = alike;
  snprintf(
      l->text, l->size,
      "what is left over of %.80s is no noise: each sample errs like the one before it (correlation %.2g, "
      "/of/%zu/data/%zu). The robot cannot quite do what was measured, or the noise is slow. Intervals take samples "
      "for independent, so that they are too narrow by a factor of %.2g at the least",
      d->field, alike, e, k, sqrt((1 + alike) / fmax(1 - alike, 1e-3)));
  return false; // there may be a larger one
}

double fit_pattern(const fit_document *fit, const double *data, const double *sigma, const double *y, char *text,
                   size_t size) {
  looking l = {fit, data, sigma, y, 0, text, size, 0};
  (void)each_record(&l, no_noise);
  return l.alike;
}

bool fit_hint(const fit_document *fit, const double *data, const double *sigma, const double *y, char *text,
              size_t size) {
  looking l = {fit, data, sigma, y, 0, text, size, 0};
  size_t given = 0;
  for (size_t i = 0; i < fit->samples; i++) {
    l.left += residual(&l, i) * residual(&l, i);
    given += !isnan(data[i]);
  }
  *text = '\0';
  if (!(l.left > 0) || !isfinite(l.left)) return false;
  if (each_record(&l, other_units) || each_record(&l, other_sign)) return true;
  return given >= ENOUGH && (zeros(&l) || each_record(&l, outlier) || each_record(&l, worst));
}

double fit_unexplained(const fit_document *fit, const double *data, const double *y) {
  double left = 0, all = 0;
  size_t first = 0;
  for (size_t e = 0; e < fit->count; e++)
    for (size_t k = 0; k < fit->of[e].data_count; k++) {
      const fit_data *d = &fit->of[e].data[k];
      for (size_t i = first; i < first + d->rows * d->width; i++) {
        if (isnan(data[i])) continue;
        left += (y[i] - data[i]) * (y[i] - data[i]);
        all += data[i] * data[i];
      }
      first += d->rows * d->width;
    }
  return all > 0 ? sqrt(left / all) : 0;
}
