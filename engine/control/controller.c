// Controllers: what they ask of their channels.
//
// With outputs y (coordinates or tendon lengths), e = y_ref - y, tau = B u + passive forces, B_c the columns of the
// channels:
//   feed_forward      u_c = reference
//   pd_plus           joint space:  S B_c u_c = S (ID(q, 0, 0) - tau_elastic(q)) + kp e + kd e',  S the rows of the
//                     coordinates;
//                     otherwise     u_c = w + (B_c^T B_c)^-1 B_c^T (ID(q, 0, 0) - tau_elastic(q)),  w = +-(kp e + kd
//                                   e'), each
//                     channel pushing along its own output (- for tendons: a longer one needs more tension)
//   computed_torque, partial_feedback_linearisation:
//                     u_c such that y'' = y_ref'' + kd e' + kp e, exactly: y'' = Y qdd + Y' qd is affine in u.
// Gravity, elasticity, loads and contacts are cancelled at the present q. All linearising controllers are solved
// together, after the others, whose inputs they take into account, as those of all other channels; loops and prescribed
// joints too (qdd is that of the constrained robot). For tendons this is the collocated linearisation of Pustina2025
// (section 7.1): which complement of coordinates one chooses there does not change u. Tendons are taken to push as well
// as pull: a negative tension is applied.
#include "constraint/closed_chain.h"
#include "control/parts.h"
#include "force/tendon/tendon.h"
#include "math/finite.h"
#include "math/lu.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ outputs

bool td_outputs_have_tendons(const td_watched *output, int width) {
  for (int i = 0; i < width; i++)
    if (output[i].tendon >= 0) return true;
  return false;
}

td_status td_outputs_at(td_control *s, const td_watched *output, int width, const double *q, double *out,
                        double *jacobian) {
  assert(width > 0);
  size_t n = (size_t)s->n;
  td_status status = TD_OK;
  if (td_outputs_have_tendons(output, width)) status = td_tendon_lengths(s->model, s->ws, q, s->tension, s->gradient);
  for (int i = 0; i < width; i++) {
    int c = output[i].coordinate, tendon = output[i].tendon;
    out[i] = c >= 0 ? q[c] : s->tension[tendon];
    if (!jacobian) continue;
    double *row = jacobian + (size_t)i * n;
    if (c < 0) {
      memcpy(row, s->gradient + (size_t)tendon * n, n * sizeof *row);
    } else {
      memset(row, 0, n * sizeof *row);
      row[c] = 1;
    }
  }
  return status;
}

// y, y' of an output, and y'' when s->motion was taken along qdd
static void output_motion(const td_control *s, const td_watched *o, const double *q, const double *qd,
                          const double *qdd, double y[3]) {
  if (o->tendon >= 0)
    memcpy(y, s->motion[o->tendon], 3 * sizeof *y);
  else
    y[0] = q[o->coordinate], y[1] = qd[o->coordinate], y[2] = qdd[o->coordinate];
}

void td_controlled_reference(const td_controlled *c, int i, const td_control_state *at, double out[3]) {
  td_track_eval(&c->track, i, at->t, at->t_side, out);
  for (int k = 0; c->shift && k < 3; k++) out[k] += c->shift[i][k];
}

// kp e + kd e' of output i; *second: the reference's acceleration.
static double feedback(const td_controlled *c, int i, const td_control_state *at, const double y[3], double *second) {
  double reference[3];
  td_controlled_reference(c, i, at, reference);
  *second = reference[2];
  return c->kp[i] * (reference[0] - y[0]) + c->kd[i] * (reference[1] - y[1]);
}

// ------------------------------------------------------------------------------------------------ decoupling

// LU of s->square [k][k]; TD_SINGULAR where a pivot is no more than rounding of the numbers, up to s->size [k], that
// its column comes from: tendons that pull along one line, an output that a channel reaches through cancelled terms
// only.
static td_status factor_square(td_control *s, int k) {
  static const double rounding = 1e-13;
  if (!td_lu_factor(k, s->square, s->pivot)) return TD_SINGULAR;
  for (int j = 0; j < k; j++)
    if (!(fabs(s->square[j * k + j]) > rounding * s->size[j])) return TD_SINGULAR;
  return TD_OK;
}

static double largest_of_column(const td_control *s, const double *X, int channel) {
  double most = 0;
  for (int i = 0; i < s->n; i++) most = fmax(most, fabs(X[i * s->m + channel]));
  return most;
}

// ------------------------------------------------------------------------------------------------ laws

td_status td_feed_forward(td_control *s, const td_controlled *c, const td_control_state *at, double *u) {
  (void)s;
  for (int i = 0; i < c->width; i++) {
    double value[3];
    td_controlled_reference(c, i, at, value);
    u[c->channel[i]] = value[0];
  }
  return TD_OK;
}

// u without the forces of actuators: loads, rests of springs and lengths of tendons that act while a controller weighs
// the robot.
void td_loads_only(const td_control *s, const double *u, double *out) {
  int actuators = td_model_actuator_channel_count(s->model);
  for (int i = 0; i < s->m; i++) {
    bool length = td_model_channel_is_tendon(s->model, i) && !td_model_channel_is_tension(s->model, i);
    out[i] = i < actuators && !length ? 0 : u[i];
  }
}

// s->w [width] = the feedback as a force of each channel
td_status td_regulator_feedback(td_control *s, const td_controlled *c, const td_control_state *at) {
  td_status status = td_outputs_have_tendons(c->output, c->width)
                         ? td_tendon_motion(s->model, s->ws, at->q, at->qd, s->zero, s->motion)
                         : TD_OK;
  for (int i = 0; i < c->width; i++) {
    double y[3], second;
    output_motion(s, &c->output[i], at->q, at->qd, s->zero, y);
    s->w[i] = feedback(c, i, at, y, &second);
    if (c->collocated && c->output[i].tendon >= 0) s->w[i] = -s->w[i];
  }
  return status;
}

double td_column_product(const td_control *s, int a, int b) {
  assert(a >= 0 && a < s->m && b >= 0 && b < s->m);
  double sum = 0;
  for (int i = 0; i < s->n; i++) sum += s->B[i * s->m + a] * s->B[i * s->m + b];
  return sum;
}

static double column_dot(const td_control *s, int a, const double *x) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) sum += s->B[i * s->m + a] * x[i];
  return sum;
}

td_status td_regulate(td_control *s, const td_controlled *c, const td_control_state *at, double *u) {
  int k = c->width;
  td_loads_only(s, u, s->u);
  td_status status = td_regulator_feedback(s, c, at);
  if (!status) status = td_residual_derivatives(s->model, s->ws, at->q, s->zero, s->zero, s->u, s->r, NULL, NULL, NULL);
  if (!status) status = td_force_derivatives(s->model, s->ws, at->q, NULL, NULL, NULL, NULL, s->B);
  if (status) return status;
  for (int i = 0; i < k; i++) {
    int row = c->output[i].coordinate;
    s->F[i] = c->collocated ? -column_dot(s, c->channel[i], s->r) : s->w[i] - s->r[row];
    for (int j = 0; j < k; j++)
      s->square[i * k + j] =
          c->collocated ? td_column_product(s, c->channel[i], c->channel[j]) : s->B[row * s->m + c->channel[j]];
    s->size[i] = c->collocated ? s->square[i * k + i] : largest_of_column(s, s->B, c->channel[i]);
  }
  status = factor_square(s, k);
  if (status) return status;
  td_lu_solve(k, s->square, s->pivot, s->F);
  for (int i = 0; i < k; i++) u[c->channel[i]] = s->F[i] + (c->collocated ? s->w[i] : 0);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ linearisation

// Outputs of all linearising controllers that act now: s->stack [count][item, index].
int td_stack_outputs(td_control *s, double t_side) {
  int count = 0;
  for (int i = 0; i < s->count; i++) {
    if (s->item[i].row->law != TD_LAW_LINEARISE || !td_controlled_acts(&s->item[i], t_side)) continue;
    for (int k = 0; k < s->item[i].width; k++, count++) s->stack[2 * count] = i, s->stack[2 * count + 1] = k;
  }
  return count;
}

// dy''/du of one output and one channel
double td_decoupling(const td_control *s, const td_watched *o, int channel) {
  assert(channel >= 0 && channel < s->m);
  if (o->coordinate >= 0) return s->dfd_du[o->coordinate * s->m + channel];
  double sum = 0;
  const double *g = s->gradient + (size_t)o->tendon * (size_t)s->n;
  for (int i = 0; i < s->n; i++) sum += g[i] * s->dfd_du[i * s->m + channel];
  return sum;
}

// s->fd, s->dfd_du (and the other derivatives when asked for), s->motion along fd, s->gradient
td_status td_controlled_accelerations(td_control *s, const td_control_state *at, const double *u, double *dfd_dq,
                                      double *dfd_dqd) {
  td_state state = {.q = at->q, .qd = at->qd, .qdd = at->qdd, .u = u, .baumgarte = at->baumgarte};
  td_constrained_output out = {.fd = s->fd, .dfd_dq = dfd_dq, .dfd_dqd = dfd_dqd, .dfd_du = s->dfd_du};
  td_status status = td_constrained_dynamics(s->model, s->ws, &state, &out);
  if (status || td_model_tendon_count(s->model) == 0) return status;
  status = td_tendon_motion(s->model, s->ws, at->q, at->qd, s->fd, s->motion);
  return status ? status : td_tendon_lengths(s->model, s->ws, at->q, s->tension, s->gradient);
}

void td_decoupling_matrix(td_control *s, int count) {
  assert(count >= 0 && count <= s->m);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) {
      const td_watched *o = &s->item[s->stack[2 * i]].output[s->stack[2 * i + 1]];
      s->square[i * count + j] = td_decoupling(s, o, s->item[s->stack[2 * j]].channel[s->stack[2 * j + 1]]);
    }
}

// Of the stacked outputs' gradients the smallest, by largest entries: coordinates have 1.
static double least_gradient(const td_control *s, int count) {
  double least = 1;
  for (int i = 0; i < count; i++) {
    const td_watched *o = &s->item[s->stack[2 * i]].output[s->stack[2 * i + 1]];
    double most = o->tendon < 0 ? 1 : 0;
    for (int k = 0; o->tendon >= 0 && k < s->n; k++)
      most = fmax(most, fabs(s->gradient[(size_t)o->tendon * (size_t)s->n + (size_t)k]));
    least = fmin(least, most);
  }
  return least;
}

// qdd is affine in u: what the inputs found add to it.
static void accelerate(td_control *s, int channel, double change) {
  for (int i = 0; i < s->n; i++) s->fd[i] += s->dfd_du[i * s->m + channel] * change;
}

const double *td_control_acceleration(const td_control *s) { return s && s->accelerated ? s->fd : NULL; }

static td_status linearise(td_control *s, const td_control_state *at, double *u) {
  int count = td_stack_outputs(s, at->t_side);
  if (count == 0) return TD_OK;
  td_status status = td_controlled_accelerations(s, at, u, NULL, NULL);
  if (status) return status;
  td_decoupling_matrix(s, count);
  for (int i = 0; i < count; i++) {
    const td_controlled *c = &s->item[s->stack[2 * i]];
    int k = s->stack[2 * i + 1];
    double y[3], second;
    output_motion(s, &c->output[k], at->q, at->qd, s->fd, y);
    double back = feedback(c, k, at, y, &second);
    s->F[i] = second + back - y[2];
    s->size[i] = largest_of_column(s, s->dfd_du, c->channel[k]) * least_gradient(s, count);
  }
  status = factor_square(s, count);
  if (status) return status;
  td_lu_solve(count, s->square, s->pivot, s->F);
  for (int i = 0; i < count; i++) {
    int channel = s->item[s->stack[2 * i]].channel[s->stack[2 * i + 1]];
    accelerate(s, channel, s->F[i] - u[channel]);
    u[channel] = s->F[i];
  }
  s->accelerated = !td_is_constrained(s->model);
  return td_all_finite(s->F, count);
}

td_status td_control_eval(td_control *s, const td_control_state *at, double *u) {
  td_status status = TD_OK;
  s->accelerated = false;
  for (int i = 0; !status && i < s->count; i++) {
    const td_controlled *c = &s->item[i];
    if (!td_controlled_acts(c, at->t_side)) continue;
    if (c->row->eval) status = c->row->eval(s, c, at, u);
  }
  return status ? status : linearise(s, at, u);
}
