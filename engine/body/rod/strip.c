// Kinematics of a strip: strains at the Zanna points, Magnus vector, exponential, twists (model.h, lie/tangent.h).
//
// Eight intervals go through everything but the chaining of poses and twists together (strip_motion.h).
#include "body/rod/strip.h"
#include "body/rod/strip_motion.h"
#include "lie/vec3.h"
#include <assert.h>
#include <string.h>

// a_z = rest_z + sum_c phi_cz x_c, for both Zanna points; rest NULL: rates.
TD_INLINE void strains(const td_element *e, int batch, const double *x, const td_vec *rest, td_dvec a[2]) {
  const td_vec *phi = e->phi_lane + 2 * batch * e->n;
  for (int z = 0; z < 2; z++)
    for (int i = 0; i < 3; i++) {
      a[z].re[i] = rest ? rest[6 * z + i] : td_splat(0);
      a[z].du[i] = rest ? rest[6 * z + 3 + i] : td_splat(0);
    }
  for (int g = 0; g < e->group_count; g++) {
    const td_group *group = &e->group[g];
    td_vec sum[2] = {td_splat(0), td_splat(0)};
    for (int c = group->first; c < group->first + group->count; c++) {
      sum[0] += phi[2 * c] * x[c];
      sum[1] += phi[2 * c + 1] * x[c];
    }
    for (int z = 0; z < 2; z++) {
      td_vec *row = group->component < 3 ? &a[z].re[group->component] : &a[z].du[group->component - 3];
      *row += sum[z];
    }
  }
}

TD_INLINE void batch_poses(const td_element *e, td_motion *o, int batch, const double *q) {
  strains(e, batch, q, e->rest_lane + 12 * batch, o->a);
  td_motion_pose(o);
}

TD_INLINE void batch_twists(const td_element *e, td_motion *o, int batch, const double *qd) {
  strains(e, batch, qd, NULL, o->ad);
  td_motion_twist(o);
}

TD_INLINE void batch_accelerations(const td_element *e, td_motion *o, int batch, const double *qdd) {
  strains(e, batch, qdd, NULL, o->add);
  td_motion_acceleration(o);
}

// Poses along the strip, one after the other; exp(Omega) in the lanes is replaced by the start frame.
TD_INLINE void chain_poses(td_workspace *ws, const td_element *e, td_motion *motion) {
  for (int i = 0; i < e->interval_count; i++) {
    double *R = (double *)motion[i / TD_LANES].R + i % TD_LANES, *p = (double *)motion[i / TD_LANES].p + i % TD_LANES;
    td_se3 start = ws->pose[e->from[i]], step, end;
    if (e->has_pre) td_se3_compose(&start, &e->pre, &start);
    for (int k = 0; k < 9; k++) step.R[k] = R[k * TD_LANES], R[k * TD_LANES] = start.R[k];
    for (int k = 0; k < 3; k++) step.p[k] = p[k * TD_LANES], p[k * TD_LANES] = start.p[k];
    td_mat3_mul(start.R, step.R, end.R);
    td_mat3_vec(start.R, step.p, end.p);
    for (int k = 0; k < 3; k++) end.p[k] += start.p[k];
    if (e->has_post) td_se3_compose(&end, &e->post, &end);
    ws->pose[e->to[i]] = end;
  }
}

TD_INLINE void lane_get(const td_dvec *v, int lane, double out[6]) {
  for (int i = 0; i < 3; i++) out[i] = v->re[i][lane], out[3 + i] = v->du[i][lane];
}
TD_INLINE void lane_set(td_dvec *v, int lane, const double in[6]) {
  for (int i = 0; i < 3; i++) v->re[i][lane] = in[i], v->du[i][lane] = in[3 + i];
}

TD_INLINE void chain_twists(td_workspace *ws, const td_element *e, td_motion *motion, const td_sweep *sweep) {
  bool twists = td_sweeps(sweep, TD_LEVEL_TWIST), accelerations = td_sweeps(sweep, TD_LEVEL_ACCELERATION);
  for (int i = 0; i < e->interval_count; i++) {
    td_motion *o = &motion[i / TD_LANES];
    int lane = i % TD_LANES, from = e->from[i], to = e->to[i];
    double sigma[6], beta[6], A[6];
    lane_get(&o->sigma, lane, sigma);
    const double *V = ws->V[from];
    if (twists) {
      lane_set(&o->V0, lane, V);
      for (int k = 0; k < 6; k++) ws->V[to][k] = V[k] + sigma[k];
      lane_set(&o->V1, lane, ws->V[to]);
    }
    if (!accelerations) continue;
    lane_get(&o->beta, lane, beta);
    for (int k = 0; k < 6; k++) A[k] = ws->A[from][k] + beta[k];
    td_bracket_add(V, sigma, A);
    memcpy(ws->A[to], A, sizeof A);
    lane_set(&o->A1, lane, A);
  }
}

void td_strip_motion(const td_model *m, td_workspace *ws, const td_element *e, const td_sweep *sweep) {
  bool poses = td_sweeps(sweep, TD_LEVEL_POSE), twists = td_sweeps(sweep, TD_LEVEL_TWIST),
       accelerations = td_sweeps(sweep, TD_LEVEL_ACCELERATION);
  td_motion *motion = ws->motion + e->first_batch;
  (void)m;
  assert(poses || td_holds(ws, TD_HOLDS_POSES)); // stages before the first are not done again
  assert(e->first_batch + e->batch_count <= m->strip_batches);
  for (int b = 0; b < e->batch_count; b++) {
    if (poses) batch_poses(e, &motion[b], b, sweep->q + e->coordinate);
    if (twists) batch_twists(e, &motion[b], b, sweep->qd + e->coordinate);
    if (accelerations) batch_accelerations(e, &motion[b], b, sweep->qdd + e->coordinate);
  }
  if (poses) chain_poses(ws, e, motion);
  for (int b = 0; b < e->batch_count; b++) {
    td_motion *o = &motion[b];
    if (poses) td_motion_adjoint(o);
    if (twists) o->sigma = td_dmat_vec(&o->Ad, &o->sigma);
    if (accelerations) o->beta = td_dmat_vec(&o->Ad, &o->beta);
  }
  if (twists || accelerations) chain_twists(ws, e, motion, sweep);
}

// Of the wrenches beyond each interval:  id_c = sum_j (phi1_cj y1_j + phi2_cj y2_j)[a(c)].
TD_INLINE void project(const td_element *e, int batch, const td_vec y[12], double *out) {
  int stride = e->npad + TD_LANES, first = batch * TD_LANES, last = e->interval_count - first;
  if (last > TD_LANES) last = TD_LANES;
  for (int g = 0; g < e->group_count; g++) {
    const td_group *group = &e->group[g];
    const double *y1 = (const double *)&y[group->component], *y2 = (const double *)&y[6 + group->component];
    for (int c = group->first; c < group->first + group->count; c += TD_LANES) {
      td_vec sum = td_splat(0);
      for (int i = 0; i < last; i++) {
        const double *phi = e->phi_column + 2 * (first + i) * stride + c;
        sum += *(const td_vecu *)phi * y1[i] + *(const td_vecu *)(phi + stride) * y2[i];
      }
      int count = group->first + group->count - c < TD_LANES ? group->first + group->count - c : TD_LANES;
      for (int l = 0; l < count; l++) out[c + l] += sum[l];
    }
  }
}

void td_strip_project(const td_model *m, const td_workspace *ws, const td_element *e, double *out) {
  (void)m;
  const td_motion *motion = ws->motion + e->first_batch;
  assert(td_holds(ws, TD_HOLDS_POSES | TD_HOLDS_COMPOSITES));
  memset(out, 0, (size_t)e->n * sizeof(double));
  for (int b = 0; b < e->batch_count; b++) {
    td_dvec F = {0};
    td_vec y[12];
    for (int l = 0; l < TD_LANES && b * TD_LANES + l < e->interval_count; l++) {
      const double *wrench = ws->composite[e->to[b * TD_LANES + l]].F;
      for (int i = 0; i < 3; i++) F.re[i][l] = wrench[3 + i], F.du[i][l] = wrench[i];
    }
    td_motion_projection(&motion[b], &F, y);
    project(e, b, y, out);
  }
}
