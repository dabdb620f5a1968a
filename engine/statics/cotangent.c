// Derivatives of equilibria, pulled back: one solution of the transposed system, however many numbers there are.
// sensitivity.c from its end to its beginning, q^ and m^ cotangents of dq and dlambda:
//   m_d = -f_d - G_d^T m, m = -(A^+)^T f (+ (1 - P P^T)(T dq + t_p)):   g = cotangent of what is left in f
//   f -= K z, dq += z:                z^ = q^ - K^T g
//   z = N (N K N)^-1 N f:             f^ = g + N (N K N)^-T N z^
//   f = r_p dp + B du - K x, x = A^+ c:   x^ = q^ - K^T f^, c^ = (A^+)^T x^
//   c = -e_p dp - G_d dq_d:           p^ = r_p^T f^ - e_p^T c^ (+ t_p^T ...),  u^ = B^T f^, and x^_d - G_d^T c^ of inputs
// that joints follow. A^+ of motions is minus the transpose of the one that takes up forces (closure/projection.h).
#include "math/lu.h"
#include "statics/sensitivity_parts.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// x -= K^T f
static void subtract_transposed(const td_statics *s, const double *f, double *x) {
  for (int i = 0; i < s->n; i++)
    for (int j = 0; f[i] != 0 && j < s->n; j++) x[j] -= s->full[(size_t)i * (size_t)s->n + (size_t)j] * f[i];
}

// s->w: cotangents of what multipliers balance, from those of multipliers (NULL: none); s->dq gains its part.
static void pull_multipliers(td_sensitivity *s, const double *lambda) {
  td_statics *x = &s->solver;
  int n = x->n, r = x->loops.rows;
  memset(s->w, 0, (size_t)n * sizeof *s->w);
  if (r) memset(s->turn, 0, (size_t)r * sizeof *s->turn);
  if (!lambda) return;
  memcpy(s->mu, lambda, (size_t)(r + n - x->d) * sizeof *s->mu);
  for (int p = 0; p < td_model_prescribed_count(x->model); p++) {
    int c = td_model_prescribed_coordinate(x->model, p, NULL);
    for (int i = 0; i < r; i++) s->mu[i] -= x->loops.G[i * n + c] * s->mu[r + p];
    s->w[c] = -s->mu[r + p];
  }
  if (r == 0) return;
  td_loop_motion(&x->loops, s->mu, s->x);
  for (int i = 0; i < x->d; i++) s->w[x->free[i]] = -s->x[i];
  if (!s->dependent) return;
  memcpy(s->turn, s->mu, (size_t)r * sizeof *s->turn);
  td_loop_unmet(&x->loops, s->turn);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < n; j++) s->dq[j] += s->turning[(size_t)i * (size_t)n + (size_t)j] * s->turn[i];
}

// Adds to s->f what pulls at s->v, which becomes what is left. Overwrites s->w.
static void pull(td_sensitivity *s) {
  td_statics *x = &s->solver;
  int d = x->d;
  for (int i = 0; i < d; i++) s->x[i] = s->v[x->free[i]];
  td_statics_confine_vector(x, s->x);
  for (int i = 0; i < d; i++) s->x[i] *= s->scale[i];
  if (d > 0) td_lu_solve_transposed(d, x->H, x->pivot, s->x);
  for (int i = 0; i < d; i++) s->x[i] *= s->scale[i];
  td_statics_confine_vector(x, s->x);
  memset(s->w, 0, (size_t)x->n * sizeof *s->w);
  for (int i = 0; i < d; i++) s->w[x->free[i]] = s->x[i], s->f[x->free[i]] += s->x[i];
  subtract_transposed(x, s->w, s->v);
}

// s->f of forces, from s->dq and s->w, solved for twice as in sensitivity.c. False: a coordinate that nothing holds is
// asked for.
static bool pull_forces(td_sensitivity *s) {
  td_statics *x = &s->solver;
  memcpy(s->v, s->dq, (size_t)x->n * sizeof *s->v);
  subtract_transposed(x, s->w, s->v);
  for (int i = 0; i < x->d; i++) s->x[i] = s->v[x->free[i]];
  td_statics_confine_vector(x, s->x);
  for (int i = 0; i < x->d; i++)
    if (x->idle[i] && s->x[i] != 0) return false;
  memcpy(s->f, s->w, (size_t)x->n * sizeof *s->f);
  pull(s);
  pull(s);
  return true;
}

// s->c of rows, and s->dq of what prescribed coordinates were set to.
static void pull_rows(td_sensitivity *s) {
  td_statics *x = &s->solver;
  int r = x->loops.rows;
  subtract_transposed(x, s->f, s->dq);
  if (r == 0) return;
  td_loop_take_up(&x->loops, s->dq, s->c);
  for (int i = 0; i < r; i++) s->c[i] = -s->c[i];
  for (int p = 0; p < td_model_prescribed_count(x->model); p++) {
    int c = td_model_prescribed_coordinate(x->model, p, NULL);
    for (int i = 0; i < r; i++) s->dq[c] -= x->loops.G[i * x->n + c] * s->c[i];
  }
}

static void pull_inputs(const td_sensitivity *s, double *u) {
  const td_statics *x = &s->solver;
  memset(u, 0, (size_t)x->m * sizeof *u);
  for (int i = 0; i < x->n; i++)
    for (int k = 0; s->f[i] != 0 && k < x->m; k++) u[k] += s->Bu[i * x->m + k] * s->f[i];
  for (int p = 0; p < td_model_prescribed_count(x->model); p++) {
    int channel = -1, c = td_model_prescribed_coordinate(x->model, p, &channel);
    u[channel] += s->dq[c];
  }
}

static void add_rows(size_t rows, size_t count, const double *x, double sign, const double *J, double *p) {
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; x[i] != 0 && k < count; k++) p[k] += sign * x[i] * J[i * count + k];
}

static void pull_numbers(const td_sensitivity *s, double *p) {
  size_t rows = (size_t)s->solver.loops.rows;
  memset(p, 0, s->of_model * sizeof *p);
  add_rows((size_t)s->solver.n, s->of_model, s->f, 1, s->force, p);
  add_rows(rows, s->of_model, s->c, -1, s->rows, p);
  if (s->dependent) add_rows(rows, s->of_model, s->turn, 1, s->moved, p);
}

// NaN of numbers that part rows which depend on each other, and of the inputs of joints that do.
static td_status tell_parting(td_sensitivity *s, const td_equilibrium_cotangent *out, td_error *err) {
  td_statics *x = &s->solver;
  td_status parted = TD_OK;
  for (size_t k = 0; s->dependent && k < s->of_model; k++) {
    for (int i = 0; i < x->loops.rows; i++) s->c[i] = -s->rows[(size_t)i * s->of_model + k];
    if (!td_sensitivity_parts(s, k)) continue;
    out->p[k] = NAN;
    parted = parted ? parted : td_sensitivity_tell_parted(s, k, err);
  }
  for (int p = 0; s->dependent && out->u && p < td_model_prescribed_count(x->model); p++) {
    int channel = -1, c = td_model_prescribed_coordinate(x->model, p, &channel);
    for (int i = 0; i < x->loops.rows; i++) s->c[i] = -x->loops.G[i * x->n + c];
    if (td_sensitivity_parts(s, s->of_model)) out->u[channel] = NAN;
  }
  return parted;
}

td_status td_statics_cotangent(td_sensitivity *s, const td_equilibrium *at, const double *q, const double *lambda,
                               const td_equilibrium_cotangent *out, td_error *err) {
  assert(s && at && at->q && q && !at->drates_dp && (out->p || s->of_model == 0));
  for (int k = 0; out->u && k < s->solver.m; k++) out->u[k] = NAN;
  for (size_t k = 0; k < s->of_model; k++) out->p[k] = NAN;
  td_status status = td_sensitivity_begin(s, at, out->u != NULL, err);
  if (status) return status;
  memcpy(s->dq, q, (size_t)s->solver.n * sizeof *q);
  pull_multipliers(s, lambda);
  if (!pull_forces(s)) return td_sensitivity_tell_singular(INFINITY, err);
  pull_rows(s);
  if (out->u) pull_inputs(s, out->u);
  if (s->of_model) pull_numbers(s, out->p);
  return tell_parting(s, out, err);
}
