// A four-bar linkage for tests of closed chains: a parallelogram of three hinged bars and the ground, 0.3 m by 0.4 m,
// upright at
// q = 0, planar in x-z. Its loop has 5 rows of rank 2; every closed state is q = (s, -s, s).
#ifndef TENDRIL_TEST_FOUR_BAR_H
#define TENDRIL_TEST_FOUR_BAR_H

#include "tendril/model.h"

typedef struct four_bar {
  double stiffness;   ///< spring of the first hinge, N m
  double ground;      ///< x of the loop's end in the world, 0.4 closes it at q = 0
  bool driven, motor; ///< first hinge: prescribed ("drive"), or a torque ("motor")
} four_bar;

td_model *four_bar_build(const four_bar *options);

#endif
