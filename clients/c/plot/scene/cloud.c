// Dots are discs of the picture, sorted by depth: robots beneath them are faint, so that nothing of theirs hides one.
#include "plot/scene/cloud.h"

#include "base/say.h"
#include "plot/curves/varied.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const colour ink = {.16, .18, .22};

bool cloud_exists(const recording *r) {
  char name[128];
  family kin;
  double *tip = recording_tip(r, NULL, name, sizeof name);
  bool any = tip && r->samples > 11 && family_open(&kin, r);
  if (any) family_close(&kin);
  free(tip);
  return any;
}

typedef struct dot {
  double x, y, depth, share, large; ///< large: times as large as others
} dot;

static int by_depth(const void *a, const void *b) {
  double x = ((const dot *)a)->depth, y = ((const dot *)b)->depth;
  return (x > y) - (x < y);
}

// The third number of a sweep: its least and largest value; NULL: there is none.
static const double *third_of(const stage *s, double *low, double *high) {
  const double *values = s->kin.third < 0 ? NULL : varied_values(s->r, (size_t)s->kin.third);
  *low = INFINITY, *high = -INFINITY;
  for (size_t i = 0; values && i < s->r->samples; ++i) *low = fmin(*low, values[i]), *high = fmax(*high, values[i]);
  return values && *high > *low ? values : NULL;
}

void cloud_draw(cairo_t *c, const stage *s, const view *eye, const box *bounds) {
  size_t count = 0;
  double low, high;
  const double *third = third_of(s, &low, &high);
  dot *dots = must_alloc(s->r->samples * sizeof *dots);
  for (size_t i = 0; i < s->r->samples; ++i) {
    vec p = {s->tip[3 * i], s->tip[3 * i + 1], s->tip[3 * i + 2]};
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) continue;
    dot *d = &dots[count++];
    *d = (dot){.depth = vec_dot(p, eye->toward), .share = family_share(&s->kin, i), .large = 1};
    if (third) d->large = 0.65 + 0.75 * (third[i] - low) / (high - low);
    view_project(eye, p, &d->x, &d->y);
  }
  qsort(dots, count, sizeof *dots, by_depth);
  vec size = vec_sub(bounds->high, bounds->low);
  double most = eye->scale * fmax(size.x, fmax(size.y, size.z)) / 120, crowd = 80 / sqrt((double)count + 1);
  double radius = fmax(1.4, fmin(most, crowd));
  cairo_set_line_width(c, 0.15 * radius);
  for (size_t i = 0; i < count; ++i) {
    colour paint = isfinite(dots[i].share) ? colour_of_time(dots[i].share) : (colour){.6, .6, .6};
    cairo_new_path(c);
    cairo_arc(c, dots[i].x, dots[i].y, dots[i].large * radius, 0, 2 * M_PI);
    canvas_colour(c, paint), cairo_fill_preserve(c);
    canvas_colour(c, colour_towards(paint, (colour){.05, .05, .08}, 0.55)), cairo_stroke(c);
  }
  free(dots);
}

void cloud_draw_scale(cairo_t *c, const stage *s, rect place) {
  double width = place.width * 0.5, x0 = place.x + place.width * 0.16, y = place.y + place.height - 44, high = 11;
  double tick[TICK_LIMIT], low = s->kin.low, range = s->kin.high - s->kin.low;
  char text[48];
  for (int i = 0; i < (int)width; ++i) {
    canvas_colour(c, colour_of_time(i / width));
    cairo_rectangle(c, x0 + i, y, 1.5, high);
    cairo_fill(c);
  }
  int count = canvas_ticks(low, s->kin.high, 8, tick);
  canvas_colour(c, ink);
  cairo_set_line_width(c, 1.5);
  for (int i = 0; i < count; ++i) {
    double x = x0 + (tick[i] - low) / range * width;
    cairo_move_to(c, x, y + high - 3), cairo_line_to(c, x, y + high + 3), cairo_stroke(c);
    canvas_number(text, sizeof text, tick[i], count > 1 ? tick[1] - tick[0] : 1);
    canvas_text(c, x, y + high + 18, 13, ALIGN_CENTRE, false, text);
  }
  canvas_text(c, x0 + width + 18, y + high - 1, 14, ALIGN_LEFT, true, s->kin.name);
}

void cloud_tell(const stage *s, char *text, size_t size) {
  double low, high;
  char third[160] = "", name[128];
  if (third_of(s, &low, &high)) {
    varied_name(s->r, (size_t)s->kin.third, name, sizeof name);
    snprintf(third, sizeof third, ", small to large: %.90s %.4g to %.4g", name, low, high);
  }
  int n = snprintf(text, size, "dots: %s%s", s->tip_name, third);
  if (s->r->track_count > 0 && n > 0 && (size_t)n < size)
    snprintf(text + n, size - (size_t)n, "; %ld of %zu robots", s->style.instants, s->r->samples);
}
