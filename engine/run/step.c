// A step of a run as it is taken in the end: one that passed through a force unseen is taken again, up to where the
// force sets in; of methods of many steps, one whose own polynomial foresees that ends there.
#include "run/recorder.h"
#include <assert.h>
#include <math.h>

static const double FIRST_BITE = 0.1; // of the time in which a force that sets in turns the motion
static const double GRADED = 0.45;    // power of rtol: of the depth of a contact, where its steps grow from
static const double TURNS = 2 * M_PI; // times it: a bounce takes half of that

// Forces may act inside a step that its ends do not know.
bool td_simulation_looks_into_steps(const td_simulation *run) {
  return run->approach.count > 0 || run->onset.count > 0;
}

// What contacts may be judged by, J. A step that blew up is not measured by what it made.
static double energy_at_play(const td_simulation *run, double kinetic) {
  static const double most = 4;
  double known = run->state.last.kinetic + run->state.ledger.exchanged;
  return known > 0 ? fmax(known, fmin(kinetic, most * known)) : kinetic;
}

// Where the next step shall end at the latest, so that it does not pass a force unseen.
void td_simulation_note_barrier(td_simulation *run) {
  double limit = td_approach_limit(&run->approach, &run->plant, energy_at_play(run, 0));
  if (run->method->kinked && run->method_spec.adaptive)
    limit = fmin(limit, td_approach_grade(&run->approach, run->plant.model, energy_at_play(run, 0),
                                          pow(run->method_spec.rtol, GRADED)));
  if (run->state.hurry > 0) limit = fmin(limit, 1 / run->state.hurry); // run/hold.c
  run->plant.barrier = run->state.t + fmax(fmin(limit, td_onset_limit(&run->onset)), 10 * td_simulation_same_time(run));
}

// Where a force sets in or ends between the looks at hand, in a step from `before` to `t`. What a force holds that is
// left out changes the motion by as much, and its derivatives by the root of it: they miss all of the slope for as long
// as the depth lasts. So the methods that have derivatives end their steps ever so near, with derivatives and without.
static td_crossing crossing_of(td_simulation *run, double before, double t, double kinetic) {
  double share = run->method_spec.rtol;
  td_crossing_step step = {.approach = &run->approach,
                           .onset = &run->onset,
                           .plant = &run->plant,
                           .method = run->method,
                           .stepper = run->stepper,
                           .t0 = before,
                           .t1 = t,
                           .energy = fmax(td_guard_swing(&run->state.guard), kinetic),
                           .share = share,
                           .held = run->method->kinked ? share * share : share,
                           .scratch = run->scratch + 2 * run->plant.n};
  return td_crossing_find(&step);
}

// A method of many steps goes on by what it knows, and where that leads across a crossing the step shall end there: by
// the interpolant of a step over it the state is off by as much as the error test lets pass, several tolerances.
static void foresee(td_simulation *run, double stop) {
  double *end = run->scratch, t = run->state.t, h = run->method->ahead ? run->method->ahead(run->stepper) : 0;
  td_energy energy;
  run->foreseen = (td_crossing){.t = INFINITY, .pace = INFINITY};
  if (!td_simulation_looks_into_steps(run) || !(h > 0)) return;
  double to = fmin(t + h, fmin(stop, run->plant.barrier));
  bool near = td_approach_is_near(&run->approach, to - t) || run->onset.tendon_count + run->onset.stop_count > 0;
  if (!near || run->method->interpolate(run->stepper, to, end)) return;
  if (td_plant_energy(&run->plant, to, end, &energy)) return;
  td_onset_arrive(&run->onset, &run->plant, end);
  td_onset_skip(&run->onset);
  td_approach_expect(&run->approach, &run->plant);
  td_crossing found = crossing_of(run, t, to, run->state.last.kinetic);
  td_approach_skip(&run->approach);
  td_onset_skip(&run->onset);
  if (!(found.t > t + 10 * td_simulation_same_time(run))) return;
  run->foreseen = found;
  run->plant.barrier = fmin(run->plant.barrier, found.t);
}

// The time at which a force set in or ended in the step from `before` to now, both ends of which feel it; INFINITY:
// none did.
static double crossed(td_simulation *run, double before) {
  bool found_before = run->method->dense && run->crossing.t != INFINITY;
  if (found_before || !(run->method->dense || (run->method->kinked && run->method_spec.adaptive))) return INFINITY;
  if (run->crossing.t == INFINITY) run->cut = run->state.t - before;
  td_crossing found = crossing_of(run, before, run->state.t, fmin(run->now.kinetic, run->state.last.kinetic));
  run->plant.turned = found.any;
  bool ends_there = fabs(run->state.t - run->foreseen.t) < td_simulation_same_time(run);
  if (ends_there && (found.any || td_crossing_is_met(&run->foreseen, &run->approach, &run->onset, &run->plant)))
    run->crossing = run->foreseen;
  if (found.t == INFINITY) return INFINITY;
  run->crossing = found;
  td_approach_skip(&run->approach); // back to the step's start
  td_onset_skip(&run->onset);
  return run->crossing.t;
}

// The time at which the step from `before` to now passed through a force that neither of its ends feels, INFINITY:
// none.
static double passed(td_simulation *run, double before, bool *onset) {
  double *end = run->scratch, *between = run->scratch + 2 * run->plant.n;
  run->now = run->state.last;
  if (run->method->interpolate(run->stepper, run->state.t, end)) return INFINITY;
  if (td_plant_energy(&run->plant, run->state.t, end, &run->now)) return run->now = run->state.last, INFINITY;
  td_onset_arrive(&run->onset, &run->plant, end);
  double touch = td_approach_look(&run->approach, &run->plant, run->method, run->stepper, before, run->state.t,
                                  energy_at_play(run, run->now.kinetic), between);
  *onset = touch == INFINITY;
  if (*onset)
    touch = td_onset_look(&run->onset, &run->plant, &run->method_spec, run->method, run->stepper, before, run->state.t,
                          between);
  if (*onset && touch == INFINITY)
    touch = crossed(run, before);
  else if (*onset)
    td_approach_skip(&run->approach); // back to the step's start
  return touch;
}

td_status td_simulation_restart(td_simulation *run, double stop, double hint, const double *carry, td_error *err) {
  td_status status = run->method->start(run->stepper, run->state.t, stop, hint, run->y, carry, err);
  if (status || !run->recorder) return status;
  return run->recorder->started(run->recorder->context, run, carry != NULL, err);
}

// The next step begins where the last one did, and tries h.
static td_status again(td_simulation *run, double stop, double h, td_error *err) {
  if (run->method->back && run->method->back(run->stepper, h)) return TD_OK;
  if (run->method->count) run->method->count(run->stepper, &run->state.statistics);
  run->plant.fresh = true;
  return td_simulation_restart(run, stop, h, NULL, err);
}

// The step just taken ends at t of its interpolant.
static void end_at(td_simulation *run, double before, double t) {
  bool onset;
  run->state.t = t;
  if (passed(run, before, &onset) == INFINITY) return;
  td_approach_skip(&run->approach);
  td_onset_skip(&run->onset);
}

// A step of another run's, cut at the segment's end.
static td_status step_again(td_simulation *run, double stop, td_error *err) {
  const td_run_hooks *hooks = &run->hooks;
  double before = run->state.t, tiny = td_simulation_same_time(run);
  while (run->given_next < hooks->again_count && hooks->again[run->given_next].t <= before + tiny) run->given_next++;
  if (run->given_next == hooks->again_count)
    return td_fail(err, TD_INVALID_ARGUMENT, "", "the steps to be taken again end at t = %.9g s", before);
  run->given = hooks->again[run->given_next];
  if (run->given.t > stop - tiny) run->given.t = stop;
  double h = run->given.t - before;
  if (fabs(h - run->given.h) > tiny) run->given.h = h;
  run->plant.given = &run->given;
  return run->method->step(run->stepper, &run->state.t, err);
}

// A step; where it passed through a force the segment goes on from its start, to a step that ends in there.
static td_status step_freely(td_simulation *run, double stop, td_error *err) {
  enum { MOST = 50 };
  td_run_state *s = &run->state;
  double before = s->t;
  run->crossing = (td_crossing){.t = INFINITY, .pace = INFINITY};
  foresee(run, stop);
  td_status status = run->method->step(run->stepper, &s->t, err);
  for (int i = 0; !status && td_simulation_looks_into_steps(run); i++) {
    bool onset = true;
    double touch = passed(run, before, &onset);
    if (touch == INFINITY) break;
    if (i == MOST || touch - before < 10 * td_simulation_same_time(run)) {
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
    status = again(run, stop, touch - before, err);
    if (!status) status = run->method->step(run->stepper, &s->t, err);
  }
  run->plant.turned |= run->sets_out; // a tendon's stiffness fades over its slack width
  run->sets_out = false;
  return status;
}

td_status td_simulation_step(td_simulation *run, double stop, td_error *err) {
  assert(stop > run->state.t);
  run->plant.held = false;
  td_status status = run->hooks.again ? step_again(run, stop, err) : step_freely(run, stop, err);
  run->taken = (td_step_taken){run->state.t, run->plant.h, run->plant.held ? TD_STEP_HELD : 0};
  return status;
}

static td_status set_out_again(td_simulation *run, double stop, td_error *err) {
  if (!(run->given.how & TD_STEP_SET_OUT) || run->restart || run->state.t >= stop) return TD_OK;
  run->taken.how |= TD_STEP_SET_OUT;
  return td_simulation_restart(run, stop, run->given.h, NULL, err);
}

// Where a force has set in or ended the motion has another pace, and what the method knows of it is past.
td_status td_simulation_set_out(td_simulation *run, double stop, td_error *err) {
  td_run_state *s = &run->state;
  const td_crossing *c = &run->crossing;
  if (run->hooks.again) return set_out_again(run, stop, err);
  if (c->t == INFINITY || fabs(s->t - c->t) > td_simulation_same_time(run) || run->restart || s->t >= stop)
    return TD_OK;
  run->sets_out = run->plant.turned = true;
  run->taken.how |= TD_STEP_SET_OUT;
  double h = fmin(run->cut, FIRST_BITE * c->pace);
  if (c->pace != INFINITY) run->plant.keen = s->t + TURNS * c->pace;
  if (run->method->count) run->method->count(run->stepper, &s->statistics);
  return td_simulation_restart(run, stop, h, NULL, err);
}
