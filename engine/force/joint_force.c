// Forces on the coordinates of joints, one channel per coordinate:  tau = u.
#include "force/force_table.h"
#include <assert.h>

static void add(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                const td_force_sums *out) {
  (void)ws, (void)q, (void)qd;
  if (!u || !out->actuation) return;
  for (int c = 0; c < m->actuator_channel_count; c++)
    if (m->channel[c].coordinate >= 0) out->actuation[m->channel[c].coordinate] += u[c];
}

static void add_inputs(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                       double *dtau_du) {
  (void)ws, (void)q, (void)qd, (void)u;
  for (int c = 0; c < m->actuator_channel_count; c++)
    if (m->channel[c].coordinate >= 0) dtau_du[m->channel[c].coordinate * m->channel_count + c] = 1;
}

static unsigned acts(const td_model *m) {
  bool any = false;
  for (int c = 0; c < m->actuator_channel_count; c++) any |= m->channel[c].coordinate >= 0;
  return any ? TD_ACTS : 0;
}

const td_force td_force_joint = {
    .name = "joint_force", .acts = acts, .actuates = true, .add = add, .add_inputs = add_inputs};
