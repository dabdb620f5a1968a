// Rods are swept: between two computational points the centreline is the cubic with the recorded tangents, the
// section's axes are blended and made orthonormal again, its size comes from the model. Rigid links: their bodies,
// and bars to what hangs from them. Reduced bodies are drawn by the surface they recorded.
#include "plot/scene/robot.h"

#include "base/say.h"
#include "plot/scene/drawn.h"
#include "plot/scene/rigid.h"
#include <stdlib.h>
#include <string.h>

enum { BETWEEN = 10 };

frame track_frame(const track *k, size_t sample, size_t point) {
  const double *g = k->pose + (sample * k->points + point) * 16;
  return (frame){{g[3], g[7], g[11]}, {g[0], g[4], g[8]}, {g[1], g[5], g[9]}, {g[2], g[6], g[10]}};
}

vec track_position(const track *k, size_t sample, size_t point) { return track_frame(k, sample, point).at; }

static const json_t *body_of(const track *k) { return json_object_get(k->document, "body"); }

// What is drawn of the link instead of its body, NULL: nothing is said.
static const json_t *view_of(const track *k) { return k ? json_object_get(k->document, "view") : NULL; }

bool track_is_rod(const track *k) { return k->points > 1 || skin_exists(&k->skin); }

size_t track_nearest(const track *k, double at) {
  size_t best = 0;
  for (size_t i = 1; i < k->points; ++i)
    if (fabs(k->abscissa[i] - at) < fabs(k->abscissa[best] - at)) best = i;
  return best;
}

// ------------------------------------------------------------------------------------------------ sections

// A profile of the model format: number, [base, tip], or {"s", "value"} (drawn linearly between its knots).
static double profile_at(const json_t *profile, double s, double otherwise) {
  if (json_is_number(profile)) return json_number_value(profile);
  const json_t *value = json_is_object(profile) ? json_object_get(profile, "value") : profile;
  const json_t *knots = json_object_get(profile, "s");
  size_t count = json_array_size(value);
  if (count < 2 || (knots && json_array_size(knots) != count)) return otherwise;
  for (size_t i = 1; i < count; ++i) {
    double a = knots ? json_number_value(json_array_get(knots, i - 1)) : (double)(i - 1) / (double)(count - 1);
    double b = knots ? json_number_value(json_array_get(knots, i)) : (double)i / (double)(count - 1);
    if (s > b && i + 1 < count) continue;
    double k = b > a ? (s - a) / (b - a) : 0;
    return (1 - k) * json_number_value(json_array_get(value, i - 1)) + k * json_number_value(json_array_get(value, i));
  }
  return otherwise;
}

static section section_at(const track *k, double s, double otherwise) {
  const json_t *doc = json_object_get(body_of(k), "section");
  const char *shape = json_string_value(json_object_get(doc, "shape"));
  section out = {otherwise, otherwise, false};
  if (!shape) return out;
  if (strcmp(shape, "circle") == 0 || strcmp(shape, "stiffness") == 0)
    out.y = out.z = profile_at(json_object_get(doc, "radius"), s, otherwise);
  if (strcmp(shape, "ellipse") == 0) {
    out.y = profile_at(json_object_get(doc, "semi_y"), s, otherwise);
    out.z = profile_at(json_object_get(doc, "semi_z"), s, otherwise);
  }
  if (strcmp(shape, "rectangle") == 0) {
    out.rectangle = true;
    out.y = profile_at(json_object_get(doc, "height"), s, 2 * otherwise) / 2;
    out.z = profile_at(json_object_get(doc, "width"), s, 2 * otherwise) / 2;
  }
  return out;
}

vec track_middle(const track *k, size_t sample, size_t point) {
  frame f = track_frame(k, sample, point);
  vec middle = place_vector(json_object_get(body_of(k), "com"));
  double radius;
  if (view_of(k)) drawn_ball(view_of(k), &middle, &radius);
  return track_is_rod(k) ? f.at : frame_point(&f, middle);
}

double track_reach(const track *k, size_t point) {
  vec middle;
  double radius;
  if (!track_is_rod(k) && view_of(k)) return drawn_ball(view_of(k), &middle, &radius), radius;
  if (!track_is_rod(k)) return rigid_reach(body_of(k));
  section c = section_at(k, k->abscissa[point], 0);
  return fmax(c.y, c.z);
}

double track_thinness(const track *k, size_t point) {
  section c = section_at(k, k->abscissa[point], 0);
  return track_is_rod(k) ? fmin(c.y, c.z) : 0;
}

bool track_is_finite(const track *k, size_t sample) {
  vec p = track_position(k, sample, k->points - 1);
  return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

void track_grow(const track *k, size_t sample, box *b) {
  if (skin_exists(&k->skin)) skin_grow(&k->skin, sample, b);
  for (size_t i = 0; i < k->points; ++i) {
    box_grow(b, track_position(k, sample, i), 0);
    box_grow(b, track_middle(k, sample, i), track_reach(k, i));
  }
}

// ------------------------------------------------------------------------------------------------ abscissae

static void place_by_length(track *k) {
  double total = 0;
  for (size_t i = 1; i < k->points; ++i) {
    total += vec_norm(vec_sub(track_position(k, 0, i), track_position(k, 0, i - 1)));
    k->abscissa[i] = total;
  }
  for (size_t i = 1; i < k->points; ++i) k->abscissa[i] = total > 0 ? k->abscissa[i] / total : 0;
}

void track_place_points(track *k, const json_t *abscissae) {
  k->abscissa = must_alloc(k->points * sizeof *k->abscissa);
  if (json_array_size(abscissae) != k->points) {
    place_by_length(k);
    return;
  }
  for (size_t i = 0; i < k->points; ++i) k->abscissa[i] = json_number_value(json_array_get(abscissae, i));
}

// ------------------------------------------------------------------------------------------------ sweeping

// The frame at fraction k between two computational points.
static frame between(const frame *a, const frame *b, double k) {
  vec chord = vec_sub(b->at, a->at);
  double length = vec_norm(chord), k2 = k * k, k3 = k2 * k;
  frame f;
  f.at = vec_add(vec_add(vec_scale(2 * k3 - 3 * k2 + 1, a->at), vec_scale(3 * k2 - 2 * k3, b->at)),
                 vec_add(vec_scale((k3 - 2 * k2 + k) * length, a->x), vec_scale((k3 - k2) * length, b->x)));
  f.x = vec_unit(vec_mix(a->x, b->x, k));
  vec y = vec_mix(a->y, b->y, k);
  f.y = vec_unit(vec_sub(y, vec_scale(vec_dot(y, f.x), f.x)));
  f.z = vec_cross(f.x, f.y);
  return f;
}

static section drawn_section(const track *k, double s, const robot_style *style) {
  section c = section_at(k, s, style->thin);
  return (section){fmax(c.y, style->least), fmax(c.z, style->least), c.rectangle};
}

double robot_thickened(const track *k, const robot_style *style) {
  double most = 1;
  for (size_t i = 0; !skin_exists(&k->skin) && track_is_rod(k) && i < k->points; ++i) {
    section c = section_at(k, k->abscissa[i], style->thin);
    most = fmax(most, style->least / fmax(fmin(c.y, c.z), 1e-12));
  }
  return most;
}

// `joined`: it goes on from another rod, and begins with a dark collar, so that one sees that there are two.
static void draw_rod(scene *s, const track *k, size_t sample, const robot_style *style, bool joined, colour paint) {
  colour collar = colour_towards(paint, (colour){.10, .11, .13}, .75);
  frame here = track_frame(k, sample, 0);
  ring last = ring_at(&here, drawn_section(k, 0, style));
  ring_close(s, &last, paint);
  for (size_t i = 1; i < k->points; ++i) {
    frame next = track_frame(k, sample, i);
    for (int j = 1; j <= BETWEEN; ++j) {
      double part = (double)j / BETWEEN, at = k->abscissa[i - 1] + part * (k->abscissa[i] - k->abscissa[i - 1]);
      frame f = between(&here, &next, part);
      ring r = ring_at(&f, drawn_section(k, at, style));
      ring_join(s, &last, &r, joined && i == 1 && j == 1 ? collar : paint);
      last = r;
    }
    here = next;
  }
  ring_close(s, &last, paint);
}

// What lies between a rigid parent's frame and this link: a thin bar.
static void draw_bar(scene *s, const track *k, const track *parent, size_t sample, double thin, colour paint) {
  vec path[2] = {track_position(parent, sample, parent->points - 1), track_position(k, sample, 0)};
  if (vec_norm(vec_sub(path[1], path[0])) > thin) tube_draw(s, path, 2, 0.6 * thin, paint);
}

void robot_draw(scene *s, const track *k, const track *parent, size_t sample, const robot_style *style, colour paint) {
  frame f = track_frame(k, sample, 0);
  if (skin_exists(&k->skin))
    skin_draw(s, &k->skin, sample, paint);
  else if (track_is_rod(k))
    draw_rod(s, k, sample, style, parent && track_is_rod(parent), paint);
  else if (!view_of(k) && !rigid_draw(s, body_of(k), &f, paint))
    ball_draw(s, f.at, 1.6 * style->thin, paint);
  if (view_of(k)) drawn_draw(s, view_of(k), &f, paint);
  if (parent && !view_of(parent) && !(track_is_rod(parent) && track_is_rod(k)))
    draw_bar(s, k, parent, sample, style->thin, paint);
}
