// A contact k delta^p stands for what is hard and gives way by little. Where a rod sinks in by more than its radius, its
// axis lies below the surface: where it comes to rest is what the stiffness and the number of its points make of it, not
// where the obstacle is. A stiffness k (delta / d)^p would hold the same force at a depth d.
//
// A thin wire may do that and be where it should by a hundredth of its length.
#include "force/contact/contact_deep.h"
#include "force/contact/contact.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdio.h>

static const double OF_LENGTH = 0.01, SHALLOW = 0.5; // what is deep at least; of the radius

static double limit_of(const td_model *m, const td_contact_point *p) {
  if (!td_contact_on_rod(p)) return p->half;
  return fmax(p->radius, OF_LENGTH * m->rod[p->rod].length);
}

double td_contact_deep_energy(const td_model *m) {
  double least = INFINITY;
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
      *worst = (td_contact_deep){k, i, s, at.depth, ratio};
      found = true;
    }
  return found;
}

void td_contact_deep_text(const td_model *m, const td_contact_deep *at, char text[TD_CONTACT_DEEP_TEXT]) {
  const td_contact *c = &m->contact[at->contact];
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
