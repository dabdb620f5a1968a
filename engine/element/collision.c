// Spheres whose hull a rigid body is: one; two at the ends of a capsule; eight corners of a box, inset by its rounding;
// the points of a mesh.
#include "element/collision.h"
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

static void point(const td_collision_spec *c, size_t i, double out[3]) {
  memcpy(out, c->points + 3 * i, 3 * sizeof *out);
}

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
  return out->shape != TD_COLLISION_NONE;
}

size_t td_collision_count(const td_collision_spec *c) { return row_of(c)->count(c); }
double td_collision_radius(const td_collision_spec *c) { return row_of(c)->radius(c); }
double td_collision_half(const td_collision_spec *c) { return row_of(c)->half(c); }

void td_collision_centre(const td_collision_spec *c, size_t i, double out[3]) {
  double local[3];
  assert(i < td_collision_count(c));
  row_of(c)->centre(c, i, local);
  td_mat3_vec(c->pose.R, local, out);
  for (int k = 0; k < 3; k++) out[k] += c->pose.p[k];
}
