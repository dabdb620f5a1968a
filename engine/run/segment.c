// The segments of a run, from its initial state to t_end.
//
// Segments end at jumps of the inputs, at checkpoints, where a rotation vector is rewritten (rechart.h) and at t_end;
// at each start the integrator begins anew, so the bits of a segment depend on what stands in a checkpoint at its start
// only: the state and, where the motion goes on smoothly, what the integrator carries over (accelerations of one-step
// methods). Within a segment every accepted step is followed by the energy ledger, the samples that fall into it (by
// interpolation: sampling never limits a step), and the step hook. A sample at a segment's start is taken there, with
// the inputs as they are from then on; the last sample is the final state. Times that differ by rounding are the same,
// and where there are loops a sample's rates obey them wherever it is taken: some methods keep rates at the ends of
// steps that miss them by the error of the step, and a run goes on with those.
#include "closure/rechart.h"
#include "constraint/closed_chain.h"
#include "constraint/loop_closure.h"
#include "integrate/events/across.h"
#include "model/workspace.h"
#include "run/judge/witness.h"
#include "run/recorder.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ times

static double next_checkpoint(const td_simulation *run) {
  double dt = run->hooks.checkpoint_dt;
  return dt > 0 ? (double)(run->state.checkpoint + 1) * dt : INFINITY;
}

static double next_event(const td_simulation *run) {
  return td_plant_next_event(&run->plant, run->state.t + td_simulation_same_time(run));
}

double td_simulation_segment_end(const td_simulation *run) {
  double tiny = td_simulation_same_time(run), end = run->spec->t_end, event = next_event(run),
         checkpoint = next_checkpoint(run);
  if (event < end - tiny) end = event;
  if (checkpoint < end - tiny) end = checkpoint;
  return end;
}

// ------------------------------------------------------------------------------------------------ samples

td_status td_simulation_cancelled(const td_simulation *run, td_error *err) {
  return td_fail(err, TD_CANCELLED, "", "cancelled at t = %.9g s", run->state.t);
}

static td_status report(td_simulation *run, double t, const double *y, bool inside, td_error *err) {
  td_recorder *recorder = run->recorder;
  td_guard_note_loops(&run->state.guard, &run->plant, t, y);
  td_status status = td_output_fill(run->output, &run->plant, t, y, run->row);
  if (status)
    return td_fail(err, status, "", "the output at t = %.9g s cannot be had: %s", t,
                   status == TD_SINGULAR ? td_plant_singular(&run->plant) : "it is not finite");
  run->state.sample++;
  bool go = !run->hooks.sample || run->hooks.sample(run->hooks.context, t, run->row);
  if (!go) return td_simulation_cancelled(run, err);
  if (!recorder) return TD_OK;
  return recorder->sampled(recorder->context, run, run->state.sample - 1, t, inside, err);
}

// What a sample at the state's own time reports.
static const double *settled(td_simulation *run) {
  if (run->plant.rows == 0) return run->y;
  memcpy(run->sample_y, run->y, 2 * (size_t)run->plant.n * sizeof *run->y);
  td_plant_settle_rates(&run->plant, run->sample_y);
  return run->sample_y;
}

// s: by which a sample's time and the end of a step may differ that are meant to be the same.
static double rounding(const td_simulation *run) { return 8 * DBL_EPSILON * run->spec->t_end; }

// Reports the samples before `end`: those at the state's own time from the state, others from the step behind it.
static td_status samples_before(td_simulation *run, double end, td_error *err) {
  while (run->state.sample + 1 < run->sample_count) {
    double t = td_run_sample_time(run->spec, run->state.sample);
    if (t >= end) return TD_OK;
    bool inside = t < run->state.t - rounding(run);
    if (inside && run->method->interpolate(run->stepper, t, run->sample_y))
      return td_fail(err, TD_INTERNAL, "", "no interpolation at t = %.9g s", t);
    if (inside) td_plant_settle(&run->plant, t, run->sample_y);
    td_status status = report(run, t, inside ? run->sample_y : settled(run), inside, err);
    if (status) return status;
  }
  return TD_OK;
}

// Those up to now; at a segment's end without those at the end itself, which are the next one's.
static td_status samples_of_step(td_simulation *run, double stop, td_error *err) {
  double now = run->state.t, tiny = rounding(run);
  bool over = now >= stop, last = over && stop >= run->spec->t_end;
  return samples_before(run, last ? stop : over ? stop - tiny : now + tiny, err);
}

// ------------------------------------------------------------------------------------------------ segments

static void note_rotation(td_simulation *run) {
  int loop;
  double angle = td_loop_free_rotation(run->plant.model, run->ws, run->y, &loop);
  run->state.statistics.free_rotation = fmax(run->state.statistics.free_rotation, angle);
  td_loop_follow(run->plant.model, run->ws, run->y, false);
  if (run->ws->constraint.doubt) td_plant_note_rank(&run->plant, false, run->y);
  td_singular_note(&run->singular, &run->plant, run->state.t, run->y);
}

// What a passive robot exchanges: the energies that positions store, from the end of one step to the end of the next.
static void note_exchange(td_simulation *run) {
  td_energy now = run->now, *last = &run->state.last;
  bool known = td_simulation_looks_into_steps(run) && run->plant.model->spring_count == 0;
  if (!known && td_plant_energy(&run->plant, run->state.t, run->y, &now)) return;
  td_stretch_note(&run->plant, run->stretch);
  double stored = 0;
  for (int k = TD_ENERGY_KINETIC + 1; k < TD_ENERGY_KINDS; k++) stored += fabs(now.of[k] - last->of[k]);
  run->state.ledger.exchanged += stored;
  run->plant.exchanged = run->state.ledger.exchanged;
  *last = now;
  td_guard_note_energy(&run->state.guard, &now, stored);
  td_witness_note(run, &now);
}

// What takes errors of the motion away together with it, J: damping, drag, friction, and the work of a feedback. What a current
// does to a robot that turns in it goes to and fro, and is none.
static double lost(const td_simulation *run, const td_ledger *before) {
  const td_ledger *now = &run->state.ledger;
  double feedback = td_control_feeds_back(run->control) ? fabs(now->actuation - before->actuation) : 0;
  double rubbed = now->rubbing - before->rubbing;
  return now->dissipation - before->dissipation + rubbed + fmax(0, now->heat - before->heat) + feedback;
}

// Whoever is asked at a step may show how far the run is. Warnings are long and come at checkpoints.
static void tell_statistics(const td_simulation *run) {
  if (!run->told) return;
  memcpy(run->told, &run->state.statistics, offsetof(td_run_statistics, warnings));
  if (run->method->count) run->method->count(run->stepper, run->told);
}

static void tell_share(td_simulation *run) {
  static const double notable = 0.01;
  td_run_state *s = &run->state;
  if (!run->hooks.share) return;
  double passed = s->t / run->spec->t_end;
  double second =
      td_retrace_share(&s->retrace, &run->method_spec, &s->statistics, run->plant.n + run->plant.rows, passed);
  double share = 1 / (1 / second + td_enriched_expected(run, passed));
  if (fabs(share - run->share) < notable) return;
  run->share = share;
  run->hooks.share(run->hooks.context, share);
}

static void note_passages(td_simulation *run, double before) {
  td_pressed at;
  td_through_found found;
  const td_approach *a = &run->approach;         // its look went on to the end
  if (a->count == 0 || run->hooks.again) return; // whose steps these were has told
  const td_through_step step = {.plant = &run->plant,
                                .method = run->method,
                                .stepper = run->stepper,
                                .t0 = before,
                                .t1 = run->state.t,
                                .from = a->end,
                                .to = a->start,
                                .y = run->y};
  if (td_passages_find(&run->passages, run->plant.model, run->state.t - before, a->end, a->start, &at))
    td_guard_note_passage(&run->state.guard, run->state.t, &at);
  if (td_through_find(run->through, &step, run->scratch, &found)) td_guard_note_crossing(&run->state.guard, &found);
}

// Derivatives are those of the steps, and under error control these end at kinks.
static void note_kinks(td_simulation *run, double h) {
  if (!run->method_spec.differentiated || run->method_spec.adaptive || run->hooks.again) return;
  td_across_step step = {&run->approach, &run->onset, run->plant.model, h, run->state.t};
  td_across_tell(&step, &run->state.statistics.warnings);
}

// What the step from `before` to run->y has been; `ledger` is that before it.
static void note_step(td_simulation *run, double before, const td_ledger *ledger) {
  double contact = run->state.last.contact, kinetic = run->state.last.kinetic;
  note_exchange(run);
  td_simulation_note_barrier(run);
  td_creep_note(&run->state.creep, &run->plant, run->state.t - before, run->y);
  const td_energy *last_energy = &run->state.last;
  double mean = 0.5 * (kinetic + last_energy->kinetic), taken = lost(run, ledger);
  td_march_note(&run->march, &run->state.march, &run->plant, before, run->state.t, run->y, mean, taken,
                contact + last_energy->contact > 0);
  run->state.retrace.bounces += contact > 0 && !(last_energy->contact > 0);
  td_retrace_note(&run->state.retrace, &run->plant, run->method, run->stepper, run->state.t, run->spec->t_end, run->y,
                  mean, taken, run->trace, run->scratch);
  td_drift_note(&run->drift, &run->state.drift, &run->plant, run->method, run->stepper, before, run->state.t);
  td_energy_balance so_far = td_ledger_balance(&run->state.ledger, &run->state.first, &run->state.last);
  td_guard_note_balance(&run->state.guard, &run->plant, &run->method_spec, &so_far, run->y, run->scratch);
  td_sifted_note(&run->sifted, &run->plant, run->method, run->stepper, run->state.t - before, run->y, run->scratch);
  td_guard_note_motion(&run->state.guard, &run->plant, run->y, run->reach);
  td_guard_note_shape(&run->state.guard, run->plant.model, run->state.t, run->y);
  td_guard_note_gaps(&run->state.guard, &run->plant, run->state.t, run->y);
  td_guard_note_depth(&run->state.guard, &run->plant, run->state.t - before, run->state.t, run->y,
                      run->state.last.contact);
  note_passages(run, before);
  note_kinks(run, run->state.t - before);
  td_guard_note_water(&run->state.guard, &run->plant, run->state.t, run->y);
  if (run->plant.rows > 0) note_rotation(run);
}

static td_status after_step(td_simulation *run, double before, double stop, td_error *err) {
  td_recorder *recorder = run->recorder;
  td_status status = recorder ? recorder->stepped(recorder->context, run, before, err) : TD_OK;
  if (status) return status;
  run->state.statistics.steps++;
  run->state.statistics.t = run->state.t;
  td_ledger ledger = run->state.ledger;
  td_ledger_add_step(&run->state.ledger, &run->plant, run->method, run->stepper, before, run->state.t, run->scratch);
  if (run->method->interpolate(run->stepper, run->state.t, run->y))
    return td_fail(err, TD_INTERNAL, "", "no state at t = %.9g s", run->state.t);
  bool begun = td_steady_begin(run->ws, run->y, run->y + run->plant.n);
  td_simulation_hold(run, run->state.t - before);
  note_step(run, before, &ledger);
  td_steady_end(run->ws, begun);
  status = samples_of_step(run, stop, err);
  if (status) return status;
  td_simulation_go_on(run);
  int rewritten = run->may_rechart ? td_rechart(run->plant.model, run->y) : 0;
  run->restart = rewritten > 0;
  run->state.statistics.recharts += (uint64_t)rewritten;
  if (recorder && rewritten) status = recorder->rewritten(recorder->context, run, err);
  if (status) return status;
  tell_share(run);
  if (!run->hooks.step) return TD_OK;
  tell_statistics(run);
  return run->hooks.step(run->hooks.context, run->state.t) ? TD_OK : td_simulation_cancelled(run, err);
}

// No step may stride over a period of what the inputs do until `stop`.
static void bound_steps(td_simulation *run, double stop) {
  int channel;
  double t_end = run->spec->t_end, rate = td_inputs_rate(run->inputs, run->state.t, stop, &channel);
  double longest = td_pace_longest_step(&run->plant, &run->method_spec, rate, t_end);
  run->method_spec.h_max = fmin(run->h_max, longest);
  if (!run->method_spec.adaptive || !(longest * rate > 0.5)) return;
  char pointer[TD_POINTER_SIZE];
  snprintf(pointer, sizeof pointer, "/inputs/%s", td_model_channel_name(run->plant.model, channel));
  td_warn(&run->state.statistics.warnings, "fast_input", pointer,
          "%.3g Hz are too fast to be followed for %.6g s: steps up to %.3g s, beyond which a run takes too many, "
          "stride over "
          "its periods; take a shorter run, what it does on the mean, or allow more steps (max_steps)",
          rate, t_end, longest);
}

static td_status segment(td_simulation *run, double stop, td_error *err) {
  td_run_state *s = &run->state;
  bound_steps(run, stop);
  td_simulation_put_down(run);
  run->plant.t_side = s->t + 0.5 * (stop - s->t);
  const double *carry = s->smooth && run->carry_size ? run->carry : NULL;
  double event = next_event(run);
  run->plant.fresh = true;
  run->plant.turned = run->sets_out = false; // what a checkpoint does not know
  run->plant.keen = -INFINITY;
  run->plant.exchanged = run->state.ledger.exchanged;
  if (run->plant.rows > 0) td_loop_follow(run->plant.model, run->ws, run->y, true);
  td_plant_note_rank(&run->plant, true, run->y);
  run->singular.known = false;
  td_march_start(&run->march);
  td_drift_start(&run->drift, &run->state.drift, &run->plant, s->t, run->y);
  td_approach_start(&run->approach, &run->plant, run->y);
  td_onset_start(&run->onset, &run->plant, s->t, run->y);
  td_simulation_note_barrier(run);
  td_status status = td_simulation_restart(run, stop, s->hint, carry, err);
  if (!status) status = samples_before(run, s->t + rounding(run), err);
  run->restart = false;
  while (!status && s->t < stop && !run->restart) {
    double before = s->t;
    status = td_simulation_step(run, stop, err);
    if (!status) status = after_step(run, before, stop, err);
    if (!status) status = td_simulation_set_out(run, stop, err);
    if (!status && run->hooks.took) run->hooks.took(run->hooks.context, &run->taken);
    if (!status) status = td_pace_check(&s->pace, &run->plant, &run->method_spec, s->t, run->spec->t_end, run->y, err);
  }
  if (run->method->count) run->method->count(run->stepper, &s->statistics);
  if (run->method->hint) s->hint = run->method->hint(run->stepper);
  s->smooth = !run->restart && stop < event - td_simulation_same_time(run);
  if (run->carry_size) run->method->carry(run->stepper, run->carry);
  return status;
}

void td_simulation_spend(td_simulation *run) {
  td_run_statistics *s = &run->state.statistics;
  td_stopwatch_read(&run->watch, &s->wall_s, &s->cpu_s);
  s->wall_s += run->wall_before;
  s->cpu_s += run->cpu_before;
}

static td_status save(td_simulation *run, td_error *err) {
  if (run->state.t < next_checkpoint(run) - td_simulation_same_time(run) || run->state.t >= run->spec->t_end)
    return TD_OK;
  run->state.checkpoint++;
  if (!run->hooks.checkpoint) return TD_OK;
  td_simulation_spend(run);
  if (run->told) *run->told = run->state.statistics;
  td_checkpoint_write(run, run->bytes);
  bool go = run->hooks.checkpoint(run->hooks.context, run->state.t, run->bytes, td_checkpoint_size(run));
  return go ? TD_OK : td_simulation_cancelled(run, err);
}

td_status td_simulation_advance(td_simulation *run, td_error *err) {
  assert(run->begun && run->state.t < run->spec->t_end);
  td_status status = TD_OK;
  uint64_t checkpoint = run->state.checkpoint;
  while (!status && run->state.t < run->spec->t_end && run->state.checkpoint == checkpoint) {
    status = segment(run, td_simulation_segment_end(run), err);
    if (!status) status = save(run, err);
  }
  if (status || run->state.t < run->spec->t_end) return status;
  run->plant.t_side = run->spec->t_end;
  return report(run, run->spec->t_end, settled(run), false, err);
}

td_status td_simulation_integrate(td_simulation *run, td_error *err) {
  td_status status = TD_OK;
  do status = td_simulation_advance(run, err);
  while (!status && run->state.t < run->spec->t_end);
  return status;
}
