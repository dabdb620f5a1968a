// Known physical causes of a failure of runs and statics.
#ifndef TENDRIL_WHY_CAUSE_H
#define TENDRIL_WHY_CAUSE_H

#include "tendril/dynamics.h"

/// Writes "; body … bends beyond …" or "; tendon … has no length left …" when that is so near q [n], else "".
void td_cause_explain(const td_model *model, const double *q, char *text, size_t size);

#define TD_FAR 0.01 // of rtol: what rounding may put accelerations off by without being felt; light bodies feel it most

/// Rounding of accelerations, as a part of them, that a free joint adds whose coordinates lie far out: its translation
/// and rotation are one twist, so that the rates of one mix into the other by the distance, and M loses digits by its
/// square (2e-13 at 1 m from the joint's frame, measured; test_far_away). Returns the largest, and the link of that
/// joint and its distance, m; 0: no free joint is far.
double td_cause_far(const td_model *model, const double *q, int *link, double *metres);
/// Writes "; the coordinates of the free joint of … reach … m …" where that is more than steps of relative tolerance
/// rtol allow, else "".
void td_cause_explain_far(const td_model *model, const double *q, double rtol, char *text, size_t size);

#endif
