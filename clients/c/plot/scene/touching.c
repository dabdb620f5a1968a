// The force is that on the first body of a pair, on the link before an obstacle; an arrow begins where it acts.
#include "plot/scene/touching.h"

#include "base/say.h"
#include <math.h>
#include <stdlib.h>

enum { OF_PLACE = 10, AT = 1, FORCE = 4 };

static const colour paint = {.85, .10, .55};
static const double HEAD = 0.35, WIDE = 2.2; // of an arrow's length, at most; of its wire
// of samples that touch; times their force, which has the longest arrow
static const double QUARTER = 0.75, ABOVE = 1.5;

static const double *places(const recording *r, size_t *count) {
  size_t columns = 0;
  const double *field = recording_field(r, "contact_place", &columns);
  *count = columns / OF_PLACE;
  return field && columns % OF_PLACE == 0 ? field : NULL;
}

static vec at(const double *p) { return (vec){p[0], p[1], p[2]}; }

static bool touches(const double *place) {
  bool finite = true;
  for (int k = AT; k < FORCE + 3; ++k) finite = finite && fabs(place[k]) < 1e100;
  return place[0] >= 0 && finite;
}

static double largest_at(const double *place, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; ++i, place += OF_PLACE)
    if (touches(place)) most = fmax(most, vec_norm(at(place + FORCE)));
  return most;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

touching_scale touching_most(const recording *r) {
  size_t count, touched = 0;
  const double *place = places(r, &count);
  double *most = place ? must_alloc((r->samples + 1) * sizeof *most) : NULL;
  touching_scale scale = {0};
  for (size_t i = 0; most && i < r->samples; ++i) {
    most[touched] = largest_at(place + i * count * OF_PLACE, count);
    touched += most[touched] > 0;
  }
  if (touched) {
    qsort(most, touched, sizeof *most, by_size);
    scale.most = most[touched - 1];
    scale.longest = fmin(scale.most, ABOVE * most[(size_t)(QUARTER * (double)(touched - 1))]);
  }
  free(most);
  return scale;
}

static void draw_arrow(scene *s, vec from, vec way, double wire) {
  double length = vec_norm(way), head = fmin(HEAD * length, 3 * WIDE * wire);
  if (!(length > wire)) return;
  vec neck = vec_add(from, vec_scale(1 - head / length, way));
  frame base = frame_along(neck, way), tip = frame_along(vec_add(from, way), way);
  ring wide = ring_at(&base, (section){WIDE * wire, WIDE * wire, false});
  ring end = ring_at(&tip, (section){1e-3 * wire, 1e-3 * wire, false});
  tube_draw(s, (vec[]){from, neck}, 2, wire, paint);
  ring_join(s, &wide, &end, paint);
  ring_close(s, &wide, paint);
}

void touching_draw(const recording *r, scene *solid, size_t sample, double radius, double length, double longest) {
  size_t count;
  const double *place = places(r, &count);
  if (place) place += sample * count * OF_PLACE;
  for (size_t i = 0; place && i < count; ++i, place += OF_PLACE) {
    if (!touches(place)) continue;
    ball_draw(solid, at(place + AT), radius, paint);
    vec force = at(place + FORCE);
    double shown = length / fmax(longest, vec_norm(force)); // of a newton
    draw_arrow(solid, at(place + AT), vec_scale(shown, force), 0.5 * radius);
  }
}
