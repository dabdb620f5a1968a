// What the parts of td_model_create share. Each build_* adds one kind of thing to a model whose earlier parts stand.
#ifndef TENDRIL_BUILD_BUILD_H
#define TENDRIL_BUILD_BUILD_H

#include "model/block.h"
#include "model/model.h"
#include <stdbool.h>

/// Two abscissas closer than this are the same point.
#define TD_SAME_ABSCISSA 1e-12

/// The node of a link's frame at material abscissa `at` (-1 when the point was not laid out); world (link -1) is node
/// 0.
int td_build_node_at(const td_model *m, int link, double at);

/// Parts of every strip: memory for `intervals`, entries of Phi and xi* (times h) at Zanna point `zanna`, and the
/// layouts by chunk that follow from them.
td_status td_strip_allocate(td_model *m, td_element *e, int intervals);
void td_strip_set_phi(td_element *e, int interval, int column, int zanna, double value);
void td_strip_set_rest(td_element *e, int interval, int zanna, const double xi[6], double h);
td_status td_strip_pieces(td_model *m, td_element *e);
td_status td_strip_gauss_pieces(td_model *m, td_rod *rod, const td_element *e);

/// Parts of rods and of reduced bodies with a backbone. phi [n]: physical Phi at s/L.
void td_rod_phi(const td_rod *rod, const td_element *e, double s, double *phi);
/// xi* [6] at s/L.
void td_rod_rest(const td_rod *rod, double s, double xi[6]);
td_status td_rod_allocate(td_model *m, td_rod *rod, const td_element *e, int points, int extra);
void td_rod_lay_out(td_model *m, td_element *e, td_rod *rod, const double *extra, int extra_count, double *scratch);
/// Adds weight phi^T diag(k) phi and weight phi^T diag(d) phi to the blocks; k, d by component.
void td_rod_add_stiffness(const td_rod *rod, const double *phi, double weight, const double *k, const double *d);

/// A strip of one interval that is exp(Phi q) for a joint of two or more coordinates; fills pre, post and columns.
td_status td_build_joint_strip(td_model *m, td_element *e, const td_joint_spec *joint);
/// The rod of link `link`: its strip, nodes, inertias, Gauss points, stiffness and damping.
/// `extra` [extra_count] rising abscissas between computational points get a node of their own.
td_status td_build_rod(td_model *m, const td_model_spec *spec, int link, const double *extra, int extra_count);
/// The reduced body of link `link`.
/// In a guide (td_model.is_guide) with the given rising abscissas of (0, 1) for computational points.
td_status td_build_reduced(td_model *m, const td_model_spec *spec, int link, const double *stations, int station_count);
/// Slices of a reduced body whose backbone stands; none for rigid sections.
td_status td_build_slices(td_model *m, const td_model_spec *spec, td_rod *rod, td_element *e);
/// Actuators, loads, springs, channels.
td_status td_build_actuation(td_model *m, const td_model_spec *spec);
/// Loops and the mask of prescribed coordinates: after td_build_actuation.
td_status td_build_loops(td_model *m, const td_model_spec *spec);
/// What touches other bodies: before td_build_topology.
td_status td_build_pairs(td_model *m, const td_model_spec *spec);
/// Slots, ancestor runs, scratch sizes: after all elements stand.
td_status td_build_topology(td_model *m);
/// How the mass matrix of a robot that branches is factored; `related` entries of it are not 0.
td_status td_build_tree_order(td_model *m, double related);
/// The Ritz body of link `link`.
td_status td_build_ritz(td_model *m, const td_model_spec *spec, int link);
/// Chambers of all reduced bodies, in link order.
td_status td_build_chambers(td_model *m, const td_model_spec *spec);
/// Coordinate names.
td_status td_build_names(td_model *m);
/// All of it: td_model_create without what only the finished model can tell.
td_status td_model_build(const td_model_spec *spec, const td_memory *memory, td_model **model, td_error *err);

#endif
