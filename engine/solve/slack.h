// Whether a failure comes from a tendon that has used up its length somewhere along a rod.
#ifndef TENDRIL_SOLVE_SLACK_H
#define TENDRIL_SOLVE_SLACK_H

#include "tendril/dynamics.h"

/// Writes "; tendon ... has no length left ..." when that is so at q [n], else "".
void td_slack_explain(const td_model *model, const double *q, char *text, size_t size);

#endif
