// A damped step of Gauss and Newton within bounds, a convex quadratic problem with few unknowns: those on faces are
// held, the others solved for; the way there ends at the first face that it meets, which holds one more; where it does
// not, the one held that would most like to leave its face is let go (the method of [StarkParker1995]).
#include "fit/parts.h"
#include "math/lapack.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct box {
  fit *f;
  const fit_point *point;
  double damping;
  double *d;
  double target[TD_MAX_UNKNOWNS];
  bool held[TD_MAX_UNKNOWNS];
} box;

static double weight_of(const fit *f, size_t j) { return f->scale[j] > 0 ? f->scale[j] : 1; }

// R d + c
static void residual_at(const box *b, double *r) {
  size_t n = b->f->spec->count;
  for (size_t i = 0; i < n; i++) {
    r[i] = b->point->c[i];
    for (size_t j = i; j < n; j++) r[i] += b->point->R[i * n + j] * b->d[j];
  }
}

// What the cost grows by with d[j]: (R^T r)_j + damping scale_j^2 d_j
static double slope_of(const box *b, const double *r, size_t j) {
  size_t n = b->f->spec->count;
  double w = weight_of(b->f, j), g = b->damping * w * w * b->d[j];
  for (size_t i = 0; i <= j; i++) g += b->point->R[i * n + j] * r[i];
  return g;
}

static bool is_low(const box *b, size_t j) { return b->point->x[j] + b->d[j] <= b->f->lower[j]; }
static bool is_high(const box *b, size_t j) { return b->point->x[j] + b->d[j] >= b->f->upper[j]; }

static void begin(box *b) {
  double r[TD_MAX_UNKNOWNS];
  size_t n = b->f->spec->count;
  memset(b->d, 0, n * sizeof *b->d);
  residual_at(b, r);
  for (size_t j = 0; j < n; j++) {
    double g = slope_of(b, r, j);
    b->held[j] = (is_low(b, j) && g >= 0) || (is_high(b, j) && g <= 0);
  }
}

// target: min |R d + c|^2 + damping |scale d|^2 over the free ones, the others at their d.
static void solve_free(box *b) {
  fit *f = b->f;
  size_t n = f->spec->count, columns = 0;
  double *a = f->small, *rhs = f->small + 2 * n * n;
  for (size_t i = 0; i < 2 * n; i++) rhs[i] = i < n ? -b->point->c[i] : 0;
  for (size_t j = 0; j < n; j++) {
    b->target[j] = b->d[j];
    if (b->held[j]) {
      for (size_t i = 0; i <= j; i++) rhs[i] -= b->point->R[i * n + j] * b->d[j];
      continue;
    }
    double *column = a + 2 * n * columns++;
    memset(column, 0, 2 * n * sizeof *column);
    for (size_t i = 0; i <= j; i++) column[i] = b->point->R[i * n + j];
    column[n + j] = sqrt(b->damping) * weight_of(f, j);
  }
  if (columns == 0) return;
  int rows = (int)(2 * n), unknown = (int)columns, one = 1, info = 0;
  dgels_("N", &rows, &unknown, &one, a, &rows, rhs, &rows, f->work, &f->lwork, &info);
  assert(info == 0); // damping > 0: the columns are independent
  for (size_t j = 0, k = 0; j < n; j++)
    if (!b->held[j]) b->target[j] = rhs[k++];
}

// Goes towards the target as far as the box allows; holds what stops it. True: all the way.
static bool go(box *b) {
  const fit *f = b->f;
  size_t n = f->spec->count, stop = n;
  double part = 1, face = 0;
  for (size_t j = 0; j < n; j++) {
    double low = f->lower[j] - b->point->x[j], high = f->upper[j] - b->point->x[j], to = b->target[j];
    if (b->held[j] || (to >= low && to <= high)) continue;
    double edge = to < low ? low : high, way = fmax(0, (edge - b->d[j]) / (to - b->d[j]));
    if (way < part || stop == n) part = way, stop = j, face = edge;
  }
  for (size_t j = 0; j < n; j++)
    if (!b->held[j]) b->d[j] += part * (b->target[j] - b->d[j]);
  if (stop == n) return true;
  b->d[stop] = face;
  b->held[stop] = true;
  return false;
}

// Lets the one go that gains most by leaving its face. False: none does.
static bool let_go(box *b) {
  double r[TD_MAX_UNKNOWNS], most = 0;
  size_t n = b->f->spec->count, best = n;
  residual_at(b, r);
  for (size_t j = 0; j < n; j++) {
    if (!b->held[j]) continue;
    double g = slope_of(b, r, j), gain = (is_low(b, j) ? -g : g) / weight_of(b->f, j);
    if (gain > most) most = gain, best = j;
  }
  if (best < n) b->held[best] = false;
  return best < n;
}

void fit_step(fit *f, const fit_point *point, double damping, double *d) {
  assert(damping > 0);
  box b = {.f = f, .point = point, .damping = damping, .d = d};
  begin(&b);
  for (size_t rounds = 0; rounds < 10 * f->spec->count; rounds++) { // each lowers the cost: the end is near
    solve_free(&b);
    if (go(&b) && !let_go(&b)) break;
  }
}

double fit_promise(const fit *f, const fit_point *point, const double *d) {
  size_t n = f->spec->count;
  double lost = 0;
  for (size_t i = 0; i < n; i++) {
    double row = 0;
    for (size_t j = i; j < n; j++) row += point->R[i * n + j] * d[j];
    lost -= row * (point->c[i] + 0.5 * row);
  }
  return lost;
}
