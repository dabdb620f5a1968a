// Known physical causes of a failure of runs and statics.
#ifndef TENDRIL_SOLVE_CAUSE_H
#define TENDRIL_SOLVE_CAUSE_H

#include "tendril/dynamics.h"

/// Writes "; body … bends beyond …" or "; tendon … has no length left …" when that is so near q [n], else "".
void td_cause_explain(const td_model *model, const double *q, char *text, size_t size);

#endif
