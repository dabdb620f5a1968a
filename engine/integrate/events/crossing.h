// Where a force sets in or ends within a step: a point meets or leaves an obstacle, a tendon driven by length goes taut
// or slack, a joint meets or leaves its stop.
#ifndef TENDRIL_INTEGRATE_EVENTS_CROSSING_H
#define TENDRIL_INTEGRATE_EVENTS_CROSSING_H

#include "integrate/events/approach.h"
#include "integrate/events/onset.h"

typedef struct td_crossing {
  double t;           ///< s; INFINITY: none that matters
  double pace;        ///< s, in which the force that sets in there turns the motion; INFINITY: a force ends
  bool any;           ///< one sets in or ends, though it may not matter
  int contact, index; ///< a point of a contact, or (-1) what td_onset looks at: a tendon, a stop; behind all: a pair
                      ///< of solids
  int side;           ///< of a stop: 1 its upper limit, -1 its lower one
  double near;        ///< m: so near to it a step has come to it
} td_crossing;

/// A step, accepted by its method, that td_approach_look and td_onset_look went through to its end and found nothing
/// in.
typedef struct td_crossing_step {
  const td_approach *approach;
  const td_onset *onset;
  td_plant *plant;
  const td_integrator *method;
  td_stepper *stepper;
  double t0, t1;
  double energy;   ///< J that motion may put into a contact
  double share;    ///< of it: what a contact, tendon or stop does in a step that matters
  double held;     ///< of it: what one of them holds that matters, at most `share`
  double *scratch; ///< [2n]
} td_crossing_step;

/// The first time in the step at which such a force sets in or ends, of those that matter at both of its ends: there
/// contacts hold, or by as much on the other side would hold, more than the share of the energy. Cost: O(points +
/// tendons + stops); where there is one, some ten forward passes.
td_crossing td_crossing_find(const td_crossing_step *step);
/// Whether the step just looked through ends as near to a crossing that was foreseen as makes no difference. O(points).
bool td_crossing_is_met(const td_crossing *crossing, const td_approach *approach, const td_onset *onset,
                        const td_plant *plant);

#endif
