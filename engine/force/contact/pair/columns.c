// Derivatives of touches between bodies: how the columns of frames move them, and what they exert by that on frames.
//
// A touch is a function of at most four frames, of their ways and their turns. With
//   P = dr/dq at s and t held, U and V those of the axes, W_a and W_b of the turns at the nearest points,
// it exerts Q = P^T F + W_a^T m_a + W_b^T m_b. That P, W turn with F, m held is in the composites (wrenches fixed in the
// world). What is left is
//   did_dq -= P^T dF + W_a^T dm_a + W_b^T dm_b + (U^T F + W_a'^T m_a) ds + (W_b'^T m_b - V^T F) dt,
//   did_dqd -= P^T dF + W_a^T dm_a + W_b^T dm_b  of velocities,
// W' the turns of the far end of an axis against the near one. One touch after the other, and of it one side after the
// other, as what moves both counts twice, a few columns at a time:
//   INPUTS    r, u or v, the velocity midway by q and by qd, the spring: columns, from those of the side's ends (gather),
//   RESULTS   are its units' times these (touch.h),
// and go into rows of moment and force of all its ends' frames, which frames' own columns multiply at last, once for all
// touches: rows X_f^T. X = (w, v + w x p) of the columns (w, v) = J; Y = dX'/dq is that of R plus (w x w0, w x v0), w0 and
// v0 spin and velocity of the frame's point. Both are made once for a frame.
#include "force/contact/pair/touch.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include <assert.h>
#include <string.h>

// Rows of a frame, by q and by qd; of its columns. A vector of coordinates, which begins at a multiple of lanes, has all
// rows one behind the other: a block.
enum { BY_Q = 0, BY_QD = 6, X = 0, Y = 6, FRAME_ROWS = 12 };
_Static_assert((int)FRAME_ROWS == (int)TD_FRAME_ROWS, "a workspace has them");
typedef struct block {
  td_vec of[FRAME_ROWS];
} block;

// What touches of a model do: with bodies that turn (td_pairs_turn), by velocities.
typedef struct scope {
  const td_model *m;
  td_workspace *ws;
  bool whole, rubs;
} scope;

// ---- columns of a frame

// Blocks of coordinates that follow each other.
typedef struct stretch {
  int first, count; // blocks of coordinates
  int at;           // its first block among the frame's columns
  int begin, end;   // the frame's coordinates in it
  int range;        // behind it
} stretch;

static int end_of(const td_column_range *r) { return r->coordinate + r->count; }

static bool next_stretch(const td_loop_frame *f, stretch *s) {
  if (s->range == f->range_count) return false;
  const td_column_range *r = &f->range[s->range], *end = f->range + f->range_count;
  s->at += s->count;
  s->begin = r->coordinate;
  s->first = r->coordinate / TD_LANES;
  s->end = end_of(r);
  for (r++; r < end && r->coordinate >= s->end && r->coordinate / TD_LANES <= (s->end - 1) / TD_LANES + 1; r++)
    s->end = end_of(r);
  s->count = (s->end - 1) / TD_LANES + 1 - s->first;
  s->range = (int)(r - f->range);
  return true;
}

static block *columns_of(const scope *c, int frame) {
  return (block *)c->ws->frame_column + (size_t)frame * (size_t)(c->m->proxy_width / TD_LANES);
}

typedef long long lane_bits __attribute__((vector_size(sizeof(td_vec))));

// Lanes from..end - 1, the others 0: in them stand columns of others.
TD_INLINE lane_bits lanes_between(int from, int end) {
  lane_bits bits = {0};
  for (int l = 0; l < TD_LANES; l++) bits[l] = l >= from && l < end ? -1 : 0;
  return bits;
}

// Rows from `row` on of kept columns, the first of them `column`, at the point p.
TD_INLINE void load(const scope *c, int row, int column, lane_bits own, const double *p, td_vec x[6]) {
  td_vec at[3] = {td_splat(p[0]), td_splat(p[1]), td_splat(p[2])};
  for (int k = 0; k < 6; k++) {
    const double *from = c->ws->kept + (row + k) * c->m->kept_stride + column;
    td_vec kept = td_splat(0);
    if (column >= 0)
      kept = *(const td_vecu *)from;
    else // before the first one there is nothing to be read
      for (int l = -column; l < TD_LANES; l++) kept[l] = from[l];
    x[k] = (td_vec)((lane_bits)kept & own);
  }
  td_v3_cross_add(x, at, x + 3);
}

// One vector of a range.
static void find_block(const scope *c, int node, const double v0[3], int column, lane_bits own, td_vec *to) {
  const double *p = c->ws->pose[node].p, *w0 = c->ws->V[node];
  td_vec x[6], y[6], turned[3];
  load(c, TD_ROW_J, column, own, p, x);
  for (int i = 0; i < 6; i++) to[X + i] += x[i];
  if (!c->rubs) return;
  load(c, TD_ROW_R, column, own, p, y);
  td_v3_cross_const(w0, x, turned);
  for (int i = 0; i < 3; i++) y[i] -= turned[i];
  td_v3_cross_const(v0, x, turned);
  for (int i = 0; i < 3; i++) y[3 + i] -= turned[i];
  for (int i = 0; i < 6; i++) to[Y + i] += y[i];
}

static void clear(block *x, int count) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < FRAME_ROWS; k++) x[i].of[k] = td_splat(0);
}

static void find_columns(const scope *c, int frame) {
  const td_loop_frame *f = &c->m->proxy_frame[frame];
  double v0[3];
  int range = 0;
  td_point_velocity(c->ws, f->node, c->ws->pose[f->node].p, v0);
  for (stretch s = {0}; next_stretch(f, &s);) {
    block *to = columns_of(c, frame) + s.at;
    clear(to, s.count);
    for (; range < s.range; range++) {
      const td_column_range *r = &f->range[range];
      for (int b = r->coordinate / TD_LANES; b * TD_LANES < end_of(r); b++) {
        int from = r->coordinate - b * TD_LANES;
        find_block(c, f->node, v0, r->first - from, lanes_between(from, end_of(r) - b * TD_LANES), to[b - s.first].of);
      }
    }
  }
}

// ---- what moves a touch

enum { MOST = 4, INPUTS = 12 }; // blocks at a time; rows of four units

// Ends of one side that the same coordinates move: one, or both of an axis.
typedef struct side {
  int count;
  const td_grip_end *end[2];
  const block *columns[2];
  int unit[INPUTS / 3], units; // by threes: where they begin among those of the touch
} side;

// What a side's columns are to a touch.
typedef struct inputs {
  td_vec of[INPUTS][MOST], rate[3][MOST];
} inputs;

// out += part a + b x c, c the same in all lanes
TD_INLINE void add_turned(double part, const td_vec *a, const td_vec *b, const double *c, td_vec *out) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] += part * a[i] + b[j] * c[k] - b[k] * c[j];
  }
}

TD_INLINE void add_still(double part, const td_vec *a, td_vec *out) {
  for (int i = 0; i < 3; i++) out[i] += part * a[i];
}

TD_INLINE void keep(const td_vec *x, td_vec (*to)[MOST], int h) {
  for (int i = 0; i < 3; i++) to[i][h] = x[i];
}

// r and the second unit, of the vector h.
TD_INLINE void gather_place(const side *s, int at, int h, inputs *in) {
  td_vec r[3] = {{0}}, second[3] = {{0}};
  for (int k = 0; k < s->count; k++) {
    const td_grip_end *e = s->end[k];
    const td_vec *x = s->columns[k][at].of + X;
    if (e->beside) {
      add_turned(e->part, x + 3, x, e->lever, r);
      add_turned(e->along, x + 3, x, e->swing, second);
    } else {
      add_still(e->part, x + 3, r);
      add_still(e->along, x + 3, second);
    }
    if (e->turn >= 0)
      for (int i = 0; i < 3; i++) second[i] += x[i];
  }
  keep(r, in->of, h);
  if (s->unit[1] != TD_BY_VELOCITY) keep(second, in->of + 3, h);
}

// Velocities, by q and by qd.
TD_INLINE void gather_rates(const side *s, int at, int h, td_vec (*velocity)[MOST], td_vec (*rate)[MOST]) {
  td_vec v[3] = {{0}}, p[3] = {{0}};
  for (int k = 0; k < s->count; k++) {
    const td_grip_end *e = s->end[k];
    const td_vec *x = s->columns[k][at].of + X, *y = s->columns[k][at].of + Y;
    add_turned(e->part, x + 3, x, e->arm, p);
    add_turned(e->part, y + 3, y, e->arm, v);
    if (!e->beside) continue; // spin x (turn x lever)
    td_vec across = e->spin[0] * x[0] + e->spin[1] * x[1] + e->spin[2] * x[2];
    double of = td_vec3_dot(e->spin, e->lever);
    for (int i = 0; i < 3; i++) v[i] += of * x[i] - e->lever[i] * across;
  }
  keep(v, velocity, h);
  keep(p, rate, h);
}

TD_INLINE void gather_spring(const side *s, int at, int h, td_vec (*spring)[MOST]) {
  td_vec z[3] = {{0}};
  for (int k = 0; k < s->count; k++) {
    const td_vec *x = s->columns[k][at].of + X;
    add_turned(s->end[k]->part_z, x + 3, x, s->end[k]->z, z);
  }
  keep(z, spring, h);
}

TD_INLINE void gather(const td_grip_change *t, const side *s, int at, int V, bool rubs, inputs *in) {
  int rates = s->unit[1] == TD_BY_VELOCITY ? 3 : 6;
  for (int h = 0; h < V; h++) {
    gather_place(s, at + h, h, in);
    if (!rubs) continue;
    gather_rates(s, at + h, h, in->of + rates, in->rate);
    if (t->held) gather_spring(s, at + h, h, in->of + rates + 3);
  }
}

// ---- what that exerts

typedef struct results {
  td_vec of[TD_GRIP_RESULTS][MOST], rate[3][MOST];
} results;

static int blocks_of(const scope *c) { return td_pad(c->m->n) / TD_LANES; }

static block *rows_of(const scope *c, int frame) {
  return (block *)c->ws->frame_row + (size_t)c->ws->touch_of[frame] * (size_t)blocks_of(c);
}

// Sums over units, of each result of the touch.
TD_INLINE void by_units(const td_grip_change *t, const side *s, const inputs *in, int V, bool whole, bool rubs,
                        results *out) {
  for (int i = 0; i < TD_GRIP_RESULTS; i++) {
    if (!whole && i >= TD_MOMENT && i < TD_SLIDE) continue;
    td_vec sum[MOST];
    for (int h = 0; h < V; h++) sum[h] = td_splat(0);
    for (int u = 0; u < s->units; u++) {
      const double *by = t->by[i] + s->unit[u];
      const td_vec(*x)[MOST] = in->of + 3 * u;
      for (int k = 0; k < 3; k++)
        for (int h = 0; h < V; h++) sum[h] += by[k] * x[k][h];
    }
    for (int h = 0; h < V; h++) out->of[i][h] = sum[h];
  }
  for (int i = 0; i < 3 && rubs; i++)
    for (int h = 0; h < V; h++) {
      const double *by = t->by[TD_FORCE_ROW + i] + TD_BY_VELOCITY;
      out->rate[i][h] = by[0] * in->rate[0][h] + by[1] * in->rate[1][h] + by[2] * in->rate[2][h];
    }
}

// To rows of moment and force of one end's frame.
TD_INLINE void exert_place(const td_grip_end *e, const results *r, int V, bool whole, block *row) {
  const td_vec *slide = r->of[TD_SLIDE + e->side], (*dF)[MOST] = r->of + TD_FORCE_ROW,
               (*dm)[MOST] = r->of + TD_MOMENT + 3 * e->side;
  double share = e->side ? -e->part : e->part;
  for (int i = 0; i < 3; i++)
    for (int h = 0; h < V; h++) row[h].of[BY_Q + 3 + i] += e->part * dF[i][h] + e->slid_force[i] * slide[h];
  for (int i = 0; i < 3 && whole; i++)
    for (int h = 0; h < V; h++) row[h].of[BY_Q + i] += share * dm[i][h] + e->slid_moment[i] * slide[h];
  for (int i = 0; i < 3 && whole && e->beside; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int h = 0; h < V; h++) row[h].of[BY_Q + i] += e->lever[j] * dF[k][h] - e->lever[k] * dF[j][h];
  }
}

TD_INLINE void exert_rate(const td_grip_end *e, const results *r, int V, block *row) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int h = 0; h < V; h++) row[h].of[BY_QD + 3 + i] += e->part * r->rate[i][h];
    for (int h = 0; h < V; h++) row[h].of[BY_QD + i] += e->arm[j] * r->rate[k][h] - e->arm[k] * r->rate[j][h];
  }
}

// V blocks of a side's columns from `at` on, of coordinates from block `first` on.
TD_INLINE void exert_some(const td_grip_change *t, const side *s, block *const row[4], int at, int first, int V,
                          bool whole, bool rubs) {
  inputs in;
  results r;
  gather(t, s, at, V, rubs, &in);
  by_units(t, s, &in, V, whole, rubs, &r);
  for (int e = 0; e < t->count; e++) {
    exert_place(&t->end[e], &r, V, whole, row[e] + first);
    if (rubs) exert_rate(&t->end[e], &r, V, row[e] + first);
  }
}

// Fixed counts of vectors, so that what is summed stays in registers.
TD_INLINE void exert_stretch(const td_grip_change *t, const side *s, block *const row[4], const stretch *x, bool whole,
                             bool rubs) {
  int at = x->at, first = x->first, left = x->count;
  for (; left >= MOST; left -= MOST, at += MOST, first += MOST) exert_some(t, s, row, at, first, MOST, whole, rubs);
  if (left == 3) exert_some(t, s, row, at, first, 3, whole, rubs);
  if (left == 2) exert_some(t, s, row, at, first, 2, whole, rubs);
  if (left == 1) exert_some(t, s, row, at, first, 1, whole, rubs);
}

static void exert_side(const scope *c, const td_grip_change *t, const side *s, block *const row[4]) {
  for (stretch x = {0}; next_stretch(&c->m->proxy_frame[s->end[0]->frame], &x);) {
    if (c->rubs)
      exert_stretch(t, s, row, &x, true, true);
    else if (c->whole)
      exert_stretch(t, s, row, &x, true, false);
    else
      exert_stretch(t, s, row, &x, false, false);
  }
}

static void begin_side(const scope *c, const td_grip_change *t, const td_grip_end *e, side *s) {
  int second = e->turn >= 0 ? e->turn : e->axis ? (e->side ? TD_BY_V : TD_BY_U) : -1;
  *s = (side){.count = 1, .end = {e}, .columns = {columns_of(c, e->frame)}};
  s->unit[s->units++] = TD_BY_R;
  if (second >= 0) s->unit[s->units++] = second;
  if (c->rubs) s->unit[s->units++] = TD_BY_VELOCITY;
  if (t->held) s->unit[s->units++] = TD_BY_Z;
}

static bool same_columns(const td_loop_frame *a, const td_loop_frame *b) {
  if (a->range_count != b->range_count) return false;
  for (int r = 0; r < a->range_count; r++)
    if (a->range[r].coordinate != b->range[r].coordinate || a->range[r].count != b->range[r].count) return false;
  return true;
}

static void exert(const scope *c, const td_grip_change *t) {
  block *row[4];
  for (int e = 0; e < t->count; e++) row[e] = rows_of(c, t->end[e].frame);
  for (int e = 0; e < t->count; e++) {
    const td_grip_end *far = e + 1 < t->count && t->end[e + 1].side == t->end[e].side ? &t->end[e + 1] : NULL;
    side s;
    begin_side(c, t, &t->end[e], &s);
    if (far && same_columns(&c->m->proxy_frame[t->end[e].frame], &c->m->proxy_frame[far->frame])) {
      s.end[s.count] = far;
      s.columns[s.count++] = columns_of(c, far->frame);
      e++;
    }
    exert_side(c, t, &s, row);
  }
}

// ---- into the matrices

enum { TILE = 4 };

// T rows of matrices -= sum over k from `from` on of own[k] rows[k], one vector of them. dqd NULL: none.
TD_INLINE void subtract_tile(int T, int from, const double *own, const td_vec *rows, double *dq, double *dqd,
                             size_t ld) {
  td_vec q[TILE], qd[TILE];
  for (int t = 0; t < T; t++) {
    q[t] = *(td_vec *)(dq + (size_t)t * ld);
    if (dqd) qd[t] = *(td_vec *)(dqd + (size_t)t * ld);
  }
#pragma GCC unroll 6
  for (int k = from; k < 6; k++)
    for (int t = 0; t < T; t++) {
      td_vec x = td_splat(own[k * TD_LANES + t]);
      q[t] -= x * rows[BY_Q + k];
      if (dqd) qd[t] -= x * rows[BY_QD + k];
    }
  for (int t = 0; t < T; t++) {
    *(td_vec *)(dq + (size_t)t * ld) = q[t];
    if (dqd) *(td_vec *)(dqd + (size_t)t * ld) = qd[t];
  }
}

// Rows of coordinates from i on.
TD_INLINE void subtract_rows(const scope *c, int frame, int T, int from, bool rubs, int i, const double *own) {
  const int *span = c->ws->touch_span[frame];
  const block *rows = rows_of(c, frame);
  size_t ld = (size_t)c->m->ld, at = (size_t)i * ld;
  double *dq = c->ws->did_dq + at, *dqd = c->ws->did_dqd + at;
  for (int b = span[0]; b < span[1]; b++)
    subtract_tile(T, from, own, rows[b].of, dq + b * TD_LANES, rubs ? dqd + b * TD_LANES : NULL, ld);
}

TD_INLINE void subtract_all(const scope *c, int frame, int from, bool rubs) {
  const td_loop_frame *f = &c->m->proxy_frame[frame];
  for (stretch s = {0}; next_stretch(f, &s);) {
    const block *columns = columns_of(c, frame) + s.at;
    for (int i = s.begin; i < s.end;) {
      int lane = i % TD_LANES, left = TD_LANES - lane < s.end - i ? TD_LANES - lane : s.end - i;
      const double *own = (const double *)&columns[i / TD_LANES - s.first].of[X] + lane;
      if (left >= TILE)
        subtract_rows(c, frame, TILE, from, rubs, i, own), i += TILE;
      else if (left >= 2)
        subtract_rows(c, frame, 2, from, rubs, i, own), i += 2;
      else
        subtract_rows(c, frame, 1, from, rubs, i, own), i++;
    }
  }
}

static void subtract(const scope *c, int frame) {
  if (c->rubs)
    subtract_all(c, frame, 0, true);
  else if (c->whole)
    subtract_all(c, frame, 0, false);
  else
    subtract_all(c, frame, 3, false);
}

// Adds what stands in rows to the matrices; no frame has rows then.
static void hand_over(const scope *c) {
  for (int f = 0; c->ws->touch_count && f < c->m->proxy_frame_count; f++)
    if (c->ws->touch_of[f] >= 0) subtract(c, f);
  for (int f = 0; f < c->m->proxy_frame_count; f++) c->ws->touch_of[f] = -1;
  c->ws->touch_count = 0;
}

static void open_rows(const scope *c, int frame) {
  td_workspace *ws = c->ws;
  if (ws->touch_of[frame] >= 0) return;
  assert(ws->touch_count < td_touch_most(c->m));
  ws->touch_of[frame] = ws->touch_count++;
  ws->touch_span[frame][0] = blocks_of(c);
  ws->touch_span[frame][1] = 0;
  clear(rows_of(c, frame), blocks_of(c));
}

// Blocks of coordinates that move a touch, of all its frames.
static void widen(const scope *c, const td_grip_change *t) {
  int first = blocks_of(c), end = 0;
  for (int e = 0; e < t->count; e++)
    for (stretch s = {0}; next_stretch(&c->m->proxy_frame[t->end[e].frame], &s);) {
      first = s.first < first ? s.first : first;
      end = s.first + s.count > end ? s.first + s.count : end;
    }
  for (int e = 0; e < t->count; e++) {
    int *span = c->ws->touch_span[t->end[e].frame];
    span[0] = first < span[0] ? first : span[0];
    span[1] = end > span[1] ? end : span[1];
  }
}

// The ends' frames have columns, and rows.
static void prepare(const scope *c, const td_grip_change *t) {
  td_workspace *ws = c->ws;
  if (ws->touch_count + t->count > td_touch_most(c->m)) hand_over(c);
  for (int e = 0; e < t->count; e++) {
    int frame = t->end[e].frame;
    if (!ws->frame_known[frame]) find_columns(c, frame);
    ws->frame_known[frame] = true;
    open_rows(c, frame);
  }
  widen(c, t);
}

void td_grip_between(const td_model *m, td_workspace *ws) {
  const scope c = {m, ws, td_pairs_turn(m), td_pairs_rub(m)};
  td_grip g = {0};
  assert(td_holds(ws, TD_HOLDS_COLUMNS | TD_HOLDS_SLOPES | TD_HOLDS_TWISTS));
  td_grip_begin(m, ws);
  memset(ws->frame_known, 0, (size_t)m->proxy_frame_count * sizeof *ws->frame_known);
  ws->touch_count = 0;
  hand_over(&c);
  while (td_grip_next(m, ws, true, &g)) {
    td_grip_change t;
    td_grip_change_find(m, ws, &g, &t);
    prepare(&c, &t);
    exert(&c, &t);
  }
  hand_over(&c);
}
