// How what controllers ask depends on numbers of the model: laws weigh the robot and know its inertia.
#ifndef TENDRIL_CONTROL_MODEL_NUMBERS_H
#define TENDRIL_CONTROL_MODEL_NUMBERS_H

#include "control/controller.h"
#include "tendril/parameters.h"

/// Scratch of one thread.
typedef struct td_model_numbers td_model_numbers;
/// @param control, parameters  borrowed, of the same model
/// @return TD_OK or TD_NO_MEMORY
TD_NODISCARD td_status td_model_numbers_create(td_control *control, const td_parameters *parameters,
                                               td_model_numbers **numbers);
/// @param numbers  may be NULL
void td_model_numbers_destroy(td_model_numbers *numbers);

/// Derivatives of u by the numbers, the state, gains, references and the inputs of other channels held.
/// @param u      [m] that td_control_eval gave there
/// @param du_dp  [m][np] out, rows of channels without a controller 0
/// @return as td_control_eval, and as td_parameter_dynamics
/// Cost: for each pd_plus an id and a matrix of inputs of every neighbour, for all linearising controllers one
/// td_parameter_dynamics; no allocation.
TD_NODISCARD td_status td_model_numbers_at(td_model_numbers *numbers, const td_control_state *at, const double *u,
                                           double *du_dp);

#endif
