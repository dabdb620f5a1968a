// Generalised eigenproblems by LAPACK on the coordinates that are solved for.
#include "estimate/modes.h"
#include "math/lapack.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_MODES = 128, MOST_MODES = 200 }; // of these a polynomial beyond the basis is compared alone
static const double DEPENDENT = 1e-11;       // of masses: functions that nearly depend on each other

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

static bool solve(td_resolution *r, const int *at, td_modes *m, double *a, double *b, double *work, int size) {
  const int n = m->count, one = 1;
  int info = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int k = at[i] < at[j] ? at[i] : at[j], l = at[i] < at[j] ? at[j] : at[i];
      a[i * n + j] = r->S[k * r->ld + l];
      b[i * n + j] = 0.5 * (r->M[k * r->N + l] + r->M[l * r->N + k]) * (i == j ? 1 + DEPENDENT : 1);
      if (!isfinite(a[i * n + j] + b[i * n + j])) return false;
    }
  if (n > 0) dsygv_(&one, "V", "U", &n, a, &n, b, &n, m->square, work, &size, &info);
  return info == 0;
}

bool td_modes_find(td_resolution *r, int level, td_modes *m) {
  size_t N = (size_t)r->N;
  int *at = calloc(N + 1, sizeof *at);
  *m = (td_modes){0};
  if (!at) return false;
  m->count = collect(r, level, at);
  size_t n = (size_t)m->count;
  m->square = calloc(n + n * N + 1, sizeof *m->square);
  m->x = m->square ? m->square + n : NULL;
  double *work = calloc(2 * n * n + 34 * n + 1, sizeof *work), *a = work, *b = work ? a + n * n : NULL;
  td_resolution_assemble(r, level, 0);
  bool found = m->square && work && solve(r, at, m, a, b, b + n * n, 34 * m->count);
  for (size_t k = 0; k < n && found; k++)
    for (size_t i = 0; i < n; i++) m->x[k * N + (size_t)at[i]] = a[k * n + i];
  free(work);
  free(at);
  if (!found) td_modes_free(m);
  return found;
}

void td_modes_free(td_modes *m) {
  free(m->square);
  *m = (td_modes){0};
}
