// Rods are swept: between two computational points the centreline is the cubic with the recorded tangents, the section's
// axes are blended and made orthonormal again, its size comes from the model. Rigid links are drawn as bars between frames.
#include "plot/robot.h"

#include "base/say.h"
#include <stdlib.h>
#include <string.h>

enum { AROUND = 36, BETWEEN = 10 };

typedef struct frame {
  vec at, x, y, z;
} frame;

static frame frame_of(const track *k, size_t sample, size_t point) {
  const double *g = k->pose + (sample * k->points + point) * 16;
  return (frame){{g[3], g[7], g[11]}, {g[0], g[4], g[8]}, {g[1], g[5], g[9]}, {g[2], g[6], g[10]}};
}

vec track_position(const track *k, size_t sample, size_t point) { return frame_of(k, sample, point).at; }

static const json_t *body_of(const track *k) { return json_object_get(k->document, "body"); }

bool track_is_rod(const track *k) { return k->points > 1; }

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

section section_at(const track *k, double s, double otherwise) {
  const json_t *doc = json_object_get(body_of(k), "section");
  const char *shape = json_string_value(json_object_get(doc, "shape"));
  section out = {otherwise, otherwise, false};
  if (!shape) return out;
  if (strcmp(shape, "circle") == 0) out.y = out.z = profile_at(json_object_get(doc, "radius"), s, otherwise);
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

typedef struct ring { // the outline of one section in the world
  vertex v[AROUND + 1];
  vec centre, forward;
} ring;

static ring ring_at(const frame *f, section c) {
  ring out = {.centre = f->at, .forward = f->x};
  for (int i = 0; i <= AROUND; ++i) {
    double a = 2 * M_PI * i / AROUND, y = cos(a), z = sin(a), ny, nz;
    if (c.rectangle) { // the square's outline, its corners kept by stretching the circle to it
      double k = 1 / fmax(fabs(y), fabs(z));
      ny = fabs(y) >= fabs(z) ? y : 0, nz = fabs(y) >= fabs(z) ? 0 : z;
      y *= k, z *= k;
    } else {
      ny = y * c.z, nz = z * c.y; // gradient of (y/cy)^2 + (z/cz)^2
    }
    out.v[i].at = vec_add(f->at, vec_add(vec_scale(c.y * y, f->y), vec_scale(c.z * z, f->z)));
    out.v[i].normal = vec_unit(vec_add(vec_scale(ny, f->y), vec_scale(nz, f->z)));
  }
  return out;
}

static void join_rings(scene *s, const ring *a, const ring *b, colour paint) {
  for (int i = 0; i < AROUND; ++i) {
    scene_triangle(s, a->v[i], a->v[i + 1], b->v[i], paint);
    scene_triangle(s, a->v[i + 1], b->v[i + 1], b->v[i], paint);
  }
}

static void close_ring(scene *s, const ring *a, colour paint) {
  for (int i = 0; i < AROUND; ++i)
    scene_triangle(s, (vertex){a->centre, a->forward}, (vertex){a->v[i].at, a->forward},
                   (vertex){a->v[i + 1].at, a->forward}, paint);
}

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

static void draw_rod(scene *s, const track *k, size_t sample, double thin, colour paint) {
  frame here = frame_of(k, sample, 0);
  ring last = ring_at(&here, section_at(k, 0, thin));
  close_ring(s, &last, paint);
  for (size_t i = 1; i < k->points; ++i) {
    frame next = frame_of(k, sample, i);
    for (int j = 1; j <= BETWEEN; ++j) {
      double part = (double)j / BETWEEN, at = k->abscissa[i - 1] + part * (k->abscissa[i] - k->abscissa[i - 1]);
      frame f = between(&here, &next, part);
      ring r = ring_at(&f, section_at(k, at, thin));
      join_rings(s, &last, &r, paint);
      last = r;
    }
    here = next;
  }
  close_ring(s, &last, paint);
}

// Axes across a direction, for tubes that have no frame of their own.
static frame frame_along(vec at, vec direction) {
  vec x = vec_unit(direction), aside = fabs(x.z) < 0.9 ? (vec){0, 0, 1} : (vec){1, 0, 0};
  vec y = vec_unit(vec_cross(aside, x));
  return (frame){at, x, y, vec_cross(x, y)};
}

void tube_draw(scene *s, const vec *path, size_t count, double radius, colour paint) {
  ring last = {0};
  for (size_t i = 0; i < count; ++i) {
    vec ahead = path[i + 1 < count ? i + 1 : i], behind = path[i ? i - 1 : i];
    frame f = frame_along(path[i], vec_sub(ahead, behind));
    ring r = ring_at(&f, (section){radius, radius, false});
    if (i > 0) join_rings(s, &last, &r, paint);
    last = r;
  }
}

void ball_draw(scene *s, vec centre, double radius, colour paint) {
  enum { BELTS = 12 };
  ring last = {0};
  for (int i = 0; i <= BELTS; ++i) {
    double a = M_PI * i / BELTS, r = radius * sin(a);
    frame f = {{centre.x, centre.y, centre.z - radius * cos(a)}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    ring now = ring_at(&f, (section){r, r, false});
    for (int j = 0; j <= AROUND; ++j) now.v[j].normal = vec_unit(vec_sub(now.v[j].at, centre));
    if (i > 0) join_rings(s, &last, &now, paint);
    last = now;
  }
}

// A rigid parent has no body of its own in the picture: a bar bridges what lies between its frame and this link.
static void draw_bar(scene *s, const track *k, const track *parent, size_t sample, double thin, colour paint) {
  vec path[2] = {track_position(parent, sample, parent->points - 1), track_position(k, sample, 0)};
  if (vec_norm(vec_sub(path[1], path[0])) > thin) tube_draw(s, path, 2, thin, paint);
}

void robot_draw(scene *s, const track *k, const track *parent, size_t sample, double thin, colour paint) {
  if (track_is_rod(k))
    draw_rod(s, k, sample, thin, paint);
  else
    ball_draw(s, track_position(k, sample, 0), 1.6 * thin, paint);
  if (parent && !(track_is_rod(parent) && track_is_rod(k))) draw_bar(s, k, parent, sample, thin, paint);
}
