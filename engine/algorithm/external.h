// What the surroundings do to the bodies: added mass, drag and lift of a fluid, contact. General 6x6 maps per node.
#ifndef TENDRIL_ALGORITHM_EXTERNAL_H
#define TENDRIL_ALGORITHM_EXTERNAL_H

#include "pass/composite.h"

/// Adds added mass (always), drag and contact (as `forces` says) to the wrenches F and full maps of every node they act on.
/// Needs poses, and V, A above TD_COMPOSITE_MASS. gravity [3] as it entered A; NULL at TD_COMPOSITE_MASS. u: the flow's channels,
/// NULL: zero.
void td_external_nodes(const td_model *m, td_workspace *ws, const double *u, unsigned forces, const double *gravity,
                       td_composite_level level);
/// F += dF/du of a channel of the flow; false when it is none of them. Needs poses and V.
bool td_external_flow_slope(const td_model *m, td_workspace *ws, const double *u, int channel);
/// Kinetic energy of the added mass and potential of all contacts, J. Needs poses and V.
void td_external_energy(const td_model *m, const td_workspace *ws, double *kinetic, double *contact);

/// A point of the robot before an obstacle.
typedef struct td_sighting {
  double centre[3], velocity[3]; ///< m, m/s, world axes
  double depth, energy;          ///< m, negative: apart; J
} td_sighting;
/// Point i of a contact. Needs poses and V. O(1).
void td_contact_sight(const td_model *m, const td_workspace *ws, int contact, int i, td_sighting *sighting);

#endif
