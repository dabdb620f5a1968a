// What a row says, by itself and beside the first. Violations are measured by the size that the caller gives a
// constraint, else by what it changes by at the start.
#include "design/parts.h"

#include <math.h>

static const double FAR = 1e6;     // reaches
static const double FAINT = 1e-6;  // a size that is less of what a constraint changes by is none
static const double NOISE = 1e-10; // of what another one changes by: it changes by nothing

// What constraint i changes by at a row, when numbers do by as much as they are.
static double change_of(const td_design_spec *spec, const double *row, size_t i) {
  size_t n = spec->count;
  const double *slopes = row + 2 * n + 1 + spec->constraints + i * n;
  double sum = 0;
  for (size_t j = 0; j < n; j++) {
    const td_unknown *u = &spec->unknowns[j];
    double s = slopes[j] * fit_slope(u, row[j]) * fit_size(u, fit_x_of(u, row[j]));
    sum += s * s;
  }
  return sqrt(sum);
}

void td_design_sizes(const td_design_spec *spec, const double *row, double *sizes) {
  double most = 0;
  for (size_t i = 0; i < spec->constraints; i++) most = fmax(most, sizes[i] = change_of(spec, row, i));
  for (size_t i = 0; i < spec->constraints; i++) {
    double given = spec->sizes ? spec->sizes[i] : 0, change = sizes[i];
    if (!(change > NOISE * most)) change = most > 0 ? most : 1;
    sizes[i] = given > FAINT * sizes[i] ? given : change;
  }
}

bool design_is_equation(const design *d, size_t i) {
  return d->spec->mirrored && i + 1 < d->spec->constraints && d->spec->mirrored[i + 1];
}

bool design_is_half(const design *d, size_t i) {
  return design_is_equation(d, i) || (d->spec->mirrored && d->spec->mirrored[i]);
}

bool design_is_wall(const design *d, const double *row) { return isnan(row[d->spec->count]); }

double design_violation(const design *d, const double *row) {
  double most = 0;
  const double *c = row + 2 * d->spec->count + 1;
  for (size_t i = 0; i < d->spec->constraints; i++) most = fmax(most, c[i] / d->measure[i]);
  return most;
}

double design_grown(const design *d, size_t j) { return d->reach[j] / fit_reach(&d->spec->unknowns[j]); }

double design_slope(const design *d, const double *row, size_t j) {
  const td_unknown *u = &d->spec->unknowns[j];
  return fit_slope(u, row[j]) * d->reach[j];
}

double design_z(const design *d, const double *row, size_t j) {
  const td_unknown *u = &d->spec->unknowns[j];
  return fit_x_of(u, row[j]) / d->reach[j];
}

bool design_is_open(const design *d, const double *row, size_t j) {
  const td_unknown *u = &d->spec->unknowns[j];
  return !isfinite(fit_x_of(u, row[j] > d->rows[j] ? u->upper : u->lower));
}

size_t design_gone(const design *d, const double *row) {
  size_t n = d->spec->count;
  for (size_t j = 0; j < n; j++) {
    double way = fabs(design_z(d, row, j) - design_z(d, d->rows, j)) * design_grown(d, j);
    double most = d->spec->unknowns[j].log ? log(FAR) : FAR;
    if (way > most && design_is_open(d, row, j)) return j;
  }
  return n;
}
