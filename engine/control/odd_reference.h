// References that were hardly meant: in another unit than what they are for, or out of reach.
#ifndef TENDRIL_CONTROL_ODD_REFERENCE_H
#define TENDRIL_CONTROL_ODD_REFERENCE_H

#include "spec/place.h"
#include "tendril/run.h"

/// Warns at /controller/reference/value: displacements or millimetres where a tendon's length is expected, degrees,
/// tips out of reach (at /k: beyond the length of their chain at rest).
void td_references_remark(const td_place *root, const td_model *model, const td_dynamics_spec *spec);

#endif
