// A part of a batch keeps its map from state to state, and a stream from message to message; what maps take is counted
// with the evaluations.
#include "service/evaluate/steps.h"
#include "base/share/budget.h"
#include "service/evaluate/batch.h"

#include <assert.h>
#include <stdlib.h>

struct evaluate_steps {
  td_step_spec spec;
  evaluate_step part[BATCH_MAX_PARTS];
  size_t taken[BATCH_MAX_PARTS]; // of BUDGET_EVALUATIONS
};

evaluate_steps *evaluate_steps_create(const td_step_spec *spec) {
  evaluate_steps *steps = calloc(1, sizeof *steps);
  if (steps) steps->spec = *spec;
  return steps;
}

static void forget(evaluate_steps *steps, int part) {
  td_step_destroy(steps->part[part].map);
  free(steps->part[part].x);
  if (steps->taken[part] > 0) budget_give(BUDGET_EVALUATIONS, steps->taken[part]);
  steps->part[part] = (evaluate_step){.map = NULL};
  steps->taken[part] = 0;
}

void evaluate_steps_destroy(evaluate_steps *steps) {
  for (int i = 0; steps && i < BATCH_MAX_PARTS; i++) forget(steps, i);
  free(steps);
}

evaluate_step *evaluate_steps_take(evaluate_steps *steps, int part, const td_model *model, const td_parameters *by) {
  assert(part >= 0 && part < BATCH_MAX_PARTS);
  evaluate_step *step = &steps->part[part];
  if (step->map) return step;
  size_t bytes = td_step_bytes(model, by);
  if (budget_take(BUDGET_EVALUATIONS, bytes) != BUDGET_TAKEN) return NULL;
  steps->taken[part] = bytes;
  step->x = calloc(4 * (size_t)td_model_ndof(model) + 1, sizeof *step->x);
  if (step->x && td_step_create(model, by, &steps->spec, &step->map, NULL) == TD_OK) return step;
  return forget(steps, part), NULL;
}
