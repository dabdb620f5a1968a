// How far beyond each kink a state is (kinks.h): signed depths of stops and of points before obstacles.
#include "dynamics/kinks.h"
#include "force/contact/contact.h"
#include "force/stop.h"
#include "pass/kinematics.h"

int td_kinks_count(const td_model *m) {
  int count = 2 * td_stops_count(m);
  for (int c = 0; c < m->contact_count; c++) count += m->contact[c].point_count;
  return count;
}

bool td_kinks_jump(const td_model *m, int kink) {
  for (int c = 0; c < m->contact_count; kink -= m->contact[c++].point_count)
    if (kink < m->contact[c].point_count) return m->contact[c].obstacle.exponent <= 1;
  return true;
}

void td_kinks_at(const td_model *m, td_workspace *ws, const double *q, double *depth) {
  const td_stops *all = td_stops_of(m);
  if (m->contact_count > 0) td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++) *depth++ = td_contact_depth(m, ws, c, i);
  for (int i = 0; i < td_stops_count(m); i++) {
    const td_stop *s = &all->stop[i];
    *depth++ = q[s->coordinate] - s->upper;
    *depth++ = s->lower - q[s->coordinate];
  }
}
