// Layout: shapes on the left, panels on the right in the order of a table: inputs, coordinates, tip, energy. A panel exists
// when the result holds its field; without shapes the panels take the whole width.
#include "plot/figure.h"

#include "base/say.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
// fontconfig 2.14 keeps one block of its own for ever; everything of ours is still checked.
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig"; }
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "print_suppressions=0"; }
#endif

enum { WIDTH = 1720, HEIGHT = 1000, HEADER = 70, PANEL_LIMIT = 8, COORDINATES_DRAWN = CURVE_LIMIT };

typedef struct maker {
  const recording *r;
  const shapes_style *style;
  double *held[PANEL_LIMIT * 2]; ///< data that panels point into
  int held_count;
} maker;

static const double *hold(maker *m, double *values) {
  if (values) m->held[m->held_count++] = values;
  return values;
}

static curve *add_curve(panel *p, const double *y, size_t stride, colour paint, const char *label) {
  if (p->count == CURVE_LIMIT) return NULL;
  curve *k = &p->curves[p->count++];
  *k = (curve){.y = y, .stride = stride, .paint = paint, .line_width = 1.7};
  snprintf(k->label, sizeof k->label, "%.39s", label);
  return k;
}

// ------------------------------------------------------------------------------------------------ the panels

static const char *name_at(const recording *r, const char *list, size_t i) {
  return json_string_value(json_array_get(json_object_get(r->summary, list), i));
}

static bool inputs_panel(maker *m, panel *p) {
  size_t columns;
  const double *u = hold(m, recording_field(m->r, "u", &columns));
  if (!u) return false;
  snprintf(p->title, sizeof p->title, "inputs u");
  snprintf(p->unit, sizeof p->unit, "N, N m");
  for (size_t i = 0; i < columns && i < CURVE_LIMIT; ++i) {
    char plain[24];
    snprintf(plain, sizeof plain, "u[%zu]", i);
    const char *name = name_at(m->r, "channels", i);
    add_curve(p, u + i, columns, colour_of_curve((int)i), name ? name : plain);
  }
  return true;
}

// "arm.bending_y[2]" belongs to the group "arm.bending_y"; joints and reduced bodies likewise.
static size_t group_length(const char *name) {
  const char *bracket = name ? strrchr(name, '[') : NULL;
  return bracket ? (size_t)(bracket - name) : name ? strlen(name) : 0;
}

// With a single link its name says nothing: "bending_y" is enough.
static const char *short_name(const recording *r, const char *name) {
  const char *dot = strchr(name, '.');
  return json_array_size(json_object_get(r->model, "links")) == 1 && dot ? dot + 1 : name;
}

static bool same_group(const char *a, const char *b) {
  return a && b && group_length(a) == group_length(b) && strncmp(a, b, group_length(a)) == 0;
}

// One colour per group, lighter for higher modes; the group's first coordinate carries its name.
static void add_coordinate(const recording *r, panel *p, const double *q, size_t columns, size_t i, int *group,
                           int *member) {
  const char *name = name_at(r, "coordinates", i), *before = i ? name_at(r, "coordinates", i - 1) : NULL;
  bool first = i == 0 || (name && !same_group(name, before));
  char label[40] = "";
  if (first && i > 0) ++*group;
  *member = first ? 0 : *member + 1;
  if (first && name) snprintf(label, sizeof label, "%.*s", (int)group_length(short_name(r, name)), short_name(r, name));
  curve *k = add_curve(p, q + i, columns, colour_lighter(colour_of_curve(*group), fmin(0.65, 0.16 * *member)), label);
  if (k) k->line_width = 1.4;
}

static bool coordinates_panel(maker *m, panel *p) {
  size_t columns;
  const double *q = hold(m, recording_field(m->r, "q", &columns));
  if (!q) return false;
  int group = 0, member = 0;
  for (size_t i = 0; i < columns && i < COORDINATES_DRAWN; ++i) add_coordinate(m->r, p, q, columns, i, &group, &member);
  if (columns > COORDINATES_DRAWN)
    snprintf(p->title, sizeof p->title, "coordinates q (first %d of %zu)", COORDINATES_DRAWN, columns);
  else
    snprintf(p->title, sizeof p->title, "coordinates q");
  return true;
}

static bool tip_panel(maker *m, panel *p) {
  static const char *const axis[] = {"x", "y", "z"};
  char name[128];
  const double *tip = hold(m, recording_tip(m->r, m->style->link, name, sizeof name));
  if (!tip) return false;
  snprintf(p->title, sizeof p->title, "%.90s", name);
  snprintf(p->unit, sizeof p->unit, "m");
  for (size_t i = 0; i < 3; ++i) add_curve(p, tip + i, 3, colour_of_curve((int)i), axis[i]);
  return true;
}

static bool energy_panel(maker *m, panel *p) {
  static const char *const parts[] = {"kinetic", "elastic", "gravitational"};
  size_t columns;
  const double *energy = hold(m, recording_field(m->r, "energy", &columns));
  if (!energy || columns != 3) return false;
  double *total = must_alloc(m->r->samples * sizeof *total);
  for (size_t i = 0; i < m->r->samples; ++i) total[i] = energy[3 * i] + energy[3 * i + 1] + energy[3 * i + 2];
  snprintf(p->title, sizeof p->title, "energy");
  snprintf(p->unit, sizeof p->unit, "J");
  for (size_t i = 0; i < 3; ++i) add_curve(p, energy + i, 3, colour_of_curve((int)i), parts[i]);
  add_curve(p, hold(m, total), 1, (colour){.2, .2, .2}, "sum")->dashed = true;
  return true;
}

static bool residual_panel(maker *m, panel *p) {
  size_t columns;
  const double *residual = m->r->statics ? hold(m, recording_field(m->r, "residual", &columns)) : NULL;
  if (!residual || columns != 1) return false;
  snprintf(p->title, sizeof p->title, "residual");
  snprintf(p->unit, sizeof p->unit, "N, N m");
  add_curve(p, residual, 1, colour_of_curve(1), "");
  return true;
}

static bool (*const panel_makers[])(maker *, panel *) = {inputs_panel, coordinates_panel, tip_panel, energy_panel,
                                                         residual_panel};

// ------------------------------------------------------------------------------------------------ layout

// "cdm, 10 s: dynamics, bdf, 24 coordinates" from what the summary tells.
static void draw_header(cairo_t *c, const recording *r) {
  const json_t *job = json_object_get(r->summary, "job");
  const char *name = json_string_value(json_object_get(r->model, "name"));
  const char *method = json_string_value(json_object_get(json_object_get(job, "integrator"), "method"));
  const char *description = json_string_value(json_object_get(r->model, "description"));
  char line[200];
  canvas_colour(c, (colour){.12, .14, .18});
  canvas_text(c, 36, 42, 24, ALIGN_LEFT, true, name ? name : "result");
  double x = 36 + canvas_text_width(c, 27, name ? name : "result") + 18;
  size_t coordinates = json_array_size(json_object_get(r->summary, "coordinates"));
  snprintf(line, sizeof line, r->statics ? "%zu problems of statics" : "%zu samples over %g s", r->samples,
           r->x[r->samples - 1]);
  if (coordinates) snprintf(line + strlen(line), sizeof line - strlen(line), ", %zu coordinates", coordinates);
  if (!r->statics && r->summary)
    snprintf(line + strlen(line), sizeof line - strlen(line), ", %s", method ? method : "bdf");
  canvas_colour(c, (colour){.36, .39, .44});
  canvas_text(c, x, 42, 16, ALIGN_LEFT, false, line);
  if (description && strlen(description) <= 150) canvas_text(c, 36, 66, 13, ALIGN_LEFT, false, description);
}

static void draw_panels(cairo_t *c, const panel *panels, int count, bool shapes) {
  double x = shapes ? WIDTH * 0.53 : 30, width = WIDTH - x - 24, height = (HEIGHT - HEADER - 40.0) / count;
  for (int i = 0; i < count; ++i) {
    rect place = {x, HEADER + i * height, width, height + (i + 1 == count ? 30 : 0)};
    canvas_panel(c, place, &panels[i], i + 1 == count);
  }
}

static void draw_all(cairo_t *c, maker *m) {
  const recording *r = m->r;
  bool shapes = r->track_count > 0;
  int count = 0;
  panel *panels = must_alloc(PANEL_LIMIT * sizeof *panels);
  for (size_t i = 0; i < sizeof panel_makers / sizeof *panel_makers; ++i) {
    panel *p = &panels[count];
    *p = (panel){.x = r->x, .samples = r->samples};
    snprintf(p->x_label, sizeof p->x_label, r->statics ? "problem" : "t (s)");
    if (panel_makers[i](m, p)) ++count;
  }
  cairo_set_source_rgb(c, 1, 1, 1);
  cairo_paint(c);
  draw_header(c, r);
  if (shapes)
    shapes_draw(c, (rect){16, HEADER, (count ? WIDTH * 0.53 : WIDTH) - 24, HEIGHT - HEADER - 10}, r, m->style);
  if (count) draw_panels(c, panels, count, shapes);
  free(panels);
}

static bool save(cairo_surface_t *surface, const char *path) {
  char *partial = must_format("%s.partial", path);
  cairo_status_t status = cairo_surface_write_to_png(surface, partial);
  bool good = status == CAIRO_STATUS_SUCCESS && rename(partial, path) == 0;
  if (!good) say_error("cannot write %s: %s", path, status ? cairo_status_to_string(status) : strerror(errno));
  if (!good) unlink(partial);
  free(partial);
  return good;
}

bool figure_write(const recording *r, const shapes_style *style, const char *path) {
  maker m = {.r = r, .style = style};
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *c = cairo_create(surface);
  draw_all(c, &m);
  cairo_destroy(c);
  bool good = save(surface, path);
  cairo_surface_destroy(surface);
  cairo_debug_reset_static_data(); // font caches: a clean exit for leak checkers
  for (int i = 0; i < m.held_count; ++i) free(m.held[i]);
  return good;
}
