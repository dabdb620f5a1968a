// Whether a failure comes from a tendon that has used up its length somewhere along a rod.
#ifndef TENDRIL_WHY_SLACK_H
#define TENDRIL_WHY_SLACK_H

#include "tendril/dynamics.h"
#include <stdbool.h>

/// Writes "; tendon ... has no length left ..." when that is so at q [n], else "".
void td_slack_explain(const td_model *model, const double *q, char *text, size_t size);

/// Whether a tendon under tension has pulled two of its points together at (q, u): its force has no direction there,
/// and where the residual vanishes nothing balances. Allocates where tendons run straight between bodies.
bool td_slack_has_met(const td_model *model, td_workspace *ws, const double *q, const double *u);

#endif
