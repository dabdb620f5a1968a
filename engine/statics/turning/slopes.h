// Small motions about an equilibrium that turns along with prescribed joints: M x'' + C x' + K x = 0, whose
// coefficients may hang on the angle.
#ifndef TENDRIL_STATICS_TURNING_SLOPES_H
#define TENDRIL_STATICS_TURNING_SLOPES_H

#include "statics/statics.h"

/// Whether M, C and K (on the motions that loops allow) about the equilibrium in s->q are the same wherever prescribed
/// joints get to within a turn of the slowest of them at the rates s->qd, up to t_end (s, from where they are;
/// INFINITY). Where they are not, x' = A(t) x has coefficients that repeat with each turn, and neither stability nor
/// frequencies are those of the eigenvalues of A: they are those of the map over a turn (Floquet 1883; Nayfeh and Mook,
/// Nonlinear Oscillations, 1979, ch. 5). True where no rate is other than 0; false without memory. s->q, residual and
/// multipliers are left as they were; K, M, H and trial_q are not. Cost: up to nine of K, C and M, allocates 6 [d][d].
bool td_slopes_turn_along(td_statics *s, double t_end);

#endif
