// The robot as solid shapes: from the recorded poses of its links and the cross-sections of its model document.
#ifndef TENDRIL_CLIENT_ROBOT_H
#define TENDRIL_CLIENT_ROBOT_H

#include "plot/scene.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct track { // one link over time: field poses:LINK
  char link[96];
  size_t samples, points;
  double *pose;           ///< [samples][points][4][4]
  const json_t *document; ///< the link in the model document, NULL when there is none
  double *abscissa;       ///< [points] X/L
} track;

typedef struct section { // half extents at one abscissa, m
  double y, z;
  bool rectangle;
} section;

vec track_position(const track *k, size_t sample, size_t point);
/// Cross-section of a rod at X/L = s; `otherwise` is the radius used when the model does not say.
section section_at(const track *k, double s, double otherwise);
/// Fills k->abscissa from the summary's list of the link, by length along the first shape when there is none.
void track_place_points(track *k, const json_t *abscissae);
bool track_is_rod(const track *k);
/// Adds a link at one sample to the picture. `parent` (may be NULL) is the track it hangs from; `thin` a radius for links
/// without a drawn body.
void robot_draw(scene *s, const track *k, const track *parent, size_t sample, double thin, colour paint);
/// A tube of constant radius through `count` positions.
void tube_draw(scene *s, const vec *path, size_t count, double radius, colour paint);
void ball_draw(scene *s, vec centre, double radius, colour paint);

#endif
