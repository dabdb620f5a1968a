// Touches that undo each other where capsules of a rod join.
//
// A touch counts with the product of its proxies' weights, and what joins capsules has -1. Where the nearest point of a
// capsule is its end, the joint there touches alike, with the other sign: neither need be looked at. Of a rod that lies
// along another a third is left.
#ifndef TENDRIL_FORCE_CONTACT_PAIR_JOINT_H
#define TENDRIL_FORCE_CONTACT_PAIR_JOINT_H

#include "model/workspace.h"

/// Another touch of the pair undoes the one of proxies a and b, which meet at `at`. Exactly those that undo each other
/// say so of each other. Not where springs hold the two otherwise, nor of a law by which they differ, with a tangent that
/// weighs friction. O(1).
bool td_joint_undoes(const td_model *m, const td_workspace *ws, int pair, int a, int b, const td_closest *at);

#endif
