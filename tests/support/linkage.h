// Linkages of rigid bars in a row, closed to the world by a loop: uniform thin bars, revolute joints about y, gravity
// along -z.
#ifndef TENDRIL_TEST_LINKAGE_H
#define TENDRIL_TEST_LINKAGE_H

#include "tendril/model.h"

enum { LINKAGE_BARS = 8, LINKAGE_FOUR_BARS = 4 };

typedef struct linkage {
  int count;
  double length[LINKAGE_BARS], mass[LINKAGE_BARS];
  double end[2];          ///< x and z of the loop's end in the world
  double q[LINKAGE_BARS]; ///< a closed state
} linkage;

/// Three bars of 1 m and 1 kg, the coupler level; the first crank at `angle`, about y.
linkage linkage_parallelogram(double angle);
/// Four-bars of several proportions, some with dead points.
linkage linkage_four_bar(int k);
td_model *linkage_build(const linkage *l);

#endif
