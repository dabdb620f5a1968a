// What is true of every frozen model, so that algorithms need not ask.
#ifndef TENDRIL_MODEL_INVARIANTS_H
#define TENDRIL_MODEL_INVARIANTS_H

#include "model/model.h"

/// Asserts it of a model (or a guide) whose parts all stand. O(size of the model); nothing where asserts are off.
void td_model_assert_invariants(const td_model *m);

#endif
