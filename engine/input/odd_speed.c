// Speeds that no robot has: where radians were meant to be degrees, or hertz rad/s, something runs away.
//
//   start   a body faster than sound by initial.qd
//   swings  a joint driven to and fro by sines so that a body reaches 50 m/s (robots below 20; what spins does so by
//           ramps)
#include "input/odd_speed.h"
#include "input/inputs.h"
#include "lie/vec3.h"
#include "model/model.h"
#include "pass/composite.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SOUND = 340, SWING = 50; // m/s

// The largest speed of a sine, or of a sum of them; 0: it is another signal.
static double rate_of(const td_signal_spec *s) {
  double all = 0;
  if (s->type == TD_SIGNAL_SINE) return 2 * M_PI * s->frequency * fabs(s->amplitude);
  for (size_t i = 0; s->type == TD_SIGNAL_SUM && i < s->of_count; i++) all += rate_of(&s->of[i]);
  return all;
}

// m/s, of the centre of mass of the fastest body.
static double fastest(const td_model *m, td_workspace *ws, const double *q, const double *qd) {
  double most = 0;
  td_kinematics(m, ws, q, qd, NULL, m->gravity, TD_LEVEL_TWIST);
  for (int i = 0; i < m->node_count; i++) {
    if (m->node[i].inertia < 0) continue;
    const double *V = ws->V[i];
    double v[3] = {V[3], V[4], V[5]}, local[3], com[3];
    memcpy(local, m->inertia[m->node[i].inertia].com, sizeof local);
    td_node_point(ws, i, local, com);
    td_vec3_cross_add(V, com, v);
    most = fmax(most, sqrt(td_vec3_dot(v, v)));
  }
  return most;
}

static void remark_start(const td_place *root, const td_model *m, td_workspace *ws, const td_dynamics_spec *spec,
                         const double *q) {
  td_place initial = td_place_key(root, "initial"), at = td_place_key(&initial, "qd");
  double v = spec->qd ? fastest(m, ws, q, spec->qd) : 0;
  if (v > SOUND)
    td_place_warn(&at, "odd_input",
                  "a body would start at %.3g m/s, faster than sound: velocities are in rad/s and m/s (1 rpm is 0.105 "
                  "rad/s, 1 degree/s 0.0175)",
                  v);
}

static void remark_swings(const td_place *root, const td_model *m, td_workspace *ws, const td_dynamics_spec *spec,
                          const double *q, double *qd) {
  td_place list = td_place_key(root, "inputs");
  for (size_t i = 0; i < spec->input_count; i++) {
    int channel = td_channel_find(m, spec->inputs[i].channel), driven = -1;
    for (int p = 0; p < m->prescribed_count; p++)
      if (m->prescribed[p].channel == channel) driven = m->prescribed[p].coordinate;
    double rate = driven >= 0 && !spec->inputs[i].list ? rate_of(&spec->inputs[i].signal) : 0;
    if (!(rate > 0)) continue;
    td_place at = td_place_key(&list, spec->inputs[i].channel);
    memset(qd, 0, (size_t)m->n * sizeof *qd);
    qd[driven] = rate;
    double v = fastest(m, ws, q, qd);
    if (v > SWING)
      td_place_warn(&at, "odd_input",
                    "this swings its joint at up to %.4g rad/s or m/s, and a body at %.3g m/s: frequencies are in Hz "
                    "(2 pi rad/s)",
                    rate, v);
  }
}

void td_speeds_remark(const td_place *root, const td_model *model, const td_dynamics_spec *spec) {
  size_t n = (size_t)model->n;
  td_workspace *ws = NULL;
  bool moves = spec->qd || model->prescribed_count > 0;
  double *q = root->warnings && moves ? calloc(2 * n + 1, sizeof *q) : NULL;
  if (!q || td_workspace_create(model, &ws)) {
    free(q);
    return;
  }
  if (spec->initial == TD_INITIAL_ARRAY && spec->q_count == n) memcpy(q, spec->q, n * sizeof *q);
  if (spec->qd_count == n) remark_start(root, model, ws, spec, q);
  remark_swings(root, model, ws, spec, q, q + n);
  td_workspace_destroy(ws);
  free(q);
}
