// The predictor that Newmark, hht and generalized_alpha share. Equilibrium is asked for at the end of the step only;
// the weighting by alpha_m and alpha_f is put on accelerations instead of forces. For a constant mass matrix and linear
// forces that is the textbook form of both methods; it keeps second order when M depends on q, and one residual serves
// all three. Source: Arnold, Bruels, Convergence of the generalized-alpha scheme for constrained mechanical systems,
// 2007, eq. 4-5.
#include "integrate/one_step/implicit_step.h"
#include <assert.h>
#include <math.h>

static td_slopes predict(const td_integrator *method, const td_integrator_spec *spec, int n, double h,
                         const td_point *from, td_point *to) {
  td_alpha alpha = method->alpha(spec);
  double c0 = 0.5 - alpha.beta, c1 = alpha.beta, d0 = 1 - alpha.gamma, d1 = alpha.gamma;
  for (int i = 0; i < n; i++) {
    double a0 = from->a[i], b0 = from->b[i], v0 = from->y[n + i];
    double b1 = (a0 - alpha.m * b0) / (1 - alpha.m);
    to->y[i] = from->y[i] + h * v0 + h * h * (c0 * b0 + c1 * b1);
    to->y[n + i] = v0 + h * (d0 * b0 + d1 * b1);
    to->a[i] = a0;
    to->b[i] = b1;
  }
  td_slopes s = {.v = d1 / (c1 * h), .b = 1 / (c1 * h * h)};
  s.a = s.b * (1 - alpha.m) / (1 - alpha.f);
  return s;
}

td_status td_alpha_create(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                          td_stepper **stepper) {
  assert(method->family && method->alpha);
  return td_implicit_create(method, plant, spec, predict, stepper);
}

// With x = i w' h of the computed mode and E = exp(x), the formulas on q'' = -w^2 q read, a (E - 1) + 1 being a weight
// between the ends of a step,
//     -(w h)^2 = (E - 1)^2 (1 + (1 - alpha_m) (E - 1)) / ((1 + (gamma + 1/2) (E - 1) + beta (E - 1)^2) (1 + (1 -
//     alpha_f) (E - 1))),
// whose logarithm in powers of x begins 2 log x + c1 x + c2 x^2: the phase is off by c2/2 (w h)^3 in a step, the
// amplitude by c1/2 (w h)^2, where c1 = 1/2 - alpha_m + alpha_f - gamma is 0 but for users who choose a gamma of their
// own.
void td_alpha_accuracy(const td_integrator *method, const td_integrator_spec *spec, int *order, double *constant) {
  static const double none = 1e-9;
  td_alpha alpha = method->alpha(spec);
  double m = alpha.m, f = alpha.f, g = alpha.gamma + 0.5;
  double c1 = 1 - m + f - g, c2 = 1. / 12 + m * (1 - m) / 2 - f * (1 - f) / 2 - g / 2 - alpha.beta + g * g / 2;
  *order = fabs(c1) > none ? 1 : 2;
  *constant = fabs(*order == 1 ? c1 : c2) / 2;
}
