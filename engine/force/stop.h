// Soft stops of joints: limits of a coordinate that give way a little, and push back. With p the depth beyond a limit
//
//   upper: p = q - upper,  s = 1;   lower: p = lower - q,  s = -1;   p > 0, else nothing
//   tau = -s k p - d p qd,          U = k p^2 / 2
//
// The force sets in at 0, its slope jumps: U is once differentiable, its first derivative continuous. The damper grows
// with the depth, too (Hunt, Crossley 1975, J. Appl. Mech. 42), so that what arrives fast meets no jump either; it
// takes d p qd^2 at any depth. It depends on one coordinate each, and on no pose.
#ifndef TENDRIL_FORCE_STOP_H
#define TENDRIL_FORCE_STOP_H

#include "model/workspace.h"

typedef struct td_stop {
  int coordinate, link;
  double lower, upper;       ///< rad or m; infinite: none on that side
  double stiffness, damping; ///< N m/rad, N m s/rad^2 or N/m, N s/m^2
} td_stop;

typedef struct td_stops {
  int count;
  td_stop stop[]; ///< by rising coordinate
} td_stops;

/// Those of the model, NULL: none.
const td_stops *td_stops_of(const td_model *m);
/// How many there are.
int td_stops_count(const td_model *m);
/// Whether one of these coordinates has a stop.
bool td_stops_any(const td_model *m, int first, int count);
/// How far q is beyond a limit, rad or m, >= 0.
double td_stop_depth(const td_stop *stop, double q);
/// How far q is beyond the nearer limit, < 0 between them; *side 1 of the upper one, -1 of the lower one.
double td_stop_signed(const td_stop *stop, double q, int *side);
/// What all of them store, J, and [n] its gradient, added to `slope`.
double td_stops_energy(const td_model *m, const double *q, double *slope);

#endif
