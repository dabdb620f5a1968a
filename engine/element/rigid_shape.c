// Mass properties of homogeneous solids in closed form.
//
// Every solid is placed by its centroid. A prism's section moments come from Green's theorem on the polygon's edges,
// taken relative to its first vertex so that a polygon far from the origin keeps its digits, then shifted to the
// centroid. Invariants: inertia is exactly symmetric; the polygon may run either way round.
#include "element/rigid_shape.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static void normalised(const double v[3], double out[3]) {
  double norm = hypot(hypot(v[0], v[1]), v[2]);
  for (int i = 0; i < 3; i++) out[i] = v[i] / norm;
}

static void cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// The coordinate axis that `unit` lies along, -1 for a skew one.
static int coordinate_axis(const double unit[3]) {
  for (int i = 0; i < 3; i++)
    if (unit[(i + 1) % 3] == 0 && unit[(i + 2) % 3] == 0) return i;
  return -1;
}

void td_axis_plane(const double axis[3], double unit[3], double e1[3], double e2[3]) {
  normalised(axis, unit);
  int i = coordinate_axis(unit);
  memset(e1, 0, 3 * sizeof *e1);
  memset(e2, 0, 3 * sizeof *e2);
  if (i >= 0) {
    e1[(i + 1) % 3] = 1;
    e2[(i + 2) % 3] = 1;
    return;
  }
  double k[3] = {0, 0, 0}, normal[3];
  int first = 0;
  while (fabs(unit[first]) >= 0.9) first++;
  k[first] = 1;
  cross(k, unit, normal);
  normalised(normal, e1);
  cross(unit, e1, e2);
}

// Twice the area and the moments of the triangles (origin, a, b), summed over edges; origin = first vertex.
static void sum_edges(const double *polygon, size_t count, double sums[6]) {
  const double *o = polygon;
  memset(sums, 0, 6 * sizeof *sums);
  for (size_t i = 1; i + 1 < count; i++) {
    double ax = polygon[2 * i] - o[0], ay = polygon[2 * i + 1] - o[1];
    double bx = polygon[2 * i + 2] - o[0], by = polygon[2 * i + 3] - o[1];
    double c = ax * by - bx * ay;
    sums[0] += c;
    sums[1] += c * (ax + bx);
    sums[2] += c * (ay + by);
    sums[3] += c * (ax * ax + ax * bx + bx * bx);
    sums[4] += c * (ay * ay + ay * by + by * by);
    sums[5] += c * (2 * ax * ay + ax * by + bx * ay + 2 * bx * by);
  }
}

void td_polygon_moments_of(const double *polygon, size_t count, td_polygon_moments *out) {
  double s[6];
  sum_edges(polygon, count, s);
  double area = s[0] / 2, x = s[1] / (3 * s[0]), y = s[2] / (3 * s[0]), sign = area < 0 ? -1 : 1;
  out->area = sign * area;
  out->centroid[0] = polygon[0] + x;
  out->centroid[1] = polygon[1] + y;
  out->xx = sign * (s[3] / 12 - area * x * x);
  out->yy = sign * (s[4] / 12 - area * y * y);
  out->xy = sign * (s[5] / 24 - area * x * y);
}

static void box(const td_rigid_spec *rigid, td_mass_properties *out) {
  const double *size = rigid->size;
  out->mass = rigid->density * size[0] * size[1] * size[2];
  for (int i = 0; i < 3; i++) {
    double a = size[(i + 1) % 3], b = size[(i + 2) % 3];
    out->inertia[4 * i] = out->mass * (a * a + b * b) / 12;
  }
}

// inertia = across 1 + (along - across) a a^T
static void cylinder(const td_rigid_spec *rigid, td_mass_properties *out) {
  double r = rigid->radius, l = rigid->length, a[3];
  out->mass = rigid->density * M_PI * r * r * l;
  double along = out->mass * r * r / 2, across = out->mass * (3 * r * r + l * l) / 12;
  normalised(rigid->axis, a);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out->inertia[3 * i + j] = (i == j ? across : 0) + (along - across) * a[i] * a[j];
}

static void sphere(const td_rigid_spec *rigid, td_mass_properties *out) {
  double r = rigid->radius;
  out->mass = rigid->density * 4 * M_PI / 3 * r * r * r;
  for (int i = 0; i < 3; i++) out->inertia[4 * i] = 0.4 * out->mass * r * r;
}

// inertia = sum_ab I_ab b_a b_b^T in the orthonormal frame b = (e1, e2, axis)
static void prism(const td_rigid_spec *rigid, td_mass_properties *out) {
  td_polygon_moments p;
  double b[3][3], line = rigid->density * rigid->height;
  td_axis_plane(rigid->axis, b[2], b[0], b[1]);
  td_polygon_moments_of(rigid->polygon, rigid->polygon_count, &p);
  out->mass = line * p.area;
  double slab = out->mass * rigid->height * rigid->height / 12;
  double in_plane[3] = {line * p.yy + slab, line * p.xx + slab, line * (p.xx + p.yy)}, product = -line * p.xy;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double sum = product * (b[0][i] * b[1][j] + b[1][i] * b[0][j]);
      for (int a = 0; a < 3; a++) sum += in_plane[a] * b[a][i] * b[a][j];
      out->inertia[3 * i + j] = out->inertia[3 * j + i] = sum;
    }
}

// Entries that differ by rounding in the document are averaged.
static void given(const td_rigid_spec *rigid, td_mass_properties *out) {
  out->mass = rigid->mass;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out->inertia[3 * i + j] = (rigid->inertia[3 * i + j] + rigid->inertia[3 * j + i]) / 2;
}

static void (*const shapes[TD_SHAPE_COUNT])(const td_rigid_spec *,
                                            td_mass_properties *) = {[TD_SHAPE_NONE] = given,
                                                                     [TD_SHAPE_BOX] = box,
                                                                     [TD_SHAPE_CYLINDER] = cylinder,
                                                                     [TD_SHAPE_SPHERE] = sphere,
                                                                     [TD_SHAPE_PRISM] = prism};

double td_rigid_density(const td_rigid_spec *rigid) {
  if (rigid->body_density > 0) return rigid->body_density;
  return rigid->shape == TD_SHAPE_NONE ? 0 : rigid->density;
}

void td_rigid_mass_properties(const td_rigid_spec *rigid, td_mass_properties *out) {
  assert((unsigned)rigid->shape < TD_SHAPE_COUNT);
  memset(out, 0, sizeof *out);
  memcpy(out->com, rigid->com, sizeof out->com);
  shapes[rigid->shape](rigid, out);
}
