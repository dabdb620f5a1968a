// The statics solver behind td_statics_solve: one object, reused along a list.
#ifndef TENDRIL_SOLVE_STATICS_H
#define TENDRIL_SOLVE_STATICS_H

#include "solve/projection.h"

typedef struct td_statics {
  const td_model *model;
  td_workspace *ws;
  td_statics_options options;
  int n, m, d,
      iterations; ///< iterations: Newton steps in this problem; d: coordinates that are not prescribed, the unknowns
  int *free;      ///< [d] their indices
  td_projection loops;
  const double *u;   ///< inputs of the problem at work
  double *K, *M, *H; ///< [d][d] stiffness at q, metric, shifted stiffness or its LU
  double *full;      ///< [n][n] on all coordinates
  double *U;         ///< [d][ld] Cholesky factor of its symmetric part, ld d padded to 8
  int ld;
  double *q, *trial_q, *best_q, *path_q; ///< [n] iterate and others
  double *force, *trial_force;           ///< [n] tau - ID at q, at the trial (loops not counted)
  double *r, *step, *trial_r;            ///< [d] force left on the motions that loops allow; unknowns' steps
  double *part;                          ///< [4 n]
  double *lambda;                        ///< [rows + prescribed] multipliers at q
  double *held;                          ///< the same with 0 for prescribed coordinates, whose equations are left out
  double *basis;                         ///< [d][ldp] copy of loops.Q
  double *confined;                      ///< scratch of td_statics_confine
  size_t basis_size, confined_size;      ///< bytes
  double *scaled_u;                      ///< [m] of the load continuation
  int *pivot;
  double shift;                                    ///< lambda of K + lambda M
  double residual, scale;                          ///< infinity norm of r; largest generalized force in play
  uint64_t evaluations, jacobians, factorisations; ///< in this problem
  double best;                                     ///< smallest residual seen in this problem
  td_error closing;                                ///< why the loops could not be closed, TD_OK when they could
} td_statics;

TD_NODISCARD td_status td_statics_init(td_statics *s, const td_model *model, td_workspace *ws,
                                       const td_statics_options *options);
void td_statics_fini(td_statics *s);

/// Equilibrium for u from the guess in s->q; the solution is left there.
TD_NODISCARD td_status td_statics_find(td_statics *s, const double *u, td_statics_result *result, td_error *err);

// statics_explain.c: goes back to the best iterate and says why there is no better one; returns the status of the problem.
td_status td_statics_explain(td_statics *s, td_status status, td_error *err);

/// Adds what a solution took to a run's statistics.
void td_statics_tell(const td_statics_result *result, td_run_statistics *statistics);

/// K at the iterate, its multipliers held: s->K.
TD_NODISCARD td_status td_statics_linearise(td_statics *s);
/// out [d][d] from full [n][n].
void td_statics_gather(const td_statics *s, const double *full, double *out);
/// What H [d][d] does to the motions that loops allow: H = (I - Q Q^T) H (I - Q Q^T) + sigma Q Q^T, sigma as
/// large as H. Needs td_loop_multipliers; without loops H stays.
void td_statics_confine(const td_statics *s, double *H);

// statics_newton.c: three ways from s->q to a zero of the residual at s->u, each at most options.max_iterations long.
/// Residual, its norm and the force scale at s->q; remembers the best iterate.
TD_NODISCARD td_status td_statics_evaluate(td_statics *s);
bool td_statics_converged(const td_statics *s);
/// Descends the potential whose gradient is -r: shifted Newton steps (K + lambda M) s = r in a trust region.
TD_NODISCARD td_status td_statics_descend(td_statics *s);
/// Damped Newton on the residual itself: for loads without a potential, and for unstable equilibria.
TD_NODISCARD td_status td_statics_newton(td_statics *s);
/// Pseudo-transient continuation: implicit Euler steps of M q' = r, growing as the residual falls.
TD_NODISCARD td_status td_statics_relax(td_statics *s);

#endif
