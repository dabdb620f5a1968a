// A step is looked at so often that near an obstacle no point moves by more than an eighth of it between two looks, along
// the cubics that its ends and their velocities make. Between looks from afar it goes no further than to the surface.
//
// A backbone has got through a bar where it has swept its axis: the surface that is swept between two looks has a rim
// of both backbones and the ways of base and tip, and covers the axis as often as that rim winds about it.
//
// There is no such axis of a ball, which rods may slide off to any side; nor where a rod goes straight on with its end
// ahead. But who goes around lies shallow. So the inner half of the obstacle is watched: who comes into it from one
// side and is seen on the other, more than a right angle further, went through. On a straight way these are all that
// pass within 0.35 of the middle (of the distance at which they touch). Of a backbone its nearest place is watched,
// which stays where it is while the rod slides along itself.
#include "run/judge/passages.h"
#include "element/contact.h"
#include "force/contact/obstacle/chain.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8192, PER_OBSTACLE = 8 };
static const double INNER = 0.5, JUMP = 0.25, SAME = 1e-6; // of the size of the obstacle with the rod
static const double BULGE = 4. / 27;                       // of a cubic, by a velocity at an end
static const double FASTER = 1.5;                          // a point within a step than on its way on average
enum { OUTSIDE, CAME_IN, BEGAN_INSIDE };                   // td_side.kind

// ------------------------------------------------------------------------------------------------ life

static int chains_of(const td_model *m) {
  int count = 0;
  for (td_contact_chain x = {.every = true}; td_contact_chain_next(m, &x);) count++;
  return count;
}

size_t td_passages_size(const td_model *m) {
  return (size_t)(chains_of(m) * TD_PASSAGE_PARTS) * (sizeof(td_side) / sizeof(double));
}

td_status td_passages_init(td_passages *p, const td_model *m, double *side) {
  size_t count = 0;
  *p = (td_passages){.chains = chains_of(m), .side = (td_side *)side};
  for (int c = 0; c < m->contact_count; c++) count += (size_t)m->contact[c].point_count;
  if (p->chains == 0) return TD_OK;
  p->look[0] = calloc(2 * count, sizeof *p->look[0]);
  if (!p->look[0]) return TD_NO_MEMORY;
  p->look[1] = p->look[0] + count;
  return TD_OK;
}

void td_passages_fini(td_passages *p) {
  td_sighting *first = p->look[0] < p->look[1] ? p->look[0] : p->look[1]; // they change places
  free(first);
  *p = (td_passages){0};
}

// ------------------------------------------------------------------------------------------------ a step

typedef struct step {
  const td_model *model;
  double h;
  const td_sighting *from, *to;
} step;

static double length(const double v[3]) { return sqrt(td_vec3_dot(v, v)); }

static double apart(const double a[3], const double b[3]) {
  double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return length(d);
}

// m, that point k may get away from where it was.
static double reach(const step *s, int k) {
  const td_sighting *a = &s->from[k], *b = &s->to[k];
  return apart(a->centre, b->centre) + BULGE * s->h * (length(a->velocity) + length(b->velocity));
}

// Of a step: the furthest that a point may get, m; the least part of it between two looks; half of the longest way
// between two points, m.
typedef struct pace {
  double most, least, half;
} pace;

// false: no part of the rod can have come to the obstacle.
static bool paces(const step *s, const td_contact_chain *x, pace *out) {
  const td_contact *c = &s->model->contact[x->contact];
  double most = 0, gap = 0, near = INFINITY, least = INFINITY;
  for (int i = 0; i < x->count; i++) {
    int k = x->at + i;
    double size = td_contact_size(c, x->point + i), way = reach(s, k);
    if (i > 0) gap = fmax(gap, apart(s->from[k - 1].centre, s->from[k].centre));
    near = fmin(near, -s->from[k].depth - way); // of the surfaces
    most = fmax(most, way);
    least = fmin(least, size);
  }
  *out = (pace){most, 1 / fmin(fmax(ceil(PER_OBSTACLE * most / least), 1), MOST), 0.5 * gap};
  return !(near > 0.5 * gap + most);
}

// The part of the step for which nothing has to be looked at from `sight` on.
static double rest(const step *s, const td_contact_chain *x, const td_sighting *sight, const pace *at) {
  const td_contact *c = &s->model->contact[x->contact];
  double near = INFINITY, away[3];
  for (int i = 0; i < x->count; i++) {
    double r = td_obstacle_distance(x->obstacle, sight[x->at + i].centre, td_contact_chain_is_bar(x), away);
    near = fmin(near, r - td_contact_size(c, x->point + i));
  }
  return near > at->half ? fmax(at->least, (near - at->half) / (FASTER * at->most)) : at->least;
}

static void look(const step *s, const td_contact_chain *x, double part, td_sighting *out) {
  double u = 1 - part, b = part * part * (3 - 2 * part), v = s->h * part * u * u, w = -s->h * part * part * u;
  for (int k = x->at; k < x->at + x->count; k++)
    for (int i = 0; i < 3; i++)
      out[k].centre[i] = s->from[k].centre[i] + b * (s->to[k].centre[i] - s->from[k].centre[i]) +
                         v * s->from[k].velocity[i] + w * s->to[k].velocity[i];
}

// ------------------------------------------------------------------------------------------------ bars

// A rod that is mounted inside of it lies on no side.
static bool begins_inside(const td_model *m, const td_contact_chain *x, const td_sighting *sight) {
  return sight[x->at].depth > INNER * td_contact_size(&m->contact[x->contact], x->point);
}

static bool sweeps(const td_contact_chain *x, const td_sighting *from, const td_sighting *to) {
  int tip = x->at + x->count - 1;
  double ends = td_contact_turn(x->obstacle, from[x->at].centre, to[x->at].centre) -
                td_contact_turn(x->obstacle, from[tip].centre, to[tip].centre);
  return fabs(td_contact_winding(x, to) - td_contact_winding(x, from) + ends) > M_PI;
}

// ------------------------------------------------------------------------------------------------ sides

typedef struct place {
  double r, n[3]; // m from the middle, and the direction from there
} place;

static place place_of(const td_contact_chain *x, const double at[3]) {
  place p;
  p.r = td_obstacle_distance(x->obstacle, at, td_contact_chain_is_bar(x), p.n);
  return p;
}

// Of the piece from a to b the place that is nearest to a ball's middle.
static place nearest_on(const td_contact_chain *x, const double a[3], const double b[3]) {
  double d[3], r[3], at[3];
  for (int i = 0; i < 3; i++) d[i] = b[i] - a[i], r[i] = a[i] - x->obstacle->origin[i];
  double square = td_vec3_dot(d, d), part = square > 0 ? fmin(fmax(-td_vec3_dot(r, d) / square, 0), 1) : 0;
  for (int i = 0; i < 3; i++) at[i] = a[i] + part * d[i];
  return place_of(x, at);
}

static place place_of_part(const td_contact_chain *x, const td_sighting *sight, td_passage_part part) {
  int i = part == TD_PASSES_BASE ? 0 : part == TD_PASSES_TIP ? x->count - 1 : td_contact_nearest(x, sight);
  const td_sighting *s = &sight[x->at + i];
  place at = place_of(x, s->centre);
  if (part != TD_PASSES_WHOLE) return at;
  place before = i > 0 ? nearest_on(x, s->centre, s[-1].centre) : at;
  place after = i < x->count - 1 ? nearest_on(x, s->centre, s[1].centre) : at;
  place best = before.r < after.r ? before : after;
  return best.r < at.r ? best : at;
}

static void come_in(td_side *side, const place *at, int kind) {
  memcpy(side->away, at->n, sizeof side->away);
  side->kind = kind;
}

// The rod's nearest place is elsewhere on it at once: nothing went from there to here.
static bool has_jumped(const place *from, const place *to, double size) {
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = to->r * to->n[i] - from->r * from->n[i];
  return td_vec3_dot(from->n, to->n) < 0 && length(d) > JUMP * size;
}

// Whether a part that was at `from` and is at `to` has got to the other side.
static bool gets_across(td_side *side, const place *from, const place *to, double size) {
  bool was_in = from->r < INNER * size, is_in = to->r < INNER * size;
  if (was_in && side->kind == OUTSIDE) come_in(side, from, BEGAN_INSIDE);
  if (!was_in && is_in) come_in(side, to, CAME_IN);
  if (!was_in || side->kind == BEGAN_INSIDE) {
    if (!is_in) side->kind = OUTSIDE;
    return false;
  }
  bool jumped = has_jumped(from, to, size), across = !jumped && td_vec3_dot(side->away, to->n) < 0;
  if (jumped || across) come_in(side, to, CAME_IN);
  if (!is_in) side->kind = OUTSIDE;
  return across;
}

// An end that is joined to another rod goes along where that one does.
static bool is_joined(const td_model *m, const td_contact_chain *x, const td_sighting *sight, int end) {
  const td_contact *c = &m->contact[x->contact];
  int first = x->at - x->point; // of the contact, in the list
  for (int i = 0; i < c->point_count; i++)
    if (c->point[i].rod != c->point[end].rod &&
        apart(sight[first + i].centre, sight[first + end].centre) < SAME * td_contact_size(c, end))
      return true;
  return false;
}

// ------------------------------------------------------------------------------------------------ all

// Whether the rod, or an end of it, gets across between two looks: the point that is nearest then, -1: it does not.
static int between(const td_passages *p, const step *s, const td_contact_chain *x, bool mounted, td_side *side,
                   td_passage_part *which) {
  const td_contact *c = &s->model->contact[x->contact];
  const td_sighting *is = p->look[0], *was = p->look[1];
  const int ends[] = {[TD_PASSES_BASE] = x->point, [TD_PASSES_TIP] = x->point + x->count - 1};
  int point = x->point + td_contact_nearest(x, is), found = -1;
  bool bar = td_contact_chain_is_bar(x);
  double size = td_contact_size(c, point);
  for (td_passage_part part = 0; part < TD_PASSAGE_PARTS; part++) {
    place from = place_of_part(x, was, part), to = place_of_part(x, is, part);
    bool across =
        bar && part == TD_PASSES_WHOLE ? !mounted && sweeps(x, was, is) : gets_across(&side[part], &from, &to, size);
    if (across && part != TD_PASSES_WHOLE) across = !is_joined(s->model, x, s->to, ends[part]);
    if (across && found < 0) found = point, *which = part;
  }
  return found;
}

static bool find_in(td_passages *p, const step *s, const td_contact_chain *x, td_side *side, td_pressed *where) {
  bool found = false, mounted = td_contact_chain_is_bar(x) && begins_inside(s->model, x, s->from);
  pace at;
  if (!paces(s, x, &at)) {
    memset(side, 0, TD_PASSAGE_PARTS * sizeof *side);
    return false;
  }
  look(s, x, 0, p->look[0]);
  for (double part = 0; part < 1;) {
    td_sighting *was = p->look[0], *is = p->look[1];
    part = fmin(1, part + rest(s, x, was, &at));
    if (1 - part < 0.5 * at.least) part = 1; // by rounding
    p->look[0] = is, p->look[1] = was;
    look(s, x, part, is);
    td_passage_part which = TD_PASSES_WHOLE;
    int point = between(p, s, x, mounted, side, &which);
    if (point < 0 || found) continue;
    double size = td_contact_size(&s->model->contact[x->contact], point);
    *where = (td_pressed){x->contact, point, which, place_of(x, is[x->at + point - x->point].centre).r < size};
    found = true;
  }
  return found;
}

bool td_passages_find(td_passages *p, const td_model *model, double h, const td_sighting *from, const td_sighting *to,
                      td_pressed *where) {
  const step s = {model, h, from, to};
  td_side *side = p->side;
  td_pressed at;
  bool found = false;
  assert(h > 0 && p->chains >= 0);
  for (td_contact_chain x = {.every = true}; p->chains > 0 && td_contact_chain_next(model, &x);
       side += TD_PASSAGE_PARTS) {
    if (!find_in(p, &s, &x, side, &at) || found) continue;
    *where = at;
    found = true;
  }
  return found;
}
