// One problem of statics has no axis to be drawn over. Lying bars have their name on the left and their number behind
// them; too many for that stand side by side without words.
#include "plot/canvas/bars.h"

#include <math.h>
#include <stdio.h>

enum { NAME_MOST = 150, ROW_LEAST = 15, ROW_MOST = 30 };

static const colour ink = {.16, .18, .22}, faint = {.87, .88, .90}, grey = {.42, .45, .50};

typedef struct span {
  double low, high, x, width; ///< values, place
} span;

static const char *name_of(const curve *k) { return k->name[0] ? k->name : k->label; }

static double value_of(const panel *p, int i) { return p->curves[i].y[0]; }

static span span_of(const panel *p, double x, double width) {
  span s = {0, 0, x, width};
  for (int i = 0; i < p->count; ++i)
    if (isfinite(value_of(p, i))) s.low = fmin(s.low, value_of(p, i)), s.high = fmax(s.high, value_of(p, i));
  if (!(s.high - s.low > 2 * p->still)) s.high = s.low + 1;
  return s;
}

static double place_of(const span *s, double value) { return s->x + (value - s->low) / (s->high - s->low) * s->width; }

// A curve that is a line across others (a target) is one here, too.
static void draw_bar(cairo_t *c, const span *s, double value, double y, double thick, const curve *k) {
  double zero = place_of(s, 0), end = place_of(s, value);
  canvas_colour(c, k->paint);
  if (k->dashed)
    cairo_rectangle(c, end - 1.5, y - thick, 3, 2 * thick);
  else
    cairo_rectangle(c, fmin(zero, end), y - thick / 2, fmax(fabs(end - zero), 1), thick);
  cairo_fill(c);
}

static double widest_name(cairo_t *c, const panel *p) {
  double widest = 0;
  for (int i = 0; i < p->count; ++i) widest = fmax(widest, canvas_text_width(c, 13, name_of(&p->curves[i])));
  return fmin(widest, NAME_MOST);
}

static void draw_lying(cairo_t *c, rect at, const panel *p, double row) {
  enum { NUMBERS = 90 };
  double names = widest_name(c, p) + 12;
  span s = span_of(p, at.x + names + NUMBERS, at.width - names - 2 * NUMBERS);
  if (s.low == 0) s.x -= NUMBERS - 4, s.width += NUMBERS - 4;
  canvas_colour(c, faint);
  cairo_rectangle(c, round(place_of(&s, 0)), at.y, 1, row * p->count), cairo_fill(c);
  for (int i = 0; i < p->count; ++i) {
    double value = value_of(p, i), y = at.y + (i + 0.5) * row;
    char text[40];
    canvas_colour(c, ink);
    canvas_text(c, at.x, y + 4.5, 13, ALIGN_LEFT, false, name_of(&p->curves[i]));
    snprintf(text, sizeof text, isfinite(value) ? "%.5g" : "none", fabs(value) <= p->still ? 0 : value);
    if (isfinite(value)) draw_bar(c, &s, value, y, 0.5 * row, &p->curves[i]);
    double end = isfinite(value) ? place_of(&s, value) : place_of(&s, 0);
    canvas_colour(c, grey);
    canvas_text(c, value < 0 ? end - 6 : end + 6, y + 4.5, 13, value < 0 ? ALIGN_RIGHT : ALIGN_LEFT, false, text);
  }
}

// Below its bar, upwards, where bars are no nearer than letters are high; of each the end that tells it apart.
static void draw_name_below(cairo_t *c, double x, double y, const char *name) {
  cairo_save(c);
  cairo_translate(c, x + 4, y);
  cairo_rotate(c, -M_PI / 2);
  canvas_colour(c, ink);
  canvas_text(c, 0, 0, 12, ALIGN_RIGHT, false, name);
  cairo_restore(c);
}

// How much the names below need, 0: there is no room for them.
static double names_below(cairo_t *c, rect at, const panel *p) {
  double widest = 0;
  for (int i = 0; i < p->count; ++i) widest = fmax(widest, canvas_text_width(c, 12, name_of(&p->curves[i])));
  return at.width / p->count >= 13 && at.height > 2 * widest ? widest + 8 : 0;
}

static void draw_standing(cairo_t *c, rect at, const panel *p) {
  double below = names_below(c, at, p);
  at.height -= below;
  span s = span_of(p, 0, at.height);
  double margin = 0.05 * (s.high - s.low);
  s.low -= s.low < 0 ? margin : 0, s.high += s.high > 0 ? margin : 0;
  double step = at.width / p->count, zero = at.y + at.height - place_of(&s, 0);
  double tick[TICK_LIMIT];
  int count = canvas_ticks(s.low, s.high, (int)fmax(3, at.height / 36), tick);
  for (int i = 0; i < count; ++i) {
    char text[32];
    double y = round(at.y + at.height - place_of(&s, tick[i])) + 0.5;
    canvas_colour(c, faint);
    cairo_set_line_width(c, 1);
    cairo_move_to(c, at.x, y), cairo_line_to(c, at.x + at.width, y), cairo_stroke(c);
    canvas_number(text, sizeof text, tick[i], count > 1 ? tick[1] - tick[0] : 1);
    canvas_colour(c, ink);
    canvas_text(c, at.x - 8, y + 4.5, 13, ALIGN_RIGHT, false, text);
  }
  for (int i = 0; i < p->count; ++i) {
    double end = at.y + at.height - place_of(&s, value_of(p, i));
    if (below > 0) draw_name_below(c, at.x + (i + 0.5) * step, at.y + at.height + 6, name_of(&p->curves[i]));
    if (!isfinite(end)) continue;
    canvas_colour(c, p->curves[i].paint);
    double thick = fmin(0.7 * step, 40);
    cairo_rectangle(c, at.x + (i + 0.5) * step - thick / 2, fmin(zero, end), thick, fmax(fabs(end - zero), 1));
    cairo_fill(c);
  }
}

bool bars_suit(const panel *p) { return p->dots && p->samples == 1 && !p->own_axis && p->count > 0; }

void bars_draw(cairo_t *c, rect place, const panel *p) {
  double row = fmin((place.height - 40) / p->count, ROW_MOST), end;
  bool named = row >= ROW_LEAST;
  for (int i = 0; i < p->count; ++i) named = named && (name_of(&p->curves[i])[0] || p->count == 1);
  if (named)
    draw_lying(c, canvas_title(c, place, p, 12, &end), p, row);
  else
    draw_standing(c, canvas_heading(c, place, p, 14), p);
}
