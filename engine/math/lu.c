// Dense factorisations of the solvers, row-major. Below LAPACK_FROM plain right-looking loops, vectorised along rows,
// beat the calls; above, LAPACK factors the transpose (a row-major matrix is the transpose of a column-major one) and
// solves with it accordingly. Which of the two runs depends on n alone, so equal inputs give equal bits.
#include "math/lu.h"
#include "math/dot.h"
#include "math/lanes.h"
#include "math/lapack.h"
#include <assert.h>
#include <math.h>

enum { LAPACK_FROM = 64, PANEL = 4 };

static int largest_below(int n, const double *a, int column) {
  int best = column;
  double top = fabs(a[column * n + column]);
  for (int i = column + 1; i < n; i++) {
    double x = fabs(a[i * n + column]);
    if (x > top) top = x, best = i;
  }
  return best;
}

static void swap_rows(int n, double *restrict x, double *restrict y) {
  for (int j = 0; j < n; j++) {
    double t = x[j];
    x[j] = y[j];
    y[j] = t;
  }
}

// y[from … n) -= f x[from … n)
static void eliminate(int n, int column, double *a) {
  const double *restrict pivot_row = a + column * n;
  double inverse = 1 / pivot_row[column];
  for (int i = column + 1; i < n; i++) {
    double *restrict row = a + i * n;
    double factor = row[column] * inverse;
    row[column] = factor;
    for (int j = column + 1; j < n; j++) row[j] -= factor * pivot_row[j];
  }
}

bool td_lu_factor(int n, double *a, int *pivot) {
  assert(n >= 0 && (n == 0 || (a && pivot)));
  if (n >= LAPACK_FROM) {
    int info = 0;
    dgetrf_(&n, &n, a, &n, pivot, &info);
    return info == 0 && isfinite(a[(n - 1) * n + n - 1]);
  }
  for (int column = 0; column < n; column++) {
    int p = pivot[column] = largest_below(n, a, column);
    if (p != column) swap_rows(n, a + column * n, a + p * n);
    double top = a[column * n + column];
    if (top == 0 || !isfinite(top)) return false;
    eliminate(n, column, a);
  }
  return true;
}

static void small_solve(int n, const double *lu, const int *pivot, double *x) {
  for (int i = 0; i < n; i++) {
    double t = x[pivot[i]];
    x[pivot[i]] = x[i];
    x[i] = t;
  }
  for (int i = 1; i < n; i++) x[i] -= td_dot(i, lu + i * n, x);
  for (int i = n - 1; i >= 0; i--) x[i] = (x[i] - td_dot(n - 1 - i, lu + i * n + i + 1, x + i + 1)) / lu[i * n + i];
}

void td_lu_solve(int n, const double *lu, const int *pivot, double *x) {
  if (n < LAPACK_FROM) {
    small_solve(n, lu, pivot, x);
    return;
  }
  int one = 1, info = 0;
  dgetrs_("T", &n, &one, lu, &n, pivot, x, &n, &info);
}

// A = P L U, P the swaps in their order: A^T x = b is U^T y = b, L^T z = y, and the swaps backwards.
static void small_solve_transposed(int n, const double *lu, const int *pivot, double *x) {
  for (int i = 0; i < n; i++) {
    x[i] /= lu[i * n + i];
    for (int j = i + 1; j < n; j++) x[j] -= lu[i * n + j] * x[i];
  }
  for (int i = n - 1; i > 0; i--)
    for (int j = 0; j < i; j++) x[j] -= lu[i * n + j] * x[i];
  for (int i = n - 1; i >= 0; i--) {
    double t = x[pivot[i]];
    x[pivot[i]] = x[i];
    x[i] = t;
  }
}

void td_lu_solve_transposed(int n, const double *lu, const int *pivot, double *x) {
  if (n < LAPACK_FROM) {
    small_solve_transposed(n, lu, pivot, x);
    return;
  }
  int one = 1, info = 0;
  dgetrs_("N", &n, &one, lu, &n, pivot, x, &n, &info);
}

// row -= factor other, `columns` of them
static void subtract_row(int columns, double factor, const double *restrict other, double *restrict row) {
  for (int c = 0; c < columns; c++) row[c] -= factor * other[c];
}

// All rows of some vectors of columns, their rows swapped; a row stays in registers while the others are taken from it.
TD_INLINE void solve_panel(int n, const double *lu, int vectors, int ldx, double *X) {
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < n; k++) {
      int i = pass ? n - 1 - k : k, from = pass ? i + 1 : 0, to = pass ? n : i;
      td_vec row[PANEL];
      for (int v = 0; v < vectors; v++) row[v] = *(const td_vecu *)(X + i * ldx + v * TD_LANES);
      for (int j = from; j < to; j++)
        for (int v = 0; v < vectors; v++) row[v] -= lu[i * n + j] * *(const td_vecu *)(X + j * ldx + v * TD_LANES);
      for (int v = 0; v < vectors; v++)
        *(td_vecu *)(X + i * ldx + v * TD_LANES) = pass ? row[v] * (1 / lu[i * n + i]) : row[v];
    }
}

static void small_solve_many(int n, const double *lu, const int *pivot, int columns, int ldx, double *X) {
  for (int i = 0; i < n; i++)
    if (pivot[i] != i) swap_rows(columns, X + i * ldx, X + pivot[i] * ldx);
  for (; columns >= PANEL * TD_LANES; columns -= PANEL * TD_LANES, X += PANEL * TD_LANES)
    solve_panel(n, lu, PANEL, ldx, X);
  for (; columns >= TD_LANES; columns -= TD_LANES, X += TD_LANES) solve_panel(n, lu, 1, ldx, X);
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++) subtract_row(columns, lu[i * n + j], X + j * ldx, X + i * ldx);
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) subtract_row(columns, lu[i * n + j], X + j * ldx, X + i * ldx);
    double inverse = 1 / lu[i * n + i];
    for (int c = 0; c < columns; c++) X[i * ldx + c] *= inverse;
  }
}

void td_lu_solve_many(int n, const double *lu, const int *pivot, int columns, int ldx, double *X, double *column) {
  if (n < LAPACK_FROM) {
    small_solve_many(n, lu, pivot, columns, ldx, X);
    return;
  }
  for (int c = 0; c < columns; c++) {
    for (int i = 0; i < n; i++) column[i] = X[i * ldx + c];
    td_lu_solve(n, lu, pivot, column);
    for (int i = 0; i < n; i++) X[i * ldx + c] = column[i];
  }
}
