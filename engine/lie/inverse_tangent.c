// T^-1 = 1 - xi^/2 + e xi^ xi^ over the dual numbers w + eps v: real part X on the diagonal blocks, dual part Y below,
//   X = 1 - w^/2 + e (w w^T - s),   Y = -v^/2 + e (w v^T + v w^T - 2 w.v) + 2 w.v e' (w w^T - s),   s = w.w.
// e has the series sum |B_2k| s^(k-1) / (2k)! (radius (2 pi)^2); closed form from s = 1 on, where it loses two digits
// of e'.
#include "lie/inverse_tangent.h"
#include "lie/vec3.h"
#include <math.h>
#include <string.h>

double td_inverse_tangent_coefficient(double s, double *derivative) {
  static const double TERM[10] = {1.0 / 12,
                                  1.0 / 720,
                                  1.0 / 30240,
                                  1.0 / 1209600,
                                  1.0 / 47900160,
                                  691.0 / 1307674368000,
                                  1.0 / 74724249600,
                                  3617.0 / 10670622842880000,
                                  43867.0 / 5109094217170944000.0,
                                  174611.0 / 802857662698291200000.0};
  if (s < 1) {
    double e = 0, d = 0;
    for (int k = 9; k >= 0; k--) {
      e = e * s + TERM[k];
      if (k > 0) d = d * s + k * TERM[k];
    }
    if (derivative) *derivative = d;
    return e;
  }
  double half = 0.5 * sqrt(s), cotangent = cos(half) / sin(half), e = (1 - half * cotangent) / s;
  if (derivative) *derivative = ((half * (1 + cotangent * cotangent) - cotangent) / (8 * half) - e) / s;
  return e;
}

static void add_hat(double k, const double x[3], double *block) {
  block[1] -= k * x[2], block[2] += k * x[1], block[6] += k * x[2];
  block[8] -= k * x[0], block[12] -= k * x[1], block[13] += k * x[0];
}

void td_inverse_tangent(const double xi[6], double out[TD_MATRIX6]) {
  const double *w = xi, *v = xi + 3;
  double s = td_vec3_dot(w, w), wv = td_vec3_dot(w, v), de;
  double e = td_inverse_tangent_coefficient(s, &de);
  memset(out, 0, TD_MATRIX6 * sizeof *out);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double one = i == j ? 1 : 0, square = w[i] * w[j] - s * one;
      out[6 * i + j] = out[6 * (3 + i) + 3 + j] = one + e * square;
      out[6 * (3 + i) + j] = e * (w[i] * v[j] + v[i] * w[j] - 2 * wv * one) + 2 * wv * de * square;
    }
  add_hat(-0.5, w, out);
  add_hat(-0.5, w, out + 21);
  add_hat(-0.5, v, out + 18);
}
