// Derivatives of A and B by numbers p: those of g(h) = A(p + h; q + h dq, qd + h dqd, qdd + h dqdd, u + h du) at h = 0.
// With the tangents of an equilibrium or of a run that is the whole derivative, with none the partial one. Neighbours
// of the model are asked beside the state, where their stencils have them (order 4); of numbers that the model does not
// depend on it is the model itself, over a step by which the state moves little.
#include "linearize/slopes.h"
#include "base/carve.h"
#include "dynamics/kinks.h"
#include "force/tendon/tension.h"
#include "parameter/parameters.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double REACH = 1. / 1024; // rad, m, strains; of rates and inputs relative to their size

static bool list_columns(td_linearize_line *l) {
  size_t count = l->by->model ? td_parameters_count(l->by->model) : 0;
  l->column = calloc(l->np + 1, sizeof *l->column);
  for (size_t j = 0; l->column && j < l->np; j++) l->column[j] = SIZE_MAX;
  for (size_t k = 0; l->column && k < count; k++) l->column[l->by->model_number ? l->by->model_number[k] : k] = k;
  return l->column;
}

td_status td_linearize_line_init(td_linearize_line *l, const td_model *model, const td_variables *by) {
  size_t n = (size_t)td_model_ndof(model), m = (size_t)td_model_channel_count(model), np = by->count;
  *l = (td_linearize_line){.model = model, .by = by, .n = n, .m = m, .np = np};
  td_status status = td_workspace_create(model, &l->ws);
  if (!status && by->model) status = td_parameter_workspace_create(by->model, &l->neighbours);
  size_t a = 4 * n * n, b = 2 * n * m;
  bool room = !status && list_columns(l) &&
              TD_CARVE({&l->dq, n * np}, {&l->dqd, n * np}, {&l->dqdd, n * np}, {&l->du, m * np}, {&l->dA, a * np},
                       {&l->dB, b * np}, {&l->q, n}, {&l->qd, n}, {&l->qdd, n}, {&l->u, m}, {&l->A, a}, {&l->B, b},
                       {&l->first_A, a}, {&l->first_B, b}, {&l->kinks, (size_t)td_kinks_count(model)},
                       {&l->taut, 2 * (size_t)model->tendon_count});
  l->out = (td_linearize_slopes){l->dq, l->dqd, l->du, l->dA, l->dB};
  if (room) return TD_OK;
  td_linearize_line_fini(l);
  return status ? status : TD_NO_MEMORY;
}

void td_linearize_line_fini(td_linearize_line *l) {
  td_workspace_destroy(l->ws);
  td_parameter_workspace_destroy(l->neighbours);
  free(l->column);
  free(l->dq);
  *l = (td_linearize_line){0};
}

// ------------------------------------------------------------------------------------------------ beside the state

static void shift(size_t count, size_t np, size_t j, const double *x, const double *dx, double h, double *out) {
  for (size_t i = 0; i < count; i++) out[i] = (x ? x[i] : 0) + h * dx[i * np + j];
}

static td_status beside(td_linearize_line *l, const td_model *model, td_workspace *ws, const td_state *at, size_t j,
                        double h, double *A, double *B) {
  shift(l->n, l->np, j, at->q, l->dq, h, l->q);
  shift(l->n, l->np, j, at->qd, l->dqd, h, l->qd);
  shift(l->n, l->np, j, at->qdd, l->dqdd, h, l->qdd);
  shift(l->m, l->np, j, at->u, l->du, h, l->u);
  td_state state = {.q = l->q, .qd = l->qd, .qdd = l->qdd, .u = l->u, .baumgarte = at->baumgarte};
  return td_linearize(model, ws, &state, A, B);
}

static void add(size_t count, size_t np, size_t j, double weight, const double *f, const double *first, double *out) {
  for (size_t i = 0; i < count; i++) out[i * np + j] += weight * (f[i] - first[i]);
}

static void fill(size_t count, size_t np, size_t j, double value, double *out) {
  for (size_t i = 0; i < count; i++) out[i * np + j] = value;
}

// What is asked beside the state keeps to its sides of kinks, and to its laws of tendons.
static void keep_sides(td_linearize_line *l, const td_state *at) {
  const td_model *m = l->model;
  if (td_kinks_count(m)) td_kinks_at(m, l->ws, at->q, l->kinks);
  if (m->length_count) td_tensions_hold(m, l->ws, at->q, at->qd, at->u, l->taut);
  l->ws->kinks = td_kinks_count(m) ? l->kinks : NULL;
  l->ws->taut = m->length_count ? l->taut : NULL;
  if (l->neighbours) td_parameters_keep(l->neighbours, l->ws->kinks, at);
}

static void let_go(td_linearize_line *l) {
  l->ws->kinks = l->ws->taut = NULL;
  if (l->neighbours) td_parameters_let_go(l->neighbours);
}

// Sums weight[k] (g(h[k]) - g(h[0])) into column j; model[k] NULL: the model itself.
static td_status along(td_linearize_line *l, const td_state *at, size_t j, const td_parameter_row *row, int count,
                       const double *h, const double *weight) {
  size_t a = 4 * l->n * l->n, b = 2 * l->n * l->m;
  td_status status = TD_OK;
  fill(a, l->np, j, 0, l->dA);
  fill(b, l->np, j, 0, l->dB);
  for (int k = 0; !status && k < count; k++) {
    const td_model *model = row && row->model[k] ? row->model[k] : l->model;
    td_workspace *ws = model == l->model ? l->ws
                       : row->own[k] < 0 ? l->neighbours->side
                                         : l->neighbours->own[row->own[k]];
    status = beside(l, model, ws, at, j, h[k], k ? l->A : l->first_A, k ? l->B : l->first_B);
    if (status || k == 0) continue;
    add(a, l->np, j, weight[k], l->A, l->first_A, l->dA);
    add(b, l->np, j, weight[k], l->B, l->first_B, l->dB);
  }
  return status;
}

// The value that a stencil lies about.
static double home_of(const td_stencil *s) {
  return s->home >= 0 ? s->at[s->home] : 0.5 * (s->at[s->count / 2 - 1] + s->at[s->count / 2]);
}

static td_status by_neighbours(td_linearize_line *l, const td_state *at, size_t j) {
  const td_parameter_row *row = &l->by->model->row[l->column[j]];
  double h[TD_STENCIL_MOST];
  assert(!row->affine && "A is affine in no number: neighbours are near ones");
  for (int k = 0; k < row->stencil.count; k++) h[k] = row->stencil.at[k] - home_of(&row->stencil);
  return along(l, at, j, row, row->stencil.count, h, row->stencil.weight);
}

static double farthest(size_t count, size_t np, size_t j, const double *x, const double *dx, bool relative) {
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(dx[i * np + j]) / (relative && x ? 1 + fabs(x[i]) : 1));
  return most;
}

static td_status by_motion(td_linearize_line *l, const td_state *at, size_t j) {
  static const double weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  double most = farthest(l->n, l->np, j, at->q, l->dq, false), h[4], w[4];
  most = fmax(most, farthest(l->n, l->np, j, at->qd, l->dqd, true));
  most = fmax(most, farthest(l->n, l->np, j, at->qdd, l->dqdd, true));
  most = fmax(most, farthest(l->m, l->np, j, at->u, l->du, true));
  double step = most > 0 ? REACH / most : 1;
  for (int k = 0; k < 4; k++) h[k] = (k < 2 ? k - 2 : k - 1) * step, w[k] = weight[k] / step;
  return along(l, at, j, NULL, 4, h, w);
}

static bool moves_finitely(const td_linearize_line *l, size_t j) {
  bool finite = true;
  for (size_t i = 0; i < l->n; i++)
    finite =
        finite && isfinite(l->dq[i * l->np + j]) && isfinite(l->dqd[i * l->np + j]) && isfinite(l->dqdd[i * l->np + j]);
  for (size_t i = 0; i < l->m; i++) finite = finite && isfinite(l->du[i * l->np + j]);
  return finite;
}

bool td_linearize_line_at(td_linearize_line *l, const td_state *state) {
  bool all = true;
  keep_sides(l, state);
  for (size_t j = 0; j < l->np; j++) {
    bool known = moves_finitely(l, j) && !(l->column[j] == SIZE_MAX ? by_motion : by_neighbours)(l, state, j);
    all = all && known;
    if (known) continue;
    fill(4 * l->n * l->n, l->np, j, NAN, l->dA);
    fill(2 * l->n * l->m, l->np, j, NAN, l->dB);
  }
  let_go(l);
  return all;
}

// ------------------------------------------------------------------------------------------------ inputs

td_status td_linearize_line_inputs(td_linearize_line *l, const double *q, const double *qd, const double *u,
                                   double *rates) {
  const td_variables *by = l->by;
  memset(l->du, 0, l->m * l->np * sizeof *l->du);
  if (rates) memset(rates, 0, l->n * l->np * sizeof *rates);
  if (!by->slopes) return TD_OK;
  td_input_slope *list = calloc(by->most_slopes + 1, sizeof *list);
  if (!list) return TD_NO_MEMORY;
  size_t count = by->slopes(by->context, &(td_input_moment){0, 0, q, qd, u}, list);
  for (size_t i = 0; i < count; i++) l->du[(size_t)list[i].channel * l->np + list[i].number] += list[i].of[0];
  for (int k = 0; rates && k < td_model_prescribed_count(l->model); k++) {
    int channel = -1, c = td_model_prescribed_coordinate(l->model, k, &channel);
    for (size_t i = 0; i < count; i++)
      if (list[i].channel == channel) rates[(size_t)c * l->np + list[i].number] += list[i].of[1];
  }
  free(list);
  return TD_OK;
}
