// Forward pass: world frame, origin at the root body's present position when it floats.
//
// For an element with motion exp(Omega) from start frame g:   V' = V + Ad_g T Omega'
//   A' = A + [V, Ad_g T Omega'] + Ad_g (T Omega'' + T' Omega'),   A(root) = -gravity.
// Source: Mathew2025 (2), (14), rewritten for spatial twists (engine/README.md).
#include "algorithm/kinematics.h"
#include "body/joint.h"
#include "body/ritz/ritz.h"
#include "body/rod/strip.h"
#include "body/section/slice.h"
#include <string.h>

static void element_kinematics(const td_model *m, td_workspace *ws, const td_element *e, const double *q,
                               const double *qd, const double *qdd, td_level level) {
  switch (e->type) {
  case TD_ELEMENT_FIXED:
    td_fixed_kinematics(ws, e, level);
    break;
  case TD_ELEMENT_SCREW:
    td_screw_kinematics(m, ws, e, q, qd, qdd, level);
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
