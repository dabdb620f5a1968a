// The state that a run begins with: given, at rest, or nearest to what was given that its loops and prescribed joints
// allow.
#include "input/initial_check.h"
#include "input/moved.h"
#include "input/odd_start.h"
#include "model/model.h"
#include "run/choice.h"
#include "run/judge/witness.h"
#include "run/run.h"
#include "statics/equilibrium.h"
#include "statics/turning/relative_rest.h"
#include "tendril/statics.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char START[] = "the equilibrium that the run starts at";

static const char *feeder(const td_rest *rest) {
  if (rest->result.fed) return "the current feeds motions about it";
  if (rest->kind == TD_REST_TURNS)
    return "what turns along feeds motions about it (above a critical speed its own damping does, or loads that follow "
           "a "
           "body do)";
  return "loads that follow the body feed motions about it";
}

static void tell_unstable(const td_rest *rest, td_warnings *warnings) {
  const td_statics_result *result = &rest->result;
  if (!td_equilibrium_is_unstable(result)) return;
  if (td_equilibrium_flutters(result))
    td_warn(warnings, "unstable", "/initial/q",
            "the equilibrium that the run starts at is unstable: %s, the least push grows "
            "by e in %.3g s while it swings by %.3g rad/s; rounding decides when, a small entry of `initial.qd` does",
            feeder(rest), 1 / result->growth_rate, result->growth_frequency);
  else
    td_warn(warnings, "unstable", "/initial/q",
            "the equilibrium that the run starts at is unstable: rounding decides when and to which side it is left; a "
            "small load aside, or a small curvature in `strain.reference`, "
            "decides it");
}

// Prescribed joints that move at t = 0, and no equilibrium that lasts.
static void tell_rest(const td_model *m, const td_rest *rest, td_warnings *warnings) {
  char pointer[TD_MAX_NAME + 16];
  if (rest->kind == TD_REST_STANDS || (rest->kind == TD_REST_TURNS && !rest->varies)) return;
  const char *name = td_model_channel_name(m, rest->channel);
  snprintf(pointer, sizeof pointer, "/inputs/%s", name);
  if (rest->kind == TD_REST_TURNS)
    td_warn(
        warnings, "passing_equilibrium", pointer,
        "\"%.63s\" turns on, and the equilibrium that the run starts at turns along, but not all that acts about it "
        "does (gravity across the axis, springs to the world, a second axis): whether the least push grows is "
        "decided over a whole turn (Floquet) and not judged here; a small entry of `initial.qd` "
        "shows it",
        name);
  else if (rest->kind == TD_REST_PASSES)
    td_warn(warnings, "passing_equilibrium", pointer,
            "\"%.63s\" moves its joint at t = 0, and %s: the run starts where forces balance at that rate, centrifugal "
            "ones included, but they do so at t = 0 only; judge it when its first swings have died down",
            name, rest->why);
  else
    td_warn(warnings, "rates_left_out", pointer,
            "\"%.63s\" moves its joint at t = 0, and there is no equilibrium that moves along (%s): the run starts at "
            "that of joints that stand still, and what its rate does, centrifugal forces above all, sets in at t = 0; "
            "let the joint start from rest",
            name, rest->why);
}

// An equilibrium that is one but for a tolerance sets small masses in motion, by as much as Newton's method happened to
// leave: with other numbers in the model by another one, which is no derivative.
static void polish(td_statics *s, double *q) {
  enum { STEPS = 3 };
  s->fraction = 1;
  s->shift = 0;
  if (td_statics_evaluate(s) || td_statics_linearise(s) || td_statics_polish(s, STEPS)) return;
  memcpy(q, s->q, (size_t)s->n * sizeof *q);
}

static td_status start_at_rest(td_simulation *run, td_error *err) {
  td_statics_options options;
  td_statics s;
  td_error why = {0};
  td_run_statistics *statistics = &run->state.statistics;
  size_t n = (size_t)run->plant.n;
  td_statics_defaults(&options);
  td_rest rest = {.rates = calloc(n + 1, sizeof *rest.rates)};
  td_status status = rest.rates ? td_statics_init(&s, run->plant.model, run->ws, &options) : TD_NO_MEMORY;
  if (status) {
    free(rest.rates);
    return td_fail(err, status, "", "no memory for statics");
  }
  run->plant.t_side = 0;
  td_inputs_eval(run->inputs, 0, 0, run->plant.u);
  memcpy(run->sample_y, run->y, n * sizeof *run->y);
  memcpy(s.q, run->y, n * sizeof *run->y);
  s.u = run->plant.u;
  status = td_rest_find(&s, run->inputs, run->spec->t_end, &rest, statistics, &why);
  memcpy(run->y, s.q, n * sizeof *run->y);
  if (status) {
    status = td_fail(err, status, "/initial/q", "%s", why.message);
  } else {
    td_equilibrium_tell(&s, run->sample_y, NULL, START, &statistics->warnings);
    run->state.rests_moving = rest.kind == TD_REST_TURNS || rest.kind == TD_REST_PASSES;
    run->state.rests_stably = rest.kind == TD_REST_STANDS && rest.result.stable && rest.result.conservative;
    td_equilibrium_tell_open(&s, run->sample_y, &statistics->warnings);
    if (!rest.varies) tell_unstable(&rest, &statistics->warnings);
    tell_rest(run->plant.model, &rest, &statistics->warnings);
    polish(&s, run->y);
  }
  td_statics_fini(&s);
  free(rest.rates);
  return status;
}

static void tell_singular_start(td_simulation *run) {
  char what[400];
  td_singular_describe(&run->plant, run->y, what, sizeof what);
  if (!*what) return;
  td_warn(&run->state.statistics.warnings, "singular_configuration", "/initial/q",
          "the run starts in a singular configuration: %s; the method and its rounding decide which. Start a little "
          "away from it",
          what);
}

// Prescribed coordinates go to f(0), then q to the nearest state that closes the loops, then qd to the nearest they
// allow.
static td_status assemble(td_simulation *run, double first_end, td_error *err) {
  td_plant *p = &run->plant;
  if (!td_plant_constrained(p)) return TD_OK;
  p->t_side = 0.5 * first_end;
  double *from = malloc((size_t)p->n * sizeof *from + 1);
  if (!from) return td_fail(err, TD_NO_MEMORY, "", "no memory for the initial state");
  memcpy(from, run->y, (size_t)p->n * sizeof *from);
  td_plant_drive(p, 0, run->y, NULL);
  td_inputs_eval(run->inputs, 0, p->t_side, p->u);
  p->projection.u = p->u;
  memcpy(run->sample_y, run->y, (size_t)p->n * sizeof *run->y);
  td_status status = td_assemble_turning(&p->projection, from, run->y, err);
  free(from);
  if (!status) status = td_initial_shape_check(p->model, run->y, "/initial/q", err);
  if (status) return status;
  if (run->spec->initial == TD_INITIAL_ARRAY)
    td_moved_tell(p->model, run->sample_y, run->y, &run->state.statistics.warnings);
  else if (run->spec->initial == TD_INITIAL_ZERO)
    td_moved_tell_open(p->model, run->y, &run->state.statistics.warnings);
  td_place root = td_place_root_of(&run->state.statistics.warnings, err);
  if (run->spec->initial != TD_INITIAL_EQUILIBRIUM) td_start_remark_assembled(&root, p->model, run->y);
  td_misfit_tell(p->projection.misfit, &run->state.statistics.warnings);
  tell_singular_start(run);
  td_plant_note_rank(p, true, run->y);
  status = td_project_velocity(&p->projection, run->y, run->y + p->n);
  if (!status && run->spec->qd)
    td_moved_tell_rates(p->model, run->spec->qd, run->y + p->n, &run->state.statistics.warnings);
  return status ? td_fail(err, status, "/initial/qd", "the loops' velocities at the start are not finite") : TD_OK;
}

td_status td_simulation_start(td_simulation *run, double first_end, td_error *err) {
  size_t n = (size_t)run->plant.n;
  const td_dynamics_spec *spec = run->spec;
  if (spec->initial == TD_INITIAL_ARRAY && n) memcpy(run->y, spec->q, n * sizeof *run->y);
  if (spec->qd && n) memcpy(run->y + n, spec->qd, n * sizeof *run->y);
  td_status status = spec->initial == TD_INITIAL_EQUILIBRIUM ? start_at_rest(run, err) : TD_OK;
  if (!status) status = assemble(run, first_end, err);
  if (status) return status;
  status = td_plant_energy(&run->plant, run->state.t, run->y, &run->state.first);
  td_guard_note_weight(&run->state.guard, &run->plant);
  run->state.last = run->state.first;
  td_guard_note_energy(&run->state.guard, &run->state.first, 0);
  td_witness_note(run, &run->state.first);
  return status ? td_fail(err, status, "/initial", "the energy of the initial state is not finite") : TD_OK;
}
