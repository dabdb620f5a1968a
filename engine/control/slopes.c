// Derivatives of what controllers ask, for the matrices of implicit steps.
//
// Each law is a set of equations F(q, qd, u_c) = 0, so du = -F_u^-1 (F_q dq + F_qd dqd). Everything is analytic (from
// the derivatives of forward and inverse dynamics and the Hessians of tendon lengths) but one term of linearised
// tendons: the third derivative of a length along qd, d(qd^T H qd)/dq, is a central difference of the analytic Hessian
// (relative error about 1e-9; it vanishes at rest). Newton only needs the matrix to be near; the residual itself is
// exact.
#include "control/parts.h"
#include "force/tendon/tendon.h"
#include "math/lu.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <string.h>

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// out [n] = d2length/dq2 x of one tendon at q
static void hessian_times(td_control *s, int tendon, const double *q, const double *x, double *out) {
  memset(s->tension, 0, (size_t)td_model_tendon_count(s->model) * sizeof *s->tension);
  s->tension[tendon] = 1;
  td_tendon_hessian(s->model, s->ws, q, s->tension, s->H);
  for (int i = 0; i < s->n; i++) out[i] = dot(s->n, s->H + (size_t)i * (size_t)s->n, x);
}

// out [n] += factor d(qd^T H qd)/dq: the third derivative of a length, along qd, by a central difference of its
// Hessian.
static void add_third(td_control *s, int tendon, const double *q, const double *qd, double *out) {
  static const double reach = 2e-5;
  double most = 0;
  for (int i = 0; i < s->n; i++) most = fmax(most, fabs(qd[i]));
  if (most == 0) return;
  double step = reach / most;
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < s->n; i++) s->x[i] = q[i] + side * step * qd[i];
    hessian_times(s, tendon, s->x, qd, s->r);
    for (int i = 0; i < s->n; i++) out[i] += side * s->r[i] / (2 * step);
  }
}

// Fq, Fv [n] of -(kp e + kd e') of an output; H qd in s->r for tendons.
static void feedback_slopes(td_control *s, const td_controlled *c, int k, const td_control_state *at, double sign,
                            double *Fq, double *Fv) {
  const td_watched *o = &c->output[k];
  if (o->coordinate >= 0) {
    Fq[o->coordinate] += sign * c->kp[k];
    Fv[o->coordinate] += sign * c->kd[k];
    return;
  }
  const double *g = s->gradient + (size_t)o->tendon * (size_t)s->n;
  hessian_times(s, o->tendon, at->q, at->qd, s->r);
  for (int i = 0; i < s->n; i++) {
    Fq[i] += sign * (c->kp[k] * g[i] + c->kd[k] * s->r[i]);
    Fv[i] += sign * c->kd[k] * g[i];
  }
}

// Rows of du = -square^-1 (Fq, Fv) for `count` channels.
static td_status solve_slopes(td_control *s, int count, const int *channel) {
  if (!td_lu_factor(count, s->square, s->pivot)) return TD_SINGULAR;
  size_t n = (size_t)s->n;
  for (size_t j = 0; j < n; j++)
    for (int pass = 0; pass < 2; pass++) {
      const double *F = pass ? s->Fv : s->Fq;
      double *du = pass ? s->du_dqd : s->du_dq;
      for (int i = 0; i < count; i++) s->F[i] = -F[(size_t)i * n + j];
      td_lu_solve(count, s->square, s->pivot, s->F);
      for (int i = 0; i < count; i++) du[(size_t)channel[i] * n + j] = s->F[i];
    }
  return TD_OK;
}

static void clear_slopes(td_control *s, int count) {
  size_t size = (size_t)count * (size_t)s->n * sizeof(double);
  memset(s->Fq, 0, size);
  memset(s->Fv, 0, size);
}

// F = S (tau(q, 0, u_c) - ID(q, 0, 0)) - kp e - kd e' = 0
static void joint_slopes(td_control *s, const td_controlled *c, const td_control_state *at) {
  size_t n = (size_t)s->n;
  for (int i = 0; i < c->width; i++) {
    int row = c->output[i].coordinate;
    feedback_slopes(s, c, i, at, 1, s->Fq + (size_t)i * n, s->Fv + (size_t)i * n);
    for (size_t j = 0; j < n; j++) s->Fq[(size_t)i * n + j] -= s->K[(size_t)row * n + j];
    for (int j = 0; j < c->width; j++) s->square[i * c->width + j] = s->B[row * s->m + c->channel[j]];
  }
}

// F = B_c^T (r - B_c w) = 0 with r = tau(q, 0, u_c) - ID(q, 0, 0): s->r, s->K = -dr/dq are those of u_c.
static void collocated_slopes(td_control *s, const td_controlled *c, const td_control_state *at) {
  int k = c->width;
  size_t n = (size_t)s->n;
  double *rest = s->fd, *dw_q = s->dfd_du, *dw_v = s->C; // the two matrices hold [k][n], k <= m, n
  memcpy(rest, s->r, n * sizeof *rest);
  for (int j = 0; j < k; j++)
    for (int i = 0; i < s->n; i++) rest[i] -= s->B[i * s->m + c->channel[j]] * s->w[j];
  memset(dw_q, 0, (size_t)k * n * sizeof *dw_q);
  memset(dw_v, 0, (size_t)k * n * sizeof *dw_v);
  for (int j = 0; j < k; j++) {
    double sign = c->output[j].tendon >= 0 ? 1 : -1;
    feedback_slopes(s, c, j, at, sign, dw_q + (size_t)j * n, dw_v + (size_t)j * n);
  }
  for (int i = 0; i < k; i++) {
    double *Fq = s->Fq + (size_t)i * n, *Fv = s->Fv + (size_t)i * n;
    if (c->output[i].tendon >= 0) {
      hessian_times(s, c->output[i].tendon, at->q, rest, Fq);
      for (size_t j = 0; j < n; j++) Fq[j] = -Fq[j];
    }
    for (int a = 0; a < s->n; a++) {
      double b = s->B[a * s->m + c->channel[i]];
      for (size_t j = 0; b != 0 && j < n; j++) Fq[j] -= b * s->K[(size_t)a * n + j];
    }
    for (int j = 0; j < k; j++) {
      double b = s->square[i * k + j] = td_column_product(s, c->channel[i], c->channel[j]);
      for (size_t a = 0; a < n; a++) Fq[a] -= b * dw_q[(size_t)j * n + a], Fv[a] -= b * dw_v[(size_t)j * n + a];
    }
  }
  memset(s->tension, 0, (size_t)td_model_tendon_count(s->model) * sizeof *s->tension);
  for (int j = 0; j < k; j++)
    if (c->output[j].tendon >= 0) s->tension[c->output[j].tendon] = s->w[j];
  td_tendon_hessian(s->model, s->ws, at->q, s->tension, s->H); // d(B w)/dq = -H
  for (int i = 0; i < k; i++)
    for (int a = 0; a < s->n; a++) {
      double b = s->B[a * s->m + c->channel[i]];
      for (size_t j = 0; b != 0 && j < n; j++) s->Fq[(size_t)i * n + j] += b * s->H[(size_t)a * n + j];
    }
}

td_status td_regulator_slopes(td_control *s, const td_controlled *c, const td_control_state *at, const double *u) {
  td_status status = td_regulator_feedback(s, c, at);
  if (!status && td_outputs_have_tendons(c->output, c->width))
    status = td_tendon_lengths(s->model, s->ws, at->q, s->tension, s->gradient);
  if (!status) status = td_force_derivatives(s->model, s->ws, at->q, NULL, NULL, NULL, NULL, s->B);
  td_loads_only(s, u, s->u);
  for (int i = 0; i < c->width; i++) s->u[c->channel[i]] = u[c->channel[i]];
  if (!status) status = td_residual_derivatives(s->model, s->ws, at->q, s->zero, s->zero, s->u, s->r, s->K, NULL, NULL);
  if (status) return status;
  clear_slopes(s, c->width);
  if (c->collocated)
    collocated_slopes(s, c, at);
  else
    joint_slopes(s, c, at);
  return solve_slopes(s, c->width, c->channel);
}

// out [n] += Y x of an output, x [n][columns], row `j` at x + j * columns
static void add_output_rows(const td_control *s, const td_watched *o, const double *X, double *out) {
  size_t n = (size_t)s->n;
  if (o->coordinate >= 0)
    for (size_t j = 0; j < n; j++) out[j] += X[(size_t)o->coordinate * n + j];
  const double *g = s->gradient + (o->tendon >= 0 ? (size_t)o->tendon * n : 0);
  for (size_t i = 0; o->tendon >= 0 && i < n; i++)
    for (size_t j = 0; j < n; j++) out[j] += g[i] * X[i * n + j];
}

// F = y''(q, qd, u) - y_ref'' - kd e' - kp e = 0; other controllers' du in s->du_dq, s->du_dqd.
static td_status linearised_slopes(td_control *s, const td_control_state *at, const double *u) {
  int count = td_stack_outputs(s, at->t_side);
  size_t n = (size_t)s->n;
  if (count == 0) return TD_OK;
  td_status status = td_controlled_accelerations(s, at, u, s->K, s->C);
  if (status) return status;
  clear_slopes(s, count);
  td_decoupling_matrix(s, count);
  int *channel = s->stack + 2 * s->m;
  for (int i = 0; i < count; i++) {
    const td_controlled *c = &s->item[s->stack[2 * i]];
    int k = s->stack[2 * i + 1];
    const td_watched *o = &c->output[k];
    double *Fq = s->Fq + (size_t)i * n, *Fv = s->Fv + (size_t)i * n;
    channel[i] = c->channel[k];
    for (int o_channel = 0; o_channel < s->m; o_channel++) {
      double b = td_decoupling(s, o, o_channel);
      for (size_t j = 0; b != 0 && j < n; j++) {
        Fq[j] += b * s->du_dq[(size_t)o_channel * n + j];
        Fv[j] += b * s->du_dqd[(size_t)o_channel * n + j];
      }
    }
    add_output_rows(s, o, s->K, Fq);
    add_output_rows(s, o, s->C, Fv);
    if (o->tendon >= 0) {
      hessian_times(s, o->tendon, at->q, s->fd, s->r);
      for (size_t j = 0; j < n; j++) Fq[j] += s->r[j];
      hessian_times(s, o->tendon, at->q, at->qd, s->r);
      for (size_t j = 0; j < n; j++) Fv[j] += 2 * s->r[j];
      add_third(s, o->tendon, at->q, at->qd, Fq);
    }
    feedback_slopes(s, c, k, at, 1, Fq, Fv);
  }
  return solve_slopes(s, count, channel);
}

static td_status slopes(td_control *s, const td_control_state *at, const double *u) {
  size_t size = (size_t)s->m * (size_t)s->n * sizeof(double);
  memset(s->du_dq, 0, size);
  memset(s->du_dqd, 0, size);
  td_status status = TD_OK;
  for (int i = 0; !status && i < s->count; i++)
    if (s->item[i].row->slopes && td_controlled_acts(&s->item[i], at->t_side))
      status = s->item[i].row->slopes(s, &s->item[i], at, u);
  return status ? status : linearised_slopes(s, at, u);
}

td_status td_control_derivatives(td_control *s, const td_control_state *at, const double *u, double *du_dq,
                                 double *du_dqd) {
  size_t size = (size_t)s->m * (size_t)s->n * sizeof(double);
  td_status status = slopes(s, at, u);
  if (du_dq) memcpy(du_dq, s->du_dq, size);
  if (du_dqd) memcpy(du_dqd, s->du_dqd, size);
  return status;
}

td_status td_control_stiffen(td_control *s, const td_control_state *at, const double *u, double *K, double *C) {
  size_t n = (size_t)s->n;
  td_status status = slopes(s, at, u);
  if (!status) status = td_force_derivatives(s->model, s->ws, at->q, at->qd, u, NULL, NULL, s->B);
  for (size_t i = 0; !status && i < n; i++)
    for (size_t c = 0; c < (size_t)s->m; c++) {
      double b = s->B[i * (size_t)s->m + c];
      for (size_t j = 0; b != 0 && j < n; j++) {
        if (K) K[i * n + j] -= b * s->du_dq[c * n + j];
        if (C) C[i * n + j] -= b * s->du_dqd[c * n + j];
      }
    }
  return status;
}
