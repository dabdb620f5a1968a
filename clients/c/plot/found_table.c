// A heading with the verdict, then rows: name, value, deviation, and a line from bound to bound with marks on it.
#include "plot/found_table.h"

#include "base/found_words.h"
#include "plot/curves/search.h"
#include "plot/curves/targets.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 24, HEADING = 52, TEXT = 48 };

static const colour ink = {.16, .18, .22}, grey = {.42, .45, .50}, faint = {.80, .82, .85},
                    found_paint = {.27, .47, .67}, alarm = {.62, .36, .02};

static bool is_gradient(const tendril_found *f) { return strcmp(f->kind, "gradient") == 0; }

static size_t rows_of(const tendril_found *f) { return f->count < TABLE_ROWS ? f->count : TABLE_ROWS; }

// Those that have a row: of many slopes first the ones that no panel shows.
static void choose(const tendril_found *f, size_t chosen[TABLE_ROWS]) {
  size_t rows = rows_of(f), count = 0;
  if (is_gradient(f) && f->count > TABLE_ROWS) count = search_alone(f, chosen, rows);
  for (size_t i = 0, alone = count; i < f->count && count < rows; ++i) {
    bool there = false;
    for (size_t k = 0; k < alone; ++k) there = there || chosen[k] == i;
    if (!there) chosen[count++] = i;
  }
}

static double height_of(const tendril_found *f) {
  return HEADING + ROW * (double)(rows_of(f) + (f->count > rows_of(f))) + 10;
}

// Rows for what was asked: fewer below many numbers.
static size_t asked_rows(const recording *r, size_t asked) {
  size_t room = rows_of(r->found) > 6 ? 4 : 8;
  return asked > room ? room : asked;
}

double found_table_height(const recording *r) {
  wanted list[WANTED_MOST];
  size_t asked = r->found ? asked_rows(r, targets_list(r, list)) : 0;
  return r->found ? height_of(r->found) + (asked > 0 ? ROW * (double)(asked + 1) + 6 : 0) : 0;
}

// Where a value lies between the bounds, 0 to 1.
static double share(const tendril_parameter *p, double value) {
  double s = p->log ? log(value / p->lower) / log(p->upper / p->lower) : (value - p->lower) / (p->upper - p->lower);
  return fmin(1, fmax(0, s));
}

static void dot(cairo_t *c, double x, double y, double radius, bool full) {
  cairo_new_path(c);
  cairo_arc(c, x, y, radius, 0, 2 * M_PI);
  if (full) {
    cairo_fill(c);
    return;
  }
  cairo_set_line_width(c, 1.6);
  cairo_stroke(c);
}

static void draw_bar(cairo_t *c, double x, double y, double width, const tendril_parameter *p) {
  if (!(p->lower < p->upper) || (p->log && !(p->lower > 0)) || !isfinite(p->value)) return;
  canvas_colour(c, faint);
  cairo_set_line_width(c, 3);
  cairo_move_to(c, x, y), cairo_line_to(c, x + width, y), cairo_stroke(c);
  canvas_colour(c, grey);
  if (isfinite(p->first)) dot(c, x + width * share(p, p->first), y, 4.5, false);
  canvas_colour(c, found_paint);
  if (isfinite(p->deviation)) {
    double low = p->value - 3 * p->deviation, high = p->value + 3 * p->deviation;
    double left = p->log && low <= 0 ? 0 : share(p, low), right = share(p, high);
    cairo_set_line_width(c, 7);
    cairo_move_to(c, x + width * left, y), cairo_line_to(c, x + width * right, y), cairo_stroke(c);
  }
  dot(c, x + width * share(p, p->value), y, 5, true);
}

// As much of a name as the width holds.
static void draw_name(cairo_t *c, double x, double y, double width, char *name) {
  size_t length = strlen(name);
  while (length > 4 && canvas_text_width(c, 14, name) > width) name[--length] = '\0';
  canvas_text(c, x, y, 14, ALIGN_LEFT, false, name);
}

static void draw_row(cairo_t *c, rect place, const tendril_found *f, size_t i) {
  const tendril_parameter *p = &f->parameter[i];
  char name[FOUND_NAME], text[64], first[40];
  double right = place.x + 0.42 * place.width;
  found_name(f, i, name);
  canvas_colour(c, p->at_bound ? alarm : ink);
  draw_name(c, place.x, place.y, 0.22 * place.width, name);
  if (is_gradient(f))
    snprintf(text, sizeof text, "%.6g", p->slope);
  else
    found_number(text, sizeof text, p->value, p->deviation);
  canvas_text(c, right, place.y, 14, ALIGN_RIGHT, true, text);
  canvas_colour(c, grey);
  if (strcmp(f->kind, "fit") == 0) {
    found_deviation(first, sizeof first, p);
    snprintf(text, sizeof text, "± %s", first);
    canvas_text(c, right + 8, place.y, 13, ALIGN_LEFT, false, text);
  }
  if (is_gradient(f)) return;
  snprintf(first, sizeof first, "from %.4g%s", p->first, p->at_bound ? " (bound)" : "");
  canvas_text(c, place.x + 0.55 * place.width, place.y, 13, ALIGN_LEFT, false, first);
  draw_bar(c, place.x + 0.76 * place.width, place.y - 4.5, 0.22 * place.width, p);
}

// ------------------------------------------------------------------------------------------------ what was asked

// "target 0.08, off by 13.2 mm", "at most 0.01"
static void describe_wanted(const wanted *w, char *text, size_t size) {
  double missed = targets_missed(w), scale = w->length ? 1e3 : 1;
  const char *unit = w->length ? " mm" : "";
  int n = 0;
  if (isfinite(w->target)) n += snprintf(text, size, "target %.5g", w->target);
  if (isfinite(w->lower)) n += snprintf(text + n, size - (size_t)n, "at least %.5g", w->lower);
  if (isfinite(w->upper))
    n += snprintf(text + n, size - (size_t)n, "%sat most %.5g", isfinite(w->lower) ? ", " : "", w->upper);
  double extent = fabs(w->target) + fabs(w->value) + 1e-300;
  bool off = isfinite(w->target) ? missed > 1e-6 * extent : missed > 1e-6 * (fabs(w->value) + 1e-300);
  if (off) snprintf(text + n, size - (size_t)n, ", off by %.3g%s", scale * missed, unit);
}

static void draw_wanted(cairo_t *c, rect place, const wanted *w) {
  char name[FOUND_NAME + 40], text[128] = "";
  bool bound = !isfinite(w->target), missed = bound && targets_missed(w) > 1e-6 * (fabs(w->value) + 1e-300);
  snprintf(name, sizeof name, "%.60s %s", strncmp(w->field, "poses:", 6) == 0 ? w->field + 6 : w->field, w->entry);
  describe_wanted(w, text, sizeof text);
  canvas_colour(c, missed ? alarm : ink);
  draw_name(c, place.x, place.y, 0.26 * place.width, name);
  canvas_colour(c, missed ? alarm : grey);
  canvas_text(c, place.x + 0.42 * place.width + 30, place.y, 13, ALIGN_LEFT, false, text);
  canvas_colour(c, missed ? alarm : ink);
  snprintf(text, sizeof text, "%.5g%s", w->value, w->length ? " m" : "");
  canvas_text(c, place.x + 0.42 * place.width, place.y, 14, ALIGN_RIGHT, true, text);
}

static void draw_asked(cairo_t *c, rect place, const recording *r) {
  wanted list[WANTED_MOST];
  size_t count = targets_list(r, list);
  if (count == 0) return;
  canvas_colour(c, ink);
  size_t rows = asked_rows(r, count);
  canvas_text(c, place.x, place.y, 15, ALIGN_LEFT, true, rows < count ? "asked, among others" : "asked");
  for (size_t i = 0; i < rows; ++i)
    draw_wanted(c, (rect){place.x, place.y + ROW * (double)(i + 1), place.width, ROW}, &list[i]);
}

void found_table_draw(cairo_t *c, rect place, const recording *r) {
  const tendril_found *f = r->found;
  char verdict[256], more[64];
  size_t rows = rows_of(f), chosen[TABLE_ROWS];
  double x = place.x + 62, y = place.y + TEXT - 30, width = place.width - 74;
  found_verdict(f, verdict, sizeof verdict);
  canvas_colour(c, ink);
  canvas_text(c, x, y, 15, ALIGN_LEFT, true, is_gradient(f) ? "slopes" : "found");
  canvas_colour(c, grey);
  canvas_text(c, x + 62, y, canvas_text_width(c, 13, verdict) > width - 62 ? 11 : 13, ALIGN_LEFT, false, verdict);
  choose(f, chosen);
  for (size_t i = 0; i < rows; ++i)
    draw_row(c, (rect){x, place.y + HEADING + ROW * (double)i, width, ROW}, f, chosen[i]);
  draw_asked(c, (rect){x, place.y + height_of(f) + 8, width, ROW}, r);
  if (f->count == rows) return;
  snprintf(more, sizeof more, "and %zu more", f->count - rows);
  canvas_colour(c, grey);
  canvas_text(c, x, place.y + HEADING + ROW * (double)rows, 13, ALIGN_LEFT, false, more);
}
