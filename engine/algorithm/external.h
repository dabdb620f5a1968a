// What the surroundings do to the bodies: added mass, drag and lift of a fluid, contact. General 6x6 maps per node.
#ifndef TENDRIL_ALGORITHM_EXTERNAL_H
#define TENDRIL_ALGORITHM_EXTERNAL_H

#include "algorithm/composite.h"

/// Adds added mass (always), drag and contact (as `forces` says) to the wrenches F and full maps of every node they act on.
/// Needs poses, and V, A above TD_COMPOSITE_MASS. gravity [3] as it entered A; NULL at TD_COMPOSITE_MASS.
void td_external_nodes(const td_model *m, td_workspace *ws, unsigned forces, const double *gravity,
                       td_composite_level level);
/// Kinetic energy of the added mass and potential of all contacts, J. Needs poses and V.
void td_external_energy(const td_model *m, const td_workspace *ws, double *kinetic, double *contact);

#endif
