// A panel of one sample: what it is worth, as bars with their numbers.
#ifndef TENDRIL_CLIENT_BARS_H
#define TENDRIL_CLIENT_BARS_H

#include "plot/canvas/canvas.h"

/// Whether a panel is one of these.
bool bars_suit(const panel *p);
/// Title and a bar for each curve from 0 to its value; names and numbers beside them where they find room.
void bars_draw(cairo_t *c, rect place, const panel *p);

#endif
