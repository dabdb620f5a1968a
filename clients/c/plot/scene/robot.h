// The robot as solid shapes: from the recorded poses of its links and the bodies of its model document.
#ifndef TENDRIL_CLIENT_ROBOT_H
#define TENDRIL_CLIENT_ROBOT_H

#include "plot/scene/skin.h"
#include "plot/scene/solid.h"
#include <jansson.h>

typedef struct track { // one link over time: field poses:LINK, and shape:LINK where it was recorded
  char link[96];
  size_t samples, points;
  const double *pose;     ///< [samples][points][4][4], borrowed
  const json_t *document; ///< the link in the model document, NULL when there is none
  double *abscissa;       ///< [points] X/L
  skin skin;              ///< of a reduced body
} track;

vec track_position(const track *k, size_t sample, size_t point);
frame track_frame(const track *k, size_t sample, size_t point);
/// The recorded point nearest to material abscissa `at`.
size_t track_nearest(const track *k, double at);
/// The least half extent of a rod's section at a point, 0 for other links.
double track_thinness(const track *k, size_t point);
/// A ball that holds what is drawn of the link at one of its points: its centre, and its radius.
vec track_middle(const track *k, size_t sample, size_t point);
double track_reach(const track *k, size_t point);
/// Fills k->abscissa from the summary's list of the link, by length along the first shape when there is none.
void track_place_points(track *k, const json_t *abscissae);
/// A rod, or a reduced body whose surface is known: what is drawn as soft.
bool track_is_rod(const track *k);
/// Makes a box hold what is drawn of the link.
/// Whether the end of a track is where anything can be at a sample.
bool track_is_finite(const track *k, size_t sample);
void track_grow(const track *k, size_t sample, box *b);
typedef struct robot_style {
  double thin;  ///< radius of links without a drawn body
  double least; ///< half extents of a rod's section are drawn no smaller: thinner than a line nothing would be seen
} robot_style;

/// Adds a link at one sample to the picture. `parent` (may be NULL) is the track it hangs from.
void robot_draw(scene *s, const track *k, const track *parent, size_t sample, const robot_style *style, colour paint);
/// How many times as thick as it is the link is drawn where its section is thinnest: 1 where it is drawn as it is.
double robot_thickened(const track *k, const robot_style *style);

#endif
