// Rigid bodies: given inertias must be positive semidefinite, shapes must be solids.
//
// Mass may be 0 (a rotor known by its inertia alone, or a frame); whether the joints before it then still move inertia
// is judged for the whole tree in check_inertia.c. No moment of a real body exceeds the sum of the other two; equality
// is a thin plate, and 1 % is forgiven to numbers of two or three digits.
#include "element/rigid_shape.h"
#include "spec/check/checks.h"
#include <math.h>
#include <string.h>

static td_status check_symmetric(const td_place *body, const double I[9], double scale) {
  td_place place = td_place_key(body, "inertia");
  for (int i = 0; i < 3; i++)
    for (int j = i + 1; j < 3; j++)
      if (!(fabs(I[3 * i + j] - I[3 * j + i]) <= 1e-9 * scale))
        return td_place_fail(&place, TD_INVALID_ARGUMENT, "must be symmetric: entry (%d,%d) is %.15g, (%d,%d) is %.15g",
                             i, j, I[3 * i + j], j, i, I[3 * j + i]);
  return TD_OK;
}

// Positive semidefinite up to rounding: every principal minor of A + slack is >= 0.
static bool semidefinite(const double A[9], double slack) {
  double a = A[0] + slack, b = A[4] + slack, c = A[8] + slack, d = A[1], e = A[2], f = A[5];
  if (!(a >= 0 && b >= 0 && c >= 0)) return false;
  if (!(a * b - d * d >= 0 && a * c - e * e >= 0 && b * c - f * f >= 0)) return false;
  double determinant = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
  return determinant >= -slack * slack * slack;
}

// Numbers in documents are rounded: 1e-6 of the largest entry is forgiven.
static td_status check_semidefinite(const td_place *body, const double I[9], double scale) {
  td_place place = td_place_key(body, "inertia");
  for (int i = 0; i < 3; i++)
    if (I[4 * i] < 0)
      return td_place_fail(&place, TD_INVALID_ARGUMENT,
                           "a moment of inertia cannot be negative: entry (%d,%d) is %.15g", i, i, I[4 * i]);
  if (semidefinite(I, 1e-6 * scale)) return TD_OK;
  return td_place_fail(&place, TD_INVALID_ARGUMENT,
                       "is not positive semidefinite: some principal moment is negative; diagonal %.9g, %.9g, %.9g",
                       I[0], I[4], I[8]);
}

// The second moments of mass, tr(I)/2 - I, are those of something with mass everywhere: positive semidefinite.
static td_status check_triangle(const td_place *body, const double I[9], double scale) {
  td_place place = td_place_key(body, "inertia");
  double half = (I[0] + I[4] + I[8]) / 2, S[9];
  for (int i = 0; i < 9; i++) S[i] = (i % 4 ? 0 : half) - I[i];
  if (semidefinite(S, 0.01 * scale)) return TD_OK;
  return td_place_fail(
      &place, TD_INVALID_ARGUMENT,
      "no body has it: one principal moment exceeds the sum of the other two; diagonal %.9g, %.9g, %.9g", I[0], I[4],
      I[8]);
}

static td_status check_given(const td_place *body, const td_rigid_spec *rigid) {
  td_status status = td_check_not_negative(body, "mass", rigid->mass);
  if (status) return status;
  double scale = 0;
  td_place inertia = td_place_key(body, "inertia");
  for (int i = 0; i < 9; i++) {
    status = td_check_finite(&inertia, NULL, rigid->inertia[i]);
    if (status) return status;
    scale = fmax(scale, fabs(rigid->inertia[i]));
  }
  status = check_symmetric(body, rigid->inertia, scale);
  if (!status) status = check_semidefinite(body, rigid->inertia, scale);
  return status ? status : check_triangle(body, rigid->inertia, scale);
}

static td_status check_box(const td_place *shape, const td_rigid_spec *rigid) {
  td_place size = td_place_key(shape, "size");
  for (size_t i = 0; i < 3; i++) {
    td_place entry = td_place_at(&size, i);
    td_status status = td_check_positive(&entry, NULL, rigid->size[i]);
    if (status) return status;
  }
  return TD_OK;
}

static td_status check_cylinder(const td_place *shape, const td_rigid_spec *rigid) {
  td_status status = td_check_positive(shape, "radius", rigid->radius);
  if (!status) status = td_check_positive(shape, "length", rigid->length);
  return status ? status : td_check_axis(shape, "axis", rigid->axis);
}

static td_status check_sphere(const td_place *shape, const td_rigid_spec *rigid) {
  return td_check_positive(shape, "radius", rigid->radius);
}

static double turn(const double *a, const double *b, const double *c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// c, known to lie on the line through a and b, lies between them.
static bool between(const double *a, const double *b, const double *c) {
  return fmin(a[0], b[0]) <= c[0] && c[0] <= fmax(a[0], b[0]) && fmin(a[1], b[1]) <= c[1] && c[1] <= fmax(a[1], b[1]);
}

static bool apart(double a, double b, double c, double d) { return fmax(a, b) < fmin(c, d) || fmax(c, d) < fmin(a, b); }

// Segments ab and cd share a point. Most pairs of a large polygon are told apart by their boxes.
static bool meet(const double *a, const double *b, const double *c, const double *d) {
  if (apart(a[0], b[0], c[0], d[0]) || apart(a[1], b[1], c[1], d[1])) return false;
  double abc = turn(a, b, c), abd = turn(a, b, d), cda = turn(c, d, a), cdb = turn(c, d, b);
  if (((abc > 0 && abd < 0) || (abc < 0 && abd > 0)) && ((cda > 0 && cdb < 0) || (cda < 0 && cdb > 0))) return true;
  return (abc == 0 && between(a, b, c)) || (abd == 0 && between(a, b, d)) || (cda == 0 && between(c, d, a)) ||
         (cdb == 0 && between(c, d, b));
}

// A simple polygon: edges that are not neighbours do not meet. Quadratic, so the vertices are limited.
static td_status check_simple(const td_place *polygon, const double *xy, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = i + 2; j < count; j++) {
      if (i == 0 && j == count - 1) continue;
      if (meet(xy + 2 * i, xy + 2 * (i + 1), xy + 2 * j, xy + 2 * ((j + 1) % count)))
        return td_place_fail(polygon, TD_INVALID_ARGUMENT,
                             "its edges must not cross: those after vertices %zu and %zu do", i, j);
    }
  return TD_OK;
}

static td_status check_vertices(const td_place *polygon, const double *xy, size_t count) {
  for (size_t i = 0; i < count; i++) {
    td_place vertex = td_place_at(polygon, i);
    const double *here = xy + 2 * i, *last = xy + 2 * ((i + count - 1) % count);
    td_status status = td_check_all_finite(&vertex, NULL, 2, here);
    if (status) return status;
    if (here[0] == last[0] && here[1] == last[1])
      return td_place_fail(&vertex, TD_INVALID_ARGUMENT,
                           "is the same point as the vertex before it (the polygon closes by itself)");
  }
  return check_simple(polygon, xy, count);
}

static td_status check_polygon(const td_place *shape, const td_rigid_spec *rigid) {
  td_place polygon = td_place_key(shape, "polygon");
  size_t count = rigid->polygon_count;
  if (count < 3 || count > TD_MAX_POINTS)
    return td_place_fail(&polygon, TD_INVALID_ARGUMENT, "must have 3 to %d vertices, has %zu", (int)TD_MAX_POINTS,
                         count);
  td_status status = check_vertices(&polygon, rigid->polygon, count);
  if (status) return status;
  td_polygon_moments moments;
  td_polygon_moments_of(rigid->polygon, count, &moments);
  if (moments.area > 0 && moments.xx > 0 && moments.yy > 0) return TD_OK;
  return td_place_fail(&polygon, TD_INVALID_ARGUMENT, "must enclose an area, encloses %g", moments.area);
}

static td_status check_prism(const td_place *shape, const td_rigid_spec *rigid) {
  td_status status = check_polygon(shape, rigid);
  if (!status) status = td_check_positive(shape, "height", rigid->height);
  return status ? status : td_check_axis(shape, "axis", rigid->axis);
}

static td_status (*const shapes[TD_SHAPE_COUNT])(const td_place *,
                                                 const td_rigid_spec *) = {[TD_SHAPE_BOX] = check_box,
                                                                           [TD_SHAPE_CYLINDER] = check_cylinder,
                                                                           [TD_SHAPE_SPHERE] = check_sphere,
                                                                           [TD_SHAPE_PRISM] = check_prism};

static td_status check_shape(const td_place *body, const td_rigid_spec *rigid) {
  td_place shape = td_place_key(body, "shape");
  td_status status = td_check_positive(body, "density", rigid->density);
  if (!status) status = shapes[rigid->shape](&shape, rigid);
  if (status) return status;
  td_mass_properties made;
  td_rigid_mass_properties(rigid, &made);
  if (made.mass > 0 && isfinite(made.mass) && isfinite(made.inertia[0] + made.inertia[4] + made.inertia[8]))
    return TD_OK;
  return td_place_fail(&shape, TD_INVALID_ARGUMENT, "its mass and inertia must be finite, the mass is %g", made.mass);
}

// ---- what it touches with

td_status td_check_box(const td_place *at, const double size_of[3], double radius) {
  td_place size = td_place_key(at, "size"), rounding = td_place_key(at, "rounding");
  td_status status = td_check_not_negative(at, "rounding", radius);
  for (size_t i = 0; i < 3 && !status; i++) {
    td_place entry = td_place_at(&size, i);
    status = td_check_measure(&entry, NULL, size_of[i]);
    if (!status && 2 * radius > size_of[i])
      status =
          td_place_fail(&rounding, TD_INVALID_ARGUMENT, "%g m leaves nothing of an edge of %g m", radius, size_of[i]);
  }
  return status;
}

static td_status check_collision_mesh(const td_place *at, const td_collision_spec *c) {
  td_place points = td_place_key(at, "points");
  if (c->point_count < 1 || c->point_count > TD_MAX_POINTS)
    return td_place_fail(&points, TD_INVALID_ARGUMENT, "must have 1 to %d points, has %zu", (int)TD_MAX_POINTS,
                         c->point_count);
  for (size_t i = 0; i < c->point_count; i++) {
    td_place point = td_place_at(&points, i);
    td_status status = td_check_all_finite(&point, NULL, 3, c->points + 3 * i);
    if (status) return status;
  }
  return TD_OK;
}

static td_status check_rims(const td_place *at, const td_collision_spec *c) {
  td_place rounding = td_place_key(at, "rounding");
  if (c->rounding <= c->radius && 2 * c->rounding <= c->length) return TD_OK;
  return td_place_fail(&rounding, TD_INVALID_ARGUMENT, "%g m leaves nothing of a radius of %g m and a length of %g m",
                       c->rounding, c->radius, c->length);
}

static td_status check_collision(const td_place *at, const td_collision_spec *c) {
  if (c->shape == TD_COLLISION_NONE) return TD_OK;
  if ((unsigned)c->shape >= TD_COLLISION_COUNT)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "unknown collision %d", (int)c->shape);
  td_status status = td_check_pose(at, &c->pose);
  if (!status) status = td_check_not_negative(at, "rounding", c->rounding);
  if (status) return status;
  if (c->shape == TD_COLLISION_BOX) return td_check_box(at, c->size, c->rounding);
  if (c->shape == TD_COLLISION_MESH) return check_collision_mesh(at, c);
  status = td_check_measure(at, "radius", c->radius);
  if (status || c->shape == TD_COLLISION_SPHERE) return status;
  status = td_check_measure(at, "length", c->length);
  if (!status && c->shape == TD_COLLISION_CYLINDER) status = check_rims(at, c);
  return status ? status : td_check_axis(at, "axis", c->axis);
}

td_status td_check_rigid(const td_place *body, const td_rigid_spec *rigid) {
  if ((unsigned)rigid->shape >= TD_SHAPE_COUNT)
    return td_place_fail(body, TD_INVALID_ARGUMENT, "unknown shape %d", (int)rigid->shape);
  td_status status = td_check_all_finite(body, "com", 3, rigid->com);
  if (!status) status = rigid->shape == TD_SHAPE_NONE ? check_given(body, rigid) : check_shape(body, rigid);
  td_place hydrodynamics = td_place_key(body, "hydrodynamics"), collision = td_place_key(body, "collision");
  if (!status) status = check_collision(&collision, &rigid->collision);
  if (!status) status = td_check_all_finite(body, "magnetisation", 3, rigid->magnetisation);
  return status ? status : td_check_rigid_fluid(&hydrodynamics, rigid);
}
