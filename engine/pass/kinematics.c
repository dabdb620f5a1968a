// Forward pass: world frame, origin at the root body's present position when it floats.
//
// For an element with motion exp(Omega) from start frame g:   V' = V + Ad_g T Omega'
//   A' = A + [V, Ad_g T Omega'] + Ad_g (T Omega'' + T' Omega'),   A(root) = -gravity.
// Source: Mathew2025 (2), (14), rewritten for spatial twists (engine/README.md).
#include "pass/kinematics.h"
#include <string.h>

// The origin: the place of the first joint's end, found with the world's own origin first.
static void place_origin(const td_model *m, td_workspace *ws, const double *q) {
  const td_element *first = &m->element[0];
  if (m->floating) {
    first->row->motion(m, ws, first, &(td_sweep){.q = q, .first = TD_LEVEL_POSE, .last = TD_LEVEL_POSE});
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
  const td_sweep sweep = {.q = q, .qd = qd, .qdd = qdd, .first = TD_LEVEL_POSE, .last = level};
  for (int i = 0; i < m->element_count; i++) m->element[i].row->motion(m, ws, &m->element[i], &sweep);
}
