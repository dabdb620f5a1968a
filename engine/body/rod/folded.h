// Rods bent tighter than their own sections: on the inner side of the bend the material would pass through itself.
#ifndef TENDRIL_BODY_ROD_FOLDED_H
#define TENDRIL_BODY_ROD_FOLDED_H

#include "model/model.h"
#include <stdbool.h>

enum { TD_FOLDED_TEXT = 320 };

/// Where a rod is bent most for its size.
typedef struct td_folded {
  int rod;                  ///< index into model->rod
  double s, ratio;          ///< X/L; half the section over the radius of curvature, > 1
  double curvature, radius; ///< 1/m; m, from the axis to the inner side
} td_folded;

/// The worst place at q [n], over the computational points of all rods that bend and have a size; false: there is none,
/// `worst` (may be NULL) is left alone. Costs a bound by the coordinates where all is well; O(points n), no allocation.
bool td_folded_find(const td_model *m, const double *q, td_folded *worst);
/// 'the rod "arm" is bent tighter than its own section: …', without a full stop.
void td_folded_text(const td_model *m, const td_folded *at, char text[TD_FOLDED_TEXT]);
/// Appends the warning `folded_section` where that is so at q, its pointer behind `prefix` ("/model").
void td_folded_tell(const td_model *m, const double *q, const char *prefix, td_warnings *warnings);

#endif
