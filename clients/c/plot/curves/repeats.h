// Panels that would say nothing new: what a sweep varied is its axis and its colours, what stays the same is a line of
// text.
#ifndef TENDRIL_CLIENT_REPEATS_H
#define TENDRIL_CLIENT_REPEATS_H

#include "plot/curves/maker.h"

/// Whether the axis of the list, and the colours of its lines, tell every number that the sweep varied.
bool repeats_varied(const maker *m);
/// Whether the inputs hold nothing but what the axis and the colours tell.
bool repeats_inputs(const maker *m);
/// Takes panels out whose curves are all constant, as long as one other is left, and writes list->folded:
/// "constant: joint torques 0 N m; tendon tensions: left 2 N, right 0 N".
void repeats_fold(panel_list *list);

#endif
