// Obstacles that give way by more than the rod that presses into them is thick; bodies that have come as far into each
// other that the middle of a ball lies in a core (element/core.h).
#ifndef TENDRIL_FORCE_CONTACT_DEEP_H
#define TENDRIL_FORCE_CONTACT_DEEP_H

#include "model/workspace.h"

enum { TD_CONTACT_DEEP_TEXT = 400, TD_CONTACT_DEEP_POINTER = 40 };

/// Where a rod has sunk in deepest, by its own radius there; or (point -1) a pair of solids.
typedef struct td_contact_deep {
  int contact, point; ///< indices into model->contact, its point
  double s, depth;    ///< X/L; m
  int pair;           ///< index into model->solid_pair
  double ratio;       ///< of the depth to the least that is deep; 0: nowhere yet
} td_contact_deep;

/// J, the least that contacts hold where td_contact_deep_find finds anything: what is cheap to know rules it out.
double td_contact_deep_energy(const td_model *m);
/// The place at q [n] where a ball lies in a core with its middle, or a point of a rod has sunk in by more than its radius and a hundredth of the rod's length, by
/// most of these, where that is more than worst->ratio. false: nowhere, `worst` is left alone. Overwrites
/// kinematics in ws. A forward pass where there are contacts; no allocation.
bool td_contact_deep_find(const td_model *m, td_workspace *ws, const double *q, td_contact_deep *worst);
/// '"arm" has sunk 0.02 m deep into the obstacle "ball" …', without a full stop.
void td_contact_deep_text(const td_model *m, const td_contact_deep *at, char text[TD_CONTACT_DEEP_TEXT]);
/// "/model/contacts/0/stiffness" and such.
void td_contact_deep_pointer(const td_contact_deep *at, char text[TD_CONTACT_DEEP_POINTER]);

#endif
