// The implicit Euler method with a fixed step on tau - ID = 0:  q1 = q0 + h v1,  v1 = v0 + h a1.
// First order and strongly damping: for settling robots down and for comparison. The predictor keeps the velocity.
#include "solve/implicit_step.h"

static void predictor(const td_integrator_spec *spec, int n, double h, const double *y0, const double *a0, double *y,
                      double *a, double *cv, double *ca) {
  (void)spec, (void)a0;
  for (int i = 0; i < n; i++) {
    y[i] = y0[i] + h * y0[n + i];
    y[n + i] = y0[n + i];
    a[i] = 0;
  }
  *cv = 1 / h;
  *ca = 1 / (h * h);
}

static td_status create(td_plant *plant, const td_integrator_spec *spec, td_stepper **stepper) {
  return td_implicit_create(plant, spec, predictor, "euler_implicit", stepper);
}

const td_integrator td_integrator_euler_implicit = {
    .name = "euler_implicit",
    .default_h = 0.002,
    .secant = true,
    .create = create,
    .destroy = td_implicit_destroy,
    .start = td_implicit_start,
    .step = td_implicit_step,
    .interpolate = td_implicit_interpolate,
};
