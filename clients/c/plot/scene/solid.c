// Everything is a sweep of rings, except what has flat faces: those carry one normal each, so that edges stay sharp.
#include "plot/scene/solid.h"

#include "base/say.h"
#include <stdlib.h>

enum { BELTS = 14, HOOP = 72 };

vec frame_direction(const frame *f, vec p) {
  return vec_add(vec_scale(p.x, f->x), vec_add(vec_scale(p.y, f->y), vec_scale(p.z, f->z)));
}

vec frame_point(const frame *f, vec p) { return vec_add(f->at, frame_direction(f, p)); }

frame frame_compose(const frame *f, const frame *inner) {
  return (frame){frame_point(f, inner->at), frame_direction(f, inner->x), frame_direction(f, inner->y),
                 frame_direction(f, inner->z)};
}

frame frame_along(vec at, vec direction) {
  vec x = vec_unit(direction), aside = fabs(x.z) < 0.9 ? (vec){0, 0, 1} : (vec){1, 0, 0};
  vec y = vec_unit(vec_cross(aside, x));
  return (frame){at, x, y, vec_cross(x, y)};
}

// ------------------------------------------------------------------------------------------------ rings

ring ring_at(const frame *f, section c) {
  ring out = {.centre = f->at, .forward = f->x};
  for (int i = 0; i <= SOLID_AROUND; ++i) {
    double a = 2 * M_PI * i / SOLID_AROUND, y = cos(a), z = sin(a), ny, nz;
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

void ring_join(scene *s, const ring *a, const ring *b, colour paint) {
  for (int i = 0; i < SOLID_AROUND; ++i) {
    scene_triangle(s, a->v[i], a->v[i + 1], b->v[i], paint);
    scene_triangle(s, a->v[i + 1], b->v[i + 1], b->v[i], paint);
  }
}

void ring_close(scene *s, const ring *a, colour paint) {
  for (int i = 0; i < SOLID_AROUND; ++i)
    scene_triangle(s, (vertex){a->centre, a->forward}, (vertex){a->v[i].at, a->forward},
                   (vertex){a->v[i + 1].at, a->forward}, paint);
}

void tube_draw(scene *s, const vec *path, size_t count, double radius, colour paint) {
  ring last = {0};
  for (size_t i = 0; i < count; ++i) {
    vec ahead = path[i + 1 < count ? i + 1 : i], behind = path[i ? i - 1 : i];
    frame f = frame_along(path[i], vec_sub(ahead, behind));
    ring r = ring_at(&f, (section){radius, radius, false});
    if (i > 0) ring_join(s, &last, &r, paint);
    last = r;
  }
}

void hoop_draw(scene *s, const frame *f, double radius, double wire, colour paint) {
  vec path[HOOP + 1];
  for (int i = 0; i <= HOOP; ++i) {
    double a = 2 * M_PI * i / HOOP;
    path[i] = frame_point(f, (vec){0, radius * cos(a), radius * sin(a)});
  }
  tube_draw(s, path, HOOP + 1, wire, paint);
}

void ball_draw(scene *s, vec centre, double radius, colour paint) {
  ring last = {0};
  for (int i = 0; i <= BELTS; ++i) {
    double a = M_PI * i / BELTS, r = radius * sin(a);
    frame f = {{centre.x, centre.y, centre.z - radius * cos(a)}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    ring now = ring_at(&f, (section){r, r, false});
    for (int j = 0; j <= SOLID_AROUND; ++j) now.v[j].normal = vec_unit(vec_sub(now.v[j].at, centre));
    if (i > 0) ring_join(s, &last, &now, paint);
    last = now;
  }
}

void cylinder_draw(scene *s, const frame *f, double radius, double length, colour paint) {
  frame low = *f, high = *f;
  low.at = frame_point(f, (vec){-length / 2, 0, 0});
  high.at = frame_point(f, (vec){length / 2, 0, 0});
  ring a = ring_at(&low, (section){radius, radius, false}), b = ring_at(&high, (section){radius, radius, false});
  ring_join(s, &a, &b, paint);
  ring_close(s, &a, paint);
  ring_close(s, &b, paint);
}

// ------------------------------------------------------------------------------------------------ flat faces

static void face(scene *s, vec a, vec b, vec c, vec normal, colour paint) {
  scene_triangle(s, (vertex){a, normal}, (vertex){b, normal}, (vertex){c, normal}, paint);
}

void prism_draw(scene *s, const frame *f, const vec *corner, size_t count, double height, colour paint) {
  vec up = vec_scale(height / 2, f->x);
  for (size_t i = 0; i < count; ++i) {
    vec a = frame_point(f, corner[i]), b = frame_point(f, corner[(i + 1) % count]), first = frame_point(f, corner[0]);
    vec out = vec_unit(vec_cross(vec_sub(b, a), f->x));
    face(s, vec_sub(a, up), vec_sub(b, up), vec_add(b, up), out, paint);
    face(s, vec_sub(a, up), vec_add(b, up), vec_add(a, up), out, paint);
    face(s, vec_add(first, up), vec_add(a, up), vec_add(b, up), f->x, paint);
    face(s, vec_sub(first, up), vec_sub(a, up), vec_sub(b, up), f->x, paint);
  }
}

void box_draw(scene *s, const frame *f, vec size, colour paint) {
  double y = size.y / 2, z = size.z / 2;
  const vec corner[4] = {{0, -y, -z}, {0, y, -z}, {0, y, z}, {0, -y, z}};
  prism_draw(s, f, corner, 4, size.x, paint);
}
