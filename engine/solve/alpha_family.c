// The predictor that Newmark, hht and generalized_alpha share. Equilibrium is asked for at the end of the step only; the
// weighting by alpha_m and alpha_f is put on accelerations instead of forces. For a constant mass matrix and linear forces
// that is the textbook form of both methods; it keeps second order when M depends on q, and one residual serves all three.
// Source: Arnold, Bruels, Convergence of the generalized-alpha scheme for constrained mechanical systems, 2007, eq. 4-5.
#include "solve/implicit_step.h"

td_slopes td_alpha_predict(const td_alpha *alpha, int n, double h, const td_point *from, td_point *to) {
  double c0 = 0.5 - alpha->beta, c1 = alpha->beta, d0 = 1 - alpha->gamma, d1 = alpha->gamma;
  for (int i = 0; i < n; i++) {
    double a0 = from->a[i], b0 = from->b[i], v0 = from->y[n + i];
    double b1 = (a0 - alpha->m * b0) / (1 - alpha->m);
    to->y[i] = from->y[i] + h * v0 + h * h * (c0 * b0 + c1 * b1);
    to->y[n + i] = v0 + h * (d0 * b0 + d1 * b1);
    to->a[i] = a0;
    to->b[i] = b1;
  }
  td_slopes s = {.v = d1 / (c1 * h), .b = 1 / (c1 * h * h)};
  s.a = s.b * (1 - alpha->m) / (1 - alpha->f);
  return s;
}
