// The nonlinear problem of one-step implicit methods: find q with tau - ID(q, qd, qdd) = 0 where qd and qdd follow q
// affinely, d(qd) = v d(q), d(qdd) = a d(q). Newmark: v = gamma / (beta h), a = 1 / (beta h^2); implicit Euler: 1 / h,
// 1 / h^2.
#ifndef TENDRIL_INTEGRATE_ONE_STEP_IMPLICIT_STEP_H
#define TENDRIL_INTEGRATE_ONE_STEP_IMPLICIT_STEP_H

#include "integrate/integrator.h"

/// A state of these methods: q, the accelerations that satisfy the equation of motion, the method's own ("algorithmic")
/// accelerations, which differ from them in hht and generalized_alpha, and the multipliers of loops.
typedef struct td_point {
  double *y, *a, *b, *l; ///< (q, qd) [2n], qdd [n], algorithmic acceleration [n], multipliers [r]
} td_point;

/// How the rest of a point follows q.
typedef struct td_slopes {
  double v, a, b; ///< of qd, qdd and the algorithmic acceleration
} td_slopes;

/// Fills `to`, a first guess at the end of a step of size h that satisfies the method's relations, and their slopes.
typedef td_slopes (*td_predictor)(const td_integrator *method, const td_integrator_spec *spec, int n, double h,
                                  const td_point *from, td_point *to);

/// td_integrator.create with the method's own predictor, which is all that differs between methods of this kind.
TD_NODISCARD td_status td_implicit_create(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                                          td_predictor predictor, td_stepper **stepper);
void td_implicit_destroy(td_stepper *stepper);
td_status td_implicit_start(td_stepper *stepper, double t, double stop, double hint, const double *y,
                            const double *carry, td_error *err);
td_status td_implicit_step(td_stepper *stepper, double *t, td_error *err);
/// td_integrator.back: of adaptive steps.
bool td_implicit_back(td_stepper *stepper, double h);
td_status td_implicit_interpolate(td_stepper *stepper, double t, double *y);
double td_implicit_hint(const td_stepper *stepper);
/// Accelerations and multipliers at the end of the last step, for a next segment that goes on smoothly: [2n + r].
size_t td_implicit_carry_size(const td_plant *plant);
void td_implicit_carry(const td_stepper *stepper, double *carry);

/// The part of a row that all methods of this kind share.
#define TD_IMPLICIT_ROW                                                                                                \
  .map = TD_MAP_IMPLICIT, .default_h = 0.002, .secant = true, .destroy = td_implicit_destroy,                          \
  .start = td_implicit_start, .step = td_implicit_step, .interpolate = td_implicit_interpolate,                        \
  .hint = td_implicit_hint, .carry_size = td_implicit_carry_size, .carry = td_implicit_carry

// The family of Newmark, Hilber-Hughes-Taylor and Chung-Hulbert in the form of Arnold and Bruels (2007):
//   q1 = q0 + h v0 + h^2 ((1/2 - beta) b0 + beta b1),   v1 = v0 + h ((1 - gamma) b0 + gamma b1),
//   (1 - alpha_m) b1 + alpha_m b0 = (1 - alpha_f) a1 + alpha_f a0,      a: qdd of the equation of motion.

/// td_integrator.create of the family: the accelerations stay at first, a1 = a0.
td_status td_alpha_create(const td_integrator *method, td_plant *plant, const td_integrator_spec *spec,
                          td_stepper **stepper);
/// td_integrator.accuracy of the family.
void td_alpha_accuracy(const td_integrator *method, const td_integrator_spec *spec, int *order, double *constant);

/// The part of a row that the family shares: its methods differ in name, coefficients and the options of those.
#define TD_ALPHA_ROW                                                                                                   \
  TD_IMPLICIT_ROW, .family = true, .kinked = true, .back = td_implicit_back, .create = td_alpha_create,                \
                   .accuracy = td_alpha_accuracy

#endif
