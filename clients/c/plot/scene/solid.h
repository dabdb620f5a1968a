// Solids out of triangles: swept sections, tubes, balls, cylinders, boxes, prisms.
#ifndef TENDRIL_CLIENT_SOLID_H
#define TENDRIL_CLIENT_SOLID_H

#include "plot/scene/scene.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct frame {
  vec at, x, y, z;
} frame;

typedef struct section { // half extents of a cross-section, m
  double y, z;
  bool rectangle;
} section;

enum { SOLID_AROUND = 36 };

typedef struct ring { // the outline of one section in the world
  vertex v[SOLID_AROUND + 1];
  vec centre, forward;
} ring;

/// A point or direction given in the axes of `f`.
vec frame_point(const frame *f, vec local);
vec frame_direction(const frame *f, vec local);
/// `inner` is given in `f`: both together in the world.
frame frame_compose(const frame *f, const frame *inner);
/// Axes whose x points along `direction`.
frame frame_along(vec at, vec direction);

/// The section stands across f->x.
ring ring_at(const frame *f, section c);
void ring_join(scene *s, const ring *a, const ring *b, colour paint);
void ring_close(scene *s, const ring *a, colour paint);

/// A tube of constant radius through `count` positions.
void tube_draw(scene *s, const vec *path, size_t count, double radius, colour paint);
/// A circle of wire around f->x.
void hoop_draw(scene *s, const frame *f, double radius, double wire, colour paint);
void ball_draw(scene *s, vec centre, double radius, colour paint);
/// Along f->x, centred at f->at.
void cylinder_draw(scene *s, const frame *f, double radius, double length, colour paint);
/// Sides along the axes of f, centred at f->at.
void box_draw(scene *s, const frame *f, vec size, colour paint);
/// A polygon in f's y-z plane, extruded along f->x, its first vertex seeing all others.
void prism_draw(scene *s, const frame *f, const vec *corner, size_t count, double height, colour paint);

#endif
