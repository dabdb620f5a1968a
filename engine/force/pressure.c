// Pressure in chambers of reduced bodies:  tau = u dV/dq,  u in Pa.  V and its derivatives: element/reduced/chamber.c.
#include "force/force_table.h"
#include "math/finite.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <string.h>

// out += u dV/dq
static void add(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                const td_force_sums *sums) {
  double *out = sums->actuation;
  (void)ws, (void)qd;
  if (!u || !out) return;
  double gradient[TD_MAX_MODES];
  for (int c = 0; c < m->actuator_channel_count; c++) {
    if (m->channel[c].chamber < 0) continue;
    const td_chamber *chamber = &m->chamber[m->channel[c].chamber];
    td_chamber_volume(chamber, q + chamber->coordinate, gradient, NULL);
    for (int i = 0; i < chamber->n; i++) out[chamber->coordinate + i] += u[c] * gradient[i];
  }
}

// dtau/dq += u d2V/dq2
static void add_slopes(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u) {
  (void)qd;
  if (!u) return;
  double gradient[TD_MAX_MODES], hessian[TD_MAX_MODES * TD_MAX_MODES];
  for (int c = 0; c < m->actuator_channel_count; c++) {
    if (m->channel[c].chamber < 0 || u[c] == 0) continue;
    const td_chamber *chamber = &m->chamber[m->channel[c].chamber];
    int first = chamber->coordinate, n = chamber->n;
    td_chamber_volume(chamber, q + first, gradient, hessian);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) ws->dtau_dq[(first + i) * m->ld + first + j] += u[c] * hessian[i * n + j];
  }
}

static void add_inputs(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                       double *dtau_du) {
  double slope[TD_MAX_MODES];
  (void)ws, (void)qd, (void)u;
  for (int c = 0; c < m->actuator_channel_count; c++) {
    if (m->channel[c].chamber < 0) continue;
    const td_chamber *chamber = &m->chamber[m->channel[c].chamber];
    td_chamber_volume(chamber, q + chamber->coordinate, slope, NULL);
    for (int i = 0; i < chamber->n; i++) dtau_du[(chamber->coordinate + i) * m->channel_count + c] = slope[i];
  }
}

static unsigned acts(const td_model *m) {
  bool any = false;
  for (int c = 0; c < m->actuator_channel_count; c++) any |= m->channel[c].chamber >= 0;
  return any ? TD_ACTS : 0;
}

const td_force td_force_pressure = {
    .name = "pressure", .acts = acts, .actuates = true, .add = add, .add_slopes = add_slopes, .add_inputs = add_inputs};

td_status td_chamber_volumes(const td_model *m, const double *q, double *volume, double *dvolume_dq) {
  if (dvolume_dq) memset(dvolume_dq, 0, (size_t)(m->chamber_count * m->n) * sizeof *dvolume_dq);
  for (int c = 0; c < m->chamber_count; c++) {
    const td_chamber *chamber = &m->chamber[c];
    double slope[TD_MAX_MODES];
    volume[c] = td_chamber_volume(chamber, q + chamber->coordinate, slope, NULL);
    if (dvolume_dq) memcpy(dvolume_dq + c * m->n + chamber->coordinate, slope, (size_t)chamber->n * sizeof *slope);
  }
  return td_all_finite(volume, m->chamber_count);
}
