// LAPACK's dgeev gives A v = lambda v and w^H A = lambda w^H. The part of coordinate k in a mode is
//   p_k = |w_k v_k| / sum_j |w_j v_j|,
// its rate's added to it: the participation of power systems, which has no unit and so compares rad, m and 1/m.
#include "plot/modes/spectrum.h"

#include "base/say.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 1500 }; // eigenvalues of a matrix of n rows cost 25 n^3

static const double WORK_MOST = 2e9, TURNS = 1e-9;

// Column-major, arguments by address; OpenBLAS needs no lengths of one-letter flags.
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr, double *wi,
            double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info);

static const tendril_array *matrices(const recording *r) {
  const tendril_array *a = r->linear ? tendril_arrays_find(r->file, "A") : NULL;
  bool square = a && a->values && a->rank == 3 && a->shape[0] == r->samples && a->shape[1] == a->shape[2];
  return square && a->shape[1] > 0 && a->shape[1] <= ROWS_MOST ? a : NULL;
}

bool spectrum_exists(const recording *r) { return matrices(r) != NULL; }

bool eigenvalue_swings(const eigenvalue *v) { return fabs(v->im) > TURNS * hypot(v->re, v->im); }

typedef struct solver {
  int n;
  double *a, *re, *im, *left, *right, *work, *part; ///< matrices [n][n] by columns
  int size;                                         ///< of work
} solver;

static solver open_solver(int n) {
  size_t square = (size_t)n * (size_t)n;
  solver s = {.n = n, .size = 16 * n};
  s.a = must_alloc((3 * square + 3 * (size_t)n + (size_t)s.size) * sizeof *s.a);
  s.left = s.a + square, s.right = s.left + square;
  s.re = s.right + square, s.im = s.re + n, s.part = s.im + n, s.work = s.part + n;
  return s;
}

// |w_k v_k| of the eigenvalue in column j; of a pair the real parts stand in j, the imaginary ones in j + 1.
static double product(const solver *s, int j, int k) {
  bool first = s->im[j] > 0, second = s->im[j] < 0;
  size_t at = (size_t)(second ? j - 1 : j) * (size_t)s->n + (size_t)k, beside = at + (size_t)s->n;
  if (!first && !second) return fabs(s->left[at] * s->right[at]);
  return hypot(s->left[at], s->left[beside]) * hypot(s->right[at], s->right[beside]);
}

static void find_leading(const solver *s, int j, eigenvalue *out) {
  int half = s->n / 2;
  double sum = 0;
  for (int k = 0; k < half; ++k) sum += s->part[k] = product(s, j, k) + product(s, j, k + half);
  out->leading = 0;
  for (int k = 1; k < half; ++k)
    if (s->part[k] > s->part[out->leading]) out->leading = k;
  out->part = sum > 0 ? s->part[out->leading] / sum : 0;
}

static int by_modulus(const void *a, const void *b) {
  const eigenvalue *x = a, *y = b;
  double p = hypot(x->re, x->im), q = hypot(y->re, y->im);
  return p != q ? (p > q) - (p < q) : (x->im < y->im) - (x->im > y->im);
}

// False where a number is not finite, or no eigenvalues come.
static bool solve(solver *s, const double *rows, bool paired, spectrum *out) {
  int n = s->n, info = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      s->a[j * n + i] = rows[i * n + j];
      if (!isfinite(rows[i * n + j])) return false;
    }
  dgeev_("V", "V", &n, s->a, &n, s->re, s->im, s->left, &n, s->right, &n, s->work, &s->size, &info);
  if (info != 0) return false;
  out->count = (size_t)n;
  out->value = must_alloc((size_t)n * sizeof *out->value);
  for (int j = 0; j < n; ++j) {
    out->value[j] = (eigenvalue){.re = s->re[j], .im = s->im[j], .leading = -1};
    if (paired) find_leading(s, j, &out->value[j]);
  }
  qsort(out->value, (size_t)n, sizeof *out->value, by_modulus);
  return true;
}

size_t spectra_of(const recording *r, size_t most, spectrum **out) {
  const tendril_array *a = matrices(r);
  *out = NULL;
  if (!a) return 0;
  size_t n = a->shape[1], count = 0;
  size_t room = (size_t)fmax(1, WORK_MOST / (25.0 * (double)n * (double)n * (double)n));
  size_t states = r->samples < most ? r->samples : most;
  if (states > room) states = room;
  bool paired = 2 * json_array_size(json_object_get(r->summary, "coordinates")) == n;
  solver s = open_solver((int)n);
  *out = must_alloc(states * sizeof **out);
  for (size_t i = 0; i < states; ++i) {
    size_t row = states < 2 ? r->samples - 1 : i * (r->samples - 1) / (states - 1);
    (*out)[count].row = row;
    count += solve(&s, a->values + row * n * n, paired, &(*out)[count]);
  }
  free(s.a);
  return count;
}

void spectra_free(spectrum *list, size_t count) {
  for (size_t i = 0; i < count; ++i) free(list[i].value);
  free(list);
}
