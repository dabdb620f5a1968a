// Energy bookkeeping: powers of actuators, loads, prescribed joints, drag, loops and damping integrated over each
// accepted step by three Gauss points on the method's own interpolant. Gauss points lie inside the step, so a jump of
// an input at its end does no harm; the rule is exact to degree 5. Costs three force evaluations per step, O(points)
// each. A robot that rests in a hub takes steps of many turns, over which the hub's torque may go up and down: these
// are taken in pieces. Methods with a difference formula between q and qd (Newmark's family, implicit Euler) let stiff
// modes ring: what their forces do is force times the step of q, so one point, the middle, with qd = (q1 - q0) / h.
// Constraint forces: with the interpolant's own accelerations (the difference of its rates) ID - tau is the force of
// all constraints. That of loops is A^T lambda, lambda between its values at the ends of the step; what is left on a
// prescribed coordinate drives it. Both are powers of forces on the motion as computed, so the error of the balance
// stays what it should be: the work that the integrator loses or invents on the free coordinates.
#include "run/ledger.h"
#include "constraint/closed_chain.h"
#include "math/dot.h"
#include "model/workspace.h"
#include "pass/composite_nodes.h"
#include "pass/generalized_force.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct powers { // W
  td_power forces;      // of what acts on the robot
  double prescribed, loops, damping;
} powers;

size_t td_ledger_scratch(const td_plant *p) {
  return 13 * (size_t)p->n + (size_t)p->rows * (size_t)p->n + (size_t)p->rows;
}

// Controllers let tendons push; who drives cables wants to know.
static void note_push(td_plant *p, double t) {
  td_run_statistics *s = p->statistics;
  for (int i = 0; p->control && i < td_model_actuator_channel_count(p->model); i++)
    if (td_model_channel_is_tension(p->model, i) && -p->u[i] > s->push)
      s->push = -p->u[i], s->push_t = t, s->push_channel = i;
}

// Of forces on bodies of some kinds; what of it is lost as heat. `id` [n] scratch.
static double power_on_bodies(td_plant *p, unsigned kinds, const double *y, const double *qd_of_robot, const double *qd,
                              double *id, double *power) {
  double heat = td_force_alone(p->model, p->ws, kinds, y, qd_of_robot, p->u, id);
  *power = -td_dot(p->n, qd, id);
  return heat;
}

// Powers of what acts on the robot beside its constraints, at the inputs in p->u; `f` [4 n] scratch.
static powers powers_at(td_plant *p, const double *y, double *f) {
  const td_model *m = p->model;
  int n = p->n;
  const double *qd = y + n;
  double *tau = f, *actuation = f + n, *elastic = f + 2 * n, *damping = f + 3 * n;
  td_force_parts(m, p->ws, y, qd, p->u, tau, actuation, elastic, damping);
  powers w = {.forces.actuation = td_dot(n, qd, actuation), .damping = td_dot(n, qd, damping)};
  for (int i = 0; i < m->tau_force_count; i++)
    if (m->tau_force[i]->power) m->tau_force[i]->power(m, p->ws, y, qd, p->u, &w.forces);
  if (td_force_acts(m, TD_FORCE_LOADS)) (void)power_on_bodies(p, TD_FORCE_LOADS, y, qd, qd, tau, &w.forces.loads);
  if (td_force_acts(m, TD_FORCE_RUBBING)) {
    double given;
    w.forces.rubbing = power_on_bodies(p, TD_FORCE_RUBBING, y, qd, qd, tau, &given);
  }
  if (!td_force_acts(m, TD_FORCE_DRAG)) return w;
  w.forces.heat = power_on_bodies(p, TD_FORCE_DRAG, y, qd, qd, tau, &w.forces.hydrodynamics);
  memset(actuation, 0, (size_t)n * sizeof *actuation); // a robot at rest
  if (m->water.flows) (void)power_on_bodies(p, TD_FORCE_DRAG, y, actuation, qd, tau, &w.forces.flow);
  return w;
}

static powers applied(td_plant *p, double t, const double *y, double *f) {
  if (td_plant_inputs(p, t, y, y + p->n)) return (powers){0};
  note_push(p, t);
  return powers_at(p, y, f);
}

// Multipliers of a driven mechanism of rigid bodies turn with it, far from linearly over the long steps of radau: there
// they are those that leave least of r = tau - ID on free coordinates. (In soft robots r has the noise of stiff
// strains.)
static void find_multipliers(td_plant *p, const double *y, const double *r, double *lambda) {
  td_projection *l = &p->projection;
  bool metric = l->metric;
  if (p->rows == 0 || p->driven_count == 0 || p->model->rod_count + p->model->ritz_count > 0) return;
  l->metric = false;
  (void)!td_loop_multipliers(l, y, r, lambda);
  l->metric = metric;
}

// Powers of constraints; lambda [rows]; `f` [n + rows n] scratch.
static void constrained(td_plant *p, const double *y, const double *qdd, double *lambda, double *f, powers *w) {
  int n = p->n;
  const double *qd = y + n;
  double *r = f, *A = f + n;
  if (p->driven_count == 0) {
    w->loops = td_loop_power(p->model, p->ws, y, qd, lambda);
    return;
  }
  if (td_residual_derivatives(p->model, p->ws, y, qd, qdd, p->u, r, NULL, NULL, NULL)) return;
  p->statistics->evaluations++;
  find_multipliers(p, y, r, lambda);
  if (p->rows > 0 && td_loop_error(p->model, p->ws, y, NULL, A)) return;
  for (int i = 0; i < p->rows; i++) {
    w->loops += lambda[i] * td_dot(n, A + i * n, qd);
    for (int j = 0; j < n; j++) r[j] += A[i * n + j] * lambda[i];
  }
  for (int i = 0; i < p->driven_count; i++) {
    int c = td_model_prescribed_coordinate(p->model, i, NULL);
    w->prescribed -= qd[c] * r[c];
  }
}

static void add(td_ledger *ledger, double weight, const powers *w) {
  const td_power *f = &w->forces;
  ledger->actuation += weight * f->actuation;
  ledger->loads += weight * f->loads;
  ledger->prescribed += weight * w->prescribed;
  ledger->hydrodynamics += weight * f->hydrodynamics;
  ledger->loops += weight * w->loops;
  ledger->dissipation -= weight * w->damping;
  ledger->rubbing += weight * f->rubbing;
  ledger->heat += weight * f->heat;
  ledger->exchanged +=
      weight * (fabs(f->actuation) + fabs(f->loads) + fabs(w->prescribed) + fabs(f->flow) +
                fabs(f->hydrodynamics - f->flow) + fabs(w->loops) + fabs(w->damping) + fabs(f->rubbing));
}

// y and qdd at the middle of the step, qd the velocity that carries q over it. `other` [2 n] scratch.
static td_status secant_middle(const td_integrator *method, td_stepper *stepper, td_plant *p, double t0, double t1,
                               double *y, double *qdd, double *other) {
  int n = p->n;
  td_status status = method->interpolate(stepper, t0, y);
  if (!status) status = method->interpolate(stepper, t1, other);
  for (int i = 0; i < n; i++) {
    qdd[i] = (other[n + i] - y[n + i]) / (t1 - t0);
    y[n + i] = (other[i] - y[i]) / (t1 - t0);
    y[i] = 0.5 * (y[i] + other[i]);
  }
  return status;
}

// y and, for constrained robots, qdd at t inside the step of size h. `other` [2 n] scratch.
static td_status inner_point(const td_integrator *method, td_stepper *stepper, td_plant *p, double t, double h,
                             double *y, double *qdd, double *other) {
  static const double part = 0.02;
  if (td_plant_constrained(p)) {
    td_status status = method->interpolate(stepper, t + part * h, y);
    if (!status) status = method->interpolate(stepper, t - part * h, other);
    if (status) return status;
    for (int i = 0; i < p->n; i++) qdd[i] = (y[p->n + i] - other[p->n + i]) / (2 * part * h);
  }
  return method->interpolate(stepper, t, y);
}

// Multiplier k between the ends of the step.
static double between(const td_plant *p, size_t k, double part) {
  return p->fresh ? p->lambda[k] : p->lambda_before[k] + part * (p->lambda[k] - p->lambda_before[k]);
}

typedef struct span {         // of a step
  double t0, t1, most, least; // s; W, of what prescribed joints take at its points
} span;

// Adds one of `pieces` equal pieces of a step. Gauss's points lie inside of it.
static td_status add_piece(td_ledger *ledger, td_plant *plant, const td_integrator *method, td_stepper *stepper,
                           span *step, bool secant, int piece, int pieces, double *scratch) {
  static const double gauss_at[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                      gauss_weight[3] = {5. / 18, 4. / 9, 5. / 18};
  size_t n = (size_t)plant->n, r = (size_t)plant->rows;
  double *y = scratch, *qdd = y + 2 * n, *other = qdd + n, *lambda = other + 2 * n, *f = lambda + r;
  double h = (step->t1 - step->t0) / pieces;
  for (int i = secant ? 1 : 0; i < (secant ? 2 : 3); i++) {
    double part = (piece + gauss_at[i]) / pieces, t = step->t0 + part * (step->t1 - step->t0);
    td_status status = secant ? secant_middle(method, stepper, plant, step->t0, step->t1, y, qdd, other)
                              : inner_point(method, stepper, plant, t, h, y, qdd, other);
    if (status) return status;
    for (size_t k = 0; k < r; k++) lambda[k] = between(plant, k, part);
    bool begun = td_steady_begin(plant->ws, y, y + n); // one pass for all powers
    powers w = applied(plant, t, y, f);
    if (td_plant_constrained(plant)) constrained(plant, y, qdd, lambda, f, &w);
    td_steady_end(plant->ws, begun);
    add(ledger, secant ? h : gauss_weight[i] * h, &w);
    step->most = fmax(step->most, w.prescribed), step->least = fmin(step->least, w.prescribed);
  }
  return TD_OK;
}

// Pieces in which no prescribed joint moves by more than a radian (or a metre); 1 where what they take is the same
// all along the step, as that of a wheel is, which one point in the middle does not tell. `y` [4n] scratch.
static int pieces_of(const td_plant *p, const td_integrator *method, td_stepper *stepper, const span *step, double *y) {
  enum { MOST = 4096 };
  static const double same = 1e-6, far = 3; // of equal steps only those that leave turns out
  int n = p->n, count = p->model->prescribed_count;
  double way = 0;
  bool varies = step->most - step->least > same * fmax(fabs(step->most), fabs(step->least));
  if (count == 0 || (!method->secant && !varies) || method->interpolate(stepper, step->t0, y) ||
      method->interpolate(stepper, step->t1, y + 2 * n))
    return 1;
  for (int i = 0; i < count; i++) {
    int c = td_model_prescribed_coordinate(p->model, i, NULL);
    way = fmax(way, fabs(y[2 * n + c] - y[c]));
  }
  return method->secant && way < far ? 1 : (int)fmin(MOST, fmax(1, ceil(way)));
}

void td_ledger_add_step(td_ledger *ledger, td_plant *plant, const td_integrator *method, td_stepper *stepper, double t0,
                        double t1, double *scratch) {
  assert(t1 >= t0);
  span step = {.t0 = t0, .t1 = t1, .most = -INFINITY, .least = INFINITY};
  td_ledger before = *ledger;
  if (add_piece(ledger, plant, method, stepper, &step, method->secant, 0, 1, scratch)) return;
  int pieces = pieces_of(plant, method, stepper, &step, scratch);
  if (pieces > 1) *ledger = before;
  for (int k = 0; pieces > 1 && k < pieces; k++)
    if (add_piece(ledger, plant, method, stepper, &step, false, k, pieces, scratch)) return;
  if (plant->rows) memcpy(plant->lambda_before, plant->lambda, (size_t)plant->rows * sizeof *plant->lambda);
  plant->fresh = false;
}

td_energy_balance td_ledger_balance(const td_ledger *ledger, const td_energy *before, const td_energy *after) {
  td_energy_balance b = {
      // d(stored)/dt = stored force by u' - stored force on the robot: work of u = change + work done on the robot
      .actuation = ledger->actuation + after->driven - before->driven,
      .loads = ledger->loads,
      .prescribed = ledger->prescribed,
      .hydrodynamics = ledger->hydrodynamics,
      .loops = ledger->loops,
      .dissipation = ledger->dissipation,
      .contact_losses = ledger->rubbing,
      .exchanged = ledger->exchanged,
  };
  double change = 0;
  for (int k = 0; k < TD_ENERGY_KINDS; k++) {
    b.of[k] = after->of[k] - before->of[k];
    change += b.of[k];
  }
  b.error =
      change - (b.actuation + b.loads + b.prescribed + b.hydrodynamics + b.loops - b.dissipation - b.contact_losses);
  return b;
}
