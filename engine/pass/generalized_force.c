// Generalized forces tau and their derivatives: the sums of the kinds of force that act on the model's coordinates
// (force.h).
//   tau = actuation + elastic + damping
#include "pass/generalized_force.h"
#include "math/finite.h"
#include "pass/columns.h"
#include "pass/composite_nodes.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <string.h>

static void add_all(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                    const td_force_sums *out) {
  for (int i = 0; i < m->tau_force_count; i++) m->tau_force[i]->add(m, ws, q, qd, u, out);
}

void td_add_passive(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                    double *elastic, double *damping) {
  add_all(m, ws, q, qd, u, &(td_force_sums){.elastic = elastic, .damping = damping});
}

td_status td_generalized_force(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                               const double *u, double *tau) {
  bool begun = td_steady_begin(ws, q, qd);
  memset(tau, 0, (size_t)model->n * sizeof *tau);
  add_all(model, ws, q, qd, u, &(td_force_sums){tau, tau, tau});
  td_steady_end(ws, begun);
  return td_all_finite(tau, model->n);
}

void td_force_parts(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                    double *tau, double *actuation, double *elastic, double *damping) {
  size_t size = (size_t)m->n * sizeof *tau;
  memset(actuation, 0, size);
  memset(elastic, 0, size);
  memset(damping, 0, size);
  add_all(m, ws, q, qd, u, &(td_force_sums){actuation, elastic, damping});
  for (int i = 0; i < m->n; i++) tau[i] = actuation[i] + elastic[i] + damping[i];
}

// ---- derivatives

void td_force_derivatives_padded(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                 const double *u) {
  size_t size = (size_t)m->n * (size_t)m->ld * sizeof(double);
  for (int i = 0; i < m->tau_force_count; i++)
    if (m->tau_force[i]->prepare_slopes) m->tau_force[i]->prepare_slopes(m, ws, q, qd, u);
  memset(ws->dtau_dq, 0, size);
  memset(ws->dtau_dqd, 0, size);
  for (int i = m->actuating_count; i < m->tau_force_count; i++)
    if (m->tau_force[i]->add_slopes) m->tau_force[i]->add_slopes(m, ws, q, qd, u);
  for (int i = 0; i < m->actuating_count && u; i++)
    if (m->tau_force[i]->add_slopes) m->tau_force[i]->add_slopes(m, ws, q, qd, u);
}

static td_status input_matrix(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                              double *dtau_du) {
  memset(dtau_du, 0, (size_t)(m->n * m->channel_count) * sizeof *dtau_du);
  for (int i = 0; i < m->tau_force_count; i++)
    if (m->tau_force[i]->add_inputs) m->tau_force[i]->add_inputs(m, ws, q, qd, u, dtau_du);
  return td_all_finite(dtau_du, m->n * m->channel_count);
}

td_status td_force_derivatives(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                               const double *u, double *dtau_dq, double *dtau_dqd, double *dtau_du) {
  if (dtau_dq || dtau_dqd) td_force_derivatives_padded(model, ws, q, qd, u);
  if (dtau_dq) td_unpad(model, ws->dtau_dq, dtau_dq);
  if (dtau_dqd) td_unpad(model, ws->dtau_dqd, dtau_dqd);
  td_status status = dtau_dq ? td_all_finite(dtau_dq, model->n * model->n) : TD_OK;
  if (!status && dtau_dqd) status = td_all_finite(dtau_dqd, model->n * model->n);
  if (!status && dtau_du) status = input_matrix(model, ws, q, qd, u, dtau_du);
  return status;
}

// ---- kinds of force on bodies one by one

bool td_force_acts(const td_model *m, unsigned kinds) {
  for (int i = 0; i < m->body_force_count; i++)
    if (m->body_force[i]->kind & kinds) return true;
  return false;
}

double td_force_alone(const td_model *m, td_workspace *ws, unsigned kinds, const double *q, const double *qd,
                      const double *u, double *id) {
  static const double NONE[3] = {0};
  double heat = 0;
  bool moves = false, heats = false;
  for (int i = 0; i < m->body_force_count; i++) moves |= m->body_force[i]->moves && (m->body_force[i]->kind & kinds);
  td_kinematics(m, ws, q, moves ? qd : NULL, NULL, NONE, moves ? TD_LEVEL_TWIST : TD_LEVEL_POSE);
  td_composite_clear_to(m, ws, TD_COMPOSITE_WRENCH);
  for (int i = 0; i < m->body_force_count; i++) {
    const td_force *f = m->body_force[i];
    const td_force_pass pass = {.u = u, .gravity = NONE, .kinds = kinds, .level = TD_COMPOSITE_WRENCH};
    if (!(f->kind & kinds)) continue;
    if (f->alone)
      heat += f->alone(m, ws, u);
    else
      f->on_nodes(m, ws, &pass);
    heats |= f->heats;
  }
  td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
  td_composite_project(m, ws, id);
  for (int i = 0; i < m->n && heats; i++) heat += qd[i] * id[i];
  return heat;
}
