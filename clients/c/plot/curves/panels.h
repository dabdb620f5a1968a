// The curves of a result, one panel per quantity.
#ifndef TENDRIL_CLIENT_PANELS_H
#define TENDRIL_CLIENT_PANELS_H

#include "plot/canvas/canvas.h"
#include "plot/curves/family.h"
#include "plot/recording.h"

enum { PANEL_LIMIT = 20 };

typedef struct panel_list {
  panel *panel[PANEL_LIMIT];
  int count;
  double *held[2 * PANEL_LIMIT]; ///< data that panels point into
  int held_count;
  const double *x; ///< of all panels
  size_t *next;    ///< of all panels, NULL: samples follow each other
  bool log_x;      ///< by powers of ten
  char x_label[128];
  bool narrow;      ///< two columns where others have one
  family kin;       ///< of a grid: what tells its lines apart
  char folded[480]; ///< "constant: …": panels that would show nothing else
} panel_list;

/// Makes the panels named in `fields` ("u,q,tip"), or with NULL those that a reader wants of what the result holds.
/// @param link  whose tip is drawn, NULL: the last of the tree
/// @return false after a line when a name is unknown or the result does not hold it
bool panels_make(panel_list *list, const recording *r, const char *fields, const char *link);
void panels_free(panel_list *list);

#endif
