// Points of a cylinder's rim and their derivatives (rim.h).
#include "element/rim.h"
#include "element/rigid_shape.h"
#include "lie/vec3.h"
#include <math.h>
#include <string.h>

static const double FLAT = 1e-6;
static const double PART[TD_RIM_QUARTERS][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

void td_rim_at(const double R[9], const double axis[3], double radius, int quarter, const double n[3], td_rim *out) {
  double unit[3], e[2][3];
  *out = (td_rim){.radius = radius, .quarter = quarter};
  td_mat3_vec(R, axis, out->axis);
  out->lean = td_vec3_dot(out->axis, n);
  for (int k = 0; k < 3; k++) e[0][k] = out->axis[k] * out->lean - n[k];
  out->rise = sqrt(td_vec3_dot(e[0], e[0]));
  out->flat = out->rise < FLAT;
  if (out->flat) {
    td_axis_plane(axis, unit, e[0], e[1]);
    td_mat3_vec(R, e[0], out->e[0]);
  } else {
    for (int k = 0; k < 3; k++) out->e[0][k] = e[0][k] / out->rise;
  }
  td_vec3_cross(out->axis, out->e[0], out->e[1]);
}

void td_rim_offset(const td_rim *rim, double out[3]) {
  const double *part = PART[rim->quarter];
  for (int k = 0; k < 3; k++) out[k] = rim->radius * (part[0] * rim->e[0][k] + part[1] * rim->e[1][k]);
}

void td_rim_turn(const td_rim *rim, const double dn[3], double out[3]) {
  const double *part = PART[rim->quarter];
  double lean = td_vec3_dot(rim->axis, dn), rise = -rim->lean * lean / rim->rise, de[2][3];
  memset(out, 0, 3 * sizeof *out);
  if (rim->flat) return;
  for (int k = 0; k < 3; k++) de[0][k] = (rim->axis[k] * lean - dn[k] - rim->e[0][k] * rise) / rim->rise;
  td_vec3_cross(rim->axis, de[0], de[1]);
  for (int k = 0; k < 3; k++) out[k] = rim->radius * (part[0] * de[0][k] + part[1] * de[1][k]);
}
