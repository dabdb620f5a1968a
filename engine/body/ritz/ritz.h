// Ritz bodies inside the passes over the tree: particles on the start node, a distal frame that three of them span.
#ifndef TENDRIL_BODY_RITZ_RITZ_H
#define TENDRIL_BODY_RITZ_RITZ_H

#include "pass/composite.h"

/// Pose, twist and acceleration of the distal frame, as far as `level` asks.
void td_ritz_kinematics(const td_model *m, td_workspace *ws, const td_element *e, const double *q, const double *qd,
                        const double *qdd, td_level level);
/// Particles of all Ritz bodies: F, M, B into the composites of their nodes, the rest into their states.
void td_ritz_nodes(const td_model *m, td_workspace *ws, const double *gravity, td_composite_level level);
/// out [e->n] = pi + s.F beyond.
void td_ritz_project(const td_model *m, const td_workspace *ws, const td_element *e, double *out);
/// Own block, slots and ws->own.
void td_ritz_columns(const td_model *m, td_workspace *ws, const td_element *e, int mass_only);
/// Kinetic energy of the motion within the bodies, as td_slice_kinetic.
double td_ritz_kinetic(const td_model *m, const td_workspace *ws);

/// Compressible neo-Hookean and Kelvin-Voigt forces: elastic, damping [n] -= (either may be NULL; damping needs qd).
void td_ritz_forces(const td_model *m, const double *q, const double *qd, double *elastic, double *damping);
/// ws->dtau_dq, ws->dtau_dqd -= their derivatives.
void td_ritz_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *qd);
double td_ritz_energy(const td_model *m, const double *q);

#endif
