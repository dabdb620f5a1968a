// Sums over the particles of sections that deform, in the world frame, eight particles at a time.
//
// A particle rests at y(p; X) in its section: position r = p0 + R y, with J_d = R dy/dp_d, and along the motion
//   v = v0 + w x r + R y',   a = a0 + al x r + w x (v0 + w x r) + 2 w x R y' + R y'',   lambda = m a,
//   F = sum (r x lambda, lambda),   pi_d = sum J_d . lambda,   U_d = sum m (r x J_d, J_d),   mass_de = sum m J_d . J_e.
// Derivatives seen from the node's frame (Pustina2024 with the corrections of engine/README.md):
//   B11 = 2 sum m ((r.v) 1 - v r^T), p = 2 sum m v        W_d = 2 sum m v x J_d
//   dq:   da_e = al x J_e + w x (w x J_e) + 2 w x J_e' + J_e'',   dF_e = sum (J_e x lambda + r x m da_e, m da_e),
//         dpi_de = sum J_d . m da_e + lambda . R d2y/dp_d dp_e
//   dqd:  db_e = 2 w x J_e + 2 J_e' in place of da_e, without the terms of lambda.
// Displaced fluid: particles move with A + (0, lift), lift = rho_w/rho gravity, fixed in the world. Seen from the frame
// it turns:
//   N += M ad_(0, lift),   N_d = sum m J_d x lift.
// J', J'' are rates along p(t): all of it comes from the third-order polynomials of the section map.
#include "body/section/slice.h"
#include "lie/vec3.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static double field(const double *phi, const double *q, int n) {
  double sum = 0;
  for (int c = 0; c < n; c++) sum += phi[c] * q[c];
  return sum;
}

void td_slice_fields(const td_model *m, td_workspace *ws, const td_element *e, const td_sweep *sweep) {
  const td_rod *rod = &m->rod[e->rod];
  int stride = e->npad + TD_LANES, c = e->coordinate;
  assert(rod->section && rod->section->fields <= 4);
  for (int i = rod->first_slice; i < rod->first_slice + rod->slice_count; i++)
    for (int d = 0; d < rod->section->fields; d++) {
      const double *phi = m->slice[i].phi + d * stride;
      double(*p)[4] = ws->slice_field[i];
      if (td_sweeps(sweep, TD_LEVEL_POSE)) p[0][d] = m->slice[i].rest[d] + field(phi, sweep->q + c, e->n);
      if (td_sweeps(sweep, TD_LEVEL_TWIST)) p[1][d] = field(phi, sweep->qd + c, e->n);
      if (td_sweeps(sweep, TD_LEVEL_ACCELERATION)) p[2][d] = field(phi, sweep->qdd + c, e->n);
    }
}

// ---- sums over particles

typedef struct sums {
  td_vec F[6], M[TD_INERTIA_SIZE], B[TD_ANGULAR_MAP_SIZE], pi[4], U[4][6], Gq[4][6], Gv[4][6], W[4][3], mass[4][4],
      dq[4][4], dqd[4][4];
} sums;

// What a slice's particles share: frame and motion of the node, rates of the fields.
typedef struct frame {
  const double *R, *p, *V, *A;
  double (*rate)[4];
  int fields;
} frame;

TD_INLINE void to_world(const double *R, td_vec x, td_vec y, td_vec out[3]) {
  for (int i = 0; i < 3; i++) out[i] = R[3 * i] * x + R[3 * i + 1] * y;
}
TD_INLINE void add_force(const td_vec *r, const td_vec *f, td_vec out[6]) {
  td_v3_cross_add(r, f, out);
  for (int i = 0; i < 3; i++) out[3 + i] += f[i];
}

TD_INLINE void add_inertia(td_vec weight, const td_vec *r, td_vec M[TD_INERTIA_SIZE]) {
  td_vec xx = weight * r[0] * r[0], yy = weight * r[1] * r[1], zz = weight * r[2] * r[2];
  M[0] += weight;
  for (int i = 0; i < 3; i++) M[1 + i] += weight * r[i];
  M[4] += yy + zz, M[7] += xx + zz, M[9] += xx + yy;
  M[5] -= weight * r[0] * r[1], M[6] -= weight * r[0] * r[2], M[8] -= weight * r[1] * r[2];
}

typedef struct particle {
  td_vec weight, r[3], v[3], rel[3], lambda[3], local[2]; ///< local: R^T lambda in the section
  td_vec J[4][3], Jd[4][3];
} particle;

TD_INLINE void positions(const frame *f, const td_poly y[2], td_vec weight, particle *x, sums *s) {
  x->weight = weight;
  to_world(f->R, y[0].c[0], y[1].c[0], x->r);
  for (int i = 0; i < 3; i++) x->r[i] += f->p[i];
  add_inertia(weight, x->r, s->M);
  for (int d = 0; d < f->fields; d++) {
    td_vec mJ[3];
    to_world(f->R, td_poly_first(&y[0], d), td_poly_first(&y[1], d), x->J[d]);
    for (int i = 0; i < 3; i++) mJ[i] = weight * x->J[d][i];
    add_force(x->r, mJ, s->U[d]);
    for (int e = 0; e <= d; e++) s->mass[d][e] += td_v3_dot(mJ, x->J[e]);
  }
}

TD_INLINE void motions(const frame *f, const td_poly y[2], particle *x, sums *s) {
  const double *w = f->V, *v0 = f->V + 3, *rate = f->rate[1], *second = f->rate[2];
  td_vec relative[3] = {0}, carried[3], turned[3], twice[3], a[3];
  for (int i = 0; i < 3; i++) x->rel[i] = relative[i] = td_splat(0);
  for (int d = 0; d < f->fields; d++) {
    td_vec local[2] = {td_splat(0), td_splat(0)};
    for (int e = 0; e < f->fields; e++)
      for (int i = 0; i < 2; i++) local[i] += td_poly_second(&y[i], d, e) * rate[e];
    to_world(f->R, local[0], local[1], x->Jd[d]);
    for (int i = 0; i < 3; i++) {
      x->rel[i] += x->J[d][i] * rate[d];
      relative[i] += x->J[d][i] * second[d] + x->Jd[d][i] * rate[d];
    }
  }
  td_v3_cross_const(w, x->r, carried);
  for (int i = 0; i < 3; i++) carried[i] += v0[i];
  for (int i = 0; i < 3; i++) x->v[i] = carried[i] + x->rel[i];
  td_v3_cross_const(w, carried, turned);
  td_v3_cross_const(w, x->rel, twice);
  td_v3_cross_const(f->A, x->r, a);
  for (int i = 0; i < 3; i++)
    x->lambda[i] = x->weight * (f->A[3 + i] + a[i] + turned[i] + 2.0 * twice[i] + relative[i]);
  add_force(x->r, x->lambda, s->F);
  for (int d = 0; d < f->fields; d++) s->pi[d] += td_v3_dot(x->J[d], x->lambda);
  for (int i = 0; i < 2; i++)
    x->local[i] = f->R[i] * x->lambda[0] + f->R[3 + i] * x->lambda[1] + f->R[6 + i] * x->lambda[2];
}

TD_INLINE void coriolis(const particle *x, int fields, sums *s) {
  td_vec rv = td_v3_dot(x->r, x->v), twice = 2.0 * x->weight;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) s->B[3 * i + j] -= twice * x->v[i] * x->r[j];
    s->B[4 * i] += twice * rv;
    s->B[9 + i] += twice * x->v[i];
  }
  for (int d = 0; d < fields; d++) {
    td_vec vJ[3];
    td_v3_cross(x->v, x->J[d], vJ);
    for (int i = 0; i < 3; i++) s->W[d][i] += twice * vJ[i];
  }
}

// J_e'' in the world: R (d2y p'' + d3y p' p').
TD_INLINE void second_rate(const frame *f, const td_poly y[2], int e, td_vec out[3]) {
  td_vec local[2] = {td_splat(0), td_splat(0)};
  for (int d = 0; d < f->fields; d++)
    for (int i = 0; i < 2; i++) {
      td_vec third = td_splat(0);
      for (int g = 0; g < f->fields; g++) third += td_poly_third(&y[i], e, d, g) * f->rate[1][g];
      local[i] += td_poly_second(&y[i], e, d) * f->rate[2][d] + third * f->rate[1][d];
    }
  to_world(f->R, local[0], local[1], out);
}

TD_INLINE void derivatives(const frame *f, const td_poly y[2], const particle *x, sums *s) {
  const double *w = f->V;
  for (int e = 0; e < f->fields; e++) {
    td_vec da[3], wJ[3], wwJ[3], wJd[3], db[3];
    second_rate(f, y, e, da);
    td_v3_cross_const(w, x->J[e], wJ);
    td_v3_cross_const(w, wJ, wwJ);
    td_v3_cross_const(w, x->Jd[e], wJd);
    td_vec alJ[3];
    td_v3_cross_const(f->A, x->J[e], alJ);
    for (int i = 0; i < 3; i++) {
      da[i] = x->weight * (da[i] + alJ[i] + wwJ[i] + 2.0 * wJd[i]);
      db[i] = x->weight * 2.0 * (wJ[i] + x->Jd[e][i]);
    }
    add_force(x->r, da, s->Gq[e]);
    td_v3_cross_add(x->J[e], x->lambda, s->Gq[e]);
    add_force(x->r, db, s->Gv[e]);
    for (int d = 0; d < f->fields; d++) {
      s->dq[d][e] += td_v3_dot(x->J[d], da) + x->local[0] * td_poly_second(&y[0], d, e) +
                     x->local[1] * td_poly_second(&y[1], d, e);
      s->dqd[d][e] += td_v3_dot(x->J[d], db);
    }
  }
}

TD_INLINE void totals(const td_vec *from, int count, double *to) {
  for (int i = 0; i < count; i++) to[i] += td_total(from[i]);
}

static void store(const sums *s, td_composite_level level, td_composite *c, td_slice_state *out) {
  totals(s->M, TD_INERTIA_SIZE, c->M);
  totals(&s->U[0][0], 24, &out->U[0][0]);
  for (int d = 0; d < 4; d++)
    for (int e = 0; e <= d; e++) out->mass[d][e] = out->mass[e][d] = td_total(s->mass[d][e]);
  if (level == TD_COMPOSITE_MASS) return;
  totals(s->F, 6, c->F);
  totals(s->pi, 4, out->pi);
  if (level < TD_COMPOSITE_ALL) return;
  totals(s->B, TD_ANGULAR_MAP_SIZE, c->B);
  totals(&s->Gq[0][0], 24, &out->Gq[0][0]);
  totals(&s->Gv[0][0], 24, &out->Gv[0][0]);
  totals(&s->W[0][0], 12, &out->W[0][0]);
  totals(&s->dq[0][0], 16, &out->dq[0][0]);
  totals(&s->dqd[0][0], 16, &out->dqd[0][0]);
}

// N of the displaced fluid.
static void add_lift(const double lift[3], int fields, td_composite *c, td_slice_state *s) {
  td_composite_lift(c, lift);
  for (int d = 0; d < fields; d++) td_vec3_cross_add(s->U[d] + 3, lift, s->N[d]);
}

static void slice_at(const td_model *m, td_workspace *ws, int index, const double *gravity, td_composite_level level) {
  const td_slice *slice = &m->slice[index];
  const td_section_row *row = m->rod[slice->rod].section;
  int node = slice->node, order = level == TD_COMPOSITE_MASS ? 1 : level == TD_COMPOSITE_WRENCH ? 2 : 3;
  double A[6], lift[3];
  memcpy(A, ws->A[node], sizeof A);
  for (int i = 0; i < 3 && order >= 2; i++) lift[i] = slice->displaced * gravity[i], A[3 + i] += lift[i];
  frame f = {ws->pose[node].R, ws->pose[node].p, ws->V[node], A, ws->slice_field[index], row->fields};
  sums s;
  memset(&s, 0, sizeof s);
  for (int b = 0; b < slice->batch_count; b++) {
    td_poly y[2];
    particle x;
    row->map(&slice->points[b], f.rate[0], order, y);
    positions(&f, y, slice->density * slice->points[b].weight, &x, &s);
    if (order >= 2) motions(&f, y, &x, &s);
    if (order >= 3) coriolis(&x, f.fields, &s);
    if (order >= 3) derivatives(&f, y, &x, &s);
  }
  store(&s, level, &ws->composite[node], &ws->slice[index]);
  if (order >= 3 && slice->displaced > 0) add_lift(lift, f.fields, &ws->composite[node], &ws->slice[index]);
}

void td_slice_nodes(const td_model *m, td_workspace *ws, const double *gravity, td_composite_level level) {
  for (int i = 0; i < m->slice_count; i++)
    if (m->slice[i].batch_count) slice_at(m, ws, i, gravity, level);
}

void td_slice_project(const td_model *m, const td_workspace *ws, const td_element *e, double *out) {
  const td_rod *rod = &m->rod[e->rod];
  int stride = e->npad + TD_LANES;
  for (int i = rod->first_slice; i < rod->first_slice + rod->slice_count; i++)
    for (int d = 0; d < rod->section->fields; d++)
      for (int c = 0; c < e->n; c++) out[c] += m->slice[i].phi[d * stride + c] * ws->slice[i].pi[d];
}

double td_slice_kinetic(const td_model *m, const td_workspace *ws) {
  double energy = 0;
  for (int i = 0; i < m->slice_count; i++) {
    const double *rate = ws->slice_field[i][1], *V = ws->V[m->slice[i].node];
    int fields = m->rod[m->slice[i].rod].section->fields;
    for (int d = 0; d < fields; d++) {
      energy += rate[d] * td_dot6(ws->slice[i].U[d], V);
      for (int e = 0; e < fields; e++) energy += 0.5 * rate[d] * rate[e] * ws->slice[i].mass[d][e];
    }
  }
  return energy;
}
