// Static inversion by Newton's method with continuation. Unknown: free coordinates q, the inputs u_c of the
// controller's channels and the multipliers of loops; equations, at the other inputs' values of the knot's time:
//     tau(q, v, u) - ID(q, v, 0) + A^T lambda = 0,      e(q) = 0,      y(q) = y_ref.
// v: 0, but for prescribed joints that turn on at that time and take their loops along (relative_rest.h): their rates.
// y: positions of tips, coordinates or tendon lengths. With fewer values than channels the step of least norm is taken
// (columns of u scaled to generalized forces), so the solution depends on the way there: from the initial state through
// the knots in order, y moving straight from each to the next, in parts where Newton needs them. Source: Pustina2025
// (55), solved there by Newton-Raphson on the same equations.
#include "control/static_inversion.h"
#include "body/rod/inside_out.h"
#include "control/inversion_slopes.h"
#include "math/lapack.h"
#include "statics/equilibrium.h"
#include "statics/turning/relative_rest.h"
#include "tendril/dynamics.h"
#include "tendril/statics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 40, HALVINGS = 14 };
static const double CLOSE = 1e-11, REACHED = 1e-8, RANK = 1e-12;
static const double LEFT_OUT = 0.01; // of the forces in play

// ------------------------------------------------------------------------------------------------ Newton

// One Newton step; *size: of the change of q.
static td_status improve(td_inversion *v, double *size) {
  td_status status = td_inversion_terms(v);
  if (status) return status;
  int one = 1, rank = 0, info = 0, f = v->free_count, k = v->c->width;
  double unit = td_inversion_input_scale(v);
  td_inversion_assemble(v, unit);
  memset(v->order, 0, (size_t)v->unknowns * sizeof *v->order);
  dgelsy_(&v->equations, &v->unknowns, &one, v->matrix, &v->ld, v->b, &v->ld, v->order, &RANK, &rank, v->work,
          &v->work_size, &info);
  if (info) return TD_SINGULAR;
  *size = 0;
  for (int i = 0; i < f; i++) {
    double *x = &v->q[v->free[i]];
    *size = fmax(*size, fabs(v->b[i]) / (1 + fabs(*x)));
    *x += v->b[i];
  }
  for (int i = 0; i < k; i++) v->u[v->c->channel[i]] += unit * v->b[f + i];
  for (int i = 0; i < v->rows; i++) v->lambda[i] += v->b[f + k + i];
  return isfinite(*size) ? TD_OK : TD_NONFINITE;
}

// What is left of the equations, each row as the change of unknowns that would mend it.
static double misfit(td_inversion *v) {
  double most = 0;
  if (td_inversion_terms(v)) return INFINITY;
  td_inversion_assemble(v, td_inversion_input_scale(v));
  for (int i = 0; i < v->equations; i++) most = fmax(most, fabs(v->b[i]));
  return isfinite(most) ? most : INFINITY;
}

// Newton towards v->target; the state is put back when it fails.
static bool reach(td_inversion *v) {
  memcpy(v->best, v->q, v->state * sizeof *v->best);
  double before = INFINITY;
  for (int i = 0; i < ITERATIONS; i++) {
    double size = 0;
    if (improve(v, &size) || (i > 4 && size > 2 * before)) break;
    if (size < CLOSE && misfit(v) < REACHED) {
      v->inside_out = td_inside_out_find(v->s->model, v->q, 1, NULL); // an answer of the equations that no rod can take
      if (v->inside_out) break;
      return true;
    }
    before = size;
  }
  memcpy(v->q, v->best, v->state * sizeof *v->best);
  return false;
}

// Moves y straight from where it is to the goal.
static bool approach(td_inversion *v) {
  double done = 0, part = 1;
  if (td_inversion_outputs(v, v->from, NULL)) return false;
  for (int halvings = 0; done < 1;) {
    double next = fmin(1, done + part);
    for (int i = 0; i < v->width; i++) v->target[i] = v->from[i] + next * (v->goal[i] - v->from[i]);
    if (reach(v))
      done = next;
    else if (++halvings > HALVINGS)
      return false;
    else
      part /= 2;
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ knots

static void prescribe(td_inversion *v, double t) {
  const td_model *m = v->s->model;
  td_inputs_eval(v->s->inputs, t, t, v->s->u);
  for (int i = 0; i < v->s->m; i++) {
    bool own = false;
    for (int k = 0; k < v->c->width; k++) own = own || v->c->channel[k] == i;
    if (!own) v->u[i] = v->s->u[i];
  }
  for (int i = 0; i < m->prescribed_count; i++) v->q[m->prescribed[i].coordinate] = v->u[m->prescribed[i].channel];
  td_driven_motion joints = td_driven_motion_at(m, v->s->inputs, t, INFINITY, v->rates);
  bool along = joints.on && td_loops_turn_along(m, v->s->ws, v->q, v->rates, v->A);
  v->qd = along ? v->rates : v->s->zero;
  v->moves = along ? -1 : joints.channel;
}

// What the rates that are left out would do, against the forces in play.
static bool rates_matter(td_inversion *v) {
  td_control *s = v->s;
  double *tau = v->work, most = 0, left = 0;
  v->qd = v->rates;
  bool known = !td_inversion_terms(v) && !td_generalized_force(s->model, s->ws, v->q, NULL, v->u, tau);
  v->qd = s->zero;
  for (int i = 0; i < v->free_count && known; i++) {
    double pull = 0;
    for (int k = 0; k < s->m; k++) pull += s->B[v->free[i] * s->m + k] * v->u[k];
    most = fmax(most, fmax(fabs(tau[v->free[i]]), fabs(pull)));
    left = fmax(left, fabs(v->r[v->free[i]]));
  }
  return known && left > LEFT_OUT * most;
}

// Of the equilibrium at this knot.
static void tell(td_inversion *v, const td_place *values, size_t knot) {
  td_warnings *warnings = v->s->hooks.warnings;
  td_equilibrium_tell_shape(v->s->model, v->q, warnings);
  if (v->moves < 0 || !rates_matter(v)) return;
  td_place at = td_place_at(values, knot);
  at.warnings = warnings;
  td_place_warn(
      &at, "rates_left_out",
      "the static inversion takes \"%.63s\" to stand here, and it moves its joint, to and fro or against loops: "
      "what its rate does, centrifugal forces above all, is not in these inputs",
      td_model_channel_name(v->s->model, v->moves));
}

static td_status give_up(td_inversion *v, const td_place *values, const td_reference_spec *r, size_t knot) {
  td_place at = td_place_at(values, knot);
  double away = 0;
  if (!td_inversion_outputs(v, v->y, NULL))
    for (int i = 0; i < v->width; i++) away = fmax(away, fabs(v->goal[i] - v->y[i]));
  return td_place_fail(
      &at, TD_NOT_CONVERGED,
      "static inversion at t = %.9g s: no equilibrium found there; %.3g away from the last one reached%s", r->t[knot],
      away,
      v->inside_out
          ? ". The equations go on to rods that are turned inside out, which none can be: the reference is out of reach"
          : "");
}

static td_status go_on(const td_control *s, const td_place *values, size_t knot) {
  const td_control_hooks *h = &s->hooks;
  if (!h->step || h->step(h->context, h->t)) return TD_OK;
  td_place root = td_place_root(values->err);
  return td_place_fail(&root, TD_CANCELLED, "cancelled at knot %zu of a static inversion", knot);
}

// The state is at a solution.
static td_status differentiate(td_inversion_slopes *slopes, const td_place *values, const td_reference_spec *r,
                               size_t knot, double *out) {
  td_place at = td_place_at(values, knot);
  td_status status = slopes ? td_inversion_slopes_at(slopes, r->t[knot], out) : TD_OK;
  if (!status) return TD_OK;
  return td_place_fail(&at, status,
                       "static inversion at t = %.9g s: the equilibrium found there has no derivative, it is one of "
                       "many",
                       r->t[knot]);
}

static td_status walk(td_inversion *v, const td_place *values, const td_reference_spec *r, double *rows,
                      td_inversion_slopes *slopes, double *out) {
  size_t k = (size_t)v->c->width;
  size_t size = slopes ? k * td_inversion_slopes_columns(slopes) : 0;
  bool feed = v->c->row->law == TD_LAW_FEED_FORWARD;
  for (size_t knot = 0; knot < r->knots; knot++, rows += k) {
    td_status status = go_on(v->s, values, knot);
    if (status) return status;
    prescribe(v, r->t[knot]);
    memcpy(v->goal, r->value + knot * r->width, r->width * sizeof *v->goal);
    if (!approach(v)) return give_up(v, values, r, knot);
    tell(v, values, knot);
    for (size_t i = 0; feed && i < k; i++) rows[i] = v->u[v->c->channel[i]];
    if (!feed && td_outputs_at(v->s, v->c->output, v->c->width, v->q, rows, NULL)) return give_up(v, values, r, knot);
    status = differentiate(slopes, values, r, knot, out);
    if (status) return status;
    if (slopes) out += size;
  }
  return TD_OK;
}

// The equilibrium for the inputs at t = 0 with the controller's channels at rest, in v->q; false: there is none (an arm
// without springs).
static bool find_rest(td_inversion *v, double t_end) {
  td_control *c = v->s;
  td_statics_options options;
  td_statics s;
  td_run_statistics *statistics = calloc(1, sizeof *statistics);
  td_rest rest = {.rates = v->rates};
  td_error why = {0};
  td_statics_defaults(&options);
  bool found = statistics && !td_statics_init(&s, c->model, c->ws, &options);
  if (found) {
    s.u = v->u;
    found = !td_rest_find(&s, c->inputs, t_end, &rest, statistics, &why);
    memcpy(v->q, s.q, (size_t)c->n * sizeof *v->q);
    td_statics_fini(&s);
  }
  free(statistics);
  return found;
}

static void first_guess(td_inversion *v, const td_dynamics_spec *spec) {
  size_t size = (size_t)v->s->n * sizeof *v->q;
  td_inputs_eval(v->s->inputs, 0, 0, v->u);
  if (spec->initial == TD_INITIAL_ARRAY)
    memcpy(v->q, spec->q, size);
  else if (!find_rest(v, spec->t_end))
    memset(v->q, 0, size);
}

// ------------------------------------------------------------------------------------------------ all of it

td_status td_static_inversion(td_control *s, const td_dynamics_spec *spec, size_t index, double *rows,
                              const td_inversion_by *by, td_error *err) {
  assert(index < spec->controller_count && rows);
  const td_reference_spec *r = &spec->controllers[index].reference;
  td_place root = td_place_root(err), all, at = td_controller_place(&root, spec, index, &all);
  td_place reference = td_place_key(&at, "reference"), values = td_place_key(&reference, "value");
  td_inversion v = {.s = s, .c = &s->item[index]};
  td_inversion_slopes *slopes = NULL;
  bool room = td_inversion_init(&v, r) && (!by || !td_inversion_slopes_create(&v, by, &slopes));
  td_status status = room ? TD_OK : td_place_fail(&at, TD_NO_MEMORY, "no memory for the static inversion");
  if (!status) {
    first_guess(&v, spec);
    status = walk(&v, &values, r, rows, slopes, by ? by->slopes : NULL);
  }
  td_inversion_slopes_destroy(slopes);
  td_inversion_fini(&v);
  return status;
}
