// Boxes in trees: ws->proxy_box has those of proxies, then the trees, each at its solid's first proxy, node 1 its root,
// nodes 2 i and 2 i + 1 below node i. A leaf holds LEAF proxies.
#include "force/contact/pair/nearby.h"
#include "force/contact/pair/joint.h"
#include "force/contact/pair/meet.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { LEAF = 4, DEEPEST = 128 };

typedef double box[6];

typedef struct tree {
  box *node;
  int leaves, first, end; // leaves: a power of two, those behind the last proxy are empty
} tree;

static tree tree_of(const td_model *m, const td_workspace *ws, int solid) {
  const td_solid *s = &m->solid[solid];
  tree t = {ws->proxy_box + m->proxy_count + s->first - 1, 1, s->first, s->first + s->count};
  while (LEAF * t.leaves < s->count) t.leaves *= 2;
  return t;
}

static void empty(double *x) {
  for (int k = 0; k < 3; k++) x[k] = INFINITY, x[3 + k] = -INFINITY;
}

static void widen(double *x, const double *by) {
  for (int k = 0; k < 3; k++) {
    x[k] = by[k] < x[k] ? by[k] : x[k];
    x[3 + k] = by[3 + k] > x[3 + k] ? by[3 + k] : x[3 + k];
  }
}

static bool apart(const double *a, const double *b) {
  return (a[0] > b[3]) | (a[1] > b[4]) | (a[2] > b[5]) | (b[0] > a[3]) | (b[1] > a[4]) | (b[2] > a[5]);
}

// m, least that boxes are apart; 0: they meet.
static double gap_of(const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double gap = fmax(0, fmax(a[k] - b[3 + k], b[k] - a[3 + k]));
    sum += gap * gap;
  }
  return sqrt(sum);
}

// ---- where they are

static void place_core(const td_model *m, td_workspace *ws, int p) {
  const td_proxy *x = &m->proxy[p];
  const td_core *core = &m->core[x->core];
  int node = m->proxy_frame[x->frame[0]].node;
  double R[9], middle[3], *at = ws->proxy_end[p][0];
  td_mat3_mul(ws->pose[node].R, core->pose.R, R);
  td_mat3_vec(core->pose.R, core->middle, middle);
  for (int k = 0; k < 3; k++) middle[k] += core->pose.p[k];
  td_node_point(ws, node, middle, at);
  memcpy(ws->proxy_end[p][1], at, sizeof *ws->proxy_end[p]);
  for (int k = 0; k < 3; k++) {
    double reach = core->rounding;
    for (int i = 0; i < 3; i++) reach += fabs(R[3 * k + i]) * core->half[i];
    ws->proxy_box[p][k] = at[k] - reach;
    ws->proxy_box[p][3 + k] = at[k] + reach;
  }
}

static void place(const td_model *m, td_workspace *ws, int p) {
  const td_proxy *x = &m->proxy[p];
  double reach = x->radius * (1 + TD_BARREL), *own = ws->proxy_box[p], (*end)[3] = ws->proxy_end[p];
  if (x->role == TD_PROXY_CORE) {
    place_core(m, ws, p);
    return;
  }
  for (int e = 0; e < 2; e++) {
    if (e && x->ball)
      memcpy(end[1], end[0], sizeof *end);
    else
      td_node_point(ws, m->proxy_frame[x->frame[e]].node, x->end[e], end[e]);
  }
  for (int k = 0; k < 3; k++) {
    own[k] = (end[0][k] < end[1][k] ? end[0][k] : end[1][k]) - reach;
    own[3 + k] = (end[0][k] > end[1][k] ? end[0][k] : end[1][k]) + reach;
    if (x->line && x->along[k] != 0) own[k] = -INFINITY, own[3 + k] = INFINITY;
  }
}

static void place_solid(const td_model *m, td_workspace *ws, int solid) {
  tree t = tree_of(m, ws, solid);
  if (t.first == t.end) return;
  for (int i = 1; i < 2 * t.leaves; i++) empty(t.node[i]);
  for (int p = t.first; p < t.end; p++) {
    place(m, ws, p);
    widen(t.node[t.leaves + (p - t.first) / LEAF], ws->proxy_box[p]);
  }
  for (int i = 2 * t.leaves - 1; i > 1; i--) widen(t.node[i / 2], t.node[i]);
}

// ---- the search

// Two trees, from their tops down; of one tree a node with itself stands for all pairs in it, each once.
typedef struct search {
  tree a, b;
  bool self;
  int count, at[DEEPEST][2];
} search;

static void push(search *s, int a, int b) {
  assert(s->count < DEEPEST);
  s->at[s->count][0] = a, s->at[s->count][1] = b;
  s->count++;
}

// What is on the stack is written before it is read: pairs whose boxes are apart cost no more than looking at those.
static void begin(const td_model *m, const td_workspace *ws, const td_solid_pair *pair, search *s) {
  s->a = tree_of(m, ws, pair->a);
  s->b = tree_of(m, ws, pair->b);
  s->self = pair->a == pair->b;
  s->count = 0;
  if (m->solid[pair->a].count && m->solid[pair->b].count) push(s, 1, 1);
}

// Puts what is below two nodes on the stack, the first last; false: both are leaves.
static bool descend(search *s, int a, int b) {
  bool split_a = a < s->a.leaves && (b >= s->b.leaves || a <= b);
  if (s->self && a == b) {
    if (a >= s->a.leaves) return false;
    push(s, 2 * a + 1, 2 * a + 1);
    push(s, 2 * a, 2 * a + 1);
    push(s, 2 * a, 2 * a);
    return true;
  }
  if (!split_a && b >= s->b.leaves) return false;
  for (int k = 1; k >= 0; k--) split_a ? push(s, 2 * a + k, b) : push(s, a, 2 * b + k);
  return true;
}

// The proxies of a leaf.
static int first_of(const tree *t, int node) { return t->first + LEAF * (node - t->leaves); }
static int end_of(const tree *t, int node) {
  int end = first_of(t, node) + LEAF;
  return end < t->end ? end : t->end;
}

// ---- what is in each other

// False: the page is full.
static bool list_two(const td_model *m, const td_workspace *ws, int pair, int a, int b, int *skip) {
  td_nearby *n = ws->nearby;
  td_near near;
  if (apart(ws->proxy_box[a], ws->proxy_box[b]) || !td_meet(m, ws, pair, a, b, &near)) return true;
  if ((!n->whole && td_joint_undoes(m, ws, pair, a, b, &near.at)) || (*skip)-- > 0) return true;
  if (n->count == n->most) return false;
  (void)td_press_at(&m->contact[m->solid_pair[pair].contact].obstacle, near.at.depth, NULL, &near.press); // it is deep
  n->at[n->count++] = near;
  return true;
}

static bool list_leaves(const td_model *m, const td_workspace *ws, int pair, const search *s, int a, int b, int *skip) {
  for (int i = first_of(&s->a, a); i < end_of(&s->a, a); i++)
    for (int k = s->self && a == b ? i + 1 : first_of(&s->b, b); k < end_of(&s->b, b); k++)
      if (!list_two(m, ws, pair, i, k, skip)) return false;
  return true;
}

static bool roots_apart(const td_model *m, const td_workspace *ws, const td_solid_pair *pair) {
  const double *a = ws->proxy_box[m->proxy_count + m->solid[pair->a].first];
  const double *b = ws->proxy_box[m->proxy_count + m->solid[pair->b].first];
  return !m->solid[pair->a].count || !m->solid[pair->b].count || apart(a, b);
}

static bool list_pair(const td_model *m, const td_workspace *ws, int pair, int skip) {
  search s;
  const td_solid_pair *p = &m->solid_pair[pair];
  if (p->a != p->b && roots_apart(m, ws, p)) return true;
  begin(m, ws, &m->solid_pair[pair], &s);
  while (s.count) {
    int a = s.at[--s.count][0], b = s.at[s.count][1];
    if (!(s.self && a == b) && apart(s.a.node[a], s.b.node[b])) continue;
    if (!descend(&s, a, b) && !list_leaves(m, ws, pair, &s, a, b, &skip)) return false;
  }
  return true;
}

void td_nearby_list(const td_model *m, const td_workspace *ws, int pair, int skip) {
  td_nearby *n = ws->nearby;
  n->first = pair == 0 && skip == 0;
  n->more = false;
  n->count = n->met = 0;
  for (int i = pair; i < m->solid_pair_count; i++, skip = 0) {
    int before = n->count;
    if (list_pair(m, ws, i, skip)) continue;
    n->more = true;
    n->pair = i;
    n->skip = skip + n->count - before;
    return;
  }
}

void td_nearby_begin(const td_model *m, td_workspace *ws, bool whole) {
  assert(td_holds(ws, TD_HOLDS_POSES));
  if (td_holds(ws, TD_HOLDS_NEARBY) && ws->nearby->first && ws->nearby->whole == whole) return;
  ws->nearby->whole = whole;
  if (!td_holds(ws, TD_HOLDS_NEARBY))
    for (int i = 0; i < m->solid_count; i++) place_solid(m, ws, i);
  td_nearby_list(m, ws, 0, 0);
  ws->holds |= TD_HOLDS_NEARBY;
}

int td_nearby_seek(const td_model *m, const td_workspace *ws, int pair) {
  td_nearby *n = ws->nearby;
  int low = 0;
  if (!n->first || (n->more && n->pair <= pair)) td_nearby_list(m, ws, pair, 0);
  for (int high = n->count; low < high;) {
    int middle = (low + high) / 2;
    if (n->at[middle].pair < pair)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// ---- how far apart

double td_nearby_gap(const td_model *m, const td_workspace *ws, const td_solid_pair *pair) {
  if (!m->solid[pair->a].count || !m->solid[pair->b].count) return INFINITY;
  return gap_of(tree_of(m, ws, pair->a).node[1], tree_of(m, ws, pair->b).node[1]);
}

// Boxes hold what is in them with its radius: where they are apart, nothing is deeper than that.
static bool may_be_deeper(const double *a, const double *b, double most) {
  double gap = gap_of(a, b);
  return !(gap > 0) || -gap > most;
}

static double deepest_of_leaves(const td_model *m, const td_workspace *ws, int pair, const search *s, int a, int b,
                                double most) {
  for (int i = first_of(&s->a, a); i < end_of(&s->a, a); i++)
    for (int k = s->self && a == b ? i + 1 : first_of(&s->b, b); k < end_of(&s->b, b); k++) {
      td_near near;
      if (!(m->proxy[i].weight > 0) || !(m->proxy[k].weight > 0)) continue;
      if (!may_be_deeper(ws->proxy_box[i], ws->proxy_box[k], most)) continue;
      (void)td_meet(m, ws, pair, i, k, &near);
      most = fmax(most, near.at.depth);
    }
  return most;
}

double td_nearby_deepest(const td_model *m, const td_workspace *ws, int pair) {
  search s;
  begin(m, ws, &m->solid_pair[pair], &s);
  double most = -INFINITY;
  while (s.count) {
    int a = s.at[--s.count][0], b = s.at[s.count][1];
    if (!(s.self && a == b) && !may_be_deeper(s.a.node[a], s.b.node[b], most)) continue;
    if (!descend(&s, a, b)) most = deepest_of_leaves(m, ws, pair, &s, a, b, most);
  }
  return most;
}

static double grazing_of_leaves(const td_model *m, const td_workspace *ws, int pair, const search *s, int a, int b,
                                double within) {
  for (int i = first_of(&s->a, a); i < end_of(&s->a, a); i++)
    for (int k = s->self && a == b ? i + 1 : first_of(&s->b, b); k < end_of(&s->b, b); k++) {
      td_near near;
      if (!(m->proxy[i].weight > 0) || !(m->proxy[k].weight > 0)) continue;
      (void)td_meet(m, ws, pair, i, k, &near);
      if (fabs(near.at.depth) < within) return near.at.depth;
    }
  return INFINITY;
}

double td_nearby_grazing(const td_model *m, const td_workspace *ws, int pair, double within) {
  search s;
  begin(m, ws, &m->solid_pair[pair], &s);
  double depth = INFINITY;
  while (s.count && !(depth < INFINITY)) {
    int a = s.at[--s.count][0], b = s.at[s.count][1];
    if (!(s.self && a == b) && gap_of(s.a.node[a], s.b.node[b]) > within) continue;
    if (!descend(&s, a, b)) depth = grazing_of_leaves(m, ws, pair, &s, a, b, within);
  }
  return depth;
}
