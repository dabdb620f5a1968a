// Initial states that a document gives and its loops do not allow.
#ifndef TENDRIL_INPUT_MOVED_H
#define TENDRIL_INPUT_MOVED_H

#include "tendril/model.h"
#include "tendril/warnings.h"

/// Warns `initial_moved` at /initial/q when the nearest closed state `to` [n] is more than rounding away from the state
/// `from` [n] that was given: a coordinate by more than 1e-3 of itself, of angles at least 1e-3 rad. Names the one that
/// moved most. Allocates.
void td_moved_tell(const td_model *model, const double *from, const double *to, td_warnings *warnings);

/// Warns `initial_moved` at /initial/qd when the velocities `to` [n] that the loops allow next to `from` [n], which
/// were given, differ: one by more than a hundredth of the largest of its kind (angles, or lengths and strains).
void td_moved_tell_rates(const td_model *model, const double *from, const double *to, td_warnings *warnings);

/// The same of the first guess of equilibria, which may be rough: a coordinate by more than a tenth of itself, of
/// angles at least 0.1 rad.
void td_moved_tell_guess(const td_model *model, const double *from, const double *to, td_warnings *warnings);

/// Of a start that was not given: warns `initial_moved` at /model/loops/i when the loop's frames are apart at q = 0 and
/// closing it, at `to` [n], stretched or squeezed a rod by more than a fifth, or turned frames that meet there by one
/// right angle or two: a frame was forgotten. Chains, cables and arches that close from q = 0 by bending and turning
/// say nothing. Allocates.
void td_moved_tell_open(const td_model *model, const double *to, td_warnings *warnings);

#endif
