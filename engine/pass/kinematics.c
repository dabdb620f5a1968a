// Forward pass: world frame, origin at the root body's present position when it floats.
//
// For an element with motion exp(Omega) from start frame g:   V' = V + Ad_g T Omega'
//   A' = A + [V, Ad_g T Omega'] + Ad_g (T Omega'' + T' Omega'),   A(root) = -gravity.
// Source: Mathew2025 (2), (14), rewritten for spatial twists (engine/README.md).
#include "pass/kinematics.h"
#include <assert.h>
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

// The first stage that is not done yet for these arrays. Accelerations are always, as they depend on gravity and change
// with qdd.
static td_level first_stage(const td_workspace *ws, const double *q, const double *qd) {
  if (!ws->steady_q || ws->poses_of != q || !td_holds(ws, TD_HOLDS_POSES)) return TD_LEVEL_POSE;
  return ws->twists_of && ws->twists_of == qd && td_holds(ws, TD_HOLDS_TWISTS) ? TD_LEVEL_ACCELERATION : TD_LEVEL_TWIST;
}

// What is held when the stages of a sweep have been done; what was made of what they change is held no more.
static void note_stages(td_workspace *ws, const td_sweep *s) {
  enum { POSED = TD_HOLDS_POSES | TD_HOLDS_COLUMNS | TD_HOLDS_NEARBY };
  static const unsigned KEPT[] = {0, POSED, POSED | TD_HOLDS_TWISTS | TD_HOLDS_MET};
  static const unsigned DONE[] = {TD_HOLDS_POSES, TD_HOLDS_TWISTS, TD_HOLDS_ACCELERATIONS};
  ws->holds &= KEPT[s->first];
  for (int stage = s->first; stage <= (int)s->last; stage++) ws->holds |= DONE[stage];
  if (td_sweeps(s, TD_LEVEL_POSE)) ws->poses_of = s->q == ws->steady_q ? s->q : NULL, ws->twists_of = NULL;
  if (td_sweeps(s, TD_LEVEL_TWIST)) ws->twists_of = s->qd == ws->steady_qd || s->qd == ws->zero ? s->qd : NULL;
}

void td_kinematics(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                   const double *gravity, td_level level) {
  const td_sweep sweep = {.q = q, .qd = qd, .qdd = qdd, .first = first_stage(ws, q, qd), .last = level};
  assert(q && gravity && (qd || level < TD_LEVEL_TWIST) && (qdd || level < TD_LEVEL_ACCELERATION));
  if (sweep.first > sweep.last) return;
  if (sweep.first == TD_LEVEL_POSE) {
    ws->pose[0] = td_se3_identity();
    place_origin(m, ws, q);
  }
  memset(ws->V[0], 0, sizeof *ws->V);
  for (int i = 0; i < 3; i++) ws->A[0][i] = 0, ws->A[0][3 + i] = -gravity[i];
  for (int i = 0; i < m->element_count; i++) m->element[i].row->motion(m, ws, &m->element[i], &sweep);
  note_stages(ws, &sweep);
}
