// The implicit Euler method with a fixed step on tau - ID = 0:  q1 = q0 + h v1,  v1 = v0 + h a1.
// First order and strongly damping: for settling robots down and for comparison. The predictor keeps the velocity.
#include "integrate/one_step/implicit_step.h"

static td_slopes predict(const td_integrator *method, const td_integrator_spec *spec, int n, double h,
                         const td_point *from, td_point *to) {
  (void)method, (void)spec;
  for (int i = 0; i < n; i++) {
    to->y[i] = from->y[i] + h * from->y[n + i];
    to->y[n + i] = from->y[n + i];
    to->a[i] = to->b[i] = 0;
  }
  return (td_slopes){.v = 1 / h, .a = 1 / (h * h), .b = 1 / (h * h)};
}

// Each step of a mode is divided by 1 + i w h.
static void accuracy(const td_integrator *method, const td_integrator_spec *spec, int *order, double *constant) {
  (void)method, (void)spec;
  *order = 1;
  *constant = 1. / 2;
}

static td_status create(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                        td_stepper **stepper) {
  return td_implicit_create(method, plant, spec, predict, stepper);
}

const td_integrator td_integrator_euler_implicit = {
    .name = "euler_implicit",
    TD_IMPLICIT_ROW,
    .accuracy = accuracy,
    .create = create,
};
