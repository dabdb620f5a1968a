// What the two multistep methods share, bdf on CVODE and dae on IDA: vectors and shells that SUNDIALS asks for, and
// their Newton matrix on y = (q, qd) of the free coordinates,
//     [M + g C + g^2 K, -A^T; A + g Cv + g^2 Cq, 0] (dv, g dlambda) = …,      dq from dv,
// so that one factorisation of size n (and the rank of the loops) serves both halves of the state, and M is never
// inverted.
#ifndef TENDRIL_INTEGRATE_MULTISTEP_MULTISTEP_H
#define TENDRIL_INTEGRATE_MULTISTEP_MULTISTEP_H

#include "integrate/integrator.h"
#include "integrate/saddle.h"
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

typedef struct td_multistep td_multistep;

/// What CVODE and IDA call by other names. Their return values are the same numbers.
typedef struct td_sundials {
  const char *method, *cannot;                      ///< for messages: name of the method; what cannot be evaluated
  int (*advance)(td_multistep *m, double *reached); ///< one step
  int (*set_stop)(void *memory, double t);
  int (*state_at)(void *memory, double t, int derivative, N_Vector y);
  int (*next_size)(void *memory, double *h);
  int (*last_order)(void *memory, int *order);
  int (*steps)(void *memory, long *count); ///< since the start
  int (*local_errors)(void *memory, N_Vector errors);
  int (*error_weights)(void *memory, N_Vector weights);
  int (*rejected)(void *memory, long *count);
  int (*newton)(void *memory, long *iterations, long *failures);
} td_sundials;

struct td_multistep {
  td_plant *plant;
  const td_integrator_spec *spec;
  bool bordered;     ///< the matrix has the rows of loops
  double rtol, atol; ///< what a step is held to: tighter than what the run is asked for
  SUNContext context;
  N_Vector y, view;         ///< view: its data pointer is set by each use
  SUNMatrix shell;          ///< empty: SUNDIALS insists on one
  SUNLinearSolver solver;   ///< factors and solves here
  void *block;              ///< of all that follows
  double *K, *C, *M;        ///< [n][n]
  double *A, *Cq, *Cv;      ///< [r][n]
  double *full, *rates;     ///< [2n] state and its rate with prescribed coordinates
  double *b, *c, *ra, *rb;  ///< [n], [r] right-hand sides; [n] vectors spread over all coordinates
  double *weights, *errors; ///< [size], at least [2n]: of a step, for failures
  double *shift;            ///< [size] where `shifted` the state is y + shift
  td_saddle saddle;
  double gamma; ///< of the factors
  double t, stop;
  int standing;   ///< steps in a row too short to move t
  td_status last; ///< why an evaluation failed
  bool shifted;
  bool watched; ///< contacts and the like may set barriers
  const td_sundials *calls;
  void *memory; ///< of CVODE or IDA
};

/// Solves with the factors at hand; content of `solver` is `owner`.
typedef int (*td_multistep_solve)(SUNLinearSolver solver, SUNMatrix shell, N_Vector x, N_Vector b, double tolerance);

/// Allocates everything but `memory`, which is the caller's; `size` unknowns, `bordered`: rows of loops in the matrix.
/// False: no memory.
bool td_multistep_init(td_multistep *m, const td_sundials *calls, td_plant *plant, const td_integrator_spec *spec,
                       int size, bool bordered, td_multistep_solve solve, void *owner);
void td_multistep_fini(td_multistep *m);
/// What of rtol and atol the next step is held to: 1, or less while a force that has set in turns the motion.
double td_multistep_part(const td_multistep *m);
/// A new segment.
void td_multistep_start(td_multistep *m, double t, double stop);

/// m->full = all coordinates and rates at t from the unknowns y, shifted; and back.
void td_multistep_spread(td_multistep *m, double t, const double *y);
void td_multistep_gather(const td_multistep *m, const double *full, double *y);

/// Puts the matrix for gamma together from K, C, M and, bordered, A, Cq, Cv. It measures projections from now on.
void td_multistep_combine(td_multistep *m, double gamma);
/// out [rows] = X a + y Y b, X and Y [rows][n]; a, b [n].
void td_multistep_products(int rows, int n, const double *X, const double *a, double y, const double *Y,
                           const double *b, double *out);

/// One step, whose end is m->t. A failure names the coordinate with the largest local error over tolerance (of q and of
/// qd).
TD_NODISCARD td_status td_multistep_step(td_multistep *m, td_error *err);
/// td_integrator.interpolate, ahead and count.
TD_NODISCARD td_status td_multistep_interpolate(td_multistep *m, double t, double *y);
double td_multistep_ahead(const td_multistep *m);
void td_multistep_count(const td_multistep *m, td_run_statistics *statistics);
/// For their error handlers: we report from return codes.
void td_multistep_silent(int code, const char *module, const char *function, char *message, void *context);

#endif
