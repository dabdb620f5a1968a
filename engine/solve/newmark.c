// Newmark's method on tau - ID(q, qd, qdd) = 0:
//     q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),   v1 = v0 + h ((1 - gamma) a0 + gamma a1).
// gamma 1/2, beta 1/4: the trapezoidal rule, second order, unconditionally stable, no numerical damping. Mathew2025 section 5.
#include "solve/implicit_step.h"
#include <math.h>

static td_alpha parameters(const td_integrator_spec *spec) {
  return (td_alpha){.gamma = isnan(spec->gamma) ? 0.5 : spec->gamma, .beta = isnan(spec->beta) ? 0.25 : spec->beta};
}

static td_slopes predict(const td_integrator_spec *spec, int n, double h, const td_point *from, td_point *to) {
  td_alpha alpha = parameters(spec);
  return td_alpha_predict(&alpha, n, h, from, to);
}

static void accuracy(const td_integrator_spec *spec, int *order, double *constant) {
  td_alpha alpha = parameters(spec);
  td_alpha_accuracy(&alpha, order, constant);
}

static td_status create(td_plant *plant, const td_integrator_spec *spec, td_stepper **stepper) {
  return td_implicit_create(plant, spec, predict, "newmark", stepper);
}

const td_integrator td_integrator_newmark = {
    .name = "newmark",
    .default_h = 0.002,
    .family = true,
    .kinked = true,
    .secant = true,
    .accuracy = accuracy,
    .create = create,
    .destroy = td_implicit_destroy,
    .start = td_implicit_start,
    .step = td_implicit_step,
    .back = td_implicit_back,
    .interpolate = td_implicit_interpolate,
    .hint = td_implicit_hint,
    .carry_size = td_implicit_carry_size,
    .carry = td_implicit_carry,
};
