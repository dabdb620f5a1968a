// A coordinate x of a joint is cyclic where no force depends on it: a carriage on rails, a shaft in its bearings. Its
// momentum p = (M qd)_x changes by the forces along x alone, of which springs, tendons and joints further on are none:
//     p' = Q(t, q, qd),    Q = (tau - ID(q, 0, 0))_x
// (Lagrange's equation with dT/dx = 0; ID of rest holds gravity and loads). The computed motion breaks it in each step
// by d = p1 - p0 - int Q dt, three Gauss points on the method's own interpolant, and x' = v by b = x1 - x0 - int v dt.
// What that comes to is
//     P' = d / h - r P,    X' = P / m + b / h,    m = M_xx,  r = -dQ/dv / m of damping.
// This is no estimate of a local error by one more formula: whatever a method left out shows here, with its sign, so
// that what cancels over a period does. It is the error of the momentum's motion, that of the centre of mass; what the
// other coordinates make of their errors is not in it. That a coordinate is cyclic is tried, not read off the model:
// with arbitrary qd and qdd the residuals of all equations must stay, but for rounding, when x moves on, and x must not
// move in any loop. It is tried again where segments start and at steps 2^k, so that a tendon that was slack or a stop
// that was far is found; what is held once is left alone from then on.
#include "run/judge/drift.h"
#include "base/carve.h"
#include "model/model.h"
#include "pass/whole_pass.h"
#include "run/judge/second/retrace.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SAME = 1e-9;            // of the forces
static const double MOVES[] = {0.37, -2.9}; // rad or m
static const double SMALL = 300,
                    BESIDE = 1e-3; // of atol; of how far others of its kind get: less is not what a run is made for
static const double weightless[3] = {0, 0, 0};

// What is left out: feedback and contact depend on where a coordinate is as they please, and water has momentum of its
// own.
bool td_drift_init(td_drift *d, const td_plant *p, const td_integrator_spec *spec) {
  *d = (td_drift){.on = spec->adaptive && p->model->fluid_count == 0 && p->model->contact_count == 0};
  if (!d->on) return true;
  size_t n = (size_t)p->n, rows = (size_t)p->rows;
  if (!TD_CARVE({&d->y, 2 * n}, {&d->tau, n}, {&d->v, n}, {&d->a, n}, {&d->other, n}, {&d->rows, rows * n}))
    return false;
  for (size_t i = 0; i < n; i++) d->v[i] = sin(1.7 * (double)i + 0.6), d->a[i] = cos(2.3 * (double)i + 0.4);
  return true;
}

void td_drift_fini(td_drift *d) { free(d->y); }

// ------------------------------------------------------------------------------------------------ who is cyclic

static bool is_free(const td_plant *p, int i) {
  for (int k = 0; k < p->free_count; k++)
    if (p->free[k] == i) return true;
  return false;
}

static bool residual(const td_drift *d, td_plant *p, const double *q, double *r) {
  return !td_residual_derivatives(p->model, p->ws, q, d->v, d->a, p->u, r, NULL, NULL, NULL);
}

// d->y: q. With the inputs in p->u.
static bool is_cyclic(const td_drift *d, td_plant *p, int i) {
  double from = d->y[i], size = 0, change = 0;
  if (p->rows > 0 && td_loop_error(p->model, p->ws, d->y, NULL, d->rows)) return false;
  for (int k = 0; k < p->rows; k++)
    if (!(fabs(d->rows[k * p->n + i]) < SAME)) return false;
  if (!residual(d, p, d->y, d->tau)) return false;
  for (size_t move = 0; move < sizeof MOVES / sizeof *MOVES; move++) {
    d->y[i] = from + MOVES[move];
    bool known = residual(d, p, d->y, d->other);
    d->y[i] = from;
    if (!known) return false;
    for (int k = 0; k < p->n; k++) {
      size = fmax(size, fabs(d->tau[k]));
      change = fmax(change, fabs(d->other[k] - d->tau[k]));
    }
  }
  return change <= SAME * size;
}

// The force along i at (q, qd), beside that of constraints.
static double force_along(const td_drift *d, td_plant *p, const double *y, int i) {
  if (td_generalized_force(p->model, p->ws, y, y + p->n, p->u, d->tau)) return NAN;
  double applied = d->tau[i];
  return td_inverse_dynamics(p->model, p->ws, y, NULL, NULL, p->u, d->tau) ? NAN : applied - d->tau[i];
}

// (M x)_i, x [n]
static double inertia_times(const td_drift *d, td_plant *p, const double *q, const double *x, int i) {
  td_id_parts(p->model, p->ws, q, NULL, x, p->u, 0, weightless, d->tau);
  return d->tau[i];
}

static double mass_of(const td_drift *d, td_plant *p, const double *q, int i) {
  memset(d->other, 0, (size_t)p->n * sizeof *d->other);
  d->other[i] = 1;
  return inertia_times(d, p, q, d->other, i);
}

static double rate_of_damping(const td_drift *d, td_plant *p, int i) {
  double *v = &d->y[p->n + i], from = *v, step = 1e-3 * (1 + fabs(from)), before = force_along(d, p, d->y, i);
  *v = from + step;
  double rate = (before - force_along(d, p, d->y, i)) / (step * mass_of(d, p, d->y, i));
  *v = from;
  return rate > 0 ? rate : 0;
}

static void find(const td_drift *d, td_drift_account *a, td_plant *p) {
  const td_model *m = p->model;
  a->known = true;
  for (int e = 0; e < m->element_count; e++) {
    const td_element *element = &m->element[e];
    if (element->type != TD_ELEMENT_SCREW || element->n != 1) continue;
    int i = element->coordinate;
    if (a->count == TD_DRIFT_MOST || !is_free(p, i) || !is_cyclic(d, p, i)) continue;
    a->at[a->count++] = (td_drift_coordinate){.coordinate = i, .start = d->y[i]};
  }
}

// Those that are still cyclic stay, with the damping they have now. d->y: the state.
static void look(const td_drift *d, td_drift_account *a, td_plant *p) {
  int kept = 0;
  for (int k = 0; k < a->count; k++) {
    if (!is_cyclic(d, p, a->at[k].coordinate)) continue;
    a->at[kept] = a->at[k];
    a->at[kept].rate = rate_of_damping(d, p, a->at[k].coordinate);
    kept++;
  }
  a->count = kept;
}

void td_drift_start(const td_drift *d, td_drift_account *a, td_plant *p, double t, const double *y) {
  if (!d->on || p->control || (a->known && a->count == 0)) return;
  memcpy(d->y, y, 2 * (size_t)p->n * sizeof *y);
  if (td_plant_inputs(p, t, d->y, d->y + p->n)) return;
  if (!a->known) find(d, a, p);
  look(d, a, p);
}

// ------------------------------------------------------------------------------------------------ errors

typedef struct balance {
  double momentum, path; // d and b of a step
} balance;

// d->y and p->u at t of the last step.
static bool go_to(const td_drift *d, td_plant *p, const td_integrator *method, td_stepper *stepper, double t) {
  if (method->interpolate(stepper, t, d->y)) return false;
  td_plant_drive(p, t, d->y, NULL);
  return !td_plant_inputs(p, t, d->y, d->y + p->n);
}

static void add_point(const td_drift *d, const td_drift_account *a, td_plant *p, double weight, balance *b) {
  for (int k = 0; k < a->count; k++) {
    int i = a->at[k].coordinate;
    b[k].momentum -= weight * force_along(d, p, d->y, i);
    b[k].path -= weight * d->y[p->n + i];
  }
}

static void add_end(const td_drift *d, const td_drift_account *a, td_plant *p, double sign, balance *b) {
  for (int k = 0; k < a->count; k++) {
    int i = a->at[k].coordinate;
    b[k].momentum += sign * inertia_times(d, p, d->y, d->y + p->n, i);
    b[k].path += sign * d->y[i];
  }
}

// d->y: the state at the end of the step.
static void carry_on(const td_drift *d, td_drift_coordinate *c, td_plant *p, const balance *b, double t, double h) {
  double mass = mass_of(d, p, d->y, c->coordinate), before = c->momentum;
  if (!(mass > 0) || !isfinite(b->momentum) || !isfinite(b->path)) return;
  c->momentum = c->momentum * exp(-c->rate * h) + b->momentum;
  c->path += b->path + 0.5 * h * (before + c->momentum) / mass;
  c->reach = fmax(c->reach, fabs(d->y[c->coordinate] - c->start));
  if (fabs(c->path) > c->worst) c->worst = fabs(c->path), c->worst_t = t;
}

void td_drift_note(const td_drift *d, td_drift_account *a, td_plant *p, const td_integrator *method,
                   td_stepper *stepper, double t0, double t1) {
  assert(t1 >= t0);
  static const double gauss_at[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                      gauss_weight[3] = {5. / 18, 4. / 9, 5. / 18};
  balance b[TD_DRIFT_MOST] = {{0}};
  double h = t1 - t0;
  if (a->count == 0) return;
  if (!go_to(d, p, method, stepper, t0)) return;
  add_end(d, a, p, -1, b);
  for (int i = 0; i < 3; i++) {
    if (!go_to(d, p, method, stepper, t0 + gauss_at[i] * h)) return;
    add_point(d, a, p, gauss_weight[i] * h, b);
  }
  if (!go_to(d, p, method, stepper, t1)) return;
  add_end(d, a, p, 1, b);
  for (int k = 0; k < a->count; k++) carry_on(d, &a->at[k], p, &b[k], t1, h);
  a->steps++;
  if ((a->steps & (a->steps - 1)) == 0) look(d, a, p);
}

// ------------------------------------------------------------------------------------------------ words

// Measured on a rotor that shakes a carriage: Newmark's family, of second order, err by rtol^0.46 to rtol^0.6, bdf by
// rtol^0.72 to rtol^0.85.
void td_drift_advise(const td_integrator_spec *used, double times, char *text, size_t size) {
  assert(times > 0);
  static const double least = 5e-11;
  double power = td_integrator_get(used->method)->family ? 1.7 : 1.2;
  double rtol = used->rtol * pow(times, -power), atol = used->atol * rtol / used->rtol;
  td_method best = td_integrator_for(TD_SERVES_JUDGES);
  bool better = used->method != best; // it errs less at the same tolerances, and by no luck with them
  char other[64] = "a smaller h_max", tighter[80];
  if (better) snprintf(other, sizeof other, "the method %.40s", td_method_name(best));
  snprintf(tighter, sizeof tighter, "an rtol of %.1g and an atol of %.1g", rtol, atol);
  if (rtol > least)
    snprintf(text, size, "take %s, or %s", better ? other : tighter, better ? tighter : other);
  else
    snprintf(text, size, "take %s", other);
}

// How far joints of its kind get, sliding or turning: radians and metres are not compared.
static double furthest_of(const td_model *m, int i, const double *reach) {
  double furthest = 0;
  int kind = 0;
  for (int e = 0; e < m->element_count; e++)
    if (m->element[e].coordinate == i && m->element[e].n == 1) kind = m->element[e].rotates;
  for (int e = 0; e < m->element_count; e++) {
    const td_element *element = &m->element[e];
    if (element->type == TD_ELEMENT_SCREW && element->n == 1 && element->rotates == kind)
      furthest = fmax(furthest, reach[element->coordinate]);
  }
  return furthest;
}

td_status td_drift_judge(const td_drift *d, const td_drift_account *a, const td_plant *p,
                         const td_integrator_spec *used, const double *reach, td_run_statistics *statistics,
                         td_error *err) {
  static const char *const pointer = "/integrator/rtol";
  const td_drift_coordinate *worst = NULL;
  if (!d->on) return TD_OK;
  for (int k = 0; k < a->count; k++) {
    const td_drift_coordinate *c = &a->at[k];
    if (!(c->reach > fmax(SMALL * used->atol, BESIDE * furthest_of(p->model, c->coordinate, reach)))) continue;
    if (c->worst > TD_DRIFT_TOLERANCE * c->reach && (!worst || c->worst / c->reach > worst->worst / worst->reach))
      worst = c;
  }
  if (!worst) return TD_OK;
  char text[TD_MESSAGE_SIZE], more[160];
  double share = worst->worst / fmax(worst->reach - worst->worst, 0.05 * worst->reach);
  td_drift_advise(used, 2 * share / TD_RETRACE_TOLERANCE, more, sizeof more);
  snprintf(text, sizeof text,
           "nothing holds \"%.63s\", and what steps of %s at rtol %.2g leave out of its momentum adds up: by t = %.6g "
           "s it is off by "
           "about %.3g, %.2g %% of the %.3g (rad or m) that it gets away from where it was; %s",
           td_model_coordinate_name(p->model, worst->coordinate), td_integrator_get(used->method)->name, used->rtol,
           worst->worst_t, worst->worst, 100 * worst->worst / worst->reach, worst->reach, more);
  td_warn(&statistics->warnings, "accumulated_error", pointer, "%s", text);
  return td_fail(err, TD_INCONSISTENT, pointer, "%s", text);
}
