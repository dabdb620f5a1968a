// Kinks that equal steps go across: where a force sets in or ends with a slope that it did not have just before.
#ifndef TENDRIL_INTEGRATE_EVENTS_ACROSS_H
#define TENDRIL_INTEGRATE_EVENTS_ACROSS_H

#include "integrate/events/approach.h"
#include "integrate/events/onset.h"

/// A step that both have looked through to its end.
typedef struct td_across_step {
  const td_approach *approach;
  const td_onset *onset;
  const td_model *model;
  double h, t; ///< s: its length, its end
} td_across_step;

/// Warns (`kink_crossed`) at each stop, obstacle of an exponent below 2, and tendon driven by length on whose two sides
/// the step begins and ends. For runs that are differentiated, whose steps are of a given length. O(points + stops +
/// tendons), no allocation.
void td_across_tell(const td_across_step *step, td_warnings *warnings);

#endif
