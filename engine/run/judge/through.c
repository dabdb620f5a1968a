// The side of a touch is its normal where it is deepest: it turns as bodies roll on each other, shallow, and turns round
// where they go through each other's middle, deep.
#include "run/judge/through.h"
#include "force/contact/pair/pair.h"
#include "lie/vec3.h"
#include <string.h>

enum { APART, TOUCHED, DEEP, BEGAN_DEEP };
static const double INNER = 0.5; // of what they measure

size_t td_through_size(const td_model *m) {
  return (size_t)m->solid_pair_count * (sizeof(td_through) / sizeof(double));
}

static void come_in(td_through *c, const td_pair_look *at, int kind) {
  memcpy(c->away, at->n, sizeof c->away);
  c->kind = kind;
}

// Whether they have got to the other side of each other.
static bool gets_across(td_through *c, const td_pair_look *at, bool deep) {
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

int td_through_find(td_through *through, const td_model *m, td_workspace *ws) {
  int found = -1;
  if (m->solid_pair_count > 0) td_grip_begin(m, ws);
  for (int i = 0; i < m->solid_pair_count; i++) {
    td_pair_look at;
    if (m->solid_pair[i].a == m->solid_pair[i].b) continue;
    td_grip_look(m, ws, i, &at);
    bool across = gets_across(&through[i], &at, at.depth > INNER * td_grip_size(m, i));
    if (across && found < 0) found = i;
  }
  return found;
}
