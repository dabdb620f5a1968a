// Right-looking elimination on split real and imaginary parts, so that rows vectorise without shuffles.
#include "math/complex_lu.h"
#include <math.h>

static double size_at(const double *a, const double *b, int at) { return fabs(a[at]) + fabs(b[at]); }

static void swap(double *x, double *y) {
  double t = *x;
  *x = *y;
  *y = t;
}

static int largest_below(int n, const double *a, const double *b, int column) {
  int best = column;
  for (int i = column + 1; i < n; i++)
    if (size_at(a, b, i * n + column) > size_at(a, b, best * n + column)) best = i;
  return best;
}

// (x + i y) / (p + i q)
static void divide(double *x, double *y, double p, double q) {
  double scale = 1 / (p * p + q * q), u = (*x * p + *y * q) * scale;
  *y = (*y * p - *x * q) * scale;
  *x = u;
}

static void eliminate(int n, int column, double *a, double *b) {
  const double *restrict pa = a + column * n, *restrict pb = b + column * n;
  for (int i = column + 1; i < n; i++) {
    double *restrict ra = a + i * n, *restrict rb = b + i * n;
    divide(&ra[column], &rb[column], pa[column], pb[column]);
    double fr = ra[column], fi = rb[column];
    for (int j = column + 1; j < n; j++) {
      ra[j] -= fr * pa[j] - fi * pb[j];
      rb[j] -= fr * pb[j] + fi * pa[j];
    }
  }
}

bool td_complex_lu_factor(int n, double *a, double *b, int *pivot) {
  for (int column = 0; column < n; column++) {
    int p = pivot[column] = largest_below(n, a, b, column);
    for (int j = 0; p != column && j < n; j++) {
      swap(&a[column * n + j], &a[p * n + j]);
      swap(&b[column * n + j], &b[p * n + j]);
    }
    double top = size_at(a, b, column * n + column);
    if (top == 0 || !isfinite(top)) return false;
    eliminate(n, column, a, b);
  }
  return true;
}

// x_i + i y_i less the products of row (a + i b) with entries [from, to).
static void subtract(int i, int from, int to, const double *a, const double *b, double *x, double *y) {
  double u = 0, v = 0;
  for (int j = from; j < to; j++) {
    u += a[j] * x[j] - b[j] * y[j];
    v += a[j] * y[j] + b[j] * x[j];
  }
  x[i] -= u;
  y[i] -= v;
}

void td_complex_lu_solve(int n, const double *a, const double *b, const int *pivot, double *x, double *y) {
  for (int i = 0; i < n; i++) {
    swap(&x[i], &x[pivot[i]]);
    swap(&y[i], &y[pivot[i]]);
  }
  for (int i = 0; i < n; i++) subtract(i, 0, i, a + i * n, b + i * n, x, y);
  for (int i = n - 1; i >= 0; i--) {
    subtract(i, i + 1, n, a + i * n, b + i * n, x, y);
    divide(&x[i], &y[i], a[i * n + i], b[i * n + i]);
  }
}
