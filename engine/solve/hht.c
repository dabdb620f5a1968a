// The method of Hilber, Hughes and Taylor: Newmark's formulas with the forces of the two ends of a step weighted 1 + alpha
// and -alpha, alpha in [-1/3, 0]. The more negative, the more high modes are damped; 0 is the trapezoidal rule. With
// gamma = 1/2 - alpha and beta = (1 - alpha)^2 / 4 it is of second order and unconditionally stable. In the family's terms
// alpha_m = 0, alpha_f = -alpha. Source: Hilber, Hughes, Taylor 1977 (their sign of alpha, as in most codes).
#include "solve/implicit_step.h"
#include <math.h>

static td_alpha parameters(const td_integrator_spec *spec) {
  double a = spec->alpha;
  return (td_alpha){.f = -a,
                    .gamma = isnan(spec->gamma) ? 0.5 - a : spec->gamma,
                    .beta = isnan(spec->beta) ? (1 - a) * (1 - a) / 4 : spec->beta};
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
  return td_implicit_create(plant, spec, predict, "hht", stepper);
}

const td_integrator td_integrator_hht = {
    .name = "hht",
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
