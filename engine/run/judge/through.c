// The side of a touch is its normal where it is deepest: it turns as bodies roll on each other, shallow, and turns round
// where they go through each other's middle, deep.
//
// What is small or fast is on the other side of another before a step has ended. So it is followed along the step
// (conservative advancement, as in integrate/events/approach.c): what is apart by g and comes nearer at no more than L
// is not looked at for g / L, what touches once in each 0.4 of what it measures. By L alone, relative to each other: who
// goes along with another is near and no faster for it. The normals that count are those where it is shallow, on the way
// in and on the way out, which is where it is looked for between two looks: deep in a box the nearest face is any.
#include "run/judge/through.h"
#include "force/contact/pair/pair.h"
#include "lie/vec3.h"
#include "pass/kinematics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { APART, TOUCHED, DEEP, BEGAN_DEEP };
enum { LOOKS = 2048, HALVINGS = 12 };
static const double INNER = 0.5;  // of what they measure
static const double STRIDE = 0.4; // the same, less than INNER
static const double SHALLOW = 0.05;
static const double FASTER = 1.5; // within a step than at a look

// ------------------------------------------------------------------------------------------------ places

// In order: pairs of solids, points of boxes. `at`: their sighting.
typedef struct place {
  const td_model *m;
  int index, pair, contact, point, at;
} place;

static int points_of(const td_model *m) {
  int count = 0;
  for (int c = 0; c < m->contact_count; c++) count += m->contact[c].point_count;
  return count;
}

static place first_place(const td_model *m) {
  return (place){.m = m, .index = -1, .pair = -1, .contact = -1, .at = points_of(m) - 1};
}

static bool next_contact(place *p) {
  if (p->contact >= 0) p->at += p->m->contact[p->contact].point_count - p->point;
  p->point = 0;
  return ++p->contact < p->m->contact_count;
}

static bool next_point(place *p) {
  if (p->contact < 0) p->at = 0;
  p->pair = -1;
  bool another = p->contact >= 0 && p->point + 1 < p->m->contact[p->contact].point_count;
  if (another) return p->point++, p->at++, true;
  while (next_contact(p)) {
    const td_contact *c = &p->m->contact[p->contact];
    if (c->obstacle.type == TD_CONTACT_BOX && c->point_count > 0) return true;
  }
  return false;
}

static bool next_place(place *p) {
  p->index++;
  if (p->index >= p->m->solid_pair_count) return next_point(p);
  return p->pair++, p->at++, true;
}

static int places_of(const td_model *m) {
  int count = m->solid_pair_count;
  for (int c = 0; c < m->contact_count; c++)
    if (m->contact[c].obstacle.type == TD_CONTACT_BOX) count += m->contact[c].point_count;
  return count;
}

size_t td_through_size(const td_model *m) { return (size_t)places_of(m) * (sizeof(td_through) / sizeof(double)); }

static bool is_itself(const place *p) {
  return p->pair >= 0 && p->m->solid_pair[p->pair].a == p->m->solid_pair[p->pair].b;
}

// m, of both where they are thinnest.
static double size_of(const place *p) {
  if (p->pair >= 0) return td_grip_size(p->m, p->pair);
  const td_contact *c = &p->m->contact[p->contact];
  return c->obstacle.radius + c->point[p->point].radius;
}

// ------------------------------------------------------------------------------------------------ a look

static void look_at(const place *p, const td_workspace *ws, td_pair_look *out) {
  if (p->pair >= 0) {
    td_grip_look(p->m, ws, p->pair, out);
    return;
  }
  const td_contact *c = &p->m->contact[p->contact];
  td_touch_geometry g;
  double centre[3];
  td_contact_place(ws, c, p->point, centre);
  for (int k = 0; k < 3; k++) centre[k] += ws->origin[k];
  td_obstacle_measure(&c->obstacle, centre, c->point[p->point].radius, &g);
  out->depth = g.depth;
  memcpy(out->n, g.n, sizeof out->n);
}

// m/s, at which they come nearer at the most.
static double speed_of(const place *p, const td_workspace *ws) {
  td_sighting s;
  if (p->pair >= 0) return td_grip_closing(p->m, ws, p->pair);
  td_contact_sight(p->m, ws, p->contact, p->point, &s);
  return sqrt(td_vec3_dot(s.velocity, s.velocity));
}

static void come_in(td_through *c, const td_pair_look *at, int kind) {
  memcpy(c->away, at->n, sizeof c->away);
  c->kind = kind;
}

// Whether they have got to the other side of each other.
static bool gets_across(td_through *c, const td_pair_look *at, double size) {
  bool deep = at->depth > INNER * size;
  if (!(at->depth > 0)) c->kind = APART;
  if (!(at->depth > 0) || c->kind == BEGAN_DEEP) return false;
  if (c->kind == APART) {
    come_in(c, at, deep ? BEGAN_DEEP : TOUCHED);
    return false;
  }
  if (deep) c->kind = DEEP;
  if (c->kind != DEEP || !(td_vec3_dot(c->away, at->n) < 0)) return false;
  come_in(c, at, TOUCHED);
  return true;
}

static void note(const place *p, double t, bool *any, td_through_found *found) {
  if (*any) return;
  *found = (td_through_found){p->pair, p->contact, p->point, t};
  *any = true;
}

// ------------------------------------------------------------------------------------------------ a step

// Whether it may get deep within the step and not be so at its end, by bounds that cost nothing.
static bool may_pass(const place *p, const td_through_step *s) {
  const td_sighting *from = &s->from[p->at], *to = &s->to[p->at];
  double v0 = td_vec3_dot(from->velocity, from->velocity), v1 = td_vec3_dot(to->velocity, to->velocity), way[3];
  for (int k = 0; k < 3; k++) way[k] = to->centre[k] - from->centre[k];
  double h = s->t1 - s->t0, far = FASTER * fmax(h * sqrt(fmax(v0, v1)), sqrt(td_vec3_dot(way, way)));
  if (!(fmax(-from->depth, 0) + fmax(-to->depth, 0) < far) || is_itself(p)) return false;
  return far > STRIDE * size_of(p);
}

static bool any_may_pass(const td_through_step *s) {
  for (place p = first_place(s->plant->model); next_place(&p);)
    if (may_pass(&p, s)) return true;
  return false;
}

static void pose_at(const td_through_step *s, double t, double *scratch) {
  const td_plant *p = s->plant;
  const double *y = t < s->t1 && !s->method->interpolate(s->stepper, t, scratch) ? scratch : s->y;
  td_kinematics(p->model, p->ws, y, y + p->n, NULL, p->model->gravity, TD_LEVEL_TWIST);
  if (p->model->solid_pair_count > 0) td_grip_begin(p->model, p->ws);
}

// Where it touches, shallow, between a time at which it is apart and one at which it touches; false: it does not seem to.
static bool find_edge(const td_through_step *s, const place *p, double apart, double touch, double *scratch,
                      td_pair_look *edge) {
  double most = SHALLOW * size_of(p);
  bool found = false;
  for (int i = 0; i < HALVINGS && !(found && edge->depth < most); i++) {
    td_pair_look at;
    double t = 0.5 * (apart + touch);
    pose_at(s, t, scratch);
    look_at(p, s->plant->ws, &at);
    if (at.depth > 0)
      touch = t, *edge = at, found = true;
    else
      apart = t;
  }
  return found;
}

// Takes note of one look, and of the way in or out since the one before.
static bool follow(td_through *c, const td_through_step *s, const place *p, double before, double t, double *scratch,
                   const td_pair_look *at) {
  double size = size_of(p);
  td_pair_look edge;
  bool in = c->kind == APART && at->depth > SHALLOW * size, out = c->kind == DEEP && !(at->depth > 0), across = false;
  if ((in || out) && before < t) {
    if (find_edge(s, p, in ? before : t, in ? t : before, scratch, &edge)) across = gets_across(c, &edge, size);
    pose_at(s, t, scratch);
  }
  return gets_across(c, at, size) || across;
}

// Looks at the poses at hand, t in the step; at its end at all, else at what may pass.
// @return  s, for which nothing has to be looked at from then on
static double look(td_through *through, const td_through_step *s, double before, double t, double *scratch, bool *any,
                   td_through_found *found) {
  const td_workspace *ws = s->plant->ws;
  double rest = INFINITY;
  for (place p = first_place(s->plant->model); next_place(&p);) {
    td_pair_look at;
    bool passes = may_pass(&p, s);
    if (is_itself(&p) || (t < s->t1 && !passes)) continue;
    look_at(&p, ws, &at);
    double far = fmax(-at.depth, STRIDE * size_of(&p)), speed = passes ? FASTER * speed_of(&p, ws) : 0;
    if (speed * (s->t1 - t) > far) rest = fmin(rest, far / speed);
    if (follow(&through[p.index], s, &p, passes ? before : t, t, scratch, &at)) note(&p, t, any, found);
  }
  return rest;
}

bool td_through_find(td_through *through, const td_through_step *s, double *scratch, td_through_found *found) {
  bool any = false;
  assert(s->t1 > s->t0);
  if (places_of(s->plant->model) == 0) return false;
  double before = s->t0, t = any_may_pass(s) ? s->t0 : s->t1;
  for (;;) {
    pose_at(s, t, scratch);
    double rest = look(through, s, before, t, scratch, &any, found);
    if (t >= s->t1) return any;
    before = t;
    t = fmin(s->t1, t + fmax(rest, (s->t1 - s->t0) / LOOKS));
  }
}
