// What the parts of td_model_create share. Each build_* adds one kind of thing to a model whose earlier parts stand.
#ifndef TENDRIL_MODEL_BUILD_H
#define TENDRIL_MODEL_BUILD_H

#include "model/block.h"
#include "model/model.h"

/// Two abscissas closer than this are the same point.
#define TD_SAME_ABSCISSA 1e-12

static inline int td_pad(int n) { return (n + TD_LANES - 1) / TD_LANES * TD_LANES; }

/// The node of a link's frame at material abscissa `at` (-1 when the point was not laid out); world (link -1) is node 0.
int td_build_node_at(const td_model *m, int link, double at);

/// A strip of one interval that is exp(Phi q) for a joint of two or more coordinates; fills pre, post and columns.
td_status td_build_joint_strip(td_model *m, td_element *e, const td_joint_spec *joint);
/// The rod of link `link`: its strip, nodes, inertias, Gauss points, stiffness and damping.
/// `extra` [extra_count] rising abscissas between computational points get a node of their own.
td_status td_build_rod(td_model *m, const td_model_spec *spec, int link, const double *extra, int extra_count);
/// Actuators, loads, channels.
td_status td_build_actuation(td_model *m, const td_model_spec *spec);
/// Slots, ancestor runs, scratch sizes: after all elements stand.
td_status td_build_topology(td_model *m);
/// Coordinate names.
td_status td_build_names(td_model *m);

#endif
