// The nonlinear problem of one-step implicit methods: find q with tau - ID(q, qd, qdd) = 0 where qd and qdd follow q
// affinely, d(qd) = cv d(q), d(qdd) = ca d(q). Newmark: cv = gamma / (beta h), ca = 1 / (beta h^2); implicit Euler: 1 / h, 1 / h^2.
#ifndef TENDRIL_SOLVE_IMPLICIT_STEP_H
#define TENDRIL_SOLVE_IMPLICIT_STEP_H

#include "solve/integrator.h"

/// Fills the predictor at the end of a step of size h from y0 = (q, qd) and a0 = qdd: a triple (q, qd, qdd) that satisfies
/// the method's relations, and their slopes cv and ca.
typedef void (*td_predictor)(const td_integrator_spec *spec, int n, double h, const double *y0, const double *a0,
                             double *y, double *a, double *cv, double *ca);

/// Row functions of a method of this kind; `predictor` is all that differs.
TD_NODISCARD td_status td_implicit_create(td_plant *plant, const td_integrator_spec *spec, td_predictor predictor,
                                          const char *name, td_stepper **stepper);
void td_implicit_destroy(td_stepper *stepper);
td_status td_implicit_start(td_stepper *stepper, double t, double stop, double hint, const double *y, td_error *err);
td_status td_implicit_step(td_stepper *stepper, double *t, td_error *err);
td_status td_implicit_interpolate(td_stepper *stepper, double t, double *y);

#endif
