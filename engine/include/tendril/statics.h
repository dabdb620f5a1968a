// Equilibria: one, a list of them, and paths along a channel.
#ifndef TENDRIL_STATICS_H
#define TENDRIL_STATICS_H

#include "tendril/run.h"

enum { TD_MAX_STATICS = 1000000 };

typedef struct td_statics_options { // td_statics_defaults
  double tolerance;                 ///< on the residual, relative to the largest generalized force in play (1e-10)
  int max_iterations;               ///< Newton iterations per load step (100)
  int max_load_steps;               ///< continuation steps before giving up (200)
} td_statics_options;
/// @param options  out, every member: the defaults above
TD_API void td_statics_defaults(td_statics_options *options);

typedef struct td_statics_result {
  bool converged;    ///< the residual is below the tolerance
  bool stable;       ///< small motions about it do not grow; those that cost nothing within rounding count as such
  bool conservative; ///< K is symmetric on the free motions: forces have a potential, stable where it has a minimum
  bool fed;        ///< and no motion is fed by its own velocity, as by a current (galloping): then growth_rate decides
  int iterations;  ///< Newton iterations, continuation included
  double residual; ///< infinity norm of tau - ID, N or N m
  /// Of the symmetric part of K on the motions that loops and prescribed joints leave free, scaled by the diagonal of
  /// M, 1/s^2. Decides `stable` of conservative equilibria.
  double smallest_eigenvalue;
  /// 1/s; largest real part of lambda in M x'' + C x' + K x = 0 on the free motions. > 0: unstable. Without any damping
  /// 0 unless flutter or divergence grows. NaN where stability is known without it: conservative equilibria that are
  /// not fed, and damping that outweighs all that is not conservative.
  double growth_rate;
  double growth_frequency;                         ///< rad/s of that motion: 0 for divergence, NaN likewise
  double loop_error;                               ///< largest |e|, rad or m
  uint64_t evaluations, jacobians, factorisations; ///< of forces, of K, of matrices of K's size
  /// [c] multipliers, then forces of prescribed joints; the solver's memory, valid inside the `solved` hook. NULL from
  /// td_statics_solve (td_constrained_dynamics there gives it).
  const double *lambda;
  /// Of a list: how far this equilibrium lies from the branch of the one before, which ended on the way; rad and
  /// strains in the metric of steps. 0: it is on that branch.
  double snap;
  const double *output; ///< laid out by td_statics_output_members, likewise; NULL where no fields were asked for
} td_statics_result;

/// Solves tau(q, 0, u) + A^T lambda = ID(q, 0, 0, u) with e(q) = 0; prescribed coordinates take their entries of u.
/// @param u        [m] inputs
/// @param options  td_statics_defaults, changed where wanted
/// @param q        [n] in: first guess; out: solution (or the best iterate)
/// @param result   out
/// @return TD_OK (result->converged true) or TD_NOT_CONVERGED with the reason in `err`
/// Cost: O(n^3) an iteration; allocates.
TD_API TD_NODISCARD td_status td_statics_solve(const td_model *model, td_workspace *ws, const double *u,
                                               const td_statics_options *options, double *q, td_statics_result *result,
                                               td_error *err);

/// True when a robot that is let go at this equilibrium leaves it. One that is neutral (it floats: no motion grows by e
/// within 1000 s) is neither stable nor unstable.
TD_API bool td_equilibrium_is_unstable(const td_statics_result *result);
/// True when it is left in swings that grow: no small push to one side decides anything. A current feeds them (`fed`),
/// or forces without a potential do, those that follow a body.
TD_API bool td_equilibrium_flutters(const td_statics_result *result);

#define TD_CONTINUATION_DS 0.1

/// A path of equilibria along one channel, by arc length: through limit points, past branches.
typedef struct td_continuation_spec {
  const char *channel; ///< NULL: a list, no path. It starts at the value its input has (0 without)
  int steps;           ///< points after the first
  bool bounded;        ///< `to` counts: the path first goes towards it and ends where it is reached
  double to;           ///< otherwise the value grows first
  double ds; ///< > 0, longest step: sqrt(|dq|^2 + (dp/size)^2), rad and strains; TD_CONTINUATION_DS is a good one
} td_continuation_spec;

typedef enum td_path_event {
  TD_PATH_LIMIT,       ///< the channel's value turns back
  TD_PATH_BIFURCATION, ///< other paths cross. Of forces without a potential only an odd number of them is seen
  TD_PATH_EVENT_COUNT
} td_path_event;
/// "limit", "bifurcation".
TD_API const char *td_path_event_name(td_path_event event);

typedef struct td_statics_spec {
  const td_input_spec *inputs;
  size_t input_count;
  td_initial initial; ///< first guess of the first problem: zero or array
  const double *q;
  size_t q_count;
  td_statics_options options;
  td_continuation_spec continuation;
  const char *const *fields; ///< as of td_dynamics_spec, without rates; q, u and lambda are in every result anyway
  size_t field_count;
} td_statics_spec;

/// Number of problems of a statics job (length of its lists, 1 without lists; at most so many of a path), checking the
/// spec; 0 with `err` on error.
TD_API size_t td_statics_count(const td_model *model, const td_statics_spec *spec, td_error *err);
/// The same, and what is odd appended to `warnings` (may be NULL).
TD_API TD_NODISCARD td_status td_statics_check(const td_model *model, const td_statics_spec *spec, size_t *count,
                                               td_warnings *warnings, td_error *err);
/// All independent errors of a job that td_statics_check refuses, appended; as td_dynamics_errors.
TD_API void td_statics_errors(const td_model *model, const td_statics_spec *spec, td_errors *all);

/// As td_run_output_members, of td_statics_result.output: q, u and lambda, which every result has, are checked and left
/// out.
TD_API int td_statics_output_members(const td_model *model, const td_statics_spec *spec, td_member *members,
                                     int capacity, size_t *row_size, td_error *err);

typedef struct td_statics_hooks {
  void *context;
  /// After each problem: index, inputs u [m], solution q [n], its result and, when it failed, why: q, the residual and
  /// the output are NaN then, lambda is NULL. Return false to cancel.
  bool (*solved)(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                 const td_error *failure);
  /// May be NULL. Of a path: between points `after` and `after` + 1 it passes an event at this value of its channel and
  /// q [n]. q of branches that come together is that of a point 1e-4 of a step before: there Newton has no hold.
  /// multiplicity: so many eigenvalues of the stiffness change sign there, 2 where a round rod buckles.
  void (*passed)(void *context, size_t after, td_path_event event, int multiplicity, double value, const double *q);
  /// May be NULL. Of a path that was followed to its end: by `to` (reached) or by its number of steps. The channel's
  /// last value, and the one that came nearest to `to` on the way.
  void (*ended)(void *context, bool reached, double value, double nearest);
} td_statics_hooks;

/// Solves problems [first, count) in order, each warm-started from the last converged one.
/// @param warm_start  [n] the last solution before `first` when resuming; NULL: first guess from the spec
/// @param statistics  out, filled as far as the list came, failures included
/// @return TD_OK, problems that failed included (hooks->solved tells of them); TD_CANCELLED; a status for the whole
///   list
TD_API TD_NODISCARD td_status td_statics_run(const td_model *model, const td_statics_spec *spec, size_t first,
                                             const double *warm_start, const td_statics_hooks *hooks,
                                             td_run_statistics *statistics, td_error *err);

#endif
