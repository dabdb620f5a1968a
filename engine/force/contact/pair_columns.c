// Derivatives of touches between bodies: what frames do to each other, then the columns that move them.
//
// A touch is a function of at most four points that are ends of its axes, of their ways and their turns. With
//   P = dr/dq at s and t held, U and V those of the axes, W_a and W_b of the turns at the nearest points,
// it exerts Q = P^T F + W_a^T m_a + W_b^T m_b. That P, W turn with F, m held is in the composites (wrenches fixed in the
// world). What is left is
//   did_dq -= P^T dF + W_a^T dm_a + W_b^T dm_b + (U^T F + W_a'^T m_a) ds + (W_b'^T m_b - V^T F) dt,
//   did_dqd -= P^T dF + W_a^T dm_a + W_b^T dm_b  of velocities,
// W' the turns of the far end of an axis against the near one: sums over pairs of ends of blocks of 6 by 6, K by turns
// and ways, D by spins and velocities. Touches of the same frames are added up in one block (pair_blocks.c), so that
//   did_dq -= sum over frames f, g of X_f^T (K X_g + D Y_g),   did_dqd -= X_f^T D X_g
// costs by frames, whatever touches. X = (w, v + w x p) of the columns (w, v) = J; Y = dX'/dq is that of R plus
// (w x w0, w x v0), w0 and v0 spin and velocity of the point.
#include "force/contact/pair_blocks.h"
#include "lie/vec3.h"
#include "pass/composite.h"
#include <assert.h>
#include <string.h>

// Rows of ws->meeting: by q, by qd, X of the frame.
enum { BY_Q = 0, BY_QD = 6, OWN = 12 };
_Static_assert(OWN + 6 <= (int)TD_MEETING_ROWS, "a workspace has them");

typedef long long lane_bits __attribute__((vector_size(sizeof(td_vec))));

// The first `left` lanes, the others 0: behind them stand columns of others, and rows are padded.
TD_INLINE lane_bits lanes_before(int left) {
  lane_bits bits = {0};
  for (int l = 0; l < TD_LANES; l++) bits[l] = l < left ? -1 : 0;
  return bits;
}

// X of lanes of columns that move the frame whose point is p.
TD_INLINE void ways(const td_model *m, const td_workspace *ws, int row, int column, lane_bits own, const double *p,
                    td_vec x[6]) {
  td_vec at[3] = {td_splat(p[0]), td_splat(p[1]), td_splat(p[2])};
  for (int k = 0; k < 6; k++)
    x[k] = (td_vec)((lane_bits) * (const td_vecu *)(ws->kept + (row + k) * m->kept_stride + column) & own);
  td_v3_cross_add(x, at, x + 3);
}

// Rows of what is exerted by q and by qd += K x + D y, D x.
TD_INLINE void add_products(double *by_q, double *by_qd, int ld, td_quad (*K)[2], td_quad (*D)[2], const td_vec x[6],
                            const td_vec y[6]) {
  for (int i = 0; i < 6; i++) {
    td_vec q = *(td_vecu *)(by_q + i * ld), qd = *(td_vecu *)(by_qd + i * ld);
    for (int k = 0; k < 6; k++) {
      double d = D[i][k / 3][k % 3];
      q += K[i][k / 3][k % 3] * x[k] + d * y[k];
      qd += d * x[k];
    }
    *(td_vecu *)(by_q + i * ld) = q;
    *(td_vecu *)(by_qd + i * ld) = qd;
  }
}

// The same of forces alone that depend on ways alone.
TD_INLINE void add_forces(double *by_q, int ld, td_quad (*K)[2], const td_vec x[6]) {
  for (int i = 3; i < 6; i++) {
    td_vec sum = *(td_vecu *)(by_q + i * ld);
    for (int k = 0; k < 3; k++) sum += K[i][1][k] * x[3 + k];
    *(td_vecu *)(by_q + i * ld) = sum;
  }
}

// What follows of a block where the point has spin w0 and velocity v0: Kw += Dw (. x w0) + Dv (. x v0).
static void turn_along(td_quad (*D)[2], const double w0[3], const double v0[3], td_quad (*K)[2]) {
  for (int i = 0; i < 6; i++) {
    td_quad w = D[i][0], v = D[i][1];
    for (int k = 0; k < 3; k++) {
      int a = (k + 1) % 3, b = (k + 2) % 3;
      K[i][0][k] += w0[a] * w[b] - w0[b] * w[a] + v0[a] * v[b] - v0[b] * v[a];
    }
  }
}

static void add_block(const td_model *m, const td_workspace *ws, td_touch_block *b, bool whole, double *rows) {
  const td_loop_frame *g = &m->proxy_frame[b->g];
  const double *p = ws->pose[g->node].p;
  td_quad K[6][2];
  double v0[3];
  memcpy(K, b->by_way, sizeof K);
  td_point_velocity(ws, g->node, p, v0);
  if (whole) turn_along(b->by_velocity, ws->V[g->node], v0, K);
  for (int i = 0; i < g->range_count; i++)
    for (int c = 0; c < g->range[i].count; c += TD_LANES) {
      int column = g->range[i].first + c;
      lane_bits own = lanes_before(g->range[i].count - c);
      double *to = rows + g->range[i].coordinate + c;
      td_vec x[6], y[6];
      ways(m, ws, TD_ROW_J, column, own, p, x);
      if (whole) ways(m, ws, TD_ROW_R, column, own, p, y);
      if (whole)
        add_products(to + BY_Q * m->ld, to + BY_QD * m->ld, m->ld, K, b->by_velocity, x, y);
      else
        add_forces(to + BY_Q * m->ld, m->ld, K, x);
    }
}

// ---- into the matrices

// Columns of ranges of a frame, one beside the other as they are in the matrices.
static void fill_own(const td_model *m, const td_workspace *ws, int frame, double *own) {
  const td_loop_frame *f = &m->proxy_frame[frame];
  for (int i = 0; i < f->range_count; i++)
    for (int c = 0; c < f->range[i].count; c += TD_LANES) {
      int left = f->range[i].count - c;
      td_vec x[6];
      ways(m, ws, TD_ROW_J, f->range[i].first + c, lanes_before(left), ws->pose[f->node].p, x);
      for (int k = 0; k < 6; k++)
        for (int l = 0; l < left && l < TD_LANES; l++) own[k * m->ld + f->range[i].coordinate + c + l] = x[k][l];
    }
}

// row -= sum over k from `from` on of own[k] rows[k]
TD_INLINE void subtract_row(int n, int ld, int from, const double own[6], const double *rows, double *row) {
  for (int j = 0; j < n; j += TD_LANES) {
    td_vec sum = *(td_vecu *)(row + j);
    for (int k = from; k < 6; k++) sum -= own[k] * *(const td_vecu *)(rows + k * ld + j);
    *(td_vecu *)(row + j) = sum;
  }
}

static void subtract(const td_model *m, const td_workspace *ws, int frame, bool whole) {
  const td_loop_frame *f = &m->proxy_frame[frame];
  const double *own = ws->meeting + OWN * m->ld, *rows = ws->meeting;
  for (int r = 0; r < f->range_count; r++)
    for (int i = f->range[r].coordinate; i < f->range[r].coordinate + f->range[r].count; i++) {
      double x[6];
      for (int k = 0; k < 6; k++) x[k] = own[k * m->ld + i];
      subtract_row(m->n, m->ld, whole ? 0 : 3, x, rows + BY_Q * m->ld, ws->did_dq + i * m->ld);
      if (whole) subtract_row(m->n, m->ld, 0, x, rows + BY_QD * m->ld, ws->did_dqd + i * m->ld);
    }
}

// Adds all blocks to the matrices, and leaves none.
static void add_blocks(const td_model *m, td_workspace *ws, bool whole) {
  for (int f = 0; f < m->proxy_frame_count; f++) {
    if (ws->touch_of[f] < 0) continue;
    memset(ws->meeting, 0, (size_t)(OWN * m->ld) * sizeof *ws->meeting);
    for (int b = ws->touch_of[f]; b >= 0; b = ws->touch[b].next) add_block(m, ws, &ws->touch[b], whole, ws->meeting);
    fill_own(m, ws, f, ws->meeting + OWN * m->ld);
    subtract(m, ws, f, whole);
  }
  td_touch_blocks_clear(m, ws);
}

void td_grip_between(const td_model *m, td_workspace *ws) {
  bool whole = td_pairs_turn(m);
  td_grip g = {0};
  assert(td_holds(ws, TD_HOLDS_COLUMNS | TD_HOLDS_SLOPES | TD_HOLDS_TWISTS));
  td_grip_begin(m, ws);
  td_touch_blocks_clear(m, ws);
  while (td_grip_next(m, ws, true, &g)) {
    if (!td_touch_blocks_have_room(m, ws)) add_blocks(m, ws, whole);
    td_touch_blocks_add(m, ws, &g, whole);
  }
  if (ws->touch_count) add_blocks(m, ws, whole);
}
