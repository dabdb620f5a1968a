// Geometry of a model document: poses, axes, vectors, as the format spells them.
#ifndef TENDRIL_CLIENT_PLACE_H
#define TENDRIL_CLIENT_PLACE_H

#include "plot/scene/solid.h"
#include <jansson.h>

/// [x, y, z]; zero for anything else.
vec place_vector(const json_t *list);
/// "x", "-y", … or a vector; z when there is none. Unit length.
vec place_axis(const json_t *axis);
/// {translation, rpy | quaternion}; the identity when there is none.
frame place_pose(const json_t *pose);

#endif
