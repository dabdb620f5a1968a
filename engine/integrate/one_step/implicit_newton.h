// State of the one-step implicit methods and the nonlinear problem of one step (implicit_newton.c); stepping is
// implicit_step.c.
#ifndef TENDRIL_INTEGRATE_ONE_STEP_IMPLICIT_NEWTON_H
#define TENDRIL_INTEGRATE_ONE_STEP_IMPLICIT_NEWTON_H

#include "integrate/events/strike.h"
#include "integrate/grid.h"
#include "integrate/one_step/implicit_step.h"
#include "integrate/one_step/step_control.h"
#include "integrate/saddle.h"

enum { TD_MOST_SECANTS = 12 };

typedef struct td_implicit {
  td_plant *plant;
  const td_integrator_spec *spec;
  const td_integrator *method;
  td_predictor predictor;
  bool index3;
  double ringing;                                          ///< spectral radius at infinity: 1 damps nothing
  double tolerance;                                        ///< on corrections of q
  double *K, *C, *M;                                       ///< [n][n]
  double *A, *G, *Cq, *Cv;                                 ///< [r][n]; G for index 3, Cq and Cv for index 1
  td_saddle saddle;                                        ///< scaled by 1 / slopes.a
  td_point now, before;                                    ///< end and start of the last step
  td_point trial;                                          ///< of Newton; where `held`, the end as it left it
  enum { TD_NOT_HELD, TD_HELD_RATES, TD_HELD_STATE } held; ///< the last step's end was put on the constraint
  double *dy0, *dy1;                                       ///< [2n] rates for interpolation
  double *shifted;                                         ///< [n] algorithmic acceleration for the step size at hand
  double *r, *e;                                           ///< [n], [r] residuals of the last correction
  double *dq, *bar;                                        ///< [free] corrections
  double *dl, *lbar, *idle;                                ///< [r] of the multipliers; what of them exerts no force
  bool secant;     ///< Newton's matrix follows its corrections (Broyden), those of trees: nearer, in fewer evaluations
  double *secants; ///< [TD_MOST_SECANTS][free] corrections of the solution at work
  bool matrices, refresh;     ///< they exist; should be renewed at the next step
  td_slopes slopes, factored; ///< of the step being solved, of the factors at hand
  double b_h, b_before;  ///< step size that the algorithmic acceleration belongs to, 0 at a fresh start; of `before`
  double t, t0, stop, h; ///< h: of the next adaptive step
  td_grid grid;          ///< fixed steps
  td_step_control control;
  td_sieve sieve;
  td_strike strike; ///< fixed steps: contacts that they meet
  double first_h;   ///< adaptive: size of the last step that was not cut short, for the next segment
} td_implicit;

/// Copies y, a, b, l.
void td_point_copy(const td_implicit *s, const td_point *from, td_point *to);
/// First guess of a step of size h that ends at t, prescribed coordinates put where they belong: s->now from s->before.
void td_implicit_predict(td_implicit *s, double t, double h);
/// What Newton may leave in q: small steps need more digits, because qd is slopes.v times as wrong.
double td_implicit_tolerance(const td_implicit *s);
/// Solves the step of size h that ends at t: s->now from s->before.
TD_NODISCARD td_status td_implicit_solve(td_implicit *s, double t, double h);
/// The same by full Newton from where the rates at the start lead, through steps 2^halvings to 2 times shorter: for
/// steps that begin far from balance. Overwrites s->dy1.
TD_NODISCARD td_status td_implicit_solve_gently(td_implicit *s, double t, double h, int halvings);

#endif
