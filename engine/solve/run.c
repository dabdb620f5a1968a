// A dynamics run: from the initial state to t_end, segment by segment.
//
// Segments end at jumps of the inputs, at checkpoints, where a rotation vector is rewritten (rechart.h) and at t_end; at each
// start the integrator begins anew, so the bits of a segment depend on what stands in a checkpoint at its start only: the
// state and, where the motion goes on smoothly, what the integrator carries over (accelerations of one-step methods).
// Within a segment every accepted step is followed by the energy ledger, the samples that fall into it (by interpolation:
// sampling never limits a step), and the step hook. A sample at a segment's start is taken there, with the inputs as they are
// from then on; the last sample is the final state itself.
#include "solve/run.h"
#include "constraint/closed_chain.h"
#include "constraint/loop_closure.h"
#include "model/model.h"
#include "solve/balanced.h"
#include "solve/choice.h"
#include "solve/missed_reference.h"
#include "solve/rechart.h"
#include "solve/witness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double FIRST_BITE = 0.1; // of the time in which a force that sets in turns the motion
static const double TURNS = 2 * M_PI; // times it: a bounce takes half of that

// ------------------------------------------------------------------------------------------------ life

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "no memory to set up the run"); }

static bool carve(td_simulation *run) {
  size_t n = (size_t)run->plant.n, row = td_output_row_size(run->output), scratch = td_ledger_scratch(&run->plant);
  size_t springs = 2 * (size_t)run->plant.model->spring_count;
  size_t rows = (size_t)td_retrace_rows(run->plant.n);
  run->carry_size = run->method->carry_size ? run->method->carry_size(&run->plant) : 0;
  double *at = run->memory =
      calloc((9 + 2 * TD_WITNESSES + rows) * n + springs + scratch + row + run->carry_size + 1, sizeof *at);
  run->bytes = calloc(1, td_checkpoint_size(run));
  if (!at || !run->bytes) return false;
  run->y = at;
  run->reach = at + 2 * n;
  run->witness = at + 3 * n;
  double *sifted = run->witness + 2 * TD_WITNESSES * n;
  run->sifted = (td_sifted){sifted, sifted + n, sifted + 2 * n, sifted + 3 * n};
  run->stretch = sifted + 4 * n;
  run->trace = run->stretch + springs;
  run->sample_y = run->trace + rows * n;
  run->scratch = run->sample_y + 2 * n;
  run->row = run->scratch + scratch;
  run->carry = run->row + row;
  td_stretch_start(run->plant.model, run->stretch);
  return true;
}

td_status td_simulation_init(td_simulation *run, const td_model *model, const td_dynamics_spec *spec,
                             const td_run_hooks *hooks, td_error *err) {
  *run = (td_simulation){.spec = spec, .watch = td_stopwatch_start()};
  td_status status = td_dynamics_check(model, spec, &run->state.statistics.warnings, err);
  if (status) return status;
  if (hooks) run->hooks = *hooks;
  td_integrator_resolve(model, spec, &run->method_spec);
  run->sample_count = td_run_sample_count(spec);
  run->may_rechart = td_rechart_needed(model);
  status = td_output_create(model, spec, &run->output, err);
  if (status) return status;
  if (td_workspace_create(model, &run->ws)) return no_memory(err);
  if (td_inputs_create(model, spec->inputs, spec->input_count, &run->inputs)) return no_memory(err);
  if (td_plant_init(&run->plant, model, run->ws, run->inputs, &run->state.statistics)) return no_memory(err);
  if (td_singular_init(&run->singular, &run->plant)) return no_memory(err);
  if (td_approach_init(&run->approach, model) || td_onset_init(&run->onset, model)) return no_memory(err);
  run->plant.finite_difference = spec->integrator.finite_difference;
  run->plant.baumgarte = run->method_spec.baumgarte;
  td_choose(&run->plant, spec, &run->method_spec);
  run->h_max = run->method_spec.h_max;
  run->method = td_integrator_get(run->method_spec.method);
  if (!carve(run) || !td_march_init(&run->march, run->plant.n, &run->method_spec)) return no_memory(err);
  if (!td_drift_init(&run->drift, &run->plant, &run->method_spec)) return no_memory(err);
  const td_integrator *method = run->method;
  return method->create(method, &run->plant, &run->method_spec, &run->stepper) ? no_memory(err) : TD_OK;
}

void td_simulation_fini(td_simulation *run) {
  if (run->stepper) run->method->destroy(run->stepper);
  td_approach_fini(&run->approach);
  td_onset_fini(&run->onset);
  td_singular_fini(&run->singular);
  td_march_fini(&run->march);
  td_drift_fini(&run->drift);
  td_plant_fini(&run->plant);
  td_control_destroy(run->control);
  td_output_destroy(run->output);
  td_inputs_destroy(run->inputs);
  td_workspace_destroy(run->ws);
  free(run->bytes);
  free(run->memory);
}

// ------------------------------------------------------------------------------------------------ times

// Times nearer than this are one time.
static double same_time(const td_simulation *run) { return 1e-11 * run->spec->t_end; }

static double next_checkpoint(const td_simulation *run) {
  double dt = run->hooks.checkpoint_dt;
  return dt > 0 ? (double)(run->state.checkpoint + 1) * dt : INFINITY;
}

static double next_event(const td_simulation *run) {
  return td_plant_next_event(&run->plant, run->state.t + same_time(run));
}

static double segment_end(const td_simulation *run) {
  double tiny = same_time(run), end = run->spec->t_end, event = next_event(run), checkpoint = next_checkpoint(run);
  if (event < end - tiny) end = event;
  if (checkpoint < end - tiny) end = checkpoint;
  return end;
}

// ------------------------------------------------------------------------------------------------ samples

static td_status cancelled(const td_simulation *run, td_error *err) {
  return td_fail(err, TD_CANCELLED, "", "cancelled at t = %.9g s", run->state.t);
}

static td_status report(td_simulation *run, double t, const double *y, td_error *err) {
  td_guard_note_loops(&run->state.guard, &run->plant, t, y);
  td_status status = td_output_fill(run->output, &run->plant, t, y, run->row);
  if (status)
    return td_fail(err, status, "", "the output at t = %.9g s cannot be had: %s", t,
                   status == TD_SINGULAR ? td_plant_singular(&run->plant) : "it is not finite");
  run->state.sample++;
  bool go = !run->hooks.sample || run->hooks.sample(run->hooks.context, t, run->row);
  return go ? TD_OK : cancelled(run, err);
}

// Reports the samples before `end`, those at the state's own time from the state itself.
static td_status samples_before(td_simulation *run, double end, bool inside_step, td_error *err) {
  while (run->state.sample + 1 < run->sample_count) {
    double t = td_output_time(run->spec, run->state.sample);
    if (t >= end) return TD_OK;
    const double *y = run->y;
    if (inside_step && t < run->state.t) {
      if (run->method->interpolate(run->stepper, t, run->sample_y))
        return td_fail(err, TD_INTERNAL, "", "no interpolation at t = %.9g s", t);
      td_plant_settle(&run->plant, t, run->sample_y);
      y = run->sample_y;
    }
    td_status status = report(run, t, y, err);
    if (status) return status;
  }
  return TD_OK;
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

// Forces may act inside a step that its ends do not know.
static bool looks_into_steps(const td_simulation *run) { return run->approach.count > 0 || run->onset.count > 0; }

// What a passive robot exchanges: the energies that positions store, from the end of one step to the end of the next.
static void note_exchange(td_simulation *run) {
  td_energy now = run->now, *last = &run->state.last;
  bool known = looks_into_steps(run) && run->plant.model->spring_count == 0;
  if (!known && td_plant_energy(&run->plant, run->state.t, run->y, &now)) return;
  td_stretch_note(&run->plant, run->stretch);
  double stored = 0;
  for (int i = 1; i < TD_ENERGY_PARTS; i++) stored += fabs(td_energy_part(&now, i) - td_energy_part(last, i));
  run->state.ledger.exchanged += stored;
  run->plant.exchanged = run->state.ledger.exchanged;
  *last = now;
  td_guard_note_energy(&run->state.guard, &now, stored);
  td_witness_note(run, &now);
}

// What contacts may be judged by, J. A step that blew up is not measured by what it made.
static double energy_at_play(const td_simulation *run, double kinetic) {
  static const double most = 4;
  double known = run->state.last.kinetic + run->state.ledger.exchanged;
  return known > 0 ? fmax(known, fmin(kinetic, most * known)) : kinetic;
}

// Where the next step shall end at the latest, so that it does not pass a force unseen.
static void note_barrier(td_simulation *run) {
  double limit = td_approach_limit(&run->approach, &run->plant, energy_at_play(run, 0));
  run->plant.barrier = run->state.t + fmax(fmin(limit, td_onset_limit(&run->onset)), 10 * same_time(run));
}

// Where a force sets in or ends between the looks at hand, in a step from `before` to `t`.
static td_crossing crossing_of(td_simulation *run, double before, double t, double kinetic) {
  double play = fmax(td_guard_swing(&run->state.guard), kinetic);
  td_crossing_step step = {
      &run->approach, &run->onset, &run->plant, run->method,           run->stepper,
      before,         t,           play,        run->method_spec.rtol, run->scratch + 2 * run->plant.n};
  return td_crossing_find(&step);
}

// A method of many steps goes on by what it knows, and where that leads across a crossing the step shall end there: by the
// interpolant of a step over it the state is off by as much as the error test lets pass, several tolerances.
static void foresee(td_simulation *run, double stop) {
  double *end = run->scratch, t = run->state.t, h = run->method->ahead ? run->method->ahead(run->stepper) : 0;
  td_energy energy;
  run->foreseen = (td_crossing){.t = INFINITY, .pace = INFINITY};
  if (!looks_into_steps(run) || !(h > 0)) return;
  double to = fmin(t + h, fmin(stop, run->plant.barrier));
  bool near = td_approach_is_near(&run->approach, to - t) || run->onset.tendon_count > 0;
  if (!near || run->method->interpolate(run->stepper, to, end)) return;
  if (td_plant_energy(&run->plant, to, end, &energy)) return;
  td_onset_arrive(&run->onset, &run->plant, end);
  td_onset_skip(&run->onset);
  td_approach_expect(&run->approach, &run->plant);
  td_crossing found = crossing_of(run, t, to, run->state.last.kinetic);
  td_approach_skip(&run->approach);
  td_onset_skip(&run->onset);
  if (!(found.t > t + 10 * same_time(run))) return;
  run->foreseen = found;
  run->plant.barrier = fmin(run->plant.barrier, found.t);
}

// The time at which a force set in or ended in the step from `before` to now, both ends of which feel it; INFINITY: none did.
static double crossed(td_simulation *run, double before) {
  bool found_before = run->method->dense && run->crossing.t != INFINITY;
  if (found_before || !(run->method->dense || (run->method->kinked && run->method_spec.adaptive))) return INFINITY;
  if (run->crossing.t == INFINITY) run->cut = run->state.t - before;
  td_crossing found = crossing_of(run, before, run->state.t, fmin(run->now.kinetic, run->state.last.kinetic));
  run->plant.turned = found.any;
  bool ends_there = fabs(run->state.t - run->foreseen.t) < same_time(run);
  if (ends_there && (found.any || td_crossing_is_met(&run->foreseen, &run->approach, &run->onset, &run->plant)))
    run->crossing = run->foreseen;
  if (found.t == INFINITY) return INFINITY;
  run->crossing = found;
  td_approach_skip(&run->approach); // back to the step's start
  td_onset_skip(&run->onset);
  return run->crossing.t;
}

// The time at which the step from `before` to now passed through a force that neither of its ends feels, INFINITY: none.
static double passed(td_simulation *run, double before, bool *onset) {
  double *end = run->scratch, *inside = run->scratch + 2 * run->plant.n;
  run->now = run->state.last;
  if (run->method->interpolate(run->stepper, run->state.t, end)) return INFINITY;
  if (td_plant_energy(&run->plant, run->state.t, end, &run->now)) return run->now = run->state.last, INFINITY;
  td_onset_arrive(&run->onset, &run->plant, end);
  double touch = td_approach_look(&run->approach, &run->plant, run->method, run->stepper, before, run->state.t,
                                  energy_at_play(run, run->now.kinetic), inside);
  *onset = touch == INFINITY;
  if (*onset)
    touch = td_onset_look(&run->onset, &run->plant, &run->method_spec, run->method, run->stepper, before, run->state.t,
                          inside);
  if (*onset && touch == INFINITY)
    touch = crossed(run, before);
  else if (*onset)
    td_approach_skip(&run->approach); // back to the step's start
  return touch;
}

// The next step begins at `before` once more, and tries h.
static td_status again_from(td_simulation *run, double before, double stop, double h, td_error *err) {
  if (run->method->back && run->method->back(run->stepper, h)) return TD_OK;
  if (run->method->count) run->method->count(run->stepper, &run->state.statistics);
  run->plant.fresh = true;
  return run->method->start(run->stepper, before, stop, h, run->y, NULL, err);
}

// The step just taken ends at t of its interpolant.
static void end_at(td_simulation *run, double before, double t) {
  bool onset;
  run->state.t = t;
  if (passed(run, before, &onset) == INFINITY) return;
  td_approach_skip(&run->approach);
  td_onset_skip(&run->onset);
}

// A step; where it passed through a force the segment goes on from its start, to a step that ends in there.
static td_status take_step(td_simulation *run, double stop, td_error *err) {
  enum { MOST = 50 };
  td_run_state *s = &run->state;
  double before = s->t;
  run->crossing = (td_crossing){.t = INFINITY, .pace = INFINITY};
  foresee(run, stop);
  td_status status = run->method->step(run->stepper, &s->t, err);
  for (int i = 0; !status && looks_into_steps(run); i++) {
    bool onset = true;
    double touch = passed(run, before, &onset);
    if (touch == INFINITY) break;
    if (i == MOST || touch - before < 10 * same_time(run)) {
      if (!onset && s->guard.missed++ == 0) s->guard.missed_t = s->t;
      td_approach_skip(&run->approach);
      td_onset_skip(&run->onset);
      break;
    }
    if (run->method->dense && touch == run->crossing.t) {
      end_at(run, before, touch);
      break;
    }
    s->statistics.rejected++;
    s->t = before;
    run->plant.barrier = touch;
    status = again_from(run, before, stop, touch - before, err);
    if (!status) status = run->method->step(run->stepper, &s->t, err);
  }
  run->plant.turned |= run->sets_out; // a tendon's stiffness fades over its slack width
  run->sets_out = false;
  return status;
}

// Where a force has set in or ended the motion has another pace, and what the method knows of it is past.
static td_status set_out(td_simulation *run, double stop, td_error *err) {
  td_run_state *s = &run->state;
  const td_crossing *c = &run->crossing;
  if (c->t == INFINITY || fabs(s->t - c->t) > same_time(run) || run->restart || s->t >= stop) return TD_OK;
  run->sets_out = run->plant.turned = true;
  double h = fmin(run->cut, FIRST_BITE * c->pace);
  if (c->pace != INFINITY) run->plant.keen = s->t + TURNS * c->pace;
  if (run->method->count) run->method->count(run->stepper, &s->statistics);
  return run->method->start(run->stepper, s->t, stop, h, run->y, NULL, err);
}

// What takes errors of the motion away together with it, J: damping, drag, and the work of a feedback. What a current does to a robot
// that turns in it goes to and fro, and is none.
static double lost(const td_simulation *run, const td_ledger *before) {
  const td_ledger *now = &run->state.ledger;
  double feedback = td_control_feeds_back(run->control) ? fabs(now->actuation - before->actuation) : 0;
  return now->dissipation - before->dissipation + fmax(0, now->heat - before->heat) + feedback;
}

static void tell_share(td_simulation *run) {
  static const double notable = 0.01;
  td_run_state *s = &run->state;
  if (!run->hooks.share) return;
  double share = td_retrace_share(&s->retrace, &run->method_spec, &s->statistics, run->plant.n + run->plant.rows,
                                  s->t / run->spec->t_end);
  if (fabs(share - run->share) < notable) return;
  run->share = share;
  run->hooks.share(run->hooks.context, share);
}

static td_status after_step(td_simulation *run, double before, double stop, td_error *err) {
  run->state.statistics.steps++;
  run->state.statistics.t = run->state.t;
  td_ledger ledger = run->state.ledger;
  td_ledger_add_step(&run->state.ledger, &run->plant, run->method, run->stepper, before, run->state.t, run->scratch);
  if (run->method->interpolate(run->stepper, run->state.t, run->y))
    return td_fail(err, TD_INTERNAL, "", "no state at t = %.9g s", run->state.t);
  double contact = run->state.last.contact, kinetic = run->state.last.kinetic;
  note_exchange(run);
  note_barrier(run);
  td_creep_note(&run->state.creep, &run->plant, run->state.t - before, run->y);
  const td_energy *last_energy = &run->state.last;
  double mean = 0.5 * (kinetic + last_energy->kinetic), taken = lost(run, &ledger);
  td_march_note(&run->march, &run->state.march, &run->plant, before, run->state.t, run->y, mean, taken,
                contact + last_energy->contact > 0);
  run->state.retrace.bounces += contact > 0 && !(last_energy->contact > 0);
  td_retrace_note(&run->state.retrace, &run->plant, run->method, run->stepper, run->state.t, run->spec->t_end, run->y,
                  mean, taken, run->trace, run->scratch);
  td_drift_note(&run->drift, &run->state.drift, &run->plant, run->method, run->stepper, before, run->state.t);
  td_energy_balance so_far = td_ledger_balance(&run->state.ledger, &run->state.first, &run->state.last);
  run->state.guard.worst = fmax(run->state.guard.worst, fabs(so_far.error));
  td_sifted_note(&run->sifted, &run->plant, run->method, run->stepper, run->state.t - before, run->y, run->scratch);
  td_guard_note_motion(&run->state.guard, &run->plant, run->y, run->reach);
  td_guard_note_shape(&run->state.guard, run->plant.model, run->state.t, run->y);
  td_guard_note_gaps(&run->state.guard, &run->plant, run->state.t, run->y);
  if (run->approach.count > 0) // the look went on to the end
    td_guard_note_passages(&run->state.guard, run->plant.model, run->state.t, run->approach.end, run->approach.start);
  td_guard_note_water(&run->state.guard, &run->plant, run->state.t, run->y);
  if (run->plant.rows > 0) note_rotation(run);
  bool last = run->state.t >= stop;
  td_status status = samples_before(run, last ? stop : nextafter(run->state.t, INFINITY), true, err);
  if (status) return status;
  int rewritten = run->may_rechart ? td_rechart(run->plant.model, run->y) : 0;
  run->restart = rewritten > 0;
  run->state.statistics.recharts += (uint64_t)rewritten;
  tell_share(run);
  bool go = !run->hooks.step || run->hooks.step(run->hooks.context, run->state.t);
  return go ? TD_OK : cancelled(run, err);
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
  run->plant.inside = s->t + 0.5 * (stop - s->t);
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
  note_barrier(run);
  td_status status = run->method->start(run->stepper, s->t, stop, s->hint, run->y, carry, err);
  if (!status) status = samples_before(run, nextafter(s->t, INFINITY), false, err);
  run->restart = false;
  while (!status && s->t < stop && !run->restart) {
    double before = s->t;
    status = take_step(run, stop, err);
    if (!status) status = after_step(run, before, stop, err);
    if (!status) status = set_out(run, stop, err);
    if (!status) status = td_pace_check(&s->pace, &run->plant, &run->method_spec, s->t, run->spec->t_end, run->y, err);
  }
  if (run->method->count) run->method->count(run->stepper, &s->statistics);
  if (run->method->hint) s->hint = run->method->hint(run->stepper);
  s->smooth = !run->restart && stop < event - same_time(run);
  if (run->carry_size) run->method->carry(run->stepper, run->carry);
  return status;
}

static void spent(td_simulation *run) {
  td_run_statistics *s = &run->state.statistics;
  td_stopwatch_read(&run->watch, &s->wall_s, &s->cpu_s);
  s->wall_s += run->wall_before;
  s->cpu_s += run->cpu_before;
}

static td_status save(td_simulation *run, td_error *err) {
  if (run->state.t < next_checkpoint(run) - same_time(run) || run->state.t >= run->spec->t_end) return TD_OK;
  run->state.checkpoint++;
  if (!run->hooks.checkpoint) return TD_OK;
  spent(run);
  td_checkpoint_write(run, run->bytes);
  bool go = run->hooks.checkpoint(run->hooks.context, run->state.t, run->bytes, td_checkpoint_size(run));
  return go ? TD_OK : cancelled(run, err);
}

static td_status integrate(td_simulation *run, td_error *err) {
  td_status status = TD_OK;
  while (!status && run->state.t < run->spec->t_end) {
    status = segment(run, segment_end(run), err);
    if (!status) status = save(run, err);
  }
  run->plant.inside = run->spec->t_end;
  return status ? status : report(run, run->spec->t_end, run->y, err);
}

static void settle(td_simulation *run) {
  td_energy now = run->state.first;
  const double *y = run->y;
  if (y && !td_plant_energy(&run->plant, run->state.t, y, &now))
    run->state.statistics.energy = td_ledger_balance(&run->state.ledger, &run->state.first, &now);
  spent(run);
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
    first->check = first->hooks.check(first->hooks.context, part);
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
  forget(third);
  forget(second);
  return status == TD_CANCELLED ? status : said;
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
  if (!status && !td_choice_tell(run->plant.model, &s->statistics)) // energy_error tells a cutoff itself
    td_sifted_tell(&run->sifted, &run->plant, run->spec, run->y, &s->guard, &s->statistics);
  td_stretch_tell(&run->plant, &run->method_spec, s->t, run->y, run->reach, run->stretch, &s->statistics);
  double least = td_guard_rounding(&s->guard);
  if (!status) status = td_march_judge(&run->march, &s->march, &run->method_spec, least, &s->statistics, &why);
  if (!status && run->state.guard.reach > 0)
    status = td_drift_judge(&run->drift, &s->drift, &run->plant, &run->method_spec, run->reach, &s->statistics, &why);
  if (!status) td_balanced_tell(run);
  if (!status) td_missed_reference_tell(run);
  if (!status && run->state.guard.reach > 0) status = retrace(run, &why);
  if (status == TD_CANCELLED) return td_fail(err, status, "", "%s", why.message);
  if (!status) td_witness_judge(run); // of a motion that is none, nothing else is to be said
  return status && run->spec->fail_on_inconsistency ? td_fail(err, status, why.pointer, "%s", why.message) : TD_OK;
}

// Static inversions take time: the step hook is asked in between.
static td_status prepare_controllers(td_simulation *run, td_error *err) {
  td_control_hooks hooks = {run->hooks.step, run->hooks.context, run->state.t, &run->state.statistics.warnings};
  td_status status = td_control_create(run->plant.model, run->ws, run->inputs, run->spec, &hooks, &run->control, err);
  run->plant.control = run->control;
  return status;
}

static td_status go(td_simulation *run, const td_model *model, const td_dynamics_spec *spec, const td_run_hooks *hooks,
                    const void *resume, size_t resume_size, td_error *err) {
  td_status status = td_simulation_init(run, model, spec, hooks, err);
  if (!status && resume) status = td_checkpoint_read(run, resume, resume_size, err);
  if (!status) status = prepare_controllers(run, err);
  if (!status && !resume) {
    status = td_simulation_start(run, segment_end(run), err);
    if (err && status == TD_NONFINITE) td_simulation_explain_state(run, err);
  }
  run->begun = !status;
  return status ? status : integrate(run, err);
}

td_status td_dynamics_run(const td_model *model, const td_dynamics_spec *spec, const td_run_hooks *hooks,
                          const void *resume, size_t resume_size, td_run_statistics *statistics, td_error *err) {
  td_simulation run;
  td_status status = go(&run, model, spec, hooks, resume, resume_size, err);
  if (run.begun) {
    status = td_simulation_explain(&run, status, err);
    settle(&run);
  }
  if (!status) status = judge(&run, err);
  if (run.begun) spent(&run); // with what the judgement took
  if (statistics) *statistics = run.state.statistics;
  td_simulation_fini(&run);
  return status;
}
