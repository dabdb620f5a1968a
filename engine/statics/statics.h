// The statics solver behind td_statics_solve: one object, reused along a list.
#ifndef TENDRIL_STATICS_STATICS_H
#define TENDRIL_STATICS_STATICS_H

#include "closure/projection.h"
#include "statics/clearance.h"
#include "tendril/statics.h"

enum { TD_STATICS_WAY = 5 };

typedef struct td_statics {
  const td_model *model;
  td_workspace *ws;
  td_statics_options options;
  int n, m, d,
      iterations; ///< iterations: Newton steps in this problem; d: coordinates that are not prescribed, the unknowns
  int *free;      ///< [d] their indices
  td_projection loops;
  td_clearance clearance;
  const double *u; ///< inputs of the problem at work
  /// [n] rates of prescribed joints that turn, loops along with them, 0 of all others. NULL: all stand. Then the
  /// equation is tau(q, qd, u) + A^T lambda = ID(q, qd, 0, u), and stable is where no small motion about it grows,
  /// gyroscopic forces included
  const double *qd;
  /// [m] inputs at the guess, which is in equilibrium under them; NULL: a first guess, all loads are raised from
  /// nothing
  const double *from_u;
  double fraction;   ///< of gravity, loads, inputs and contacts: 1, less on the way up (statics/system.c)
  double *K, *M, *H; ///< [d][d] stiffness at q, mass, shifted stiffness or its LU
  double *full;      ///< [n][n] on all coordinates
  double *faded;     ///< [n][n] scratch of a fraction below 1
  double *U;         ///< [d][ld] Cholesky factor of its symmetric part, ld d padded to 8
  int ld;
  double *q, *trial_q, *best_q, *kept_q; ///< [n] iterate and others
  double *force, *trial_force;           ///< [n] tau - ID at q, at the trial (loops not counted)
  double *r, *step, *trial_r;            ///< [d] force left on the motions that loops allow; unknowns' steps
  double *weight;                        ///< [d] diagonal of the metric W of steps
  double *way;                           ///< [2 TD_STATICS_WAY][d] points of a step and the forces there
  double *direction, *work;              ///< [d] lowest direction of K; scratch
  double *part;                          ///< [4 n]
  double *lambda;                        ///< [rows + prescribed] multipliers at q
  double *raised;                        ///< [m] inputs on the way to those of the problem
  double *held;                          ///< the same with 0 for prescribed coordinates, whose equations are left out
  double *basis;                         ///< [d][ldp] copy of loops.Q
  double *confined;                      ///< scratch of td_statics_confine
  size_t basis_size, confined_size;      ///< bytes
  int *pivot, idle_count;
  bool *idle;                                      ///< [d] coordinates that a step leaves alone
  double shift, last_shift;                        ///< lambda of K + lambda W; that of the step before
  double residual, scale;                          ///< infinity norm of r; largest generalized force in play
  uint64_t evaluations, jacobians, factorisations; ///< in this problem
  double weightless;                               ///< forces below this are rounding of weights that cancel
  double neutral;                                  ///< eigenvalues of K nearer to 0 than this are rounding
  double best;                                     ///< smallest residual seen in this problem
  bool stiff;                                      ///< projections measure by stiffness
  bool moved;                                      ///< a step has left the guess
  bool led;                                        ///< there by loads raised slowly, past an obstacle
  bool only_down;                                  ///< find by descent from the guess alone
  bool climbed;                                    ///< the problem was not solved by descent from the guess
  td_error closing;                                ///< why the loops could not be closed, TD_OK when they could
} td_statics;

TD_NODISCARD td_status td_statics_init(td_statics *s, const td_model *model, td_workspace *ws,
                                       const td_statics_options *options);
void td_statics_fini(td_statics *s);

/// Equilibrium for u from the guess in s->q; the solution is left there.
TD_NODISCARD td_status td_statics_find(td_statics *s, const double *u, td_statics_result *result, td_error *err);

/// Adds what a solution took to a run's statistics.
void td_statics_tell(const td_statics_result *result, td_run_statistics *statistics);

// ------------------------------------------------------------------------------------------------ statics/system.c

double td_statics_dot(int n, const double *a, const double *b);
/// Largest |x|; NaN counts as largest.
double td_statics_largest(int n, const double *x);
/// out [d][d] from full [n][n].
void td_statics_gather(const td_statics *s, const double *full, double *out);
/// x [d] loses what loops take up.
void td_statics_confine_vector(const td_statics *s, double *x);
/// What H [d][d] does to the motions that loops allow: H = (I - Q Q^T) H (I - Q Q^T) + sigma Q Q^T, sigma as
/// large as H. Needs td_loop_multipliers; without loops H stays.
void td_statics_confine(const td_statics *s, double *H);
/// Residual, its norm and the force scale at s->q; remembers the best iterate.
TD_NODISCARD td_status td_statics_evaluate(td_statics *s);
bool td_statics_converged(const td_statics *s);
/// A full Newton correction at rounding level: nothing more can be gained. Where gravity alone acts on a joint the
/// forces in play vanish together with the residual, and this is the only test that ends the iteration.
bool td_statics_negligible(const td_statics *s, const double *step);
/// K at the iterate, its multipliers held: s->K.
TD_NODISCARD td_status td_statics_linearise(td_statics *s);
/// K is symmetric on the motions that loops allow: forces have a potential. Overwrites H where there are loops.
bool td_statics_conservative(td_statics *s);
/// H = K + shift W there, K or its symmetric part.
void td_statics_shifted(const td_statics *s, bool symmetric);
/// step = (K + shift W)^-1 r; the LU stays in H.
bool td_statics_lu_step(td_statics *s);
/// trial_r = what is left of the forces at trial_q with the multipliers of the iterate, along the motions allowed
/// there.
TD_NODISCARD td_status td_statics_trial_residual(td_statics *s);
/// trial_q = q and a part of the step, put back on the constraint; trial_r there with the multipliers of the iterate.
TD_NODISCARD td_status td_statics_try(td_statics *s, double part);
/// Makes the trial the iterate.
TD_NODISCARD td_status td_statics_accept(td_statics *s);

/// statics/metric.c: s->weight from the poses last computed.
void td_statics_weigh(td_statics *s);
/// The metric of steps' projection onto loops, from K at the iterate.
void td_statics_stiffen(td_statics *s);

/// Whether the potential at s->q is higher than at `from` [n] under the same inputs, by the work of the forces along
/// the straight line between them (loops do none on either end, and what they do on the way is not counted). Both are
/// states of s->u. Overwrites trial_q.
bool td_statics_rises(td_statics *s, const double *from);

/// statics/settle.c: the guess at this fraction, prescribed joints and loops put right; its residual and metrics.
TD_NODISCARD td_status td_statics_start(td_statics *s, const double *first, double fraction);
/// Judges the equilibrium in s->q. A saddle of the potential is left along its lowest direction for the minimum beside
/// it; an equilibrium that was the guess itself is kept.
TD_NODISCARD td_status td_statics_leave_saddles(td_statics *s, td_statics_result *result);
/// Descent where there is a potential; where there is none, Newton as long as it needs no damping.
TD_NODISCARD td_status td_statics_settle(td_statics *s, int iterations);

// --------------------------------------------------------------------------------- ways from s->q to a zero of the
// residual

/// statics/trust.c: descends the potential whose gradient is -r by a trust region.
/// @param leave  take a step first even from an equilibrium: away from a saddle
/// @return TD_UNSUPPORTED when there is no potential (K is not symmetric)
TD_NODISCARD td_status td_statics_descend(td_statics *s, int iterations, bool leave);
/// statics/newton.c: Newton on the residual itself, for loads without a potential and for unstable equilibria.
/// @param patient  damp steps until the next correction is smaller; otherwise give up where a full step is not good
TD_NODISCARD td_status td_statics_newton(td_statics *s, int iterations, bool patient);
/// At most so many full steps of Newton from an iterate that is evaluated and linearised, s->shift 0, as it is
/// afterwards: Newton's method ends at a tolerance, and this at rounding, or where the residual falls no more.
TD_NODISCARD td_status td_statics_polish(td_statics *s, int steps);
/// Pseudo-transient continuation: implicit Euler steps of W q' = r, growing as the residual falls.
TD_NODISCARD td_status td_statics_relax(td_statics *s);

/// statics/load.c: from the guess `first` at a small fraction of the loads up to the whole.
TD_NODISCARD td_status td_statics_raise(td_statics *s, const double *first);
/// statics/load.c: the same in parts of a twentieth, where that fails down to a 320th, from the inputs `from_u` [m] at
/// `first` to those of the problem (NULL: of all loads from nothing), each from the equilibrium of the one before.
/// @return TD_NOT_CONVERGED, too, where a part leads through an obstacle
TD_NODISCARD td_status td_statics_raise_slowly(td_statics *s, const double *first, const double *from_u);

/// statics/stability.c: stability of the equilibrium in s->q, into `result`; K there is left in s->K.
TD_NODISCARD td_status td_statics_judge(td_statics *s, td_statics_result *result);

#endif
