// A joint j lies between the capsules `before`, whose end 1 it is, and `after`, whose end 0. Against one other proxy
//   before ends at j:       before and j undo each other, after is left;
//   else after ends at j:   after and j do.
// That is applied to a for every b, then to b for every a among what is left, so that one capsule of either is.
#include "force/contact/pair/joint.h"
#include "force/contact/pair/meet.h"

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

static bool capsule_ends(const asked *q, int side, int capsule, int other, int end, meets meet) {
  td_closest at;
  return capsule >= 0 && meet(q, capsule, other, &at) && ends_at(&at, side, end);
}

static bool undone_on(const asked *q, int side, int own, int other, const td_closest *at, meets meet) {
  if (q->m->proxy[own].ball)
    return capsule_ends(q, side, at_joint(q, own, 0), other, 1, meet) ||
           capsule_ends(q, side, at_joint(q, own, 1), other, 0, meet);
  for (int end = 0; end < 2; end++) {
    int joint = at_joint(q, own, end);
    td_closest joined;
    if (joint < 0 || !ends_at(at, side, end) || !meet(q, joint, other, &joined)) continue;
    return end || !capsule_ends(q, side, at_joint(q, joint, 0), other, 1, meet);
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

static bool differ_by_more(const td_rubbing *law) { return law->stick > 0 || law->along != 1 || law->across != 1; }

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
