// What a document says is drawn of a link: its `view`.
#ifndef TENDRIL_CLIENT_DRAWN_H
#define TENDRIL_CLIENT_DRAWN_H

#include "plot/canvas/place.h"

/// Draws the shapes and meshes of a `view` (a list) in the link frame `f`, in one colour: that of the instant.
void drawn_draw(scene *s, const json_t *shapes, const frame *f, colour paint);
/// A ball in the link's frame that holds them all.
void drawn_ball(const json_t *shapes, vec *middle, double *radius);

#endif
