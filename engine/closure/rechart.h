// Rotation vectors of joints with several coordinates are singular at 2 pi: beyond 1.5 pi they are replaced by the
// vector of the same rotation below pi.
#ifndef TENDRIL_CLOSURE_RECHART_H
#define TENDRIL_CLOSURE_RECHART_H

#include "model/model.h"
#include "tendril/run.h"

/// Whether the model has joints that may need it.
bool td_rechart_needed(const td_model *model);
/// Rewrites (q, qd) in y [2 n] where a joint has turned beyond 1.5 pi, keeping poses and velocities. Returns how many
/// were.
int td_rechart(const td_model *model, double *y);
/// The same with derivatives of y: T [2n][ld], `columns` of them. column [2n]: scratch.
int td_rechart_columns(const td_model *model, double *y, int columns, int ld, double *T, double *column);
/// Whether the joint has a rotation vector that is solved for and never rewritten: a spring, an actuator or a signal
/// acts along it.
bool td_keeps_turns(const td_model *model, const td_element *element);
/// The least distance, rad, of such rotation vectors at q [n] from whole turns, where they are singular, and the joint;
/// INFINITY: there is none that has turned by more than half of one.
double td_from_whole_turns(const td_model *model, const double *q, const td_element **joint);
/// The pose of a joint with several coordinates at q [n of the model].
void td_rechart_pose(const td_element *element, const double *q, td_se3 *g);

#endif
