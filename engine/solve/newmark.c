// Newmark's method with a fixed step on tau - ID(q, qd, qdd) = 0:
//     q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),   v1 = v0 + h ((1 - gamma) a0 + gamma a1).
// gamma 1/2, beta 1/4: the trapezoidal rule, second order, unconditionally stable, no numerical damping. Mathew2025 section 5.
// The predictor keeps the acceleration, a1 = a0.
#include "solve/implicit_step.h"

static void predictor(const td_integrator_spec *spec, int n, double h, const double *y0, const double *a0, double *y,
                      double *a, double *cv, double *ca) {
  for (int i = 0; i < n; i++) {
    y[i] = y0[i] + h * y0[n + i] + h * h / 2 * a0[i];
    y[n + i] = y0[n + i] + h * a0[i];
    a[i] = a0[i];
  }
  *cv = spec->gamma / (spec->beta * h);
  *ca = 1 / (spec->beta * h * h);
}

static td_status create(td_plant *plant, const td_integrator_spec *spec, td_stepper **stepper) {
  return td_implicit_create(plant, spec, predictor, "newmark", stepper);
}

const td_integrator td_integrator_newmark = {
    .name = "newmark",
    .default_h = 0.002,
    .secant = true,
    .create = create,
    .destroy = td_implicit_destroy,
    .start = td_implicit_start,
    .step = td_implicit_step,
    .interpolate = td_implicit_interpolate,
};
