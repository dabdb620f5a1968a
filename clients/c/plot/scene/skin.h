// The deformed surface of a body as it was recorded: field shape:LINK.
#ifndef TENDRIL_CLIENT_SKIN_H
#define TENDRIL_CLIENT_SKIN_H

#include "plot/scene/scene.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct skin {
  size_t circles, around; ///< 0: there is none; of a mesh 1 and its points
  const double *points;   ///< [samples][circles][around][3] world, m; borrowed
  size_t (*triangle)[3];  ///< [triangles] of a mesh, else NULL; owned
  size_t triangles;
} skin;

bool skin_exists(const skin *s);
void skin_grow(const skin *s, size_t sample, box *b);
void skin_draw(scene *picture, const skin *s, size_t sample, colour paint);

#endif
