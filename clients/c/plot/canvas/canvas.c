// Axes: round ticks (1, 2, 5 x 10^k), light grid, legend on the title's line. Long records are drawn by the least and
// the greatest value of each pixel column, so that no peak is lost. Values that are not finite interrupt a curve.
#include "plot/canvas/canvas.h"

#include "base/say.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const colour ink = {.16, .18, .22}, faint = {.87, .88, .90}, grey = {.42, .45, .50};

void canvas_colour(cairo_t *c, colour paint) { cairo_set_source_rgb(c, paint.r, paint.g, paint.b); }

static void set_font(cairo_t *c, double size, bool bold) {
  cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c, size);
}

// How many bytes the character at `at` has, 0: it is none, or only a part of one.
static size_t character(const char *at) {
  unsigned char first = (unsigned char)*at;
  size_t length = first < 0x80                    ? 1
                  : first >= 0xC2 && first < 0xE0 ? 2
                  : first >= 0xE0 && first < 0xF0 ? 3
                  : first >= 0xF0 && first < 0xF5 ? 4
                                                  : 0;
  for (size_t i = 1; i < length; ++i)
    if (((unsigned char)at[i] & 0xC0) != 0x80) return 0;
  return length;
}

// Names are cut at some byte: after a text with a part of a character cairo would draw nothing more. The caller frees
// it.
static char *whole_characters(const char *text) {
  char *out = must_alloc(strlen(text) + 1), *end = out;
  while (*text) {
    size_t length = character(text);
    memcpy(end, text, length);
    end += length, text += length ? length : 1;
  }
  *end = '\0';
  return out;
}

static double width_of(cairo_t *c, double size, bool bold, const char *text) {
  cairo_text_extents_t e;
  char *whole = whole_characters(text);
  set_font(c, size, bold);
  cairo_text_extents(c, whole, &e);
  free(whole);
  return e.x_advance;
}

double canvas_text_width(cairo_t *c, double size, const char *text) { return width_of(c, size, false, text); }

void canvas_text(cairo_t *c, double x, double y, double size, align where, bool bold, const char *text) {
  double width = where == ALIGN_LEFT ? 0 : width_of(c, size, bold, text);
  char *whole = whole_characters(text);
  set_font(c, size, bold);
  cairo_move_to(c, x - (where == ALIGN_CENTRE ? width / 2 : width), y);
  cairo_show_text(c, whole);
  free(whole);
}

// ------------------------------------------------------------------------------------------------ ticks

static double round_step(double raw) {
  double power = pow(10, floor(log10(raw))), lead = raw / power;
  return power * (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10);
}

int canvas_ticks(double low, double high, int most, double ticks[TICK_LIMIT]) {
  if (!(high > low)) return 0;
  double step = round_step((high - low) / most);
  if (floor(high / step + 1e-9) - ceil(low / step - 1e-9) < 1) step = round_step(step / 2.6); // the next finer
  double first = ceil(low / step - 1e-9);
  int count = 0;
  for (double i = first; i * step <= high + 1e-9 * step && count < TICK_LIMIT; i += 1) ticks[count++] = i * step + 0.0;
  return count;
}

void canvas_number(char *out, size_t size, double value, double step) {
  int decimals = (int)fmax(0, ceil(-log10(fmax(step, 1e-300)) - 1e-9));
  if (fabs(value) >= 1e5 || decimals > 5)
    snprintf(out, size, "%.3g", value);
  else
    snprintf(out, size, "%.*f", decimals, fabs(value) < step * 1e-9 ? 0 : value);
}

// ------------------------------------------------------------------------------------------------ one panel

enum { LINKED_DOTS = 60 };

typedef struct axes {
  rect place;
  double x0, x1, y0, y1; ///< data ranges, of x the powers of ten where log_x
  bool log_x, counts;    ///< x counts: nothing stands between whole numbers
} axes;

static double to_x(const axes *a, double x) {
  return a->place.x + ((a->log_x ? log10(x) : x) - a->x0) / (a->x1 - a->x0) * a->place.width;
}
static double to_y(const axes *a, double y) {
  return a->place.y + a->place.height * (1 - (y - a->y0) / (a->y1 - a->y0));
}

// A course that turns back: its ends are not its extremes.
static void range_of_x(const panel *p, axes *a) {
  a->x0 = fmin(p->x[0], p->x[p->samples - 1]), a->x1 = fmax(p->x[0], p->x[p->samples - 1]);
  for (size_t i = 0; (p->own_axis || p->next) && i < p->samples; ++i)
    a->x0 = fmin(a->x0, p->x[i]), a->x1 = fmax(a->x1, p->x[i]);
  if (a->log_x) a->x0 = log10(a->x0), a->x1 = log10(a->x1);
  double aside = p->own_axis ? 0.04 * (a->x1 - a->x0) : 0;
  a->x0 -= aside, a->x1 += aside;
}

// Problems, jobs, iterations, samples: 0, 1, 2 …
static bool counts(const panel *p) {
  for (size_t i = 0; i < p->samples; ++i)
    if (p->x[i] != floor(p->x[i]) || (i > 0 && p->x[i] - p->x[i - 1] != 1)) return false;
  return !p->next;
}

static void range_of(const panel *p, axes *a) {
  a->counts = counts(p);
  a->log_x = p->log_x;
  for (size_t i = 0; i < p->samples; i += p->next || p->samples < 2 ? 1 : p->samples - 1)
    a->log_x = a->log_x && p->x[i] > 0;
  range_of_x(p, a);
  double aside = p->dots ? 0.02 * (a->x1 - a->x0) : 0;
  a->x0 -= aside, a->x1 += aside;
  if (!(a->x1 > a->x0)) a->x0 -= 0.5, a->x1 += 0.5;
  a->y0 = INFINITY, a->y1 = -INFINITY;
  for (int k = 0; k < p->count; ++k)
    for (size_t i = 0; i < p->samples; ++i) {
      double y = p->curves[k].y[i * p->curves[k].stride];
      if (isfinite(y)) a->y0 = fmin(a->y0, y), a->y1 = fmax(a->y1, y);
    }
  if (!isfinite(a->y0)) a->y0 = 0, a->y1 = 1;
  double range = a->y1 - a->y0, size = fmax(fabs(a->y0), fabs(a->y1));
  bool moves = range > 1e-7 * size && range > 2 * p->still;
  if (!moves && size <= p->still) a->y0 = a->y1 = 0;
  double margin = moves ? 0.06 * range : size > p->still ? 0.2 * size : 1; // a constant is a line in the middle
  a->y0 -= margin, a->y1 += margin;
}

static void draw_levels(cairo_t *c, const axes *a) {
  double tick[TICK_LIMIT];
  char text[32];
  int count = canvas_ticks(a->y0, a->y1, (int)fmax(3, a->place.height / 36), tick);
  for (int i = 0; i < count; ++i) {
    double y = round(to_y(a, tick[i])) + 0.5;
    canvas_colour(c, faint);
    cairo_move_to(c, a->place.x, y), cairo_line_to(c, a->place.x + a->place.width, y), cairo_stroke(c);
    canvas_colour(c, ink);
    canvas_number(text, sizeof text, tick[i], count > 1 ? tick[1] - tick[0] : 1);
    canvas_text(c, a->place.x - 8, y + 4.5, 13, ALIGN_RIGHT, false, text);
  }
}

// 1, 2 and 5 of every power of ten, over many powers these alone.
static int log_ticks(const axes *a, double ticks[TICK_LIMIT]) {
  static const double leads[] = {1, 2, 5};
  int count = 0, each = a->x1 - a->x0 > 4 ? 1 : 3;
  double step = fmax(1, ceil((a->x1 - a->x0) / TICK_LIMIT));
  for (double power = floor(a->x0); power <= a->x1 && count < TICK_LIMIT; power += step)
    for (int i = 0; i < each && count < TICK_LIMIT; ++i) {
      double at = power + log10(leads[i]);
      if (at >= a->x0 - 1e-9 && at <= a->x1 + 1e-9) ticks[count++] = pow(10, at);
    }
  return count;
}

static void draw_grid(cairo_t *c, const axes *a, bool labels_below) {
  double tick[TICK_LIMIT], free_from = -INFINITY;
  char text[32];
  cairo_set_line_width(c, 1);
  draw_levels(c, a);
  int count = a->log_x ? log_ticks(a, tick) : canvas_ticks(a->x0, a->x1, 10, tick);
  if (a->counts && count > 1 && tick[1] - tick[0] < 1)
    for (count = 0; ceil(a->x0) + count <= a->x1; ++count) tick[count] = ceil(a->x0) + count;
  for (int i = 0; i < count; ++i) {
    double x = round(to_x(a, tick[i])) + 0.5;
    canvas_colour(c, faint);
    cairo_move_to(c, x, a->place.y), cairo_line_to(c, x, a->place.y + a->place.height), cairo_stroke(c);
    canvas_colour(c, ink);
    if (a->log_x)
      snprintf(text, sizeof text, "%.4g", tick[i]);
    else
      canvas_number(text, sizeof text, tick[i], count > 1 ? tick[1] - tick[0] : 1);
    double half = canvas_text_width(c, 13, text) / 2;
    if (!labels_below || x - half < free_from) continue;
    canvas_text(c, x, a->place.y + a->place.height + 18, 13, ALIGN_CENTRE, false, text);
    free_from = x + half + 6;
  }
}

static void line_to(cairo_t *c, const axes *a, double x, double y, bool *down) {
  if (!isfinite(y)) {
    *down = false;
    return;
  }
  if (*down)
    cairo_line_to(c, to_x(a, x), to_y(a, y));
  else
    cairo_move_to(c, to_x(a, x), to_y(a, y));
  *down = true;
}

static void stroke_curve(cairo_t *c, const panel *p, const curve *k) {
  canvas_colour(c, k->paint);
  cairo_set_line_width(c, p->dots ? 0.6 * k->line_width : k->line_width);
  cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(c, p->samples == 1 ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  cairo_set_dash(c, (const double[]){6, 4}, k->dashed ? 2 : 0, 0);
  cairo_stroke(c);
  cairo_set_dash(c, NULL, 0, 0);
}

bool canvas_by_family(const panel *p) { return p->family && p->count == 1; }

static colour paint_of(const panel *p, const curve *k, size_t sample) {
  if (!canvas_by_family(p)) return k->paint;
  return colour_of_time((p->family[sample] - p->family_low) / (p->family_high - p->family_low));
}

// Several lines of one curve, piece by piece.
static void draw_pieces(cairo_t *c, const axes *a, const panel *p, const curve *k) {
  for (size_t i = 0; i < p->samples; ++i) {
    size_t to = p->next[i];
    bool down = false;
    if (to >= p->samples) continue;
    line_to(c, a, p->x[i], k->y[i * k->stride], &down);
    line_to(c, a, p->x[to], k->y[to * k->stride], &down);
    curve piece = *k;
    piece.paint = paint_of(p, k, i);
    if (canvas_by_family(p)) stroke_curve(c, p, &piece);
  }
  stroke_curve(c, p, k);
}

static void draw_curve(cairo_t *c, const axes *a, const panel *p, const curve *k) {
  size_t bucket = p->own_axis ? 1 : p->samples / 4000 + 1;
  bool down = false;
  for (size_t i = 0; i < p->samples; i += bucket) {
    size_t stop = i + bucket < p->samples ? i + bucket : p->samples, least = i, most = i;
    for (size_t j = i; j < stop; ++j) {
      if (k->y[j * k->stride] < k->y[least * k->stride]) least = j;
      if (k->y[j * k->stride] > k->y[most * k->stride]) most = j;
    }
    size_t first = least < most ? least : most, second = least < most ? most : least;
    line_to(c, a, p->x[first], k->y[first * k->stride], &down);
    if (second != first) line_to(c, a, p->x[second], k->y[second * k->stride], &down);
  }
  stroke_curve(c, p, k);
}

// Problems of their own: a dot each. Beyond LINKED_DOTS lines between them would only be ink.
static void draw_dots(cairo_t *c, const axes *a, const panel *p, const curve *k) {
  double radius = p->samples > 400 ? 1.3 : p->samples > 60 ? 2 : 3;
  for (size_t i = 0; i < p->samples; ++i) {
    double y = k->y[i * k->stride];
    if (!isfinite(y)) continue;
    canvas_colour(c, paint_of(p, k, i));
    cairo_arc(c, to_x(a, p->x[i]), to_y(a, y), radius, 0, 2 * M_PI);
    cairo_fill(c);
  }
}

// ------------------------------------------------------------------------------------------------ marks

static const colour event_paint = {.80, .35, .10};

static void draw_event(cairo_t *c, const axes *a, double x) {
  canvas_colour(c, event_paint);
  cairo_set_line_width(c, 1);
  cairo_set_dash(c, (const double[]){2, 3}, 2, 0);
  cairo_move_to(c, to_x(a, x), a->place.y), cairo_line_to(c, to_x(a, x), a->place.y + a->place.height), cairo_stroke(c);
  cairo_set_dash(c, NULL, 0, 0);
}

// A ring where the path turns back, a diamond where another crosses it.
static void draw_sign(cairo_t *c, double x, double y, mark_kind kind) {
  const double radius = 4.5;
  cairo_new_path(c);
  if (kind == MARK_LIMIT) cairo_arc(c, x, y, radius, 0, 2 * M_PI);
  if (kind == MARK_BRANCH) {
    cairo_move_to(c, x - radius, y), cairo_line_to(c, x, y - radius), cairo_line_to(c, x + radius, y);
    cairo_line_to(c, x, y + radius), cairo_close_path(c);
  }
  cairo_set_source_rgb(c, 1, 1, 1);
  cairo_fill_preserve(c);
  canvas_colour(c, ink);
  cairo_set_line_width(c, 1.6);
  cairo_stroke(c);
}

static void draw_now(cairo_t *c, const axes *a, double x) {
  canvas_colour(c, ink);
  cairo_set_line_width(c, 1.5);
  cairo_move_to(c, to_x(a, x), a->place.y), cairo_line_to(c, to_x(a, x), a->place.y + a->place.height), cairo_stroke(c);
}

static void draw_marks(cairo_t *c, const axes *a, const panel *p) {
  for (int i = 0; i < p->mark_count; ++i) {
    const mark *m = &p->marks[i];
    if (m->kind == MARK_EVENT)
      draw_event(c, a, m->x);
    else
      draw_sign(c, to_x(a, m->x), to_y(a, m->y), m->kind);
  }
}

static const char *const mark_words[] = {"limit point", "branch point"};

// Signs and words of the kinds there are, on the title's line from `left`; returns where they end.
static double draw_key(cairo_t *c, const axes *a, const panel *p, double left) {
  double x = left, y = a->place.y - 9;
  for (int kind = MARK_LIMIT; kind <= MARK_BRANCH; ++kind) {
    bool any = false;
    for (int i = 0; i < p->mark_count; ++i) any = any || (int)p->marks[i].kind == kind;
    if (!any) continue;
    draw_sign(c, x + 8, y - 4, (mark_kind)kind);
    canvas_colour(c, ink);
    canvas_text(c, x + 20, y, 13, ALIGN_LEFT, false, mark_words[kind]);
    x += 34 + canvas_text_width(c, 13, mark_words[kind]);
  }
  return x;
}

// ------------------------------------------------------------------------------------------------ legend

enum { LEGEND_GAP = 40, TITLE_GAP = 28, LEGEND_ROW = 17, LEGEND_ROWS = 4 };

// From where one entry's text ends to where the next one's begins.
static double legend_gap(double size) { return size < 13 ? LEGEND_GAP - 7 : LEGEND_GAP; }

static double entry_width(cairo_t *c, const curve *k, double size) {
  return canvas_text_width(c, size, k->label) + legend_gap(size);
}

static double legend_width(cairo_t *c, const panel *p, double size) {
  double width = 26 - legend_gap(size);
  for (int i = 0; i < p->count; ++i)
    if (p->curves[i].label[0]) width += entry_width(c, &p->curves[i], size);
  return width;
}

static void draw_entry(cairo_t *c, const curve *k, double x, double y, double size) {
  canvas_colour(c, ink);
  canvas_text(c, x + 24, y, size, ALIGN_LEFT, false, k->label);
  canvas_colour(c, k->paint);
  if (k->scattered) {
    cairo_arc(c, x + 12, y - 4.5, 3.5, 0, 2 * M_PI), cairo_fill(c);
    return;
  }
  cairo_set_line_width(c, 3);
  cairo_set_dash(c, (const double[]){5, 2}, k->dashed ? 2 : 0, 0);
  cairo_move_to(c, x, y - 4.5), cairo_line_to(c, x + 18, y - 4.5), cairo_stroke(c);
  cairo_set_dash(c, NULL, 0, 0);
}

// The size of letters with which a legend fits beside the title, 0: it has rows of its own below it.
static double size_beside(cairo_t *c, const panel *p, double width) {
  return legend_width(c, p, 13) <= width ? 13 : legend_width(c, p, 11) <= width ? 11 : 0;
}

// Rows of small letters over this width from y on; returns how many.
static int legend_rows(cairo_t *c, const panel *p, double left, double width, double y, int most) {
  double x = left;
  int row = 1;
  for (int i = 0; i < p->count; ++i) {
    const curve *k = &p->curves[i];
    if (!k->label[0]) continue;
    double wide = entry_width(c, k, 11), behind = row == most && i + 1 < p->count ? 70 : 0;
    if (x > left && x + wide - legend_gap(11) + 26 > left + width - behind) {
      if (row == most) {
        char text[32];
        int rest = 0;
        for (int j = i; j < p->count; ++j) rest += p->curves[j].label[0] != '\0';
        snprintf(text, sizeof text, "and %d more", rest);
        canvas_colour(c, ink);
        canvas_text(c, x, y + (row - 1) * LEGEND_ROW, 11, ALIGN_LEFT, false, text);
        return row;
      }
      x = left, ++row;
    }
    draw_entry(c, k, x, y + (row - 1) * LEGEND_ROW, 11);
    x += wide;
  }
  return row;
}

static void draw_data(cairo_t *c, const axes *a, const panel *p) {
  cairo_save(c);
  cairo_rectangle(c, a->place.x, a->place.y, a->place.width, a->place.height);
  cairo_clip(c);
  for (int i = 0; i < p->count; ++i) {
    const curve *k = &p->curves[i];
    if (!k->scattered && p->next)
      draw_pieces(c, a, p, k);
    else if (!k->scattered && (!p->dots || (p->linked && p->samples <= LINKED_DOTS)))
      draw_curve(c, a, p, k);
    if (k->scattered || p->dots) draw_dots(c, a, p, k);
  }
  draw_marks(c, a, p);
  if (p->now) draw_now(c, a, *p->now);
  cairo_restore(c);
  canvas_colour(c, grey);
  cairo_set_line_width(c, 1);
  cairo_rectangle(c, a->place.x + 0.5, a->place.y + 0.5, a->place.width - 1, a->place.height - 1);
  cairo_stroke(c);
}

rect canvas_title(cairo_t *c, rect place, const panel *p, double below, double *end) {
  rect inner = {place.x + 62, place.y + 28, place.width - 74, place.height - 28 - below};
  char title[128];
  snprintf(title, sizeof title, p->unit[0] ? "%s (%s)" : "%s%s", p->title, p->unit);
  canvas_colour(c, ink);
  canvas_text(c, inner.x, inner.y - 9, 15, ALIGN_LEFT, true, title);
  *end = inner.x + width_of(c, 15, true, title);
  return inner;
}

enum { BAR = 110, BAR_HIGH = 9 };

// "left (N)  0 [colours] 8" at the end of the title's line; of several curves, which have their own colours, in words
// before `right`. Returns where it begins.
static double draw_family(cairo_t *c, const panel *p, double left, double right, double y) {
  char low[32], high[32], text[256];
  snprintf(low, sizeof low, "%.4g", p->family_low), snprintf(high, sizeof high, "%.4g", p->family_high);
  bool bar = canvas_by_family(p);
  snprintf(text, sizeof text, bar ? "%.100s   %s" : "a line for each %.100s, %s to %s", p->family_name, low, high);
  double wide = canvas_text_width(c, 12, text), behind = bar ? BAR + 14 + canvas_text_width(c, 12, high) : 0;
  double x = right - wide - behind;
  if (x < left) return right;
  canvas_colour(c, grey);
  canvas_text(c, x, y, 12, ALIGN_LEFT, false, text);
  if (!bar) return x - 18;
  canvas_text(c, right, y, 12, ALIGN_RIGHT, false, high);
  for (int i = 0; i < BAR; ++i) {
    canvas_colour(c, colour_of_time((double)i / BAR));
    cairo_rectangle(c, x + wide + 7 + i, y - BAR_HIGH, 1.5, BAR_HIGH), cairo_fill(c);
  }
  return x - 18;
}

rect canvas_heading(cairo_t *c, rect place, const panel *p, double below) {
  double end;
  rect inner = canvas_title(c, place, p, below, &end);
  axes at = {.place = inner};
  double left = draw_key(c, &at, p, end + TITLE_GAP), right = inner.x + inner.width;
  if (p->family) right = draw_family(c, p, left, right, inner.y - 9);
  double size = size_beside(c, p, right - left), x = right - legend_width(c, p, size);
  for (int i = 0; size > 0 && i < p->count; ++i) {
    if (!p->curves[i].label[0]) continue;
    draw_entry(c, &p->curves[i], x, inner.y - 9, size);
    x += entry_width(c, &p->curves[i], size);
  }
  if (size > 0) return inner;
  int room = (int)(0.4 * inner.height / LEGEND_ROW), most = room < 1 ? 1 : room > LEGEND_ROWS ? LEGEND_ROWS : room;
  int rows = legend_rows(c, p, inner.x, inner.width, inner.y + 8, most);
  double down = fmin(rows * LEGEND_ROW, 0.5 * inner.height);
  return (rect){inner.x, inner.y + down, inner.width, inner.height - down};
}

void canvas_panel(cairo_t *c, rect place, const panel *p, bool lowest) {
  bool last = lowest || p->own_axis;
  axes a = {.place = canvas_heading(c, place, p, last ? 44 : 14)};
  range_of(p, &a);
  draw_grid(c, &a, last);
  draw_data(c, &a, p);
  canvas_colour(c, ink);
  if (last)
    canvas_text(c, a.place.x + a.place.width / 2, a.place.y + a.place.height + 38, 14, ALIGN_CENTRE, false, p->x_label);
}
