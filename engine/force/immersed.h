// Bodies in water that flows, has a surface or is viscous: what algorithm/external.c does for still water, in general form.
#ifndef TENDRIL_FORCE_IMMERSED_H
#define TENDRIL_FORCE_IMMERSED_H

#include "algorithm/composite_nodes.h"

/// Adds added mass (always), the flow's part of it, drag, lift and viscous resistance (with TD_FORCE_DRAG) of one body to F and the
/// full maps of its node. u [channels] for the flow, NULL: zero. As td_external_nodes otherwise.
void td_immersed_node(const td_model *m, td_workspace *ws, const td_fluid *f, const double *u, unsigned forces,
                      const double *gravity, td_composite_level level);
/// F += what the water does beside the added mass of still water: all that depends on velocities relative to it. Returns what resistance
/// turns into heat, V_r.F, W. Needs poses and V.
double td_immersed_force(const td_model *m, td_workspace *ws, const td_fluid *f, const double *u);
/// F += dF/dU of component `component` of the flow. Needs poses and V.
void td_immersed_flow_slope(const td_model *m, td_workspace *ws, const td_fluid *f, const double *u, int component);
/// Displaced fluid at a surface: force -wetness displaced gravity at `point` (world axes about the origin), and its slopes.
void td_immersed_lift(const td_model *m, td_workspace *ws, int node, double displaced, const double *gravity,
                      const double point[3], td_composite_level level);
/// Wetness of a body at its reference point. Needs poses.
double td_immersed_wetness(const td_model *m, const td_workspace *ws, const td_fluid *f);

#endif
