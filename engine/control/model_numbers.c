// What laws do by numbers p of the model: each is F(q, qd, u, p) = 0, so du = -F_u^-1 F_p dp (slopes.c has F_q, F_qd).
//   pd_plus           F = S r(q, u) + ...                 F_p = S r_p,           r = tau(q, 0, u) - ID(q, 0, 0), u its own
//     collocated      F = B_c^T (r - B_c w)               F_p = B_c,p^T (r - B_c w) + B_c^T (r_p - B_c,p w - B_c w_p)
//   linearising       F = y''(q, qd, u) - ...             F_p = Y fd_p + y''_p + kd y'_p + kp y_p + Y fd_u du of the others
// with w_p = kp y_p + kd y'_p of tendons, whose lengths y depend on where they run; coordinates do not. r, B and the
// motion of lengths are asked of the neighbours of the model one by one: each is affine where the equation of motion
// is, their products are not. feed_forward looks at no model.
#include "control/model_numbers.h"
#include "base/carve.h"
#include "constraint/closed_chain.h"
#include "control/parts.h"
#include "force/tendon/tendon.h"
#include "math/finite.h"
#include "math/lu.h"
#include "parameter/parameters.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct td_model_numbers {
  td_control *s;
  const td_parameters *p;
  td_parameter_workspace *ws;
  size_t np, n, m, tendons;
  const td_control_state *at; ///< of the question
  const double *qdd;          ///< [n] that lengths accelerate along
  bool weighs;                ///< r and B are asked for, too
  double *terms_dp;           ///< [3 tendons + n + n m][np] y, y', y'' of tendons, r, B
  double *scratch;            ///< [3][3 tendons + n + n m]
  double *fd_dp;              ///< [n][np]
  double *rest;               ///< [n] r - B_c w
};

// ------------------------------------------------------------------------------------------------ life

td_status td_model_numbers_create(td_control *control, const td_parameters *parameters, td_model_numbers **numbers) {
  td_model_numbers *k = *numbers = calloc(1, sizeof *k);
  if (!k) return TD_NO_MEMORY;
  *k = (td_model_numbers){.s = control, .p = parameters, .np = td_parameters_count(parameters)};
  k->n = (size_t)control->n, k->m = (size_t)control->m, k->tendons = (size_t)td_model_tendon_count(control->model);
  size_t terms = 3 * k->tendons + k->n + k->n * k->m;
  bool room =
      TD_CARVE({&k->terms_dp, terms * k->np}, {&k->scratch, 3 * terms}, {&k->fd_dp, k->n * k->np}, {&k->rest, k->n});
  td_status status = room ? td_parameter_workspace_create(parameters, &k->ws) : TD_NO_MEMORY;
  if (status) {
    td_model_numbers_destroy(k);
    *numbers = NULL;
  }
  return status;
}

void td_model_numbers_destroy(td_model_numbers *k) {
  if (!k) return;
  td_parameter_workspace_destroy(k->ws);
  free(k->terms_dp);
  free(k);
}

// ------------------------------------------------------------------------------------------------ neighbours

// Of a neighbour: the motion of lengths, then r and B where the robot is weighed.
static td_status ask(void *context, const td_model *m, td_workspace *ws, double *out) {
  const td_model_numbers *k = context;
  const td_control_state *at = k->at;
  const double *zero = k->s->zero;
  td_status status = k->tendons ? td_tendon_motion(m, ws, at->q, at->qd, k->qdd, (double(*)[3])(void *)out) : TD_OK;
  out += 3 * k->tendons;
  if (!k->weighs || status) return status;
  status = td_residual_derivatives(m, ws, at->q, zero, zero, k->s->u, out, NULL, NULL, NULL);
  return status ? status : td_force_derivatives(m, ws, at->q, NULL, NULL, NULL, NULL, out + k->n);
}

static td_status ask_all(td_model_numbers *k, const td_control_state *at, const double *qdd, bool weighs) {
  size_t size = 3 * k->tendons + (weighs ? k->n + k->n * k->m : 0);
  k->at = at, k->qdd = qdd, k->weighs = weighs;
  if (size == 0) return TD_OK;
  td_parameters_keep(k->ws, NULL, &(td_state){.q = at->q, .u = k->s->u});
  td_status status = td_parameter_differentiate(k->p, k->ws, ask, k, size, k->scratch, k->terms_dp);
  td_parameters_let_go(k->ws);
  return status;
}

static double length_by(const td_model_numbers *k, int tendon, int order, size_t j) {
  return k->terms_dp[(3 * (size_t)tendon + (size_t)order) * k->np + j];
}

static double residual_by(const td_model_numbers *k, int i, size_t j) {
  return k->terms_dp[(3 * k->tendons + (size_t)i) * k->np + j];
}

static double input_matrix_by(const td_model_numbers *k, int i, int channel, size_t j) {
  return k->terms_dp[(3 * k->tendons + k->n + (size_t)i * k->m + (size_t)channel) * k->np + j];
}

// kp y_p + kd y'_p of output i
static double feedback_by(const td_model_numbers *k, const td_controlled *c, int i, size_t j) {
  int tendon = c->output[i].tendon;
  return tendon < 0 ? 0 : c->kp[i] * length_by(k, tendon, 0, j) + c->kd[i] * length_by(k, tendon, 1, j);
}

// Column j of du for `count` channels, from s->F = F_p and the factors of F_u.
static void solve_column(td_control *s, int count, const int *channel, size_t np, size_t j, double *du) {
  for (int i = 0; i < count; i++) s->F[i] = -s->F[i];
  td_lu_solve(count, s->square, s->pivot, s->F);
  for (int i = 0; i < count; i++) du[(size_t)channel[i] * np + j] = s->F[i];
}

// ------------------------------------------------------------------------------------------------ pd_plus

// F_p of channel i: B_i,p^T rest + B_i^T (r_p - sum of B_c,p w + B_c w_p); s->w are the feedbacks.
static double collocated_by(const td_model_numbers *k, const td_controlled *c, int i, size_t j) {
  const td_control *s = k->s;
  double sum = 0;
  for (int a = 0; a < s->n; a++) {
    double left = residual_by(k, a, j);
    for (int b = 0; b < c->width; b++) left -= input_matrix_by(k, a, c->channel[b], j) * s->w[b];
    sum += input_matrix_by(k, a, c->channel[i], j) * k->rest[a] + s->B[a * s->m + c->channel[i]] * left;
  }
  for (int b = 0; b < c->width; b++)
    sum -= td_column_product(s, c->channel[i], c->channel[b]) * feedback_by(k, c, b, j);
  return sum;
}

// As td_regulate sees the robot, with the channels' own u.
static td_status weigh(td_model_numbers *k, const td_controlled *c, const td_control_state *at, const double *u) {
  td_control *s = k->s;
  td_loads_only(s, u, s->u);
  for (int i = 0; i < c->width; i++) s->u[c->channel[i]] = u[c->channel[i]];
  td_status status = td_regulator_feedback(s, c, at);
  if (!status) status = td_residual_derivatives(s->model, s->ws, at->q, s->zero, s->zero, s->u, s->r, NULL, NULL, NULL);
  if (!status) status = td_force_derivatives(s->model, s->ws, at->q, NULL, NULL, NULL, NULL, s->B);
  if (status) return status;
  for (int a = 0; a < s->n; a++) {
    k->rest[a] = s->r[a];
    for (int b = 0; b < c->width; b++) k->rest[a] -= s->B[a * s->m + c->channel[b]] * s->w[b];
  }
  return ask_all(k, at, s->zero, true);
}

static td_status regulate(td_model_numbers *k, const td_controlled *c, const td_control_state *at, const double *u,
                          double *du) {
  td_control *s = k->s;
  int width = c->width;
  td_status status = weigh(k, c, at, u);
  if (status) return status;
  for (int i = 0; i < width; i++)
    for (int b = 0; b < width; b++)
      s->square[i * width + b] = c->collocated ? td_column_product(s, c->channel[i], c->channel[b])
                                               : s->B[c->output[i].coordinate * s->m + c->channel[b]];
  if (!td_lu_factor(width, s->square, s->pivot)) return TD_SINGULAR;
  for (size_t j = 0; j < k->np; j++) {
    for (int i = 0; i < width; i++)
      s->F[i] = c->collocated ? collocated_by(k, c, i, j) : residual_by(k, c->output[i].coordinate, j);
    solve_column(s, width, c->channel, k->np, j, du);
  }
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ linearisation

// F_p of output i of a controller; du: of the others so far.
static double linearised_by(const td_model_numbers *k, const td_controlled *c, int i, size_t j, const double *du) {
  const td_control *s = k->s;
  const td_watched *o = &c->output[i];
  double sum = feedback_by(k, c, i, j);
  if (o->coordinate >= 0) {
    sum += k->fd_dp[(size_t)o->coordinate * k->np + j];
  } else {
    const double *gradient = s->gradient + (size_t)o->tendon * k->n;
    sum += length_by(k, o->tendon, 2, j);
    for (size_t a = 0; a < k->n; a++) sum += gradient[a] * k->fd_dp[a * k->np + j];
  }
  for (int channel = 0; channel < s->m; channel++)
    sum += td_decoupling(s, o, channel) * du[(size_t)channel * k->np + j];
  return sum;
}

static td_status linearise(td_model_numbers *k, const td_control_state *at, const double *u, double *du) {
  td_control *s = k->s;
  int count = td_stack_outputs(s, at->t_side), *channel = s->stack + 2 * s->m;
  if (count == 0) return TD_OK;
  td_state state = {.q = at->q, .qd = at->qd, .qdd = at->qdd, .u = u, .baumgarte = at->baumgarte};
  td_status status = td_parameter_dynamics(k->p, k->ws, &state, NULL, NULL, k->fd_dp, NULL);
  if (!status) status = td_controlled_accelerations(s, at, u, NULL, NULL);
  if (!status) status = ask_all(k, at, s->fd, false);
  if (status) return status;
  td_decoupling_matrix(s, count);
  if (!td_lu_factor(count, s->square, s->pivot)) return TD_SINGULAR;
  for (int i = 0; i < count; i++) channel[i] = s->item[s->stack[2 * i]].channel[s->stack[2 * i + 1]];
  for (size_t j = 0; j < k->np; j++) {
    for (int i = 0; i < count; i++) s->F[i] = linearised_by(k, &s->item[s->stack[2 * i]], s->stack[2 * i + 1], j, du);
    solve_column(s, count, channel, k->np, j, du);
  }
  return TD_OK;
}

td_status td_model_numbers_at(td_model_numbers *k, const td_control_state *at, const double *u, double *du_dp) {
  td_control *s = k->s;
  td_status status = TD_OK;
  memset(du_dp, 0, k->m * k->np * sizeof *du_dp);
  for (int i = 0; !status && i < s->count; i++)
    if (s->item[i].row->law == TD_LAW_REGULATE && td_controlled_acts(&s->item[i], at->t_side))
      status = regulate(k, &s->item[i], at, u, du_dp);
  if (!status) status = linearise(k, at, u, du_dp);
  return status ? status : td_all_finite(du_dp, (int)(k->m * k->np));
}
