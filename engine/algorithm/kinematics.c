// Forward pass: world frame, origin at the root body's present position when it floats.
//
// For an element with motion exp(Omega) from start frame g:   V' = V + Ad_g T Omega'
//   A' = A + [V, Ad_g T Omega'] + Ad_g (T Omega'' + T' Omega'),   A(root) = -gravity.
// Source: Mathew2025 (2), (14), rewritten for spatial twists (engine/README.md).
#include "algorithm/kinematics.h"
#include "algorithm/ritz.h"
#include "algorithm/slice.h"
#include "lie/vec3.h"
#include <math.h>
#include <string.h>

static void start_frame(const td_workspace *ws, const td_element *e, td_se3 *g) {
  if (e->has_pre)
    td_se3_compose(&ws->pose[e->start], &e->pre, g);
  else
    *g = ws->pose[e->start];
}

// exp(screw q): a rotation about a unit axis through the frame's origin with a slide along it, or a pure slide.
TD_INLINE void screw_exp(const td_element *e, double q, td_se3 *g) {
  const double *w = e->screw, *v = e->screw + 3;
  if (!e->rotates) {
    *g = (td_se3){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {v[0] * q, v[1] * q, v[2] * q}};
    return;
  }
  double s, c;
  sincos(q, &s, &c);
  double h = c > 0 ? s * s / (1 + c) : 1 - c; // 1 - cos q without cancellation
  *g = (td_se3){.R = {c + h * w[0] * w[0], h * w[0] * w[1] - s * w[2], h * w[0] * w[2] + s * w[1],
                      h * w[0] * w[1] + s * w[2], c + h * w[1] * w[1], h * w[1] * w[2] - s * w[0],
                      h * w[0] * w[2] - s * w[1], h * w[1] * w[2] + s * w[0], c + h * w[2] * w[2]},
                .p = {v[0] * q, v[1] * q, v[2] * q}};
}

static void screw_kinematics(const td_model *m, td_workspace *ws, const td_element *e, const double *q,
                             const double *qd, const double *qdd, td_level level) {
  td_se3 start, motion;
  start_frame(ws, e, &start);
  screw_exp(e, q[e->coordinate], &motion);
  td_mat3_mul(start.R, motion.R, ws->pose[e->end].R);
  td_mat3_vec(start.R, motion.p, ws->pose[e->end].p);
  for (int i = 0; i < 3; i++) ws->pose[e->end].p[i] += start.p[i];
  double *s = ws->screw[e - m->element];
  td_adjoint(&start, e->screw, s);
  if (level < TD_LEVEL_TWIST) return;
  const double *V = ws->V[e->start], *A = ws->A[e->start];
  double rate = qd[e->coordinate], sd[6];
  for (int i = 0; i < 6; i++) sd[i] = s[i] * rate, ws->V[e->end][i] = V[i] + sd[i];
  if (level < TD_LEVEL_ACCELERATION) return;
  double out[6];
  for (int i = 0; i < 6; i++) out[i] = A[i] + s[i] * qdd[e->coordinate];
  td_bracket_add(V, sd, out);
  memcpy(ws->A[e->end], out, sizeof out);
}

static void fixed_kinematics(td_workspace *ws, const td_element *e, td_level level) {
  start_frame(ws, e, &ws->pose[e->end]);
  if (level >= TD_LEVEL_TWIST) memcpy(ws->V[e->end], ws->V[e->start], sizeof *ws->V);
  if (level >= TD_LEVEL_ACCELERATION) memcpy(ws->A[e->end], ws->A[e->start], sizeof *ws->A);
}

static void element_kinematics(const td_model *m, td_workspace *ws, const td_element *e, const double *q,
                               const double *qd, const double *qdd, td_level level) {
  switch (e->type) {
  case TD_ELEMENT_FIXED:
    fixed_kinematics(ws, e, level);
    break;
  case TD_ELEMENT_SCREW:
    screw_kinematics(m, ws, e, q, qd, qdd, level);
    break;
  case TD_ELEMENT_SOLID:
    td_ritz_kinematics(m, ws, e, q, qd, qdd, level);
    break;
  case TD_ELEMENT_STRIP:
    td_strip_kinematics(ws, e, q, qd, qdd, level);
    if (e->slice_at)
      td_slice_fields(m, ws, e, q + e->coordinate, qd ? qd + e->coordinate : NULL, qdd ? qdd + e->coordinate : NULL,
                      level);
    break;
  }
}

// The origin: the place of the first joint's end, found with the world's own origin first.
static void place_origin(const td_model *m, td_workspace *ws, const double *q) {
  const td_element *first = &m->element[0];
  if (m->floating) {
    element_kinematics(m, ws, first, q, NULL, NULL, TD_LEVEL_POSE);
    memcpy(ws->origin, ws->pose[first->end].p, sizeof ws->origin);
  } else {
    memcpy(ws->origin, first->pre.p, sizeof ws->origin);
  }
  for (int i = 0; i < 3; i++) ws->pose[0].p[i] = -ws->origin[i];
}

void td_kinematics(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                   const double *gravity, td_level level) {
  ws->pose[0] = td_se3_identity();
  place_origin(m, ws, q);
  memset(ws->V[0], 0, sizeof *ws->V);
  for (int i = 0; i < 3; i++) ws->A[0][i] = 0, ws->A[0][3 + i] = -gravity[i];
  for (int i = 0; i < m->element_count; i++) element_kinematics(m, ws, &m->element[i], q, qd, qdd, level);
}
