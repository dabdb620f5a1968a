// Derivatives of static inversions by numbers p. What is solved for is F(x, p) = 0, x = (free q, u_c, lambda), so
//     F_x dx = -F_p dp:   K dq - B_c du - A^T dlambda = r_p dp + r_u du_in - K dq_driven - C dv
//                         G dq = -e_p dp - G dq_driven,       J dq = dy_ref - y_p dp - J dq_driven
// with the matrix of the last Newton step, at the solution. v: rates of prescribed joints where the robot turns along,
// which are the inputs', too. r_p, e_p and y_p are asked of the neighbours of the model. With fewer values than channels
// a solution depends on the way to it; such matrices, and those at limit points, have a kernel among q and u, and no
// derivative. Rows of loops that depend on each other have one among lambda alone.
#include "control/inversion_slopes.h"
#include "base/carve.h"
#include "force/tendon/tendon.h"
#include "math/finite.h"
#include "math/lapack.h"
#include "parameter/parameters.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RANK = 1e-11; // of rows that are scaled to 1

struct td_inversion_slopes {
  td_inversion *v;
  const td_inversion_by *by;
  td_parameter_workspace *ws;
  size_t np, columns, terms, tips; ///< numbers of the model; all columns; values of a neighbour; of them those of tips
  double *terms_dp, *scratch;      ///< [terms][np]; [3][terms]
  double *neighbour;               ///< [6][n] Jacobian of a tip
  double *X;                       ///< [columns][ld]
  double *C, *did_du, *motion;     ///< [n][n], [n][m], [tendons][3]
  double *y, *J, *work;            ///< [channels], [channels][n] outputs; of dgelsy_
  int *order, work_size;           ///< [ld]
  td_input_slope *given;
};

size_t td_inversion_columns(const td_inversion_by *by, const td_reference_spec *r) {
  return (by->model ? td_parameters_count(by->model) : 0) + r->width + by->columns_of_inputs;
}

// ------------------------------------------------------------------------------------------------ life

static td_status make(td_inversion_slopes *s) {
  td_inversion *v = s->v;
  size_t n = (size_t)v->s->n, m = (size_t)v->s->m, k = (size_t)v->c->width, ld = (size_t)v->ld;
  size_t tendons = (size_t)td_model_tendon_count(v->s->model);
  s->np = s->by->model ? td_parameters_count(s->by->model) : 0;
  s->columns = s->np + (size_t)v->width + s->by->columns_of_inputs;
  s->tips = v->tips ? (size_t)v->width : 0;
  s->terms = n + (size_t)v->rows + s->tips + tendons;
  s->work_size = 70 * (v->ld + 1) + (int)s->columns;
  bool room = TD_CARVE({&s->terms_dp, s->terms * s->np}, {&s->scratch, 3 * s->terms}, {&s->neighbour, 6 * n},
                       {&s->X, s->columns * ld}, {&s->C, n * n}, {&s->did_du, n * m}, {&s->motion, 3 * tendons},
                       {&s->y, k}, {&s->J, k * n}, {&s->work, (size_t)s->work_size});
  s->order = calloc(ld + 1, sizeof *s->order);
  s->given = calloc(td_input_numbers_most(s->by->inputs) + 1, sizeof *s->given);
  if (!room || !s->order || !s->given) return TD_NO_MEMORY;
  return s->np ? td_parameter_workspace_create(s->by->model, &s->ws) : TD_OK;
}

td_status td_inversion_slopes_create(td_inversion *v, const td_inversion_by *by, td_inversion_slopes **slopes) {
  td_inversion_slopes *s = *slopes = calloc(1, sizeof *s);
  if (!s) return TD_NO_MEMORY;
  *s = (td_inversion_slopes){.v = v, .by = by};
  td_status status = make(s);
  if (!status) return TD_OK;
  td_inversion_slopes_destroy(s);
  *slopes = NULL;
  return status;
}

void td_inversion_slopes_destroy(td_inversion_slopes *s) {
  if (!s) return;
  td_parameter_workspace_destroy(s->ws);
  free(s->terms_dp);
  free(s->order);
  free(s->given);
  free(s);
}

size_t td_inversion_slopes_columns(const td_inversion_slopes *s) { return s->columns; }

// ------------------------------------------------------------------------------------------------ right-hand sides

// Of a neighbour: residual, loops, tips, lengths.
static td_status ask(void *context, const td_model *m, td_workspace *ws, double *out) {
  const td_inversion_slopes *s = context;
  const td_inversion *v = s->v;
  td_state state = {.q = v->q, .qd = v->qd, .qdd = v->s->zero, .u = v->u};
  td_constraint_terms terms = {.residual = out};
  if (v->rows) terms.e = out + v->s->n;
  td_status status = td_constraint_terms_at(m, ws, &state, v->lambda, &terms);
  out += v->s->n + v->rows;
  for (size_t i = 0; i < s->tips / 3 && !status; i++)
    td_inversion_tip(m, ws, v->q, v->link[i], s->neighbour, out + 3 * i, NULL);
  out += s->tips;
  size_t tendons = (size_t)td_model_tendon_count(m);
  if (status || tendons == 0) return status;
  status = td_tendon_motion(m, ws, v->q, v->s->zero, v->s->zero, (double(*)[3])(void *)s->motion);
  for (size_t i = 0; i < tendons; i++) out[i] = s->motion[3 * i];
  return status;
}

static double term_by(const td_inversion_slopes *s, size_t i, size_t j) { return s->terms_dp[i * s->np + j]; }

// Of an output by the model, the state held: lengths of tendons are longer elsewhere.
static double output_by(const td_inversion_slopes *s, const td_watched *o, size_t j) {
  size_t first = (size_t)(s->v->s->n + s->v->rows) + s->tips;
  return o->tendon < 0 ? 0 : term_by(s, first + (size_t)o->tendon, j);
}

static void by_model(td_inversion_slopes *s) {
  const td_inversion *v = s->v;
  size_t n = (size_t)v->s->n;
  for (size_t j = 0; j < s->np; j++) {
    double *x = s->X + j * (size_t)v->ld, *row = x + v->free_count + v->rows;
    for (int i = 0; i < v->free_count; i++) x[i] = term_by(s, (size_t)v->free[i], j);
    for (int i = 0; i < v->rows; i++) x[v->free_count + i] = -term_by(s, n + (size_t)i, j);
    for (int i = 0; i < v->width; i++)
      row[i] = -(v->tips ? term_by(s, n + (size_t)(v->rows + i), j) : output_by(s, &v->c->output[i], j));
  }
}

static void by_values(td_inversion_slopes *s) {
  const td_inversion *v = s->v;
  double *x = s->X + s->np * (size_t)v->ld;
  for (int i = 0; i < v->width; i++, x += v->ld) x[v->free_count + v->rows + i] = 1;
}

static bool is_own(const td_inversion *v, int channel) {
  bool own = false;
  for (int k = 0; k < v->c->width && !own; k++) own = v->c->channel[k] == channel;
  return own;
}

// A prescribed coordinate goes by `of`.
static void drive(const td_inversion_slopes *s, int c, const double of[3], double *x) {
  const td_inversion *v = s->v;
  int n = v->s->n;
  double rate = v->qd == v->s->zero ? 0 : of[1];
  for (int i = 0; i < v->free_count; i++) x[i] -= v->K[v->free[i] * n + c] * of[0] + s->C[v->free[i] * n + c] * rate;
  for (int i = 0; i < v->rows; i++) x[v->free_count + i] -= v->G[i * n + c] * of[0];
  for (int i = 0; i < v->width; i++) x[v->free_count + v->rows + i] -= v->J[i * n + c] * of[0];
}

static double *column_of(const td_inversion_slopes *s, const td_input_slope *given) {
  size_t first = s->np + (size_t)s->v->width;
  assert(given->number < s->by->number_count);
  return s->X + (first + s->by->column[given->number]) * (size_t)s->v->ld;
}

static void by_inputs(td_inversion_slopes *s, size_t given) {
  const td_inversion *v = s->v;
  const td_model *model = v->s->model;
  for (size_t k = 0; k < given; k++) {
    const td_input_slope *g = &s->given[k];
    double *x = column_of(s, g);
    if (is_own(v, g->channel)) continue;
    for (int i = 0; i < v->free_count; i++) {
      int at = v->free[i] * v->s->m + g->channel;
      x[i] += (v->s->B[at] - s->did_du[at]) * g->of[0];
    }
    for (int i = 0; i < model->prescribed_count; i++)
      if (model->prescribed[i].channel == g->channel) drive(s, model->prescribed[i].coordinate, g->of, x);
  }
}

// ------------------------------------------------------------------------------------------------ solution

static int rank_of(td_inversion_slopes *s, double *matrix, int unknowns, int columns) {
  td_inversion *v = s->v;
  int rank = 0, info = 0;
  memset(s->order, 0, (size_t)unknowns * sizeof *s->order);
  dgelsy_(&v->equations, &unknowns, &columns, matrix, &v->ld, s->X, &v->ld, s->order, &RANK, &rank, s->work,
          &s->work_size, &info);
  return info ? -1 : rank;
}

// Of the columns of multipliers alone; v->matrix and s->X are used up.
static int rank_of_multipliers(td_inversion_slopes *s, double unit) {
  td_inversion *v = s->v;
  if (v->rows == 0) return 0;
  td_inversion_assemble(v, unit);
  size_t before = (size_t)(v->free_count + v->c->width);
  return rank_of(s, v->matrix + before * (size_t)v->ld, v->rows, 1);
}

static td_status solve(td_inversion_slopes *s, double unit, int loose) {
  td_inversion *v = s->v;
  td_inversion_assemble(v, unit);
  for (size_t j = 0; j < s->columns; j++)
    for (int i = 0; i < v->equations; i++) s->X[j * (size_t)v->ld + (size_t)i] /= v->scale[i];
  int rank = rank_of(s, v->matrix, v->unknowns, (int)s->columns);
  return rank - loose == v->free_count + v->c->width ? TD_OK : TD_SINGULAR;
}

// Entry i of the answer, of outputs or of the channels' own inputs.
static void answer(td_inversion_slopes *s, int i, double unit, size_t given, double *out) {
  const td_inversion *v = s->v;
  const td_model *model = v->s->model;
  bool feed = v->c->row->law == TD_LAW_FEED_FORWARD;
  const double *J = s->J + (size_t)i * (size_t)v->s->n;
  for (size_t j = 0; j < s->columns; j++) {
    const double *x = s->X + j * (size_t)v->ld;
    out[j] = feed ? unit * x[v->free_count + i] : 0;
    for (int a = 0; !feed && a < v->free_count; a++) out[j] += J[v->free[a]] * x[a];
    if (!feed && j < s->np) out[j] += output_by(s, &v->c->output[i], j);
  }
  for (size_t k = 0; !feed && k < given; k++)
    for (int d = 0; d < model->prescribed_count; d++)
      if (model->prescribed[d].channel == s->given[k].channel)
        out[s->np + (size_t)v->width + s->by->column[s->given[k].number]] +=
            J[model->prescribed[d].coordinate] * s->given[k].of[0];
}

static td_status linearise(td_inversion_slopes *s) {
  td_inversion *v = s->v;
  td_control *c = v->s;
  td_status status = td_residual_derivatives(c->model, c->ws, v->q, v->qd, c->zero, v->u, NULL, NULL, s->C, NULL);
  if (!status && s->by->columns_of_inputs)
    status = td_id_input_derivative(c->model, c->ws, v->q, v->qd, v->u, s->did_du);
  if (!status && s->np) {
    td_parameters_keep(s->ws, NULL, &(td_state){.q = v->q, .qd = v->qd, .u = v->u});
    status = td_parameter_differentiate(s->by->model, s->ws, ask, s, s->terms, s->scratch, s->terms_dp);
    td_parameters_let_go(s->ws);
  }
  if (!status && v->c->row->law != TD_LAW_FEED_FORWARD)
    status = td_outputs_at(c, v->c->output, v->c->width, v->q, s->y, s->J);
  return status ? status : td_inversion_terms(v);
}

td_status td_inversion_slopes_at(td_inversion_slopes *s, double t, double *out) {
  td_inversion *v = s->v;
  td_status status = linearise(s);
  if (status) return status;
  size_t given = s->by->columns_of_inputs ? td_input_numbers_at(s->by->inputs, t, t, s->given) : 0;
  double unit = td_inversion_input_scale(v);
  int loose = rank_of_multipliers(s, unit);
  memset(s->X, 0, s->columns * (size_t)v->ld * sizeof *s->X);
  by_model(s);
  by_values(s);
  by_inputs(s, given);
  status = solve(s, unit, loose);
  for (int i = 0; i < v->c->width && !status; i++) answer(s, i, unit, given, out + (size_t)i * s->columns);
  return status ? status : td_all_finite(out, v->c->width * (int)s->columns);
}
