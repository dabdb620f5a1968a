// Rows of loops by their closure: loop_closure.h has the formulas. With the twist (w, v) of A against B in frame B,
//   dR = w^ R,   dp = v + w x p,   dz = w x z,   2 dq = q0 w + w x q,   2 dq0 = -q.w,   d(z.p) = z.v.
#include "constraint/loop_closure.h"
#include "constraint/loop.h"
#include "lie/vec3.h"
#include "pass/kinematics.h"
#include "tendril/spec.h"
#include <math.h>
#include <string.h>

typedef struct pose { // of A in B, as the rows see it
  double q0, q[3], k[3], z[3], p[3], slide;
} pose;

static double dot(const double a[3], const double b[3]) { return td_vec3_dot(a, b); }

static pose pose_of(const td_loop *l, const td_se3 *relative) {
  pose x = {.k = {l->axis == 0, l->axis == 1, l->axis == 2}};
  double quaternion[4];
  td_quaternion_from_rotation(relative->R, quaternion);
  x.q0 = quaternion[0];
  memcpy(x.q, quaternion + 1, sizeof x.q);
  for (int i = 0; i < 3; i++) x.z[i] = relative->R[3 * i + l->axis];
  memcpy(x.p, relative->p, sizeof x.p);
  x.slide = dot(x.z, x.p);
  return x;
}

// e and its covector on w, for the component u of what all three angles hold.
static double turn_row(const pose *x, const double u[3], double w[3]) {
  td_vec3_cross(x->q, u, w);
  for (int i = 0; i < 3; i++) w[i] += x->q0 * u[i];
  return 2 * dot(u, x->q);
}

// u normal to k: u.(k x z) / m, m = cos(tilt / 2) = sqrt((1 + k.z) / 2).
static double tilt_row(const pose *x, const double u[3], double w[3]) {
  double kz[3], zk[3], uk[3], m = fmax(sqrt(fmax(0, 0.5 * (1 + dot(x->k, x->z)))), 1e-9);
  td_vec3_cross(x->k, x->z, kz);
  td_vec3_cross(x->z, x->k, zk);
  td_vec3_cross(u, x->k, uk);
  td_vec3_cross(x->z, uk, w);
  double e = dot(u, kz) / m;
  for (int i = 0; i < 3; i++) w[i] = w[i] / m - e / (4 * m * m) * zk[i];
  return e;
}

static double angle_row(const td_loop *l, const pose *x, int c, double w[3]) {
  double u[3] = {c == 0, c == 1, c == 2};
  bool tilt = td_joint_moves(l->type) & TD_TURN_Z;
  return tilt ? tilt_row(x, u, w) : turn_row(x, u, w);
}

// The turn about the axis nearest to `near` and its covector on w.
static double winding_of(const pose *x, double near, double w[3]) {
  double qk = dot(x->q, x->k), m = fmax(x->q0 * x->q0 + qk * qk, 1e-18), theta = 2 * atan2(qk, x->q0);
  if (w) {
    td_vec3_cross(x->q, x->k, w);
    for (int i = 0; i < 3; i++) w[i] = (x->q0 * (x->q0 * x->k[i] + w[i]) + qk * x->q[i]) / m;
  }
  return theta + 2 * M_PI * nearbyint((near - theta) / (2 * M_PI));
}

static double place_row(const td_loop *l, const pose *x, double winding, int c, double row[6]) {
  double u[3] = {c == 0, c == 1, c == 2}, *w = row, *v = row + 3, rest[3];
  unsigned moves = td_joint_moves(l->type);
  if (c == l->axis && moves & (TD_SLIDE_X | TD_SLIDE_Y | TD_PITCHED)) {
    memcpy(v, x->z, sizeof rest);
    if (l->pitch == 0) return x->slide;
    double turn = winding_of(x, winding, w);
    for (int i = 0; i < 3; i++) w[i] *= -l->pitch;
    return x->slide - l->pitch * turn;
  }
  bool slides = moves & (TD_SLIDE_Z | TD_PITCHED);
  double along = slides ? dot(u, x->z) : 0, slide = slides ? x->slide : 0;
  for (int i = 0; i < 3; i++) {
    rest[i] = x->p[i] - slide * x->z[i];
    v[i] = u[i] - along * x->z[i];
  }
  td_vec3_cross(rest, u, w);
  return dot(u, rest);
}

void td_loop_closure(const td_loop *l, const td_se3 *relative, td_loop_state *s, td_closure *out) {
  pose x = pose_of(l, relative);
  if (!l->group && x.q0 * s->before[0] + dot(x.q, s->before + 1) < 0) {
    x.q0 = -x.q0;
    for (int i = 0; i < 3; i++) x.q[i] = -x.q[i];
  }
  *out = (td_closure){0};
  for (int i = 0; i < l->rows; i++) {
    int c = l->component[i];
    out->e[i] = c < 3 ? angle_row(l, &x, c, out->G[i]) : place_row(l, &x, s->winding, c - 3, out->G[i]);
    memcpy(out->A[i], c < 3 && !l->group ? out->G[i] : l->phi[i], sizeof out->A[i]);
  }
  s->w0 = x.q0;
  memcpy(s->w, x.q, sizeof x.q);
}

// The pose of A in B, from the poses in ws.
static void relative_pose(const td_workspace *ws, const td_loop *l, td_se3 *relative) {
  td_se3 a, b, inverse;
  td_se3_compose(&ws->pose[l->a.node], &l->a.pose, &a);
  td_se3_compose(&ws->pose[l->b.node], &l->b.pose, &b);
  td_se3_inverse(&b, &inverse);
  td_se3_compose(&inverse, &a, relative);
}

void td_loop_gap(const td_model *m, td_workspace *ws, const double *q, int loop, double *distance, double *angle) {
  td_se3 relative;
  double turn[4];
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  relative_pose(ws, &m->loop[loop], &relative);
  td_quaternion_from_rotation(relative.R, turn);
  *distance = sqrt(dot(relative.p, relative.p));
  *angle = 2 * atan2(sqrt(dot(turn + 1, turn + 1)), fabs(turn[0]));
}

static void follow(const td_workspace *ws, const td_loop *l, td_loop_state *s, bool fresh) {
  td_se3 relative;
  relative_pose(ws, l, &relative);
  pose x = pose_of(l, &relative);
  if (l->winds) s->winding = x.slide / l->pitch;
  if (l->group) return;
  double sign = !fresh && x.q0 * s->before[0] + dot(x.q, s->before + 1) < 0 ? -1 : 1;
  s->before[0] = sign * x.q0;
  for (int i = 0; i < 3; i++) s->before[1 + i] = sign * x.q[i];
}

void td_loop_follow(const td_model *m, td_workspace *ws, const double *q, bool fresh) {
  bool needed = false;
  for (int i = 0; i < m->loop_count; i++) needed = needed || m->loop[i].winds || !m->loop[i].group;
  if (!needed) return;
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < m->loop_count; i++) follow(ws, &m->loop[i], &ws->constraint.loop[i], fresh);
}

// ---- the row of a universal joint: n = q0 k + q x k, 2 q.k its e

double td_universal_rate(const td_loop_state *s, const double *Va, const double *Vb) {
  double w[3] = {Va[0] - Vb[0], Va[1] - Vb[1], Va[2] - Vb[2]};
  return -0.5 * dot(s->w, s->k) * dot(w, w);
}

void td_universal_turns(const td_loop_state *s, double D[3][3]) {
  const double *q = s->w, *k = s->k, qk = dot(q, k);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) D[i][j] = 0.5 * (q[i] * k[j] - k[i] * q[j] - (i == j ? qk : 0));
  for (int i = 0; i < 3; i++) { // - q0 k^ / 2
    int j = (i + 1) % 3, l = (i + 2) % 3;
    D[i][j] += 0.5 * s->w0 * k[l];
    D[j][i] -= 0.5 * s->w0 * k[l];
  }
}

void td_universal_turn(const td_loop_state *s, const double x[3], double out[3]) {
  double D[3][3];
  td_universal_turns(s, D);
  for (int j = 0; j < 3; j++) out[j] = x[0] * D[0][j] + x[1] * D[1][j] + x[2] * D[2][j];
}
