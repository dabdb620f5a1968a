// Spheres whose hull a rigid body is: one; two at the ends of a capsule; TD_RIM_POINTS on each rim of a cylinder and
// eight corners of a box, inset by the rounding; the points of a mesh.
#include "element/collision.h"
#include "element/rigid_shape.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static double own_radius(const td_collision_spec *c) { return c->radius; }
static double rounding(const td_collision_spec *c) { return c->rounding; }

static size_t one(const td_collision_spec *c) { return (void)c, 1; }
static size_t two(const td_collision_spec *c) { return (void)c, 2; }
static size_t eight(const td_collision_spec *c) { return (void)c, 8; }
static size_t points(const td_collision_spec *c) { return c->point_count; }

static void middle(const td_collision_spec *c, size_t i, double out[3]) {
  (void)c, (void)i;
  memset(out, 0, 3 * sizeof *out);
}

static void end(const td_collision_spec *c, size_t i, double out[3]) {
  double scale = (i ? 0.5 : -0.5) * c->length / sqrt(td_vec3_dot(c->axis, c->axis));
  for (int k = 0; k < 3; k++) out[k] = scale * c->axis[k];
}

static void corner(const td_collision_spec *c, size_t i, double out[3]) {
  for (int k = 0; k < 3; k++) out[k] = (i >> k & 1 ? 1 : -1) * (0.5 * c->size[k] - c->rounding);
}

static size_t rims(const td_collision_spec *c) { return (void)c, 2 * TD_RIM_POINTS; }

static void on_rim(const td_collision_spec *c, size_t i, double out[3]) {
  double unit[3], e[2][3], ring = c->radius - c->rounding, turn = 2 * M_PI * (double)(i / 2) / TD_RIM_POINTS;
  double up = (i % 2 ? 1 : -1) * (0.5 * c->length - c->rounding);
  td_axis_plane(c->axis, unit, e[0], e[1]);
  for (int k = 0; k < 3; k++) out[k] = up * unit[k] + ring * (cos(turn) * e[0][k] + sin(turn) * e[1][k]);
}

static void point(const td_collision_spec *c, size_t i, double out[3]) {
  memcpy(out, c->points + 3 * i, 3 * sizeof *out);
}

static double half_drum(const td_collision_spec *c) { return fmin(c->radius, 0.5 * c->length); }
static double half_edge(const td_collision_spec *c) { return 0.5 * fmin(c->size[0], fmin(c->size[1], c->size[2])); }

// Of the box about its points.
static double half_mesh(const td_collision_spec *c) {
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < c->point_count; i++)
      low = fmin(low, c->points[3 * i + (size_t)k]), high = fmax(high, c->points[3 * i + (size_t)k]);
    least = fmin(least, 0.5 * (high - low));
  }
  return least + c->rounding;
}

const td_collision_row td_collision_sphere = {
    .name = "sphere", .radius = own_radius, .half = own_radius, .count = one, .centre = middle};
const td_collision_row td_collision_capsule = {
    .name = "capsule", .radius = own_radius, .half = own_radius, .count = two, .centre = end};
const td_collision_row td_collision_cylinder = {
    .name = "cylinder", .radius = rounding, .half = half_drum, .count = rims, .centre = on_rim};
const td_collision_row td_collision_box = {
    .name = "box", .radius = rounding, .half = half_edge, .count = eight, .centre = corner};
const td_collision_row td_collision_mesh = {
    .name = "mesh", .radius = rounding, .half = half_mesh, .count = points, .centre = point};

#define ENTRY(word, row) [TD_COLLISION_##word] = &td_collision_##row,
static const td_collision_row *const rows[TD_COLLISION_COUNT] = {TD_COLLISIONS(ENTRY)};

static const td_collision_row *row_of(const td_collision_spec *c) {
  assert(c->shape > TD_COLLISION_NONE && c->shape < TD_COLLISION_COUNT);
  return rows[c->shape];
}

const char *td_collision_shape_name(td_collision_shape shape) {
  return (unsigned)shape < TD_COLLISION_COUNT && rows[shape] ? rows[shape]->name : NULL;
}

bool td_collision_of(const td_rigid_spec *rigid, td_collision_spec *out) {
  *out = rigid->collision;
  if (out->shape != TD_COLLISION_NONE) return true;
  *out = (td_collision_spec){.radius = rigid->radius, .pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  memcpy(out->pose.p, rigid->com, sizeof rigid->com);
  memcpy(out->size, rigid->size, sizeof rigid->size);
  if (rigid->shape == TD_SHAPE_SPHERE) out->shape = TD_COLLISION_SPHERE;
  if (rigid->shape == TD_SHAPE_BOX) out->shape = TD_COLLISION_BOX;
  if (rigid->shape == TD_SHAPE_CYLINDER) out->shape = TD_COLLISION_CYLINDER;
  out->length = rigid->length;
  memcpy(out->axis, rigid->axis, sizeof rigid->axis);
  return out->shape != TD_COLLISION_NONE;
}

size_t td_collision_count(const td_collision_spec *c) { return row_of(c)->count(c); }
double td_collision_radius(const td_collision_spec *c) { return row_of(c)->radius(c); }
double td_collision_half(const td_collision_spec *c) { return row_of(c)->half(c); }

bool td_collision_by_shape(const td_body_spec *body, td_contact_type obstacle) {
  td_collision_spec c;
  bool bulges = obstacle == TD_CONTACT_SPHERE || obstacle == TD_CONTACT_CYLINDER_EXTERIOR || obstacle == TD_CONTACT_BOX;
  return bulges && body->type == TD_BODY_RIGID && td_collision_of(&body->rigid, &c) && td_collision_count(&c) > 1;
}

void td_collision_centre(const td_collision_spec *c, size_t i, double out[3]) {
  double local[3];
  assert(i < td_collision_count(c));
  row_of(c)->centre(c, i, local);
  td_mat3_vec(c->pose.R, local, out);
  for (int k = 0; k < 3; k++) out[k] += c->pose.p[k];
}

// Sharp edges of boxes and cylinders are rounded by a part of what they measure, within their measures.
static double rounded(const td_collision_spec *c) {
  return c->rounding > 0 || c->shape == TD_COLLISION_MESH ? c->rounding : TD_ROUNDED * td_collision_half(c);
}

static void bound_mesh(const td_collision_spec *c, td_core *out) {
  out->kind = TD_CORE_MESH;
  out->point = (const double(*)[3])c->points;
  out->point_count = (int)c->point_count;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < c->point_count; i++)
      low = fmin(low, c->points[3 * i + (size_t)k]), high = fmax(high, c->points[3 * i + (size_t)k]);
    out->middle[k] = 0.5 * (low + high);
    out->half[k] = 0.5 * (high - low);
  }
}

bool td_collision_core(const td_collision_spec *c, td_core *out) {
  double e[3][3];
  *out = (td_core){.pose = c->pose, .rounding = rounded(c)};
  if (c->shape == TD_COLLISION_BOX) {
    out->kind = TD_CORE_BOX;
    for (int k = 0; k < 3; k++) out->half[k] = 0.5 * c->size[k] - out->rounding;
    return true;
  }
  if (c->shape == TD_COLLISION_MESH) bound_mesh(c, out);
  if (c->shape != TD_COLLISION_CYLINDER) return c->shape == TD_COLLISION_MESH;
  out->kind = TD_CORE_CYLINDER;
  td_axis_plane(c->axis, e[2], e[0], e[1]);
  td_vec3_cross(e[2], e[0], e[1]); // right-handed
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) out->pose.R[3 * i + k] = td_vec3_dot(c->pose.R + 3 * i, e[k]);
  out->half[0] = out->half[1] = c->radius - out->rounding;
  out->half[2] = 0.5 * c->length - out->rounding;
  return true;
}
