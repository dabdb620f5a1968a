// Inputs and initial states that were likely meant in another unit.
#ifndef TENDRIL_INPUT_ODD_INPUTS_H
#define TENDRIL_INPUT_ODD_INPUTS_H

#include "spec/place.h"
#include "tendril/input.h"

/// Warns at /inputs/NAME: tensions that would wind a rod up or squeeze it to nothing (kN for N, kPa), angles and phases
/// beyond turns, prescribed joints beyond their limits.
void td_inputs_remark(const td_place *root, const td_model *model, const td_input_spec *inputs, size_t count,
                      double t_end);
/// Warns at /initial/q/i: coordinates that are angles, beyond turns. `q` [count] may be NULL.
void td_initial_remark(const td_place *root, const td_model *model, const double *q, size_t count);

/// kind [n], zeroed: marks coordinates that are angles of one axis (1) or of a rotation vector (2).
void td_mark_angles(const td_model *model, char *kind);

#endif
