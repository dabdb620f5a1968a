// The course of a rod at rest: a straight line, or a curve of constant curvature and torsion, which is a circle or a
// helix.
//
// A helix about the unit vector a: p(theta) = c + R (cos theta u + sin theta v) + (z0 + h theta) a, so it bends by
// R/(R^2 + h^2), its torsion is h/(R^2 + h^2), and d length = sqrt(R^2 + h^2) d theta. Directions of chords have all
// the same part along a. So their differences are normal to a, which is the direction of the sum of cross products of
// neighbouring differences. In a plane it is that of the chords themselves. Both axes are tried, and the curve that is
// nearer to the points is taken. About an axis the circle is that of least squares (Kasa 1976); theta and z are those
// of the points, z by a line of least squares.
#include "codec/import/usd/parts.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    out[k] = a[l] * b[m] - a[m] * b[l];
  }
}

static double normalise(double a[3]) {
  double n = sqrt(dot(a, a));
  for (int k = 0; k < 3 && n > 0; k++) a[k] /= n;
  return n;
}

// Of unit length; returns the length that it had.
static double chord(const double *x, size_t from, size_t to, double d[3]) {
  for (int k = 0; k < 3; k++) d[k] = x[3 * to + (size_t)k] - x[3 * from + (size_t)k];
  return normalise(d);
}

// ------------------------------------------------------------------------------------------------ straight

// The farthest distance of a point from the line through the first one; infinite where the points turn back.
static double off_line(const double *x, size_t count, const double way[3]) {
  double far = 0, last = 0;
  for (size_t i = 1; i < count; i++) {
    double d[3], side[3];
    for (int k = 0; k < 3; k++) d[k] = x[3 * i + (size_t)k] - x[k];
    double along = dot(d, way);
    if (!(along > last)) return INFINITY;
    last = along;
    cross(way, d, side);
    far = fmax(far, sqrt(dot(side, side)));
  }
  return far;
}

// ------------------------------------------------------------------------------------------------ bent

// The points from which chords are taken lie so far apart that a chord turns by about half a radian.
static size_t stride_of(size_t segments, double turning) {
  double wanted = turning > 0 ? (double)segments * 0.5 / turning : 1;
  size_t most = segments / 3 > 0 ? segments / 3 : 1;
  return wanted >= (double)most ? most : wanted > 1 ? (size_t)wanted : 1;
}

static void axes_of(const double *x, size_t count, double turning, double plane[3], double screw[3]) {
  size_t stride = stride_of(count - 1, turning), seen = 0;
  double d[3][3] = {{0}}, e[2][3], side[3]; // d[2] is the latest chord
  memset(plane, 0, 3 * sizeof *plane);
  memset(screw, 0, 3 * sizeof *screw);
  for (size_t i = 0; i + stride < count; i += stride) {
    memmove(d[0], d[1], 2 * sizeof d[0]);
    chord(x, i, i + stride, d[2]);
    if (++seen < 2) continue;
    cross(d[1], d[2], side);
    for (int k = 0; k < 3; k++) plane[k] += side[k];
    if (seen < 3) continue;
    for (int k = 0; k < 3; k++) e[0][k] = d[1][k] - d[0][k], e[1][k] = d[2][k] - d[1][k];
    cross(e[0], e[1], side);
    for (int k = 0; k < 3; k++) screw[k] += side[k];
  }
}

// Solves the symmetric A c = b of three unknowns by Cramer's rule.
static bool solve3(double A[3][3], const double b[3], double c[3]) {
  double s[3][3];
  cross(A[1], A[2], s[0]);
  double det = dot(A[0], s[0]);
  if (!(fabs(det) > 0)) return false;
  cross(A[2], A[0], s[1]);
  cross(A[0], A[1], s[2]);
  for (int k = 0; k < 3; k++) c[k] = (b[0] * s[0][k] + b[1] * s[1][k] + b[2] * s[2][k]) / det;
  return isfinite(c[0]) && isfinite(c[1]) && isfinite(c[2]);
}

// The circle of the points' shadows along the axis, in units of the length: centre [2], radius.
static bool fit_circle(const double *x, size_t count, const double u[3], const double v[3], double unit,
                       double circle[3]) {
  double A[3][3] = {{0}}, b[3] = {0}, c[3];
  for (size_t i = 0; i < count; i++) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = (x[3 * i + (size_t)k] - x[k]) / unit;
    double row[3] = {dot(d, u), dot(d, v), 1}, square = row[0] * row[0] + row[1] * row[1];
    for (int k = 0; k < 3; k++) {
      for (int l = 0; l < 3; l++) A[k][l] += row[k] * row[l];
      b[k] += row[k] * square;
    }
  }
  if (!solve3(A, b, c)) return false;
  double square = c[2] + c[0] * c[0] / 4 + c[1] * c[1] / 4;
  circle[0] = c[0] / 2, circle[1] = c[1] / 2, circle[2] = sqrt(square > 0 ? square : 0);
  return circle[2] > 0;
}

typedef struct helix {
  double a[3], u[3], v[3], centre[2], radius; // in units of the length, from the first point
  double first, last;                         // theta
  double z0, h;
} helix;

static double shadow(const double *x, size_t i, double unit, const helix *s, double *z) {
  double d[3];
  for (int k = 0; k < 3; k++) d[k] = (x[3 * i + (size_t)k] - x[k]) / unit;
  *z = dot(d, s->a);
  return atan2(dot(d, s->v) - s->centre[1], dot(d, s->u) - s->centre[0]);
}

// theta of each point, without jumps, and z over it.
static bool wind(const double *x, size_t count, double unit, helix *s) {
  double z, before = shadow(x, 0, unit, s, &z), theta = before, n = (double)count, st = theta, sz = z;
  double stt = theta * theta, stz = theta * z;
  s->first = theta;
  for (size_t i = 1; i < count; i++) {
    double now = shadow(x, i, unit, s, &z), step = remainder(now - before, 2 * PI);
    before = now, theta += step;
    st += theta, sz += z, stt += theta * theta, stz += theta * z;
  }
  s->last = theta;
  double spread = stt - st * st / n;
  s->h = spread > 0 ? (stz - st * sz / n) / spread : 0;
  s->z0 = (sz - s->h * st) / n;
  return spread > 0;
}

static double off_helix(const double *x, size_t count, double unit, const helix *s) {
  double far = 0, z, before = s->first, theta = s->first;
  for (size_t i = 0; i < count; i++) {
    double now = shadow(x, i, unit, s, &z), d[3], square = 0;
    theta += remainder(now - before, 2 * PI), before = now;
    for (int k = 0; k < 3; k++) {
      double to = s->u[k] * (s->centre[0] + s->radius * cos(theta)) +
                  s->v[k] * (s->centre[1] + s->radius * sin(theta)) + s->a[k] * (s->z0 + s->h * theta);
      d[k] = (x[3 * i + (size_t)k] - x[k]) / unit - to;
      square += d[k] * d[k];
    }
    far = fmax(far, sqrt(square));
  }
  return far * unit;
}

static void frame_of(const double *x, double unit, const helix *s, usd_course *c) {
  double slope = sqrt(s->radius * s->radius + s->h * s->h), cosine = cos(s->first), sine = sin(s->first);
  double T[3], N[3], B[3];
  for (int k = 0; k < 3; k++) {
    T[k] = (s->radius * (cosine * s->v[k] - sine * s->u[k]) + s->h * s->a[k]) / slope;
    N[k] = -(cosine * s->u[k] + sine * s->v[k]);
    c->start[k] = x[k] + unit * (s->u[k] * (s->centre[0] + s->radius * cosine) +
                                 s->v[k] * (s->centre[1] + s->radius * sine) + s->a[k] * (s->z0 + s->h * s->first));
  }
  cross(T, N, B);
  for (int k = 0; k < 3; k++) c->frame[3 * k] = T[k], c->frame[3 * k + 1] = N[k], c->frame[3 * k + 2] = B[k];
  c->curvature = s->radius / (slope * slope * unit);
  c->torsion = s->h / (slope * slope * unit);
  c->length = (s->last - s->first) * slope * unit;
}

static bool fit_about(const double *x, size_t count, const double axis[3], double unit, usd_course *c) {
  helix s = {.first = 0};
  double circle[3], side[3] = {0};
  memcpy(s.a, axis, sizeof s.a);
  if (!(normalise(s.a) > 0)) return false;
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(s.a[k]) < fabs(s.a[least])) least = k;
  side[least] = 1;
  cross(s.a, side, s.u);
  normalise(s.u);
  cross(s.a, s.u, s.v);
  if (!fit_circle(x, count, s.u, s.v, unit, circle)) return false;
  s.centre[0] = circle[0], s.centre[1] = circle[1], s.radius = circle[2];
  if (!wind(x, count, unit, &s)) return false;
  if (s.last < s.first) { // the same about -a
    for (int k = 0; k < 3; k++) s.a[k] = -s.a[k], s.v[k] = -s.v[k];
    s.centre[1] = -s.centre[1];
    if (!wind(x, count, unit, &s)) return false;
  }
  frame_of(x, unit, &s, c);
  c->off = off_helix(x, count, unit, &s);
  c->bent = true;
  return isfinite(c->off) && isfinite(c->length) && c->length > 0;
}

bool usd_fit_course(const double *x, size_t count, usd_course *c) {
  double sum = 0, turning = 0, way[3] = {0}, before[3], d[3], plane[3], screw[3];
  for (size_t i = 0; i + 1 < count; i++) {
    double n = chord(x, i, i + 1, d);
    if (!(n > 0) || !isfinite(n)) return false;
    if (i > 0) turning += acos(fmax(-1, fmin(1, dot(d, before))));
    memcpy(before, d, sizeof before);
    sum += n;
  }
  *c = (usd_course){.length = chord(x, 0, count - 1, way)};
  memcpy(c->start, x, sizeof c->start);
  c->off = c->length > 0 ? off_line(x, count, way) : INFINITY;
  if (c->off <= 1e-5 * c->length) {
    usd_turn_to(way, c->frame);
    return true;
  }
  usd_course other;
  axes_of(x, count, turning, plane, screw);
  bool flat = fit_about(x, count, plane, sum, c), wound = fit_about(x, count, screw, sum, &other);
  if (wound && (!flat || other.off < c->off)) *c = other;
  if (!flat && !wound) c->off = INFINITY, c->length = sum, c->bent = true;
  return true;
}
