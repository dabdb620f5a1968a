// Derivatives of rows: formulas where a field has them, five-point differences of the field itself elsewhere. By
// numbers of the model a field is asked of their neighbours.
#include "plant/output_slopes.h"
#include "base/carve.h"
#include "dynamics/kinks.h"
#include "force/stop.h"
#include "force/tendon/tension.h"
#include "parameter/parameters.h"
#include "plant/output_fields.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct td_output_differentiator {
  const td_output *output;
  td_plant *plant;
  const td_parameters *parameters; ///< NULL: none
  td_parameter_workspace *by;
  int n, m, np, rows;
  size_t most;            ///< doubles of the largest field
  double *y, *u, *motion; ///< [2n], [m], [prescribed][3] held
  double *value;          ///< [most]
  double *kinks, *taut;   ///< [td_kinks_count], [tendons][2]
  double *scratch;        ///< [3 most]
  double *du_dq, *du_dqd; ///< [m][n] of controllers
  double *dq, *dqd, *du;  ///< [n + multipliers][n], [n + multipliers][n], [n + multipliers][m] of accelerations
  double *fd, *fd_p;      ///< [n + multipliers], and [np] columns
  // what neighbours are asked
  const td_output_field *field;
  double t;
};

// ------------------------------------------------------------------------------------------------ life

static size_t largest_field(const td_output *o) {
  size_t most = 0;
  for (size_t i = 0; i < o->count; i++)
    if (o->fields[i].member.size > most) most = o->fields[i].member.size;
  return most;
}

td_status td_output_differentiator_create(const td_output *output, td_plant *plant, const td_parameters *parameters,
                                          td_output_differentiator **out) {
  td_output_differentiator *d = *out = calloc(1, sizeof *d);
  if (!d) return TD_NO_MEMORY;
  *d = (td_output_differentiator){.output = output, .plant = plant, .parameters = parameters};
  size_t n = (size_t)plant->n, m = (size_t)plant->m, c = (size_t)(plant->rows + plant->driven_count), all = n + c;
  size_t np = parameters ? td_parameters_count(parameters) : 0, most = d->most = largest_field(output);
  d->n = plant->n, d->m = plant->m, d->np = (int)np;
  bool room =
      TD_CARVE({&d->y, 2 * n}, {&d->u, m}, {&d->motion, 3 * (size_t)plant->driven_count}, {&d->value, most},
               {&d->kinks, (size_t)td_kinks_count(plant->model)}, {&d->taut, 2 * (size_t)plant->model->tendon_count},
               {&d->scratch, 3 * most}, {&d->du_dq, m * n}, {&d->du_dqd, m * n}, {&d->dq, all * n}, {&d->dqd, all * n},
               {&d->du, all * m}, {&d->fd, all}, {&d->fd_p, all * np});
  td_status status = room ? TD_OK : TD_NO_MEMORY;
  if (!status && parameters) status = td_parameter_workspace_create(parameters, &d->by);
  if (!status) return TD_OK;
  td_output_differentiator_destroy(d);
  *out = NULL;
  return status;
}

void td_output_differentiator_destroy(td_output_differentiator *d) {
  if (!d) return;
  td_parameter_workspace_destroy(d->by);
  free(d->y);
  free(d);
}

// ------------------------------------------------------------------------------------------------ held inputs

// A plant of another model, or of this one, whose inputs and prescribed motions are those held in d.
static td_plant held_plant(const td_output_differentiator *d, const td_model *model, td_workspace *ws) {
  td_plant p = *d->plant;
  p.model = model;
  p.ws = ws;
  p.inputs = NULL;
  p.control = NULL;
  p.motion = d->motion;
  return p;
}

static td_status fill_held(td_output_differentiator *d, const td_output_field *f, const td_model *model,
                           td_workspace *ws, double t, const double *y, const double *u, double *out) {
  td_plant p = held_plant(d, model, ws);
  memcpy(p.u, u, (size_t)d->m * sizeof *u);
  return f->kind->fill(d->output, f, &p, t, y, out);
}

static td_status hold(td_output_differentiator *d, double t, const double *y) {
  td_plant *p = d->plant;
  td_status status = td_plant_inputs(p, t, y, y + d->n);
  memcpy(d->u, p->u, (size_t)d->m * sizeof *d->u);
  memcpy(d->y, y, 2 * (size_t)d->n * sizeof *d->y);
  for (int i = 0; i < p->driven_count && (p->motion || p->inputs); i++) {
    int channel;
    (void)td_model_prescribed_coordinate(p->model, i, &channel);
    if (p->motion)
      memcpy(d->motion + 3 * i, p->motion + 3 * i, 3 * sizeof *d->motion);
    else
      td_inputs_motion(p->inputs, channel, t, p->t_side, d->motion + 3 * i);
  }
  if (status || !p->control) return status;
  td_control_state at = {t, p->t_side, y, y + d->n, p->qdd, p->baumgarte};
  return td_control_derivatives(p->control, &at, d->u, d->du_dq, d->du_dqd);
}

// Controllers: rows of q and qd gain those of u times what it answers to the state. J [size][m] of u.
static void add_answers(const td_output_differentiator *d, size_t size, const double *J, double *q, double *qd) {
  size_t n = (size_t)d->n, m = (size_t)d->m;
  for (size_t i = 0; i < size; i++)
    for (size_t k = 0; k < m; k++) {
      double x = J[i * m + k];
      for (size_t j = 0; x != 0 && j < n; j++) {
        if (q) q[i * n + j] += x * d->du_dq[k * n + j];
        if (qd) qd[i * n + j] += x * d->du_dqd[k * n + j];
      }
    }
}

// ------------------------------------------------------------------------------------------------ differences

// What forces that set in over a small part of the robot have a share in (contacts, stops, water's surface) is smooth
// over little more than that; poses and shapes over a radian.
static double step_of(const td_output_differentiator *d, const td_output_field *f) {
  const td_model *m = d->plant->model;
  bool onsets = m->contact_count > 0 || m->immersed || td_stops_count(m) > 0;
  return onsets && f->kind->of != TD_FIELD_Q ? 1e-5 : 1e-3;
}

// The derivative of a field by x [count], which is d->y, a half of it, or d->u: J [size][count].
static td_status differences(td_output_differentiator *d, const td_output_field *f, double t, double *x, int count,
                             double *J) {
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  const td_model *m = d->plant->model;
  td_workspace *ws = d->plant->ws;
  size_t size = f->member.size;
  td_status status = TD_OK;
  memset(J, 0, size * (size_t)count * sizeof *J);
  if (td_kinks_count(m)) td_kinks_at(m, ws, d->y, d->kinks);
  if (m->length_count) td_tensions_hold(m, ws, d->y, d->y + d->n, d->u, d->taut);
  ws->kinks = td_kinks_count(m) ? d->kinks : NULL;
  ws->taut = m->length_count ? d->taut : NULL;
  for (int j = 0; j < count; j++) {
    double before = x[j], step = step_of(d, f) * fmax(1, fabs(before));
    for (int k = 0; !status && k < 4; k++) {
      x[j] = before + at[k] * step;
      status = fill_held(d, f, m, ws, t, d->y, d->u, d->value);
      for (size_t i = 0; i < size; i++) J[i * (size_t)count + (size_t)j] += weight[k] / step * d->value[i];
    }
    x[j] = before;
  }
  ws->kinks = ws->taut = NULL;
  return status;
}

static td_status neighbour(void *context, const td_model *model, td_workspace *ws, double *out) {
  td_output_differentiator *d = context;
  bool closure = ws->constraint.closure;
  ws->constraint.closure = d->plant->ws->constraint.closure;
  td_status status = fill_held(d, d->field, model, ws, d->t, d->y, d->u, out);
  ws->constraint.closure = closure;
  return status;
}

static td_status by_numbers(td_output_differentiator *d, const td_output_field *f, double t, double *J) {
  if (d->np == 0 || !J) return TD_OK;
  d->field = f;
  d->t = t;
  td_parameters_keep(d->by, NULL, &(td_state){.q = d->y, .qd = d->y + d->n, .u = d->u});
  td_status status = td_parameter_differentiate(d->parameters, d->by, neighbour, d, f->member.size, d->scratch, J);
  td_parameters_let_go(d->by);
  return status;
}

static td_status by_differences(td_output_differentiator *d, const td_output_field *f, double t,
                                const td_output_slopes *out) {
  td_status status = TD_OK;
  bool answers = d->plant->control && f->kind->of & TD_FIELD_U;
  assert((out->u || !answers) && "what controllers answer goes through their channels");
  if (out->q && f->kind->of & TD_FIELD_Q) status = differences(d, f, t, d->y, d->n, out->q);
  if (!status && out->qd && f->kind->of & TD_FIELD_QD) status = differences(d, f, t, d->y + d->n, d->n, out->qd);
  if (!status && out->u && f->kind->of & TD_FIELD_U) status = differences(d, f, t, d->u, d->m, out->u);
  if (!status && answers) add_answers(d, f->member.size, out->u, out->q, out->qd);
  return status ? status : by_numbers(d, f, t, out->p);
}

// ------------------------------------------------------------------------------------------------ formulas

td_status td_slopes_of_state(td_output_differentiator *d, const td_output_field *f, double t, const double *y,
                             const td_output_slopes *out) {
  (void)t, (void)y;
  double *J = f->kind->of & TD_FIELD_Q ? out->q : out->qd;
  for (size_t i = 0; J && i < f->member.size; i++) J[i * (size_t)d->n + i] = 1;
  return TD_OK;
}

td_status td_slopes_of_inputs(td_output_differentiator *d, const td_output_field *f, double t, const double *y,
                              const td_output_slopes *out) {
  (void)t, (void)y;
  size_t n = (size_t)d->n;
  for (size_t i = 0; out->u && i < f->member.size; i++) out->u[i * (size_t)d->m + i] = 1;
  if (!d->plant->control) return TD_OK;
  if (out->q) memcpy(out->q, d->du_dq, f->member.size * n * sizeof *out->q);
  if (out->qd) memcpy(out->qd, d->du_dqd, f->member.size * n * sizeof *out->qd);
  return TD_OK;
}

td_status td_slopes_of_tendons(td_output_differentiator *d, const td_output_field *f, double t, const double *y,
                               const td_output_slopes *out) {
  td_status status = TD_OK;
  if (out->q) status = td_tendon_lengths(d->plant->model, d->plant->ws, y, d->value, out->q);
  return status ? status : by_numbers(d, f, t, out->p);
}

// Accelerations are affine in those of prescribed joints.
static td_status by_prescribed(td_output_differentiator *d, const td_output_field *f, double t, double *J) {
  td_plant *p = d->plant;
  td_status status = TD_OK;
  double *base = d->scratch;
  if (!J || p->driven_count == 0) return TD_OK;
  status = fill_held(d, f, p->model, p->ws, t, d->y, d->u, base);
  for (int i = 0; !status && i < p->driven_count; i++) {
    d->motion[3 * i + 2] += 1;
    status = fill_held(d, f, p->model, p->ws, t, d->y, d->u, d->value);
    d->motion[3 * i + 2] -= 1;
    for (size_t k = 0; k < f->member.size; k++) J[k * (size_t)p->driven_count + (size_t)i] = d->value[k] - base[k];
  }
  return status;
}

static void copy(double *to, const double *from, size_t rows, size_t columns) {
  if (to) memcpy(to, from, rows * columns * sizeof *to);
}

// qdd, or lambda of the same system.
td_status td_slopes_of_dynamics(td_output_differentiator *d, const td_output_field *f, double t, const double *y,
                                const td_output_slopes *out) {
  td_plant *p = d->plant;
  size_t n = (size_t)d->n, m = (size_t)d->m, size = f->member.size;
  bool lambda = f->kind->statics == TD_REST_ANYWAY;
  td_plant held = held_plant(d, p->model, p->ws);
  for (int i = 0; i < p->driven_count; i++)
    held.qdd[td_model_prescribed_coordinate(p->model, i, NULL)] = d->motion[3 * i + 2];
  td_state state = {.q = y, .qd = y + n, .qdd = held.qdd, .u = d->u, .baumgarte = p->baumgarte};
  td_constrained_output at = {.dfd_dq = d->dq, .dfd_dqd = d->dqd, .dfd_du = d->du};
  if (lambda) at = (td_constrained_output){.dlambda_dq = d->dq, .dlambda_dqd = d->dqd, .dlambda_du = d->du};
  td_status status = size ? td_constrained_dynamics(p->model, p->ws, &state, &at) : TD_OK;
  if (status || !size) return status;
  copy(out->q, d->dq, size, n);
  copy(out->qd, d->dqd, size, n);
  copy(out->u, d->du, size, m);
  if (p->control) add_answers(d, size, d->du, out->q, out->qd);
  if (d->np > 0 && out->p) {
    d->by->base->constraint.closure = d->by->side->constraint.closure = p->ws->constraint.closure;
    status = td_parameter_dynamics(d->parameters, d->by, &state, NULL, NULL, lambda ? NULL : d->fd_p,
                                   lambda ? d->fd_p : NULL);
    copy(out->p, d->fd_p, size, (size_t)d->np);
  }
  return status ? status : by_prescribed(d, f, t, out->a); // last: it moves the accelerations that `state` has
}

// ------------------------------------------------------------------------------------------------ rows

static double *rows_of(double *all, size_t row, size_t columns) { return all ? all + row * columns : NULL; }

static void clear(double *all, size_t rows, int columns) {
  if (all) memset(all, 0, rows * (size_t)columns * sizeof *all);
}

static bool is_wanted(const td_output_field *f, const double *wanted) {
  bool any = !wanted;
  for (size_t i = 0; !any && i < f->member.size; i++) any = wanted[f->member.offset + i] != 0;
  return any && f->member.size > 0;
}

td_status td_output_slopes_at(td_output_differentiator *d, double t, const double *y, const double *wanted,
                              const td_output_slopes *out, size_t *field) {
  const td_output *o = d->output;
  size_t n = (size_t)d->n, m = (size_t)d->m, np = (size_t)d->np, driven = (size_t)d->plant->driven_count;
  clear(out->q, o->row_size, d->n), clear(out->qd, o->row_size, d->n), clear(out->u, o->row_size, d->m);
  clear(out->a, o->row_size, d->plant->driven_count), clear(out->p, o->row_size, d->np);
  td_status status = hold(d, t, y);
  for (size_t i = 0; !status && i < o->count; i++) {
    const td_output_field *f = &o->fields[i];
    size_t row = f->member.offset;
    td_output_slopes part = {rows_of(out->q, row, n), rows_of(out->qd, row, n), rows_of(out->u, row, m),
                             rows_of(out->a, row, driven), rows_of(out->p, row, np)};
    if (field) *field = i;
    if (!is_wanted(f, wanted)) continue;
    status = f->kind->slopes ? f->kind->slopes(d, f, t, d->y, &part) : by_differences(d, f, t, &part);
  }
  return status;
}
