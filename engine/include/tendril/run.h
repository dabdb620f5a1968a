// Runs over time: what a job asks for and what a run reports.
//
// Nothing here opens a file or prints. A run calls back through td_run_hooks at step boundaries (progress, cancel,
// checkpoint) and at output times (samples); the caller decides what to do with them. A run allocates at its start
// only.
#ifndef TENDRIL_RUN_H
#define TENDRIL_RUN_H

#include "tendril/control.h"
#include "tendril/dynamics.h"
#include "tendril/errors.h"
#include "tendril/input.h"
#include "tendril/integrate.h"
#include <stdint.h>

enum { TD_MAX_SAMPLES = 10000000 };

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

/// What a step was beside its size.
typedef enum td_step_how {
  TD_STEP_HELD = 1,   ///< its end had drifted off loops that are held by their accelerations, and was put back on them
  TD_STEP_SET_OUT = 2 ///< a force set in or ended at its end: the method started anew there
} td_step_how;
/// A step as a run took it, all that is needed to take it again.
typedef struct td_step_taken {
  double t, h;  ///< s: its end; its size
  unsigned how; ///< td_step_how bits
} td_step_taken;

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
  /// A run whose errors may have added up is repeated when it is over (run/judge/second/retrace.h): after each step of that,
  /// `part` (0 to 1, it never falls) of the check. Every sample has been reported by then, no checkpoint comes any
  /// more. NULL: `step` is asked, with the time of the end.
  td_check (*check)(void *context, double part);
  /// Each step that was accepted, once it is known how the next one begins.
  void (*took)(void *context, const td_step_taken *step);
  /// Steps of another run, as `took` had them, to be taken again: for differences between runs that depend on a number,
  /// since what else chooses steps (errors, contacts, drift) leaps. Inputs may jump, and checkpoints come, at the same
  /// times only. Newton's iteration goes on until rounding ends it, a step that it cannot solve ends the run, and
  /// nothing of the run is judged. One-step methods, else TD_UNSUPPORTED; NULL: none.
  const td_step_taken *again;
  size_t again_count;
} td_run_hooks;

typedef struct td_energy_balance { // J, over the whole run: change of energy = work in - dissipation + error
  TD_ENERGY_OF_KINDS;              ///< final minus initial; kinetic with the water moved
  double actuation, loads;         ///< work done by actuators and loads on the robot
  double prescribed;               ///< by the forces that drive prescribed joints
  double hydrodynamics;            ///< by drag and lift
  double loops;          ///< by loop multipliers: Baumgarte's stabilisation and index 3's A qd, 0 on the constraint
  double dissipation;    ///< >= 0: by material and joint damping
  double contact_losses; ///< >= 0: by friction and damping of contacts
  double error;          ///< change - (sum of all work - dissipation - contact_losses)
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
  TD_CHOICE_DAMPED,   ///< there are none: radau; bdf where there are many coordinates
  TD_CHOICE_UNKNOWN,  ///< the modes could not be found: as damped
  TD_CHOICE_WINDING   ///< a rotation vector with a spring or an actuator along it may get to a whole turn: radau
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
  int winding;          ///< of TD_CHOICE_WINDING: the first coordinate of the joint
  double rtol, atol;    ///< that its steps were held to, if they were controlled
  double cutoff;        ///< rad/s: faster modes are not resolved; 0: all are
  double limit;         ///< rad/s: beyond it hardly damped modes are fast (TD_CHOICE_UNDAMPED)
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
/// The time of sample i of these, s.
TD_API double td_run_sample_time(const td_dynamics_spec *spec, size_t i);
/// Every rule of a dynamics job against its model; JSON pointers relative to the job document (/inputs/cable1/t/2).
/// @param warnings  appended to: what is odd but may be meant; may be NULL
TD_API TD_NODISCARD td_status td_dynamics_check(const td_model *model, const td_dynamics_spec *spec,
                                                td_warnings *warnings, td_error *err);
/// All independent errors of a job that td_dynamics_check refuses, appended: of each input, controller and field of the
/// output the first one, and of each other part. The first is td_dynamics_check's. Cost: of that check.
TD_API void td_dynamics_errors(const td_model *model, const td_dynamics_spec *spec, td_errors *all);
/// Runs it. A run that came to its end is judged: |energy error| or loop work beyond 1 % of what was exchanged, or a
/// loop open by more than 1e-4 at an output time, is a warning in its statistics; engine/run/judge/README.md says
/// what else is.
/// @param hooks                what to call meanwhile
/// @param resume, resume_size  bytes of a checkpoint of the same model and spec, or NULL, 0
/// @param statistics           out, filled as far as the run came, failures included
/// @return TD_OK, TD_CANCELLED, TD_INCONSISTENT (every sample was reported), or a failure whose `err` says time,
/// residual and worst coordinate
TD_API TD_NODISCARD td_status td_dynamics_run(const td_model *model, const td_dynamics_spec *spec,
                                              const td_run_hooks *hooks, const void *resume, size_t resume_size,
                                              td_run_statistics *statistics, td_error *err);

#endif
