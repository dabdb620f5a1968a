// A picture of solid bodies: triangles with normals, seen in parallel projection, hidden surfaces removed by a depth
// buffer.
#ifndef TENDRIL_CLIENT_SCENE_H
#define TENDRIL_CLIENT_SCENE_H

#include "plot/canvas/colour.h"
#include "plot/canvas/vector.h"
#include <stdint.h>

typedef struct view {    // camera: world -> pixels
  vec right, up, toward; ///< unit; toward points from the scene to the eye
  double scale, x0, y0;  ///< pixel = (x0 + scale p.right, y0 - scale p.up)
} view;

typedef struct box {
  vec low, high;
} box;

typedef struct vertex {
  vec at, normal;
} vertex;

typedef struct scene scene;

box box_empty(void);
void box_grow(box *b, vec p, double radius);
/// Camera at azimuth and elevation (degrees, z up) whose picture of `b` fills width x height with a margin in pixels.
view view_fit(const box *b, double azimuth, double elevation, double width, double height, double margin);
void view_project(const view *v, vec p, double *x, double *y);

scene *scene_create(int width, int height, const view *v);
void scene_destroy(scene *s);
void scene_triangle(scene *s, vertex a, vertex b, vertex c, colour paint);
/// Lays the nearest faces of another picture of this size over this one where nothing here is nearer; of them `alpha`
/// is seen: a pane.
void scene_cover(scene *s, const scene *pane, double alpha);
/// [height][width] premultiplied ARGB, as cairo's image surfaces want it.
uint32_t *scene_pixels(scene *s);

#endif
