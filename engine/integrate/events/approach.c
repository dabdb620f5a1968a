// A step that begins and ends apart from an obstacle feels nothing of it, however far it goes in between: error control
// judges what was evaluated. So contacts bound steps from outside, in two ways that cost a forward pass a step and
// nothing without contacts.
//
// Before a step: where a point's straight way enters a ball or cylinder, the step may end inside, short of the middle
// and at most twice as deep as its motion could go against the force (k d^(p+1) / (p+1) = energy). Planes and tubes are
// not left again by going straight on. After a step, on the integrator's own interpolant, curved as it may be:
// conservative advancement. A point at a distance g that moves at no more than L touches nothing for g / L; where g at
// both ends together exceeds the way between, it cannot have touched at all. Close to a surface the way of looking is
// the shortest way through that matters: a chord 2 sqrt(2 r d), r the radius of the obstacle against the path (whose
// own radius is a third of the step's length at the least), d the depth at which the contact holds SHARE of the energy
// at play. Source of the idea: Mirtich, Impulse-based dynamic simulation of rigid body systems, 1996, ch. 2.
//
// Two solids are one such point: how deep the deepest of them is, and how fast any two could come nearer.
//
// The slope of a force like depth^p, 1 < p < 2, goes like depth^(p-1), which no polynomial follows at the surface: a
// step of h there leaves h^p of the derivatives of a run, far more than of its values. Inside such a contact a step is
// no longer than the time to or from the surface, down to where what is left no longer matters.
#include "integrate/events/approach.h"
#include "force/contact/pair/pair.h"
#include "lie/vec3.h"
#include "pass/kinematics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { LOOKS = 256 };
static const double SHARE = 1e-4;            // of the energy at play: contacts that hold less are not looked for
static const double DEEPER = 4;              // than at both ends: a step that strode
static const double FASTER = 1.5;            // a point inside a step than at its ends and on average
static const double CURVED = 3;              // a path's length against its radius of curvature
static const double INTO = 0.6;              // of the way to its middle, where nothing pushes
static const double PLUNGE = 2;              // into a contact, against the depth that its force allows
static const double AWAY = 1, TOWARDS = 0.6; // a step inside, against the time since and until the surface

// ------------------------------------------------------------------------------------------------ life

td_status td_approach_init(td_approach *a, const td_model *model) {
  *a = (td_approach){0};
  for (int c = 0; c < model->contact_count; c++) a->count += model->contact[c].point_count;
  a->count += model->solid_pair_count; // behind them
  if (a->count == 0) return TD_OK;
  size_t count = (size_t)a->count;
  a->start = calloc(3 * count, sizeof *a->start);
  a->speed = calloc(4 * count, sizeof *a->speed);
  if (!a->start || !a->speed) return TD_NO_MEMORY;
  a->end = a->start + count;
  a->between = a->end + count;
  a->matters = a->speed + count;
  a->width = a->matters + count;
  a->ahead = a->width + count;
  return TD_OK;
}

void td_approach_fini(td_approach *a) {
  td_sighting *first = a->start < a->end ? a->start : a->end; // they change places
  free(first);
  free(a->speed);
  *a = (td_approach){0};
}

// ------------------------------------------------------------------------------------------------ geometry

static double length(const double v[3]) { return sqrt(td_vec3_dot(v, v)); }

// By the poses and twists at hand.
static void sight(const td_plant *p, td_sighting *out) {
  const td_model *m = p->model;
  if (m->solid_pair_count > 0) td_grip_begin(m, p->ws);
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++) td_contact_sight(m, p->ws, c, i, out++);
  for (int i = 0; i < m->solid_pair_count; i++) td_grip_sight(m, p->ws, i, out++);
}

static void sight_at(const td_plant *p, const double *y, td_sighting *out) {
  td_kinematics(p->model, p->ws, y, y + p->n, NULL, p->model->gravity, TD_LEVEL_TWIST);
  sight(p, out);
}

// The depth at which a point of it, or (share 1) a touch between bodies, holds so much energy.
static double depth_at(const td_contact *c, double share, double energy) {
  double p = c->obstacle.exponent + 1;
  return pow(p * energy / (c->obstacle.stiffness * share), 1 / p);
}

static double depth_of(const td_contact *c, int i, double energy) { return depth_at(c, c->point[i].share, energy); }

static bool is_left_again(const td_obstacle *o) {
  return o->type == TD_CONTACT_SPHERE || o->type == TD_CONTACT_CYLINDER_EXTERIOR || o->type == TD_CONTACT_BOX;
}

// The time at which a step should end at the latest whose point goes straight into a ball or cylinder.
static double straight_ahead(const td_contact *c, int i, const td_sighting *s, double energy) {
  const td_obstacle *o = &c->obstacle;
  double x[3], v[3], r = o->radius + c->point[i].radius - depth_of(c, i, SHARE * energy);
  if (!is_left_again(o) || o->type == TD_CONTACT_BOX || !(r > 0) || s->energy > SHARE * energy) return INFINITY;
  bool across = o->type == TD_CONTACT_CYLINDER_EXTERIOR;
  for (int k = 0; k < 3; k++) x[k] = s->centre[k] - o->origin[k], v[k] = s->velocity[k];
  double x_along = across ? td_vec3_dot(x, o->axis) : 0, v_along = across ? td_vec3_dot(v, o->axis) : 0;
  for (int k = 0; k < 3; k++) x[k] -= x_along * o->axis[k], v[k] -= v_along * o->axis[k];
  double xv = td_vec3_dot(x, v), vv = td_vec3_dot(v, v), root = xv * xv - vv * (td_vec3_dot(x, x) - r * r);
  if (!(xv < 0) || !(root > 0)) return INFINITY;
  double through = sqrt(root) / vv; // half of it
  return -xv / vv - through + fmin(INTO * through, PLUNGE * depth_of(c, i, energy) / sqrt(vv));
}

// ------------------------------------------------------------------------------------------------ before a step

void td_approach_start(td_approach *a, const td_plant *plant, const double *y) {
  if (a->count > 0) sight_at(plant, y, a->start);
}

void td_approach_skip(td_approach *a) {
  td_sighting *start = a->start;
  a->start = a->end;
  a->end = start;
}

bool td_approach_is_near(const td_approach *a, double h) {
  assert(h > 0);
  for (int k = 0; k < a->count; k++)
    if (fabs(a->start[k].depth) < FASTER * length(a->start[k].velocity) * h) return true;
  return false;
}

void td_approach_expect(td_approach *a, const td_plant *plant) {
  sight(plant, a->end);
  td_approach_skip(a);
}

// Nothing controls the error of a motion that is given: what drives it through a contact does the work of so many
// steps.
static double on_the_way(const td_contact *c, int i, const td_sighting *s, double energy) {
  static const double part = 0.03;
  const td_obstacle *o = &c->obstacle;
  double size = is_left_again(o) ? o->radius + c->point[i].radius : fmax(s->depth, 0);
  if (!(s->energy > SHARE * energy)) return INFINITY;
  return part * fmax(size, depth_of(c, i, energy)) / length(s->velocity);
}

double td_approach_limit(const td_approach *a, const td_plant *plant, double energy) {
  const td_model *m = plant->model;
  const td_sighting *s = a->start;
  double limit = INFINITY;
  for (int c = 0; a->count > 0 && energy > 0 && c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++, s++) {
      limit = fmin(limit, straight_ahead(&m->contact[c], i, s, energy));
      if (plant->driven_count > 0) limit = fmin(limit, on_the_way(&m->contact[c], i, s, energy));
    }
  return limit;
}

static double grade_of(const td_contact *c, double share, const td_sighting *s, double energy, double part) {
  double p = c->obstacle.exponent;
  if (!(p > 1 && p < 2 && s->depth > 0)) return INFINITY;
  double depth = fmax(s->depth, part * depth_at(c, share, energy));
  return (s->rate > 0 ? AWAY * depth : TOWARDS * depth) / fabs(s->rate);
}

double td_approach_grade(const td_approach *a, const td_model *m, double energy, double part) {
  const td_sighting *s = a->start;
  double limit = INFINITY;
  if (a->count == 0 || !(energy > 0)) return limit;
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++, s++)
      limit = fmin(limit, grade_of(&m->contact[c], m->contact[c].point[i].share, s, energy, part));
  for (int i = 0; i < m->solid_pair_count; i++, s++)
    limit = fmin(limit, grade_of(&m->contact[m->solid_pair[i].contact], 1, s, energy, part));
  return limit;
}

// ------------------------------------------------------------------------------------------------ after a step

// Bounds of the step for sighting k, of what matters from d on; size 0: it is not left again by going on. speed 0:
// nothing that matters can have happened.
static void measure(td_approach *a, double d, double size, int k, double h, double energy) {
  const td_sighting *from = &a->start[k], *to = &a->end[k];
  double way[3];
  for (int x = 0; x < 3; x++) way[x] = to->centre[x] - from->centre[x];
  double speed = FASTER * fmax(length(way) / h, fmax(length(from->velocity), length(to->velocity)));
  double bend = CURVED / (speed * h) + (size > 0 ? 1 / size : 0);
  bool felt = fmax(from->energy, to->energy) > SHARE * energy, yields = size > 0 && d >= size;
  a->speed[k] = felt || yields ? 0 : speed;
  a->matters[k] = d;
  a->width[k] = 2 * sqrt(2 * d / bend);
  a->ahead[k] = fmax(d - to->depth, 0);
}

static void measure_point(td_approach *a, const td_contact *c, int i, int k, double h, double energy) {
  double size = is_left_again(&c->obstacle) ? c->obstacle.radius + c->point[i].radius : 0;
  measure(a, depth_of(c, i, DEEPER * SHARE * energy), size, k, h, energy);
}

// The time from `between` for which no pair can touch as deep as matters; INFINITY: to the end of the step, `left`
// ahead.
static double untouched(const td_approach *a, double left) {
  double time = INFINITY;
  for (int k = 0; k < a->count; k++) {
    double gap = fmax(a->matters[k] - a->between[k].depth, 0);
    if (a->speed[k] == 0 || gap + a->ahead[k] > a->speed[k] * left) continue;
    time = fmin(time, fmax(gap, 0.5 * a->width[k]) / a->speed[k]);
  }
  return time;
}

static bool strode(const td_approach *a, double energy) {
  for (int k = 0; k < a->count; k++) {
    double ends = fmax(a->start[k].energy, a->end[k].energy);
    if (a->speed[k] > 0 && a->between[k].energy > DEEPER * fmax(SHARE * energy, ends)) return true;
  }
  return false;
}

double td_approach_look(td_approach *a, const td_plant *plant, const td_integrator *method, td_stepper *stepper,
                        double t0, double t1, double energy, double *scratch) {
  const td_model *m = plant->model;
  if (a->count == 0) return INFINITY;
  sight(plant, a->end);
  int k = 0;
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++, k++) measure_point(a, &m->contact[c], i, k, t1 - t0, energy);
  for (int i = 0; i < m->solid_pair_count; i++, k++)
    measure(a, depth_at(&m->contact[m->solid_pair[i].contact], 1, DEEPER * SHARE * energy), td_grip_size(m, i), k,
            t1 - t0, energy);
  for (k = 0; k < a->count; k++) a->between[k] = a->start[k];
  for (double t = t0; energy > 0;) {
    t += fmax(untouched(a, t1 - t), (t1 - t0) / LOOKS);
    if (!(t < t1) || method->interpolate(stepper, t, scratch)) break;
    sight_at(plant, scratch, a->between);
    if (strode(a, energy)) return t;
  }
  td_approach_skip(a);
  return INFINITY;
}
