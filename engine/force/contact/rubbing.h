// Friction of contacts, as those see it who judge runs and equilibria.
#ifndef TENDRIL_FORCE_CONTACT_RUBBING_H
#define TENDRIL_FORCE_CONTACT_RUBBING_H

#include "element/rubbing.h"
#include "model/workspace.h"

/// The law at point i of a contact: only rods have a tangent along which friction is another.
td_rubbing td_contact_law(const td_contact *contact, int i);
/// Point i of a contact and its place about the origin; false: it does not touch. Needs poses and V. O(1).
bool td_contact_rubbed(const td_model *m, const td_workspace *ws, int contact, int i, double place[3],
                       td_rubbed *rubbed);
/// The first contact of a model whose friction fades at rest, as it does without `stick`; -1: none.
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
