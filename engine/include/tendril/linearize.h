// Small motions about a state: x' = A x + B u.
#ifndef TENDRIL_LINEARIZE_H
#define TENDRIL_LINEARIZE_H

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
} td_linearize_spec;

typedef struct td_linearize_hooks { // every member may be NULL
  void *context;
  /// Point `index` of K: its time, q, qd [n], u [m], A [2n][2n], B [2n][m]. Return false to cancel.
  bool (*point)(void *context, size_t index, double t, const double *q, const double *qd, const double *u,
                const double *A, const double *B);
  bool (*step)(void *context, double t); ///< as in td_run_hooks
} td_linearize_hooks;

/// Points K of a linearisation job, checking the spec (pointers /at/times/3, /inputs/NAME …); 0 with `err` on error.
TD_API size_t td_linearize_count(const td_model *model, const td_linearize_spec *spec, td_error *err);
/// Linearises about each of them, in order.
/// @param hooks       what to call with each point
/// @param statistics  out: of the run that leads there (TD_AT_TIMES), modes that are trusted, warnings
/// @return TD_OK, TD_CANCELLED, TD_NOT_CONVERGED (no equilibrium), or as td_dynamics_run
TD_API TD_NODISCARD td_status td_linearize_run(const td_model *model, const td_linearize_spec *spec,
                                               const td_linearize_hooks *hooks, td_run_statistics *statistics,
                                               td_error *err);

#endif
