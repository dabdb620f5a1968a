// The method of Hilber, Hughes and Taylor: Newmark's formulas with the forces of the two ends of a step weighted 1 +
// alpha and -alpha, alpha in [-1/3, 0]. The more negative, the more high modes are damped; 0 is the trapezoidal rule.
// With gamma = 1/2 - alpha and beta = (1 - alpha)^2 / 4 it is of second order and unconditionally stable. In the
// family's terms alpha_m = 0, alpha_f = -alpha. Source: Hilber, Hughes, Taylor 1977 (their sign of alpha, as in most
// codes).
#include "integrate/one_step/implicit_step.h"
#include <math.h>

static td_alpha coefficients(const td_integrator_spec *spec) {
  double a = spec->alpha;
  return (td_alpha){.f = -a,
                    .gamma = isnan(spec->gamma) ? 0.5 - a : spec->gamma,
                    .beta = isnan(spec->beta) ? (1 - a) * (1 - a) / 4 : spec->beta};
}

const td_integrator td_integrator_hht = {
    .name = "hht",
    TD_ALPHA_ROW,
    .alpha = coefficients,
    .options = TD_OPTIONS_OF_FAMILY | TD_OPTION_ALPHA,
};
