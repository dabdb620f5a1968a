// Derivatives of runs: of what a run reports by numbers of its model, of its inputs and of its initial state.
//
// A run is a chain of maps: its start, steps, changes of chart, projections onto loops, samples between steps. Their
// order and the sizes of steps are those of the run: what error control, events and obstacles chose is frozen. Each is
// linearised where it was taken. Forward, derivatives go along with the run; backward, the cotangents of its samples are
// pulled back to its start (the discrete adjoint), so that the answer is the derivative of the very numbers that the run
// gives, to Newton's tolerance: that of a run which takes the same steps again (td_run_hooks.again). The run itself has
// the bits that td_dynamics_run gives it.
//
// The time at which a contact or a tendon sets in is frozen, too. Such a force begins at 0, so that the motion does not
// leap there: where a step ends makes no difference but in its error, and what freezing leaves out is how that error
// changes, within the tolerances of the run. Where the slope of such a force begins at more than 0, each step counts
// the slope of the side on which it lies, also in the stage with which it ends there (gradient/kink/kink.h).
//
// Methods: radau, newmark, hht, generalized_alpha, euler_implicit, rk4, rk45, with equal steps or under error control.
// Jobs that leave the method open go by the one that they take without derivatives, but for bdf, in place of which they
// go by radau (td_gradient_job). Runs by bdf and dae are refused with that advice.
//
// Shapes: n coordinates, m channels, np numbers, rows as td_run_output_members lays them out. Matrices are row-major,
// row = output, column = number. Units: that of the output by that of the number.
#ifndef TENDRIL_GRADIENT_H
#define TENDRIL_GRADIENT_H

#include "tendril/parameters.h"
#include "tendril/run.h"

/// Where inputs are asked for.
typedef struct td_input_moment {
  double t, t_side;     ///< s; at a jump of an input that side of it which t_side is on
  const double *q, *qd; ///< [n] the state, which gains of controllers work on
  const double *u;      ///< [m] inputs there
} td_input_moment;

/// What a run is differentiated by: np numbers, each of any of these kinds or of several. Borrowed, all of it.
typedef struct td_variables {
  size_t count;               ///< np
  const td_parameters *model; ///< numbers of the model; NULL: none
  const size_t *model_number; ///< [td_parameters_count] which of the np these are; NULL: the first, in their order
  /// [2n][np] derivative of the initial (q, qd) as the job gives it, before loops and prescribed joints have their way;
  /// NULL: it depends on none.
  const double *initial;
  /// Derivatives of the inputs at a moment, state held: writes at most `most_slopes` entries and returns how many. The
  /// same channel and number may come several times: entries add. Few entries make it fast: of a table of a thousand
  /// values two matter at a time. NULL: inputs depend on none.
  size_t (*slopes)(void *context, const td_input_moment *at, td_input_slope *list);
  size_t most_slopes;
  void *context;
  /// `slopes` tell the whole of u at a state: controllers' channels, too, with what numbers of the model, of inputs and
  /// of themselves do to their laws (td_law_numbers). Jobs with controllers ask for that; how laws answer to the state is
  /// known here.
  bool controlled;
} td_variables;

/// How the inputs of a run with controllers depend on numbers of its model, of its inputs and of its controllers (gains,
/// values of references), state held: the `slopes` of td_variables that is `controlled`, with this as its context.
///
/// Laws are affine in gains, references and forces: their answers are differences of the laws themselves, exact to
/// rounding. By numbers of the model they are implicit functions, whose terms are asked of its neighbours. Scratch of one
/// thread.
typedef struct td_law_numbers td_law_numbers;
/// @param run           checked; must outlive the result
/// @param of_model      numbers of the model that laws look at; borrowed; NULL: none
/// @param model_number  [td_parameters_count] as in td_variables; borrowed
/// @param places        [count] of the numbers in the run's specs (td_input_numbers_create); of controllers &kp[i],
///                      &kd[i], &reference.value[i]
/// @param numbers       out; owned by the caller, td_law_numbers_destroy
/// @return TD_UNSUPPORTED at /controller/reference/space where a reference is found by static inversion, which depends
///         on such numbers, and has fewer values than channels, or the robot loops: many equilibria would do;
///         TD_SINGULAR at a knot where one is at a limit point; what td_dynamics_run says of controllers; TD_NO_MEMORY
TD_API TD_NODISCARD td_status td_law_numbers_create(const td_model *model, const td_dynamics_spec *run,
                                                    const td_parameters *of_model, const size_t *model_number,
                                                    const double *const *places, size_t count, td_law_numbers **numbers,
                                                    td_error *err);
/// What td_law_numbers_create refuses of a run by numbers of its model, whichever they are.
TD_API TD_NODISCARD td_status td_law_numbers_check_model(const td_dynamics_spec *run, td_error *err);
/// The same of one of the run's own numbers, by its place in the run's specs (NULL: it is none of them).
TD_API TD_NODISCARD td_status td_law_numbers_check_place(const td_dynamics_spec *run, const double *place,
                                                         td_error *err);
/// @param numbers  may be NULL
TD_API void td_law_numbers_destroy(td_law_numbers *numbers);
/// The most entries that td_law_numbers_at writes.
TD_API size_t td_law_numbers_most(const td_law_numbers *numbers);
/// @param numbers  td_law_numbers, as td_variables.context
/// @return how many entries there are; where a law cannot be evaluated one that is NaN
/// Cost: an evaluation of all laws for each output whose reference is asked for and each gain, four for each number of
/// an input that counts at the moment; no allocation.
TD_API size_t td_law_numbers_at(void *numbers, const td_input_moment *at, td_input_slope *list);

/// The job whose run is differentiated: `spec`, whose method, where it is left open, is one that has derivatives.
/// @param job  out; borrows what spec borrows
TD_API void td_gradient_job(const td_dynamics_spec *spec, td_dynamics_spec *job);
/// What td_dynamics_check does not know: methods without derivatives (TD_UNSUPPORTED at /integrator/method), and what
/// else cannot be differentiated, each at its place.
/// @param spec  any; it is td_gradient_job of it that counts, here and below
TD_API TD_NODISCARD td_status td_gradient_check(const td_model *model, const td_dynamics_spec *spec,
                                                const td_variables *by, td_error *err);

typedef struct td_forward_hooks {
  td_run_hooks run; ///< as of td_dynamics_run; bytes of `checkpoint` hold the derivatives, too
  /// After run.sample of the same row. row_dp [row][np]. False cancels. NULL: nobody listens.
  bool (*sample)(void *context, double t, const double *row, const double *row_dp);
  void *context; ///< of this `sample`
} td_forward_hooks;
/// A run with the derivatives of its samples, carried along: for few numbers and many outputs.
/// @param hooks                may be NULL
/// @param resume, resume_size  bytes of a checkpoint of the same model, spec and numbers, or NULL, 0
/// @param statistics           out, as of td_dynamics_run: warnings, judgement and all; may be NULL
/// @return as td_dynamics_run; TD_SINGULAR where a map has no derivative
/// Cost: a step of an implicit method one derivative pass, one factorisation and np solutions, O(n^3 + n^2 np); one of
/// an explicit method that for each stage, one of radau three passes and one factorisation of three times the size.
/// Allocates at the start, and nothing later.
TD_API TD_NODISCARD td_status td_gradient_forward(const td_model *model, const td_dynamics_spec *spec,
                                                  const td_variables *by, const td_forward_hooks *hooks,
                                                  const void *resume, size_t resume_size, td_run_statistics *statistics,
                                                  td_error *err);

typedef struct td_backward_hooks {
  /// Of the run, as of td_dynamics_run; its `checkpoint` is not called, its `checkpoint_dt` (> 0) is: where segments
  /// end, of which one at a time is kept step by step. 0: the whole run is one.
  td_run_hooks run;
  /// Asked in the sweep, from the last sample to the first, t falling, with the row as run.sample has had it (the same
  /// bits): what objective changes by, by the row. `cotangent` [row] comes as zeros. False cancels. Every sample of the
  /// run has been reported before. Not NULL.
  bool (*cotangent)(void *context, size_t sample, double t, const double *row, double *cotangent);
  /// While the sweep goes on: the part of it (0 to 1, rising) that is behind us. False cancels. May be NULL.
  bool (*progress)(void *context, double part);
  /// All that td_gradient_backward needs to go on: during the run at its checkpoints, in the sweep after each segment.
  /// `t`: the time that run or sweep has come to; `part` as of progress, 0 in the run. False cancels. May be NULL.
  bool (*checkpoint)(void *context, double t, double part, const void *bytes, size_t size);
  void *context; ///< of cotangent, progress and checkpoint
} td_backward_hooks;
/// The gradient of an objective that `hooks->cotangent` tells the derivatives of, by all numbers at once: for many
/// numbers. The run goes forward, reporting its samples, then each of its segments is repeated and swept back.
/// @param resume, resume_size  bytes of a checkpoint of the same model, spec and numbers: the same bits come out. A run
///                             that is over is not reported again.
/// @param gradient             [np] out
/// @param statistics           out, of the run (as of td_dynamics_run); may be NULL
/// @return as td_gradient_forward
/// Cost: two runs, and per step of an implicit method a derivative pass and a factorisation, O(n^3), whatever np is;
/// the numbers of the model cost an evaluation (affine) or four each. Memory: one segment, about 3n doubles a step.
TD_API TD_NODISCARD td_status td_gradient_backward(const td_model *model, const td_dynamics_spec *spec,
                                                   const td_variables *by, const td_backward_hooks *hooks,
                                                   const void *resume, size_t resume_size, double *gradient,
                                                   td_run_statistics *statistics, td_error *err);

#endif
