// Order of drawing: the three far faces of the box with grid and labels, then bodies and the tip's trace through one depth
// buffer (twice as fine as the picture), then the scale of time.
#include "plot/shapes.h"

#include "base/say.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FINER = 2, TRACE_LIMIT = 2000 };

typedef struct stage {
  cairo_t *c;
  const recording *r;
  const shapes_style *style;
  box bounds;
  view eye;
  double thin; ///< radius of the trace and of links without a body
  double *tip; ///< [samples][3] or NULL
} stage;

static bool finite_track(const track *k, size_t sample) {
  vec p = track_position(k, sample, k->points - 1);
  return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

static size_t sample_of(const stage *s, long i) {
  size_t last = s->r->samples - 1;
  return s->style->instants < 2 ? last : (size_t)lround((double)i * (double)last / (double)(s->style->instants - 1));
}

static double time_share(const stage *s, size_t sample) {
  double first = s->r->x[0], last = s->r->x[s->r->samples - 1];
  return last > first ? (s->r->x[sample] - first) / (last - first) : 1;
}

// ------------------------------------------------------------------------------------------------ extent

static void grow_by_shape(stage *s, const track *k, size_t sample) {
  if (!finite_track(k, sample)) return;
  for (size_t i = 0; i < k->points; ++i) {
    section c = section_at(k, k->abscissa[i], 0);
    box_grow(&s->bounds, track_position(k, sample, i), fmax(c.y, c.z));
  }
}

// Everything that is drawn, the world's origin, and at least a quarter of the longest side in each direction.
static void measure(stage *s) {
  s->bounds = box_empty();
  box_grow(&s->bounds, (vec){0, 0, 0}, 0);
  for (long i = 0; i < s->style->instants; ++i)
    for (int k = 0; k < s->r->track_count; ++k) grow_by_shape(s, &s->r->tracks[k], sample_of(s, i));
  for (size_t i = 0; s->tip && i < s->r->samples; ++i)
    if (isfinite(s->tip[3 * i])) box_grow(&s->bounds, (vec){s->tip[3 * i], s->tip[3 * i + 1], s->tip[3 * i + 2]}, 0);
  vec size = vec_sub(s->bounds.high, s->bounds.low);
  double longest = fmax(fmax(size.x, size.y), fmax(size.z, 1e-6));
  double *low[3] = {&s->bounds.low.x, &s->bounds.low.y, &s->bounds.low.z};
  double *high[3] = {&s->bounds.high.x, &s->bounds.high.y, &s->bounds.high.z};
  for (int k = 0; k < 3; ++k) {
    double centre = (*low[k] + *high[k]) / 2, half = fmax((*high[k] - *low[k]) / 2 + 0.02 * longest, 0.125 * longest);
    *low[k] = centre - half, *high[k] = centre + half;
  }
  s->thin = 0.004 * longest;
}

// ------------------------------------------------------------------------------------------------ the box of axes

static double axis_of(vec p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

static vec with_axis(vec p, int axis, double value) {
  if (axis == 0) p.x = value;
  if (axis == 1) p.y = value;
  if (axis == 2) p.z = value;
  return p;
}

// The corner of the box that is farthest from the eye: the three faces that meet there lie behind everything.
static vec far_corner(const stage *s) {
  vec p = s->bounds.low;
  for (int axis = 0; axis < 3; ++axis)
    if (axis_of(s->eye.toward, axis) < 0) p = with_axis(p, axis, axis_of(s->bounds.high, axis));
  return p;
}

static void stroke_between(const stage *s, vec a, vec b) {
  double x, y;
  view_project(&s->eye, a, &x, &y);
  cairo_move_to(s->c, x, y);
  view_project(&s->eye, b, &x, &y);
  cairo_line_to(s->c, x, y);
  cairo_stroke(s->c);
}

static void fill_face(const stage *s, int normal) {
  int u = (normal + 1) % 3, v = (normal + 2) % 3;
  vec p = far_corner(s),
      corner[4] = {with_axis(with_axis(p, u, axis_of(s->bounds.low, u)), v, axis_of(s->bounds.low, v))};
  corner[1] = with_axis(corner[0], u, axis_of(s->bounds.high, u));
  corner[2] = with_axis(corner[1], v, axis_of(s->bounds.high, v));
  corner[3] = with_axis(corner[0], v, axis_of(s->bounds.high, v));
  for (int i = 0; i < 4; ++i) {
    double x, y;
    view_project(&s->eye, corner[i], &x, &y);
    i ? cairo_line_to(s->c, x, y) : cairo_move_to(s->c, x, y);
  }
  cairo_close_path(s->c);
  double shade = normal == 2 ? .945 : normal == 0 ? .965 : .98;
  canvas_colour(s->c, (colour){shade, shade, shade + .008});
  cairo_fill(s->c);
}

// Lines at the ticks of `axis` on the two far faces that contain it.
static void draw_axis_grid(const stage *s, int axis, const double *tick, int count) {
  vec far = far_corner(s);
  cairo_set_line_width(s->c, 1);
  canvas_colour(s->c, (colour){.84, .85, .87});
  for (int i = 0; i < count; ++i)
    for (int side = 1; side <= 2; ++side) {
      int across = (axis + side) % 3;
      vec p = with_axis(far, axis, tick[i]);
      stroke_between(s, with_axis(p, across, axis_of(s->bounds.low, across)),
                     with_axis(p, across, axis_of(s->bounds.high, across)));
    }
}

// Labels stand where nothing is drawn: x and y along the near lower edges, z along the far wall's left edge.
static vec label_edge(const stage *s, int axis) {
  vec far = far_corner(s), near = vec_sub(vec_add(s->bounds.low, s->bounds.high), far);
  if (axis == 0) return with_axis(with_axis(far, 1, near.y), 2, far.z);
  if (axis == 1) return with_axis(with_axis(far, 0, near.x), 2, far.z);
  vec a = with_axis(far, 0, near.x), b = with_axis(far, 1, near.y);
  return vec_dot(a, s->eye.right) < vec_dot(b, s->eye.right) ? a : b;
}

static void label_axis(const stage *s, int axis, const double *tick, int count) {
  static const char *const names[] = {"x (m)", "y (m)", "z (m)"};
  vec edge = label_edge(s, axis), centre = vec_scale(0.5, vec_add(s->bounds.low, s->bounds.high));
  double cx, cy, ex, ey, x, y;
  view_project(&s->eye, centre, &cx, &cy);
  view_project(&s->eye, with_axis(edge, axis, axis_of(centre, axis)), &ex, &ey);
  align side = ex < cx ? ALIGN_RIGHT : ALIGN_LEFT;
  double dx = ex < cx ? -8 : 8, dy = axis == 2 ? 4 : 16;
  char text[32];
  canvas_colour(s->c, (colour){.25, .27, .31});
  for (int i = 0; i < count; ++i) {
    view_project(&s->eye, with_axis(edge, axis, tick[i]), &x, &y);
    canvas_number(text, sizeof text, tick[i], count > 1 ? tick[1] - tick[0] : 1);
    canvas_text(s->c, x + dx, y + dy, 13, side, false, text);
  }
  canvas_text(s->c, ex + (axis == 2 ? -44 : 4.5 * dx), ey + (axis == 2 ? 4 : 44), 14, side, true, names[axis]);
}

static void draw_axes(const stage *s) {
  for (int axis = 0; axis < 3; ++axis) fill_face(s, axis);
  for (int axis = 0; axis < 3; ++axis) {
    double tick[TICK_LIMIT], low = axis_of(s->bounds.low, axis), high = axis_of(s->bounds.high, axis);
    int most = (int)fmax(2, fmin(9, (high - low) * s->eye.scale / 70));
    int count = canvas_ticks(low, high, most, tick);
    draw_axis_grid(s, axis, tick, count);
    label_axis(s, axis, tick, count);
  }
}

// ------------------------------------------------------------------------------------------------ bodies

static void draw_trace(const stage *s, scene *solid) {
  size_t step = s->r->samples / TRACE_LIMIT + 1;
  for (size_t i = 0; s->tip && i + step < s->r->samples; i += step) {
    const double *a = s->tip + 3 * i, *b = s->tip + 3 * (i + step);
    vec path[2] = {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}};
    if (isfinite(a[0]) && isfinite(b[0]) && vec_norm(vec_sub(path[1], path[0])) > 1e-12)
      tube_draw(solid, path, 2, 0.5 * s->thin, colour_of_time(time_share(s, i)));
  }
}

static void draw_bodies(const stage *s, rect place) {
  view fine = s->eye;
  fine.scale *= FINER;
  fine.x0 = (s->eye.x0 - place.x) * FINER;
  fine.y0 = (s->eye.y0 - place.y) * FINER;
  int width = (int)place.width * FINER, height = (int)place.height * FINER;
  scene *solid = scene_create(width, height, &fine);
  for (long i = 0; i < s->style->instants; ++i) {
    size_t sample = sample_of(s, i);
    for (int k = 0; k < s->r->track_count; ++k)
      if (finite_track(&s->r->tracks[k], sample))
        robot_draw(solid, &s->r->tracks[k], recording_parent(s->r, &s->r->tracks[k]), sample, 2 * s->thin,
                   colour_of_time(time_share(s, sample)));
  }
  draw_trace(s, solid);
  cairo_surface_t *picture = cairo_image_surface_create_for_data((unsigned char *)scene_pixels(solid),
                                                                 CAIRO_FORMAT_ARGB32, width, height, 4 * width);
  cairo_save(s->c);
  cairo_translate(s->c, place.x, place.y);
  cairo_scale(s->c, 1.0 / FINER, 1.0 / FINER);
  cairo_set_source_surface(s->c, picture, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(s->c), CAIRO_FILTER_GOOD);
  cairo_paint(s->c);
  cairo_restore(s->c);
  cairo_surface_destroy(picture);
  scene_destroy(solid);
}

// ------------------------------------------------------------------------------------------------ time

static void draw_time_scale(const stage *s, rect place) {
  double width = place.width * 0.56, x0 = place.x + (place.width - width) / 2, y = place.y + place.height - 44,
         height = 11;
  for (int i = 0; i < (int)width; ++i) {
    canvas_colour(s->c, colour_of_time(i / width));
    cairo_rectangle(s->c, x0 + i, y, 1.5, height);
    cairo_fill(s->c);
  }
  char text[48];
  for (long i = 0; i < s->style->instants; ++i) {
    size_t sample = sample_of(s, i);
    double x = x0 + time_share(s, sample) * width;
    canvas_colour(s->c, (colour){.16, .18, .22});
    cairo_set_line_width(s->c, 1.5);
    cairo_move_to(s->c, x, y - 3), cairo_line_to(s->c, x, y + height + 3), cairo_stroke(s->c);
    snprintf(text, sizeof text, "%.3g", s->r->x[sample]);
    canvas_text(s->c, x, y + height + 18, 13, ALIGN_CENTRE, false, text);
  }
  canvas_text(s->c, x0 + width + 18, y + height - 1, 14, ALIGN_LEFT, true, s->r->statics ? "problem" : "t (s)");
}

void shapes_draw(cairo_t *c, rect place, const recording *r, const shapes_style *style) {
  char name[128];
  stage s = {.c = c, .r = r, .style = style, .tip = recording_tip(r, style->link, name, sizeof name)};
  rect picture = {place.x, place.y, place.width, place.height - 60};
  measure(&s);
  s.eye = view_fit(&s.bounds, style->azimuth, style->elevation, picture.width, picture.height, 64);
  s.eye.x0 += picture.x;
  s.eye.y0 += picture.y;
  draw_axes(&s);
  draw_bodies(&s, picture);
  draw_time_scale(&s, place);
  free(s.tip);
}
