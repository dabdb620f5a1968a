// Shapes of a view out of solids, meshes out of their triangles, with the normal of each.
#include "plot/scene/drawn.h"

#include "base/say.h"
#include <stdlib.h>
#include <string.h>

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }

static bool is(const json_t *shape, const char *type) {
  const char *word = json_string_value(json_object_get(shape, "type"));
  return word && strcmp(word, type) == 0;
}

// ------------------------------------------------------------------------------------------------ drawing

static void draw_round(scene *s, const json_t *shape, const frame *f, colour paint) {
  double radius = number(shape, "radius"), length = number(shape, "length");
  frame local = frame_along((vec){0, 0, 0}, place_axis(json_object_get(shape, "axis")));
  frame turned = frame_compose(f, &local);
  cylinder_draw(s, &turned, radius, length, paint);
  if (!is(shape, "capsule")) return;
  ball_draw(s, frame_point(&turned, (vec){length / 2, 0, 0}), radius, paint);
  ball_draw(s, frame_point(&turned, (vec){-length / 2, 0, 0}), radius, paint);
}

static void draw_mesh(scene *s, const json_t *shape, const frame *f, colour paint) {
  const json_t *points = json_object_get(shape, "points"), *triangles = json_object_get(shape, "triangles");
  size_t count = json_array_size(points), i;
  const json_t *one;
  vec *at = must_alloc((count + 1) * sizeof *at);
  json_array_foreach(points, i, one) { at[i] = frame_point(f, place_vector(one)); }
  json_array_foreach(triangles, i, one) {
    json_int_t corner[3];
    bool known = true;
    for (size_t k = 0; k < 3; ++k) {
      corner[k] = json_integer_value(json_array_get(one, k));
      known = known && corner[k] >= 0 && (size_t)corner[k] < count;
    }
    if (!known) continue;
    vec a = at[corner[0]], b = at[corner[1]], c = at[corner[2]], normal = vec_cross(vec_sub(b, a), vec_sub(c, a));
    if (!(vec_norm(normal) > 0)) continue;
    normal = vec_unit(normal);
    scene_triangle(s, (vertex){a, normal}, (vertex){b, normal}, (vertex){c, normal}, paint);
  }
  free(at);
}

void drawn_draw(scene *s, const json_t *shapes, const frame *f, colour paint) {
  const json_t *shape;
  size_t i;
  json_array_foreach(shapes, i, shape) {
    frame own = place_pose(json_object_get(shape, "pose")), at = frame_compose(f, &own);
    if (is(shape, "box")) box_draw(s, &at, place_vector(json_object_get(shape, "size")), paint);
    if (is(shape, "sphere")) ball_draw(s, at.at, number(shape, "radius"), paint);
    if (is(shape, "cylinder") || is(shape, "capsule")) draw_round(s, shape, &at, paint);
    if (is(shape, "mesh")) draw_mesh(s, shape, &at, paint);
  }
}

// ------------------------------------------------------------------------------------------------ extent

static void grow(const json_t *shape, box *b) {
  frame own = place_pose(json_object_get(shape, "pose"));
  double length = number(shape, "length") / 2 + (is(shape, "capsule") ? number(shape, "radius") : 0);
  double reach = is(shape, "box") ? vec_norm(place_vector(json_object_get(shape, "size"))) / 2
                                  : hypot(number(shape, "radius"), length);
  const json_t *point;
  size_t i;
  if (!is(shape, "mesh")) box_grow(b, own.at, reach);
  json_array_foreach(json_object_get(shape, "points"), i, point) {
    box_grow(b, frame_point(&own, place_vector(point)), 0);
  }
}

void drawn_ball(const json_t *shapes, vec *middle, double *radius) {
  box b = box_empty();
  const json_t *shape;
  size_t i;
  json_array_foreach(shapes, i, shape) { grow(shape, &b); }
  bool any = b.low.x <= b.high.x;
  *middle = any ? vec_scale(0.5, vec_add(b.low, b.high)) : (vec){0, 0, 0};
  *radius = any ? vec_norm(vec_sub(b.high, b.low)) / 2 : 0;
}
