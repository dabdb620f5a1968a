// Forward dynamics and its derivatives.
//   fd = M^-1 (tau - ID(q, qd, 0));   dfd/dx = M^-1 (dtau/dx - dID/dx) at qdd = fd.     Mathew2025 (36)-(38).
// One kinematic pass gives bias and mass matrix; one Cholesky factor serves fd and all right-hand sides of its derivatives.
#include "algorithm/composite.h"
#include "algorithm/constrained.h"
#include "algorithm/dynamics.h"
#include "algorithm/external.h"
#include "algorithm/kinematics.h"
#include "algorithm/mass_rank.h"
#include "math/cholesky.h"
#include <string.h>

// ws->fd and ws->factor at the state.
static td_status solve_acceleration(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                    const double *u) {
  td_status status = td_generalized_force(m, ws, q, qd, u, ws->tau);
  if (status) return status;
  td_id_parts(m, ws, q, qd, NULL, u, TD_FORCE_ALL, m->gravity, ws->id);
  td_mass_columns(m, ws);
  status = td_stopped(ws) ? TD_CANCELLED : td_all_finite(ws->id, m->n);
  if (!status) status = td_spd_factor(m->n, m->ld, ws->mass, m->ld, ws->factor);
  if (!status) status = td_mass_regular(m, ws);
  if (status) return status;
  for (int i = 0; i < m->n; i++) ws->fd[i] = ws->tau[i] - ws->id[i];
  td_spd_solve(m->n, m->ld, ws->factor, ws->fd);
  return td_all_finite(ws->fd, m->n);
}

// Loops and prescribed coordinates (at acceleration 0): constrained.c.
static td_status constrained(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                             const td_constrained_output *out) {
  return td_constrained_dynamics(m, ws, &(td_state){.q = q, .qd = qd, .u = u}, out);
}

td_status td_forward_dynamics(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                              const double *u, double *fd) {
  if (td_is_constrained(model)) return constrained(model, ws, q, qd, u, &(td_constrained_output){.fd = fd});
  td_status status = solve_acceleration(model, ws, q, qd, u);
  if (!status) memcpy(fd, ws->fd, (size_t)model->n * sizeof *fd);
  return status;
}

// Right-hand sides [n][dq | dqd]: dtau - did.
static void fill_state_columns(const td_model *m, td_workspace *ws, int ldx, int with_q, int with_qd) {
  for (int i = 0; i < m->n; i++) {
    double *row = ws->solution + i * ldx;
    const double *tq = ws->dtau_dq + i * m->ld, *tv = ws->dtau_dqd + i * m->ld, *iq = ws->did_dq + i * m->ld,
                 *iv = ws->did_dqd + i * m->ld;
    for (int j = 0; with_q && j < m->ld; j++) row[j] = tq[j] - iq[j];
    row += with_q ? m->ld : 0;
    for (int j = 0; with_qd && j < m->ld; j++) row[j] = tv[j] - iv[j];
  }
}

static void copy_columns(const td_model *m, const td_workspace *ws, int ldx, int first, int columns, double *out) {
  for (int i = 0; i < m->n; i++)
    memcpy(out + i * columns, ws->solution + i * ldx + first, (size_t)columns * sizeof *out);
}

static td_status state_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                   const double *u, double *dfd_dq, double *dfd_dqd) {
  td_force_derivatives_padded(m, ws, q, qd, u);
  td_id_derivatives_padded(m, ws, q, qd, ws->fd, u);
  int columns = (dfd_dq ? m->ld : 0) + (dfd_dqd ? m->ld : 0);
  fill_state_columns(m, ws, columns, dfd_dq != NULL, dfd_dqd != NULL);
  for (int c = 0, next; c < columns && !td_stopped(ws); c = next) {
    next = td_solve_end(m->n, c, columns);
    td_spd_solve_many(m->n, m->ld, ws->factor, next - c, columns, ws->solution + c);
  }
  if (dfd_dq) copy_columns(m, ws, columns, 0, m->n, dfd_dq);
  if (dfd_dqd) copy_columns(m, ws, columns, dfd_dq ? m->ld : 0, m->n, dfd_dqd);
  return td_all_finite(dfd_dq ? dfd_dq : dfd_dqd, m->n * m->n);
}

// Input columns one by one: few, and rarely asked for.
static td_status input_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *qd,
                                   const double *u, double *dfd_du) {
  td_status status = td_force_derivatives(m, ws, q, qd, u, NULL, NULL, dfd_du);
  double *did_du = ws->solution, *column = ws->scratch;
  if (!status) status = td_id_input_derivative(m, ws, q, qd, u, did_du);
  for (int c = 0; !status && c < m->channel_count; c++) {
    for (int i = 0; i < m->n; i++) column[i] = dfd_du[i * m->channel_count + c] - did_du[i * m->channel_count + c];
    td_spd_solve(m->n, m->ld, ws->factor, column);
    for (int i = 0; i < m->n; i++) dfd_du[i * m->channel_count + c] = column[i];
  }
  return status ? status : td_all_finite(dfd_du, m->n * m->channel_count);
}

td_status td_fd_derivatives(const td_model *model, td_workspace *ws, const double *q, const double *qd, const double *u,
                            double *fd, double *dfd_dq, double *dfd_dqd, double *dfd_du) {
  if (td_is_constrained(model))
    return constrained(model, ws, q, qd, u,
                       &(td_constrained_output){.fd = fd, .dfd_dq = dfd_dq, .dfd_dqd = dfd_dqd, .dfd_du = dfd_du});
  td_status status = solve_acceleration(model, ws, q, qd, u);
  if (!status && fd) memcpy(fd, ws->fd, (size_t)model->n * sizeof *fd);
  if (!status && (dfd_dq || dfd_dqd)) status = state_derivatives(model, ws, q, qd, u, dfd_dq, dfd_dqd);
  if (!status && dfd_du) status = input_derivatives(model, ws, q, qd, u, dfd_du);
  return status;
}

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

td_status td_residual_derivatives(const td_model *model, td_workspace *ws, const double *q, const double *qd,
                                  const double *qdd, const double *u, double *residual, double *K, double *C,
                                  double *M) {
  if (!K && !C && !M) {
    td_status status = td_generalized_force(model, ws, q, qd, u, ws->tau);
    if (!status) status = td_inverse_dynamics(model, ws, q, qd, qdd, u, ws->id);
    for (int i = 0; !status && residual && i < model->n; i++) residual[i] = ws->tau[i] - ws->id[i];
    return status;
  }
  td_force_derivatives_padded(model, ws, q, qd, u);
  td_status status = residual ? td_generalized_force(model, ws, q, qd, u, ws->tau) : TD_OK;
  if (status) return status;
  td_id_derivatives_padded(model, ws, q, qd, qdd, u);
  int n = model->n, ld = model->ld;
  for (int i = 0; i < n; i++) {
    if (residual) residual[i] = ws->tau[i] - ws->id[i];
    for (int j = 0; K && j < n; j++) K[i * n + j] = ws->did_dq[i * ld + j] - ws->dtau_dq[i * ld + j];
    for (int j = 0; C && j < n; j++) C[i * n + j] = ws->did_dqd[i * ld + j] - ws->dtau_dqd[i * ld + j];
    if (M) memcpy(M + i * n, ws->mass + i * ld, (size_t)n * sizeof *M);
  }
  return td_all_finite(ws->did_dq, n * ld);
}
