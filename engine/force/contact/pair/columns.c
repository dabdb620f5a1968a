// Derivatives of touches between bodies: how the columns of frames move them, and what they exert by that on frames.
//
// A touch is a function of at most four points that are ends of its axes, of their ways and their turns. With
//   P = dr/dq at s and t held, U and V those of the axes, W_a and W_b of the turns at the nearest points,
// it exerts Q = P^T F + W_a^T m_a + W_b^T m_b. That P, W turn with F, m held is in the composites (wrenches fixed in the
// world). What is left is
//   did_dq -= P^T dF + W_a^T dm_a + W_b^T dm_b + (U^T F + W_a'^T m_a) ds + (W_b'^T m_b - V^T F) dt,
//   did_dqd -= P^T dF + W_a^T dm_a + W_b^T dm_b  of velocities,
// W' the turns of the far end of an axis against the near one. One touch after the other
//   INPUTS    r, u, v, the velocity midway by q and by qd, the spring: columns, from those of its ends (add_end),
//   RESULTS   are its units' times these (touch.h),
// and go into rows of moment and force of its ends' frames, which frames' own columns multiply at last, once for all
// touches: rows X_f^T. X = (w, v + w x p) of the columns (w, v) = J; Y = dX'/dq is that of R plus (w x w0, w x v0), w0 and
// v0 spin and velocity of the frame's point. Both are made once for a frame.
#include "force/contact/pair/touch.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include <assert.h>
#include <string.h>

// Rows of ws->meeting, the touch at work.
enum { IN_R = 0, IN_U = 3, IN_V = 6, IN_VELOCITY = 9, IN_Z = 12, IN_RATE = 15, INPUTS = 18 };
_Static_assert(INPUTS <= (int)TD_MEETING_ROWS, "a workspace has them");
_Static_assert((int)IN_Z == (int)TD_BY_Z && (int)IN_VELOCITY == (int)TD_BY_VELOCITY, "in the order of units");
// Rows of a frame, by q and by qd; of its columns.
enum { BY_Q = 0, BY_QD = 6, X = 0, Y = 6, FRAME_ROWS = 12 };
_Static_assert((int)FRAME_ROWS == (int)TD_FRAME_ROWS, "a workspace has them");

// What touches of a model do: with bodies that turn (td_pairs_turn), by velocities.
typedef struct scope {
  const td_model *m;
  td_workspace *ws;
  bool whole, rubs;
  int stride; // of rows of the touch and of frames
} scope;

// Eight columns: what is the same for all of them is fetched once.
enum { OCTET = 8, HALVES = OCTET / TD_LANES };
typedef struct octet {
  td_vec of[HALVES];
} octet;

// ---- columns of a frame

typedef long long lane_bits __attribute__((vector_size(sizeof(td_vec))));

// The first `left` lanes, the others 0: behind them stand columns of others, and rows are padded.
TD_INLINE lane_bits lanes_before(int left) {
  lane_bits bits = {0};
  for (int l = 0; l < TD_LANES; l++) bits[l] = l < left ? -1 : 0;
  return bits;
}

// Rows of lanes of columns, of the point p.
TD_INLINE void load(const scope *c, int row, int column, lane_bits own, const double *p, td_vec x[6]) {
  td_vec at[3] = {td_splat(p[0]), td_splat(p[1]), td_splat(p[2])};
  for (int k = 0; k < 6; k++)
    x[k] = (td_vec)((lane_bits) * (const td_vecu *)(c->ws->kept + (row + k) * c->m->kept_stride + column) & own);
  td_v3_cross_add(x, at, x + 3);
}

static double *columns_of(const scope *c, int frame) {
  return c->ws->frame_column + (size_t)frame * FRAME_ROWS * (size_t)c->m->proxy_width;
}

// Ranges one behind the other, each whole vectors.
static void find_columns(const scope *c, int frame) {
  const td_loop_frame *f = &c->m->proxy_frame[frame];
  const double *p = c->ws->pose[f->node].p, *w0 = c->ws->V[f->node];
  double v0[3], *to = columns_of(c, frame);
  td_point_velocity(c->ws, f->node, p, v0);
  for (int r = 0; r < f->range_count; r++)
    for (int k = 0; k < f->range[r].count; k += TD_LANES, to += TD_LANES) {
      int column = f->range[r].first + k, width = c->m->proxy_width;
      lane_bits own = lanes_before(f->range[r].count - k);
      td_vec x[6], y[6], turned[3];
      load(c, TD_ROW_J, column, own, p, x);
      for (int i = 0; i < 6; i++) *(td_vec *)(to + (X + i) * width) = x[i];
      if (!c->rubs) continue;
      load(c, TD_ROW_R, column, own, p, y);
      td_v3_cross_const(w0, x, turned);
      for (int i = 0; i < 3; i++) y[i] -= turned[i];
      td_v3_cross_const(v0, x, turned);
      for (int i = 0; i < 3; i++) y[3 + i] -= turned[i];
      for (int i = 0; i < 6; i++) *(td_vec *)(to + (Y + i) * width) = y[i];
    }
}

// ---- what moves a touch

TD_INLINE td_vec along(const double *a, const td_vec *x) { return a[0] * x[0] + a[1] * x[1] + a[2] * x[2]; }

// out = a + b x c, c the same in all lanes
TD_INLINE void plus_cross(const td_vec *a, const td_vec *b, const double *c, td_vec *out) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[i] + b[j] * c[k] - b[k] * c[j];
  }
}

TD_INLINE void add3(double part, const td_vec *x, double *to, int ld) {
  for (int i = 0; i < 3; i++) *(td_vecu *)(to + i * ld) += part * x[i];
}

// Lanes of columns of an end, to those of the touch.
TD_INLINE void add_lanes(const td_grip_change *t, const td_grip_end *e, bool rubs, const double *columns, int width,
                         double *in, int ld) {
  td_vec x[6], y[6], way[3], turned[3];
  for (int i = 0; i < 6; i++) x[i] = *(const td_vec *)(columns + (X + i) * width);
  if (e->beside)
    plus_cross(x + 3, x, e->lever, way);
  else
    memcpy(way, x + 3, sizeof way);
  add3(e->part, way, in + IN_R * ld, ld);
  if (e->along != 0) add3(e->along, way, in + (e->side ? IN_V : IN_U) * ld, ld);
  if (e->turn >= 0) add3(1, x, in + e->turn * ld, ld);
  if (!rubs) return;
  for (int i = 0; i < 6; i++) y[i] = *(const td_vec *)(columns + (Y + i) * width);
  plus_cross(x + 3, x, e->arm, turned);
  add3(e->part, turned, in + IN_RATE * ld, ld);
  plus_cross(y + 3, y, e->arm, turned);
  if (e->beside) { // spin x (turn x lever)
    td_vec across = along(e->spin, x);
    double of = td_vec3_dot(e->spin, e->lever);
    for (int i = 0; i < 3; i++) turned[i] += of * x[i] - e->lever[i] * across;
  }
  add3(e->part, turned, in + IN_VELOCITY * ld, ld);
  if (!t->held) return;
  plus_cross(x + 3, x, e->z, turned);
  add3(e->part_z, turned, in + IN_Z * ld, ld);
}

static void add_end(const scope *c, const td_grip_change *t, const td_grip_end *e) {
  const td_loop_frame *f = &c->m->proxy_frame[e->frame];
  const double *columns = columns_of(c, e->frame);
  for (int r = 0; r < f->range_count; r++)
    for (int k = 0; k < f->range[r].count; k += TD_LANES, columns += TD_LANES)
      add_lanes(t, e, c->rubs, columns, c->m->proxy_width, c->ws->meeting + f->range[r].coordinate + k, c->stride);
}

// The octets that hold coordinates of the ends: their numbers, each once. Clears them.
static int find_octets(const scope *c, const td_grip_change *t) {
  td_workspace *ws = c->ws;
  int count = 0, rows = c->rubs ? INPUTS : IN_VELOCITY, most = c->stride / OCTET;
  for (int e = 0; e < t->count; e++) {
    const td_loop_frame *f = &c->m->proxy_frame[t->end[e].frame];
    for (int r = 0; r < f->range_count; r++) {
      int first = f->range[r].coordinate / OCTET;
      int end = (f->range[r].coordinate + td_pad(f->range[r].count) - 1) / OCTET + 1;
      for (int i = first; i < end && i < most; i++) {
        if (ws->touch_marked[i]) continue;
        ws->touch_marked[i] = true;
        ws->touch_octet[count++] = i;
        for (int k = 0; k < rows; k++) memset(ws->meeting + k * c->stride + i * OCTET, 0, OCTET * sizeof(double));
      }
    }
  }
  for (int i = 0; i < count; i++) ws->touch_marked[ws->touch_octet[i]] = false;
  return count;
}

// ---- what that exerts

static double *rows_of(const scope *c, int frame) {
  return c->ws->frame_row + (size_t)c->ws->touch_of[frame] * FRAME_ROWS * (size_t)c->stride;
}

TD_INLINE octet load_octet(const double *from) {
  octet x;
  for (int h = 0; h < HALVES; h++) x.of[h] = ((const td_vec *)from)[h];
  return x;
}

// sum += a x
TD_INLINE void fold(double a, const octet *x, octet *sum) {
  for (int h = 0; h < HALVES; h++) sum->of[h] += a * x->of[h];
}

TD_INLINE void add_to(const octet *x, double *to) {
  for (int h = 0; h < HALVES; h++) ((td_vec *)to)[h] += x->of[h];
}

// Rows of moment += more + arm x force, of force += force.
TD_INLINE void exert(const octet *force, const octet *more, const double *arm, double *row, int stride) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    octet moment = more ? more[i] : (octet){{td_splat(0)}};
    if (arm) fold(arm[j], &force[k], &moment), fold(-arm[k], &force[j], &moment);
    if (arm || more) add_to(&moment, row + i * stride);
    add_to(&force[i], row + (3 + i) * stride);
  }
}

// One octet of columns of one end.
TD_INLINE void exert_end(const td_grip_change *t, const td_grip_end *e, const octet *result, bool whole, double *row,
                         int stride) {
  octet force[3] = {{{td_splat(0)}}}, moment[3] = {{{td_splat(0)}}};
  const octet *slide = &result[TD_SLIDE + e->side];
  double way = e->side ? -e->along : e->along, share = e->part < 0 ? -e->part : e->part;
  for (int i = 0; i < 3; i++) {
    fold(e->part, &result[TD_FORCE_ROW + i], &force[i]);
    fold(way * t->f.force[i], slide, &force[i]);
    if (!whole) continue;
    fold(share, &result[TD_MOMENT + 3 * e->side + i], &moment[i]);
    fold(e->along * t->f.moment[e->side][i], slide, &moment[i]);
  }
  exert(force, whole ? moment : NULL, whole && e->beside ? e->lever : NULL, row + BY_Q * stride, stride);
}

// Sums over so many units, of each result of the touch.
TD_INLINE void by_units(const td_grip_change *t, const double *in, int stride, int units, bool whole, octet *result) {
  octet x[TD_GRIP_UNITS];
#pragma GCC unroll 15
  for (int k = 0; k < units; k++) x[k] = load_octet(in + k * stride);
  for (int i = 0; i < TD_GRIP_RESULTS; i++) {
    if (!whole && i >= TD_MOMENT && i < TD_SLIDE) continue;
    octet sum = {{td_splat(0)}};
#pragma GCC unroll 15
    for (int k = 0; k < units; k++) fold(t->by[i][k], &x[k], &sum);
    result[i] = sum;
  }
}

TD_INLINE void exert_octet(const td_grip_change *t, int at, const double *input, int units, bool whole, bool rubs,
                           double *const row[4], int stride) {
  const double *in = input + at * OCTET;
  octet result[TD_GRIP_RESULTS], rate[3] = {{{td_splat(0)}}};
  by_units(t, in, stride, units, whole, result);
  for (int e = 0; e < t->count; e++) exert_end(t, &t->end[e], result, whole, row[e] + at * OCTET, stride);
  if (!rubs) return;
  for (int k = 0; k < 3; k++) {
    octet x = load_octet(in + (IN_RATE + k) * stride);
    for (int i = 0; i < 3; i++) fold(t->by[i][TD_BY_VELOCITY + k], &x, &rate[i]);
  }
  for (int e = 0; e < t->count; e++) {
    octet force[3] = {{{td_splat(0)}}};
    for (int i = 0; i < 3; i++) fold(t->end[e].part, &rate[i], &force[i]);
    exert(force, NULL, t->end[e].arm, row[e] + BY_QD * stride + at * OCTET, stride);
  }
}

// Loops over fixed counts, one for each kind of touch.
static void exert_all(const scope *c, const td_grip_change *t, int count) {
  const double *in = c->ws->meeting;
  double *row[4];
  for (int e = 0; e < t->count; e++) row[e] = rows_of(c, t->end[e].frame);
  for (int i = 0; i < count; i++) {
    int at = c->ws->touch_octet[i];
    if (t->held)
      exert_octet(t, at, in, TD_BY_Z + 3, true, true, row, c->stride);
    else if (t->rubs)
      exert_octet(t, at, in, TD_BY_VELOCITY + 3, true, true, row, c->stride);
    else if (c->whole)
      exert_octet(t, at, in, TD_BY_V + 3, true, false, row, c->stride);
    else
      exert_octet(t, at, in, TD_BY_V + 3, false, false, row, c->stride);
  }
}

// ---- into the matrices

// row -= sum over k from `from` on of own[k] rows[k]
TD_INLINE void subtract_row(int n, int stride, int from, const double own[6], const double *rows, double *row) {
  for (int j = 0; j < n; j += TD_LANES) {
    td_vec sum = *(td_vec *)(row + j);
#pragma GCC unroll 6
    for (int k = from; k < 6; k++) sum -= own[k] * *(const td_vec *)(rows + k * stride + j);
    *(td_vec *)(row + j) = sum;
  }
}

static void subtract(const scope *c, int frame) {
  const td_loop_frame *f = &c->m->proxy_frame[frame];
  const double *columns = columns_of(c, frame), *rows = rows_of(c, frame);
  int n = c->m->n, ld = c->m->ld, stride = c->stride, width = c->m->proxy_width;
  for (int r = 0; r < f->range_count; columns += td_pad(f->range[r++].count))
    for (int i = 0; i < f->range[r].count; i++) {
      size_t at = (size_t)(f->range[r].coordinate + i) * (size_t)ld;
      double own[6];
      for (int k = 0; k < 6; k++) own[k] = columns[(X + k) * width + i];
      if (c->whole)
        subtract_row(n, stride, 0, own, rows + BY_Q * stride, c->ws->did_dq + at);
      else
        subtract_row(n, stride, 3, own, rows + BY_Q * stride, c->ws->did_dq + at);
      if (c->rubs) subtract_row(n, stride, 0, own, rows + BY_QD * stride, c->ws->did_dqd + at);
    }
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
  memset(rows_of(c, frame), 0, (size_t)(FRAME_ROWS * c->stride) * sizeof(double));
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
}

void td_grip_between(const td_model *m, td_workspace *ws) {
  const scope c = {m, ws, td_pairs_turn(m), td_pairs_rub(m), td_pad_most(m->n)};
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
    int count = find_octets(&c, &t);
    for (int e = 0; e < t.count; e++) add_end(&c, &t, &t.end[e]);
    exert_all(&c, &t, count);
  }
  hand_over(&c);
}
