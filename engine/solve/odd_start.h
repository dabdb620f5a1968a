// Starts that were hardly meant: robots inside of obstacles, references in another unit than what they are for.
#ifndef TENDRIL_SOLVE_ODD_START_H
#define TENDRIL_SOLVE_ODD_START_H

#include "spec/place.h"
#include "tendril/solve.h"

/// Warns at /model/contacts/i: points of the robot start beyond the obstacle's surface by more than their radius. q [n] of the start,
/// NULL: zero. Robots with loops or prescribed joints start elsewhere: the job judges them where they are put together.
void td_start_remark(const td_place *root, const td_model *model, const double *q);
/// The same of the state that a job starts at, whatever the robot.
void td_start_remark_assembled(const td_place *root, const td_model *model, const double *q);
/// Warns at /controller/reference/value: displacements or millimetres where a tendon's length is expected, degrees, tips out of reach (at /k: beyond the length of their chain at rest).
void td_references_remark(const td_place *root, const td_model *model, const td_dynamics_spec *spec);

#endif
