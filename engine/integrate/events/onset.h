// Forces that set in by configuration: tendons driven by length, stops of joints, a water's surface, currents by
// height. No step passes them unseen.
#ifndef TENDRIL_INTEGRATE_EVENTS_ONSET_H
#define TENDRIL_INTEGRATE_EVENTS_ONSET_H

#include "integrate/integrator.h"

/// What such a force depends on, at one state: a tendon's length, a joint's coordinate, a height: m, m/s (rad, rad/s).
typedef struct td_onset_sight {
  double *value, *rate; ///< [count]
  double *input;        ///< [tendon_count] m, pulled in
  double spin;          ///< rad/s, of the joint that turns fastest
} td_onset_sight;

typedef struct td_onset {
  int count, tendon_count, stop_count; ///< tendons, stops (force/stop.h), heights; 0: nothing below is used
  int *tendon;                         ///< [tendon_count] index into model->law
  int *node;                           ///< [count - tendon_count - stop_count] of each height
  double (*point)[3];                  ///< in the node's frame
  double scale;                        ///< m/s, the largest entry of the table of currents
  td_onset_sight start, end, middle;
  double *memory;
} td_onset;

/// True when such forces exist.
bool td_onset_exists(const td_model *model);
TD_NODISCARD td_status td_onset_init(td_onset *o, const td_model *model);
void td_onset_fini(td_onset *o);

/// Looks at the state y [2n] at t: the start of the next step.
void td_onset_start(td_onset *o, td_plant *plant, double t, const double *y);
/// s, the longest step from there: no joint turns by more than a radian. INFINITY without such forces, and where there
/// are but stops.
double td_onset_limit(const td_onset *o);
/// Takes note of the end y [2n] of a step, whose poses, V and inputs are at hand, as td_plant_energy leaves them.
void td_onset_arrive(td_onset *o, const td_plant *plant, const double *y);
/// Looks into the step from t0 to t1, which td_onset_arrive knows, for forces that neither of its ends does. `scratch`
/// [2n]. Cost: O(tendons + stops + bodies in water), a forward pass where a force is near.
/// @return a time at which it acts, INFINITY: none. The end is the start of the next step then.
double td_onset_look(td_onset *o, td_plant *plant, const td_integrator_spec *spec, const td_integrator *method,
                     td_stepper *stepper, double t0, double t1, double *scratch);
/// After a look that found one: goes on with the end of the step as the start of the next all the same.
void td_onset_skip(td_onset *o);

#endif
