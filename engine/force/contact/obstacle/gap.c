// Rods touch with spheres at their points, which leaves gaps: of balls and cylinders of radius R a wide one lets sink
// in a part, a wider one all. Points `apart` of each other across a cylinder's axis let in
//     sunk = a - sqrt(a^2 - (apart / 2)^2),  a = R + r;   up to x the points may be apart = 2 sqrt(x (2 a - x)).
// Half of the rod's own radius, x = r / 2, is nobody's surprise. At all of it, what lies on a bar and gives by as much
// again under its weight slides on until it slips through; so much, x = r, is the least that a state is blamed for.
// Along an endless cylinder's axis nothing slips between. A rod that lies so at q = 0 is not warned of, but it may
// turn: states are asked for what has slipped, by the rod's cubic between two points and their tangents.
#include "force/contact/obstacle/gap.h"
#include "force/contact/obstacle/obstacle.h"
#include "lie/vec3.h"
#include "pass/kinematics.h"
#include "strain/points.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 8 };
static const double SUNK = 0.5; // of the rod's radius

// Points of rods, which stand before those of other bodies: those touch with all of their surface.
static int on_rods(const td_contact *c) {
  int count = 0;
  while (count < c->point_count && td_contact_on_rod(&c->point[count])) count++;
  return count;
}

static bool is_round(const td_obstacle *o) {
  return o->type == TD_CONTACT_SPHERE || o->type == TD_CONTACT_CYLINDER_EXTERIOR;
}

static bool is_free(const td_obstacle *o) { return is_round(o) || o->type == TD_CONTACT_BOX; }

// The part of v that an obstacle feels: that across its axis.
static void project(const td_obstacle *o, double v[3]) {
  double along = o->type == TD_CONTACT_CYLINDER_EXTERIOR ? td_vec3_dot(v, o->axis) : 0;
  for (int i = 0; i < 3; i++) v[i] -= along * o->axis[i];
}

static double norm(const double v[3]) { return sqrt(td_vec3_dot(v, v)); }

// How far apart across the obstacle points may be for it to sink in by no more than a part of the rod's radius.
// Boxes are flat, and may be wide: they are not to pass between two points.
static double allowance(const td_obstacle *o, double radius, double part) {
  if (o->type == TD_CONTACT_BOX) return 2 * (o->radius + radius);
  double sunk = part * radius;
  return 2 * sqrt(sunk * (2 * (o->radius + radius) - sunk));
}

// ---- a model at q = 0

// Distances between neighbouring points of a rod from contact point `first` on: along the rod, and across the obstacle.
// Of `count` points.
typedef struct spacing {
  int count;
  double apart, across, radius; // largest; least
} spacing;

static spacing spacing_of(const td_model *m, const td_workspace *ws, const td_contact *c, int first) {
  const td_rod *rod = &m->rod[c->point[first].rod];
  spacing s = {.radius = INFINITY};
  for (; first + s.count < c->point_count && c->point[first + s.count].rod == c->point[first].rod; s.count++) {
    const td_contact_point *p = &c->point[first + s.count];
    s.radius = fmin(s.radius, p->radius);
    if (s.count == 0) continue;
    double apart = (rod->abscissa[s.count] - rod->abscissa[s.count - 1]) * rod->length, chord[3];
    for (int i = 0; i < 3; i++) chord[i] = ws->pose[p->node].p[i] - ws->pose[p[-1].node].p[i];
    double length = norm(chord);
    project(&c->obstacle, chord);
    s.apart = fmax(s.apart, apart);
    s.across = fmax(s.across, length > 0 ? apart * norm(chord) / length : apart);
  }
  return s;
}

static int points_for(const td_model *m, int rod, double allowed) {
  int pieces = td_rod_piece_count(&m->document->links[m->rod[rod].link].body.rod);
  return (int)fmin(ceil(1.6 * m->rod[rod].length / (pieces * allowed)), 1e6);
}

static void warn(td_model *m, int contact, int rod, const spacing *s, double allowed) {
  int pieces = td_rod_piece_count(&m->document->links[m->rod[rod].link].body.rod);
  const td_obstacle *o = &m->contact[contact].obstacle;
  char pointer[TD_CONTACT_GAP_POINTER];
  snprintf(pointer, sizeof pointer, "/contacts/%d", contact);
  td_warn(&m->warnings, "coarse_contact", pointer,
          "the rod \"%s\" touches with its computational points, which are up to %.3g m apart: the %s "
          "%.3g m %s between them; take about %d `quadrature.points`%s, so that they are %.2g m apart",
          td_model_link_name(m, m->rod[rod].link), s->apart,
          o->type == TD_CONTACT_BOX ? "box, at its thinnest" : "obstacle of radius",
          o->type == TD_CONTACT_BOX ? 2 * o->radius : o->radius,
          s->apart > 2 * (o->radius + s->radius) ? "passes unfelt" : "sinks in by more than half of the rod's radius",
          points_for(m, rod, allowed), pieces > 1 ? " per element" : "", allowed);
}

int td_contact_gap_points(const td_model *m, td_workspace *ws, int rod) {
  int most = 0;
  if (m->contact_count > 0) td_kinematics(m, ws, ws->zero, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int c = 0; c < m->contact_count; c++) {
    const td_contact *contact = &m->contact[c];
    spacing s = {0};
    for (int first = 0; is_free(&contact->obstacle) && first < on_rods(contact); first += s.count) {
      s = spacing_of(m, ws, contact, first);
      double allowed = allowance(&contact->obstacle, s.radius, SUNK);
      if (contact->point[first].rod == rod && s.across > allowed) most = (int)fmax(most, points_for(m, rod, allowed));
    }
  }
  return most;
}

void td_warn_of_contact_gaps(td_model *m) {
  td_workspace *ws = NULL;
  bool any = false;
  for (int c = 0; c < m->contact_count; c++) any |= is_free(&m->contact[c].obstacle);
  if (!any || td_workspace_create(m, &ws)) return;
  td_kinematics(m, ws, ws->zero, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int c = 0; c < m->contact_count; c++) {
    td_contact *contact = &m->contact[c];
    spacing s = {0};
    for (int first = 0; is_free(&contact->obstacle) && first < on_rods(contact); first += s.count) {
      s = spacing_of(m, ws, contact, first);
      double allowed = allowance(&contact->obstacle, s.radius, SUNK);
      bool round_one = is_round(&contact->obstacle);
      if (round_one && s.apart > allowance(&contact->obstacle, s.radius, 1)) contact->gaps = m->gaps = true;
      if (s.across > allowed) warn(m, c, contact->point[first].rod, &s, allowed);
    }
  }
  td_workspace_destroy(ws);
}

// ---- a state

// Least distance of the straight piece from a to b from the obstacle's axis or centre.
static double distance_of(const td_obstacle *o, const double a[3], const double b[3]) {
  double r[3], d[3];
  for (int i = 0; i < 3; i++) r[i] = a[i] - o->origin[i], d[i] = b[i] - a[i];
  project(o, r);
  project(o, d);
  double square = td_vec3_dot(d, d), x = square > 0 ? -td_vec3_dot(r, d) / square : 0;
  x = fmin(1, fmax(0, x));
  for (int i = 0; i < 3; i++) r[i] += x * d[i];
  return norm(r);
}

void td_contact_between(const td_se3 *a, const td_se3 *b, double x, double out[3]) {
  double chord[3];
  for (int i = 0; i < 3; i++) chord[i] = b->p[i] - a->p[i];
  double length = norm(chord), u = 1 - x;
  for (int i = 0; i < 3; i++)
    out[i] = u * u * (1 + 2 * x) * a->p[i] + x * x * (3 - 2 * x) * b->p[i] +
             length * x * u * (u * a->R[3 * i] - x * b->R[3 * i]);
}

static double nearest(const td_workspace *ws, const td_obstacle *o, const td_se3 *a, const td_se3 *b) {
  double least = INFINITY, from[3], to[3];
  for (int i = 0; i <= PIECES; i++) {
    memcpy(from, to, sizeof from);
    td_contact_between(a, b, (double)i / PIECES, to);
    for (int k = 0; k < 3; k++) to[k] += ws->origin[k];
    if (i > 0) least = fmin(least, distance_of(o, from, to));
  }
  return least;
}

static double depth_of(const td_workspace *ws, const td_obstacle *o, const td_contact_point *p) {
  double centre[3];
  for (int i = 0; i < 3; i++) centre[i] = ws->pose[p->node].p[i] + ws->origin[i];
  return o->radius + p->radius - distance_of(o, centre, centre);
}

static void look(const td_model *m, const td_workspace *ws, int contact, td_contact_gap *worst) {
  const td_contact *c = &m->contact[contact];
  for (int i = 1, local = 1; i < on_rods(c); i++, local++) {
    const td_contact_point *a = &c->point[i - 1], *b = &c->point[i];
    if (a->rod != b->rod) {
      local = 0;
      continue;
    }
    const td_obstacle *o = &c->obstacle;
    double radius = fmin(a->radius, b->radius), felt = fmax(0, fmax(depth_of(ws, o, a), depth_of(ws, o, b)));
    double depth = o->radius + radius - nearest(ws, o, &ws->pose[a->node], &ws->pose[b->node]);
    const td_rod *rod = &m->rod[b->rod];
    if (depth - felt > radius && depth > worst->depth)
      *worst = (td_contact_gap){contact, b->rod, 0.5 * (rod->abscissa[local - 1] + rod->abscissa[local]), depth};
  }
}

bool td_contact_gap_find(const td_model *m, td_workspace *ws, const double *q, td_contact_gap *worst) {
  td_contact_gap at = {.contact = -1};
  if (!m->gaps) return false;
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int c = 0; c < m->contact_count; c++)
    if (m->contact[c].gaps) look(m, ws, c, &at);
  if (at.contact < 0) return false;
  *worst = at;
  return true;
}

void td_contact_gap_text(const td_model *m, const td_contact_gap *at, char text[TD_CONTACT_GAP_TEXT]) {
  snprintf(
      text, TD_CONTACT_GAP_TEXT,
      "the obstacle lies %.3g m deep in the rod \"%.63s\" about s = %.3g, between two of the points that touch it: "
      "take more `quadrature.points`",
      at->depth, m->link[m->rod[at->rod].link].name, at->s);
}

void td_contact_gap_pointer(const td_contact_gap *at, char text[TD_CONTACT_GAP_POINTER]) {
  snprintf(text, TD_CONTACT_GAP_POINTER, "/model/contacts/%d", at->contact);
}
