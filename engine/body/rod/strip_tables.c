// The columns of a strip's derivatives as 6x12 coefficient tables, eight intervals at a time (td_tables).
//
// With Z = dOmega/dq = [1/2 - k a2^, 1/2 + k a1^] on (phi1, phi2) and its rates Z', Z'' (a' or a'' in place of a), in
// the frame before the step:
//   S = T Z,   dsigma/dq = D Z + T Z',   dbeta/dq = (D'' + D2) Z + T Z'' + (D + T') Z',   dbeta/dqd = (T' + D) Z + 2 T
//     Z'
// where D, D'' are d(T x)/dOmega at x = Omega', Omega'', T' the rate of T, D2 = d(T' Omega')/dOmega. In the world frame
// the sums that are constant beyond an element (R = dV/dq + [V, J], Q = dA/dq + …, Y = dA/dqd + …) grow per interval by
//   r = Ad dsigma + [V1, s],  k = Ad dbeta + [V0, Ad dsigma] + [A1, s] + [V1, r],  y = Ad dbeta_d + [V0 + V1, s].
// Derived in engine/README.md («derivatives in the world frame»); replaces (22), (28), (C19)-(C29) of Mathew2025.
#include "body/rod/strip_motion.h"
#include "lie/spatial.h"
#include <stdbool.h>

TD_INLINE void gather_full(const td_workspace *ws, const td_element *e, int batch, td_lane_full *out) {
  double *lanes = (double *)out;
  for (int l = 0; l < TD_LANES; l++) {
    int i = batch * TD_LANES + l;
    const double *c = (const double *)&ws->full[i < e->interval_count ? e->to[i] : e->to[0]];
    for (int k = 0; k < TD_FULL_SIZE; k++) lanes[k * TD_LANES + l] = c[k];
  }
}

TD_INLINE void gather(const td_workspace *ws, const td_element *e, int batch, td_lane_composite *out) {
  double *lanes = (double *)out;
  for (int l = 0; l < TD_LANES; l++) {
    int i = batch * TD_LANES + l;
    const double *c = (const double *)&ws->composite[i < e->interval_count ? e->to[i] : e->to[0]];
    for (int k = 0; k < TD_COMPOSITE_SIZE; k++) lanes[k * TD_LANES + l] = c[k];
  }
}

// out += s x* F of a twist with angular part x (NULL: 0) and linear part y
TD_INLINE void turn_wrench_add(const td_vec *x, const td_vec *y, const td_vec *F, td_vec out[6]) {
  td_v3_cross_add(y, F + 3, out);
  if (!x) return;
  td_v3_cross_add(x, F, out);
  td_v3_cross_add(x, F + 3, out + 3);
}

// Column a of a dual matrix on component a: angular components (a < 3) have both parts, linear ones the real part only.
TD_INLINE void column_of(const td_dmat *m, int a, td_vec x[3], td_vec y[3]) {
  for (int i = 0; i < 3; i++) {
    x[i] = a < 3 ? m->re[3 * i + a] : td_splat(0);
    y[i] = a < 3 ? m->du[3 * i + a] : m->re[3 * i + a - 3];
  }
}
TD_INLINE void store_column(td_vec table[][12], int rows, int column, const td_vec *value) {
  for (int i = 0; i < rows; i++) table[i][column] = value[i];
}

TD_INLINE void strain_map(const td_dvec *a, double k, double diagonal, td_dmat *Z) {
  td_dmat_zero(Z);
  td_dmat_add_identity(Z, (td_dual){td_splat(diagonal), td_splat(0)});
  td_dmat_add_hat(Z, (td_dual){td_splat(k), td_splat(0)}, a);
}

// What all columns of one batch share.
typedef struct batch_maps {
  td_dmat D, Ddd, rate; ///< D; D'' + D2; T' + D
} batch_maps;

typedef struct half_columns {
  td_dmat s, r, k, y; ///< world columns of one Zanna point
} half_columns;

TD_INLINE void half_twist(const td_motion *o, const td_dmat *Z, half_columns *c) {
  td_dmat S;
  td_dmat_mul(&o->T, Z, &S);
  td_dmat_mul(&o->Ad, &S, &c->s);
}

TD_INLINE void half_derivatives(const td_motion *o, const batch_maps *m, const td_dmat *Z, int z, half_columns *c) {
  td_dmat Zd, Zdd, TZd, local, dsigma;
  double k = z ? TD_MAGNUS : -TD_MAGNUS;
  strain_map(&o->ad[1 - z], k, 0, &Zd);
  strain_map(&o->add[1 - z], k, 0, &Zdd);
  td_dmat_mul(&o->T, &Zd, &TZd);
  local = TZd;
  td_dmat_mul_add(&m->D, Z, &local);
  td_dmat_mul(&o->Ad, &local, &dsigma);
  c->r = dsigma;
  td_dmat_bracket_add(&o->V1, &c->s, &c->r);
  td_dmat_mul(&m->Ddd, Z, &local);
  td_dmat_mul_add(&o->T, &Zdd, &local);
  td_dmat_mul_add(&m->rate, &Zd, &local);
  td_dmat_mul(&o->Ad, &local, &c->k);
  td_dmat_bracket_add(&o->V0, &dsigma, &c->k);
  td_dmat_bracket_add(&o->A1, &c->s, &c->k);
  td_dmat_bracket_add(&o->V1, &c->r, &c->k);
  for (int i = 0; i < 9; i++) local.re[i] = 2.0 * TZd.re[i], local.du[i] = 2.0 * TZd.du[i];
  td_dmat_mul_add(&m->rate, Z, &local);
  td_dmat_mul(&o->Ad, &local, &c->y);
  td_dvec V = o->V0;
  td_dvec_add_real(&V, td_splat(1), &o->V1);
  td_dmat_bracket_add(&V, &c->s, &c->y);
}

// `full` holds the general maps, NULL: the lean ones of w.
TD_INLINE void store_twist(const td_lane_composite *w, const td_lane_full *full, const half_columns *c, int z,
                           td_tables *t) {
  for (int a = 0; a < 6; a++) {
    td_vec s[6], U[6] = {0};
    column_of(&c->s, a, s, s + 3);
    if (full)
      td_full_map_add_lanes(full->M, a < 3 ? s : NULL, s + 3, U);
    else
      td_inertia_times_lanes(w->M, a < 3 ? s : NULL, s + 3, U);
    store_column(t->s, 6, 6 * z + a, s);
    store_column(t->U, 6, 6 * z + a, U);
  }
}

TD_INLINE void lean_columns(const td_lane_composite *w, const td_vec *s, const td_vec *r, const td_vec *k,
                            const td_vec *y, bool angular, td_vec *Gq, td_vec *Gv, td_vec *W, td_vec *N) {
  td_inertia_times_lanes(w->M, angular ? k : NULL, k + 3, Gq);
  td_inertia_times_lanes(w->M, angular ? y : NULL, y + 3, Gv);
  if (angular) {
    td_angular_map_add_lanes(w->B, r, Gq);
    td_angular_map_add_lanes(w->N, s, Gq);
    td_angular_map_add_lanes(w->B, s, Gv);
  }
  td_angular_map_transposed_lanes(w->B, angular ? s : NULL, s + 3, W);
  td_angular_map_transposed_lanes(w->N, angular ? s : NULL, s + 3, N);
}

TD_INLINE void full_columns(const td_lane_full *w, const td_vec *s, const td_vec *r, const td_vec *k, const td_vec *y,
                            bool angular, td_vec *Gq, td_vec *Gv, td_vec *W, td_vec *N) {
  for (int i = 0; i < 6; i++) Gq[i] = Gv[i] = td_splat(0);
  td_full_map_add_lanes(w->M, angular ? k : NULL, k + 3, Gq);
  td_full_map_add_lanes(w->B, angular ? r : NULL, r + 3, Gq);
  td_full_map_add_lanes(w->N, angular ? s : NULL, s + 3, Gq);
  td_full_map_add_lanes(w->M, angular ? y : NULL, y + 3, Gv);
  td_full_map_add_lanes(w->B, angular ? s : NULL, s + 3, Gv);
  td_full_map_transposed_lanes(w->B, angular ? s : NULL, s + 3, W);
  td_full_map_transposed_lanes(w->N, angular ? s : NULL, s + 3, N);
}

TD_INLINE void store_derivatives(const td_lane_composite *w, const td_lane_full *full, const half_columns *c, int z,
                                 td_tables *t) {
  int rows = full ? 6 : 3;
  for (int a = 0; a < 6; a++) {
    td_vec s[6], r[6], k[6], y[6], Gq[6], Gv[6], W[6], N[6];
    const td_vec *angular = a < 3 ? s : NULL;
    column_of(&c->s, a, s, s + 3);
    column_of(&c->r, a, r, r + 3);
    column_of(&c->k, a, k, k + 3);
    column_of(&c->y, a, y, y + 3);
    if (full)
      full_columns(full, s, r, k, y, a < 3, Gq, Gv, W, N);
    else
      lean_columns(w, s, r, k, y, a < 3, Gq, Gv, W, N);
    turn_wrench_add(angular, s + 3, w->F, Gq);
    store_column(t->r, 6, 6 * z + a, r);
    store_column(t->k, 6, 6 * z + a, k);
    store_column(t->y, 6, 6 * z + a, y);
    store_column(t->Gq, 6, 6 * z + a, Gq);
    store_column(t->Gv, 6, 6 * z + a, Gv);
    store_column(t->W, rows, 6 * z + a, W);
    store_column(t->N, rows, 6 * z + a, N);
  }
}

// H(x, y) = dS_x/dq_y . F: Z^T (d(T^T f)/dOmega) Z + k Pi, with Pi(x2, y1) - Pi(x1, y2) from [phi1_y, phi2_x] -
// [phi2_y, phi1_x]. A dual 3x3 block G on components (a, b): dual part for two angular ones, real part for a mixed
// pair, 0 for two linear ones.
TD_INLINE void add_block(td_vec H[12][12], int row, int column, const td_dmat *G) {
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      H[6 * row + a][6 * column + b] = G->du[3 * a + b];
      H[6 * row + 3 + a][6 * column + b] = G->re[3 * a + b];
      H[6 * row + a][6 * column + 3 + b] = G->re[3 * a + b];
      H[6 * row + 3 + a][6 * column + 3 + b] = td_splat(0);
    }
}

TD_INLINE void store_curvature(const td_motion *o, const td_lane_composite *w, const td_dmat Z[2], td_tables *t) {
  td_dvec F, local, p;
  for (int i = 0; i < 3; i++) F.re[i] = w->F[3 + i], F.du[i] = w->F[i];
  local = td_dmat_tvec(&o->Ad, &F);
  p = td_dmat_tvec(&o->T, &local);
  td_dmat K;
  td_tangent_derivative(&o->tangent, &local, -1, &K);
  for (int column = 0; column < 2; column++) {
    td_dmat KZ, G;
    td_dmat_mul(&K, &Z[column], &KZ);
    for (int row = 0; row < 2; row++) {
      td_dmat_tmul(&Z[row], &KZ, &G);
      double k = row == column ? 0 : row ? TD_MAGNUS : -TD_MAGNUS;
      td_dmat_add_hat(&G, (td_dual){td_splat(k), td_splat(0)}, &p);
      add_block(t->H, row, column, &G);
    }
  }
}

__attribute__((noinline)) void td_interval_tables(const td_motion *o, const td_lane_composite *w,
                                                  const td_lane_full *full, td_columns what, td_tables *t) {
  td_dmat Z[2];
  half_columns c;
  batch_maps maps;
  if (what & TD_COLUMNS_SLOPES) td_motion_slopes(o, &maps.D, &maps.Ddd, &maps.rate);
  for (int z = 0; z < 2; z++) {
    strain_map(&o->a[1 - z], z ? TD_MAGNUS : -TD_MAGNUS, 0.5, &Z[z]);
    half_twist(o, &Z[z], &c);
    store_twist(w, full, &c, z, t);
    if (!(what & TD_COLUMNS_SLOPES)) continue;
    half_derivatives(o, &maps, &Z[z], z, &c);
    store_derivatives(w, full, &c, z, t);
  }
  if (what & TD_COLUMNS_SLOPES) store_curvature(o, w, Z, t);
}

void td_strip_tables(td_workspace *ws, const td_element *e, td_columns what) {
  for (int b = 0; b < e->batch_count; b++) {
    td_lane_composite w;
    td_lane_full general, *full = ws->full ? &general : NULL;
    gather(ws, e, b, &w);
    if (full) gather_full(ws, e, b, full);
    td_interval_tables(ws->motion + e->first_batch + b, &w, full, what, ws->tables + b);
  }
}
