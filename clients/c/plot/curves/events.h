// Lines across the panels at what happened.
#ifndef TENDRIL_CLIENT_EVENTS_H
#define TENDRIL_CLIENT_EVENTS_H

#include "plot/curves/panels.h"

/// Marks events of the summary and contacts that begin in all panels of the common axis, and names them beside its
/// label.
void events_mark(panel_list *list, const recording *r);

#endif
