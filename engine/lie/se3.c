// SE(3) for single poses: composition, exp and log, rotations from rpy and quaternions (public header se3.h).
//
// exp is R = 1 + c_1 w^ + c_2 w^2, p = (1 + c_2 w^ + c_3 w^2) v with the entire functions c_n of tangent.h; log takes
// the angle from atan2 of |vee(R - R^T)| and the trace through a quaternion, which is accurate to rounding up to and
// including pi.
// Sources: Mathew2025 appendix A; the inverse tangent is in inverse_tangent.c.
#include "tendril/se3.h"
#include "lie/inverse_tangent.h"
#include "lie/vec3.h"
#include <math.h>
#include <stddef.h>

td_se3 td_se3_identity(void) { return (td_se3){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}; }

void td_rotation_from_rpy(const double rpy[3], double R[9]) {
  double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]), sy = sin(rpy[2]);
  R[0] = cy * cp, R[1] = cy * sp * sr - sy * cr, R[2] = cy * sp * cr + sy * sr;
  R[3] = sy * cp, R[4] = sy * sp * sr + cy * cr, R[5] = sy * sp * cr - cy * sr;
  R[6] = -sp, R[7] = cp * sr, R[8] = cp * cr;
}

td_status td_rotation_from_quaternion(const double wxyz[4], double R[9]) {
  double norm = hypot(hypot(wxyz[0], wxyz[1]), hypot(wxyz[2], wxyz[3])); // squares would over- and underflow
  if (!(norm > 0) || !isfinite(norm)) return TD_INVALID_ARGUMENT;
  double w = wxyz[0] / norm, x = wxyz[1] / norm, y = wxyz[2] / norm, z = wxyz[3] / norm;
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
  return TD_OK;
}

void td_se3_compose(const td_se3 *a, const td_se3 *b, td_se3 *out) {
  td_se3 r;
  td_mat3_mul(a->R, b->R, r.R);
  td_mat3_vec(a->R, b->p, r.p);
  for (int i = 0; i < 3; i++) r.p[i] += a->p[i];
  *out = r;
}

void td_se3_inverse(const td_se3 *a, td_se3 *out) {
  td_se3 r;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) r.R[3 * i + j] = a->R[3 * j + i];
  td_mat3_vec(r.R, a->p, r.p);
  for (int i = 0; i < 3; i++) r.p[i] = -r.p[i];
  *out = r;
}

// c_1, c_2, c_3 of s = theta^2, to rounding: series below 1, closed forms without cancellation above.
static void exponential_coefficients(double s, double c[4]) {
  if (s < 1) {
    double c2 = 0, c3 = 0;
    for (int j = 9; j >= 0; j--) { // c_n = 1/n! (1 - s/((n+1)(n+2)) (1 - …))
      c2 = 1 - s / ((2 * j + 3) * (2 * j + 4)) * c2;
      c3 = 1 - s / ((2 * j + 4) * (2 * j + 5)) * c3;
    }
    c[2] = 0.5 * c2, c[3] = c3 / 6, c[1] = 1 - s * c[3];
    return;
  }
  double theta = sqrt(s), half = sin(0.5 * theta);
  c[1] = sin(theta) / theta, c[2] = 2 * half * half / s, c[3] = (1 - c[1]) / s;
}

void td_se3_exp(const double xi[6], td_se3 *g) {
  const double *w = xi, *v = xi + 3;
  double c[4], wv[3], wwv[3];
  double s = td_vec3_dot(w, w);
  exponential_coefficients(s, c);
  td_vec3_cross(w, v, wv);
  td_vec3_cross(w, wv, wwv);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) g->R[3 * i + j] = c[2] * w[i] * w[j];
    g->R[4 * i] += 1 - c[2] * s;
    g->p[i] = v[i] + c[2] * wv[i] + c[3] * wwv[i];
  }
  g->R[1] -= c[1] * w[2], g->R[2] += c[1] * w[1], g->R[3] += c[1] * w[2];
  g->R[5] -= c[1] * w[0], g->R[6] -= c[1] * w[1], g->R[7] += c[1] * w[0];
}

// From the largest of its four squares (Shepperd).
void td_quaternion_from_rotation(const double R[9], double q[4]) {
  double t[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[0] - R[8], R[8] - R[0] - R[4]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  double u[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]}, d = sqrt(1 + t[k]);
  q[k] = 0.5 * d;
  double f = 0.5 / d;
  if (k == 0) {
    for (int i = 0; i < 3; i++) q[i + 1] = f * u[i];
  } else {
    int a = k - 1, b = (a + 1) % 3, c = (a + 2) % 3;
    q[0] = f * u[a];
    q[b + 1] = f * (R[3 * a + b] + R[3 * b + a]);
    q[c + 1] = f * (R[3 * a + c] + R[3 * c + a]);
  }
  if (q[0] < 0)
    for (int i = 0; i < 4; i++) q[i] = -q[i];
}

void td_se3_log(const td_se3 *g, double xi[6]) {
  double q[4], n, e;
  td_quaternion_from_rotation(g->R, q);
  n = sqrt(td_vec3_dot(q + 1, q + 1));
  double half = atan2(n, q[0]), scale = n > 1e-8 ? 2 * half / n : 2 / q[0];
  for (int i = 0; i < 3; i++) xi[i] = scale * q[i + 1];
  e = td_inverse_tangent_coefficient(4 * half * half, NULL);
  double wp[3], wwp[3];
  td_vec3_cross(xi, g->p, wp);
  td_vec3_cross(xi, wp, wwp);
  for (int i = 0; i < 3; i++) xi[3 + i] = g->p[i] - 0.5 * wp[i] + e * wwp[i];
}
