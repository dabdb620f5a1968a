// Tangents: what the maps of all methods do with them.
#include "constraint/loop_closure.h"
#include "math/product.h"
#include "parameter/parameters.h"
#include "step/step.h"
#include <assert.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ prescribed joints

// Even: a constant rate, whose change is the acceleration of the first substep. Else the cubic from (x's q, x's rate)
// to the input, where the rate is the mean one.
static td_course path_at(const td_step *s, double t, double h) {
  double H = s->H, r = t / H;
  if (!s->method->family && s->stepper) {
    double jump = h > 0 && t <= h * 1.5 ? 1 / h : 0;
    return (td_course){{{1 - r, 0, r}, {-1 / H, 0, 1 / H}, {-jump / H, -jump, jump / H}}};
  }
  double h00 = (2 * r - 3) * r * r + 1, h10 = ((r - 2) * r + 1) * r, h01 = 1 - h00, h11 = (r - 1) * r * r;
  double d00 = 6 * r * (r - 1), d10 = (3 * r - 4) * r + 1, d11 = (3 * r - 2) * r;
  double c00 = 12 * r - 6, c10 = 6 * r - 4, c11 = 6 * r - 2, HH = H * H;
  return (td_course){{{h00 - h11, H * h10, h01 + h11},
                      {(d00 - d11) / H, d10, (d11 - d00) / H},
                      {(c00 - c11) / HH, c10 / H, (c11 - c00) / HH}}};
}

void td_step_drive(td_step *s, double t, double h, td_course *path) {
  assert(t >= 0 && t <= s->H * (1 + 1e-12));
  *path = path_at(s, t, h);
  for (int i = 0; i < s->plant.driven_count; i++) {
    int channel = -1, c = td_model_prescribed_coordinate(s->model, i, &channel);
    double from[3] = {s->x[c], s->x[s->n + c], s->u ? s->u[channel] : 0};
    for (int k = 0; k < 3; k++) {
      const double *w = path->w[k];
      s->motion[3 * i + k] = w[0] * from[0] + w[1] * from[1] + w[2] * from[2];
    }
  }
}

void td_step_put(const td_step *s, double *q, double *v, double *a) {
  for (int i = 0; i < s->plant.driven_count; i++) {
    int c = td_model_prescribed_coordinate(s->model, i, NULL);
    q[c] = s->motion[3 * i];
    v[c] = s->motion[3 * i + 1];
    if (a) a[c] = s->motion[3 * i + 2];
  }
}

static void put_row(const td_step *s, const double w[3], int c, int channel, double *row) {
  memset(row, 0, (size_t)s->ld * sizeof *row);
  row[c] = w[0];
  row[s->n + c] = w[1];
  row[2 * s->n + channel] = w[2];
}

void td_step_put_tangents(const td_step *s, const td_course *path, double *dq, double *dv, double *da) {
  double *const to[3] = {dq, dv, da};
  for (int i = 0; i < s->plant.driven_count; i++) {
    int channel = -1, c = td_model_prescribed_coordinate(s->model, i, &channel);
    for (int k = 0; k < 3; k++)
      if (to[k]) put_row(s, path->w[k], c, channel, to[k] + c * s->ld);
  }
}

// ------------------------------------------------------------------------------------------------ right-hand sides

td_status td_step_right_sides(td_step *s) {
  td_linear *l = &s->linear;
  int first = 2 * s->n, numbers = first + s->m;
  memset(s->right, 0, (size_t)(s->n * s->ld) * sizeof *s->right);
  if (s->rows) memset(s->below, 0, (size_t)(s->rows * s->ld) * sizeof *s->below);
  for (int i = 0; i < s->n; i++)
    if (s->m) memcpy(s->right + i * s->ld + first, l->r_u + i * s->m, (size_t)s->m * sizeof *s->right);
  if (!s->by_wanted) return TD_OK;
  td_status status = td_linear_parameters(l);
  const double *by_p = l->by_p;
  for (int i = 0; i < s->n; i++, by_p += s->np)
    memcpy(s->right + i * s->ld + numbers, by_p, (size_t)s->np * sizeof *by_p);
  for (int i = 0; i < s->rows; i++, by_p += s->np)
    for (int k = 0; k < s->np; k++) s->below[i * s->ld + numbers + k] = -by_p[k];
  return status;
}

// A td_parameter_function. Loops are measured as the step measures them, by their closure.
static td_status ask(void *context, const td_model *model, td_workspace *ws, double *out) {
  const td_step_question *question = context;
  td_step *s = question->step;
  bool before = ws->constraint.closure;
  double *rest = s->rest_residual;
  ws->constraint.closure = true;
  if (s->rows) td_loop_follow(model, ws, question->state.q, true);
  memset(s->asked, 0, (size_t)(s->rows + s->plant.driven_count) * sizeof *s->asked);
  td_constraint_terms terms = {.residual = rest};
  td_state still = {.q = question->state.q};
  td_status status = TD_OK;
  if (question->less_rest) status = td_constraint_terms_at(model, ws, &still, s->asked, &terms);
  if (question->lambda) memcpy(s->asked, question->lambda, (size_t)s->rows * sizeof *s->asked);
  terms.residual = out;
  if (!status) status = td_constraint_terms_at(model, ws, &question->state, s->asked, &terms);
  for (int i = 0; question->less_rest && i < s->n; i++) out[i] -= rest[i];
  terms = (td_constraint_terms){.e = out + s->n};
  if (question->rows == TD_STEP_RATES) terms = (td_constraint_terms){.a = out + s->n};
  if (!status && question->rows != TD_STEP_NO_ROWS)
    status = td_constraint_terms_at(model, ws, &question->rows_at, s->asked, &terms);
  ws->constraint.closure = before;
  return status;
}

td_status td_step_parameter_tangent(td_step *s, td_step_question *question) {
  if (!s->by_wanted) return TD_OK;
  int rows = question->rows == TD_STEP_NO_ROWS ? 0 : s->rows, first = 2 * s->n + s->m;
  question->step = s;
  td_parameters_keep(s->linear.by, NULL, &question->state);
  td_status status = td_parameter_differentiate(s->parameters, s->linear.by, ask, question, (size_t)(s->n + rows),
                                                s->by_scratch, s->by_p);
  td_parameters_let_go(s->linear.by);
  for (int i = 0; i < s->n; i++)
    for (int k = 0; k < s->np; k++) s->right[i * s->ld + first + k] += s->by_p[i * s->np + k];
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < s->np; k++) s->below[i * s->ld + first + k] -= s->by_p[(s->n + i) * s->np + k];
  return status;
}

void td_step_add_product(const td_step *s, int count, double factor, const double *X, const double *T, double *rows) {
  assert(T != rows);
  td_multiply_add(count, s->n, s->columns, factor, X, s->n, 1, T, s->ld, rows, s->ld);
}

void td_step_solve_tangents(td_step *s, double *T) {
  const td_plant *p = &s->plant;
  for (int j = 0; j < s->columns; j++) {
    for (int k = 0; k < p->free_count; k++) s->b[k] = s->right[p->free[k] * s->ld + j];
    for (int i = 0; i < s->rows; i++) s->c[i] = s->below[i * s->ld + j];
    td_saddle_solve(&s->linear.saddle, s->b, s->c);
    for (int k = 0; k < p->free_count; k++) T[p->free[k] * s->ld + j] = s->b[k];
  }
}

// ------------------------------------------------------------------------------------------------ forward dynamics

// M da - A^T dl = r_u du - K dq - C dv - M da_prescribed,   A da = -(Cq dq + Cv dv) - A da_prescribed
td_status td_step_rate_tangent(td_step *s, const td_way *at, const double *lambda) {
  const td_plant *p = &s->plant;
  td_linear_point point = {0, at->q, at->v, at->a, s->rows ? lambda : NULL};
  td_status status = td_linear_at(&s->linear, &point, (td_linear_slopes){0, 0, 1}, false, s->m > 0);
  if (!status) status = td_step_right_sides(s);
  if (status) return status;
  for (int k = 0; k < p->free_count; k++) memset(at->da + p->free[k] * s->ld, 0, (size_t)s->ld * sizeof *at->da);
  td_tangent_columns T = {s->columns, s->ld, at->dq, at->dv, p->driven_count ? at->da : NULL};
  td_linear_tangents(&s->linear, &T, s->right, s->below, s->turned);
  for (int k = 0; k < p->free_count; k++)
    memcpy(at->da + p->free[k] * s->ld, s->turned + p->free[k] * s->ld, (size_t)s->ld * sizeof *at->da);
  return TD_OK;
}
