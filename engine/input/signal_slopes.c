// Derivatives of signals by their numbers: one function per kind, products by Leibniz' rule on the way down the tree.
//
// What is told are jets (f, f', f''), as td_signal_motion has them. A spline's second derivatives m solve A m = 6 D y
// (math/spline.c); what a value y[k] does to the functional c0 m[i] + c1 m[i + 1] is 6 w^T D e_k with A w = c0 e_i + c1
// e_(i+1), A symmetric. A is dominated by its diagonal: w falls by half a knot at the least, so that the system is
// solved in a window about i beyond which nothing of w is left in a double.
#include "input/signal_slopes.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

enum { JET = 3, WINDOW = 56, WINDOW_ROWS = 2 * WINDOW + 2 };

typedef struct walk {
  double t, t_side;
  const td_slope_taker *taker;
} walk;

// The product of two functions, with its derivatives.
static void leibniz(const double f[JET], const double g[JET], double out[JET]) {
  out[0] = f[0] * g[0];
  out[1] = f[1] * g[0] + f[0] * g[1];
  out[2] = f[2] * g[0] + 2 * f[1] * g[1] + f[0] * g[2];
}

static void tell(const walk *w, const double factor[JET], const double *number, double f, double f1, double f2) {
  double of[JET];
  leibniz(factor, (double[JET]){f, f1, f2}, of);
  if (of[0] != 0 || of[1] != 0 || of[2] != 0) w->taker->take(w->taker->context, number, of);
}

// ------------------------------------------------------------------------------------------------ the kinds

static void constant(const td_signal *signal, const walk *w, const double factor[JET]) {
  tell(w, factor, &signal->spec->offset, 1, 0, 0);
}

static void sine(const td_signal *signal, const walk *w, const double factor[JET]) {
  const td_signal_spec *s = signal->spec;
  double to_omega = 2 * M_PI, omega = to_omega * s->frequency, t = w->t, a = s->amplitude, x = omega * t + s->phase;
  double sin_x = sin(x), cos_x = cos(x);
  tell(w, factor, &s->offset, 1, 0, 0);
  tell(w, factor, &s->amplitude, sin_x, omega * cos_x, -omega * omega * sin_x);
  tell(w, factor, &s->phase, a * cos_x, -a * omega * sin_x, -a * omega * omega * cos_x);
  tell(w, factor, &s->frequency, to_omega * a * t * cos_x, to_omega * a * (cos_x - omega * t * sin_x),
       to_omega * a * omega * (-2 * sin_x - omega * t * cos_x));
}

static void steps(const td_signal *signal, const walk *w, const double factor[JET]) {
  size_t k = td_signal_knots_reached(signal->spec, w->t_side);
  if (k > 0) tell(w, factor, &signal->spec->value[k - 1], 1, 0, 0);
}

// Powers of t, exact for the first of them: t^0 is 1 at t = 0, too.
static void polynomial(const td_signal *signal, const walk *w, const double factor[JET]) {
  double power[JET] = {1, 0, 0}; // t^i with its derivatives
  for (size_t i = 0; i < signal->spec->count; i++) {
    tell(w, factor, &signal->spec->value[i], power[0], power[1], power[2]);
    power[2] = power[2] * w->t + 2 * power[1];
    power[1] = power[1] * w->t + power[0];
    power[0] = power[0] * w->t;
  }
}

// The knots at or before t; at a knot itself that side counts which t_side is on.
static size_t knots_before(const td_signal_spec *s, const walk *w) {
  size_t k = td_signal_knots_reached(s, w->t);
  return k > 0 && s->t[k - 1] == w->t && w->t_side < w->t ? k - 1 : k;
}

static void line(const td_signal_spec *s, size_t i, const walk *w, const double factor[JET]) {
  double h = s->t[i + 1] - s->t[i], b = (w->t - s->t[i]) / h, a = 1 - b;
  double slope = (s->value[i + 1] - s->value[i]) / h;
  tell(w, factor, &s->value[i], a, -1 / h, 0);
  tell(w, factor, &s->value[i + 1], b, 1 / h, 0);
  tell(w, factor, &s->t[i], -a * slope, slope / h, 0);
  tell(w, factor, &s->t[i + 1], -b * slope, -slope / h, 0);
}

// ------------------------------------------------------------------------------------------------ splines

// Rows [from, from + count) of A, those that do not vanish about an interval, and w of three right sides.
typedef struct window {
  const double *x;
  size_t from, count;
  double w[WINDOW_ROWS][JET];
} window;

static window window_about(const td_signal_spec *s, size_t i) {
  size_t first = i > WINDOW ? i - WINDOW : 1, last = s->count - 2; // rows of A are those of the inner knots
  if (first < 1) first = 1;
  if (last > i + 1 + WINDOW) last = i + 1 + WINDOW;
  return (window){.x = s->t, .from = first, .count = last - first + 1};
}

static void set_row(window *v, size_t j, const double c[JET]) {
  if (j < v->from || j >= v->from + v->count) return; // m is 0 at the ends
  for (int k = 0; k < JET; k++) v->w[j - v->from][k] = c[k];
}

// A w = c by Thomas's algorithm, as in math/spline.c.
static void solve(window *v) {
  double upper[WINDOW_ROWS] = {0};
  assert(v->count <= WINDOW_ROWS);
  for (size_t r = 0; r < v->count; r++) {
    const double *x = v->x + v->from + r;
    double below = x[0] - x[-1], above = x[1] - x[0], before = r > 0 ? below : 0;
    double pivot = 2 * (below + above) - (r > 0 ? before * upper[r - 1] : 0);
    upper[r] = above / pivot;
    for (int k = 0; k < JET; k++) v->w[r][k] = (v->w[r][k] - (r > 0 ? before * v->w[r - 1][k] : 0)) / pivot;
  }
  for (size_t r = v->count; r-- > 1;)
    for (int k = 0; k < JET; k++) v->w[r - 1][k] -= upper[r - 1] * v->w[r][k];
}

static double row_of(const window *v, size_t j, int k) {
  return j < v->from || j >= v->from + v->count ? 0 : v->w[j - v->from][k];
}

// 6 w^T D e_j, one of the right sides.
static double through_curvature(const window *v, const td_signal_spec *s, size_t j, int k) {
  double sum = 0, here = row_of(v, j, k);
  if (j > 0) sum += (row_of(v, j - 1, k) - here) / (s->t[j] - s->t[j - 1]);
  if (j + 1 < s->count) sum += (row_of(v, j + 1, k) - here) / (s->t[j + 1] - s->t[j]);
  return 6 * sum;
}

static void cubic(const td_signal_spec *s, size_t i, const walk *w, const double factor[JET]) {
  double h = s->t[i + 1] - s->t[i], b = (w->t - s->t[i]) / h, a = 1 - b;
  window v = window_about(s, i);
  set_row(&v, i, (double[JET]){(a * a * a - a) * (h * h / 6), -(3 * a * a - 1) * (h / 6), a});
  set_row(&v, i + 1, (double[JET]){(b * b * b - b) * (h * h / 6), (3 * b * b - 1) * (h / 6), b});
  solve(&v);
  for (size_t j = v.from - 1; j <= v.from + v.count; j++) {
    double f[JET];
    for (int k = 0; k < JET; k++) f[k] = through_curvature(&v, s, j, k);
    if (j == i) f[0] += a, f[1] -= 1 / h;
    if (j == i + 1) f[0] += b, f[1] += 1 / h;
    tell(w, factor, &s->value[j], f[0], f[1], f[2]);
  }
}

// ------------------------------------------------------------------------------------------------ the rest of the kinds

// Ramps and tables: held outside their knots.
static void knots(const td_signal *signal, const walk *w, const double factor[JET]) {
  const td_signal_spec *s = signal->spec;
  size_t k = knots_before(s, w);
  if (k == 0 || k == s->count)
    tell(w, factor, &s->value[k == 0 ? 0 : k - 1], 1, 0, 0);
  else if (signal->curvature)
    cubic(s, k - 1, w, factor);
  else
    line(s, k - 1, w, factor);
}

static void slopes_of(const td_signal *signal, const walk *w, const double factor[JET]);

static void sum(const td_signal *signal, const walk *w, const double factor[JET]) {
  for (size_t i = 0; i < signal->spec->of_count; i++) slopes_of(&signal->of[i], w, factor);
}

// Each term times all others: those before it are in `before`, those behind it in behind[i].
static void product(const td_signal *signal, const walk *w, const double factor[JET]) {
  double behind[TD_MAX_SIGNAL_TERMS][JET], motion[TD_MAX_SIGNAL_TERMS][JET], before[JET], of[JET];
  size_t count = signal->spec->of_count;
  assert(count >= 1 && count <= TD_MAX_SIGNAL_TERMS);
  behind[count - 1][0] = 1, behind[count - 1][1] = behind[count - 1][2] = 0;
  for (size_t i = 0; i < count; i++) {
    td_signal_motion(&signal->of[i], w->t, w->t_side, motion[i]);
    motion[i][0] = td_signal_eval(&signal->of[i], w->t, w->t_side); // linear tables have no motion, but a value
  }
  for (size_t i = count; i-- > 1;) leibniz(motion[i], behind[i], behind[i - 1]);
  for (int k = 0; k < JET; k++) before[k] = factor[k];
  for (size_t i = 0; i < count; i++) {
    leibniz(before, behind[i], of);
    slopes_of(&signal->of[i], w, of);
    leibniz(before, motion[i], of);
    for (int k = 0; k < JET; k++) before[k] = of[k];
  }
}

static void slopes_of(const td_signal *signal, const walk *w, const double factor[JET]) {
  static void (*const kinds[TD_SIGNAL_TYPE_COUNT])(const td_signal *, const walk *, const double[JET]) = {
      [TD_SIGNAL_CONSTANT] = constant, [TD_SIGNAL_SINE] = sine,      [TD_SIGNAL_STEPS] = steps,
      [TD_SIGNAL_RAMP] = knots,        [TD_SIGNAL_TABLE] = knots,    [TD_SIGNAL_POLYNOMIAL] = polynomial,
      [TD_SIGNAL_SUM] = sum,           [TD_SIGNAL_PRODUCT] = product};
  assert((unsigned)signal->spec->type < TD_SIGNAL_TYPE_COUNT);
  kinds[signal->spec->type](signal, w, factor);
}

void td_signal_slopes(const td_signal *signal, double t, double t_side, const td_slope_taker *taker) {
  static const double one[JET] = {1, 0, 0};
  assert(taker->take);
  slopes_of(signal, &(walk){.t = t, .t_side = t_side, .taker = taker}, one);
}

size_t td_signal_slopes_most(const td_signal_spec *s) {
  enum { OF_A_LINE = 4, OF_A_SINE = 4 };
  size_t most = 0;
  switch (s->type) {
  case TD_SIGNAL_SINE:
    return OF_A_SINE;
  case TD_SIGNAL_RAMP:
    return OF_A_LINE;
  case TD_SIGNAL_TABLE:
    if (!s->spline || s->count < 3) return OF_A_LINE;
    return s->count < WINDOW_ROWS + 2 ? s->count : WINDOW_ROWS + 2;
  case TD_SIGNAL_POLYNOMIAL:
    return s->count;
  case TD_SIGNAL_SUM:
  case TD_SIGNAL_PRODUCT:
    for (size_t i = 0; i < s->of_count; i++) most += td_signal_slopes_most(&s->of[i]);
    return most;
  default:
    return 1;
  }
}
