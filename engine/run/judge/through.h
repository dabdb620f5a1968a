// Bodies that get through each other: what gives way is no body, and nothing else says so.
#ifndef TENDRIL_RUN_JUDGE_THROUGH_H
#define TENDRIL_RUN_JUDGE_THROUGH_H

#include "model/workspace.h"

typedef struct td_through { // part of a checkpoint, as numbers
  double away[3];           ///< unit, from b to a, where they first touched
  double kind;              ///< APART, TOUCHED, DEEP or BEGAN_DEEP (through.c)
} td_through;

/// Doubles of the crossings of all pairs of solids.
size_t td_through_size(const td_model *model);
/// Whether at the end of a step, whose poses and twists the workspace holds, two bodies that came apart into each other
/// have gone deeper than half of what they measure where they are thinnest and are on the other side of each other.
/// What begins so deep is left out until it has been apart; so is a rod before itself. O(proxies, and what touches).
/// @return  the pair; -1: none
int td_through_find(td_through *through, const td_model *model, td_workspace *ws);

#endif
