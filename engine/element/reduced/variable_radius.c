// Sections of a body with constant curvature whose radius swells on either half (pcc_variable_radius):
//   y = rho (cos phi, sin phi),  rho = r + dR or r (1 + dR / R),  dR = b_0 p_0 on the first half, b_1 p_1 on the
//   second.
// The map is affine in p: data holds y at p = 0 and its two slopes. Source: Pustina2024, simulation 1.
#include "element/reduced/section_parts.h"
#include <assert.h>
#include <math.h>

void td_variable_radius_map(const td_section_points *points, const double *p, int order, td_poly y[2]) {
  const td_vec *d = points->data;
  for (int i = 0; i < 2; i++) {
    y[i] = td_poly_constant(d[i] + d[2 + i] * p[0] + d[4 + i] * p[1], order);
    y[i].c[1] = d[2 + i];
    y[i].c[2] = d[4 + i];
  }
}

// exp(-1e-2 L / (L^2/4 - (s - L/2)^2)) exp(-1 / (pi^2/4 - (phi - pi/2)^2)), the second half turned by pi.
double td_radius_bump(double length, double s, double phi, int *mode) {
  assert(length > 0 && s >= 0 && s <= 1);
  *mode = phi >= M_PI;
  double angle = (*mode ? phi - M_PI : phi) - M_PI / 2, x = (s - 0.5) * length;
  double along = length * length / 4 - x * x, around = M_PI * M_PI / 4 - angle * angle;
  return along > 0 && around > 0 ? exp(-1e-2 * length / along) * exp(-1 / around) : 0;
}

// A material point moves out with its direction's bump (shift law; with the scale law marks lie on the outline r = R,
// where both laws agree).
void td_variable_radius_mark(double s, double length, td_section_points *point) {
  for (int l = 0; l < TD_LANES; l++) {
    double x = point->data[0][l], y = point->data[1][l], phi = atan2(y, x), r = hypot(x, y);
    int mode;
    double b = td_radius_bump(length, s, phi < 0 ? phi + 2 * M_PI : phi, &mode);
    point->data[2 + 2 * mode][l] = r > 0 ? b * x / r : 0;
    point->data[3 + 2 * mode][l] = r > 0 ? b * y / r : 0;
  }
}
