// The numbers that a search found, as a table in a picture.
#ifndef TENDRIL_CLIENT_FOUND_TABLE_H
#define TENDRIL_CLIENT_FOUND_TABLE_H

#include "plot/canvas/canvas.h"
#include "tendril_client.h"

/// 0 where there is nothing to tell.
double found_table_height(const tendril_found *found);
/// A row for each number: its value (of a fit with its deviation, of a gradient its slope), where the search began (a
/// ring) and what was found (a dot, and a bar of three deviations) between its bounds.
void found_table_draw(cairo_t *c, rect place, const tendril_found *found);

#endif
