// The box: its three faces that lie farthest from the eye, filled in light greys, with lines at round values; labels
// stand along the near lower edges and the left edge, where no body is drawn.
#include "plot/canvas/axes_box.h"

#include <assert.h>
#include <math.h>

typedef struct axes_box {
  cairo_t *c;
  const box *bounds;
  const view *eye;
} axes_box;

static double axis_of(vec p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

static vec with_axis(vec p, int axis, double value) {
  if (axis == 0) p.x = value;
  if (axis == 1) p.y = value;
  if (axis == 2) p.z = value;
  return p;
}

// The corner of the box that is farthest from the eye: the three faces that meet there lie behind everything.
static vec far_corner(const axes_box *s) {
  vec p = s->bounds->low;
  for (int axis = 0; axis < 3; ++axis)
    if (axis_of(s->eye->toward, axis) < 0) p = with_axis(p, axis, axis_of(s->bounds->high, axis));
  return p;
}

static void stroke_between(const axes_box *s, vec a, vec b) {
  double x, y;
  view_project(s->eye, a, &x, &y);
  cairo_move_to(s->c, x, y);
  view_project(s->eye, b, &x, &y);
  cairo_line_to(s->c, x, y);
  cairo_stroke(s->c);
}

static void fill_face(const axes_box *s, int normal) {
  assert(normal >= 0 && normal < 3);
  int u = (normal + 1) % 3, v = (normal + 2) % 3;
  vec p = far_corner(s),
      corner[4] = {with_axis(with_axis(p, u, axis_of(s->bounds->low, u)), v, axis_of(s->bounds->low, v))};
  corner[1] = with_axis(corner[0], u, axis_of(s->bounds->high, u));
  corner[2] = with_axis(corner[1], v, axis_of(s->bounds->high, v));
  corner[3] = with_axis(corner[0], v, axis_of(s->bounds->high, v));
  for (int i = 0; i < 4; ++i) {
    double x, y;
    view_project(s->eye, corner[i], &x, &y);
    i ? cairo_line_to(s->c, x, y) : cairo_move_to(s->c, x, y);
  }
  cairo_close_path(s->c);
  double shade = normal == 2 ? .945 : normal == 0 ? .965 : .98;
  canvas_colour(s->c, (colour){shade, shade, shade + .008});
  cairo_fill(s->c);
}

// Lines at the ticks of `axis` on the two far faces that contain it.
static void draw_axis_grid(const axes_box *s, int axis, const double *tick, int count) {
  vec far = far_corner(s);
  cairo_set_line_width(s->c, 1);
  canvas_colour(s->c, (colour){.84, .85, .87});
  for (int i = 0; i < count; ++i)
    for (int side = 1; side <= 2; ++side) {
      int across = (axis + side) % 3;
      vec p = with_axis(far, axis, tick[i]);
      stroke_between(s, with_axis(p, across, axis_of(s->bounds->low, across)),
                     with_axis(p, across, axis_of(s->bounds->high, across)));
    }
}

// Labels stand where nothing is drawn: x and y along the near lower edges, z along the far wall's left edge.
static vec label_edge(const axes_box *s, int axis) {
  vec far = far_corner(s), near = vec_sub(vec_add(s->bounds->low, s->bounds->high), far);
  if (axis == 0) return with_axis(with_axis(far, 1, near.y), 2, far.z);
  if (axis == 1) return with_axis(with_axis(far, 0, near.x), 2, far.z);
  vec a = with_axis(far, 0, near.x), b = with_axis(far, 1, near.y);
  return vec_dot(a, s->eye->right) < vec_dot(b, s->eye->right) ? a : b;
}

static void label_axis(const axes_box *s, int axis, const double *tick, int count) {
  static const char *const names[] = {"x (m)", "y (m)", "z (m)"};
  vec edge = label_edge(s, axis), centre = vec_scale(0.5, vec_add(s->bounds->low, s->bounds->high));
  double cx, cy, ex, ey, x, y;
  view_project(s->eye, centre, &cx, &cy);
  view_project(s->eye, with_axis(edge, axis, axis_of(centre, axis)), &ex, &ey);
  align side = ex < cx ? ALIGN_RIGHT : ALIGN_LEFT;
  double dx = ex < cx ? -8 : 8, dy = axis == 2 ? 4 : 16;
  char text[32];
  canvas_colour(s->c, (colour){.25, .27, .31});
  for (int i = 0; i < count; ++i) {
    view_project(s->eye, with_axis(edge, axis, tick[i]), &x, &y);
    canvas_number(text, sizeof text, tick[i], count > 1 ? tick[1] - tick[0] : 1);
    canvas_text(s->c, x + dx, y + dy, 13, side, false, text);
  }
  if (axis == 2) view_project(s->eye, with_axis(edge, axis, s->bounds->high.z), &ex, &ey); // above its numbers
  canvas_text(s->c, ex + (axis == 2 ? dx : 4.5 * dx), ey + (axis == 2 ? -8 : 44), 14, side, true, names[axis]);
}

void axes_box_draw(cairo_t *c, const box *bounds, const view *eye, unsigned labelled) {
  axes_box s = {c, bounds, eye};
  for (int axis = 0; axis < 3; ++axis) fill_face(&s, axis);
  for (int axis = 0; axis < 3; ++axis) {
    double tick[TICK_LIMIT], low = axis_of(bounds->low, axis), high = axis_of(bounds->high, axis);
    int most = (int)fmax(2, fmin(9, (high - low) * eye->scale / 70));
    int count = canvas_ticks(low, high, most, tick);
    assert(count >= 0 && count <= TICK_LIMIT);
    draw_axis_grid(&s, axis, tick, count);
    if (labelled >> axis & 1) label_axis(&s, axis, tick, count);
  }
}
