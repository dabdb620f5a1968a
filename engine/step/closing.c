// The end of a map on the loops' constraint, by the smallest change in the metric of M, and its tangents.
//
// Positions, from q to q + x:     M(q) x = A(q)^T m,    e(q + x) = 0.
// Rates, from v to v + y at q:    M(q) y = A(q)^T m,    A(q) (v + y) = 0.
// Tangents: with N = d(M x - A^T m)/dq at fixed x and m,  M dx - A^T dm = -N dq,   G(q + x) (dq + dx) = 0;  and
// M dy - A^T dm = -N dq,   A (dv + dy) = -D dq,   D = d(A v)/dq at the new v.
#include "constraint/closed_chain.h"
#include "math/finite.h"
#include "step/step.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 40 };
static const double CLOSED = 1e-13, NEAR = 1e-9, FAR_OFF = 1e9; // FAR_OFF: s, Baumgarte's terms vanish

static double largest(int count, const double *x) {
  double most = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

static td_status terms(td_step *s, const double *q, const double *qdd, const double *m,
                       const td_constraint_terms *out) {
  td_state state = {.q = q, .qdd = qdd, .baumgarte = FAR_OFF};
  memset(s->lambda, 0, (size_t)(s->rows + s->plant.driven_count) * sizeof *s->lambda);
  if (m) memcpy(s->lambda, m, (size_t)s->rows * sizeof *m);
  return td_constraint_terms_at(s->model, s->ws, &state, s->lambda, out);
}

static td_status factor(td_step *s, const double *G) {
  const td_plant *p = &s->plant;
  td_saddle_square(p, 0, NULL, 0, NULL, 1, s->linear.M, s->linear.saddle.S);
  td_saddle_rows(p, s->linear.saddle.ld, 1, s->linear.A, 0, NULL, 0, NULL, s->linear.saddle.A);
  td_saddle_rows(p, s->linear.saddle.ld, 1, G, 0, NULL, 0, NULL, s->linear.saddle.G);
  return td_saddle_factor(&s->linear.saddle, p) ? TD_OK : TD_SINGULAR;
}

// right = -N dq: the part of K that qdd = x and the multipliers m bring.
static td_status inertia_tangent(td_step *s, const double *q, const double *x, const double *m) {
  td_constraint_terms with = {.K = s->linear.K}, without = {.K = s->linear.C};
  td_status status = terms(s, q, x, m, &with);
  if (!status) status = terms(s, q, NULL, NULL, &without);
  for (int i = 0; i < s->n * s->n; i++) s->linear.K[i] -= s->linear.C[i];
  memset(s->right, 0, (size_t)(s->n * s->ld) * sizeof *s->right);
  td_step_add_product(s, s->n, -1, s->linear.K, s->now.dq, s->right);
  return status;
}

// Adds the solved columns on free coordinates to T.
static void add_solved(td_step *s, double *T) {
  td_step_solve_tangents(s, s->work);
  for (int k = 0; k < s->plant.free_count; k++) {
    int at = s->plant.free[k] * s->ld;
    for (int j = 0; j < s->columns; j++) T[at + j] += s->work[at + j];
  }
}

// ------------------------------------------------------------------------------------------------ positions

// x [n] in s->shift, multipliers in s->e's place; the closed q in s->rest.
static td_status close_positions(td_step *s, double *m) {
  const td_plant *p = &s->plant;
  td_constraint_terms out = {.M = s->linear.M, .A = s->linear.A, .e = s->e}, gap = {.e = s->e};
  memset(s->shift, 0, (size_t)s->n * sizeof *s->shift);
  memset(m, 0, (size_t)s->rows * sizeof *m);
  memcpy(s->rest, s->now.q, (size_t)s->n * sizeof *s->rest);
  td_status status = terms(s, s->now.q, NULL, NULL, &out);
  if (!status) status = factor(s, s->linear.A);
  for (int i = 0; !status && i < MOST_ITERATIONS && largest(s->rows, s->e) > CLOSED; i++) {
    double before = largest(s->rows, s->e);
    memset(s->b, 0, (size_t)s->n * sizeof *s->b);
    for (int r = 0; r < s->rows; r++) s->c[r] = -s->e[r];
    td_saddle_solve(&s->linear.saddle, s->b, s->c);
    for (int k = 0; k < p->free_count; k++) {
      s->shift[p->free[k]] += s->b[k];
      s->rest[p->free[k]] += s->b[k];
    }
    for (int r = 0; r < s->rows; r++) m[r] += s->c[r];
    status = terms(s, s->rest, NULL, NULL, &gap);
    if (status || largest(s->rows, s->e) > 0.5 * before) break; // rounding, or what dependent rows contradict
  }
  if (status) return status;
  return largest(s->rows, s->e) <= NEAR ? TD_OK : TD_NOT_CONVERGED;
}

static td_status positions(td_step *s) {
  double *m = s->multipliers;
  td_status status = close_positions(s, m);
  if (status) return status;
  if (s->tangents) {
    td_constraint_terms out = {.G = s->linear.Cq};
    status = inertia_tangent(s, s->now.q, s->shift, m);
    if (!status) status = terms(s, s->rest, NULL, NULL, &out);
    if (!status) status = factor(s, s->linear.Cq);
    if (status) return status;
    memset(s->below, 0, (size_t)(s->rows * s->ld) * sizeof *s->below);
    td_step_add_product(s, s->rows, -1, s->linear.Cq, s->now.dq, s->below);
    td_step_question question = {.state = {.q = s->now.q, .qdd = s->shift, .baumgarte = FAR_OFF},
                                 .lambda = m,
                                 .less_rest = true,
                                 .rows = TD_STEP_CLOSURE,
                                 .rows_at = {.q = s->rest, .baumgarte = FAR_OFF}};
    status = td_step_parameter_tangent(s, &question);
    if (status) return status;
    add_solved(s, s->now.dq);
  }
  memcpy(s->now.q, s->rest, (size_t)s->n * sizeof *s->rest);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ rates

static td_status rates(td_step *s) {
  const td_plant *p = &s->plant;
  double *y = s->shift, *m = s->multipliers, *v = s->now.v;
  td_constraint_terms out = {.M = s->linear.M, .A = s->linear.A};
  td_status status = terms(s, s->now.q, NULL, NULL, &out);
  if (!status) status = factor(s, s->linear.A);
  if (status) return status;
  for (int r = 0; r < s->rows; r++) {
    m[r] = 0;
    for (int j = 0; j < s->n; j++) m[r] -= s->linear.A[r * s->n + j] * v[j];
  }
  memset(s->b, 0, (size_t)s->n * sizeof *s->b);
  td_saddle_solve(&s->linear.saddle, s->b, m);
  memset(y, 0, (size_t)s->n * sizeof *y);
  for (int k = 0; k < p->free_count; k++) {
    y[p->free[k]] = s->b[k];
    v[p->free[k]] += s->b[k];
  }
  if (!s->tangents) return TD_OK;
  td_constraint_terms turn = {.Cq = s->linear.Cq};
  status = inertia_tangent(s, s->now.q, y, m);
  if (!status) status = terms(s, s->now.q, v, NULL, &turn);
  memset(s->below, 0, (size_t)(s->rows * s->ld) * sizeof *s->below);
  td_step_add_product(s, s->rows, -1, s->linear.A, s->now.dv, s->below);
  td_step_add_product(s, s->rows, -1, s->linear.Cq, s->now.dq, s->below);
  td_step_question question = {.state = {.q = s->now.q, .qdd = y, .baumgarte = FAR_OFF},
                               .lambda = m,
                               .less_rest = true,
                               .rows = TD_STEP_RATES,
                               .rows_at = {.q = s->now.q, .qdd = v, .baumgarte = FAR_OFF}};
  if (!status) status = td_step_parameter_tangent(s, &question);
  add_solved(s, s->now.dv);
  return status;
}

double td_step_gap(td_step *s, const double *q) {
  td_constraint_terms out = {.e = s->e};
  if (s->rows == 0) return 0;
  return terms(s, q, NULL, NULL, &out) ? 0 : largest(s->rows, s->e);
}

td_status td_step_close(td_step *s, bool open, td_error *err) {
  if (s->rows == 0) return TD_OK;
  td_status status = open ? positions(s) : TD_OK;
  if (!status) status = rates(s);
  if (!status) return TD_OK;
  return td_fail(err, status, "", "%s: the loops cannot be closed at the end of the step; take a shorter one",
                 s->method->name);
}
