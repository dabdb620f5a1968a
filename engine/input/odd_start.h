// Starts that were hardly meant: robots inside of obstacles.
#ifndef TENDRIL_INPUT_ODD_START_H
#define TENDRIL_INPUT_ODD_START_H

#include "spec/place.h"
#include "tendril/run.h"

/// Warns at /model/contacts/i: points of the robot start beyond the obstacle's surface by more than their radius. q [n]
/// of the start, NULL: zero. Robots with loops or prescribed joints start elsewhere: the job judges them where they are
/// put together.
void td_start_remark(const td_place *root, const td_model *model, const double *q);
/// The same of the state that a job starts at, whatever the robot.
void td_start_remark_assembled(const td_place *root, const td_model *model, const double *q);

#endif
