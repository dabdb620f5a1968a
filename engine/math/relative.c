// The generalised eigenproblem (A - B) x = lambda B x, of matrices scaled to ones on the diagonal of B.
#include "math/relative.h"
#include "math/lapack.h"
#include <math.h>

static const double DEPENDENT = 1e-9;

double td_relative_change(int n, int ld, const double *A, const double *B, double *work) {
  const int one = 1, size = 34 * n;
  double *d = work, *b = d + n * n, *value = b + n * n, *rest = value + n, most = 0;
  int info = 0;
  for (int i = 0; i < n; i++) {
    double left = B[i * ld + i];
    if (!isfinite(left) || (!(left > 0) && A[i * ld + i] != left)) return INFINITY;
    rest[i] = left > 0 ? 1 / sqrt(left) : 0;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double scale = 0.5 * rest[i] * rest[j], now = scale * (B[i * ld + j] + B[j * ld + i]);
      d[i * n + j] = scale * (A[i * ld + j] + A[j * ld + i]) - now;
      b[i * n + j] = i == j ? 1 + DEPENDENT : now;
      if (!isfinite(d[i * n + j] + now)) return INFINITY;
    }
  if (n > 0) dsygv_(&one, "N", "U", &n, d, &n, b, &n, value, rest, &size, &info);
  if (info) return INFINITY;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(value[i]));
  return most;
}
