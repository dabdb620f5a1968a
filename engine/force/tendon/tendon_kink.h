// Tendons that have no length left somewhere: their force has no direction there.
#ifndef TENDRIL_FORCE_TENDON_TENDON_KINK_H
#define TENDRIL_FORCE_TENDON_TENDON_KINK_H

#include "model/workspace.h"

enum { TD_TENDON_KINK_TEXT = 400 };

/// Where a tendon is shortest for its length at rest.
typedef struct td_tendon_kink {
  int tendon;
  int rod;     ///< index into model->rod, -1: between two points
  int stretch; ///< of these, of the guide where there is one
  double s,
      /// X/L on the rod; of its length at rest, along its direction at rest: 0 none is left, below it runs backwards
      part;
} td_tendon_kink;

/// The shortest place on rods and, with `stretches`, of straight stretches between points, at q [n]; false: there are
/// none. On rods O(points n), stretches need a forward pass and overwrite kinematics in ws. No allocation.
bool td_tendon_kink_find(const td_model *m, td_workspace *ws, const double *q, bool stretches, td_tendon_kink *least);
/// Whether that is a kink: less than 3 % of its length is left.
bool td_tendon_is_kinked(const td_tendon_kink *least);
/// 'tendon "t" has no length left on "arm" at s = 0.2: …', without a full stop.
void td_tendon_kink_text(const td_model *m, const td_tendon_kink *at, char text[TD_TENDON_KINK_TEXT]);

/// The lengths of straight stretches at q = 0, into the model. Once, when it has been built.
td_status td_tendon_rest_stretches(td_model *m);

#endif
