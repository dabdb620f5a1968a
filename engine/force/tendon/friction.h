// Friction of tendons against their paths (capstan, Euler-Eytelwein), from the end that is pulled on.
//
// A path is a chain of pieces: Gauss points of rods (with the directions at base and tip), straight stretches,
// stretches of rigid
// links. Piece i has direction n_i and length l_i; between it and the one before the path turns by the angle
//   alpha_i = angle(n_(i-1), n_i),      v_i = sum of l_j' over j >= i   (what passes there, away from the pulled end),
//   T_i = T_0 exp(psi_i),   psi_i = sgn(T_0) mu sum_(j <= i) alpha_j tanh(v_j / slip speed),   tau = -sum T_i dl_i/dq.
// As points get dense sum alpha_j becomes the integral of the path's curvature: for a plane curve bent one way it is
// exact at
// any number of points, otherwise of second order in their distance. Pulled in (v < 0) the tension falls from the
// pulled end on by exp(-mu theta), paid out it rises. What it loses, sum v_i (T_i - T_(i-1)), is never negative. At
// rest nothing.
#ifndef TENDRIL_FORCE_TENDON_FRICTION_H
#define TENDRIL_FORCE_TENDON_FRICTION_H

#include "model/workspace.h"

/// damping [n] += what friction takes from the tensions of ws->tension.total along their paths.
void td_add_friction(const td_model *m, td_workspace *ws, const double *q, const double *qd, double *damping);
/// How much of the friction of all tendons under tension acts at (q, qd), tensions being those of ws->tension.total:
/// sum mu T alpha_j |tanh(v_j / slip speed)| / sum mu T alpha_j, 1 where none lies along a path that turns. *tendon:
/// which has the smallest share, -1: there is none.
double td_friction_share(const td_model *m, td_workspace *ws, const double *q, const double *qd, int *tendon);
/// d(l')/dq of the stretches of tendons with friction. Uses ws->tension.elastic, ws->dtau_dq and the matrices of id.
void td_friction_drifts(const td_model *m, td_workspace *ws, const double *q, const double *qd);
/// Factors T_i / T_0 of all pieces and stretches.
void td_friction_factors(const td_model *m, td_workspace *ws, const double *q, const double *qd);
/// ws->dtau_dq, ws->dtau_dqd += what comes from factors that change, tensions being those of ws->tension.total;
/// weighted [n] =
/// sum of factor dl_i/dq of the tendon.
void td_add_friction_slopes(const td_model *m, td_workspace *ws, int tendon, const double *q, const double *qd,
                            double *weighted);
/// weighted [n] alone.
void td_friction_gradient(const td_model *m, td_workspace *ws, int tendon, const double *q, const double *qd,
                          double *weighted);

#endif
