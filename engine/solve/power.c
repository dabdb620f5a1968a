// Energy bookkeeping: powers qd^T (B u), qd^T (loads), -qd^T (damping) integrated over each accepted step by three Gauss points
// on the method's own interpolant. Gauss points lie inside the step, so a jump of an input at its end does no harm; the rule
// is exact to degree 5. Costs three force evaluations per step, O(points) each.
// Methods with a difference formula between q and qd (Newmark, implicit Euler) let stiff modes ring: what their forces do is
// force times the step of q, so one point, the middle, with qd = (q1 - q0) / h.
#include "solve/power.h"
#include "algorithm/dynamics.h"
#include <math.h>

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// Powers into the robot at (t, y): actuation, loads, damping (negative). `f` [4 n] scratch.
static void powers(td_plant *p, double t, const double *y, double *f, double power[3]) {
  static const double weightless[3] = {0, 0, 0};
  int n = p->n;
  const double *qd = y + n;
  double *tau = f, *actuation = f + n, *elastic = f + 2 * n, *damping = f + 3 * n;
  td_inputs_eval(p->inputs, t, p->inside, p->u);
  td_force_parts(p->model, p->ws, y, qd, p->u, tau, actuation, elastic, damping);
  power[0] = dot(n, qd, actuation);
  power[1] = 0;
  power[2] = dot(n, qd, damping);
  if (p->model->load_count == 0) return;
  td_id_parts(p->model, p->ws, y, NULL, NULL, p->u, 1, weightless, tau);
  power[1] = -dot(n, qd, tau);
}

// y at the middle of the step with the velocity that carries q over it. `other` [2 n] scratch.
static td_status secant_middle(const td_integrator *method, td_stepper *stepper, int n, double t0, double t1, double *y,
                               double *other) {
  td_status status = method->interpolate(stepper, t0, y);
  if (!status) status = method->interpolate(stepper, t1, other);
  for (int i = 0; i < n; i++) {
    y[n + i] = (other[i] - y[i]) / (t1 - t0);
    y[i] = 0.5 * (y[i] + other[i]);
  }
  return status;
}

static void add(td_ledger *ledger, double weight, const double power[3]) {
  ledger->actuation += weight * power[0];
  ledger->loads += weight * power[1];
  ledger->dissipation -= weight * power[2];
  ledger->exchanged += weight * (fabs(power[0]) + fabs(power[1]) + fabs(power[2]));
}

void td_ledger_add_step(td_ledger *ledger, td_plant *plant, const td_integrator *method, td_stepper *stepper, double t0,
                        double t1, double *scratch) {
  static const double gauss_at[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                      weight[3] = {5. / 18, 4. / 9, 5. / 18};
  double h = t1 - t0, *y = scratch, *f = scratch + 2 * plant->n, power[3];
  if (method->secant) {
    if (secant_middle(method, stepper, plant->n, t0, t1, y, f)) return;
    powers(plant, t0 + 0.5 * h, y, f, power);
    add(ledger, h, power);
    return;
  }
  for (int i = 0; i < 3; i++) {
    double t = t0 + gauss_at[i] * h;
    if (method->interpolate(stepper, t, y)) return;
    powers(plant, t, y, f, power);
    add(ledger, weight[i] * h, power);
  }
}

td_energy_balance td_ledger_balance(const td_ledger *ledger, const td_energy *before, const td_energy *after) {
  td_energy_balance b = {
      .kinetic = after->kinetic - before->kinetic,
      .elastic = after->elastic - before->elastic,
      .gravitational = after->gravitational - before->gravitational,
      .actuation = ledger->actuation,
      .loads = ledger->loads,
      .dissipation = ledger->dissipation,
      .exchanged = ledger->exchanged,
  };
  b.error = b.kinetic + b.elastic + b.gravitational - (b.actuation + b.loads - b.dissipation);
  return b;
}
