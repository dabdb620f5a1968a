// A rod that has to bend to close a loop, and a chain stretched out beyond its foot, stand where the gradient G^T e of
// |e|^2 / 2 vanishes: sideways motions bring the ends nearer at second order only. The second derivative on the free
// coordinates,
//     H = G^T G + sum_i e_i d^2 e_i / dq^2,
// by central differences of G^T e with e held, has negative eigenvalues -w_i there with directions v_i. Left is
//     sum w_i v_i (v_i . f),   f = tau - ID at rest:
// among the ways that close, the one that weight and loads push (a cable hangs down); where they push none, the lowest
// v, whose first large entry counts as positive, so that the same document gives the same state.
#include "closure/stationary.h"
#include "base/carve.h"
#include "closure/projection_parts.h"
#include "math/lapack.h"
#include "why/shape.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FLAT = 1e-7, CURVED = 1e-9, PUSHED = 1e-6, STEP = 1e-5;
enum { DOUBLINGS = 14, HALVINGS = 20, WORK = 32 };

typedef struct saddle_point {
  int f;
  double *e, *H, *w;         // [rows], column-major [f][f], [f]
  double *v, *slope, *force; // [f], [f], [n]
  double *work, *from;       // [WORK f], [n]
} saddle_point;

// out [free_count] = G^T e
static void gradient(const td_projection *p, const double *e, double *out) {
  for (int k = 0; k < p->free_count; k++) {
    out[k] = 0;
    for (int i = 0; i < p->rows; i++) out[k] += p->G[i * p->n + p->free[k]] * e[i];
  }
}

bool td_is_stationary(const td_projection *p, const double *e) {
  assert(p->rows > 0 && p->free_count >= 0);
  gradient(p, e, p->x);
  double size = 0, length = sqrt(td_projection_square(p->rows, e));
  for (int i = 0; i < p->rows; i++)
    for (int k = 0; k < p->free_count; k++) size = fmax(size, fabs(p->G[i * p->n + p->free[k]]));
  return td_projection_largest(p->free_count, p->x) <= FLAT * size * length;
}

static td_status saddle_point_init(saddle_point *s, const td_projection *p) {
  size_t f = (size_t)p->free_count, n = (size_t)p->n, r = (size_t)p->rows;
  *s = (saddle_point){.f = p->free_count};
  bool room = TD_CARVE({&s->e, r}, {&s->H, f * f}, {&s->w, f}, {&s->v, f}, {&s->slope, f}, {&s->force, n},
                       {&s->from, n}, {&s->work, WORK * f});
  return room ? TD_OK : TD_NO_MEMORY;
}

// Column k of H; the symmetric part is taken afterwards.
static td_status curvature_column(td_projection *p, saddle_point *s, const double *q, int k) {
  for (int side = 0; side < 2; side++) {
    memcpy(s->from, q, (size_t)p->n * sizeof *q);
    s->from[p->free[k]] += side ? STEP : -STEP;
    td_status status = td_projection_geometry(p, s->from);
    if (status) return status;
    gradient(p, s->e, s->slope);
    for (int i = 0; i < s->f; i++)
      s->H[k * s->f + i] = side ? (s->slope[i] - s->H[k * s->f + i]) / (2 * STEP) : s->slope[i];
  }
  return TD_OK;
}

// H and its eigenvalues, rising, with their vectors in its columns.
static td_status curvature(td_projection *p, saddle_point *s, const double *q) {
  int f = s->f, size = WORK * f, info = 0;
  td_status status = td_projection_geometry(p, q);
  memcpy(s->e, p->e, (size_t)p->rows * sizeof *s->e);
  for (int k = 0; !status && k < f; k++) status = curvature_column(p, s, q, k);
  if (!status) status = td_projection_geometry(p, q);
  if (status) return status;
  for (int i = 0; i < f; i++)
    for (int j = i; j < f; j++) {
      double sum = 0.5 * (s->H[i * f + j] + s->H[j * f + i]);
      for (int r = 0; r < p->rows; r++) sum += p->G[r * p->n + p->free[i]] * p->G[r * p->n + p->free[j]];
      s->H[i * f + j] = s->H[j * f + i] = sum;
    }
  dsyev_("V", "U", &f, s->H, &f, s->w, s->work, &size, &info);
  return info ? TD_NOT_CONVERGED : TD_OK;
}

// s->v: along what pushes within the directions that fall; false where nothing pushes there.
static bool along_forces(td_projection *p, saddle_point *s, const double *q, int falling) {
  double size = 0, push = 0;
  if (td_residual_derivatives(p->model, p->ws, q, NULL, NULL, p->u, s->force, NULL, NULL, NULL)) return false;
  for (int k = 0; k < s->f; k++) size += s->force[p->free[k]] * s->force[p->free[k]];
  memset(s->v, 0, (size_t)s->f * sizeof *s->v);
  for (int i = 0; i < falling; i++) {
    const double *vector = s->H + i * s->f;
    double share = 0;
    for (int k = 0; k < s->f; k++) share += vector[k] * s->force[p->free[k]];
    push += share * share;
    for (int k = 0; k < s->f; k++) s->v[k] -= s->w[i] * share * vector[k];
  }
  return push > PUSHED * PUSHED * size;
}

static void lowest(saddle_point *s) {
  double most = td_projection_largest(s->f, s->H);
  int first = 0;
  while (fabs(s->H[first]) < 0.5 * most) first++;
  for (int k = 0; k < s->f; k++) s->v[k] = s->H[first] < 0 ? -s->H[k] : s->H[k];
}

// |e|^2 at q + scale v, in s->from; infinite where bodies cannot take it.
static double at_scale(td_projection *p, saddle_point *s, bool whole, const double *q, double scale) {
  td_shape_fault fault;
  memcpy(s->from, q, (size_t)p->n * sizeof *q);
  for (int k = 0; k < s->f; k++) s->from[p->free[k]] += scale * s->v[k];
  if (whole && !td_shape_valid(p->model, s->from, 1, &fault)) return INFINITY;
  return td_loop_error(p->model, p->ws, s->from, p->e, NULL) ? INFINITY : td_projection_square(p->rows, p->e);
}

static td_status go_along(td_projection *p, saddle_point *s, bool whole, double *q) {
  double size = td_projection_largest(s->f, s->v), before = td_projection_square(p->rows, s->e), scale = 1;
  for (int k = 0; k < s->f; k++) s->v[k] /= size;
  double now = at_scale(p, s, whole, q, scale);
  for (int i = 0; i < HALVINGS && !(now < before); i++) now = at_scale(p, s, whole, q, scale /= 2);
  if (!(now < before)) return TD_NOT_CONVERGED;
  for (int i = 0; i < DOUBLINGS && scale >= 1;
       i++) { // as long as it falls like a parabola: a rod rolled up is shorter, too
    double next = at_scale(p, s, whole, q, 2 * scale);
    if (!(before - next > 2 * (before - now))) break;
    now = next;
    scale *= 2;
  }
  for (int k = 0; k < s->f; k++) q[p->free[k]] += scale * s->v[k];
  return TD_OK;
}

td_status td_leave_stationary(td_projection *p, bool whole, double *q) {
  saddle_point s;
  if (p->free_count == 0) return TD_NOT_CONVERGED;
  td_status status = saddle_point_init(&s, p);
  if (!status) status = curvature(p, &s, q);
  if (!status) {
    int falling = 0;
    double most = fmax(fabs(s.w[0]), fabs(s.w[s.f - 1]));
    while (falling < s.f && s.w[falling] < -CURVED * most) falling++;
    if (falling == 0) status = TD_NOT_CONVERGED;
    if (!status && !along_forces(p, &s, q, falling)) lowest(&s);
    if (!status) status = go_along(p, &s, whole, q);
  }
  free(s.e);
  return status;
}
