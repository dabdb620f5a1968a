// How well a step resolves the contacts and stops of joints that it meets.
#ifndef TENDRIL_INTEGRATE_EVENTS_STRIKE_H
#define TENDRIL_INTEGRATE_EVENTS_STRIKE_H

#include "plant/plant.h"

typedef struct td_strike {
  double energy[2];  ///< of the contacts and stops at the start and at the end of a step, J
  double kinetic[2]; ///< of the robot there, J
  double *slope[2];  ///< [n] their derivatives by q
} td_strike;

/// True when the model has contacts or stops of joints.
bool td_strike_exists(const td_model *model);
/// The state y [2n] at which the next step starts.
void td_strike_start(td_strike *s, td_plant *plant, const double *y);
/// The step from y0 to y1 [2n] is accepted.
void td_strike_accept(td_strike *s);
/// What the trapezoidal rule of the contact forces makes of the step, less the change of the contacts' energy, in units
/// of what is allowed (1): a thousandth of the energy at play. 0 for models without contacts and stops, and while
/// nothing touches. Cost: an energy and, in contact, a sweep for forces; no allocation.
double td_strike_error(td_strike *s, td_plant *plant, const double *y0, const double *y1);

#endif
