// Is what a caller says of a parameter, that the equation of motion is affine in it, so?
#ifndef TENDRIL_PARAMETER_AFFINE_CLAIM_H
#define TENDRIL_PARAMETER_AFFINE_CLAIM_H

#include "parameter/parameters.h"

/// Whether a neighbour an eighth as far off has the same slope of tau - ID, at one general state. True, too, where that
/// cannot be told (no memory, no such neighbour, values that are not finite). For asserts: it freezes a model.
bool td_affine_claim_holds(const td_parameters *p, size_t index, td_parameter_freeze freeze, void *context);

#endif
