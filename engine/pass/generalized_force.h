// Generalized forces tau, their parts and padded derivatives; forces on bodies kind by kind.
#ifndef TENDRIL_PASS_GENERALIZED_FORCE_H
#define TENDRIL_PASS_GENERALIZED_FORCE_H

#include "force/force.h"
#include "model/workspace.h"

/// id [n] of forces on bodies of some kinds alone (of TD_FORCE_…), without what of them is inertia, at (q, qd, u).
/// Returns W of their power that become heat: that of resistance, by the velocity relative to the water. (Of water:
/// drag, lift, viscous resistance, and what a flow makes of the added mass; kinetic energy is that of qd^T M qd / 2.)
double td_force_alone(const td_model *m, td_workspace *ws, unsigned kinds, const double *q, const double *qd,
                      const double *u, double *id);
/// Whether the model has forces on bodies of these kinds.
bool td_force_acts(const td_model *m, unsigned kinds);
/// elastic [n] -= K q, joint springs, strain energies, tendons driven by length and springs between points: minus the
/// gradient of td_energy.elastic. damping [n] -= D qd, material damping, friction of tendons (qd NULL: zero). They may
/// be one array. May overwrite poses and composites in ws.
void td_add_passive(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                    double *elastic, double *damping);
/// All three apart and their sum tau [n]; qd, u NULL mean zero.
void td_force_parts(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                    double *tau, double *actuation, double *elastic, double *damping);
/// ws->dtau_dq, ws->dtau_dqd [n][ld]. May overwrite everything else in ws except matrices of id.
void td_force_derivatives_padded(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                 const double *u);

#endif
