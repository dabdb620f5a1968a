// Robots whose bodies touch each other, or a floor, for the group touching.
#ifndef TENDRIL_BENCH_TOGETHER_H
#define TENDRIL_BENCH_TOGETHER_H

#include "bench/robot.h"

typedef enum bench_law { BENCH_NONE, BENCH_SMOOTH, BENCH_ROUGH, BENCH_STICKY, BENCH_LAWS } bench_law;
typedef bench_robot *bench_together(bench_law law);

/// Two rods lie side by side and touch along their whole length: 11 points on each have 23 capsules and joints, of
/// which about a hundred pairs are in each other.
bench_together bench_near_rods;
/// The same far apart, of 17 points: 961 pairs could touch and none does, though the boxes about the rods meet.
bench_together bench_far_rods;
/// Ten rods side by side in a triangle: 18 pairs of neighbours.
bench_together bench_bundle;
/// Two chains of twenty capsules each, side by side.
bench_together bench_chains;
/// One chain of forty capsules on a floor, an obstacle.
bench_together bench_floor;
/// Two soft fingers that press a free box between them.
bench_together bench_fingers;

#endif
