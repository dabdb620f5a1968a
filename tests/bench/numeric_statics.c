// Newton's method with a Jacobian by forward differences, as a general solver does it for somebody who gives it the
// residual
// alone: unknowns z = (q, lambda), equations tau - ID + A^T lambda + E^T lambda_p = 0, e = 0, q_p = u_p; halved steps
// while the norm does not fall. Loop rows must be independent.
#include "bench/numeric_statics.h"
#include "math/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 200, HALVINGS = 12 };
static const double tolerance = 1e-8, loop_weight = 10; // N or N m; N per m or rad of loop error

struct numeric_statics {
  const td_model *model;
  td_workspace *ws;
  int n, rows, prescribed, size; ///< size = n + rows + prescribed
  double *z, *trial, *f, *moved, *jacobian;
  int *pivots;
  const double *u;
};

numeric_statics *numeric_statics_create(const td_model *model) {
  numeric_statics *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->model = model;
  s->n = td_model_ndof(model), s->rows = td_model_loop_row_count(model),
  s->prescribed = td_model_prescribed_count(model);
  s->size = s->n + s->rows + s->prescribed;
  size_t size = (size_t)s->size;
  s->z = calloc(size * (size + 4), sizeof *s->z);
  s->pivots = calloc(size, sizeof *s->pivots);
  if (!s->z || !s->pivots || td_workspace_create(model, &s->ws) != TD_OK) return numeric_statics_destroy(s), NULL;
  s->trial = s->z + size, s->f = s->trial + size, s->moved = s->f + size, s->jacobian = s->moved + size;
  return s;
}

void numeric_statics_destroy(numeric_statics *s) {
  td_workspace_destroy(s->ws);
  free(s->z);
  free(s->pivots);
  free(s);
}

static bool residual(numeric_statics *s, const double *z, double *f) {
  td_state state = {.q = z, .u = s->u};
  td_constraint_terms out = {.residual = f, .e = s->rows ? f + s->n : NULL};
  if (td_constraint_terms_at(s->model, s->ws, &state, z + s->n, &out) != TD_OK) return false;
  for (int i = 0; i < s->rows; i++) f[s->n + i] *= loop_weight;
  for (int i = 0; i < s->prescribed; i++) {
    int channel, k = td_model_prescribed_coordinate(s->model, i, &channel);
    f[s->n + s->rows + i] = z[k] - s->u[channel];
  }
  return true;
}

static double norm(const numeric_statics *s, const double *f) {
  double sum = 0;
  for (int i = 0; i < s->size; i++) sum += f[i] * f[i];
  return sqrt(sum);
}

static bool differentiate(numeric_statics *s) {
  for (int j = 0; j < s->size; j++) {
    const double kept = s->z[j], h = 1.5e-8 * fmax(1, fabs(kept));
    double *column = s->jacobian + j * s->size;
    s->z[j] = kept + h;
    bool good = residual(s, s->z, column);
    s->z[j] = kept;
    if (!good) return false;
    for (int i = 0; i < s->size; i++) column[i] = (column[i] - s->f[i]) / h;
  }
  return true;
}

/// z -= t J^-1 f, t = 1, 1/2, … while the norm does not fall.
static bool step(numeric_statics *s, double *size_of_f) {
  int one = 1, info;
  dgetrf_(&s->size, &s->size, s->jacobian, &s->size, s->pivots, &info);
  if (info != 0) return false;
  dgetrs_("N", &s->size, &one, s->jacobian, &s->size, s->pivots, s->f, &s->size, &info);
  double t = 1;
  for (int halving = 0; halving < HALVINGS; halving++, t *= 0.5) {
    for (int i = 0; i < s->size; i++) s->trial[i] = s->z[i] - t * s->f[i];
    if (!residual(s, s->trial, s->moved) || !(norm(s, s->moved) < *size_of_f)) continue;
    *size_of_f = norm(s, s->moved);
    memcpy(s->z, s->trial, (size_t)s->size * sizeof *s->z);
    memcpy(s->f, s->moved, (size_t)s->size * sizeof *s->f);
    return true;
  }
  return false;
}

bool numeric_statics_solve(numeric_statics *s, const double *u, int *iterations) {
  s->u = u;
  memset(s->z, 0, (size_t)s->size * sizeof *s->z);
  if (!residual(s, s->z, s->f)) return false;
  double now = norm(s, s->f);
  for (int i = 0; i < MOST_ITERATIONS && now > tolerance; i++, ++*iterations)
    if (!differentiate(s) || !step(s, &now)) return false;
  return now <= tolerance;
}
