// A contact k delta^p stands for what is hard and gives way by little. Where a rod sinks in by more than its radius, its
// axis lies below the surface: where it comes to rest is what the stiffness and the number of its points make of it, not
// where the obstacle is. A stiffness k (delta / d)^p would hold the same force at a depth d.
//
// A thin wire may do that and be where it should by a hundredth of its length.
#include "force/contact/deep.h"
#include "force/contact/obstacle/obstacle.h"
#include "force/contact/pair/pair.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdio.h>

static const double OF_LENGTH = 0.01, SHALLOW = 0.5; // what is deep at least; of the radius

static double limit_of(const td_model *m, const td_contact_point *p) {
  if (!td_contact_on_rod(p)) return p->half;
  return fmax(p->radius, OF_LENGTH * m->rod[p->rod].length);
}

// Of a ball with its middle on a core.
static double energy_of_pair(const td_model *m, const td_solid_pair *pair) {
  const td_obstacle *o = &m->contact[pair->contact].obstacle;
  double least = INFINITY;
  for (int side = 0; side < 2; side++) {
    const td_solid *core = &m->solid[side ? pair->b : pair->a], *other = &m->solid[side ? pair->a : pair->b];
    if (core->count == 0 || m->proxy[core->first].role != TD_PROXY_CORE) continue;
    for (int i = other->first; i < other->first + other->count; i++)
      least = fmin(least, m->proxy[core->first].radius + m->proxy[i].radius);
  }
  return o->stiffness * pow(least, o->exponent + 1) / (o->exponent + 1);
}

double td_contact_deep_energy(const td_model *m) {
  double least = INFINITY;
  for (int i = 0; i < m->solid_pair_count; i++) least = fmin(least, energy_of_pair(m, &m->solid_pair[i]));
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++) {
      const td_contact_point *p = &m->contact[c].point[i];
      const td_obstacle *o = &m->contact[c].obstacle;
      least = fmin(least, p->share * o->stiffness * pow(limit_of(m, p), o->exponent + 1) / (o->exponent + 1));
    }
  return least;
}

static int place_on_rod(const td_contact *c, int point) {
  int first = point;
  while (first > 0 && c->point[first - 1].rod == c->point[point].rod) first--;
  return point - first;
}

static double radius_of(const td_model *m, int solid) { return m->proxy[m->solid[solid].first].radius; }

// Deeper than what they have of edges and radii.
static bool is_worse(const td_model *m, int pair, double depth, double radii, td_contact_deep *worst) {
  double ratio = depth / radii;
  if (!(ratio > fmax(1, worst->ratio))) return false;
  *worst = (td_contact_deep){
      .contact = m->solid_pair[pair].contact, .point = -1, .pair = pair, .depth = depth, .ratio = ratio};
  return true;
}

static bool find_pair(const td_model *m, td_workspace *ws, td_contact_deep *worst) {
  td_grip g = {0};
  bool found = false;
  if (m->solid_pair_count == 0) return false;
  td_grip_begin(m, ws);
  while (td_grip_next(m, ws, false, &g))
    if (g.core >= 0 && is_worse(m, g.pair, g.meeting.at.depth, g.meeting.radius[0] + g.meeting.radius[1], worst))
      found = true;
  for (int i = 0; i < m->solid_pair_count; i++) {
    const td_solid_pair *pair = &m->solid_pair[i];
    td_pair_look axis;
    if (pair->a == pair->b) continue;
    td_grip_runs_through(m, ws, i, &axis);
    if (axis.depth > 0 && is_worse(m, i, axis.depth, radius_of(m, pair->a) + radius_of(m, pair->b), worst))
      found = true;
  }
  return found;
}

bool td_contact_deep_find(const td_model *m, td_workspace *ws, const double *q, td_contact_deep *worst) {
  bool found = false;
  if (m->contact_count == 0) return false;
  td_kinematics(m, ws, q, ws->zero, NULL, m->gravity, TD_LEVEL_TWIST);
  for (int k = 0; k < m->contact_count; k++)
    for (int i = 0; i < m->contact[k].point_count; i++) {
      const td_contact *c = &m->contact[k];
      const td_contact_point *p = &c->point[i];
      td_sighting at;
      td_contact_sight(m, ws, k, i, &at);
      double ratio = at.depth / limit_of(m, p);
      if (!(ratio > fmax(1, worst->ratio))) continue;
      double s = td_contact_on_rod(p) ? m->rod[p->rod].abscissa[place_on_rod(c, i)] : 0;
      *worst = (td_contact_deep){.contact = k, .point = i, .s = s, .depth = at.depth, .ratio = ratio};
      found = true;
    }
  return find_pair(m, ws, worst) || found;
}

static void say_pair(const td_model *m, const td_contact_deep *at, char text[TD_CONTACT_DEEP_TEXT]) {
  const td_solid_pair *pair = &m->solid_pair[at->pair];
  const td_obstacle *o = &m->contact[pair->contact].obstacle;
  char a[TD_SOLID_TEXT], b[TD_SOLID_TEXT];
  td_grip_text(m, at->pair, 0, a);
  td_grip_text(m, at->pair, 1, b);
  snprintf(
      text, TD_CONTACT_DEEP_TEXT,
      "%s and %s are %.2g m deep in each other, further than their edges are rounded (%.2g m): they push "
      "each other out by the nearest face, and how far is what a stiffness of %.3g makes of it; about %.1g would hold "
      "them",
      a, b, at->depth, at->depth / at->ratio, o->stiffness, o->stiffness * pow(at->ratio / SHALLOW, o->exponent));
}

void td_contact_deep_text(const td_model *m, const td_contact_deep *at, char text[TD_CONTACT_DEEP_TEXT]) {
  const td_contact *c = &m->contact[at->contact];
  if (at->point < 0) {
    say_pair(m, at, text);
    return;
  }
  const td_contact_point *p = &c->point[at->point];
  const td_contact_spec *spec = &m->document->contacts[at->contact];
  char name[TD_MAX_NAME + 8] = "";
  double enough = c->obstacle.stiffness * pow(at->depth / (SHALLOW * limit_of(m, p)), c->obstacle.exponent);
  if (spec->name) snprintf(name, sizeof name, " \"%.63s\"", spec->name);
  if (!td_contact_on_rod(p)) {
    snprintf(text, TD_CONTACT_DEEP_TEXT,
             "\"%.63s\" sinks %.2g m deep into the obstacle%s, more than half of what it measures there (%.2g m): how "
             "far is what a stiffness of %.3g makes of it; about %.1g would hold it",
             td_model_link_name(m, td_contact_link(m, p)), at->depth, name, p->half, c->obstacle.stiffness, enough);
    return;
  }
  snprintf(text, TD_CONTACT_DEEP_TEXT,
           "\"%.63s\" sinks %.2g m deep into the obstacle%s about s = %.2g, where its radius is %.2g m: its axis lies "
           "below the surface, and how far is what a stiffness of %.3g%s makes of it; about %.1g would hold it",
           td_model_link_name(m, m->rod[p->rod].link), at->depth, name, at->s, p->radius, c->obstacle.stiffness,
           spec->per == TD_CONTACT_PER_POINT ? " of each of its points" : "", enough);
}

void td_contact_deep_pointer(const td_contact_deep *at, char text[TD_CONTACT_DEEP_POINTER]) {
  snprintf(text, TD_CONTACT_DEEP_POINTER, "/model/contacts/%d/stiffness", at->contact);
}
