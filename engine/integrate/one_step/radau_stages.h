// The three stages of a step of Radau IIA and their Newton iteration (radau_stages.c); steps are chosen in radau.c.
#ifndef TENDRIL_INTEGRATE_ONE_STEP_RADAU_STAGES_H
#define TENDRIL_INTEGRATE_ONE_STEP_RADAU_STAGES_H

#include "integrate/integrator.h"
#include "integrate/saddle.h"
#include "integrate/sieve.h"

enum { TD_RADAU_STAGES = 3 };

/// Coefficients of the method.
typedef struct td_radau_rule {
  double node[TD_RADAU_STAGES], weight[TD_RADAU_STAGES][TD_RADAU_STAGES], square[TD_RADAU_STAGES][TD_RADAU_STAGES];
  double real;                      ///< eigenvalue of the weights
  double embedded[TD_RADAU_STAGES]; ///< of stages less the start, in the error
  double bend;                      ///< of the error, in td_radau.bend
} td_radau_rule;
td_radau_rule td_radau_coefficients(void);
/// What start and stages, of[4], and td_radau.bend count at `part` of a step.
void td_radau_shape(double part, double *of, double *bend);

typedef struct td_radau_point {
  double *y, *a, *l; ///< (q, qd) [2n], qdd [n], multipliers of loops [r]
} td_radau_point;

typedef struct td_radau {
  td_plant *plant;
  const td_integrator_spec *spec;
  double rtol, atol;                     ///< of the embedded error, which is of third order
  double *K, *C, *M;                     ///< [n][n]
  double *A, *Cq, *Cv;                   ///< [r][n]
  td_saddle real;                        ///< M + g C + g^2 K, bordered; g = h times the real eigenvalue
  double *zr, *zi;                       ///< [size][size] the same for the complex eigenvalue, factors
  td_sieve sieve;                        ///< what errors count for
  int *pivot;                            ///< of them
  int size;                              ///< free + rank, of the complex matrix at hand
  td_radau_point from;                   ///< start of the last step
  td_radau_point stage[TD_RADAU_STAGES]; ///< the third is its end
  double *r[TD_RADAU_STAGES];            ///< [n] residuals
  double *c[TD_RADAU_STAGES];            ///< [r]
  double *bend;                          ///< [2n] of the last step: what its polynomial lacks of the rates at its start
  double *open;                          ///< [2n] its end before loops were closed
  bool held;                             ///< they were
  bool twice;                            ///< its error is that of rates at the state that its first error leads to
  double *past;                          ///< [4][2n] the step before, for the first guess
  double *stage_M, *stage_lu;            ///< [n][n], [free][free] where own_mass may be; else NULL
  int *stage_pivot;                      ///< [free]
  bool own_mass;                         ///< stages' forces pass through their own mass matrices (radau_stages.c)
  bool own_mass_fails;                   ///< they did, and that was no cure
  double *w1, *w2, *w3, *v1, *v2, *v3;   ///< [free + r], transformed corrections
  double *error, *weight, *full, *rate;  ///< [2 free], [2 free], [2n], [2n]
  double t, t0, stop, h;                 ///< h: the next step
  double g, factored;                    ///< of the real matrix; step size of the factors at hand, 0: none
  double theta, eta;                     ///< Newton's rate of convergence, and what it makes of a correction
  double last_h, last_error;             ///< of the last accepted step, 0: none
  int newton;                            ///< iterations of the last solution
  bool matrices, fresh;                  ///< they exist; belong to the start of this step
  bool first, rejected;
  /// steps still to begin with `across`, the size at which Newton's iteration failed on both sides of a loss of rank
  int attempts;
  double across;
} td_radau;

/// Allocates everything.
TD_NODISCARD td_status td_radau_init(td_radau *s, td_plant *plant, const td_integrator_spec *spec);
void td_radau_fini(td_radau *s);
/// K, C, M and rows at the start of the step.
TD_NODISCARD td_status td_radau_linearise(td_radau *s);
/// The same at the second stage of a step of h, as far as it can be guessed. Where the rows of loops pass through a
/// loss of rank, a singular value changes its sign: with the rows of the start Newton's iteration diverges at any step
/// that gets across.
td_status td_radau_linearise_ahead(td_radau *s, double h);
/// Solves for the stages of a step of size h from s->from. TD_NOT_CONVERGED: h is too large.
TD_NODISCARD td_status td_radau_solve(td_radau *s, double h);
/// From now on stages' forces pass through their own mass matrices. false: they do already, that was no cure, or no
/// joint of the robot asks for it. Cost: a mass matrix and its factors for each stage and iteration.
bool td_radau_turn_to_own_mass(td_radau *s);
/// No longer, until the next start: so far from the origin rounding alone hides the inertia.
void td_radau_leave_own_mass(td_radau *s);
/// Local error of the stages at hand in units of the tolerance (1 is allowed).
double td_radau_error(td_radau *s);
/// Keeps what td_radau_at needs of the error just estimated, when the step is accepted.
void td_radau_keep(td_radau *s);
/// y [2n] at `part` in [0, 1] of the last step: the polynomial of degree 4 through its start and stages that has, but
/// for stiff modes, the rates at the start.
void td_radau_at(const td_radau *s, double part, double *y);

/// td_integrator.loss: (1 - |R(i x)|^2) / |c(i x)|^2, R the step and c its estimated error, both of y = 1.
double td_radau_loss(double x);

#endif
