// Maps of a request that takes steps: a state's next one needs memory of its own, which threads keep from state to
// state.
#ifndef SERVER_SERVICE_EVALUATE_STEPS_H
#define SERVER_SERVICE_EVALUATE_STEPS_H

#include "service/evaluate/evaluate.h"

typedef struct evaluate_step {
  td_step *map;
  double *x; ///< [4n] scratch
} evaluate_step;

/// NULL: no memory.
evaluate_steps *evaluate_steps_create(const td_step_spec *spec);
void evaluate_steps_destroy(evaluate_steps *steps);
/// @param by  parameters of the request, NULL: none
/// That of a part of the batch, made the first time. NULL: no memory, or none that BUDGET_EVALUATIONS has left.
evaluate_step *evaluate_steps_take(evaluate_steps *steps, int part, const td_model *model, const td_parameters *by);

#endif
