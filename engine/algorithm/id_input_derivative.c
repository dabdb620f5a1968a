// What inputs change in ID: wrenches of loads and the flow of the fluid. One column each, F = dF/du through the same sums as id.
#include "algorithm/composite_nodes.h"
#include "algorithm/dynamics.h"
#include "algorithm/external.h"
#include "pass/kinematics.h"
#include <string.h>

static void apply_unit_load(td_workspace *ws, const td_load *load, int component) {
  double unit[6] = {0}, moment[3], force[3], point[3];
  unit[component] = load->scale;
  td_node_point(ws, load->node, load->pose.p, point);
  if (load->frame == TD_LOAD_WORLD) {
    td_composite_apply(&ws->composite[load->node], unit, unit + 3, point);
    return;
  }
  double origin[3] = {0}, tip[3], shift[3];
  const double *local = component < 3 ? unit : unit + 3; // the axis in the load's frame, turned to the world
  for (int i = 0; i < 3; i++)
    shift[i] = load->pose.R[3 * i] * local[0] + load->pose.R[3 * i + 1] * local[1] + load->pose.R[3 * i + 2] * local[2];
  td_node_point(ws, load->node, origin, origin);
  td_node_point(ws, load->node, shift, tip);
  for (int i = 0; i < 3; i++)
    moment[i] = component < 3 ? tip[i] - origin[i] : 0, force[i] = component < 3 ? 0 : tip[i] - origin[i];
  td_composite_apply(&ws->composite[load->node], moment, force, point);
}

// dF/du of one channel, a load's at all points where it acts or the flow's; whether there is one.
static bool apply_unit_channel(const td_model *m, td_workspace *ws, const double *u, int channel) {
  td_composite_clear(m, ws);
  bool any = td_external_flow_slope(m, ws, u, channel);
  for (int l = 0; l < m->load_count; l++)
    for (int k = 0; k < 6; k++) {
      if (m->load[l].channel[k] != channel) continue;
      apply_unit_load(ws, &m->load[l], k);
      any = true;
    }
  return any;
}

td_status td_id_input_derivative(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                                 const double *u, double *did_du) {
  memset(did_du, 0, (size_t)(model->n * model->channel_count) * sizeof *did_du);
  if (model->channel_count == model->actuator_channel_count) return TD_OK;
  td_level level = model->water.flows ? TD_LEVEL_TWIST : TD_LEVEL_POSE;
  td_kinematics(model, ws, q, qd ? qd : ws->zero, NULL, model->gravity, level);
  for (int channel = model->actuator_channel_count; channel < model->channel_count; channel++) {
    if (!apply_unit_channel(model, ws, u, channel)) continue;
    td_composite_sum(model, ws, TD_COMPOSITE_WRENCH);
    td_composite_project(model, ws, ws->id);
    for (int i = 0; i < model->n; i++) did_du[i * model->channel_count + channel] = ws->id[i];
  }
  return td_all_finite(did_du, model->n * model->channel_count);
}
