// What makers of panels share: a panel for each unit, curves with the next colour, data that panels point into.
#ifndef TENDRIL_CLIENT_MAKER_H
#define TENDRIL_CLIENT_MAKER_H

#include "plot/curves/panels.h"

typedef struct maker {
  const recording *r;
  const char *link; ///< whose tip is drawn, NULL: the last of the tree
  panel_list *list;
} maker;

/// The list frees the values; NULL passes through.
double *maker_hold(maker *m, double *values);
/// NULL when there is no room for another one.
panel *maker_add(maker *m, const char *title, const char *unit);
/// The panel with this title and unit among those from number `first` on; a new one where there is none.
panel *maker_of_unit(maker *m, int first, const char *title, const char *unit);
curve *maker_curve(panel *p, const double *y, size_t stride, colour paint, const char *label);
/// The next colour; a second round is dashed.
curve *maker_named(panel *p, const double *y, size_t stride, const char *label);
/// Columns of a field called "name[i]" unless a list of the summary names them; false where there is no such field.
bool maker_columns(maker *m, const char *field, const char *title, const char *unit, const char *names);

#endif
