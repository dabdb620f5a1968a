// Rows of the table of forces, one per kind (force.h); each is defined in the file that bears its name.
#ifndef TENDRIL_FORCE_FORCE_TABLE_H
#define TENDRIL_FORCE_FORCE_TABLE_H

#include "force/force.h"

/// A line each: its row is td_force_<row>. They are added in this order, and sums of doubles depend on it: on bodies
/// what water does, contacts and what rubs there, loads and what lifts; on coordinates what actuators do, elasticity and
/// damping, stops of joints, what tendons' laws and springs between points add.
#define TD_FORCES(LINE)                                                                                                \
  LINE(added_mass)                                                                                                     \
  LINE(drag)                                                                                                           \
  LINE(immersed)                                                                                                       \
  LINE(contact)                                                                                                        \
  LINE(rubbing)                                                                                                        \
  LINE(pair)                                                                                                           \
  LINE(pair_rubbing)                                                                                                   \
  LINE(load)                                                                                                           \
  LINE(buoyancy)                                                                                                       \
  LINE(tendon)                                                                                                         \
  LINE(joint)                                                                                                          \
  LINE(pressure)                                                                                                       \
  LINE(magnetism)                                                                                                      \
  LINE(elasticity)                                                                                                     \
  LINE(stop)                                                                                                           \
  LINE(tendon_law)                                                                                                     \
  LINE(spring)

/// Places in the table, and in td_model.of_force.
#define TD_FORCE_PLACE(row) TD_FORCE_AT_##row,
enum { TD_FORCES(TD_FORCE_PLACE) TD_FORCE_COUNT };

#define TD_FORCE_ROW(row) extern const td_force td_force_##row;
TD_FORCES(TD_FORCE_ROW)

#endif
