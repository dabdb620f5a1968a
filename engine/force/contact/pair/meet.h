// Two proxies before each other: which may touch, and how deep they are in each other.
#ifndef TENDRIL_FORCE_CONTACT_PAIR_MEET_H
#define TENDRIL_FORCE_CONTACT_PAIR_MEET_H

#include "model/workspace.h"

/// Sets the depth (negative: apart; -INFINITY: such proxies do not touch at all), and of two that are in each other all
/// of `near`. False: they are not. Proxies are placed. O(1); before a mesh O(its edges).
bool td_meet(const td_model *m, const td_workspace *ws, int pair, int a, int b, td_near *near);

#endif
