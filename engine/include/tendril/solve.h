// Runs over time and equilibria: input signals, integrators, statics, and what a run reports.
//
// Nothing here opens a file or prints. A run calls back through td_run_hooks at step boundaries (progress, cancel,
// checkpoint) and at output times (samples); the caller decides what to do with them. A run allocates at its start
// only.
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
/// "constant", "sine" …; constant memory.
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

/// The methods, a line each: enumerator and row, td_integrator_<row>, which is all that its file in integrate/ exports.
/// dae is bdf on the equation of motion itself instead of forward dynamics; radau is Radau IIA of order 5, stable on
/// undamped stiff modes.
#define TD_METHODS(LINE)                                                                                               \
  LINE(BDF, bdf)                                                                                                       \
  LINE(DAE, dae)                                                                                                       \
  LINE(NEWMARK, newmark)                                                                                               \
  LINE(HHT, hht)                                                                                                       \
  LINE(GENERALIZED_ALPHA, generalized_alpha)                                                                           \
  LINE(RADAU, radau)                                                                                                   \
  LINE(RK45, rk45)                                                                                                     \
  LINE(RK4, rk4)                                                                                                       \
  LINE(EULER_IMPLICIT, euler_implicit)

#define TD_METHOD_ENUMERATOR(word, row) TD_METHOD_##word,
typedef enum td_method {
  /// Loops: radau (generalized_alpha where h or options of its family are given). Trees: radau where modes are fast and
  /// hardly damped, bdf elsewhere.
  TD_METHOD_AUTOMATIC = -1,
  TD_METHODS(TD_METHOD_ENUMERATOR) TD_METHOD_COUNT
} td_method;
/// "bdf", "dae" …; constant memory.
TD_API const char *td_method_name(td_method method);

/// How loops enter the equations: index 1, by accelerations with Baumgarte's stabilisation; index 3, by e(q) = 0
/// itself.
typedef enum td_formulation {
  TD_FORMULATION_AUTOMATIC = -1, ///< index 3 in newmark, hht, generalized_alpha, index 1 elsewhere
  TD_FORMULATION_INDEX1 = 0,
  TD_FORMULATION_INDEX3,
  TD_FORMULATION_COUNT
} td_formulation;
/// "index1", "index3".
TD_API const char *td_formulation_name(td_formulation formulation);

typedef enum td_option { // bits of td_integrator_spec.given
  TD_OPTION_RTOL = 1 << 0,
  TD_OPTION_ATOL = 1 << 1,
  TD_OPTION_H_MAX = 1 << 2,
  TD_OPTION_GAMMA = 1 << 3,
  TD_OPTION_BETA = 1 << 4,
  TD_OPTION_ALPHA = 1 << 5,
  TD_OPTION_RHO_INF = 1 << 6,
  TD_OPTION_ADAPTIVE = 1 << 7,
  TD_OPTION_BAUMGARTE = 1 << 8,
  TD_OPTION_CUTOFF = 1 << 9,
  TD_OPTION_MAX_STEPS = 1 << 10
} td_option;

typedef struct td_integrator_spec { // defaults in parentheses, td_integrator_defaults fills them
  td_method method;                 ///< (automatic)
  double rtol, atol; ///< bdf, dae, rk45, adaptive steps (1e-6, 1e-9); bdf and dae hold steps to a tenth of
                     ///< them, down to rtol 1e-6
  double h;     ///< (0: the method's own) step of fixed-step methods (0.002); first step of the others (found by them)
  double h_max; ///< bdf, dae, rk45, adaptive (0: a tenth of the run, less when inputs change faster)
  double gamma, beta; ///< newmark, hht, generalized_alpha (NaN: 0.5 and 0.25 for newmark, derived for the others)
  double alpha;       ///< hht: alpha of Hilber, Hughes and Taylor, in [-1/3, 0] (-0.05)
  double rho_inf;     ///< generalized_alpha: spectral radius at infinity, in [0, 1] (0.8)
  bool adaptive;      ///< newmark, hht, generalized_alpha: steps chosen by the estimated error (false)
  td_formulation formulation; ///< (automatic)
  /// radau, and adaptive steps of trees: modes faster than this, rad/s, are held stable but not resolved: they count
  /// less in the error. (0: 2000 / t_end, or, where that is more: 30 times the slowest mode, 10 over the inputs' time
  /// scale, 4 times their fastest, or what the first 99 % of the energy at the start, of all, of a coordinate of a
  /// joint and of a body, ask for as far as 1.7e5 / t_end allows.) INFINITY: all count
  double cutoff;
  double max_steps;       ///< adaptive steps: a run that heads for more of them ends (0: 1e7 / (1 + (n / 32)^2))
  double baumgarte;       ///< time constant of index 1, s (0: TD_BAUMGARTE)
  bool finite_difference; ///< derivatives by forward differences instead of analytic (false)
  unsigned given; ///< (0) td_option bits: what the document said; an option that the method does not have is refused
} td_integrator_spec;
/// @param spec  out, every member: the defaults above
TD_API void td_integrator_defaults(td_integrator_spec *spec);

/// A number among the options: its word in documents, where it is kept, and what it may be there.
typedef struct td_integrator_number {
  const char *key;
  unsigned option; ///< td_option, 0: every method has it and given->given does not tell of it
  size_t offset;   ///< of its double in td_integrator_spec
  enum td_sign { TD_SIGN_ANY, TD_SIGN_NOT_NEGATIVE, TD_SIGN_POSITIVE } sign; ///< of a document's value
  double least, most; ///< of the value used; 0 and 0: no bounds but the sign
} td_integrator_number;
/// All of them, whatever the method: [*count].
TD_API const td_integrator_number *td_integrator_numbers(size_t *count);

// ------------------------------------------------------------------------------------------------ controllers

/// The controllers, a line each: enumerator and row, td_controller_<row>, which a file in control/ exports.
#define TD_CONTROLLERS(LINE)                                                                                           \
  LINE(PD_PLUS, pd_plus)                                                                                               \
  LINE(COMPUTED_TORQUE, computed_torque)                                                                               \
  LINE(PARTIAL_FEEDBACK_LINEARISATION, partial_feedback_linearisation)                                                 \
  LINE(FEED_FORWARD, feed_forward)

#define TD_CONTROLLER_ENUMERATOR(word, row) TD_CONTROLLER_##word,
typedef enum td_controller_type {
  TD_CONTROLLERS(TD_CONTROLLER_ENUMERATOR) TD_CONTROLLER_TYPE_COUNT
} td_controller_type;
/// "pd_plus", "computed_torque" …; constant memory.
TD_API const char *td_controller_type_name(td_controller_type type);

/// What a reference says: coordinates, lengths of the channels' tendons, positions of tips, or the inputs themselves.
typedef enum td_reference_space {
  TD_SPACE_JOINT,
  TD_SPACE_TENDON,
  TD_SPACE_TIP,
  TD_SPACE_INPUT, ///< no word in documents: feed_forward without a space
  TD_SPACE_COUNT
} td_reference_space;
/// "joint", "tendon", "tip".
TD_API const char *td_reference_space_name(td_reference_space space);

typedef enum td_interpolation {
  TD_INTERPOLATION_CUBIC,  ///< from knot to knot, at rest in each
  TD_INTERPOLATION_SPLINE, ///< natural cubic spline
  TD_INTERPOLATION_LINEAR, ///< feed_forward only
  TD_INTERPOLATION_COUNT
} td_interpolation;
/// "cubic", "spline", "linear".
TD_API const char *td_interpolation_name(td_interpolation interpolation);

typedef struct td_reference_spec {
  td_reference_space space;
  const char *const *coordinates; ///< joint: one per channel; count 0: those of the joint actuators, or all free ones
  size_t coordinate_count;
  const char *const *tips; ///< tip: links; count 0: the last link of the model
  size_t tip_count;
  const double *t;     ///< [knots], rising strictly; the reference is held outside
  const double *value; ///< [rows][width], one row per knot: rad, m; lengths m; x, y, z of each tip, m
  size_t knots, rows, width;
  td_interpolation interpolation;
} td_reference_spec;

/// A law that gives the inputs of some channels from (t, q, qd). engine/control/controller.c has the equations.
typedef struct td_controller_spec {
  td_controller_type type;
  const char *const *channels;
  size_t channel_count;
  const double *kp, *kd; ///< [1] for all channels, or one each; not of feed_forward
  size_t kp_count, kd_count;
  double from, until; ///< s: acts in [from, until), its inputs are 0 outside; until 0: to the end
  td_reference_spec reference;
} td_controller_spec;

enum { TD_MAX_CONTROLLERS = 64 };

// ------------------------------------------------------------------------------------------------ dynamics runs

/// TD_INITIAL_EQUILIBRIUM: all at rest for the inputs at t = 0; relative to prescribed joints that turn on at their
/// rates then, loops along with them, as if they stood where they go to and fro (statics/turning/relative_rest.h).
/// Warnings passing_equilibrium, rates_left_out where none lasts.
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
  const td_controller_spec *controllers;
  size_t controller_count;
  bool controller_list; ///< the document has an array of them: pointers read /controller/1/kp, otherwise /controller/kp
  td_integrator_spec integrator;
  bool fail_on_inconsistency; ///< a run whose accounts do not close ends with TD_INCONSISTENT, not with a warning alone
  double output_dt;           ///< s, > 0; samples at 0, dt, 2 dt, … and t_end
  const double *times;        ///< [time_count] or NULL: samples at these rising times instead, the last one t_end
  size_t time_count;
  const char *const *fields; ///< of the job's `output`: q, qd, qdd, u, energy, strain:LINK, poses:LINK, poses:LINK@S,
                             ///< shape:LINK, tendons
  size_t field_count;
} td_dynamics_spec;

/// What a caller says to the check of a run that is over: go on, leave it unfinished (the run is what it is), or cancel
/// the job.
typedef enum td_check { TD_CHECK_ON, TD_CHECK_CUT, TD_CHECK_CANCEL } td_check;

typedef struct td_run_hooks { // every member may be NULL; `context` is handed to all
  void *context;
  /// After every accepted step. Return false to cancel: the run then ends with TD_CANCELLED at this step.
  bool (*step)(void *context, double t);
  /// At every output time, in order. `row` is laid out by td_run_output_members.
  bool (*sample)(void *context, double t, const double *row);
  /// At fixed simulated times (multiples of `checkpoint_dt`, when > 0), where every run reinitialises its integrator
  /// whether or not it is interrupted, so that a resumed run has the same bits. `bytes` is all that td_dynamics_run
  /// needs to go on.
  bool (*checkpoint)(void *context, double t, const void *bytes, size_t size);
  double checkpoint_dt;
  /// What part of all the work the run itself is expected to be (0 to 1, 1: no check comes), whenever that changes,
  /// ahead of `step`.
  void (*share)(void *context, double share);
  /// A run whose errors may have added up is repeated when it is over (run/judge/retrace.h): after each step of that,
  /// `part` (0 to 1, it never falls) of the check. Every sample has been reported by then, no checkpoint comes any
  /// more. NULL: `step` is asked, with the time of the end.
  td_check (*check)(void *context, double part);
} td_run_hooks;

typedef struct td_energy_balance { // J, over the whole run: change of energy = work in - dissipation + error
  double kinetic, elastic, gravitational, contact, magnetic; ///< final minus initial; kinetic with the water moved
  double actuation, loads;                                   ///< work done by actuators and loads on the robot
  double prescribed;                                         ///< by the forces that drive prescribed joints
  double hydrodynamics;                                      ///< by drag and lift
  double loops;       ///< by loop multipliers: Baumgarte's stabilisation and index 3's A qd, 0 on the constraint
  double dissipation; ///< >= 0: by material and joint damping
  double error;       ///< change - (sum of all work - dissipation)
  /// What all of these moved, there and back: integral of |powers| of the works and of damping, and every change of the
  /// energies that are stored. The scale that `error` is judged against.
  double exchanged;
} td_energy_balance;

/// Small vibrations about a state, of the modes that are hardly damped (less than 0.3 of critical).
typedef struct td_spectrum {
  bool known;             ///< false: not asked for, or the mass matrix is singular
  double highest, lowest; ///< frequencies, rad/s: of the fastest hardly damped mode and of the slowest mode; 0: none
  double damping;         ///< ratio of the fastest hardly damped mode
  double decay; ///< 1/s, the slowest decay of free motion and of modes below 0.02 of critical; infinite: there are none
  /// rad/s: hardly damped modes faster than this hold 1 % of the vibrations' energy at the start; 0: it is at rest.
  double energetic;
  /// rad/s: the same of one coordinate of a joint, or of one body, whichever is fastest; of those that can be resolved.
  double seen, payable;
  double driving;      ///< rad/s: of the fastest input or turning joint at the start
  int seen_coordinate; ///< whose motion `seen` is, -1: none
  int coordinate;      ///< that holds most of the energy of the fastest hardly damped mode, -1: none
} td_spectrum;

/// Why a run took its method.
typedef enum td_choice {
  TD_CHOICE_ASKED,    ///< the job says so
  TD_CHOICE_LOOPS,    ///< the model has loops: radau; generalized_alpha where h or options of its family are given
  TD_CHOICE_UNDAMPED, ///< fast modes are hardly damped: radau
  TD_CHOICE_LASTING,  ///< some motion lasts as long as the run, because nothing damps it: radau
  TD_CHOICE_DAMPED,   ///< there are none: bdf
  TD_CHOICE_UNKNOWN   ///< the modes could not be found: bdf
} td_choice;

/// Of linearisations: undamped modes that are within 2 % of those with more strain functions.
typedef struct td_mode_trust {
  bool known;         ///< else nothing could be compared: no rods, or too many coordinates
  int count, trusted; ///< modes in all; the lowest ones up to the first that is not, at the worst point
  double up_to;       ///< rad/s, the last of them; 0: none
} td_mode_trust;

typedef struct td_run_statistics {
  td_method method; ///< that ran
  td_choice choice;
  double rtol, atol;    ///< that its steps were held to, if they were controlled
  double cutoff;        ///< rad/s: faster modes are not resolved; 0: all are
  double limit;         ///< rad/s: the automatic choice takes radau for hardly damped modes beyond it, else bdf
  td_spectrum spectrum; ///< at the start, where it was asked for
  uint64_t steps, rejected, evaluations, jacobians, factorisations, newton_iterations, nonlinear_failures;
  uint64_t recharts;    ///< changes of a rotation vector beyond 1.5 pi to the one below pi of the same rotation
  uint64_t projections; ///< of q onto e(q) = 0 and of qd onto A qd = 0
  double drift;         ///< largest loop error at the end of a step, before projection (rad, m)
  double free_rotation; ///< largest rotation that a loop's joint left free at the end of a step, rad, up to half a turn
  uint64_t singular;    ///< configurations passed in which the rows of loops lose rank: bifurcations
  double singular_t;    ///< the first of them, s
  double push;          ///< the strongest push that a controller asked of a tendon (tension -push), N; 0: none did
  double push_t;        ///< when, s
  int push_channel;     ///< of which
  double wall_s, cpu_s;
  double t; ///< time reached
  td_energy_balance energy;
  td_mode_trust modes;  ///< td_linearize_run
  td_warnings warnings; ///< what td_dynamics_check found odd, then what the run did; survives checkpoints
} td_run_statistics;

/// The integrator a run of this job will use: the automatic choices and defaults of `spec->integrator` filled in, as
/// far as they do not hang on the spectrum at the start: bdf here may become radau in the run
/// (td_run_statistics.method).
/// @param resolved  out
/// Cost: O(n), no allocation.
TD_API void td_integrator_resolve(const td_model *model, const td_dynamics_spec *spec, td_integrator_spec *resolved);
/// Why the run took its method, in a sentence with its numbers.
/// @param text  [size] out, zero-terminated, cut where it does not fit
TD_API void td_run_reason(const td_model *model, const td_run_statistics *statistics, char *text, size_t size);
/// The layout of one output row, in the order of spec->fields.
/// @param members   [capacity] out, the first of them: `name` is the field ("q", "poses:arm@1"); rank, dim of a sample
/// @param row_size  out, doubles of a row
/// @return how many members there are; -1 with `err` when a field is unknown (pointer /output/fields/i)
TD_API int td_run_output_members(const td_model *model, const td_dynamics_spec *spec, td_member *members, int capacity,
                                 size_t *row_size, td_error *err);
/// Samples of a whole run: times 0, dt, 2 dt, … and t_end. 0 when output_dt or t_end is not usable.
TD_API size_t td_run_sample_count(const td_dynamics_spec *spec);
/// Every rule of a dynamics job against its model; JSON pointers relative to the job document (/inputs/cable1/t/2).
/// @param warnings  appended to: what is odd but may be meant; may be NULL
TD_API TD_NODISCARD td_status td_dynamics_check(const td_model *model, const td_dynamics_spec *spec,
                                                td_warnings *warnings, td_error *err);
/// Runs it. A run that came to its end is judged: |energy error| or loop work beyond 1 % of what was exchanged, or a
/// loop open by more than 1e-4 at an output time, is a warning in its statistics; engine/README.md says what else is.
/// @param hooks                what to call meanwhile
/// @param resume, resume_size  bytes of a checkpoint of the same model and spec, or NULL, 0
/// @param statistics           out, filled as far as the run came, failures included
/// @return TD_OK, TD_CANCELLED, TD_INCONSISTENT (every sample was reported), or a failure whose `err` says time,
/// residual and worst coordinate
TD_API TD_NODISCARD td_status td_dynamics_run(const td_model *model, const td_dynamics_spec *spec,
                                              const td_run_hooks *hooks, const void *resume, size_t resume_size,
                                              td_run_statistics *statistics, td_error *err);

// ------------------------------------------------------------------------------------------------ linearisation

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

// ------------------------------------------------------------------------------------------------ statics

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
