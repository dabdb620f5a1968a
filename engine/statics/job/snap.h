// Snaps in lists of equilibria: where the next problem's solution lies on another branch than the one before.
#ifndef TENDRIL_STATICS_JOB_SNAP_H
#define TENDRIL_STATICS_JOB_SNAP_H

#include "statics/statics.h"

typedef struct td_snap {
  double *from_u, *to_u, *u; ///< [m] ends of the interval at work, its middle
  double *from_q, *to_q;     ///< [n]
  double *weight;            ///< [d] metric of distances, at the first of the two equilibria
  double *lambda;            ///< [rows + prescribed] the solver's, kept over the search
} td_snap;

TD_NODISCARD td_status td_snap_init(td_snap *w, const td_statics *s);
void td_snap_fini(td_snap *w);

/// How far the robot jumps between the equilibrium w->from_q for w->from_u and the one that was found from there for
/// w->to_u, now in s->q: the distance of the two branches in the metric of steps (rad, strains), 0 where the one leads
/// to the other. Most problems cost a few operations, suspicious ones (beyond three times the tangent's prediction) up
/// to eight solutions. Overwrites the solver but for s->lambda; no allocation.
double td_snap_between(td_snap *w, td_statics *s);

#endif
