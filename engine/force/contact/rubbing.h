// Friction of contacts, as those see it who judge runs and equilibria.
#ifndef TENDRIL_FORCE_CONTACT_RUBBING_H
#define TENDRIL_FORCE_CONTACT_RUBBING_H

#include "model/workspace.h"

/// The first contact of a model that has friction, -1: none.
int td_contact_with_friction(const td_model *m);
/// How what has friction and touches slides, each touch by the friction mu f that it could have.
typedef struct td_contact_slip {
  double share, speed; ///< of that friction which acts; m/s, mean speed
  int contact;         ///< where it is strongest, -1: nothing with friction touches
  double radius;       ///< m, of what touches there
} td_contact_slip;
/// Needs poses and V. O(points and touches), no allocation.
void td_contact_slip_at(const td_model *m, td_workspace *ws, td_contact_slip *out);

#endif
