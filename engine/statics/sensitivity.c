// How equilibria move with parameters. With Q an orthonormal basis of what the rows of A span on free coordinates and
// N = 1 - Q Q^T, dq = x + z: x is the smallest motion that keeps loops closed and prescribed joints at their inputs,
//   A x = -(e_p + A_d dq_d),      N K N z = N (r_p + r_u du - C drates - K (x + dq_d)),
// d: prescribed. N K N is completed by Q sigma Q^T (td_statics_confine). dlambda balances what is left along Q; where
// rows depend on each other it gains (1 - P P^T) d(A w), A w = lambda, as the range of A turns (parameter/motion.h).
//
// Neighbours measure loops as statics does, by their closure. What is asked of them: r, e and, with dependent rows, A w
// and A v, v a motion that no row of A moves along: where a neighbour's does, rows part with the parameter, and its
// derivatives do not exist.
#include "tendril/sensitivity.h"
#include "base/carve.h"
#include "constraint/loop_closure.h"
#include "dynamics/kinks.h"
#include "math/lu.h"
#include "statics/sensitivity_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_CONDITION = 1e11; // of K: beyond it dq has two digits, or none
static const double BALANCED = 1e-4;       // so, after a step of Newton: more is no equilibrium
static const double PARTED = 1e-10;        // as in parameter/motion.c
static const double UNMET = 1e-7;          // of a right-hand side: differences are better than that

// ------------------------------------------------------------------------------------------------ scratch

static bool carve(td_sensitivity *s) {
  size_t n = (size_t)s->solver.n, d = (size_t)s->solver.d, m = (size_t)s->solver.m, np = s->of_model,
         r = (size_t)s->solver.loops.rows, c = r + n - d;
  return TD_CARVE({&s->force, n * np}, {&s->rows, r * np}, {&s->still, r * np}, {&s->moved, r * np}, {&s->lambda, c},
                  {&s->v, n}, {&s->w, n}, {&s->turning, r * n}, {&s->A, r * n}, {&s->Bu, n * m}, {&s->Iu, n * m},
                  {&s->C, n * n}, {&s->scale, d}, {&s->inverse, d * d}, {&s->dq, n}, {&s->f, n}, {&s->c, r}, {&s->x, d},
                  {&s->mu, c}, {&s->turn, r}, {&s->scratch, 3 * (n + 3 * r)});
}

static bool list_columns(td_sensitivity *s, const size_t *number) {
  s->column = calloc(s->np + 1, sizeof *s->column);
  for (size_t i = 0; s->column && i < s->np; i++) s->column[i] = s->of_model;
  for (size_t k = 0; s->column && k < s->of_model; k++) {
    size_t j = number ? number[k] : k;
    assert(j < s->np);
    s->column[j] = k;
  }
  return s->column;
}

td_status td_sensitivity_create(const td_model *model, size_t count, const td_parameters *parameters,
                                const size_t *number, td_sensitivity **sensitivity) {
  assert(model && (!parameters || parameters->model == model));
  td_statics_options options;
  td_sensitivity *s = *sensitivity = calloc(1, sizeof *s);
  if (!s) return TD_NO_MEMORY;
  td_statics_defaults(&options);
  s->parameters = parameters;
  s->np = count;
  s->of_model = parameters ? td_parameters_count(parameters) : 0;
  td_status status = td_workspace_create(model, &s->ws);
  if (!status) status = td_statics_init(&s->solver, model, s->ws, &options);
  if (!status && parameters) status = td_parameter_workspace_create(parameters, &s->by);
  if (!status && !(carve(s) && list_columns(s, number))) status = TD_NO_MEMORY;
  if (!status) return TD_OK;
  td_sensitivity_destroy(s);
  *sensitivity = NULL;
  return status;
}

void td_sensitivity_destroy(td_sensitivity *s) {
  if (!s) return;
  td_statics_fini(&s->solver);
  td_parameter_workspace_destroy(s->by);
  td_workspace_destroy(s->ws);
  free(s->force);
  free(s->column);
  free(s);
}

void td_sensitivity_watch(td_sensitivity *s, const _Atomic bool *stop) {
  td_workspace_watch(s->ws, stop);
  if (s->by) td_parameter_workspace_watch(s->by, stop);
}

// ------------------------------------------------------------------------------------------------ the equilibrium

static td_status settle(td_sensitivity *s, const td_equilibrium *at) {
  td_statics *x = &s->solver;
  memcpy(x->q, at->q, (size_t)x->n * sizeof *x->q);
  x->u = at->u;
  x->qd = at->rates;
  x->fraction = 1;
  x->shift = 0;
  x->best = INFINITY;
  if (x->loops.rows) td_loop_follow(x->model, x->ws, x->q, true);
  td_status status = td_statics_evaluate(x);
  if (!status) status = td_statics_linearise(x);
  if (!status) status = td_statics_polish(x, 1); // derivatives are those of the equilibrium itself
  if (!status && x->residual > fmax(BALANCED * x->scale, 10 * x->weightless)) status = TD_INVALID_ARGUMENT;
  s->at = (td_state){.q = x->q, .qd = at->rates, .u = at->u};
  s->dependent = x->loops.rank < x->loops.rows;
  if (x->loops.rows + x->n - x->d > 0)
    memcpy(s->lambda, x->lambda, (size_t)(x->loops.rows + x->n - x->d) * sizeof *s->lambda);
  return status;
}

// ------------------------------------------------------------------------------------------------ the matrix

static double largest_beside(const td_statics *s, int i) {
  double most = 0;
  for (int j = 0; j < s->d; j++) most = fmax(most, fmax(fabs(s->H[i * s->d + j]), fabs(s->H[j * s->d + i])));
  return most;
}

static double row_sum(int d, const double *A) {
  double most = 0;
  for (int i = 0; i < d; i++) {
    double sum = 0;
    for (int j = 0; j < d; j++) sum += fabs(A[i * d + j]);
    if (!(sum <= most)) most = sum;
  }
  return most;
}

// The factors of N K N + sigma Q Q^T in the solver's H, rows and columns scaled to a largest entry about 1. One that
// nothing moves and that moves nothing stays where it is. Returns the condition number, INFINITY: singular.
static double factor(td_sensitivity *s) {
  td_statics *x = &s->solver;
  int d = x->d;
  if (d == 0) return 1;
  td_statics_shifted(x, false);
  for (int i = 0; i < d; i++) {
    double most = largest_beside(x, i);
    if (!isfinite(most)) return INFINITY;
    x->idle[i] = most == 0;
    if (x->idle[i]) x->H[i * d + i] = 1;
    s->scale[i] = most > 0 ? 1 / sqrt(most) : 1;
  }
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) x->H[i * d + j] *= s->scale[i] * s->scale[j];
  double size = row_sum(d, x->H);
  if (!td_lu_factor(d, x->H, x->pivot)) return INFINITY;
  memset(s->inverse, 0, (size_t)d * (size_t)d * sizeof *s->inverse);
  for (int i = 0; i < d; i++) s->inverse[i * d + i] = 1;
  td_lu_solve_many(d, x->H, x->pivot, d, d, s->inverse, x->work);
  double condition = size * row_sum(d, s->inverse);
  return isfinite(condition) ? condition : INFINITY;
}

// ------------------------------------------------------------------------------------------------ right-hand sides

static void multiply(const td_sensitivity *s, const double *x, double *out) {
  int n = s->solver.n;
  for (int i = 0; i < s->solver.loops.rows; i++) out[i] = td_statics_dot(n, s->A + (size_t)i * (size_t)n, x);
}

// A td_parameter_function: r [n], e [r] and, with dependent rows, A v and A w [r].
static td_status ask(void *context, const td_model *model, td_workspace *ws, double *out) {
  td_sensitivity *s = context;
  int n = s->solver.n, r = s->solver.loops.rows;
  td_constraint_terms terms = {.residual = out, .e = r ? out + n : NULL, .A = s->dependent ? s->A : NULL};
  bool before = ws->constraint.closure;
  ws->constraint.closure = true;
  if (r) td_loop_follow(model, ws, s->at.q, true);
  td_status status = td_constraint_terms_at(model, ws, &s->at, s->lambda, &terms);
  ws->constraint.closure = before;
  if (!status && s->dependent) multiply(s, s->v, out + n + r);
  if (!status && s->dependent) multiply(s, s->w, out + n + 2 * r);
  return status;
}

// v, as general as any motion that loops allow, w of smallest norm with A w = lambda, and d(A w)/dq.
static td_status look_at_rows(td_sensitivity *s) {
  td_statics *x = &s->solver;
  if (!s->dependent) return TD_OK;
  td_loop_motion(&x->loops, s->lambda, s->x);
  memset(s->w, 0, (size_t)x->n * sizeof *s->w);
  memset(s->v, 0, (size_t)x->n * sizeof *s->v);
  for (int i = 0; i < x->d; i++) s->w[x->free[i]] = s->x[i], s->x[i] = sin(1 + 2.3 * i);
  td_statics_confine_vector(x, s->x);
  for (int i = 0; i < x->d; i++) s->v[x->free[i]] = s->x[i];
  td_constraint_terms terms = {.Cq = s->turning};
  td_state state = {.q = x->q, .qdd = s->w, .u = x->u, .baumgarte = 1e9};
  return td_constraint_terms_at(x->model, x->ws, &state, NULL, &terms);
}

static td_status right_sides(td_sensitivity *s, const td_equilibrium *at, bool inputs) {
  td_statics *x = &s->solver;
  size_t n = (size_t)x->n, r = (size_t)x->loops.rows;
  const td_parameter_part part[] = {
      {n, s->force}, {r, r ? s->rows : NULL}, {r, s->dependent ? s->still : NULL}, {r, s->dependent ? s->moved : NULL}};
  td_status status = s->by ? td_parameters_sum(s->parameters, s->by, ask, s, part, 4, &s->at, s->scratch, NULL) : TD_OK;
  if (!status && at->drates_dp)
    status = td_residual_derivatives(x->model, x->ws, x->q, x->qd, NULL, x->u, NULL, NULL, s->C, NULL);
  if (status || !inputs) return status;
  status = td_force_derivatives(x->model, x->ws, x->q, x->qd, x->u, NULL, NULL, s->Bu);
  if (!status) status = td_id_input_derivative(x->model, x->ws, x->q, x->qd, x->u, s->Iu);
  for (size_t i = 0; i < n * (size_t)x->m; i++) s->Bu[i] -= s->Iu[i];
  return status;
}

// ------------------------------------------------------------------------------------------------ columns

// f += B du, dq of prescribed coordinates = du.
static void add_inputs(td_sensitivity *s, const double *du, size_t j) {
  const td_statics *x = &s->solver;
  for (int k = 0; k < x->m; k++) {
    double change = du[(size_t)k * s->np + j];
    for (int i = 0; change != 0 && i < x->n; i++) s->f[i] += s->Bu[i * x->m + k] * change;
  }
  for (int i = 0; i < td_model_prescribed_count(x->model); i++) {
    int channel = -1, c = td_model_prescribed_coordinate(x->model, i, &channel);
    s->dq[c] = du[(size_t)channel * s->np + j];
  }
}

// f -= K dq
static void subtract_stiffness(td_sensitivity *s, const double *dq) {
  const td_statics *x = &s->solver;
  for (int i = 0; i < x->n; i++) s->f[i] -= td_statics_dot(x->n, x->full + (size_t)i * (size_t)x->n, dq);
}

// Over which rows are asked for number k of the model; 0 where they do not depend on it, or affinely.
static double step_of(const td_sensitivity *s, size_t k) {
  if (k >= s->of_model || s->parameters->row[k].affine) return 0;
  const td_stencil *stencil = &s->parameters->row[k].stencil;
  return fabs(stencil->at[stencil->count - 1] - stencil->at[0]);
}

static double row_size(const td_statics *x) {
  double most = 0;
  for (int i = 0; i < x->loops.rows; i++) {
    double sum = 0;
    for (int k = 0; k < x->n; k++) sum += fabs(x->loops.G[i * x->n + k]);
    most = fmax(most, sum);
  }
  return most;
}

bool td_sensitivity_parts(td_sensitivity *s, size_t k) {
  td_statics *x = &s->solver;
  int r = x->loops.rows;
  double asked = td_statics_largest(r, s->c), size = row_size(x), step = step_of(s, k);
  if (!s->dependent) return false;
  memcpy(s->turn, s->c, (size_t)r * sizeof *s->turn);
  td_loop_unmet(&x->loops, s->turn);
  if (td_statics_largest(r, s->turn) > UNMET * asked + (step > 0 ? PARTED * size / step : 0)) return true;
  for (int i = 0; step > 0 && i < r; i++) s->turn[i] = s->still[(size_t)i * s->of_model + k];
  if (step > 0) td_loop_unmet(&x->loops, s->turn);
  return step > 0 && td_statics_largest(r, s->turn) * step > PARTED * size;
}

// Moves free coordinates, s->dq, by what s->f pushes them, and s->f becomes what is left.
static void give_way(td_sensitivity *s) {
  td_statics *x = &s->solver;
  int d = x->d;
  for (int i = 0; i < d; i++) s->x[i] = s->f[x->free[i]];
  td_statics_confine_vector(x, s->x);
  for (int i = 0; i < d; i++) s->x[i] *= s->scale[i];
  if (d > 0) td_lu_solve(d, x->H, x->pivot, s->x);
  for (int i = 0; i < d; i++) s->x[i] *= s->scale[i];
  td_statics_confine_vector(x, s->x);
  memset(s->w, 0, (size_t)x->n * sizeof *s->w);
  for (int i = 0; i < d; i++) s->w[x->free[i]] = s->x[i], s->dq[x->free[i]] += s->x[i];
  subtract_stiffness(s, s->w);
}

// dq of free coordinates from s->f, s->c and prescribed ones; s->f becomes what multipliers have to balance: what is
// left by the first solution is solved for once more. False: a coordinate that nothing holds is pushed.
static bool solve(td_sensitivity *s) {
  td_statics *x = &s->solver;
  if (x->loops.rows) {
    td_loop_motion(&x->loops, s->c, s->x);
    for (int i = 0; i < x->d; i++) s->dq[x->free[i]] = s->x[i];
  }
  subtract_stiffness(s, s->dq);
  for (int i = 0; i < x->d; i++) s->x[i] = s->f[x->free[i]];
  td_statics_confine_vector(x, s->x);
  for (int i = 0; i < x->d; i++)
    if (x->idle[i] && s->x[i] != 0) return false;
  give_way(s);
  give_way(s);
  return true;
}

// mu [c] from what is left in s->f.
static void balance(td_sensitivity *s, size_t j) {
  td_statics *x = &s->solver;
  int n = x->n, r = x->loops.rows;
  size_t k = s->column[j];
  if (r) td_loop_take_up(&x->loops, s->f, s->mu);
  if (s->dependent) {
    for (int i = 0; i < r; i++)
      s->turn[i] = td_statics_dot(n, s->turning + (size_t)i * (size_t)n, s->dq) +
                   (k < s->of_model ? s->moved[(size_t)i * s->of_model + k] : 0);
    td_loop_unmet(&x->loops, s->turn);
    for (int i = 0; i < r; i++) s->mu[i] += s->turn[i];
  }
  for (int p = 0; p < td_model_prescribed_count(x->model); p++) {
    int c = td_model_prescribed_coordinate(x->model, p, NULL);
    s->mu[r + p] = -s->f[c];
    for (int i = 0; i < r; i++) s->mu[r + p] -= x->loops.G[i * n + c] * s->mu[i];
  }
}

// The right-hand sides of parameter j into s->f, s->c, and prescribed coordinates into s->dq.
static void begin_column(td_sensitivity *s, const td_equilibrium *at, size_t j) {
  const td_statics *x = &s->solver;
  int n = x->n, r = x->loops.rows;
  size_t k = s->column[j], of = s->of_model;
  for (int i = 0; i < n; i++) s->f[i] = k < of ? s->force[(size_t)i * of + k] : 0, s->dq[i] = 0;
  for (int i = 0; i < r; i++) s->c[i] = k < of ? -s->rows[(size_t)i * of + k] : 0;
  for (int c = 0; at->drates_dp && c < n; c++) {
    double change = at->drates_dp[(size_t)c * s->np + j];
    for (int i = 0; change != 0 && i < n; i++) s->f[i] -= s->C[i * n + c] * change;
  }
  if (!at->du_dp) return;
  add_inputs(s, at->du_dp, j);
  for (int i = 0; i < r; i++) s->c[i] -= td_statics_dot(n, x->loops.G + (size_t)i * (size_t)n, s->dq);
}

static void put_column(size_t np, size_t j, int rows, const double *from, double *to) {
  for (int i = 0; to && i < rows; i++) to[(size_t)i * np + j] = from ? from[i] : NAN;
}

td_status td_sensitivity_tell_singular(double condition, td_error *err) {
  return td_fail(
      err, TD_SINGULAR, "",
      "the stiffness of this equilibrium is singular (condition %.2g): a limit point, a point where branches "
      "cross, or a motion that costs nothing, as of a robot that floats; its derivatives do not exist",
      condition);
}

td_status td_sensitivity_tell_parted(const td_sensitivity *s, size_t k, td_error *err) {
  const char *name = k < s->of_model ? s->parameters->row[k].name : "an input";
  return td_fail(err, TD_SINGULAR, name,
                 "rows of loops that depend on each other part with %s: with another value the loops do not close, or "
                 "hold the robot in more ways; derivatives by it do not exist",
                 name);
}

static void tell_kinks(const td_sensitivity *s, const td_equilibrium *at) {
  static const td_kink_words words = {"", "the derivatives of the equilibrium are those",
                                      "none hold for both; ask for equilibria a little away from it, on each side"};
  if (at->warnings) td_kinks_tell(s->solver.model, s->solver.ws, at->q, &words, at->warnings);
}

td_status td_sensitivity_begin(td_sensitivity *s, const td_equilibrium *at, bool inputs, td_error *err) {
  tell_kinks(s, at);
  td_status status = settle(s, at);
  if (status == TD_INVALID_ARGUMENT)
    return td_fail(err, status, "", "forces do not balance there: %.3g are left of %.3g", s->solver.residual,
                   s->solver.scale);
  if (!status) status = look_at_rows(s);
  if (!status) status = right_sides(s, at, inputs);
  if (status) return td_fail(err, status, "", "what forces this equilibrium depends on cannot be differentiated");
  double condition = factor(s);
  return condition > MOST_CONDITION ? td_sensitivity_tell_singular(condition, err) : TD_OK;
}

td_status td_statics_sensitivity(td_sensitivity *s, const td_equilibrium *at, double *dq_dp, double *dlambda_dp,
                                 td_error *err) {
  assert(s && at && at->q && dq_dp && (at->u || s->solver.m == 0));
  td_statics *x = &s->solver;
  int n = x->n, c = x->loops.rows + n - x->d;
  for (size_t i = 0; i < (size_t)n * s->np; i++) dq_dp[i] = NAN;
  for (size_t i = 0; dlambda_dp && i < (size_t)c * s->np; i++) dlambda_dp[i] = NAN;
  td_status status = td_sensitivity_begin(s, at, at->du_dp != NULL, err), parted = TD_OK;
  if (status) return status;
  for (size_t j = 0; j < s->np; j++) {
    begin_column(s, at, j);
    if (td_sensitivity_parts(s, s->column[j])) {
      parted = parted ? parted : td_sensitivity_tell_parted(s, s->column[j], err);
      continue;
    }
    if (!solve(s)) return td_sensitivity_tell_singular(INFINITY, err);
    balance(s, j);
    put_column(s->np, j, n, s->dq, dq_dp);
    put_column(s->np, j, c, s->mu, dlambda_dp);
  }
  return parted;
}
