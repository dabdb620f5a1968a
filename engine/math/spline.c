// Natural cubic spline: the tridiagonal system for the second derivatives m, solved by Thomas's algorithm (diagonally
// dominant, so no pivoting), and evaluation by bisection on the knots.
//
//   h[i-1] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i] m[i+1] = 6 ((y[i+1] - y[i])/h[i] - (y[i] - y[i-1])/h[i-1])
//
// Source: de Boor, A Practical Guide to Splines, chapter IV.  Invariant: m[0] = m[count-1] = 0.
#include "math/spline.h"
#include <assert.h>
#include <stdlib.h>

size_t td_spline_size(size_t count) { return count; }

static int rises(size_t count, const double *x) {
  for (size_t i = 1; i < count; i++)
    if (!(x[i] > x[i - 1])) return 0;
  return count >= 2;
}

static double slope_of(const double *x, const double *y, size_t stride, size_t i) {
  return (y[(i + 1) * stride] - y[i * stride]) / (x[i + 1] - x[i]);
}

// Forward sweep leaves the eliminated super-diagonal in `upper` and the right-hand side in m; back substitution
// follows.
static void solve_tridiagonal(size_t count, const double *x, const double *y, size_t stride, double *upper, double *m) {
  upper[0] = m[0] = m[count - 1] = 0;
  for (size_t i = 1; i + 1 < count; i++) {
    double below = x[i] - x[i - 1], above = x[i + 1] - x[i];
    double pivot = 2 * (below + above) - below * upper[i - 1];
    double rhs = 6 * (slope_of(x, y, stride, i) - slope_of(x, y, stride, i - 1));
    upper[i] = above / pivot;
    m[i] = (rhs - below * m[i - 1]) / pivot;
  }
  for (size_t i = count - 1; i-- > 1;) m[i] -= upper[i] * m[i + 1];
}

td_status td_spline_prepare(size_t count, const double *x, const double *y, size_t stride, double *m) {
  if (!rises(count, x)) return TD_INVALID_ARGUMENT;
  double *upper = malloc(count * sizeof *upper);
  if (!upper) return TD_NO_MEMORY;
  solve_tridiagonal(count, x, y, stride, upper, m);
  free(upper);
  return TD_OK;
}

// The interval i with x[i] <= at < x[i+1]; the first and last ones reach to infinity.
static size_t interval(size_t count, const double *x, double at) {
  size_t low = 0, high = count - 1;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (at < x[middle])
      high = middle;
    else
      low = middle;
  }
  return low;
}

void td_spline_eval2(size_t count, const double *x, const double *y, size_t stride, const double *m, double at,
                     double *value, double *slope, double *curvature) {
  assert(count >= 2);
  size_t i = interval(count, x, at);
  double h = x[i + 1] - x[i], b = (at - x[i]) / h, a = 1 - b;
  double y0 = y[i * stride], y1 = y[(i + 1) * stride], m0 = m[i], m1 = m[i + 1];
  if (value) *value = a * y0 + b * y1 + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * (h * h / 6);
  if (slope) *slope = (y1 - y0) / h + ((3 * b * b - 1) * m1 - (3 * a * a - 1) * m0) * (h / 6);
  if (curvature) *curvature = a * m0 + b * m1;
}

void td_spline_eval(size_t count, const double *x, const double *y, size_t stride, const double *m, double at,
                    double *value, double *slope) {
  td_spline_eval2(count, x, y, stride, m, at, value, slope, NULL);
}
