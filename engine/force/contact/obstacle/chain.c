#include "force/contact/obstacle/chain.h"
#include "element/contact.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>

bool td_contact_is_round(const td_contact *c) {
  return c->obstacle.type == TD_CONTACT_CYLINDER_EXTERIOR || c->obstacle.type == TD_CONTACT_SPHERE;
}

double td_contact_size(const td_contact *c, int i) {
  assert(i < c->point_count);
  return c->obstacle.radius + c->point[i].radius;
}

bool td_contact_chain_next(const td_model *m, td_contact_chain *next) {
  next->at += next->count;
  next->point += next->count;
  for (; next->contact < m->contact_count; next->contact++, next->point = 0) {
    const td_contact *c = &m->contact[next->contact];
    bool round = td_contact_is_round(c);
    if (next->every && !round) next->at += c->point_count;
    if (!round || next->point == c->point_count) continue;
    int i = next->point + 1;
    while (i < c->point_count && c->point[i].rod == c->point[i - 1].rod) i++;
    next->obstacle = &c->obstacle;
    next->count = i - next->point;
    return true;
  }
  return false;
}

bool td_contact_chain_is_bar(const td_contact_chain *x) { return x->obstacle->type == TD_CONTACT_CYLINDER_EXTERIOR; }

double td_contact_turn(const td_obstacle *o, const double a[3], const double b[3]) {
  double x[3], y[3], cross[3];
  for (int i = 0; i < 3; i++) x[i] = a[i] - o->origin[i], y[i] = b[i] - o->origin[i];
  td_vec3_cross(x, y, cross);
  double along = td_vec3_dot(x, o->axis) * td_vec3_dot(y, o->axis);
  return atan2(td_vec3_dot(cross, o->axis), td_vec3_dot(x, y) - along);
}

double td_contact_winding(const td_contact_chain *x, const td_sighting *sight) {
  double sum = 0;
  assert(td_contact_chain_is_bar(x));
  for (int i = 1; i < x->count; i++)
    sum += td_contact_turn(x->obstacle, sight[x->at + i - 1].centre, sight[x->at + i].centre);
  return sum;
}

int td_contact_nearest(const td_contact_chain *x, const td_sighting *sight) {
  double least = INFINITY, away[3];
  int best = 0;
  for (int i = 0; i < x->count; i++) {
    double r = td_obstacle_distance(x->obstacle, sight[x->at + i].centre, td_contact_chain_is_bar(x), away);
    if (r < least) least = r, best = i;
  }
  return best;
}
