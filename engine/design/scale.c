// Units of a search. NLopt, which begins with a curvature of 1 everywhere, sees an objective whose slope and bend are 1
// at the most, and constraints whose slopes are 1.
#include "design/parts.h"

#include <math.h>

static const double FAINT = 1e-6; // a slope that is less of the size is none
static const double SHORT = 1e-4; // in reaches: differences of slopes over less are noise
static const double GROWN = 10;   // times
enum { REMEMBERED = 16 };

// |d/dz| of a row of derivatives by p.
static double slope_in(const design *d, const double *row, const double *by_p) {
  double sum = 0;
  for (size_t j = 0; j < d->spec->count; j++) {
    double s = by_p[j] * design_slope(d, row, j);
    sum += s * s;
  }
  return sqrt(sum);
}

// How much the slope of f changes over a reach about a row, as far as the last rows tell.
static double bend_about(const design *d, const double *row) {
  size_t n = d->spec->count;
  double most = 0;
  for (size_t back = 1; back <= d->count && back <= REMEMBERED; back++) {
    const double *other = d->rows + (d->count - back) * d->size;
    double way = 0, change = 0;
    if (other == row || design_is_wall(d, other)) continue;
    for (size_t j = 0; j < n; j++) {
      double step = design_z(d, other, j) - design_z(d, row, j);
      double turn = other[n + 1 + j] * design_slope(d, other, j) - row[n + 1 + j] * design_slope(d, row, j);
      way += step * step;
      change += turn * turn;
    }
    if (way > SHORT * SHORT) most = fmax(most, sqrt(change / way));
  }
  return most;
}

bool design_measure_anew(design *d, const double *row) {
  bool any = false;
  for (size_t j = 0; j < d->spec->count; j++) {
    td_unknown u = d->spec->unknowns[j];
    u.value = row[j];
    double reach = fit_reach(&u);
    if (!(reach > GROWN * d->reach[j])) continue;
    d->reach[j] = reach;
    any = true;
  }
  return any;
}

void design_scale(design *d, const double *row) {
  size_t n = d->spec->count, m = d->spec->constraints;
  const double *slopes = row + 2 * n + 1 + m;
  double bend = d->count > 1 ? bend_about(d, row) : d->bend, unit = fmax(slope_in(d, row, row + n + 1), bend);
  d->f_unit = unit > 0 ? unit : fmax(fabs(row[n]), 1);
  for (size_t i = 0; i < m; i++) d->unit[i] = fmax(slope_in(d, row, slopes + i * n), FAINT * d->measure[i]);
}
