// Ritz bodies: particles on the start node, a distal frame that three of them span. As in td_body_row.
#ifndef TENDRIL_BODY_RITZ_RITZ_H
#define TENDRIL_BODY_RITZ_RITZ_H

#include "body/body.h"

/// Compressible neo-Hookean and Kelvin-Voigt: ritz_elasticity.c.
void td_ritz_forces(const td_model *m, const double *q, const double *qd, double *elastic, double *damping);
void td_ritz_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *qd);
double td_ritz_energy(const td_model *m, const double *q);
/// ritz_shape.c
int td_ritz_skin(const td_model *m, const td_element *e, int *rings);
void td_ritz_surface(const td_model *m, const td_workspace *ws, const td_element *e, const double *q, double *at);
bool td_ritz_valid(const td_model *m, const double *q, double margin, td_shape_fault *fault);

#endif
