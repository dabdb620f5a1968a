// Bordered systems by LU of size n + rank. Dependent rows: with P an orthonormal basis of the range of A and k its
// rank, A = P (P^T A), and lambda = P mu is the smallest multiplier; the rows of the constraint are G's, reduced by an
// orthonormal basis of its own range (G may differ from A by an invertible factor on the left, so it has its own), at
// the same rank. Multipliers and rows are scaled by the largest entry of S, so that partial pivoting sees blocks of one
// size; the callers scale S by the step size. The rank is decided on A alone: a G off the constraint may seem to have
// more.
#include "integrate/saddle.h"
#include "base/carve.h"
#include "build/build.h"
#include "constraint/closed_chain.h"
#include "math/lu.h"
#include "math/range.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int smaller(int a, int b) { return a < b ? a : b; }

td_status td_saddle_init(td_saddle *s, int n, int r) {
  assert(n >= 0 && r >= 0);
  *s = (td_saddle){.n = n, .r = r, .ld = td_pad(n > 0 ? n : 1), .ldp = td_pad(smaller(r, n) + 1)};
  size_t un = (size_t)n, ur = (size_t)r, ld = (size_t)s->ld, ldp = (size_t)s->ldp;
  size_t most = un + (size_t)smaller(r, n), bordered = r > 0 ? most * most : 0;
  bool room = TD_CARVE({&s->S, un * un}, {&s->lu, bordered}, {&s->A, ur * ld}, {&s->G, ur * ld}, {&s->Pa, ur * ldp},
                       {&s->Pg, ur * ldp}, {&s->work, ld + ur * ldp}, {&s->x, most + 1});
  s->pivot = calloc(most + 1, sizeof *s->pivot);
  if (!room || !s->pivot) return td_saddle_fini(s), TD_NO_MEMORY;
  if (r == 0) s->lu = s->S; // without a border S is factored in place
  return TD_OK;
}

void td_saddle_fini(td_saddle *s) {
  free(s->S);
  free(s->pivot);
  *s = (td_saddle){0};
}

static double entry(double factor, const double *X, int at) { return factor != 0 ? factor * X[at] : 0; }

void td_saddle_square(const td_plant *p, double k, const double *K, double c, const double *C, double m,
                      const double *M, double *out) {
  if (p->free_count == p->n && k * c * m != 0 && K && C && M) {
    for (int at = 0; at < p->n * p->n; at++) out[at] = k * K[at] + c * C[at] + m * M[at];
    return;
  }
  for (int i = 0; i < p->free_count; i++)
    for (int j = 0; j < p->free_count; j++) {
      int at = p->free[i] * p->n + p->free[j];
      out[i * p->free_count + j] = entry(k, K, at) + entry(c, C, at) + entry(m, M, at);
    }
}

void td_saddle_rows(const td_plant *p, int ld, double x, const double *X, double y, const double *Y, double z,
                    const double *Z, double *out) {
  memset(out, 0, (size_t)(p->rows * ld) * sizeof *out);
  for (int i = 0; i < p->rows; i++)
    for (int j = 0; j < p->free_count; j++) {
      int at = i * p->n + p->free[j];
      out[i * ld + j] = entry(x, X, at) + entry(y, Y, at) + entry(z, Z, at);
    }
}

// A and G become P^T A and P^T G.
static void reduce(td_saddle *s, const td_plant *plant) {
  double tolerance = plant ? td_rank_tolerance(&plant->ws->constraint) : TD_RANK_TOLERANCE;
  s->rank = td_range_basis(s->r, s->n, s->ld, s->A, tolerance, s->ldp, s->Pa, s->work);
  if (plant) s->rank = td_rank_held(&plant->ws->constraint, s->rank);
  int others = td_range_basis(s->r, s->n, s->ld, s->G, 0, s->ldp, s->Pg, s->work);
  if (others < s->rank) s->rank = others;
}

static double largest(int count, const double *x) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most > 0 ? most : 1;
}

static void border(td_saddle *s) {
  int n = s->n, k = s->rank, size = n + k;
  s->scale = largest(n * n, s->S);
  memset(s->lu, 0, (size_t)(size * size) * sizeof *s->lu);
  for (int i = 0; i < n; i++) memcpy(s->lu + i * size, s->S + i * n, (size_t)n * sizeof *s->lu);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < n; j++) {
      s->lu[j * size + n + i] = -s->scale * s->A[i * s->ld + j];
      s->lu[(n + i) * size + j] = s->scale * s->G[i * s->ld + j];
    }
}

bool td_saddle_factor(td_saddle *s, const td_plant *plant) {
  s->rank = 0;
  if (s->r == 0) return td_lu_factor(s->n, s->lu, s->pivot);
  if (s->n == 0) return true;
  reduce(s, plant);
  border(s);
  return td_lu_factor(s->n + s->rank, s->lu, s->pivot);
}

// y [rank] = scale P^T c, and c = scale P y; P [r][ldp].
static void gather(const td_saddle *s, const double *P, const double *c, double *y) {
  for (int j = 0; j < s->rank; j++) {
    y[j] = 0;
    for (int i = 0; i < s->r; i++) y[j] += s->scale * P[i * s->ldp + j] * c[i];
  }
}

static void spread(const td_saddle *s, const double *P, const double *y, double *c) {
  for (int i = 0; i < s->r; i++) {
    c[i] = 0;
    for (int j = 0; j < s->rank; j++) c[i] += s->scale * P[i * s->ldp + j] * y[j];
  }
}

void td_saddle_solve(const td_saddle *s, double *b, double *c) {
  assert(s->rank >= 0 && s->rank <= s->r);
  if (s->r == 0) {
    td_lu_solve(s->n, s->lu, s->pivot, b);
    return;
  }
  int n = s->n;
  memcpy(s->x, b, (size_t)n * sizeof *b);
  gather(s, s->Pg, c, s->x + n);
  td_lu_solve(n + s->rank, s->lu, s->pivot, s->x);
  memcpy(b, s->x, (size_t)n * sizeof *b);
  spread(s, s->Pa, s->x + n, c);
}

void td_saddle_solve_transposed(const td_saddle *s, double *b, double *c) {
  assert(s->rank >= 0 && s->rank <= s->r);
  if (s->r == 0) {
    td_lu_solve_transposed(s->n, s->lu, s->pivot, b);
    return;
  }
  int n = s->n;
  memcpy(s->x, b, (size_t)n * sizeof *b);
  gather(s, s->Pa, c, s->x + n);
  td_lu_solve_transposed(n + s->rank, s->lu, s->pivot, s->x);
  memcpy(b, s->x, (size_t)n * sizeof *b);
  spread(s, s->Pg, s->x + n, c);
}

void td_saddle_idle(const td_saddle *s, double *lambda) {
  for (int twice = 0; twice < 2; twice++)
    for (int j = 0; j < s->rank; j++) {
      double sum = 0;
      for (int i = 0; i < s->r; i++) sum += s->Pa[i * s->ldp + j] * lambda[i];
      for (int i = 0; i < s->r; i++) lambda[i] -= s->Pa[i * s->ldp + j] * sum;
    }
}
