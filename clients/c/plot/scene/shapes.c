// Two layouts: together (all instants in one box of axes, coloured by time) or apart (one box per instant, side by
// side). Bodies and the tip's trace pass through one depth buffer, twice as fine as the picture.
#include "plot/scene/shapes.h"

#include "plot/canvas/axes_box.h"
#include "plot/curves/varied.h"
#include "plot/scene/cloud.h"
#include "plot/scene/surroundings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPTION = 26 };

static const colour ink = {.16, .18, .22};

static const double FAINT = 0.3; // how much of a robot is seen that only shows to what dots belong

typedef void layer_painter(const stage *s, scene *solid, const box *bounds, double scale, long first, long last);

static void paint_around(const stage *s, scene *solid, const box *bounds, double scale, long first, long last) {
  (void)scale, (void)first, (void)last;
  stage_draw_around(s, solid, bounds);
}

static void paint_all(const stage *s, scene *solid, const box *bounds, double scale, long first, long last) {
  stage_draw_around(s, solid, bounds);
  stage_draw(s, solid, bounds, scale, first, last);
}

static const double PANE = 0.3; // how much of an obstacle's faces is seen: robots stand and reach behind them

// Bodies of the surroundings, over the robot where it is behind them.
static void cover_by_panes(const stage *s, scene *solid, const view *fine, int width, int height, const box *bounds) {
  if (json_array_size(json_object_get(s->r->model, "contacts")) == 0) return;
  scene *panes = scene_create(width, height, fine);
  if (surroundings_panes(panes, s->r->model, bounds)) scene_cover(solid, panes, PANE);
  scene_destroy(panes);
}

// What `paint` draws of instants [first, last] in this box, of which `alpha` is seen.
static void draw_layer(cairo_t *c, const stage *s, rect place, const view *eye, const box *bounds, long first,
                       long last, layer_painter *paint, double alpha) {
  double finer = 2 * s->style.finer;
  view fine = *eye;
  fine.scale *= finer;
  fine.x0 = (eye->x0 - place.x) * finer;
  fine.y0 = (eye->y0 - place.y) * finer;
  int width = (int)(place.width * finer), height = (int)(place.height * finer);
  scene *solid = scene_create(width, height, &fine);
  paint(s, solid, bounds, eye->scale, first, last);
  if (paint == paint_around || paint == paint_all) cover_by_panes(s, solid, &fine, width, height, bounds);
  unsigned char *pixels = (unsigned char *)scene_pixels(solid);
  cairo_surface_t *picture = cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, width, height, 4 * width);
  cairo_save(c);
  cairo_translate(c, place.x, place.y);
  cairo_scale(c, 1 / finer, 1 / finer);
  cairo_set_source_surface(c, picture, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(c), CAIRO_FILTER_GOOD);
  cairo_paint_with_alpha(c, alpha);
  cairo_restore(c);
  cairo_surface_destroy(picture);
  scene_destroy(solid);
}

// The solid part of one picture.
static void draw_bodies(cairo_t *c, const stage *s, rect place, const view *eye, const box *bounds, long first,
                        long last) {
  bool faint = stage_is_faint(s);
  draw_layer(c, s, place, eye, bounds, first, last, faint ? paint_around : paint_all, 1);
  if (faint) draw_layer(c, s, place, eye, bounds, first, last, stage_draw, FAINT);
  stage_draw_collision(s, c, eye, first, last);
  if (s->force.most > 0) draw_layer(c, s, place, eye, bounds, first, last, stage_draw_touching, 1);
}

static view eye_in(const stage *s, const box *bounds, rect place, double margin) {
  view eye = view_fit(bounds, s->style.azimuth, s->style.elevation, place.width, place.height, margin);
  eye.x0 += place.x;
  eye.y0 += place.y;
  return eye;
}

// Below the shapes: what is grey, whose way is drawn, and where a rod would be thinner than a line.
static void tell_drawn(cairo_t *c, const stage *s, rect place, double scale) {
  double times = stage_thickened(s, scale);
  char text[320], thick[96] = "", trace[160] = "";
  const char *grey = s->r->first_count > 0 && s->targets > 0 ? "grey: as the search began, red: targets"
                     : s->r->first_count > 0                 ? "grey: as the search began"
                     : s->targets > 0                        ? "red: targets"
                                                             : "";
  if (stage_traces(s)) snprintf(trace, sizeof trace, "line: way of the %s", s->tip_name);
  if (stage_clouds(s)) cloud_tell(s, trace, sizeof trace);
  size_t told = strlen(trace);
  if (s->style.collision)
    snprintf(trace + told, sizeof trace - told, "%sorange: what bodies touch with", told ? "; " : "");
  told = strlen(trace);
  if (s->force.most > s->force.longest)
    snprintf(trace + told, sizeof trace - told,
             "%sarrows: forces of contacts, the longest %.3g N and more, up to %.3g N", told ? "; " : "",
             s->force.longest, s->force.most);
  else if (s->force.most > 0)
    snprintf(trace + told, sizeof trace - told, "%sarrows: forces of contacts, the longest %.3g N", told ? "; " : "",
             s->force.most);
  if (times >= 1.1)
    snprintf(thick, sizeof thick, "where they are thinnest, rods are drawn %.2g times as thick as they are", times);
  snprintf(text, sizeof text, "%s%s%s%s%s", grey, *grey && (*trace || *thick) ? "; " : "", trace,
           *trace && *thick ? "; " : "", thick);
  canvas_colour(c, (colour){.42, .45, .50});
  canvas_text(c, place.x + 20, place.y + place.height + 3, 12, ALIGN_LEFT, false, text);
}

// ------------------------------------------------------------------------------------------------ together

static void draw_time_ticks(cairo_t *c, const stage *s, double x0, double y, double width, double height) {
  char text[48];
  double free_from = -INFINITY;
  for (long i = 0; i < s->style.instants; ++i) {
    size_t sample = stage_sample(s, i);
    double x = x0 + stage_share(s, sample) * width;
    canvas_colour(c, ink);
    cairo_set_line_width(c, 1.5);
    cairo_move_to(c, x, y - 3), cairo_line_to(c, x, y + height + 3), cairo_stroke(c);
    snprintf(text, sizeof text, "%.3g", s->r->x[sample]);
    double half = canvas_text_width(c, 13, text) / 2;
    if (x - half < free_from) continue; // would run into the one before
    canvas_text(c, x, y + height + 18, 13, ALIGN_CENTRE, false, text);
    free_from = x + half + 6;
  }
}

static void draw_time_scale(cairo_t *c, const stage *s, rect place) {
  double width = place.width * 0.56, x0 = place.x + (place.width - width) / 2, y = place.y + place.height - 44,
         height = 11;
  for (int i = 0; i < (int)width; ++i) {
    canvas_colour(c, colour_of_time(i / width));
    cairo_rectangle(c, x0 + i, y, 1.5, height);
    cairo_fill(c);
  }
  draw_time_ticks(c, s, x0, y, width, height);
  canvas_text(c, x0 + width + 18, y + height - 1, 14, ALIGN_LEFT, true, recording_axis(s->r));
}

// Robots with the dots of all tips; where these are a clump in a corner, beside it a picture of them alone. Returns the
// scale of the robots.
static double draw_cloud(cairo_t *c, const stage *s, rect place) {
  box tips;
  stage near = *s;
  bool crowds = stage_crowds(s, &tips, &near.style.elevation);
  rect whole = {place.x, place.y, crowds ? 0.36 * place.width : place.width, place.height},
       beside = {place.x + whole.width, place.y, place.width - whole.width, place.height};
  view eye = eye_in(s, &s->bounds, whole, crowds ? 50 : 64);
  axes_box_draw(c, &s->bounds, &eye, 7);
  draw_bodies(c, s, whole, &eye, &s->bounds, 0, s->style.instants - 1);
  cloud_draw(c, s, &eye, &s->bounds);
  if (!crowds) return eye.scale;
  view close = eye_in(&near, &tips, beside, 64);
  axes_box_draw(c, &tips, &close, 7);
  cloud_draw(c, s, &close, &tips);
  return eye.scale;
}

static void draw_together(cairo_t *c, const stage *s, rect place) {
  rect picture = {place.x, place.y, place.width, place.height - 60};
  if (stage_clouds(s)) {
    double scale = draw_cloud(c, s, picture);
    cloud_draw_scale(c, s, place);
    tell_drawn(c, s, place, scale);
    return;
  }
  view eye = eye_in(s, &s->bounds, picture, 64);
  axes_box_draw(c, &s->bounds, &eye, 7);
  draw_bodies(c, s, picture, &eye, &s->bounds, 0, s->style.instants - 1);
  if (s->r->samples > 1) draw_time_scale(c, s, place);
  tell_drawn(c, s, place, eye.scale);
}

// ------------------------------------------------------------------------------------------------ apart

// Columns that make the pictures largest.
static int best_columns(const stage *s, rect place) {
  int best = 1;
  double largest = 0;
  box bounds = stage_bounds_at(s, 0);
  for (int columns = 1; columns <= s->style.instants; ++columns) {
    long rows = (s->style.instants + columns - 1) / columns;
    rect cell = {0, 0, place.width / columns, place.height / (double)rows - CAPTION};
    double scale = cell.height > 20 ? eye_in(s, &bounds, cell, 6).scale : 0;
    if (scale > 1.0001 * largest) largest = scale, best = columns;
  }
  return best;
}

// ": 2.5, 0.1": the values of a sweep's row, of those that change together the first.
static int describe_varied(const stage *s, size_t sample, char *text, size_t size) {
  size_t count = varied_together(s->r) ? 1 : varied_count(s->r);
  int n = 0;
  for (size_t k = 0; k < count && k < 3; ++k) {
    const double *value = varied_values(s->r, k);
    if (value) n += snprintf(text + n, size - (size_t)n, "%s%.4g", n > 0 ? ", " : ": ", value[sample]);
  }
  return n;
}

static void describe_cell(const stage *s, long instant, const box *b, char *text, size_t size) {
  double at = s->r->x[stage_sample(s, instant)];
  vec middle = vec_scale(0.5, vec_add(b->low, b->high));
  int n = s->r->statics ? snprintf(text, size, "%s %.0f", recording_axis(s->r), at)
                        : snprintf(text, size, "t = %.3g s", at);
  n += describe_varied(s, stage_sample(s, instant), text + n, size - (size_t)n);
  if (stage_follows(s))
    snprintf(text + n, size - (size_t)n, " around (%.2f, %.2f, %.2f) m", middle.x, middle.y, middle.z);
}

static double lower_edge(const box *b, const view *eye) {
  double lowest = -INFINITY, x, y;
  for (int i = 0; i < 8; ++i) {
    vec corner = {i & 1 ? b->high.x : b->low.x, i & 2 ? b->high.y : b->low.y, i & 4 ? b->high.z : b->low.z};
    view_project(eye, corner, &x, &y);
    lowest = fmax(lowest, y);
  }
  return lowest;
}

// Returns the scale of the picture.
static double draw_cell(cairo_t *c, const stage *s, rect cell, long instant, unsigned labels) {
  rect picture = {cell.x, cell.y, cell.width, cell.height - CAPTION};
  char text[96];
  box bounds = stage_bounds_at(s, instant);
  view eye = eye_in(s, &bounds, picture, 6);
  axes_box_draw(c, &bounds, &eye, labels);
  draw_bodies(c, s, picture, &eye, &bounds, instant, instant);
  describe_cell(s, instant, &bounds, text, sizeof text);
  canvas_colour(c, ink);
  canvas_text(c, cell.x + cell.width / 2, lower_edge(&bounds, &eye) + 20, 14, ALIGN_CENTRE, false, text);
  return eye.scale;
}

static void draw_apart(cairo_t *c, const stage *s, rect place) {
  rect inner = {place.x + 62, place.y + 10, place.width - 62, place.height - 46};
  int columns = best_columns(s, inner);
  long rows = (s->style.instants + columns - 1) / columns;
  double width = inner.width / columns, height = inner.height / (double)rows, scale = 1;
  for (long i = 0; i < s->style.instants; ++i) {
    rect cell = {inner.x + (double)(i % columns) * width, inner.y + (double)(i / columns) * height, width, height};
    scale = draw_cell(c, s, cell, i, i % columns == 0 && !stage_follows(s) ? 4 : 0);
  }
  tell_drawn(c, s, place, scale);
}

bool shapes_exist(const recording *r) { return r->track_count > 0 || cloud_exists(r); }

void shapes_draw(cairo_t *c, rect place, const recording *r, const shapes_style *style) {
  stage s = stage_open(r, style, place);
  if (s.style.layout == SHAPES_APART)
    draw_apart(c, &s, place);
  else
    draw_together(c, &s, place);
  stage_close(&s);
}
