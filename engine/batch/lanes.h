// The passes over the tree for as many states as there are lanes: every number is a vector, lane = state. No expansion,
// no shuffles, no padding of intervals and columns, which take half of the time of one state.
//
// Each lane does what the passes of one state do (pass/, body/), operation by operation in the same order, and nothing
// that depends on another lane, so that a state has the same bits in any lane beside any others. Those of one state by
// itself differ by rounding: which of two products the compiler fuses with their sum depends on what stands around
// them. What is not of that form (forces, factors) is done state by state, by the very functions of one state.
#ifndef TENDRIL_BATCH_LANES_H
#define TENDRIL_BATCH_LANES_H

#include "body/rod/strip.h"
#include <stdbool.h>

/// Motion of a node and what hangs on it, world frame about `origin`.
typedef struct td_lane_node {
  td_vec R[9], p[3], V[6], A[6];
  td_lane_composite c;
} td_lane_node;

typedef struct td_lanes {
  const td_model *model;
  void *block;
  int *first_interval;             ///< [elements] of a strip, in `motion`
  td_vec *q, *qd, *qdd;            ///< [n]
  td_vec *origin;                  ///< [3]
  td_lane_node *node;              ///< [nodes]
  td_vec (*screw)[6];              ///< [elements] world column of a SCREW
  td_motion *motion;               ///< [intervals of all strips]
  td_tables *tables;               ///< [intervals] of the strip at work
  td_vec *kept;                    ///< [kept columns][TD_ROWS]
  td_vec *prefix, *branch;         ///< [local nodes][TD_ROWS], [TD_WRENCH_ROWS] of the strip's column at work
  td_vec *projected;               ///< [intervals][2][6][3]
  td_vec *wrench;                  ///< [columns of the element at work][TD_WRENCH_ROWS]
  td_vec *id;                      ///< [n]
  td_vec *mass, *did_dq, *did_dqd; ///< [n][n]
} td_lanes;

/// Is the model made of what the passes below know: rigid bodies, rods whose sections are rigid, joints of any number of
/// coordinates; nothing that acts on bodies beside gravity?
bool td_lanes_serve(const td_model *m);
TD_NODISCARD td_status td_lanes_create(const td_model *m, td_lanes **lanes);
void td_lanes_destroy(td_lanes *lanes);

/// Puts x [n] (NULL: zero) of one state into lane `lane` of `to` [n].
void td_lanes_put(const td_lanes *l, int lane, const double *x, td_vec *to);
/// out [count] = what stands in lane `lane` of `from` [count].
void td_lanes_get(int count, int lane, const td_vec *from, double *out);

/// Stages `first` … `last` of the forward pass from q, qd, qdd, gravity that of the model.
void td_lanes_motion(td_lanes *l, td_level first, td_level last);
/// Composites of all nodes, summed; at WRENCH and ALL also id.
void td_lanes_wrenches(td_lanes *l, td_composite_level level);
/// mass, or did_dq and did_dqd, or all.
void td_lanes_columns(td_lanes *l, td_columns what);

#endif
