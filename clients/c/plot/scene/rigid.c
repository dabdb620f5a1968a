// Bodies given by mass and inertia are drawn as the homogeneous solid that has them: a ball when the three moments
// agree, a cylinder when two do, a box otherwise. Off-diagonal moments only turn that solid and are left out.
#include "plot/scene/rigid.h"

#include <string.h>

typedef enum kind { NONE, BALL, CYLINDER, BOX, PRISM } kind;

typedef struct solid { // around the centre of mass, in link axes
  kind kind;
  vec size; ///< box
  double radius, length;
  vec axis; ///< cylinder, prism
  const json_t *polygon;
} solid;

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }

static solid of_shape(const json_t *shape) {
  const char *type = json_string_value(json_object_get(shape, "type"));
  solid s = {.radius = number(shape, "radius"), .length = number(shape, "length")};
  s.axis = place_axis(json_object_get(shape, "axis"));
  s.size = place_vector(json_object_get(shape, "size"));
  s.polygon = json_object_get(shape, "polygon");
  if (type && strcmp(type, "sphere") == 0) s.kind = BALL;
  if (type && strcmp(type, "cylinder") == 0) s.kind = CYLINDER;
  if (type && strcmp(type, "box") == 0) s.kind = BOX;
  if (type && strcmp(type, "prism") == 0) s.kind = PRISM, s.length = number(shape, "height");
  return s;
}

static vec moments_of(const json_t *inertia) {
  if (!json_is_array(json_array_get(inertia, 0))) return place_vector(inertia);
  double d[3];
  for (size_t i = 0; i < 3; ++i) d[i] = json_number_value(json_array_get(json_array_get(inertia, i), i));
  return (vec){d[0], d[1], d[2]};
}

static bool near(double a, double b) { return fabs(a - b) < 0.01 * fmax(a, b); }

// r from the axial moment m r^2 / 2, length from the transverse one m (3 r^2 + l^2) / 12.
static solid as_cylinder(double mass, double axial, double transverse, vec axis) {
  double r2 = 2 * axial / mass, l2 = 12 * transverse / mass - 3 * r2;
  return (solid){.kind = CYLINDER, .radius = sqrt(r2), .length = sqrt(fmax(l2, 1e-4 * r2)), .axis = axis};
}

static solid of_inertia(double mass, vec i) {
  if (!(mass > 0) || !(i.x > 0) || !(i.y > 0) || !(i.z > 0)) return (solid){.kind = NONE};
  if (near(i.x, i.y) && near(i.y, i.z)) return (solid){.kind = BALL, .radius = sqrt(2.5 * i.x / mass)};
  if (near(i.x, i.y)) return as_cylinder(mass, i.z, i.x, (vec){0, 0, 1});
  if (near(i.y, i.z)) return as_cylinder(mass, i.x, i.y, (vec){1, 0, 0});
  if (near(i.z, i.x)) return as_cylinder(mass, i.y, i.z, (vec){0, 1, 0});
  double k = 6 / mass;
  return (solid){.kind = BOX,
                 .size = {sqrt(fmax(0, k * (i.y + i.z - i.x))), sqrt(fmax(0, k * (i.z + i.x - i.y))),
                          sqrt(fmax(0, k * (i.x + i.y - i.z)))}};
}

static solid solid_of(const json_t *body) {
  const json_t *shape = json_object_get(body, "shape");
  return shape ? of_shape(shape) : of_inertia(number(body, "mass"), moments_of(json_object_get(body, "inertia")));
}

// ------------------------------------------------------------------------------------------------ drawing

enum { CORNERS = 256 };

static vec centroid(const vec *p, size_t count) {
  double area = 0, y = 0, z = 0;
  for (size_t i = 0; i < count; ++i) {
    vec a = p[i], b = p[(i + 1) % count];
    double cross = a.y * b.z - b.y * a.z;
    area += cross / 2, y += cross * (a.y + b.y) / 6, z += cross * (a.z + b.z) / 6;
  }
  return area != 0 ? (vec){0, y / area, z / area} : p[0];
}

// The polygon's x and y are the first two axes across the prism's axis in cyclic order.
static void draw_prism(scene *s, const solid *body, const frame *f, colour paint) {
  vec corner[CORNERS];
  size_t count = json_array_size(body->polygon), i;
  const json_t *point;
  if (count < 3 || count > CORNERS) return;
  json_array_foreach(body->polygon, i, point) {
    corner[i] = (vec){0, json_number_value(json_array_get(point, 0)), json_number_value(json_array_get(point, 1))};
  }
  vec middle = centroid(corner, count);
  for (i = 0; i < count; ++i) corner[i] = vec_sub(corner[i], middle);
  prism_draw(s, f, corner, count, body->length, paint);
}

// Axes with x along the solid's own axis, the other two in cyclic order.
static frame axes_of(const solid *body, const frame *f) {
  vec a = body->axis;
  frame local = fabs(a.x) > 0.999   ? (frame){{0, 0, 0}, a, {0, 1, 0}, {0, 0, 1}}
                : fabs(a.y) > 0.999 ? (frame){{0, 0, 0}, a, {0, 0, 1}, {1, 0, 0}}
                : fabs(a.z) > 0.999 ? (frame){{0, 0, 0}, a, {1, 0, 0}, {0, 1, 0}}
                                    : frame_along((vec){0, 0, 0}, a);
  return frame_compose(f, &local);
}

bool rigid_draw(scene *s, const json_t *body, const frame *f, colour paint) {
  solid shape = solid_of(body);
  frame at = *f;
  at.at = frame_point(f, place_vector(json_object_get(body, "com")));
  frame turned = axes_of(&shape, &at);
  if (shape.kind == BALL) ball_draw(s, at.at, shape.radius, paint);
  if (shape.kind == CYLINDER) cylinder_draw(s, &turned, shape.radius, shape.length, paint);
  if (shape.kind == BOX) box_draw(s, &at, shape.size, paint);
  if (shape.kind == PRISM) draw_prism(s, &shape, &turned, paint);
  return shape.kind != NONE;
}

double rigid_reach(const json_t *body) {
  solid shape = solid_of(body);
  double across = shape.radius;
  const json_t *point;
  size_t i;
  if (shape.kind == NONE) return 0;
  if (shape.kind == BOX) return vec_norm(shape.size) / 2;
  json_array_foreach(shape.polygon, i, point) {
    across =
        fmax(across, hypot(json_number_value(json_array_get(point, 0)), json_number_value(json_array_get(point, 1))));
  }
  return shape.kind == BALL ? across : hypot(across, shape.length / 2);
}
