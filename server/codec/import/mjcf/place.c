// Where something of MJCF is: pos, and one of five ways to say how it is turned, as a quaternion.
#include "codec/import/mjcf/parts.h"
#include "tendril/se3.h"

#include <math.h>
#include <string.h>

static void product(const double a[4], const double b[4], double out[4]) {
  const double q[4] = {
      a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  memcpy(out, q, sizeof q);
}

static void about(const double axis[3], double angle, double out[4]) {
  out[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) out[1 + i] = axis[i] * sin(angle / 2);
}

static bool normalise(double *x, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i] * x[i];
  double norm = sqrt(sum);
  for (size_t i = 0; i < count && norm > 0; i++) x[i] /= norm;
  return norm > 0 && isfinite(norm);
}

void mjcf_rotation(const double quaternion[4], double R[9]) {
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (td_rotation_from_quaternion(quaternion, R) != TD_OK) memcpy(R, one, sizeof one);
}

void mjcf_quaternion_to(const double z[3], double q[4]) {
  double axis[3] = {-z[1], z[0], 0}, sine = hypot(z[0], z[1]); // (0, 0, 1) x z
  if (!normalise(axis, 3)) axis[0] = 1, axis[1] = 0;
  about(axis, atan2(sine, z[2]), q);
}

// A lower letter turns about the axis that the turns before have moved, a capital one about the fixed axis.
static td_status read_euler(const mjcf *m, xml_element *e, const char *text, double q[4]) {
  double angle[3];
  td_status status = import_numbers_of(m->r, e, "euler", text, 3, 3, angle, NULL);
  q[0] = 1;
  for (int i = 0; i < 3 && !status; i++) {
    char letter = m->sequence[i];
    bool fixed = letter >= 'X' && letter <= 'Z';
    double axis[3] = {0}, turn[4];
    axis[letter - (fixed ? 'X' : 'x')] = 1;
    about(axis, angle[i] * m->unit, turn);
    product(fixed ? turn : q, fixed ? q : turn, q);
  }
  return status;
}

static td_status read_axes(const mjcf *m, xml_element *e, const char *text, double q[4]) {
  double x[6], *y = x + 3, along = 0;
  td_status status = import_numbers_of(m->r, e, "xyaxes", text, 6, 6, x, NULL);
  if (status) return status;
  bool good = normalise(x, 3);
  for (int i = 0; i < 3; i++) along += x[i] * y[i];
  for (int i = 0; i < 3; i++) y[i] -= along * x[i];
  if (!good || !normalise(y, 3)) return import_fail(m->r, e, "xyaxes=\"%.60s\" are not two directions", text);
  const double z[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
  const double R[9] = {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
  td_quaternion_from_rotation(R, q);
  return TD_OK;
}

static td_status read_turn(const mjcf *m, xml_element *e, const char *name, const char *text, double q[4]) {
  double x[4];
  td_status status;
  if (strcmp(name, "euler") == 0) return read_euler(m, e, text, q);
  if (strcmp(name, "xyaxes") == 0) return read_axes(m, e, text, q);
  size_t count = strcmp(name, "zaxis") == 0 ? 3 : 4;
  status = import_numbers_of(m->r, e, name, text, count, count, x, NULL);
  if (status) return status;
  bool quat = strcmp(name, "quat") == 0;
  if (!normalise(x, quat ? 4 : 3)) return import_fail(m->r, e, "%s=\"%.60s\" has no direction", name, text);
  if (quat) memcpy(q, x, sizeof x);
  if (count == 3) mjcf_quaternion_to(x, q);
  if (count == 4 && !quat) about(x, x[3] * m->unit, q);
  return TD_OK;
}

td_status mjcf_place_of(const mjcf *m, xml_element *e, mjcf_place *place) {
  static const char *const names[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  *place = (mjcf_place){.quaternion = {1, 0, 0, 0}};
  td_status status = mjcf_numbers(m, e, "pos", 3, 3, place->xyz, NULL);
  const char *said = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !status; i++) {
    const char *text;
    status = mjcf_attribute(m, e, names[i], &text);
    if (status || !text) continue;
    if (said) return import_fail(m->r, e, "it says how it is turned by %s and by %s", said, names[i]);
    said = names[i];
    double q[4] = {1, 0, 0, 0};
    status = read_turn(m, e, names[i], text, q);
    memcpy(place->quaternion, q, sizeof q);
  }
  return status;
}
