// Generalised eigenproblems by LAPACK on the coordinates that are solved for, confined to the motions that loops leave:
// a penalty would drown the softest modes in the rounding of the stiffest, which grow with it.
#include "estimate/modes.h"
#include "math/lapack.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_MODES = 128, MOST_MODES = 200 }; // of these a polynomial beyond the basis is compared alone
static const double DEPENDENT = 1e-11;       // of masses: functions that nearly depend on each other
static const double DEPENDENT_ROWS = 1e-9;   // of loops, of the longest

static int collect(const td_resolution *r, int level, int *at) {
  int count = 0;
  for (int i = 0; i < r->N; i++)
    if (td_resolution_is_free(r, i, level)) at[count++] = i;
  return count;
}

int td_modes_level(const td_resolution *r) {
  int level = r->how.enrichment;
  for (; level > 0; level--) {
    int count = 0;
    for (int i = 0; i < r->N; i++) count += td_resolution_is_free(r, i, level);
    if (count <= (level == 1 ? MOST_MODES : MANY_MODES)) break;
  }
  return level;
}

// ------------------------------------------------------------------------------------------------ closed loops

// Householder's reflections I - v v^T in the rows of W [rows][n], of which `rank` are: the motions that loops leave are
// the coordinates behind them.
static int reflections(int rows, int n, double *W) {
  int rank = 0;
  double most = 0;
  for (; rank < rows && rank < n; rank++) {
    int best = rank;
    double norm = -1;
    for (int c = rank; c < rows; c++) {
      double sum = 0;
      for (int i = rank; i < n; i++) sum += W[c * n + i] * W[c * n + i];
      if (sum > norm) norm = sum, best = c;
    }
    norm = sqrt(norm), most = fmax(most, norm);
    if (!(norm > DEPENDENT_ROWS * most)) break;
    double *v = W + rank * n, *from = W + best * n;
    for (int i = 0; i < n; i++) {
      double kept = v[i];
      v[i] = from[i], from[i] = kept;
    }
    for (int i = 0; i < rank; i++) v[i] = 0;
    v[rank] += v[rank] < 0 ? -norm : norm;
    double scale = 1 / sqrt(norm * fabs(v[rank])); // |v|^2 = 2
    for (int i = rank; i < n; i++) v[i] *= scale;
    for (int c = rank + 1; c < rows; c++) {
      double sum = 0;
      for (int i = rank; i < n; i++) sum += v[i] * W[c * n + i];
      for (int i = rank; i < n; i++) W[c * n + i] -= sum * v[i];
    }
  }
  return rank;
}

static void reflect(int n, const double *v, int stride, double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += v[i] * x[i * stride];
  for (int i = 0; i < n; i++) x[i * stride] -= sum * v[i];
}

// A to its part on the motions that loops leave, packed: [n - rank][n - rank].
static void confine(int n, int rank, const double *W, double *A) {
  int left = n - rank;
  for (int c = 0; c < rank; c++) {
    for (int i = 0; i < n; i++) reflect(n, W + c * n, 1, A + i * n);
    for (int i = 0; i < n; i++) reflect(n, W + c * n, n, A + i);
  }
  for (int i = 0; i < left && rank > 0; i++)
    for (int j = 0; j < left; j++) A[i * left + j] = A[(rank + i) * n + rank + j];
}

// ------------------------------------------------------------------------------------------------ modes

static bool gather(const td_resolution *r, const int *at, int n, double *a, double *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int k = at[i], l = at[j];
      a[i * n + j] = 0.5 * (r->K[k * r->N + l] + r->K[l * r->N + k]) * (i == j ? 1 + DEPENDENT : 1);
      b[i * n + j] = 0.5 * (r->M[k * r->N + l] + r->M[l * r->N + k]) * (i == j ? 1 + DEPENDENT : 1);
      if (!isfinite(a[i * n + j] + b[i * n + j])) return false;
    }
  return true;
}

// Of all that move, [n] of `at`; the modes on them, behind the reflections.
static bool solve(const td_resolution *r, const int *at, int n, td_modes *m, double *a, double *b, double *W) {
  const int one = 1, rows = r->model->loop_rows, size = 34 * n;
  int info = 0;
  for (int c = 0; c < rows; c++)
    for (int i = 0; i < n; i++) W[c * n + i] = r->G[c * r->N + at[i]];
  int rank = reflections(rows, n, W), left = m->count = n - rank;
  if (!gather(r, at, n, a, b)) return false;
  confine(n, rank, W, a);
  confine(n, rank, W, b);
  if (left > 0) dsygv_(&one, "V", "U", &left, a, &left, b, &left, m->square, W + rows * n, &size, &info);
  for (int k = 0; k < left && info == 0; k++) {
    double *x = b; // no longer needed
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(x + rank, a + k * left, (size_t)left * sizeof *x);
    for (int c = rank - 1; c >= 0; c--) reflect(n, W + c * n, 1, x);
    for (int i = 0; i < n; i++) m->x[k * r->N + at[i]] = x[i];
  }
  return info == 0;
}

bool td_modes_find(td_resolution *r, int level, td_modes *m) {
  size_t N = (size_t)r->N, rows = (size_t)r->model->loop_rows;
  int *at = calloc(N + 1, sizeof *at);
  *m = (td_modes){0};
  if (!at) return false;
  int count = collect(r, level, at);
  size_t n = (size_t)count;
  m->square = calloc(n + n * N + 1, sizeof *m->square);
  m->x = m->square ? m->square + n : NULL;
  double *work = calloc(2 * n * n + (rows + 34) * n + 1, sizeof *work), *a = work, *b = work ? a + n * n : NULL;
  bool found = m->square && work && solve(r, at, count, m, a, b, b + n * n);
  free(work);
  free(at);
  if (!found) td_modes_free(m);
  return found;
}

void td_modes_free(td_modes *m) {
  free(m->square);
  *m = (td_modes){0};
}
