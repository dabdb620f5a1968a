// What every node carries and what acts on it.
#ifndef TENDRIL_PASS_COMPOSITE_NODES_H
#define TENDRIL_PASS_COMPOSITE_NODES_H

#include "force/force.h"
#include "pass/composite.h"

/// Own values of every node from poses, twists and accelerations (MASS: from poses alone). `forces` says which of
/// TD_FORCE_… act (loads with inputs u, NULL: zero); `gravity` [3] as it entered A: buoyancy and the added mass's
/// missing weight follow it.
void td_composite_nodes(const td_model *m, td_workspace *ws, const double *u, unsigned forces, const double *gravity,
                        td_composite_level level);
/// ws->did_dq, ws->did_dqd += what forces between bodies add that no map of a node holds. After td_columns_of.
void td_composite_between(const td_model *m, td_workspace *ws);

#endif
