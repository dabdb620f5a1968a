// Small motions about a state: x' = A x + B u.
#ifndef TENDRIL_LINEARIZE_H
#define TENDRIL_LINEARIZE_H

#include "tendril/gradient.h"
#include "tendril/run.h"

/// x' = A x + B u about a state, x = (q, qd): A [2n][2n] = [0 I; dfd_dq dfd_dqd], B [2n][m] = [0; dfd_du]; either may
/// be NULL. With loops: of the index-1 equations as they stand (Baumgarte's terms included, td_constrained_dynamics),
/// not reduced to the constraint manifold. Acceleration rows of prescribed coordinates and columns of their channels
/// are 0.
/// @param state  as td_constrained_dynamics takes it
/// @param A      [2n][2n] out, 1/s and 1/s^2; may be NULL
/// @param B      [2n][m] out; may be NULL
/// Cost: O(n^3), no allocation.
TD_API TD_NODISCARD td_status td_linearize(const td_model *model, td_workspace *ws, const td_state *state, double *A,
                                           double *B);

/// TD_AT_EQUILIBRIUM: as TD_INITIAL_EQUILIBRIUM where it lasts; else that of prescribed joints that stand
/// (rates_left_out). One that lasts while what acts about it does not turn along has the A of t = 0, and its stability
/// is not judged (rates_left_out, too).
typedef enum td_linearize_at { TD_AT_EQUILIBRIUM, TD_AT_STATE, TD_AT_TIMES } td_linearize_at;

typedef struct td_linearize_spec {
  td_linearize_at at;
  const double *q, *qd; ///< TD_AT_STATE: [n]; qd may be NULL
  size_t q_count, qd_count;
  const double *times; ///< TD_AT_TIMES: rising, >= 0, of the run below
  size_t time_count;
  /// Inputs (all kinds of `at`, at t = 0 unless TD_AT_TIMES), initial and integrator; t_end is the last time.
  td_dynamics_spec run;
  /// What A and B are differentiated by; NULL: nothing. Numbers of the model are not `linear` (A is affine in none).
  /// `initial` is that of the run, of TD_AT_STATE that of the state itself.
  const td_variables *by;
} td_linearize_spec;

/// Derivatives at a point, [..][np]: whole ones. The state moves as the equilibrium does, or as the run does that leads
/// there, loops closed and prescribed joints at their inputs; one that is given stays, but for its own numbers. NaN
/// where there are none, of which the warning no_derivative tells.
typedef struct td_linearize_slopes {
  const double *dq, *dqd; ///< [n][np]
  const double *du;       ///< [m][np]
  const double *dA, *dB;  ///< [2n][2n][np], [2n][m][np]
} td_linearize_slopes;

typedef struct td_linearize_hooks { // every member may be NULL
  void *context;
  /// Point `index` of K: its time, q, qd [n], u [m], A [2n][2n], B [2n][m]. Return false to cancel.
  bool (*point)(void *context, size_t index, double t, const double *q, const double *qd, const double *u,
                const double *A, const double *B);
  bool (*step)(void *context, double t); ///< as in td_run_hooks
  /// After `point` of the same index, where spec->by is there. Return false to cancel.
  bool (*slopes)(void *context, size_t index, const td_linearize_slopes *slopes);
} td_linearize_hooks;

/// Points K of a linearisation job, checking the spec (pointers /at/times/3, /inputs/NAME …); 0 with `err` on error.
TD_API size_t td_linearize_count(const td_model *model, const td_linearize_spec *spec, td_error *err);
/// Fields of a linearisation that can be differentiated: "A", "B", "q", "qd", "u". As td_sensitivity_members.
TD_API int td_linearize_sensitivity_members(const td_model *model, const char *const *fields, size_t field_count,
                                            td_member *members, int capacity, size_t *row_size, td_error *err);
/// Linearises about each of them, in order.
/// @param hooks       what to call with each point
/// @param statistics  out: of the run that leads there (TD_AT_TIMES), modes that are trusted, warnings
/// @return TD_OK, TD_CANCELLED, TD_NOT_CONVERGED (no equilibrium), or as td_dynamics_run (td_gradient_forward where
///         the states of a run are differentiated)
TD_API TD_NODISCARD td_status td_linearize_run(const td_model *model, const td_linearize_spec *spec,
                                               const td_linearize_hooks *hooks, td_run_statistics *statistics,
                                               td_error *err);

#endif
