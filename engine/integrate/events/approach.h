// No step passes an obstacle unseen: how long a step may be before a contact, and whether one strode through one.
#ifndef TENDRIL_INTEGRATE_EVENTS_APPROACH_H
#define TENDRIL_INTEGRATE_EVENTS_APPROACH_H

#include "force/contact/obstacle/obstacle.h"
#include "integrate/integrator.h"

typedef struct td_approach {
  int count;                               ///< pairs of a point and an obstacle; 0: no contacts, nothing below is used
  td_sighting *start, *end, *between;      ///< [count] at both ends of a step, and inside it
  double *speed, *matters, *width, *ahead; ///< [count] of a step: bounds of m/s; m, depth from which a contact counts;
      ///< m, of the shortest way through it at that depth; m, to it from the step's end
} td_approach;

TD_NODISCARD td_status td_approach_init(td_approach *a, const td_model *model);
void td_approach_fini(td_approach *a);

/// Looks at the contacts at the state y [2n]: the start of the next step.
void td_approach_start(td_approach *a, const td_plant *plant, const double *y);
/// Whether a point may meet or leave a contact in a step of h from there, by its speed at the start. O(points).
bool td_approach_is_near(const td_approach *a, double h);
/// Looks at the contacts where the poses and V at hand say that the next step will end. td_approach_skip once more
/// takes that back.
void td_approach_expect(td_approach *a, const td_plant *plant);
/// The longest step from there that still ends inside what lies straight ahead of the points, and with prescribed
/// coordinates, whose errors nothing controls, of a thirtieth of what they touch; INFINITY: nothing does.
/// `energy` > 0: J that motion may put into a contact.
double td_approach_limit(const td_approach *a, const td_plant *plant, double energy);
/// The longest step from there whose derivatives bear that the slope of a force that grows like depth^p, 1 < p < 2, has
/// none at the surface; INFINITY: no point is in such a contact. `energy` > 0: as above; `part`: of the depth that it
/// goes to, nearer than which to the surface nothing is graded.
double td_approach_grade(const td_approach *a, const td_model *model, double energy, double part);
/// Looks into the step from t0 to t1 for contacts deeper than both of its ends know. `scratch` [2n]. Needs poses and V
/// of its end in the workspace, as td_plant_energy leaves them, and td_approach_start at t0 or a look that ended there.
/// Cost: O(points), forward passes only near an obstacle.
/// @return a time inside such a contact, INFINITY: none was passed. The end is the start of the next step then.
double td_approach_look(td_approach *a, const td_plant *plant, const td_integrator *method, td_stepper *stepper,
                        double t0, double t1, double energy, double *scratch);
/// After a look that found one: goes on with y as the start of the next step all the same.
void td_approach_skip(td_approach *a);

#endif
