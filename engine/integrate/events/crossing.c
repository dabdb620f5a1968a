// A method of order p has it where the force is p times differentiable. Over the kink at which a contact sets in it has
// the second at most, and the estimate of the error, which stands for an error that is a thousand times smaller where
// the motion is smooth, is the error itself. The next bounce starts from it: of 30 bounces, each off by 1e-5, the last
// one is off by 400 times that. So a step ends where the force sets in or ends, found on the step's own interpolant
// (the Illinois rule), and the next one starts there. The interpolant of a step over a kink is off itself: the step to
// where it says is looked at again.
//
// A crossing lies between a value before it and one behind it: s, the depth of a point, the stretch of a tendon, how
// far a joint is beyond its limit. It
// matters where at |s| behind either the share of the energy is held, or does the force there as much work in the whole
// step, which a method takes it for whose last stage alone feels it.
#include "integrate/events/crossing.h"
#include "force/contact/pair/pair.h"
#include "force/stop.h"
#include "force/tendon/tendon.h"
#include "lie/vec3.h"
#include "pass/kinematics.h"
#include <math.h>

enum { TRIES = 30 };
static const double BEHIND = 0.2, CLOSE = 0.1; // of the depth that matters
static const double APART = 1e-3;              // of the depth at which the share is held: there it has not crossed yet

// A point of a contact, or (contact -1) a tendon or, behind them, a stop and its side; or (a contact behind all) a pair
// of solids.
typedef struct place {
  int contact, index, side;
  double before, after, least, matters; // s at the ends of the step; of either what matters
  bool any;                             // something crosses, though it may not matter
  double reach, speed;                  // s at which all of the energy is held; m/s
} place;

static double depth_at(const td_contact *c, double share, double energy) {
  double p = c->obstacle.exponent + 1;
  return pow(p * energy / (c->obstacle.stiffness * share), 1 / p);
}

// The depth at which the force would do that much work in the whole step.
static double in_a_step(const td_contact *c, double share, double energy, double way) {
  return pow(energy / (c->obstacle.stiffness * share * way), 1 / c->obstacle.exponent);
}

static double stretch_of(const td_tendon_law *law, double length, double u) { return length - law->rest + u; }

static bool crosses(const place *p) {
  return p->before * p->after < 0 && fabs(p->before) > APART * p->least && fabs(p->after) > p->matters;
}

// Keeps, of two crossings, the one that comes first by a straight way.
static void keep(place *first, const place *p) {
  first->any |= p->before * p->after < 0;
  if (!crosses(p)) return;
  double x = p->before / (p->before - p->after);
  if (first->matters == 0 || x < first->before / (first->before - first->after)) *first = *p;
  first->any = true;
}

// Between two looks at a point or a pair of solids; share: of the stiffness that acts there.
static void of_touch(const td_crossing_step *s, const td_contact *c, double share, const td_sighting *from,
                     const td_sighting *to, place p, place *first) {
  if (!(from->depth * to->depth < 0)) return;
  p.before = from->depth;
  p.after = to->depth;
  p.speed = sqrt(td_vec3_dot(to->velocity, to->velocity));
  p.reach = depth_at(c, share, s->energy);
  p.least = depth_at(c, share, s->held * s->energy);
  p.matters = fmin(p.least, in_a_step(c, share, s->share * s->energy, p.speed * (s->t1 - s->t0)));
  keep(first, &p);
}

static void of_contacts(const td_crossing_step *s, place *first) {
  const td_model *m = s->plant->model;
  const td_sighting *from = s->approach->end, *to = s->approach->start; // the look went on to the end
  for (int c = 0; c < m->contact_count; c++)
    for (int i = 0; i < m->contact[c].point_count; i++)
      of_touch(s, &m->contact[c], m->contact[c].point[i].share, from++, to++, (place){.contact = c, .index = i}, first);
  for (int i = 0; i < m->solid_pair_count; i++)
    of_touch(s, &m->contact[m->solid_pair[i].contact], 1, from++, to++,
             (place){.contact = m->contact_count, .index = i}, first);
}

static void of_tendons(const td_crossing_step *s, place *first) {
  const td_onset_sight *from = &s->onset->end, *to = &s->onset->start;
  for (int k = 0; s->onset->count > 0 && k < s->onset->tendon_count; k++) {
    const td_tendon_law *law = &s->plant->model->law[s->onset->tendon[k]];
    place p = {.contact = -1, .index = k};
    p.before = stretch_of(law, from->value[k], from->input[k]);
    p.after = stretch_of(law, to->value[k], to->input[k]);
    p.speed = fmax(fabs(from->rate[k]), fabs(to->rate[k]));
    p.reach = sqrt(2 * s->energy / law->stiffness);
    p.least = fmax(sqrt(s->held) * p.reach, law->width);
    p.matters = s->share * s->energy / (law->stiffness * p.speed * (s->t1 - s->t0));
    p.matters = fmin(p.least, fmax(p.matters, law->width));
    keep(first, &p);
  }
}

static const td_stop *stop_of(const td_model *m, const td_onset *onset, int index) {
  return index < onset->tendon_count ? NULL : &td_stops_of(m)->stop[index - onset->tendon_count];
}

// Beyond the limit of that side, < 0 within.
static double beyond(const td_stop *s, int side, double q) { return side > 0 ? q - s->upper : s->lower - q; }

static void of_stops(const td_crossing_step *s, place *first) {
  const td_onset_sight *from = &s->onset->end, *to = &s->onset->start;
  for (int i = 0; i < s->onset->stop_count; i++)
    for (int side = -1; side <= 1; side += 2) {
      int k = s->onset->tendon_count + i;
      const td_stop *stop = stop_of(s->plant->model, s->onset, k);
      place p = {.contact = -1, .index = k, .side = side};
      p.before = beyond(stop, side, from->value[k]);
      p.after = beyond(stop, side, to->value[k]);
      if (!(p.before * p.after < 0)) continue;
      p.speed = fmax(fabs(from->rate[k]), fabs(to->rate[k]));
      p.reach = sqrt(2 * s->energy / stop->stiffness);
      p.least = sqrt(s->held) * p.reach;
      p.matters = fmin(p.least, s->share * s->energy / (stop->stiffness * p.speed * (s->t1 - s->t0)));
      keep(first, &p);
    }
}

static bool value_at(const td_crossing_step *s, const place *p, double t, double *value) {
  td_plant *plant = s->plant;
  const td_model *m = plant->model;
  double *y = s->scratch;
  if (s->method->interpolate(s->stepper, t, y)) return false;
  if (p->side) {
    const td_stop *stop = stop_of(m, s->onset, p->index);
    *value = beyond(stop, p->side, y[stop->coordinate]);
    return true;
  }
  if (p->contact < 0 && td_plant_inputs(plant, t, y, y + plant->n)) return false;
  td_kinematics(m, plant->ws, y, y + plant->n, NULL, m->gravity, TD_LEVEL_TWIST);
  if (p->contact >= 0) {
    td_sighting at;
    if (p->contact == m->contact_count) {
      td_grip_begin(m, plant->ws);
      td_grip_sight(m, plant->ws, p->index, &at);
    } else {
      td_contact_sight(m, plant->ws, p->contact, p->index, &at);
    }
    *value = at.depth;
    return true;
  }
  int tendon = s->onset->tendon[p->index];
  const td_tendon_law *law = &m->law[tendon];
  double(*motion)[3] = plant->ws->tension.motion;
  if (td_tendon_motion(m, plant->ws, y, y + plant->n, plant->ws->zero, motion)) return false;
  *value = stretch_of(law, motion[tendon][0], plant->u[law->channel]);
  return true;
}

// The Illinois rule: false position that halves the value at an end that stays. Just behind the crossing: matrices of
// the next step are those of its start.
static double root(const td_crossing_step *s, const place *p) {
  double behind = copysign(BEHIND * p->matters, p->after);
  double a = s->t0, b = s->t1, fa = p->before - behind, fb = p->after - behind, t = INFINITY, f = 0;
  for (int i = 0; i < TRIES; i++) {
    t = (a * fb - b * fa) / (fb - fa);
    if (!(t > s->t0 && t < s->t1) || !value_at(s, p, t, &f)) return INFINITY;
    f -= behind;
    if (fabs(f) < CLOSE * p->matters) return t;
    if (f * fb < 0)
      a = b, fa = fb;
    else
      fa *= 0.5;
    b = t, fb = f;
  }
  return t;
}

td_crossing td_crossing_find(const td_crossing_step *step) {
  place first = {0};
  td_crossing none = {.t = INFINITY, .pace = INFINITY};
  if (!(step->energy > 0)) return none;
  of_contacts(step, &first);
  of_tendons(step, &first);
  of_stops(step, &first);
  none.any = first.any;
  if (first.matters == 0) return none;
  return (td_crossing){.t = root(step, &first),
                       .pace = first.after > 0 ? first.reach / first.speed : INFINITY,
                       .any = true,
                       .contact = first.contact,
                       .index = first.index,
                       .side = first.side,
                       .near = APART * first.least};
}

bool td_crossing_is_met(const td_crossing *crossing, const td_approach *approach, const td_onset *onset,
                        const td_plant *plant) {
  const td_model *m = plant->model;
  int k = crossing->index;
  if (crossing->side)
    return fabs(beyond(stop_of(m, onset, k), crossing->side, onset->start.value[k])) <= crossing->near;
  if (crossing->contact < 0) {
    const td_tendon_law *law = &m->law[onset->tendon[k]];
    return fabs(stretch_of(law, onset->start.value[k], onset->start.input[k])) <= crossing->near;
  }
  for (int c = 0; c < crossing->contact; c++) k += m->contact[c].point_count;
  return fabs(approach->start[k].depth) <= crossing->near;
}
