// Two layouts: together (all instants in one box of axes, coloured by time) or apart (one box per instant), chosen by the shape
// of what the robot reaches. Bodies and the tip's trace pass through one depth buffer, twice as fine as the picture.
#include "plot/shapes.h"

#include "plot/axes_box.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FINER = 2, TRACE_LIMIT = 2000 };

typedef struct stage {
  cairo_t *c;
  const recording *r;
  const shapes_style *style;
  box bounds;
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

// ------------------------------------------------------------------------------------------------ bodies

// The tip's path between two samples.
static void draw_trace(const stage *s, scene *solid, size_t first, size_t last) {
  size_t step = s->r->samples / TRACE_LIMIT + 1;
  for (size_t i = first; s->tip && i < last; i += step) {
    size_t next = i + step < last ? i + step : last;
    const double *a = s->tip + 3 * i, *b = s->tip + 3 * next;
    vec path[2] = {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}};
    if (isfinite(a[0]) && isfinite(b[0]) && vec_norm(vec_sub(path[1], path[0])) > 1e-12)
      tube_draw(solid, path, 2, 0.5 * s->thin, colour_of_time(time_share(s, i)));
  }
}

static void draw_instant(const stage *s, scene *solid, long instant) {
  size_t sample = sample_of(s, instant);
  for (int k = 0; k < s->r->track_count; ++k)
    if (finite_track(&s->r->tracks[k], sample))
      robot_draw(solid, &s->r->tracks[k], recording_parent(s->r, &s->r->tracks[k]), sample, 2 * s->thin,
                 colour_of_time(time_share(s, sample)));
}

// The solid part of one picture: instants [first, last], and the tip's path up to the last of them.
static void draw_bodies(const stage *s, rect place, const view *eye, long first, long last) {
  view fine = *eye;
  fine.scale *= FINER;
  fine.x0 = (eye->x0 - place.x) * FINER;
  fine.y0 = (eye->y0 - place.y) * FINER;
  int width = (int)place.width * FINER, height = (int)place.height * FINER;
  scene *solid = scene_create(width, height, &fine);
  for (long i = first; i <= last; ++i) draw_instant(s, solid, i);
  draw_trace(s, solid, first > 0 ? sample_of(s, first - 1) : 0, sample_of(s, last));
  unsigned char *pixels = (unsigned char *)scene_pixels(solid);
  cairo_surface_t *picture = cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, width, height, 4 * width);
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

// ------------------------------------------------------------------------------------------------ layouts

static view eye_in(const stage *s, rect place, double margin) {
  view eye = view_fit(&s->bounds, s->style->azimuth, s->style->elevation, place.width, place.height, margin);
  eye.x0 += place.x;
  eye.y0 += place.y;
  return eye;
}

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

static void draw_together(const stage *s, rect place) {
  rect picture = {place.x, place.y, place.width, place.height - 60};
  view eye = eye_in(s, picture, 64);
  axes_box_draw(s->c, &s->bounds, &eye, 7);
  draw_bodies(s, picture, &eye, 0, s->style->instants - 1);
  draw_time_scale(s, place);
}

// Columns that make the pictures largest.
static int best_columns(const stage *s, rect place) {
  int best = 1;
  double largest = 0;
  for (int columns = 1; columns <= s->style->instants; ++columns) {
    long rows = (s->style->instants + columns - 1) / columns;
    rect cell = {0, 0, place.width / columns, place.height / (double)rows - 26};
    double scale = cell.height > 20 ? eye_in(s, cell, 6).scale : 0;
    if (scale > largest) largest = scale, best = columns;
  }
  return best;
}

static void draw_cell(const stage *s, rect cell, long instant, bool labels) {
  rect picture = {cell.x, cell.y, cell.width, cell.height - 26};
  char text[48];
  view eye = eye_in(s, picture, 6);
  axes_box_draw(s->c, &s->bounds, &eye, labels ? 4 : 0);
  draw_bodies(s, picture, &eye, instant, instant);
  snprintf(text, sizeof text, s->r->statics ? "problem %.0f" : "t = %.3g s", s->r->x[sample_of(s, instant)]);
  canvas_colour(s->c, (colour){.16, .18, .22});
  canvas_text(s->c, cell.x + cell.width / 2, cell.y + cell.height - 8, 14, ALIGN_CENTRE, false, text);
}

static void draw_apart(const stage *s, rect place) {
  rect inner = {place.x + 62, place.y + 10, place.width - 62, place.height - 46};
  int columns = best_columns(s, inner);
  long rows = (s->style->instants + columns - 1) / columns;
  double width = inner.width / columns, height = inner.height / (double)rows;
  for (long i = 0; i < s->style->instants; ++i) {
    rect cell = {inner.x + (double)(i % columns) * width, inner.y + (double)(i / columns) * height, width, height};
    draw_cell(s, cell, i, i % columns == 0);
  }
}

// Slender bounds mean that the shapes would hide one another, and that there is room beside them.
static bool slender(const stage *s, rect place) {
  view eye = eye_in(s, place, 0);
  double x0 = INFINITY, x1 = -INFINITY;
  for (int i = 0; i < 8; ++i) {
    vec low = s->bounds.low, high = s->bounds.high;
    double x, y;
    view_project(&eye, (vec){i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z}, &x, &y);
    x0 = fmin(x0, x), x1 = fmax(x1, x);
  }
  return x1 - x0 < 0.5 * place.width;
}

void shapes_draw(cairo_t *c, rect place, const recording *r, const shapes_style *style) {
  char name[128];
  stage s = {.c = c, .r = r, .style = style, .tip = recording_tip(r, style->link, name, sizeof name)};
  measure(&s);
  bool apart =
      style->layout == SHAPES_APART || (style->layout == SHAPES_AUTO && style->instants > 1 && slender(&s, place));
  if (apart)
    draw_apart(&s, place);
  else
    draw_together(&s, place);
  free(s.tip);
}
