// A dynamics run: set up, begun at t = 0 or at a checkpoint, integrated (run/segment.c), explained where it fails, and
// judged where it does not, by another run of the same job, too.
#include "run/choice.h"
#include "run/judge/balanced.h"
#include "run/judge/missed_reference.h"
#include "run/judge/witness.h"
#include "run/recorder.h"
#include "why/run_end.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void settle(td_simulation *run) {
  td_energy now = run->state.first;
  const double *y = run->y;
  if (y && !td_plant_energy(&run->plant, run->state.t, y, &now))
    run->state.statistics.energy = td_ledger_balance(&run->state.ledger, &run->state.first, &now);
  td_simulation_spend(run);
}

// Where a run ends next to a configuration in which loops lose rank, that is why.
static bool is_near_singular(td_simulation *run) {
  static const double near = 0.02; // of the largest singular value
  td_singular_watch *w = &run->singular;
  double value, size;
  int rank;
  if (run->plant.rows == 0 || !w->u) return false;
  td_status status = td_loop_smallest(&run->plant.projection, run->y, false, w->u, w->v, &value, &size, &rank);
  return !status && (size < near || rank < w->most);
}

// Adds the cause to a failure's message where the state at which the run ended shows one; the status, which a singular
// mass matrix changes.
static td_status explain(td_simulation *run, td_status status, td_error *err) {
  if (!run->y || (status != TD_NOT_CONVERGED && status != TD_STEP_TOO_SMALL && status != TD_NONFINITE)) return status;
  if (td_plant_massless(&run->plant, run->y))
    return td_fail(err, TD_SINGULAR, "", "%s at t = %.9g s: %s", run->method->name, run->state.t, run->plant.singular);
  td_run_end left = {run->method_spec.rtol, &run->state.statistics.warnings, is_near_singular(run), -1, 0};
  if (td_loop_drift(&run->plant.projection, run->y, &left.open, &left.loop)) left.loop = -1;
  td_run_end_explain(run->plant.model, run->y, &left, err);
  return status;
}

// True for a run from equilibrium, all of whose inputs are constant, that stayed where the tolerances see nothing.
static bool stays_at_rest(const td_simulation *run) {
  const td_dynamics_spec *spec = run->spec;
  bool constant = spec->controller_count == 0 && spec->initial == TD_INITIAL_EQUILIBRIUM;
  for (size_t i = 0; i < spec->input_count; i++) constant &= spec->inputs[i].signal.type == TD_SIGNAL_CONSTANT;
  for (int i = 0; spec->qd && i < run->plant.n; i++) constant &= spec->qd[i] == 0;
  return constant && run->method_spec.adaptive && run->state.guard.reach < 10 * run->method_spec.atol;
}

static bool ask_first(void *context, double t) {
  td_simulation *first = context;
  if (first->hooks.check) {
    double part = td_retrace_part(&first->method_spec, first->checked_by, first->finer, t / first->spec->t_end);
    first->check = first->hooks.check(first->hooks.context, td_enriched_begins(first->plant.model) * part);
    return first->check == TD_CHECK_ON;
  }
  return !first->hooks.step || first->hooks.step(first->hooks.context, first->state.t);
}

static td_status go(td_simulation *run, const td_model *model, const td_dynamics_spec *spec, const td_run_hooks *hooks,
                    const void *resume, size_t resume_size, td_error *err);

// The same job by other means, `finer` or what is cheapest. NULL: no memory. To be ended by forget().
static td_simulation *again(td_simulation *run, bool finer, td_dynamics_spec *spec, td_status *status, td_error *why) {
  td_run_hooks hooks = {.context = run, .step = ask_first};
  td_simulation *other = calloc(1, sizeof *other);
  if (!other) return NULL;
  td_retrace_spec(run->spec, &run->state.statistics, &run->method_spec, finer, spec);
  run->checked_by = &spec->integrator;
  run->finer = finer;
  *status = go(other, run->plant.model, spec, &hooks, NULL, 0, why);
  if (!*status && other->state.retrace.rows < td_retrace_rows(other->plant.n)) *status = TD_INTERNAL;
  return other;
}

// The caller has no time for it.
static bool is_cut(td_simulation *run, td_status *status) {
  if (*status != TD_CANCELLED || run->check != TD_CHECK_CUT) return false;
  td_warn(
      &run->state.statistics.warnings, "check_cut", "/max_wall_s",
      "the run came to its end, but not its check, a second run that tells what errors of steps have added up to: the "
      "time of the job was up; give it about twice the time");
  *status = TD_NOT_CONVERGED;
  return true;
}

static void forget(td_simulation *other) {
  if (other) td_simulation_fini(other);
  free(other);
}

static void keep_second(td_simulation *run, const td_simulation *other) {
  size_t size = (size_t)td_retrace_rows(run->plant.n) * (size_t)run->plant.n * sizeof *run->second;
  run->second = malloc(size);
  if (run->second) memcpy(run->second, other->trace, size);
}

// Where the second run comes to no end nothing is known; where the third does not, what the second says.
static td_status retrace(td_simulation *run, td_error *why) {
  td_run_state *s = &run->state;
  const td_integrator_spec *used = &run->method_spec;
  if (s->retrace.rows < td_retrace_rows(run->plant.n)) return TD_OK;
  if (!td_retrace_wanted(&s->retrace, used, &s->statistics, run->plant.n + run->plant.rows)) return TD_OK;
  td_dynamics_spec spec, finer;
  td_status status = TD_OK, said = TD_OK;
  td_simulation *second = again(run, false, &spec, &status, why), *third = NULL, *last = second;
  bool ends = second && !status;
  if (second && status && status != TD_CANCELLED)
    td_warn(&s->statistics.warnings, "check_cut", "/integrator",
            "the run came to its end, but not its check, a second run by %.20s that tells what errors of steps have "
            "added up to (%.300s): compare with a run at a tenth of rtol and atol",
            td_integrator_get(spec.integrator.method)->name, why->message);
  is_cut(run, &status);
  if (ends && td_retrace_doubts(&run->plant, used, &second->method_spec, s->t, run->trace, second->trace)) {
    third = again(run, true, &finer, &status, why);
    if (third && !status) last = third;
    is_cut(run, &status);
  }
  if (ends && status != TD_CANCELLED)
    said = td_retrace_judge(&run->plant, used, &last->method_spec, s->t, run->trace, last->trace, &s->statistics, why);
  if (said) keep_second(run, last);
  forget(third);
  forget(second);
  return status == TD_CANCELLED ? status : said;
}

static td_status other_run(const td_model *model, const td_dynamics_spec *spec, const td_run_hooks *hooks,
                           const td_run_statistics **at_work) {
  td_error why = {0};
  td_simulation *other = calloc(1, sizeof *other);
  if (other) *at_work = &other->state.statistics;
  td_status status = other ? go(other, model, spec, hooks, NULL, 0, &why) : TD_NO_MEMORY;
  forget(other);
  return status;
}

static td_status judge(td_simulation *run, td_error *err) {
  td_error why = {0};
  td_run_state *s = &run->state;
  // what statics left of a force moves a robot that floats: that is no motion
  td_creep_tell(&s->creep, run->plant.model, &s->statistics);
  s->guard.at_rest = stays_at_rest(run);
  bool still = s->guard.at_rest || s->guard.reach < run->method_spec.atol ||
               s->statistics.energy.exchanged <= 1e-6 * s->guard.size;
  if (run->spec->initial == TD_INITIAL_EQUILIBRIUM && still) s->guard.reach = 0;
  td_guard_tell_small(&s->guard, &run->plant, run->spec, &run->method_spec, run->reach, &s->statistics);
  td_status status = td_guard_judge(&s->guard, run->plant.model, &run->method_spec, &s->statistics, &why);
  bool is_one = !status;                                            // a motion
  if (!status && !td_choice_tell(run->plant.model, &s->statistics)) // energy_error tells a cutoff itself
    td_sifted_tell(&run->sifted, &run->plant, run->spec, run->y, &s->guard, &s->statistics);
  td_stretch_tell(&run->plant, &run->method_spec, s->t, run->y, run->reach, run->stretch, &s->statistics);
  double least = td_guard_rounding(&s->guard);
  s->march.kinetic = fmax(s->march.kinetic, s->guard.carried);
  if (!status) status = td_march_judge(&run->march, &s->march, &run->method_spec, least, &s->statistics, &why);
  if (!status && run->state.guard.reach > 0)
    status = td_drift_judge(&run->drift, &s->drift, &run->plant, &run->method_spec, run->reach, &s->statistics, &why);
  if (!status) td_balanced_tell(run);
  if (!status) td_missed_reference_tell(run);
  if (!status && run->state.guard.reach > 0) status = retrace(run, &why);
  if (status == TD_CANCELLED) return td_fail(err, status, "", "%s", why.message);
  if (is_one && td_witness_judge(run, other_run)) // of a motion that is none, nothing else is to be said
    return td_fail(err, TD_CANCELLED, "", "cancelled at t = %.9g s", run->state.t);
  return status && run->spec->fail_on_inconsistency ? td_fail(err, status, why.pointer, "%s", why.message) : TD_OK;
}

// Static inversions take time: the step hook is asked in between.
td_status td_simulation_control(td_simulation *run, td_error *err) {
  td_control_hooks hooks = {run->hooks.step, run->hooks.context, run->state.t, &run->state.statistics.warnings};
  td_status status = td_control_create(run->plant.model, run->ws, run->inputs, run->spec, &hooks, &run->control, err);
  run->plant.control = run->control;
  return status;
}

static td_status go(td_simulation *run, const td_model *model, const td_dynamics_spec *spec, const td_run_hooks *hooks,
                    const void *resume, size_t resume_size, td_error *err) {
  td_recorder *recorder = run->recorder;
  td_run_statistics *told = run->told;
  td_status status = td_simulation_init(run, model, spec, hooks, err);
  run->recorder = recorder, run->told = told;
  if (!status && resume) status = td_checkpoint_read(run, resume, resume_size, err);
  if (!status) status = td_simulation_control(run, err);
  if (!status && !resume) {
    status = td_simulation_start(run, td_simulation_segment_end(run), err);
    if (run->y && status == TD_NONFINITE) td_run_end_add_cause(run->plant.model, run->y, err);
  }
  run->begun = !status;
  if (!status && recorder) status = recorder->begun(recorder->context, run, resume, err);
  return status ? status : td_simulation_integrate(run, err);
}

td_status td_dynamics_run_recorded(const td_model *model, const td_dynamics_spec *spec, const td_run_hooks *hooks,
                                   td_recorder *recorder, const void *resume, size_t resume_size,
                                   td_run_statistics *statistics, td_error *err) {
  td_simulation run = {.recorder = recorder, .told = statistics};
  td_status status = go(&run, model, spec, hooks, resume, resume_size, err);
  if (run.begun) {
    status = explain(&run, status, err);
    settle(&run);
  }
  if (!status && !run.hooks.again) status = judge(&run, err);
  if (run.begun) td_simulation_spend(&run); // with what the judgement took
  if (statistics) *statistics = run.state.statistics;
  td_simulation_fini(&run);
  return status;
}

td_status td_dynamics_run(const td_model *model, const td_dynamics_spec *spec, const td_run_hooks *hooks,
                          const void *resume, size_t resume_size, td_run_statistics *statistics, td_error *err) {
  return td_dynamics_run_recorded(model, spec, hooks, NULL, resume, resume_size, statistics, err);
}
