// What is in each other: the broad phase of contact between bodies.
//
// Every solid has a binary tree of boxes over its proxies in their order, which along a rod is its own; two solids are
// searched from the tops of their trees down, as far as boxes meet. So the cost grows with what is near, and neither the
// list nor its order depends on anything but the state.
#ifndef TENDRIL_FORCE_CONTACT_PAIR_NEARBY_H
#define TENDRIL_FORCE_CONTACT_PAIR_NEARBY_H

#include "model/workspace.h"

/// Places proxies, and lists what is in each other from the first pair on, unless the workspace holds both. Needs
/// poses. whole: those that undo each other (joint.h), too. O(proxies + what is near).
void td_nearby_begin(const td_model *m, td_workspace *ws, bool whole);
/// The page from a pair on, without its first `skip` touches. Pages hold td_nearby_most.
void td_nearby_list(const td_model *m, const td_workspace *ws, int pair, int skip);
/// Makes the page hold the touches of a pair; where they begin on it (where there are none: where they would).
int td_nearby_seek(const td_model *m, const td_workspace *ws, int pair);
/// m: least distance of the boxes about two solids; 0: they meet.
double td_nearby_gap(const td_model *m, const td_workspace *ws, const td_solid_pair *pair);
/// Depth of what is deepest of a pair, but balls at which capsules join; -INFINITY: it has nothing.
double td_nearby_deepest(const td_model *m, const td_workspace *ws, int pair);
/// Depth of two proxies of a pair that just touch, within so many metres, but balls at which capsules join; INFINITY:
/// none do.
double td_nearby_grazing(const td_model *m, const td_workspace *ws, int pair, double within);

#endif
