// The generalized-alpha method of Chung and Hulbert: the least damping of low modes for a given spectral radius rho_inf of the
// highest ones. rho_inf 1 damps nothing, 0 wipes them out in one step.
//   alpha_m = (2 rho - 1) / (rho + 1), alpha_f = rho / (rho + 1), gamma = 1/2 + alpha_f - alpha_m, beta = (1/2 + gamma)^2 / 4.
// Source: Chung, Hulbert 1993. The default for models with loops, whose multipliers the trapezoidal rule lets oscillate.
#include "solve/implicit_step.h"
#include <math.h>

static td_alpha parameters(const td_integrator_spec *spec) {
  double rho = spec->rho_inf;
  td_alpha alpha = {.m = (2 * rho - 1) / (rho + 1), .f = rho / (rho + 1)};
  alpha.gamma = isnan(spec->gamma) ? 0.5 + alpha.f - alpha.m : spec->gamma;
  alpha.beta = isnan(spec->beta) ? (0.5 + alpha.gamma) * (0.5 + alpha.gamma) / 4 : spec->beta;
  return alpha;
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
  return td_implicit_create(plant, spec, predict, "generalized_alpha", stepper);
}

const td_integrator td_integrator_generalized_alpha = {
    .name = "generalized_alpha",
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
