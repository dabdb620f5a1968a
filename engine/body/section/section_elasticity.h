// Nonlinear elasticity and damping of reduced bodies: strain energy of the particles of sections that deform.
#ifndef TENDRIL_BODY_SECTION_SECTION_ELASTICITY_H
#define TENDRIL_BODY_SECTION_SECTION_ELASTICITY_H

#include "model/workspace.h"

/// tau [n] -= d(energy)/dq (elastic not NULL) and the Kelvin-Voigt forces at (q, qd) (damping and qd not NULL).
void td_section_forces(const td_model *m, const double *q, const double *qd, double *elastic, double *damping);
/// ws->dtau_dq, ws->dtau_dqd -= their derivatives; qd NULL: zero.
void td_section_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *qd);
/// Strain energy of all such bodies, J.
double td_section_energy(const td_model *m, const double *q);

#endif
