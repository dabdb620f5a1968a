// Newmark's method on tau - ID(q, qd, qdd) = 0:
//     q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),   v1 = v0 + h ((1 - gamma) a0 + gamma a1).
// gamma 1/2, beta 1/4: the trapezoidal rule, second order, unconditionally stable, no numerical damping. Mathew2025
// section 5.
#include "integrate/one_step/implicit_step.h"
#include <math.h>

static td_alpha coefficients(const td_integrator_spec *spec) {
  return (td_alpha){.gamma = isnan(spec->gamma) ? 0.5 : spec->gamma, .beta = isnan(spec->beta) ? 0.25 : spec->beta};
}

const td_integrator td_integrator_newmark = {
    .name = "newmark",
    TD_ALPHA_ROW,
    .alpha = coefficients,
    .options = TD_OPTIONS_OF_FAMILY,
};
