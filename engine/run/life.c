// What a run is made of, made and freed. Where arrays lie behind one another a checkpoint copies them at once.
#include "closure/rechart.h"
#include "model/model.h"
#include "run/choice.h"
#include "run/run.h"
#include <stdlib.h>

static td_status no_memory(td_error *err) { return td_fail(err, TD_NO_MEMORY, "", "no memory to set up the run"); }

static bool carve(td_simulation *run) {
  size_t n = (size_t)run->plant.n, row = td_output_row_size(run->output), scratch = td_ledger_scratch(&run->plant);
  size_t springs = 2 * (size_t)run->plant.model->spring_count;
  size_t held = TD_BRISTLE_SIZE * (size_t)run->plant.model->bristle_count;
  size_t rows = (size_t)td_retrace_rows(run->plant.n), passed = td_passages_size(run->plant.model),
         sides = passed + td_through_size(run->plant.model);
  run->carry_size = run->method->carry_size ? run->method->carry_size(&run->plant) : 0;
  double *at = run->memory = calloc(
      (9 + 2 * TD_WITNESSES + rows) * n + springs + sides + 2 * held + scratch + row + run->carry_size + 1, sizeof *at);
  run->bytes = calloc(1, td_checkpoint_size(run));
  if (!at || !run->bytes) return false;
  run->y = at;
  run->reach = at + 2 * n;
  run->witness = at + 3 * n;
  double *sifted = run->witness + 2 * TD_WITNESSES * n;
  run->sifted = (td_sifted){sifted, sifted + n, sifted + 2 * n, sifted + 3 * n};
  run->stretch = sifted + 4 * n;
  run->trace = run->stretch + springs;
  double *side = run->trace + rows * n;
  if (td_passages_init(&run->passages, run->plant.model, side)) return false;
  run->through = (td_through *)(side + passed);
  run->bristle = (td_bristle *)(side + sides);
  run->sample_y = side + sides + 2 * held;
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
  if (run->hooks.again && method->map == TD_MAP_NONE && !method->tableau && !method->collocates)
    return td_fail(err, TD_UNSUPPORTED, "/integrator/method", "steps of %s cannot be taken again", method->name);
  return method->create(method, &run->plant, &run->method_spec, &run->stepper) ? no_memory(err) : TD_OK;
}

void td_simulation_fini(td_simulation *run) {
  if (run->stepper) run->method->destroy(run->stepper);
  td_approach_fini(&run->approach);
  td_passages_fini(&run->passages);
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
  free(run->second);
  free(run->memory);
}
