// A dynamics run in progress: everything it needs between two calls of its loop.
#ifndef TENDRIL_RUN_RUN_H
#define TENDRIL_RUN_RUN_H

#include "base/stopwatch.h"
#include "integrate/events/approach.h"
#include "integrate/events/crossing.h"
#include "integrate/events/onset.h"
#include "plant/output.h"
#include "plant/singular.h"
#include "run/judge/creep.h"
#include "run/judge/drift.h"
#include "run/judge/guard.h"
#include "run/judge/march.h"
#include "run/judge/pace.h"
#include "run/judge/second/retrace.h"
#include "run/judge/sifted.h"
#include "run/judge/stretch.h"
#include "run/judge/through.h"
#include "run/ledger.h"

enum { TD_WITNESSES = 3 };

typedef struct td_run_state { // all that a checkpoint holds, besides y, reach and the states witnessed
  double t, hint;
  uint64_t sample;     ///< next sample to report
  uint64_t checkpoint; ///< multiples of checkpoint_dt passed
  bool smooth;         ///< the motion goes on smoothly here: the integrator may carry over what it knows
  td_ledger ledger;
  td_pace pace;
  td_energy first, last; ///< energy at t = 0, and at the end of the last step
  td_guard guard;
  td_march_account march;
  td_drift_account drift;
  td_retrace_account retrace;
  bool rests_stably; ///< it began at an equilibrium where the potential has a minimum
  bool rests_moving; ///< at one relative to prescribed joints that move
  bool witnessed;    ///< there are states kept (run/judge/witness.h): when they were, and their energies
  double witness_t[TD_WITNESSES], witness_most[TD_WITNESSES];
  double pressed; ///< J, the most that contacts held at the end of a step
  td_creep creep;
  bool put_down; ///< springs of contacts that stick are where the run began (run/hold.c)
  double held;   ///< J, in them
  double hurry;  ///< 1/s, of td_bristles_left
  td_run_statistics statistics;
} td_run_state;

struct td_recorder;

typedef struct td_simulation {
  const td_dynamics_spec *spec;
  struct td_recorder *recorder;   ///< NULL: nobody follows
  td_integrator_spec method_spec; ///< defaults of the method filled in; h_max is that of the segment at work
  double h_max;                   ///< that of the job
  td_run_hooks hooks;
  td_run_statistics *told; ///< the caller's, up to date at checkpoints and the end, at steps but for warnings; or NULL
  const td_integrator *method;
  td_stepper *stepper;
  td_plant plant;
  td_singular_watch singular;
  td_march march;
  td_drift drift;
  td_approach approach;
  td_onset onset;
  td_crossing crossing; ///< where the step at work shall end
  td_crossing foreseen; ///< the same, before it is taken
  bool sets_out;        ///< the next step starts there
  td_step_taken taken;  ///< the step just taken
  size_t given_next;    ///< of the steps to be taken again
  td_step_taken given;  ///< of these the one at work
  double cut;           ///< s, how long it was before it was made to
  td_energy now;        ///< of the step just taken, where it is looked into
  td_workspace *ws;
  td_inputs *inputs;
  td_control *control; ///< NULL: none
  td_output *output;
  td_run_state state;
  size_t sample_count;
  td_check check;                       ///< the caller's last word on the run's check
  double share;                         ///< of all the work, that the caller knows the run to be; 0: none was told
  const td_integrator_spec *checked_by; ///< the run of the check that is under way
  bool finer;                           ///< which is the third
  bool begun;                           ///< it has a state, and went on from it
  bool may_rechart, restart;            ///< joints with rotation vectors; one was rewritten in the step just taken
  double *memory, *y, *sample_y, *scratch, *row; ///< [2n], [2n], scratch of the ledger
  double *reach;                                 ///< [n] largest of each coordinate, at the ends of steps; behind y
  double *witness;                               ///< [TD_WITNESSES][2n], right behind reach
  td_sifted sifted;                              ///< [4][n], right behind witness
  double *stretch;                               ///< [2 springs], right behind sifted
  double *trace;                                 ///< [td_retrace_rows(n)][n], right behind stretch
  double *second;       ///< the same of the run that it was held against, where that said something; else NULL
  td_passages passages; ///< its sides lie right behind trace
  td_through *through;  ///< [td_through_size], behind them
  td_bristle *bristle;  ///< [model->bristle_count], behind these; then as many of the step taken
  double *carry;        ///< of the integrator, over checkpoints
  size_t carry_size;
  char *bytes; ///< of a checkpoint
  td_stopwatch watch;
  double wall_before, cpu_before; ///< spent before this process took over
} td_simulation;

/// Sets everything up but the state.
TD_NODISCARD td_status td_simulation_init(td_simulation *run, const td_model *model, const td_dynamics_spec *spec,
                                          const td_run_hooks *hooks, td_error *err);
void td_simulation_fini(td_simulation *run);

/// Times nearer than this are one time, s.
static inline double td_simulation_same_time(const td_simulation *run) { return 1e-11 * run->spec->t_end; }

/// run/segment.c: all segments from the state at hand to t_end, samples included.
TD_NODISCARD td_status td_simulation_integrate(td_simulation *run, td_error *err);
/// Those up to the next checkpoint, or to t_end.
TD_NODISCARD td_status td_simulation_advance(td_simulation *run, td_error *err);
/// Where the segment that begins at the state at hand ends: an event of the inputs, a checkpoint or t_end, s.
double td_simulation_segment_end(const td_simulation *run);
/// TD_CANCELLED at the time at hand.
td_status td_simulation_cancelled(const td_simulation *run, td_error *err);
/// Notes in the statistics what wall and CPU time the run has taken.
void td_simulation_spend(td_simulation *run);

/// run/step.c: starts the method at the state at hand (td_integrator.start), which the recorder is told.
TD_NODISCARD td_status td_simulation_restart(td_simulation *run, double stop, double hint, const double *carry,
                                             td_error *err);
/// A step towards `stop`. Where it passed through a force it is taken again, to end in there.
TD_NODISCARD td_status td_simulation_step(td_simulation *run, double stop, td_error *err);
/// Where a force has set in or ended at the end of that step the motion has another pace, and what the method knows of
/// it is past: it begins anew.
TD_NODISCARD td_status td_simulation_set_out(td_simulation *run, double stop, td_error *err);
/// Where the next step shall end at the latest, so that it does not pass a force unseen.
void td_simulation_note_barrier(td_simulation *run);
/// Forces may act inside a step that its ends do not know.
bool td_simulation_looks_into_steps(const td_simulation *run);

/// run/run.c: the controllers of the job, static inversions included.
TD_NODISCARD td_status td_simulation_control(td_simulation *run, td_error *err);
/// run/start.c: the state at t = 0; `first_end`: where the first segment ends, s.
TD_NODISCARD td_status td_simulation_start(td_simulation *run, double first_end, td_error *err);

/// run/hold.c: springs of contacts that stick: at the start of a segment; after a step, to y, before anything is asked
/// of it; and when all has been.
void td_simulation_put_down(td_simulation *run);
void td_simulation_hold(td_simulation *run, double h);
void td_simulation_go_on(td_simulation *run);

// checkpoint.c: the state as bytes and back.
size_t td_checkpoint_size(const td_simulation *run);
void td_checkpoint_write(const td_simulation *run, char *bytes);
TD_NODISCARD td_status td_checkpoint_read(td_simulation *run, const void *bytes, size_t size, td_error *err);

#endif
