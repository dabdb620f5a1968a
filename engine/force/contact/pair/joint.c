// A joint j lies between the capsules `before`, whose end 1 it is, and `after`, whose end 0. Against one other proxy
//   before ends at j:       before and j undo each other, after is left;
//   else after ends at j:   after and j do.
// That is applied to a for every b, then to b for every a among what is left, so that one capsule of either is. Where
// springs hold, two undo each other only if these do so alike: as they are found at the same place (element/closest.c),
// those that began together are the same to the last bit.
#include "force/contact/pair/joint.h"
#include "force/contact/pair/meet.h"
#include <string.h>

typedef struct asked {
  const td_model *m;
  const td_workspace *ws;
  int pair;
} asked;

// Whether a proxy of a side meets another one, and how.
typedef bool (*meets)(const asked *q, int own, int other, td_closest *at);

static bool ends_at(const td_closest *at, int side, int end) { return (side ? at->t : at->s) == end; }

// The proxy of a joint of capsules, the capsule of a joint; -1: it has none there.
static int at_joint(const asked *q, int own, int end) {
  return q->m->proxy[own].joint[end] ? own + q->m->proxy[own].joint[end] : -1;
}

// The spring of two proxies, and which side of it `own` is: of one rod with itself the first of the two is a.
static const td_bristle *spring_of(const asked *q, int side, int own, int other, int *own_side) {
  const td_solid_pair *p = &q->m->solid_pair[q->pair];
  *own_side = p->a == p->b ? own > other : side;
  int a = *own_side ? other : own, b = *own_side ? own : other;
  const td_solid *first = &q->m->solid[p->a], *second = &q->m->solid[p->b];
  return &q->ws->bristle[p->bristle + (a - first->first) * second->count + b - second->first];
}

static bool same(const double x[3], const double y[3]) { return memcmp(x, y, 3 * sizeof *x) == 0; }

// Nothing holds a capsule, whose end it is, and a joint otherwise against another proxy.
static bool held_alike(const asked *q, int side, int capsule, int joint, int other, int end) {
  if (!q->ws->bristle || q->m->solid_pair[q->pair].bristle < 0) return true;
  int s, t;
  const td_bristle *x = spring_of(q, side, capsule, other, &s), *y = spring_of(q, side, joint, other, &t);
  if (!(x->held > 0) || !(y->held > 0)) return !(x->held > 0) && !(y->held > 0);
  return x->share[s] == end && same(x->at[s][end], y->at[t][0]) && x->share[1 - s] == y->share[1 - t] &&
         same(x->at[1 - s][0], y->at[1 - t][0]) && (q->m->proxy[other].ball || same(x->at[1 - s][1], y->at[1 - t][1]));
}

static bool capsule_ends(const asked *q, int side, int capsule, int joint, int other, int end, meets meet) {
  td_closest at;
  return capsule >= 0 && meet(q, capsule, other, &at) && ends_at(&at, side, end) &&
         held_alike(q, side, capsule, joint, other, end);
}

static bool undone_on(const asked *q, int side, int own, int other, const td_closest *at, meets meet) {
  if (q->m->proxy[own].ball)
    return capsule_ends(q, side, at_joint(q, own, 0), own, other, 1, meet) ||
           capsule_ends(q, side, at_joint(q, own, 1), own, other, 0, meet);
  for (int end = 0; end < 2; end++) {
    int joint = at_joint(q, own, end);
    td_closest joined;
    if (joint < 0 || !ends_at(at, side, end) || !meet(q, joint, other, &joined)) continue;
    if (!held_alike(q, side, own, joint, other, end)) return false;
    return end || !capsule_ends(q, side, at_joint(q, joint, 0), joint, other, 1, meet);
  }
  return false;
}

static bool first_meets(const asked *q, int a, int b, td_closest *at) {
  td_near near;
  if (!td_meet(q->m, q->ws, q->pair, a, b, &near)) return false;
  *at = near.at;
  return true;
}

// Among what is left on the first side.
static bool second_meets(const asked *q, int b, int a, td_closest *at) {
  return first_meets(q, a, b, at) && !undone_on(q, 0, a, b, at, first_meets);
}

static bool has_joint(const td_proxy *p) { return p->joint[0] || p->joint[1]; }

static bool differ_by_more(const td_rubbing *law) { return law->along != 1 || law->across != 1; }

bool td_joint_undoes(const td_model *m, const td_workspace *ws, int pair, int a, int b, const td_closest *at) {
  const td_solid_pair *p = &m->solid_pair[pair];
  const asked q = {m, ws, pair};
  if (!has_joint(&m->proxy[a]) && !has_joint(&m->proxy[b])) return false;
  if (differ_by_more(&m->contact[p->contact].rubbing)) return false;
  if (p->a != p->b || m->proxy[a].from < m->proxy[b].from)
    return undone_on(&q, 0, a, b, at, first_meets) || undone_on(&q, 1, b, a, at, second_meets);
  td_closest turned; // a rod against itself: what comes first along it
  if (!first_meets(&q, b, a, &turned)) return false;
  return undone_on(&q, 0, b, a, &turned, first_meets) || undone_on(&q, 1, a, b, &turned, second_meets);
}
