// What inputs change in ID: one column each, F = dF/du of the forces on bodies through the same sums as id.
#include "math/finite.h"
#include "pass/composite_nodes.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <string.h>

// dF/du of one channel in composites that hold nothing else; whether it is one of forces on bodies.
static bool apply_channel(const td_model *m, td_workspace *ws, const double *u, int channel) {
  bool any = false;
  td_composite_clear(m, ws);
  for (int i = 0; i < m->body_force_count; i++) {
    const td_force *f = m->body_force[i];
    if (f->by_channel) any |= f->by_channel(m, ws, u, channel);
  }
  return any;
}

static td_level level_of_channels(const td_model *m) {
  bool moves = false;
  for (int i = 0; i < m->body_force_count; i++) moves |= m->body_force[i]->by_channel && m->body_force[i]->moves;
  return moves ? TD_LEVEL_TWIST : TD_LEVEL_POSE;
}

td_status td_id_input_derivative(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                                 const double *u, double *did_du) {
  memset(did_du, 0, (size_t)(model->n * model->channel_count) * sizeof *did_du);
  if (model->channel_count == model->actuator_channel_count) return TD_OK;
  td_kinematics(model, ws, q, qd ? qd : ws->zero, NULL, model->gravity, level_of_channels(model));
  for (int channel = model->actuator_channel_count; channel < model->channel_count; channel++) {
    if (!apply_channel(model, ws, u, channel)) continue;
    td_composite_sum(model, ws, TD_COMPOSITE_WRENCH);
    td_composite_project(model, ws, ws->id);
    for (int i = 0; i < model->n; i++) did_du[i * model->channel_count + channel] = ws->id[i];
  }
  return td_all_finite(did_du, model->n * model->channel_count);
}
