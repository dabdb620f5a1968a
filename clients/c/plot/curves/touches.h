// Panels of what touches: normal force and depth of every touch over time, of fields contacts and contact_force.
#ifndef TENDRIL_CLIENT_TOUCHES_H
#define TENDRIL_CLIENT_TOUCHES_H

#include "plot/curves/maker.h"

/// Normal forces and depths of those that touch at all; where `contacts` was not recorded, sizes of contact_force.
/// false: the result has neither.
bool touches_make(maker *m);

#endif
