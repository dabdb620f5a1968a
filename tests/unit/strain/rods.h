// Small rod specs for the tests of engine/strain.
#ifndef TENDRIL_TEST_RODS_H
#define TENDRIL_TEST_RODS_H

#include "tendril/spec.h"
#include <math.h>

/// A round rod with one active component, bending_y of the given basis and order.
static inline td_rod_spec rod_of(td_basis basis, int order) {
  static const double radius[1] = {0.01};
  td_rod_spec rod = {.length = 0.5,
                     .section = TD_SECTION_CIRCLE,
                     .size[0] = {.count = 1, .width = 1, .value = radius},
                     .young = 1e6,
                     .poisson = 0.5,
                     .shear = NAN,
                     .density = 1000,
                     .viscosity = 1e3,
                     .basis = basis,
                     .order = {-1, order, -1, -1, -1, -1}};
  return rod;
}

#endif
