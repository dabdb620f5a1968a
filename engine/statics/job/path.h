// A path of equilibria: q and the value p of one channel, followed by arc length through limit points and past
// branches.
#ifndef TENDRIL_STATICS_JOB_PATH_H
#define TENDRIL_STATICS_JOB_PATH_H

#include "statics/statics.h"

typedef struct td_path {
  td_statics *s;
  double *u;             ///< [m] inputs, u[channel] = p; the solver's s->u
  int channel, driven;   ///< driven: the prescribed coordinate that the channel moves, -1
  int d;                 ///< free coordinates
  double size;           ///< of p: what counts like one radian or strain
  double *t, *was;       ///< [d + 1] unit tangent (dq, dp) / ds at the point; that of the point before
  double *at;            ///< [n + 1] q, p of the point
  double *loads, *slope; ///< [d] -dr/dp; how q follows p where loops ask for it
  double *Bu, *A;        ///< [n][m] dr/du; [(d + 1)^2] bordered matrix or its LU
  double *x, *row;       ///< [d + 1] each
  int *pivot;
  double determinant, logarithm; ///< sign and log |det| of the bordered matrix at the point
} td_path;

TD_NODISCARD td_status td_path_init(td_path *p, td_statics *s, double *u, int channel);
void td_path_fini(td_path *p);

/// Takes the equilibrium in s->q at u[channel] for the start of a path on which p grows (direction 1) or falls (-1).
/// @param size  what change of p counts like one radian; 0: the one that turns the robot by one at the start
TD_NODISCARD td_status td_path_start(td_path *p, double direction, double size);
/// The point at arc length ds from the present one, into s->q, u[channel], and its tangent and determinant into p; the
/// present one stays in p->at, p->was. *corrections: Newton steps. TD_NOT_CONVERGED: too far; everything stays.
TD_NODISCARD td_status td_path_step(td_path *p, double ds, int *corrections);
/// The point where p has this value, between the present one and the one at ds, likewise.
TD_NODISCARD td_status td_path_meet(td_path *p, double value, double ds);
/// x . y, [d + 1] each, in the measure of arc length.
double td_path_product(const td_path *p, const double *x, const double *y);
/// out [d + 1] = (q, value) - the present point, on the free coordinates.
void td_path_difference(const td_path *p, const double *q, double value, double *out);
/// Makes the point of the last step the present one.
void td_path_advance(td_path *p);

#endif
