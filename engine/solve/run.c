// A dynamics run: from the initial state to t_end, segment by segment.
//
// Segments end at jumps of the inputs, at checkpoints, where a rotation vector is rewritten (rechart.h) and at t_end; at each start the integrator begins anew, so the bits of a
// segment depend on the state at its start only. Within a segment every accepted step is followed by the energy ledger, the
// samples that fall into it (by interpolation: sampling never limits a step), and the step hook. A sample at a segment's
// start is taken there, with the inputs as they are from then on; the last sample is the final state itself.
#include "solve/run.h"
#include "solve/rechart.h"
#include "solve/slack.h"
#include "solve/statics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ life

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "no memory to set up the run"); }

// The method's own step and a longest step that looks at every feature of the inputs.
static void fill_defaults(td_integrator_spec *s, const td_integrator *method, const td_dynamics_spec *spec) {
  *s = spec->integrator;
  if (!(s->h > 0)) s->h = method->default_h;
  if (s->h_max > 0) return;
  double scale = td_inputs_time_scale(spec->inputs, spec->input_count);
  s->h_max = fmin(spec->t_end / 10, fmax(scale, spec->t_end / 1000));
}

static bool carve(td_simulation *run) {
  size_t n = (size_t)run->plant.n, m = (size_t)run->plant.m, row = td_output_row_size(run->output);
  double *at = run->memory = calloc(13 * n + m + row + 1, sizeof *at);
  run->bytes = calloc(1, td_checkpoint_size(run));
  if (!at || !run->bytes) return false;
  run->y = at;
  run->sample_y = at + 2 * n;
  run->scratch = at + 4 * n;
  run->plant.x = at + 10 * n;
  run->plant.f = at + 11 * n;
  run->plant.u = at + 13 * n;
  run->row = at + 13 * n + m;
  return true;
}

td_status td_simulation_init(td_simulation *run, const td_model *model, const td_dynamics_spec *spec,
                             const td_run_hooks *hooks, td_error *err) {
  *run = (td_simulation){.spec = spec, .watch = td_stopwatch_start()};
  td_status status = td_dynamics_check(model, spec, err);
  if (status) return status;
  if (hooks) run->hooks = *hooks;
  run->method = td_integrator_get(spec->integrator.method);
  run->sample_count = td_run_sample_count(spec);
  run->may_rechart = td_rechart_needed(model);
  fill_defaults(&run->method_spec, run->method, spec);
  status = td_output_create(model, spec, &run->output, err);
  if (status) return status;
  if (td_workspace_create(model, &run->ws)) return no_memory(err);
  if (td_inputs_create(model, spec->inputs, spec->input_count, &run->inputs)) return no_memory(err);
  run->plant = (td_plant){.model = model,
                          .ws = run->ws,
                          .inputs = run->inputs,
                          .n = td_model_ndof(model),
                          .m = td_model_channel_count(model),
                          .finite_difference = spec->integrator.finite_difference,
                          .statistics = &run->state.statistics};
  if (!carve(run)) return no_memory(err);
  return run->method->create(&run->plant, &run->method_spec, &run->stepper) ? no_memory(err) : TD_OK;
}

void td_simulation_fini(td_simulation *run) {
  if (run->stepper) run->method->destroy(run->stepper);
  td_output_destroy(run->output);
  td_inputs_destroy(run->inputs);
  td_workspace_destroy(run->ws);
  free(run->bytes);
  free(run->memory);
}

// ------------------------------------------------------------------------------------------------ initial state

static td_status start_at_rest(td_simulation *run, td_error *err) {
  td_statics_options options;
  td_statics_result result;
  td_statics_defaults(&options);
  run->plant.inside = 0;
  td_inputs_eval(run->inputs, 0, 0, run->plant.u);
  td_error why = {0};
  td_status status = td_statics_solve(run->plant.model, run->ws, run->plant.u, &options, run->y, &result, &why);
  run->state.statistics.newton_iterations += (uint64_t)result.iterations;
  return status ? td_fail(err, status, "/initial/q", "%s", why.message) : TD_OK;
}

static td_status start_new(td_simulation *run, td_error *err) {
  size_t n = (size_t)run->plant.n;
  const td_dynamics_spec *spec = run->spec;
  if (spec->initial == TD_INITIAL_ARRAY && n) memcpy(run->y, spec->q, n * sizeof *run->y);
  if (spec->qd && n) memcpy(run->y + n, spec->qd, n * sizeof *run->y);
  td_status status = spec->initial == TD_INITIAL_EQUILIBRIUM ? start_at_rest(run, err) : TD_OK;
  if (status) return status;
  status = td_energy_at(run->plant.model, run->ws, run->y, run->y + n, &run->state.first);
  return status ? td_fail(err, status, "/initial", "the energy of the initial state is not finite") : TD_OK;
}

// ------------------------------------------------------------------------------------------------ samples

static td_status cancelled(const td_simulation *run, td_error *err) {
  return td_fail(err, TD_CANCELLED, "", "cancelled at t = %.9g s", run->state.t);
}

static td_status report(td_simulation *run, double t, const double *y, td_error *err) {
  td_status status = td_output_fill(run->output, &run->plant, t, y, run->row);
  if (status) return td_fail(err, status, "", "the output at t = %.9g s is not finite", t);
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
      y = run->sample_y;
    }
    td_status status = report(run, t, y, err);
    if (status) return status;
  }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ segments

// Times nearer than this are one time.
static double same_time(const td_simulation *run) { return 1e-11 * run->spec->t_end; }

static double next_checkpoint(const td_simulation *run) {
  double dt = run->hooks.checkpoint_dt;
  return dt > 0 ? (double)(run->state.checkpoint + 1) * dt : INFINITY;
}

static double segment_end(const td_simulation *run) {
  double tiny = same_time(run), end = run->spec->t_end;
  double event = td_inputs_next_event(run->inputs, run->state.t + tiny), checkpoint = next_checkpoint(run);
  if (event < end - tiny) end = event;
  if (checkpoint < end - tiny) end = checkpoint;
  return end;
}

static td_status after_step(td_simulation *run, double before, double stop, td_error *err) {
  run->state.statistics.steps++;
  run->state.statistics.t = run->state.t;
  td_ledger_add_step(&run->state.ledger, &run->plant, run->method, run->stepper, before, run->state.t, run->scratch);
  if (run->method->interpolate(run->stepper, run->state.t, run->y))
    return td_fail(err, TD_INTERNAL, "", "no state at t = %.9g s", run->state.t);
  bool last = run->state.t >= stop;
  td_status status = samples_before(run, last ? stop : nextafter(run->state.t, INFINITY), true, err);
  if (status) return status;
  int rewritten = run->may_rechart ? td_rechart(run->plant.model, run->y) : 0;
  run->restart = rewritten > 0;
  run->state.statistics.recharts += (uint64_t)rewritten;
  bool go = !run->hooks.step || run->hooks.step(run->hooks.context, run->state.t);
  return go ? TD_OK : cancelled(run, err);
}

// Steps that have shrunk so far that the run would never end are a failure, not a long run.
static td_status check_pace(td_simulation *run, td_error *err) {
  enum { WINDOW = 50000 };
  static const double most_steps = 2e8;
  if (++run->pace_steps < WINDOW) return TD_OK;
  double mean = (run->state.t - run->pace_t) / WINDOW, left = run->spec->t_end - run->state.t;
  run->pace_steps = 0;
  run->pace_t = run->state.t;
  if (left <= most_steps * mean) return TD_OK;
  return td_fail(err, TD_STEP_TOO_SMALL, "",
                 "%s at t = %.9g s: steps have shrunk to %.3g s, the rest would take %.2g of them", run->method->name,
                 run->state.t, mean, left / mean);
}

static td_status segment(td_simulation *run, double stop, td_error *err) {
  td_run_state *s = &run->state;
  run->plant.inside = s->t + 0.5 * (stop - s->t);
  td_status status = run->method->start(run->stepper, s->t, stop, s->hint, run->y, err);
  if (!status) status = samples_before(run, nextafter(s->t, INFINITY), false, err);
  run->restart = false;
  while (!status && s->t < stop && !run->restart) {
    double before = s->t;
    status = run->method->step(run->stepper, &s->t, err);
    if (!status) status = after_step(run, before, stop, err);
    if (!status) status = check_pace(run, err);
  }
  if (run->method->count) run->method->count(run->stepper, &s->statistics);
  if (run->method->hint) s->hint = run->method->hint(run->stepper);
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

// Adds the cause to a failure's message where it is known.
static void explain(td_simulation *run, td_status status, td_error *err) {
  char why[256];
  if (!err || (status != TD_NOT_CONVERGED && status != TD_STEP_TOO_SMALL && status != TD_NONFINITE)) return;
  td_slack_explain(run->plant.model, run->y, why, sizeof why);
  size_t used = strlen(err->message);
  if (used + strlen(why) < sizeof err->message) memcpy(err->message + used, why, strlen(why) + 1);
}

static void settle(td_simulation *run) {
  td_energy now = run->state.first;
  const double *y = run->y;
  if (y && !td_energy_at(run->plant.model, run->ws, y, y + run->plant.n, &now))
    run->state.statistics.energy = td_ledger_balance(&run->state.ledger, &run->state.first, &now);
  spent(run);
}

td_status td_dynamics_run(const td_model *model, const td_dynamics_spec *spec, const td_run_hooks *hooks,
                          const void *resume, size_t resume_size, td_run_statistics *statistics, td_error *err) {
  td_simulation run;
  td_status status = td_simulation_init(&run, model, spec, hooks, err);
  if (!status) status = resume ? td_checkpoint_read(&run, resume, resume_size, err) : start_new(&run, err);
  run.pace_t = run.state.t;
  if (!status) {
    status = integrate(&run, err);
    explain(&run, status, err);
    settle(&run);
  }
  if (statistics) *statistics = run.state.statistics;
  td_simulation_fini(&run);
  return status;
}
