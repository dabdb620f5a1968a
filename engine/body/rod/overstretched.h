// Rods stretched beyond what any rod stands: equations of linear elasticity answer there, too.
#ifndef TENDRIL_BODY_ROD_OVERSTRETCHED_H
#define TENDRIL_BODY_ROD_OVERSTRETCHED_H

#include "model/model.h"
#include <stdbool.h>

enum { TD_OVERSTRETCHED_TEXT = 320 };

/// Where a rod is stretched most.
typedef struct td_overstretched {
  int rod;         ///< index into model->rod
  double s, ratio; ///< X/L; the axial component of xi over that at rest, > 3
} td_overstretched;

/// The worst place at q [n], over the computational points of all rods whose stretch is a coordinate; false: none is
/// stretched to more than three times its length, `worst` (may be NULL) is left alone. Costs a bound by the coordinates
/// where all is well; O(points), no allocation.
bool td_overstretched_find(const td_model *m, const double *q, td_overstretched *worst);
/// 'the rod "arm" is stretched to 50 times its length: …', with what pulls it, without a full stop.
void td_overstretched_text(const td_model *m, const td_overstretched *at, char text[TD_OVERSTRETCHED_TEXT]);
/// Appends the warning `overstretched` where that is so at q, its pointer behind `prefix` ("/model").
void td_overstretched_tell(const td_model *m, const double *q, const char *prefix, td_warnings *warnings);

#endif
