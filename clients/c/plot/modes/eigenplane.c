// Eigenvalues may differ by powers of ten: then an axis is linear up to the smallest of them and counts powers beyond.
#include "plot/modes/eigenplane.h"

#include <math.h>
#include <stdio.h>

enum { ROW = 22, HEADING = 46, MARK = 5, POWERS = 4 };

static const colour ink = {.16, .18, .22}, grey = {.42, .45, .50}, faint = {.87, .88, .90},
                    frame_paint = {.42, .44, .48};
static const double ZERO_SHARE = 1e-9; // of the largest: smaller ones are 0, and do not ask for powers

// ------------------------------------------------------------------------------------------------ axes

typedef struct line {
  double fold, low, high, from, length; ///< fold INFINITY: linear; low and high as folded
} line;

static double folded(double x, double fold) {
  if (!isfinite(fold)) return x;
  return fabs(x) <= fold ? x / fold : copysign(1 + log10(fabs(x) / fold), x);
}

static double place_on(const line *l, double x) {
  return l->from + (folded(x, l->fold) - l->low) / (l->high - l->low) * l->length;
}

// Where powers begin to be counted; INFINITY: all are of one size.
static double fold_of(const spectrum *list, size_t count) {
  double largest = 0, least = INFINITY;
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < list[k].count; ++i) largest = fmax(largest, hypot(list[k].value[i].re, list[k].value[i].im));
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < list[k].count; ++i) {
      double size = hypot(list[k].value[i].re, list[k].value[i].im);
      if (size > ZERO_SHARE * largest) least = fmin(least, size);
    }
  return largest > 100 * least ? least : INFINITY;
}

// Over all values, the origin and a margin.
static line line_of(const spectrum *list, size_t count, bool imaginary, double from, double length) {
  line l = {fold_of(list, count), 0, 0, from, length};
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < list[k].count; ++i) {
      double x = folded(imaginary ? list[k].value[i].im : list[k].value[i].re, l.fold);
      l.low = fmin(l.low, x), l.high = fmax(l.high, x);
    }
  double margin = l.high > l.low ? 0.07 * (l.high - l.low) : 1;
  l.low -= margin, l.high += margin;
  return l;
}

// Powers of ten on both sides of 0, at most POWERS of them each.
static int folded_ticks(const line *l, double tick[TICK_LIMIT]) {
  int count = 0, first = (int)ceil(log10(l->fold)), last = (int)floor(fmax(-l->low, l->high) - 1 + log10(l->fold)),
      every = (last - first) / POWERS + 1;
  tick[count++] = 0;
  for (int p = first; p <= last && count + 2 <= TICK_LIMIT; p += every)
    for (int sign = -1; sign <= 1; sign += 2) {
      double x = sign * pow(10, p), at = folded(x, l->fold);
      if (at >= l->low && at <= l->high) tick[count++] = x;
    }
  return count;
}

static int ticks_of(const line *l, double tick[TICK_LIMIT]) {
  return isfinite(l->fold) ? folded_ticks(l, tick) : canvas_ticks(l->low, l->high, 7, tick);
}

static void stroke(cairo_t *c, double x0, double y0, double x1, double y1) {
  cairo_move_to(c, x0, y0), cairo_line_to(c, x1, y1), cairo_stroke(c);
}

static void draw_grid(cairo_t *c, rect at, const line *x, const line *y) {
  double tick[TICK_LIMIT];
  char text[32];
  cairo_set_line_width(c, 1);
  for (int i = 0, count = ticks_of(x, tick); i < count; ++i) {
    double place = round(place_on(x, tick[i])) + 0.5;
    canvas_colour(c, faint);
    stroke(c, place, at.y, place, at.y + at.height);
    snprintf(text, sizeof text, "%.4g", tick[i]);
    canvas_colour(c, ink);
    canvas_text(c, place, at.y + at.height + 18, 13, ALIGN_CENTRE, false, text);
  }
  for (int i = 0, count = ticks_of(y, tick); i < count; ++i) {
    double place = round(place_on(y, tick[i])) + 0.5;
    canvas_colour(c, faint);
    stroke(c, at.x, place, at.x + at.width, place);
    snprintf(text, sizeof text, "%.4g", tick[i]);
    canvas_colour(c, ink);
    canvas_text(c, at.x - 8, place + 4.5, 13, ALIGN_RIGHT, false, text);
  }
  canvas_colour(c, frame_paint);
  cairo_rectangle(c, at.x, at.y, at.width, at.height), cairo_stroke(c);
}

static void draw_limit(cairo_t *c, rect at, const line *x) {
  canvas_colour(c, ink);
  cairo_set_line_width(c, 1.4);
  cairo_set_dash(c, (const double[]){6, 4}, 2, 0);
  stroke(c, place_on(x, 0), at.y, place_on(x, 0), at.y + at.height);
  cairo_set_dash(c, NULL, 0, 0);
}

// ------------------------------------------------------------------------------------------------ the plane

static void draw_value(cairo_t *c, double x, double y, bool swings) {
  cairo_set_line_width(c, 1.8);
  if (swings) {
    stroke(c, x - MARK, y - MARK, x + MARK, y + MARK);
    stroke(c, x - MARK, y + MARK, x + MARK, y - MARK);
    return;
  }
  cairo_new_path(c);
  cairo_arc(c, x, y, MARK, 0, 2 * M_PI);
  cairo_stroke(c);
}

// "✕ swings" with drawn signs, "dark to bright: t = 0 to 2 s" behind them.
static void draw_key(cairo_t *c, double x, double y, double end, const recording *r, const spectrum *list,
                     size_t count) {
  static const char *const words[] = {"does not swing", "swings", "right of the dashed line it grows"};
  char course[96];
  for (int i = 0; i < 3; ++i) {
    if (x + 18 + canvas_text_width(c, 13, words[i]) > end) return;
    canvas_colour(c, count > 1 ? ink : colour_of_curve(0));
    if (i < 2) draw_value(c, x + MARK, y - 4, i == 1);
    if (i == 2) cairo_set_line_width(c, 1.4), stroke(c, x + MARK, y - 10, x + MARK, y + 2);
    canvas_colour(c, grey);
    canvas_text(c, x + 18, y, 13, ALIGN_LEFT, false, words[i]);
    x += 42 + canvas_text_width(c, 13, words[i]);
  }
  if (count < 2) return;
  double from = r->x[list[0].row], to = r->x[list[count - 1].row];
  snprintf(course, sizeof course, r->t ? "dark to bright: t = %.4g to %.4g s" : "dark to bright: states %.4g to %.4g",
           from, to);
  if (x + canvas_text_width(c, 13, course) <= end) canvas_text(c, x, y, 13, ALIGN_LEFT, false, course);
}

void eigenplane_draw(cairo_t *c, rect place, const recording *r, const spectrum *list, size_t count) {
  rect at = {place.x + 84, place.y + 56, place.width - 100, place.height - 104};
  if (at.width < 40 || at.height < 40 || count == 0) return;
  line x = line_of(list, count, false, at.x, at.width), y = line_of(list, count, true, at.y + at.height, -at.height);
  canvas_colour(c, ink);
  canvas_text(c, at.x, place.y + 18, 15, ALIGN_LEFT, true, "eigenvalues of A");
  draw_key(c, at.x, place.y + 40, at.x + at.width, r, list, count);
  draw_grid(c, at, &x, &y);
  draw_limit(c, at, &x);
  for (size_t k = 0; k < count; ++k) {
    canvas_colour(c, count > 1 ? colour_of_time((double)k / (double)(count - 1)) : colour_of_curve(0));
    for (size_t i = 0; i < list[k].count; ++i) {
      const eigenvalue *v = &list[k].value[i];
      draw_value(c, place_on(&x, v->re), place_on(&y, v->im), eigenvalue_swings(v));
    }
  }
  canvas_colour(c, ink);
  canvas_text(c, at.x + at.width / 2, at.y + at.height + 40, 13, ALIGN_CENTRE, false, "real part (1/s)");
  cairo_save(c);
  cairo_translate(c, place.x + 16, at.y + at.height / 2);
  cairo_rotate(c, -M_PI / 2);
  canvas_text(c, 0, 0, 13, ALIGN_CENTRE, false, "imaginary part (rad/s)");
  cairo_restore(c);
}

// ------------------------------------------------------------------------------------------------ modes

// Of a pair only the one above the axis.
static bool is_mode(const eigenvalue *v) { return !eigenvalue_swings(v) || v->im > 0; }

static size_t modes_of(const spectrum *s, size_t *growing) {
  size_t modes = 0;
  *growing = 0;
  for (size_t i = 0; i < s->count; ++i)
    if (is_mode(&s->value[i])) ++modes, *growing += s->value[i].re > 0;
  return modes;
}

double modes_height(const spectrum *last, double most) {
  size_t growing, modes = modes_of(last, &growing),
                  room = most > HEADING + ROW ? (size_t)((most - HEADING - 20) / ROW) : 0;
  return room == 0 ? 0 : HEADING + ROW * (double)(modes < room ? modes : room) + 20;
}

enum { COLUMNS = 5, NARROW = 560 };

// Where columns end, of the width, and where the last one begins; 0: there is no room for it.
static const double wide_ends[COLUMNS] = {.15, .27, .41, .66, .69}, narrow_ends[COLUMNS] = {.30, 0, .58, 0, .61};

static void draw_row(cairo_t *c, rect place, double y, bool bold, char text[COLUMNS][64]) {
  const double *ends = place.width < NARROW ? narrow_ends : wide_ends;
  for (int k = 0; k < COLUMNS; ++k)
    if (ends[k] > 0)
      canvas_text(c, place.x + ends[k] * place.width, y, 13, k + 1 < COLUMNS ? ALIGN_RIGHT : ALIGN_LEFT, bold, text[k]);
}

static void draw_mode(cairo_t *c, rect place, double y, const recording *r, const eigenvalue *v) {
  char text[COLUMNS][64] = {"-", "-", "-", "stays", ""};
  double size = hypot(v->re, v->im);
  if (eigenvalue_swings(v)) {
    snprintf(text[0], sizeof text[0], "%.4g", v->im);
    snprintf(text[1], sizeof text[1], "%.4g", v->im / (2 * M_PI));
    snprintf(text[2], sizeof text[2], "%.3g", -v->re / size);
  }
  if (v->re != 0) snprintf(text[3], sizeof text[3], "%s by e in %.3g s", v->re < 0 ? "dies" : "grows", 1 / fabs(v->re));
  const char *name = v->leading < 0 ? NULL : recording_name(r, "coordinates", (size_t)v->leading);
  if (name) snprintf(text[4], sizeof text[4], "%.36s, %.0f %%", name, 100 * v->part);
  draw_row(c, place, y, false, text);
}

void modes_draw(cairo_t *c, rect place, const recording *r, const spectrum *last) {
  static const char *const heads[COLUMNS] = {"swings at (rad/s)", "(Hz)", "damping ratio", "in time", "mostly"};
  size_t growing, modes = modes_of(last, &growing), shown = 0;
  size_t room = place.height > HEADING + ROW ? (size_t)((place.height - HEADING - 20) / ROW) : 0;
  char title[160], text[COLUMNS][64];
  if (room == 0) return;
  int n = modes > room ? snprintf(title, sizeof title, "the slowest %zu of %zu modes", room, modes)
                       : snprintf(title, sizeof title, "%zu modes", modes);
  if (r->t && r->samples > 1) n += snprintf(title + n, sizeof title - (size_t)n, " at t = %.4g s", r->t[last->row]);
  snprintf(title + n, sizeof title - (size_t)n, growing == 0 ? ", none grows" : ", %zu of all grow", growing);
  canvas_colour(c, ink);
  canvas_text(c, place.x, place.y + 18, 15, ALIGN_LEFT, true, title);
  canvas_colour(c, grey);
  for (int k = 0; k < COLUMNS; ++k) snprintf(text[k], sizeof text[k], "%s", heads[k]);
  draw_row(c, place, place.y + 40, false, text);
  canvas_colour(c, ink);
  for (size_t i = 0; i < last->count && shown < room; ++i)
    if (is_mode(&last->value[i]))
      draw_mode(c, place, place.y + HEADING + ROW * (double)++shown - 4, r, &last->value[i]);
}
