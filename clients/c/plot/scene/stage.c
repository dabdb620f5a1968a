// Bounds are those of the drawn instants and of the tip's path, never thinner than a quarter of the longest side. The
// eye stands obliquely, and turns towards the plane in which a flat robot lies.
#include "plot/scene/stage.h"

#include "base/say.h"
#include "plot/curves/targets.h"
#include "plot/scene/collision.h"
#include "plot/scene/springs.h"
#include "plot/scene/surroundings.h"
#include "plot/scene/touching.h"
#include <stdlib.h>
#include <string.h>

enum { TRACE_LIMIT = 2000, TOGETHER = 11, APART_SLENDER = 11, APART = 6, PROBE = 24, FAINT = 5 };

static const double ARROW = 0.16;          // of the longest side: the largest force
static const double LINE_HALF_WIDTH = 1.5; // of the thinnest rod, in units of the picture

// ------------------------------------------------------------------------------------------------ extent

static void grow_by_robot(const stage *s, size_t sample, box *b) {
  for (int i = 0; i < s->r->track_count; ++i) {
    const track *k = &s->r->tracks[i];
    if (track_is_finite(k, sample)) track_grow(k, sample, b);
    if (s->style.collision && track_is_finite(k, sample)) collision_grow(k, sample, b);
  }
  for (int i = 0; i < s->r->first_count; ++i)
    if (track_is_finite(&s->r->first[i], sample)) track_grow(&s->r->first[i], sample, b);
}

static vec size_of(const box *b) { return vec_sub(b->high, b->low); }

static double longest_of(vec size) { return fmax(fmax(size.x, size.y), fmax(size.z, 1e-6)); }

static void thicken(box *b) {
  double longest = longest_of(size_of(b));
  double *low[3] = {&b->low.x, &b->low.y, &b->low.z}, *high[3] = {&b->high.x, &b->high.y, &b->high.z};
  for (int k = 0; k < 3; ++k) {
    double centre = (*low[k] + *high[k]) / 2, half = fmax((*high[k] - *low[k]) / 2 + 0.02 * longest, 0.125 * longest);
    *low[k] = centre - half, *high[k] = centre + half;
  }
}

static void measure(stage *s) {
  size_t step = s->r->samples / PROBE + 1;
  s->bounds = box_empty();
  s->reach = (vec){0, 0, 0};
  for (size_t i = 0; i < s->r->samples; i += step) {
    box one = box_empty();
    grow_by_robot(s, i, &one);
    if (!(one.low.x <= one.high.x)) continue;
    box_grow(&s->bounds, one.low, 0), box_grow(&s->bounds, one.high, 0);
    vec size = size_of(&one);
    s->reach = (vec){fmax(s->reach.x, size.x), fmax(s->reach.y, size.y), fmax(s->reach.z, size.z)};
  }
  grow_by_robot(s, s->r->samples - 1, &s->bounds);
}

static void measure_nothing(stage *s) {
  if (!(s->bounds.low.x <= s->bounds.high.x)) box_grow(&s->bounds, (vec){0, 0, 0}, 0.5); // nothing finite to draw
}

static void measure_trace(stage *s) {
  box path = box_empty();
  for (size_t i = 0; s->tip && i < s->r->samples; ++i)
    if (isfinite(s->tip[3 * i])) box_grow(&path, (vec){s->tip[3 * i], s->tip[3 * i + 1], s->tip[3 * i + 2]}, 0);
  if (!(path.low.x <= path.high.x)) return;
  if (s->r->track_count == 0) s->reach = size_of(&path);
  s->travel = longest_of(size_of(&path)) / longest_of(s->reach);
  box_grow(&s->bounds, path.low, 0), box_grow(&s->bounds, path.high, 0);
}

static void grow_by_targets(stage *s) {
  size_t count;
  double *points = targets_points(s->r, &count);
  for (size_t i = 0; i < count; ++i)
    box_grow(&s->bounds, (vec){points[3 * i], points[3 * i + 1], points[3 * i + 2]}, 0);
  s->targets = count;
  free(points);
}

// ------------------------------------------------------------------------------------------------ what was left open

static void choose_eye(stage *s, vec size) {
  double longest = longest_of(size), flat = 0.3 * longest;
  double azimuth = size.y < flat ? -72 : size.x < flat ? -18 : -58, elevation = size.z < flat ? 42 : 16;
  if (!isfinite(s->style.azimuth)) s->style.azimuth = azimuth;
  if (!isfinite(s->style.elevation)) s->style.elevation = elevation;
}

// Narrow in the picture: there is room beside the shapes.
static bool slender(const stage *s, rect place) {
  view eye = view_fit(&s->bounds, s->style.azimuth, s->style.elevation, place.width, place.height, 0);
  double x0 = INFINITY, x1 = -INFINITY;
  for (int i = 0; i < 8; ++i) {
    vec low = s->bounds.low, high = s->bounds.high;
    double x, y;
    view_project(&eye, (vec){i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z}, &x, &y);
    x0 = fmin(x0, x), x1 = fmax(x1, x);
  }
  return x1 - x0 < 0.5 * place.width;
}

static int rods_of(const recording *r) {
  int rods = 0;
  for (int i = 0; i < r->track_count; ++i) rods += track_is_rod(&r->tracks[i]);
  return rods;
}

// Shapes share a box when they would not hide one another: few rods that move far, and room that is not slender.
static void choose_layout(stage *s, rect place) {
  bool narrow = slender(s, place), hidden = rods_of(s->r) > 2 || s->travel < 0.25;
  shapes_style *style = &s->style;
  if (style->layout == SHAPES_AUTO && stage_clouds(s)) style->layout = SHAPES_TOGETHER;
  if (style->layout == SHAPES_AUTO)
    style->layout = s->r->samples > 1 && style->instants != 1 && style->time_count != 1 && (narrow || hidden)
                        ? SHAPES_APART
                        : SHAPES_TOGETHER;
  if (style->instants == 0 && stage_clouds(s) && style->layout == SHAPES_TOGETHER) style->instants = FAINT;
  if (style->instants == 0)
    style->instants = style->layout == SHAPES_TOGETHER ? TOGETHER : narrow && !stage_follows(s) ? APART_SLENDER : APART;
  if ((size_t)style->instants > s->r->samples) style->instants = (long)s->r->samples;
  if (style->time_count > 0) style->instants = style->time_count;
}

// ------------------------------------------------------------------------------------------------ which instants

// How far the robot's points go from a sample to the next, m.
static double motion(const stage *s, size_t sample) {
  double sum = 0;
  for (int i = 0; i < s->r->track_count; ++i) {
    const track *k = &s->r->tracks[i];
    if (!track_is_finite(k, sample) || !track_is_finite(k, sample + 1)) continue;
    size_t step = k->points / 4 + 1;
    double most = 0;
    for (size_t p = k->points - 1; p < k->points; p -= step) // ends below 0, which wraps
      most = fmax(most, vec_norm(vec_sub(track_position(k, sample + 1, p), track_position(k, sample, p))));
    sum += most;
  }
  return sum;
}

// The share [samples] of all motion that is behind each sample; false where nothing moves, or all the time alike, so
// that equal times do.
static bool motion_behind(const stage *s, double *behind) {
  size_t count = s->r->samples;
  double uneven = 0;
  behind[0] = 0;
  for (size_t i = 1; i < count; ++i) behind[i] = behind[i - 1] + motion(s, i - 1);
  double all = behind[count - 1];
  if (!(all > 1e-6 * longest_of(s->reach)) || !isfinite(all)) return false;
  for (size_t i = 0; i < count; ++i)
    behind[i] /= all, uneven = fmax(uneven, fabs(behind[i] - (double)i / (double)(count - 1)));
  return uneven > 0.15;
}

// Each a little of its own time and mostly its own motion apart: what lasts long without a change is seen once.
static void choose_by_motion(stage *s, const double *behind) {
  const double of_time = 0.25;
  size_t last = s->r->samples - 1, k = 0;
  for (long i = 0; i < s->style.instants; ++i) {
    double aim = (double)i / (double)(s->style.instants - 1);
    while (k < last && (1 - of_time) * behind[k] + of_time * (double)k / (double)last < aim - 1e-12) ++k;
    size_t least = i > 0 ? s->sample[i - 1] + 1 : 0, most = last - (size_t)(s->style.instants - 1 - i);
    s->sample[i] = k < least ? least : k > most ? most : k;
  }
}

static size_t nearest_sample(const recording *r, double x) {
  size_t best = 0;
  for (size_t i = 1; i < r->samples; ++i)
    if (fabs(r->x[i] - x) < fabs(r->x[best] - x)) best = i;
  return best;
}

static double tip_distance(const stage *s, size_t a, size_t b) {
  const double *p = s->tip + 3 * a, *q = s->tip + 3 * b;
  return hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
}

static int by_number(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

// Rows whose tips are far from one another: after the first each time the one farthest from all that were taken.
static void choose_by_tips(stage *s) {
  size_t count = s->r->samples;
  double *least = must_alloc(count * sizeof *least); // distance to the nearest that was taken
  for (size_t i = 0; i < count; ++i) least[i] = isfinite(s->tip[3 * i]) ? INFINITY : 0;
  for (long k = 0; k < s->style.instants; ++k) {
    size_t best = 0;
    for (size_t i = 1; i < count; ++i)
      if (least[i] > least[best]) best = i;
    s->sample[k] = best;
    for (size_t i = 0; i < count; ++i) least[i] = fmin(least[i], tip_distance(s, i, best));
    for (size_t i = 0; i < count; ++i)
      if (!isfinite(least[i])) least[i] = 0;
  }
  free(least);
  qsort(s->sample, (size_t)s->style.instants, sizeof *s->sample, by_number);
}

static void choose_instants(stage *s) {
  size_t last = s->r->samples - 1;
  for (long i = 0; i < s->style.time_count; ++i) s->sample[i] = nearest_sample(s->r, s->style.times[i]);
  if (s->style.time_count > 0) return;
  if (stage_is_faint(s)) {
    choose_by_tips(s);
    return;
  }
  for (long i = 0; i < s->style.instants; ++i)
    s->sample[i] =
        s->style.instants < 2 ? last : (size_t)lround((double)i * (double)last / (double)(s->style.instants - 1));
  if (s->style.instants < 3 || s->r->sweep) return;
  double *behind = must_alloc(s->r->samples * sizeof *behind);
  if (motion_behind(s, behind)) choose_by_motion(s, behind);
  free(behind);
}

stage stage_open(const recording *r, const shapes_style *style, rect place) {
  stage s = {.r = r, .style = *style};
  s.tip = recording_tip(r, style->link, s.tip_name, sizeof s.tip_name);
  measure(&s);
  measure_trace(&s);
  measure_nothing(&s);
  (void)family_open(&s.kin, r);
  grow_by_targets(&s);
  surroundings_grow(r->model, &s.bounds);
  springs_grow(r, &s.bounds);
  if (!stage_clouds(&s)) s.force = touching_most(r);
  choose_eye(&s, size_of(&s.bounds));
  thicken(&s.bounds);
  s.thin = 0.004 * longest_of(size_of(&s.bounds));
  choose_layout(&s, place);
  choose_instants(&s);
  if (stage_follows(&s)) s.thin = 0.004 * longest_of(s.reach);
  return s;
}

void stage_close(stage *s) {
  free(s->tip);
  family_close(&s->kin);
}

// ------------------------------------------------------------------------------------------------ instants

size_t stage_sample(const stage *s, long i) { return s->sample[i]; }

double stage_share(const stage *s, size_t sample) {
  if (stage_clouds(s)) return family_share(&s->kin, sample);
  double first = s->r->x[0], last = s->r->x[s->r->samples - 1];
  return last > first ? (s->r->x[sample] - first) / (last - first) : 1;
}

bool stage_follows(const stage *s) {
  return s->style.layout == SHAPES_APART && longest_of(size_of(&s->bounds)) > 2.2 * longest_of(s->reach);
}

box stage_bounds_at(const stage *s, long i) {
  if (!stage_follows(s)) return s->bounds;
  box one = box_empty();
  grow_by_robot(s, stage_sample(s, i), &one);
  if (!(one.low.x <= one.high.x)) return s->bounds;
  vec centre = vec_scale(0.5, vec_add(one.low, one.high)), half = vec_scale(0.5, s->reach);
  box out = {vec_sub(centre, half), vec_add(centre, half)};
  thicken(&out);
  return out;
}

static const double CROWDED = 0.45; // of the longest side

bool stage_crowds(const stage *s, box *tips, double *elevation) {
  *tips = box_empty();
  for (size_t i = 0; stage_clouds(s) && i < s->r->samples; ++i)
    if (isfinite(s->tip[3 * i])) box_grow(tips, (vec){s->tip[3 * i], s->tip[3 * i + 1], s->tip[3 * i + 2]}, 0);
  if (!(tips->low.x <= tips->high.x)) return false;
  vec size = size_of(tips);
  bool crowd = longest_of(size) < CROWDED * longest_of(size_of(&s->bounds));
  *elevation = size.z < 0.3 * longest_of(size) ? fmax(42, s->style.elevation) : s->style.elevation;
  thicken(tips);
  return crowd;
}

// ------------------------------------------------------------------------------------------------ bodies

static bool inside(const box *b, const double *p) {
  return p[0] >= b->low.x && p[0] <= b->high.x && p[1] >= b->low.y && p[1] <= b->high.y && p[2] >= b->low.z &&
         p[2] <= b->high.z;
}

bool stage_clouds(const stage *s) {
  return s->tip && s->kin.value && s->style.layout != SHAPES_APART && s->r->samples > TOGETHER;
}

bool stage_is_faint(const stage *s) {
  return stage_clouds(s) && s->style.time_count == 0 && s->style.instants <= FAINT;
}

// Rows of statics side by side, and jobs of a sweep, are no path.
bool stage_traces(const stage *s) {
  bool rows = s->r->sweep || stage_clouds(s) || (s->r->statics && s->style.layout == SHAPES_APART);
  return s->tip && !rows && s->r->samples > 1 && s->travel > 1e-4;
}

// The tip's path between two samples, as far as it lies in the box.
static void draw_trace(const stage *s, scene *solid, const box *b, size_t first, size_t last) {
  size_t step = s->r->samples / TRACE_LIMIT + 1;
  if (!stage_traces(s)) return;
  for (size_t i = first; s->tip && i < last; i += step) {
    size_t next = i + step < last ? i + step : last;
    const double *p = s->tip + 3 * i, *q = s->tip + 3 * next;
    vec path[2] = {{p[0], p[1], p[2]}, {q[0], q[1], q[2]}};
    if (inside(b, p) && inside(b, q) && vec_norm(vec_sub(path[1], path[0])) > 1e-12)
      tube_draw(solid, path, 2, 0.5 * s->thin, colour_of_time(stage_share(s, i)));
  }
}

// A dark bead where a loop closes.
static void draw_loops(const stage *s, scene *solid, size_t sample) {
  const json_t *loop;
  size_t i;
  json_array_foreach(json_object_get(s->r->model, "loops"), i, loop) {
    const json_t *a = json_object_get(loop, "a"), *at = json_object_get(a, "at");
    const char *link = json_string_value(json_object_get(a, "link"));
    const track *k = link ? recording_track(s->r, link) : NULL;
    if (!k || !track_is_finite(k, sample)) continue;
    size_t point = track_nearest(k, json_is_number(at) ? json_number_value(at) : 1);
    frame f = track_frame(k, sample, point), offset = place_pose(json_object_get(a, "pose"));
    double radius = fmax(1.6 * s->thin, 1.2 * track_thinness(k, point));
    ball_draw(solid, frame_compose(&f, &offset).at, radius, (colour){.20, .22, .26});
  }
}

// Where the search began, in grey.
static void draw_first(const stage *s, scene *solid, const robot_style *style, size_t sample) {
  for (int i = 0; i < s->r->first_count; ++i) {
    const track *k = &s->r->first[i], *parent = NULL;
    const char *name = json_string_value(json_object_get(k->document, "parent"));
    for (int j = 0; name && j < s->r->first_count; ++j)
      if (strcmp(s->r->first[j].link, name) == 0) parent = &s->r->first[j];
    if (track_is_finite(k, sample)) robot_draw(solid, k, parent, sample, style, (colour){.80, .82, .85});
  }
}

// Rigid bodies are paler than rods, so that both are told apart.
static void draw_instant(const stage *s, scene *solid, const robot_style *style, long instant) {
  size_t sample = stage_sample(s, instant);
  colour paint = colour_of_time(stage_share(s, sample)), pale = colour_towards(paint, (colour){.72, .74, .78}, 0.62);
  for (int i = 0; i < s->r->track_count; ++i) {
    const track *k = &s->r->tracks[i];
    if (track_is_finite(k, sample))
      robot_draw(solid, k, recording_parent(s->r, k), sample, style, track_is_rod(k) ? paint : pale);
  }
  draw_first(s, solid, style, sample);
  draw_loops(s, solid, sample);
  springs_draw(s->r, solid, sample, 0.6 * s->thin);
}

// Where places of links were to be: balls.
static void draw_targets(const stage *s, scene *solid, const box *b) {
  size_t count;
  double *points = targets_points(s->r, &count);
  for (size_t i = 0; i < count; ++i)
    if (inside(b, points + 3 * i))
      ball_draw(solid, (vec){points[3 * i], points[3 * i + 1], points[3 * i + 2]}, 2.2 * s->thin,
                (colour){.82, .16, .24});
  free(points);
}

static robot_style style_at(const stage *s, double scale) {
  return (robot_style){.thin = 2 * s->thin, .least = LINE_HALF_WIDTH / scale};
}

double stage_thickened(const stage *s, double scale) {
  robot_style style = style_at(s, scale);
  double most = 1;
  for (int i = 0; i < s->r->track_count; ++i) most = fmax(most, robot_thickened(&s->r->tracks[i], &style));
  return most;
}

void stage_draw_collision(const stage *s, cairo_t *c, const view *eye, long first, long last) {
  for (long i = first; s->style.collision && i <= last; ++i)
    for (int k = 0; k < s->r->track_count; ++k) collision_draw(c, &s->r->tracks[k], stage_sample(s, i), eye);
}

void stage_draw_touching(const stage *s, scene *solid, const box *bounds, double scale, long first, long last) {
  double longest = longest_of(size_of(bounds)), radius = fmax(0.005 * longest, 2 * LINE_HALF_WIDTH / scale);
  for (long i = first; i <= last; ++i)
    touching_draw(s->r, solid, stage_sample(s, i), radius, ARROW * longest, s->force.longest);
}

void stage_draw_around(const stage *s, scene *solid, const box *bounds) {
  surroundings_draw(solid, s->r->model, bounds, 0.35 * s->thin);
  draw_targets(s, solid, bounds);
}

void stage_draw(const stage *s, scene *solid, const box *bounds, double scale, long first, long last) {
  robot_style style = style_at(s, scale);
  for (long i = first; i <= last; ++i) draw_instant(s, solid, &style, i);
  draw_trace(s, solid, bounds, first > 0 ? stage_sample(s, first - 1) : 0, stage_sample(s, last));
}
