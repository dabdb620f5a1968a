// Collision shapes are hulls of balls (of a cylinder: of two discs). A hull's picture is the hull of the pictures of
// points on its balls, which is what is drawn: one routine for all shapes.
#include "plot/scene/collision.h"

#include "base/say.h"
#include "plot/canvas/place.h"
#include <stdlib.h>
#include <string.h>

enum { AROUND = 40 };

static const colour paint = {.93, .42, .05};

typedef struct hull {
  vec *at; ///< [count] middles of balls, in the link's frame
  size_t count;
  double radius; ///< of the balls
  frame disc;    ///< of a cylinder: x its axis
  bool discs;    ///< the middles are those of discs
} hull;

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }

static bool is(const json_t *shape, const char *type) {
  const char *word = json_string_value(json_object_get(shape, "shape"));
  if (!word) word = json_string_value(json_object_get(shape, "type")); // of a body's own shape
  return word && strcmp(word, type) == 0;
}

static void add(hull *h, const frame *pose, vec at) { h->at[h->count++] = frame_point(pose, at); }

static void add_line(hull *h, const json_t *shape, const frame *pose) {
  vec axis = place_axis(json_object_get(shape, "axis"));
  frame along = frame_along((vec){0, 0, 0}, axis);
  double half = number(shape, "length") / 2;
  h->discs = is(shape, "cylinder");
  h->disc = frame_compose(pose, &along);
  add(h, pose, vec_scale(half, axis)), add(h, pose, vec_scale(-half, axis));
}

static void add_box(hull *h, const json_t *shape, const frame *pose) {
  vec size = place_vector(json_object_get(shape, "size"));
  h->radius = number(shape, "rounding");
  vec half = {size.x / 2 - h->radius, size.y / 2 - h->radius, size.z / 2 - h->radius};
  for (int i = 0; i < 8; ++i)
    add(h, pose, (vec){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
}

// The balls of what a link touches with, of which the caller frees the middles; none where it has none.
static hull hull_of(const track *k) {
  const json_t *body = json_object_get(k->document, "body"), *shape = json_object_get(body, "collision"), *point;
  bool own = !shape;
  if (own) shape = json_object_get(body, "shape");
  const json_t *points = json_object_get(shape, "points");
  hull h = {.at = must_alloc((8 + json_array_size(points)) * sizeof *h.at), .radius = number(shape, "radius")};
  frame pose = place_pose(json_object_get(shape, "pose"));
  size_t i;
  if (own) pose.at = place_vector(json_object_get(body, "com"));
  if (is(shape, "sphere")) add(&h, &pose, (vec){0, 0, 0});
  if (is(shape, "box")) add_box(&h, shape, &pose);
  if (is(shape, "capsule") || is(shape, "cylinder")) add_line(&h, shape, &pose);
  if (is(shape, "mesh")) h.radius = number(shape, "rounding");
  if (is(shape, "mesh")) json_array_foreach(points, i, point) add(&h, &pose, place_vector(point));
  return h;
}

void collision_grow(const track *k, size_t sample, box *b) {
  hull h = hull_of(k);
  frame f = track_frame(k, sample, 0);
  for (size_t i = 0; i < h.count; ++i) box_grow(b, frame_point(&f, h.at[i]), h.radius);
  free(h.at);
}

// ------------------------------------------------------------------------------------------------ drawing

typedef struct spot {
  double x, y;
} spot;

static int by_place(const void *a, const void *b) {
  const spot *p = a, *q = b;
  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

static double turn(spot o, spot a, spot b) { return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x); }

// One side of the hull of sorted points behind those that `out` has; returns how many it has then.
static size_t add_side(const spot *p, size_t count, bool back, spot *out, size_t had) {
  size_t n = had;
  for (size_t i = 0; i < count; ++i) {
    spot next = p[back ? count - 1 - i : i];
    while (n >= had + 2 && turn(out[n - 2], out[n - 1], next) <= 0) --n;
    out[n++] = next;
  }
  return n > had ? n - 1 : n; // its last is the first of the other side
}

// Points on the ball, or the disc, around a middle as the picture has them.
static void add_round(const hull *h, const frame *f, vec middle, const view *eye, spot *out) {
  frame disc = frame_compose(f, &h->disc);
  for (int i = 0; i < AROUND; ++i) {
    double a = 2 * M_PI * i / AROUND, y = h->radius * cos(a), z = h->radius * sin(a);
    vec at = h->discs ? vec_add(middle, vec_add(vec_scale(y, disc.y), vec_scale(z, disc.z)))
                      : vec_add(middle, vec_add(vec_scale(y, eye->right), vec_scale(z, eye->up)));
    view_project(eye, at, &out[i].x, &out[i].y);
  }
}

static void draw_outline(cairo_t *c, const spot *p, size_t count) {
  cairo_new_path(c);
  for (size_t i = 0; i < count; ++i) cairo_line_to(c, p[i].x, p[i].y);
  cairo_close_path(c);
  cairo_set_source_rgba(c, paint.r, paint.g, paint.b, 0.2), cairo_fill_preserve(c);
  cairo_set_line_width(c, 1.3);
  cairo_set_source_rgba(c, paint.r, paint.g, paint.b, 0.9), cairo_stroke(c);
}

void collision_draw(cairo_t *c, const track *k, size_t sample, const view *eye) {
  if (!track_is_finite(k, sample)) return;
  hull h = hull_of(k);
  frame f = track_frame(k, sample, 0);
  spot *all = must_alloc((2 * h.count + 1) * 2 * AROUND * sizeof *all), *out = all + h.count * AROUND;
  for (size_t i = 0; i < h.count; ++i) add_round(&h, &f, frame_point(&f, h.at[i]), eye, all + i * AROUND);
  qsort(all, h.count * AROUND, sizeof *all, by_place);
  size_t count = add_side(all, h.count * AROUND, false, out, 0);
  count = add_side(all, h.count * AROUND, true, out, count);
  if (h.count > 0) draw_outline(c, out, count);
  free(all), free(h.at);
}
