// Runs over time and equilibria: input signals, integrators, statics, and what a run reports.
//
// Nothing here opens a file or prints. A run calls back through td_run_hooks at step boundaries (progress, cancel,
// checkpoint) and at output times (samples); the caller decides what to do with them. A run allocates at its start only.
#ifndef TENDRIL_SOLVE_H
#define TENDRIL_SOLVE_H

#include "tendril/dynamics.h"
#include <stdint.h>

// ------------------------------------------------------------------------------------------------ input signals

enum {
  TD_MAX_SIGNAL_DEPTH = 8,
  TD_MAX_SIGNAL_KNOTS = 1 << 20,
  TD_MAX_SIGNAL_TERMS = 64,
  TD_MAX_SAMPLES = 10000000,
  TD_MAX_STATICS = 1000000
};

typedef enum td_signal_type {
  TD_SIGNAL_CONSTANT,
  TD_SIGNAL_SINE,
  TD_SIGNAL_STEPS,
  TD_SIGNAL_RAMP,
  TD_SIGNAL_POLYNOMIAL,
  TD_SIGNAL_TABLE,
  TD_SIGNAL_SUM,
  TD_SIGNAL_PRODUCT,
  TD_SIGNAL_TYPE_COUNT
} td_signal_type;
TD_API const char *td_signal_type_name(td_signal_type type);

/// One input over time. Pointers are borrowed like those of a model spec.
typedef struct td_signal_spec {
  td_signal_type type;
  double offset, amplitude, frequency, phase; ///< sine: offset + amplitude sin(2 pi f t + phase); constant: offset
  const double *t, *value; ///< steps, table: knots [count]; ramp: two; polynomial: value = coefficients, ascending
  size_t count;
  bool spline;                     ///< table: natural cubic spline instead of linear
  const struct td_signal_spec *of; ///< sum, product
  size_t of_count;
} td_signal_spec;

typedef struct td_input_spec {
  const char *channel;
  td_signal_spec signal; ///< dynamics; statics with one value: constant
  const double *list;    ///< statics: values of the S problems, NULL when `signal` is the constant for all
  size_t list_count;
} td_input_spec;

// ------------------------------------------------------------------------------------------------ integrators

typedef enum td_method { // rows of the table in solve/integrator.c
  TD_METHOD_BDF,
  TD_METHOD_NEWMARK,
  TD_METHOD_RK45,
  TD_METHOD_RK4,
  TD_METHOD_EULER_IMPLICIT,
  TD_METHOD_COUNT
} td_method;
TD_API const char *td_method_name(td_method method);

typedef struct td_integrator_spec { // defaults in parentheses, td_integrator_defaults fills them
  td_method method;                 ///< (bdf)
  double rtol, atol;                ///< bdf, rk45 (1e-6, 1e-9)
  double
      h; ///< (0: the method's own) step of newmark, rk4, euler_implicit (0.002); first step of bdf, rk45 (found by them)
  double h_max;           ///< bdf, rk45 (0: a tenth of the run, less when inputs change faster)
  double gamma, beta;     ///< newmark (0.5, 0.25)
  bool finite_difference; ///< derivatives by forward differences instead of analytic (false)
} td_integrator_spec;
TD_API void td_integrator_defaults(td_integrator_spec *spec);

// ------------------------------------------------------------------------------------------------ dynamics runs

typedef enum td_initial { TD_INITIAL_ZERO, TD_INITIAL_ARRAY, TD_INITIAL_EQUILIBRIUM } td_initial;

typedef struct td_dynamics_spec {
  double t_end; ///< s, > 0
  td_initial initial;
  const double *q; ///< [n] for TD_INITIAL_ARRAY
  size_t q_count;
  const double *qd; ///< [n] or NULL
  size_t qd_count;
  const td_input_spec *inputs;
  size_t input_count;
  td_integrator_spec integrator;
  double output_dt;          ///< s, > 0; samples at 0, dt, 2 dt, … and t_end
  const char *const *fields; ///< api.md names: q, qd, qdd, u, energy, strain:LINK, poses:LINK, poses:LINK@S, tendons
  size_t field_count;
} td_dynamics_spec;

typedef struct td_run_hooks { // every member may be NULL; `context` is handed to all
  void *context;
  /// After every accepted step. Return false to cancel: the run then ends with TD_CANCELLED at this step.
  bool (*step)(void *context, double t);
  /// At every output time, in order. `row` is laid out by td_run_output_members.
  bool (*sample)(void *context, double t, const double *row);
  /// At fixed simulated times (multiples of `checkpoint_dt`, when > 0), where every run reinitialises its integrator whether
  /// or not it is interrupted, so that a resumed run has the same bits. `bytes` is all that td_dynamics_run needs to go on.
  bool (*checkpoint)(void *context, double t, const void *bytes, size_t size);
  double checkpoint_dt;
} td_run_hooks;

typedef struct td_energy_balance {        // J, over the whole run: change of energy = work in - dissipation + error
  double kinetic, elastic, gravitational; ///< final minus initial
  double actuation, loads;                ///< work done by actuators and loads on the robot
  double dissipation;                     ///< >= 0: by material and joint damping
  double error;                           ///< change - (actuation + loads - dissipation)
  double exchanged;                       ///< integral of |powers|: the scale `error` is judged against
} td_energy_balance;

typedef struct td_run_statistics {
  uint64_t steps, rejected, evaluations, jacobians, factorisations, newton_iterations, nonlinear_failures;
  uint64_t recharts; ///< changes of a rotation vector beyond 1.5 pi to the one below pi of the same rotation
  double wall_s, cpu_s;
  double t; ///< time reached
  td_energy_balance energy;
} td_run_statistics;

/// Members of one output row, in the order of spec->fields. `name` is the field ("q", "poses:arm@1"); rank/dim per sample.
/// Returns the count, fills at most `capacity`; -1 with `err` when a field is unknown (pointer /output/fields/i).
TD_API int td_run_output_members(const td_model *model, const td_dynamics_spec *spec, td_member *members, int capacity,
                                 size_t *row_size, td_error *err);
/// Samples of a whole run: times 0, dt, 2 dt, … and t_end. 0 when output_dt or t_end is not usable.
TD_API size_t td_run_sample_count(const td_dynamics_spec *spec);
/// Every rule of a dynamics job against its model; JSON pointers relative to the job document (/inputs/cable1/t/2).
TD_API TD_NODISCARD td_status td_dynamics_check(const td_model *model, const td_dynamics_spec *spec, td_error *err);
/// Runs it.
/// @param resume,resume_size  bytes of a checkpoint of the same model and spec, or NULL, 0
/// @return TD_OK, TD_CANCELLED, or a failure whose `err` says time, residual and worst coordinate
TD_API TD_NODISCARD td_status td_dynamics_run(const td_model *model, const td_dynamics_spec *spec,
                                              const td_run_hooks *hooks, const void *resume, size_t resume_size,
                                              td_run_statistics *statistics, td_error *err);

// ------------------------------------------------------------------------------------------------ statics

typedef struct td_statics_options { // td_statics_defaults
  double tolerance;                 ///< on the residual, relative to the largest generalized force in play (1e-10)
  int max_iterations;               ///< Newton iterations per load step (100)
  int max_load_steps;               ///< continuation steps before giving up (200)
} td_statics_options;
TD_API void td_statics_defaults(td_statics_options *options);

typedef struct td_statics_result {
  bool converged, stable;     ///< stable: the Hessian of the potential (symmetric part of K) is positive definite
  int iterations;             ///< Newton iterations, continuation included
  double residual;            ///< infinity norm of tau - ID, N or N m
  double smallest_eigenvalue; ///< of the symmetric part of K, scaled by the diagonal of M
} td_statics_result;

/// Solves tau(q, 0, u) = ID(q, 0, 0, u).
/// @param q  [n] in: first guess; out: solution (or the best iterate)
/// @return TD_OK (result->converged true) or TD_NOT_CONVERGED with the reason in `err`
TD_API TD_NODISCARD td_status td_statics_solve(const td_model *model, td_workspace *ws, const double *u,
                                               const td_statics_options *options, double *q, td_statics_result *result,
                                               td_error *err);

typedef struct td_statics_spec {
  const td_input_spec *inputs;
  size_t input_count;
  td_initial initial; ///< first guess of the first problem: zero or array
  const double *q;
  size_t q_count;
  td_statics_options options;
} td_statics_spec;

/// Number of problems of a statics job (length of its lists, 1 without lists), checking the spec; 0 with `err` on error.
TD_API size_t td_statics_count(const td_model *model, const td_statics_spec *spec, td_error *err);

typedef struct td_statics_hooks {
  void *context;
  /// After each problem: index, inputs u [m], solution q [n], its result and, when it failed, why. Return false to cancel.
  bool (*solved)(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                 const td_error *failure);
} td_statics_hooks;

/// Solves problems [first, count) in order, each warm-started from the last converged one. `warm_start` [n] may be NULL
/// (first guess from the spec): the last solution before `first` when resuming.
TD_API TD_NODISCARD td_status td_statics_run(const td_model *model, const td_statics_spec *spec, size_t first,
                                             const double *warm_start, const td_statics_hooks *hooks,
                                             td_run_statistics *statistics, td_error *err);

#endif
