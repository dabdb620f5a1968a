// Rods whose points lie farther apart in height than a water surface is thick.
#ifndef TENDRIL_FORCE_WATER_THIN_SURFACE_H
#define TENDRIL_FORCE_WATER_THIN_SURFACE_H

#include "model/workspace.h"
#include "tendril/spec.h"

/// Warns (`thin_surface`, in m->warnings) of the first rod whose Gauss points get wet one by one where it stands at q =
/// 0.
/// Allocates; without memory it says nothing. O(nodes).
void td_warn_of_thin_surface(td_model *m, const td_model_spec *spec);

#endif
