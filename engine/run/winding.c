// A rotation vector xi moves its body by w = T(xi) xi', and T has no inverse at |xi| = 2 pi: across xi the vector turns
// by w / | |xi| - 2 pi |, however slowly the body does. Vectors that nothing acts along are rewritten before they get
// there. The others meet it: a gripper of 46 g on a spring of 1.8e-3 N m passed 2 pi at 42 rad/s, where bdf at 1e-6
// made 9e-3 rad of the 3e-4 by which it was off, and at the next turns a whole radian; radau at 1e-5 was right to
// 1.2e-4. So radau is taken where a spring may be wound up that far: it is by what would turn it by a quarter of a turn
// at rest (the weight of what hangs from it, whichever way that points, and constant loads), or by the energy at the
// start. What other actuators and prescribed joints do to it is not foreseen.
#include "run/winding.h"
#include "closure/rechart.h"
#include "create/robot_size.h"
#include "pass/whole_pass.h"
#include "run/judge/second/trace.h"
#include "tendril/dynamics.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

static const double QUARTER = M_PI / 2, WHOLE = 2 * M_PI;
static const double NEAR = 1; // rad

// N m, at most, about any joint. Channels may have any value.
static double moment_of_loads(const td_model *m, double size) {
  const td_model_spec *spec = m->document;
  double sum = 0;
  for (size_t i = 0; i < spec->load_count; i++) {
    const td_load_spec *load = &spec->loads[i];
    const double *w = load->wrench;
    if (load->has_channels) return INFINITY;
    sum += hypot(hypot(w[0], w[1]), w[2]) + size * hypot(hypot(w[3], w[4]), w[5]);
  }
  return sum;
}

// N m, of the weight of what is beyond element e, about an axis of it, whichever way gravity points.
static double moment_of_weight(td_plant *p, const td_element *e, const double *y, double *force) {
  const td_model *m = p->model;
  double g = sqrt(m->gravity[0] * m->gravity[0] + m->gravity[1] * m->gravity[1] + m->gravity[2] * m->gravity[2]);
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double along[3] = {0};
    along[k] = g;
    td_id_parts(m, p->ws, y, NULL, NULL, p->u, 0, along, force);
    for (int c = 0; c < e->n; c++)
      if (e->group[c].component < 3) sum += force[e->coordinate + c] * force[e->coordinate + c];
  }
  return sqrt(sum);
}

static bool acts_along(const td_model *m, const td_element *e) {
  for (int c = e->coordinate; c < e->coordinate + e->n; c++)
    if (m->prescribed_mask[c] == 0) return true;
  for (int i = 0; i < m->actuator_channel_count; i++) {
    int driven = m->channel[i].tendon < 0 ? m->channel[i].coordinate : -1;
    if (driven >= e->coordinate && driven < e->coordinate + e->n) return true;
  }
  return false;
}

static double softest(const td_model *m, const td_element *e) {
  double least = INFINITY;
  for (int c = 0; c < e->n; c++)
    if (e->group[c].component < 3) least = fmin(least, m->joint_stiffness[e->coordinate + c]);
  return least;
}

// J, of the start: what moves, and what is wound up already.
static double at_play(td_plant *p, const double *y) {
  td_energy e;
  return td_plant_energy(p, 0, y, &e) ? INFINITY : e.kinetic + e.elastic;
}

int td_winding_expected(td_plant *p, const double *y) {
  const td_model *m = p->model;
  double energy = -1, loads = 0;
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    if (!td_keeps_turns(m, e)) continue;
    if (acts_along(m, e)) return e->coordinate;
    if (energy < 0) energy = at_play(p, y), loads = moment_of_loads(m, td_robot_size(m, p->ws));
    double k = softest(m, e), held = k * QUARTER, stored = k * WHOLE * WHOLE / 2;
    if (!(held > loads + moment_of_weight(p, e, y, p->ws->id)) || !(stored > energy)) return e->coordinate;
  }
  return -1;
}

bool td_winding_text(const td_model *m, const double *trace, int rows, double ends, double t,
                     char text[TD_WINDING_TEXT]) {
  double nearest = NEAR, at = 0;
  const td_element *which = NULL;
  assert(rows > 0);
  for (int k = 0; k < rows && td_retrace_time(k, rows, ends) <= t; k++) {
    const td_element *e;
    double away = td_from_whole_turns(m, trace + (size_t)k * (size_t)m->n, &e);
    if (away < nearest) nearest = away, at = td_retrace_time(k, rows, ends), which = e;
  }
  text[0] = 0;
  if (!which) return false;
  snprintf(text, TD_WINDING_TEXT, "rotation vectors are singular near a whole turn, where \"%.40s\" is at t = %.4g s",
           td_model_coordinate_name(m, which->coordinate), at);
  return true;
}
