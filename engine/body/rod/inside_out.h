// Rods that are turned inside out: a state that the equations answer and no rod can take.
#ifndef TENDRIL_BODY_ROD_INSIDE_OUT_H
#define TENDRIL_BODY_ROD_INSIDE_OUT_H

#include "model/model.h"
#include <stdbool.h>

enum { TD_INSIDE_OUT_TEXT = 320 };

/// Where a rod's tangent points against its cross section's normal by most.
typedef struct td_inside_out {
  int rod;        ///< index into model->rod
  double s, axis; ///< X/L; the axial component of xi there: 1 at rest, <= 0
} td_inside_out;

/// The worst place at q [n], over base, tip, element boundaries and Gauss points of all rods whose stretch is a
/// coordinate; false: there is none, `worst` (may be NULL) is left alone. Strains count `margin` times their distance
/// from rest (1: as they are). Costs a bound by the coordinates where all is well; O(points), no allocation.
bool td_inside_out_find(const td_model *m, const double *q, double margin, td_inside_out *worst);
/// 'the rod "arm" is turned inside out at X = 0.5 m: …', with what pushes it, without a full stop.
void td_inside_out_text(const td_model *m, const td_inside_out *at, char text[TD_INSIDE_OUT_TEXT]);
/// Appends the warning `inside_out` where that is so at q, its pointer behind `prefix` ("/model").
void td_inside_out_tell(const td_model *m, const double *q, const char *prefix, td_warnings *warnings);

#endif
