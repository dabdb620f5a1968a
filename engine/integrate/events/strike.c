// A fixed step that strides into a contact, or into a stop of a joint (p = 1), feels its force at the end alone, and by
// the depth reached there: of a force k d^p that began inside it, the trapezoidal rule takes k d^(p + 1) / 2 for
// k d^(p + 1) / (p + 1), a quarter too much of the contact's energy at p = 1.5, which the robot keeps when it leaves
// (or loses, when the step out is as long). The difference is known after the step, contact forces being dV/dq: (g0 + g1)
// (q1 - q0) / 2 - (V1 - V0). Scale: kinetic energy, the lesser of both ends (a step that blows up is not to be measured
// by what it made), contact energy, and what the run has exchanged so far, so that a slow touch at the beginning asks
// for no more than its due.
#include "integrate/events/strike.h"
#include "force/stop.h"
#include "model/model.h"
#include "pass/composite_nodes.h"
#include "pass/whole_pass.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <string.h>

static const double SHARE = 1e-4;

bool td_strike_exists(const td_model *m) { return m->contact_count > 0 || td_stops_count(m) > 0; }

// Energy of the contacts and stops at y and its slope; the kinetic energy too.
static void look(td_strike *s, td_plant *p, int end, const double *y) {
  static const double weightless[3] = {0, 0, 0};
  size_t n = (size_t)p->n;
  td_energy e = {0};
  memset(s->slope[end], 0, n * sizeof *s->slope[end]);
  s->energy[end] = 0;
  bool known = !td_energy_at(p->model, p->ws, y, y + n, &e);
  s->kinetic[end] = e.kinetic;
  if (!known) return;
  if (e.contact > 0) td_id_parts(p->model, p->ws, y, NULL, NULL, NULL, TD_FORCE_CONTACT, weightless, s->slope[end]);
  s->energy[end] = e.contact + td_stops_energy(p->model, y, s->slope[end]);
}

void td_strike_start(td_strike *s, td_plant *plant, const double *y) {
  if (td_strike_exists(plant->model)) look(s, plant, 0, y);
}

void td_strike_accept(td_strike *s) {
  double *slope = s->slope[0];
  s->slope[0] = s->slope[1];
  s->slope[1] = slope;
  s->energy[0] = s->energy[1];
  s->kinetic[0] = s->kinetic[1];
}

double td_strike_error(td_strike *s, td_plant *plant, const double *y0, const double *y1) {
  if (!td_strike_exists(plant->model)) return 0;
  look(s, plant, 1, y1);
  if (s->energy[0] + s->energy[1] == 0) return 0;
  double work = 0;
  for (int i = 0; i < plant->n; i++) work += 0.5 * (s->slope[0][i] + s->slope[1][i]) * (y1[i] - y0[i]);
  double scale = fmin(s->kinetic[0], s->kinetic[1]) + fmax(s->energy[0], s->energy[1]) + plant->exchanged;
  return fabs(work - (s->energy[1] - s->energy[0])) / (SHARE * scale);
}
