// The generalized-alpha method of Chung and Hulbert: the least damping of low modes for a given spectral radius rho_inf
// of the highest ones. rho_inf 1 damps nothing, 0 wipes them out in one step.
//   alpha_m = (2 rho - 1) / (rho + 1), alpha_f = rho / (rho + 1), gamma = 1/2 + alpha_f - alpha_m, beta = (1/2 +
//   gamma)^2 / 4.
// Source: Chung, Hulbert 1993. The default for models with loops, whose multipliers the trapezoidal rule lets
// oscillate.
#include "integrate/one_step/implicit_step.h"
#include <math.h>

static td_alpha coefficients(const td_integrator_spec *spec) {
  double rho = spec->rho_inf;
  td_alpha alpha = {.m = (2 * rho - 1) / (rho + 1), .f = rho / (rho + 1)};
  alpha.gamma = isnan(spec->gamma) ? 0.5 + alpha.f - alpha.m : spec->gamma;
  alpha.beta = isnan(spec->beta) ? (0.5 + alpha.gamma) * (0.5 + alpha.gamma) / 4 : spec->beta;
  return alpha;
}

const td_integrator td_integrator_generalized_alpha = {
    .name = "generalized_alpha",
    .serves = TD_SERVES_STEPS,
    TD_ALPHA_ROW,
    .alpha = coefficients,
    .options = TD_OPTIONS_OF_FAMILY | TD_OPTION_RHO_INF,
};
