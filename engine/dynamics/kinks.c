// How far beyond each kink a state is (kinks.h): signed depths of stops and of points before obstacles.
#include "dynamics/kinks.h"
#include "force/contact/obstacle/obstacle.h"
#include "force/contact/pair/nearby.h"
#include "force/contact/pair/pair.h"
#include "force/stop.h"
#include "model/model.h"
#include "pass/kinematics.h"
#include <math.h>
#include <stdio.h>

static const double TOUCHED = 1e-9; // rad, m

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

// ------------------------------------------------------------------------------------------------ at one

static void tell_contact(const td_model *m, int c, int i, double depth, const td_kink_words *words, td_warnings *list) {
  char pointer[TD_POINTER_SIZE], name[TD_MAX_NAME + 8] = "";
  const td_node *node = &m->node[m->contact[c].point[i].node];
  if (m->document->contacts[c].name) snprintf(name, sizeof name, " \"%.63s\"", m->document->contacts[c].name);
  snprintf(pointer, sizeof pointer, "/model/contacts/%d", c);
  td_warn(
      list, "contact_kink", pointer,
      "a point of \"%s\" just touches the obstacle%s%s (depth %.2g m): its stiffness acts on one side only, so that "
      "%s of %s and %s",
      m->link[m->element[node->element].link].name, name, words->at, depth, words->answer,
      depth > 0 ? "the side that presses" : "the side that has left it", words->advice);
}

// Contacts of exponent 1 or less have a stiffness on one side of their surface and none on the other: exactly there
// nothing is linear.
static void tell_contacts(const td_model *m, const td_workspace *ws, const td_kink_words *words, td_warnings *list) {
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count && m->contact[c].obstacle.exponent <= 1; i++) {
      double depth = td_contact_depth(m, ws, c, i);
      if (!(fabs(depth) < TOUCHED)) continue;
      tell_contact(m, c, i, depth, words, list);
      break;
    }
}

// So have those between bodies.
static void tell_pairs(const td_model *m, td_workspace *ws, const td_kink_words *words, td_warnings *list) {
  if (m->solid_pair_count > 0) td_nearby_begin(m, ws, false);
  for (int i = 0; i < m->solid_pair_count; i++) {
    const td_solid_pair *pair = &m->solid_pair[i];
    char pointer[TD_POINTER_SIZE], a[TD_SOLID_TEXT], b[TD_SOLID_TEXT];
    if (m->contact[pair->contact].obstacle.exponent > 1) continue;
    td_grip_text(m, i, 0, a);
    td_grip_text(m, i, 1, b);
    double depth = td_nearby_grazing(m, ws, i, TOUCHED);
    if (!(depth < INFINITY)) continue;
    snprintf(pointer, sizeof pointer, "/model/contacts/%d", pair->contact);
    td_warn(list, "contact_kink", pointer,
            "%s just touches %s%s (depth %.2g m): the stiffness acts on one side only, so that %s of %s and %s", a, b,
            words->at, depth, words->answer, depth > 0 ? "the side that presses" : "the side that has left it",
            words->advice);
  }
}

// So have stops.
static void tell_stops(const td_model *m, const double *q, const td_kink_words *words, td_warnings *list) {
  const td_stops *all = td_stops_of(m);
  for (int i = 0; i < td_stops_count(m); i++) {
    char pointer[TD_POINTER_SIZE];
    int side, link = all->stop[i].link;
    double depth = td_stop_signed(&all->stop[i], q[all->stop[i].coordinate], &side);
    if (!(fabs(depth) < TOUCHED)) continue;
    snprintf(pointer, sizeof pointer, "/model/links/%d/joint/limits", link);
    td_warn(list, "contact_kink", pointer,
            "\"%s\" stands just at its %s limit%s: the stop's stiffness acts on one side only, so that %s of %s and %s",
            m->link[link].name, side > 0 ? "upper" : "lower", words->at, words->answer,
            depth > 0 ? "the side that presses" : "the side that is free", words->advice);
  }
}

void td_kinks_tell(const td_model *m, td_workspace *ws, const double *q, const td_kink_words *words,
                   td_warnings *warnings) {
  if (m->contact_count > 0) td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  tell_contacts(m, ws, words, warnings);
  tell_pairs(m, ws, words, warnings);
  tell_stops(m, q, words, warnings);
}
