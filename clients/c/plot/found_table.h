// The numbers that a search found, as a table in a picture.
#ifndef TENDRIL_CLIENT_FOUND_TABLE_H
#define TENDRIL_CLIENT_FOUND_TABLE_H

#include "plot/canvas/canvas.h"
#include "plot/recording.h"

/// 0 where there is nothing to tell.
double found_table_height(const recording *r);
/// A row for each number: its value (of a fit with its deviation, of a gradient its slope), where the search began (a
/// ring) and what was found (a dot, and a bar of three deviations) between its bounds.
/// Below it what a design asks of numbers of the result, and what they are.
void found_table_draw(cairo_t *c, rect place, const recording *r);

#endif
