// Is the end of a search an optimum? At the best point the constraints are looked at, and the stationarity of Karush,
// Kuhn and Tucker: what is left of df + sum lambda_i dc_i, lambda_i >= 0 of active constraints, on the numbers that a
// bound does not hold. Numbers are measured by their reaches, so that what is left is what f falls by over a reach.
//
// Of points that meet the constraints up to the slack the one with the least f may owe that to the slack: with the
// multipliers there, what each misses is put into f, and the least sum is the best.
//
// A search that its number of evaluations ended is judged more strictly: f that still falls is no least one, whatever it
// was at the start.
//
// A number that has gone far to where no bound is, with f falling still by its own size, is on its way to infinity.
#include "design/parts.h"

#include <math.h>
#include <stdlib.h>

static const double ACTIVE = 1e-3;   // of its measure below 0: a constraint that may hold the best
static const double PROMISED = 1e-3; // of f: less is none
static const double FAR = 100;       // reaches
static const double FALLS = 0.05;    // of f, over as much as a number is
static const double ENDS = 20;       // so steeply f ends soon
static const double NOISE = 1e-7;    // of f: second differences below tell no bend
static const double FALLING = 1e-6;  // of f, over the last quarter of the evaluations: it falls still
static const double NOTHING = 1e-12; // of f at the start
static const double SETTLED = 1e-10; // of the gradient: a multiplier that moves it by less stays
enum { SWEEPS = 2000 };

int design_side(const design *d, size_t j, double p) {
  const td_unknown *u = &d->spec->unknowns[j];
  double x = fit_x_of(u, p), near = 10 * d->spec->tolerance * d->reach[j];
  return fit_x_of(u, u->upper) - x <= near ? 1 : x - fit_x_of(u, u->lower) <= near ? -1 : 0;
}

// ------------------------------------------------------------------------------------------------ derivatives

static td_status value_beside(design *d, double factor, double *f) {
  const double *row = d->rows;
  size_t n = d->spec->count, c = d->spec->constraints;
  double *values = c > 0 ? calloc(c, sizeof *values) : NULL;
  if (c > 0 && !values) return td_fail(&d->err, TD_NO_MEMORY, "", "not enough memory");
  for (size_t j = 0; j < n; j++) {
    const td_unknown *u = &d->spec->unknowns[j];
    d->beside[j] = fit_p_of(u, fit_x_of(u, row[j]) + factor * d->slope[j]);
  }
  td_status status = d->spec->evaluate(d->spec->context, d->beside, f, NULL, values, NULL, &d->err);
  free(values);
  return status;
}

// Each number moves by a thousandth of its size, to the side on which there is room.
static void choose_direction(design *d) {
  static const double part = 1e-3;
  uint64_t seed = 1;
  for (size_t j = 0; j < d->spec->count; j++) {
    const td_unknown *u = &d->spec->unknowns[j];
    double x = fit_x_of(u, d->rows[j]), lower = fit_x_of(u, u->lower), upper = fit_x_of(u, u->upper);
    double v = part * fit_size(u, x) * (fit_random(&seed) < 0.5 ? -1 : 1);
    if (x + 2 * v < lower || x + 2 * v > upper) v = -v;
    double room = v > 0 ? upper - x : x - lower;
    d->slope[j] = copysign(fmin(fabs(v), room / 2), v);
  }
}

td_status design_check_derivatives(design *d, td_design_result *r) {
  size_t n = d->spec->count;
  double near = 0, far = 0, promised = 0, size = 0, way = 0;
  choose_direction(d);
  td_status status = value_beside(d, 1, &near);
  if (status == TD_OK) status = value_beside(d, 2, &far);
  if (status != TD_OK) return status == TD_CANCELLED || status == TD_NO_MEMORY || status == TD_LIMIT ? status : TD_OK;
  for (size_t j = 0; j < n; j++) {
    double part = d->rows[n + 1 + j] * fit_slope(&d->spec->unknowns[j], d->rows[j]) * d->slope[j];
    double step = d->slope[j] / d->reach[j];
    promised += part;
    size += part * part;
    way += step * step;
  }
  double turn = fabs(d->rows[n] - 2 * near + far);
  d->bend = way > 0 && turn > NOISE * fmax(fabs(d->rows[n]), fabs(near)) ? turn / way : 0;
  double seen = (-3 * d->rows[n] + 4 * near - far) / 2, noise = 1e-9 * fmax(fabs(d->rows[n]), fabs(near));
  double off = fmax(0, fabs(seen - promised) - noise);
  r->derivative_error = size > 0 ? off / sqrt(size) : off > 0 ? INFINITY : 0;
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ stationarity

// One multiplier, of a row of slopes in z: what makes g smallest, no less than 0. Returns by how much g moved.
static double settle(size_t n, const double *row, double *lambda, double *g) {
  double dot = 0, square = 0;
  for (size_t k = 0; k < n; k++) {
    dot += row[k] * g[k];
    square += row[k] * row[k];
  }
  double step = square > 0 ? fmax(-*lambda, -dot / square) : 0;
  *lambda += step;
  for (size_t k = 0; k < n; k++) g[k] += step * row[k];
  return fabs(step) * sqrt(square);
}

// The same of the bound of a number: its row is what the equations leave of side e_j, and g holds nothing else.
static double settle_bound(const design_span *span, size_t j, int side, double *mu, double *g) {
  static const double nothing = 1e-12;
  double square = 1;
  for (size_t k = 0; k < span->count; k++) square -= span->q[k * span->n + j] * span->q[k * span->n + j];
  if (!(square > nothing)) return 0; // the equations hold it
  double step = fmax(-*mu, -side * g[j] / square);
  *mu += step;
  g[j] += step * side;
  for (size_t k = 0; k < span->count; k++) {
    const double *q = span->q + k * span->n;
    for (size_t i = 0; i < span->n; i++) g[i] -= step * side * q[j] * q[i];
  }
  return fabs(step) * sqrt(square);
}

// g + sum lambda_i dc_i + sum mu_j (side of the bound) e_j, lambda, mu >= 0, as small as it gets: coordinate descent over
// the multipliers of active constraints and of bounds, all together. mu [n]; slopes [m][n] in z, 0 where not active. Both
// are what the equations leave of them.
static void reduce(const design *d, const double *row, const design_span *span, const double *slopes, double *g,
                   double *mu) {
  size_t n = d->spec->count, m = d->spec->constraints;
  double *lambda = d->lambda, size = 0;
  for (size_t i = 0; i < m; i++) lambda[i] = 0;
  for (size_t j = 0; j < n; j++) mu[j] = 0, size = fmax(size, fabs(g[j]));
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double moved = 0;
    for (size_t i = 0; i < m; i++) moved = fmax(moved, settle(n, slopes + i * n, &lambda[i], g));
    for (size_t j = 0; j < n; j++) {
      int side = design_side(d, j, row[j]);
      if (side != 0) moved = fmax(moved, settle_bound(span, j, side, &mu[j], g));
    }
    if (moved <= SETTLED * size) break;
  }
}

// Multipliers of equations, by all that pulls at them: df, active constraints, bounds.
static void balance(const design *d, const double *row, const design_span *span, const double *mu, double *g) {
  size_t n = d->spec->count, m = d->spec->constraints;
  const double *slopes = row + 2 * n + 1 + m;
  for (size_t j = 0; j < n; j++) {
    g[j] = row[n + 1 + j] * design_slope(d, row, j) + mu[j] * design_side(d, j, row[j]);
    for (size_t i = 0; i < m; i++) g[j] += d->lambda[i] * slopes[i * n + j] * design_slope(d, row, j);
  }
  design_span_multipliers(span, g, d->lambda);
}

// d->slope: what is left of df; d->bound is 1 for numbers that are free to move, 0 for those that a bound holds.
double design_promise(design *d, const double *row) {
  size_t n = d->spec->count, m = d->spec->constraints;
  const double *c = row + 2 * n + 1;
  double *slopes = calloc((m + 1) * n + 1, sizeof *slopes), sum = 0;
  design_span span = {.n = n};
  if (!slopes || !design_span_make(d, row, &span)) return free(slopes), NAN;
  for (size_t i = 0; i < m; i++) {
    if (c[i] < -ACTIVE * d->measure[i] || design_is_half(d, i)) continue;
    for (size_t j = 0; j < n; j++) slopes[i * n + j] = c[m + i * n + j] * design_slope(d, row, j);
    design_span_leave(&span, slopes + i * n);
  }
  for (size_t j = 0; j < n; j++) d->slope[j] = row[n + 1 + j] * design_slope(d, row, j);
  design_span_leave(&span, d->slope);
  reduce(d, row, &span, slopes, d->slope, d->bound);
  if (span.count > 0) balance(d, row, &span, d->bound, slopes + m * n);
  design_span_free(&span);
  free(slopes);
  for (size_t j = 0; j < n; j++) {
    d->bound[j] = d->bound[j] > 0 ? 0 : 1;
    sum += d->slope[j] * d->slope[j];
  }
  return sqrt(sum) / fmax(fmax(fabs(row[n]), fabs(d->rows[n])), 1e-300);
}

// Whether a free number is on its way to infinity: what is left of f's slope leads on.
static bool runs_away(const design *d, const double *row) {
  size_t n = d->spec->count;
  for (size_t j = 0; j < n; j++) {
    double way = design_z(d, row, j) - design_z(d, d->rows, j), falls = -d->slope[j] * way / fmax(fabs(row[n]), 1e-300);
    double most = d->spec->unknowns[j].log ? log(FAR) : FAR, gone = fabs(way) * design_grown(d, j);
    if (gone > most && design_is_open(d, row, j) && falls > FALLS && falls < ENDS) return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------------------ the end

// f with what constraints are missed by, by their multipliers.
static double merit_of(const design *d, const double *row) {
  size_t n = d->spec->count;
  double sum = row[n];
  for (size_t i = 0; i < d->spec->constraints; i++) sum += d->lambda[i] * fmax(0, row[2 * n + 1 + i]);
  return sum;
}

static bool meets(const design *d, const double *row) {
  return !design_is_wall(d, row) && design_violation(d, row) <= d->spec->slack;
}

// The best by that, of multipliers at the best so far. Whether it is another one.
static bool choose(design *d) {
  size_t was = d->best;
  const double *best = d->rows + was * d->size;
  if (!meets(d, best) || !(design_violation(d, best) > 0)) return false;
  double least = merit_of(d, best);
  for (size_t k = 0; k < d->count; k++) {
    const double *row = d->rows + k * d->size;
    if (!meets(d, row) || !(merit_of(d, row) < least)) continue;
    d->best = k;
    least = merit_of(d, row);
  }
  return d->best != was;
}

// Whether the last quarter of the evaluations brought f down by a part of it, towards which the derivatives still point.
static bool is_falling(const design *d, double promised) {
  size_t n = d->spec->count, last = d->count - d->count / 4;
  double f = d->rows[d->best * d->size + n], first = fabs(d->rows[n]), before = INFINITY;
  for (size_t k = 0; k < last; k++)
    if (meets(d, d->rows + k * d->size)) before = fmin(before, d->rows[k * d->size + n]);
  return promised * fmax(fabs(f), first) > DESIGN_SURE * fabs(f) && before - f > FALLING * fabs(f) + NOTHING * first;
}

void design_judge(design *d, td_design_result *r) {
  const double *row = d->rows + d->best * d->size;
  r->promised = design_promise(d, row);
  if (choose(d)) r->promised = design_promise(d, row = d->rows + d->best * d->size);
  r->violation = design_violation(d, row);
  bool falling = d->over == DESIGN_EXHAUSTED && is_falling(d, r->promised);
  bool still = !(r->promised > PROMISED) && !falling, failed = d->status != TD_OK || d->walls > 0;
  r->end = !(r->violation <= d->spec->slack)             ? TD_DESIGN_INFEASIBLE
           : d->over == DESIGN_AWAY || runs_away(d, row) ? TD_DESIGN_UNBOUNDED
           : still                                       ? TD_DESIGN_CONVERGED
           : failed                                      ? TD_DESIGN_FAILED
           : d->over == DESIGN_EXHAUSTED                 ? TD_DESIGN_EXHAUSTED
                                                         : TD_DESIGN_STALLED;
}
