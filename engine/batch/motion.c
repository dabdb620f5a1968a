// Kinematics of lanes of states: pass/kinematics.c, body/joint.c and body/rod/strip.c, lane by lane.
#include "batch/lanes.h"
#include "body/rod/strip_motion.h"
#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct lane_pose {
  td_vec R[9], p[3];
} lane_pose;

// out = a b, b the same in all lanes.
TD_INLINE void compose(const lane_pose *a, const td_se3 *b, lane_pose *out) {
  lane_pose r;
  for (int i = 0; i < 3; i++) {
    const td_vec *A = a->R + 3 * i;
    for (int j = 0; j < 3; j++) r.R[3 * i + j] = A[0] * b->R[j] + A[1] * b->R[3 + j] + A[2] * b->R[6 + j];
    r.p[i] = A[0] * b->p[0] + A[1] * b->p[1] + A[2] * b->p[2];
  }
  for (int i = 0; i < 3; i++) r.p[i] += a->p[i];
  *out = r;
}

TD_INLINE void move(const lane_pose *a, const lane_pose *b, lane_pose *out) {
  td_m3_mul(a->R, b->R, out->R);
  for (int i = 0; i < 3; i++) out->p[i] = td_v3_dot(a->R + 3 * i, b->p);
  for (int i = 0; i < 3; i++) out->p[i] += a->p[i];
}

static lane_pose pose_of(const td_lane_node *node) {
  lane_pose g;
  memcpy(g.R, node->R, sizeof g.R);
  memcpy(g.p, node->p, sizeof g.p);
  return g;
}
static void set_pose(td_lane_node *node, const lane_pose *g) {
  memcpy(node->R, g->R, sizeof g->R);
  memcpy(node->p, g->p, sizeof g->p);
}

static lane_pose start_frame(const td_lanes *l, const td_element *e, int node) {
  lane_pose g = pose_of(&l->node[node]);
  if (e->has_pre) compose(&g, &e->pre, &g);
  return g;
}

// out += [a, b]
TD_INLINE void bracket_add(const td_vec *a, const td_vec *b, td_vec *out) {
  td_v3_cross_add(a, b, out);
  td_v3_cross_add(a, b + 3, out + 3);
  td_v3_cross_add(a + 3, b, out + 3);
}

// ------------------------------------------------------------------------------------------------ screws

static void screw_exp(const td_element *e, td_vec q, lane_pose *g) {
  const double *w = e->screw, *v = e->screw + 3;
  if (!e->rotates) {
    for (int i = 0; i < 9; i++) g->R[i] = td_splat(i % 4 == 0);
    for (int i = 0; i < 3; i++) g->p[i] = v[i] * q;
    return;
  }
  td_vec s, c, h;
  for (int i = 0; i < TD_LANES; i++) {
    double sine, cosine;
    sincos(q[i], &sine, &cosine);
    s[i] = sine, c[i] = cosine;
    h[i] = cosine > 0 ? sine * sine / (1 + cosine) : 1 - cosine;
  }
  const td_vec R[9] = {c + h * w[0] * w[0],        h * w[0] * w[1] - s * w[2], h * w[0] * w[2] + s * w[1],
                       h * w[0] * w[1] + s * w[2], c + h * w[1] * w[1],        h * w[1] * w[2] - s * w[0],
                       h * w[0] * w[2] - s * w[1], h * w[1] * w[2] + s * w[0], c + h * w[2] * w[2]};
  memcpy(g->R, R, sizeof R);
  for (int i = 0; i < 3; i++) g->p[i] = v[i] * q;
}

static void screw_pose(td_lanes *l, const td_element *e) {
  lane_pose start = start_frame(l, e, e->start), motion, end;
  screw_exp(e, l->q[e->coordinate], &motion);
  move(&start, &motion, &end);
  set_pose(&l->node[e->end], &end);
  const double *w = e->screw, *v = e->screw + 3;
  td_vec *s = l->screw[e - l->model->element];
  for (int i = 0; i < 3; i++) {
    const td_vec *R = start.R + 3 * i;
    s[i] = R[0] * w[0] + R[1] * w[1] + R[2] * w[2];
    s[3 + i] = R[0] * v[0] + R[1] * v[1] + R[2] * v[2];
  }
  td_v3_cross_add(start.p, s, s + 3);
}

static void screw_rates(td_lanes *l, const td_element *e, td_level first, td_level last) {
  const td_lane_node *from = &l->node[e->start];
  td_lane_node *to = &l->node[e->end];
  const td_vec *s = l->screw[e - l->model->element];
  td_vec sd[6];
  for (int i = 0; i < 6; i++) sd[i] = s[i] * l->qd[e->coordinate];
  for (int i = 0; i < 6 && first <= TD_LEVEL_TWIST; i++) to->V[i] = from->V[i] + sd[i];
  if (last < TD_LEVEL_ACCELERATION) return;
  for (int i = 0; i < 6; i++) to->A[i] = from->A[i] + s[i] * l->qdd[e->coordinate];
  bracket_add(from->V, sd, to->A);
}

// ------------------------------------------------------------------------------------------------ strips

// a_z = rest_z + sum_c phi_cz x_c of one interval, for both Zanna points; rest NULL: rates.
static void strains(const td_element *e, int interval, const td_vec *x, bool rest, td_dvec a[2]) {
  int batch = interval / TD_LANES, lane = interval % TD_LANES, stride = e->npad + TD_LANES;
  const td_vec *rest_lane = e->rest_lane + 12 * batch;
  for (int z = 0; z < 2; z++)
    for (int i = 0; i < 3; i++) {
      a[z].re[i] = td_splat(rest ? rest_lane[6 * z + i][lane] : 0);
      a[z].du[i] = td_splat(rest ? rest_lane[6 * z + 3 + i][lane] : 0);
    }
  const double *phi = e->phi_column + 2 * interval * stride;
  for (int g = 0; g < e->group_count; g++) {
    const td_group *group = &e->group[g];
    td_vec sum[2] = {td_splat(0), td_splat(0)};
    for (int c = group->first; c < group->first + group->count; c++) {
      sum[0] += phi[c] * x[c];
      sum[1] += phi[stride + c] * x[c];
    }
    for (int z = 0; z < 2; z++) {
      td_vec *row = group->component < 3 ? &a[z].re[group->component] : &a[z].du[group->component - 3];
      *row += sum[z];
    }
  }
}

static void strip_pose(td_lanes *l, const td_element *e, td_motion *o, int i) {
  strains(e, i, l->q + e->coordinate, true, o->a);
  td_motion_pose(o);
  lane_pose start = start_frame(l, e, e->from[i]), step, end;
  memcpy(step.R, o->R, sizeof step.R);
  memcpy(step.p, o->p, sizeof step.p);
  memcpy(o->R, start.R, sizeof start.R);
  memcpy(o->p, start.p, sizeof start.p);
  move(&start, &step, &end);
  if (e->has_post) compose(&end, &e->post, &end);
  set_pose(&l->node[e->to[i]], &end);
  td_motion_adjoint(o);
}

TD_INLINE void unfold(const td_dvec *x, td_vec out[6]) {
  for (int i = 0; i < 3; i++) out[i] = x->re[i], out[3 + i] = x->du[i];
}
TD_INLINE void fold(const td_vec x[6], td_dvec *out) {
  for (int i = 0; i < 3; i++) out->re[i] = x[i], out->du[i] = x[3 + i];
}

static void strip_twist(td_lanes *l, const td_element *e, td_motion *o, int i) {
  const td_lane_node *from = &l->node[e->from[i]];
  td_lane_node *to = &l->node[e->to[i]];
  td_vec sigma[6];
  strains(e, i, l->qd + e->coordinate, false, o->ad);
  td_motion_twist(o);
  o->sigma = td_dmat_vec(&o->Ad, &o->sigma);
  unfold(&o->sigma, sigma);
  fold(from->V, &o->V0);
  for (int k = 0; k < 6; k++) to->V[k] = from->V[k] + sigma[k];
  fold(to->V, &o->V1);
}

static void strip_acceleration(td_lanes *l, const td_element *e, td_motion *o, int i) {
  const td_lane_node *from = &l->node[e->from[i]];
  td_lane_node *to = &l->node[e->to[i]];
  td_vec sigma[6], beta[6];
  strains(e, i, l->qdd + e->coordinate, false, o->add);
  td_motion_acceleration(o);
  o->beta = td_dmat_vec(&o->Ad, &o->beta);
  unfold(&o->sigma, sigma);
  unfold(&o->beta, beta);
  for (int k = 0; k < 6; k++) to->A[k] = from->A[k] + beta[k];
  bracket_add(from->V, sigma, to->A);
  fold(to->A, &o->A1);
}

static void strip_motion(td_lanes *l, const td_element *e, td_level first, td_level last) {
  for (int i = 0; i < e->interval_count; i++) {
    td_motion *o = &l->motion[l->first_interval[e - l->model->element] + i];
    if (first <= TD_LEVEL_POSE) strip_pose(l, e, o, i);
    if (first <= TD_LEVEL_TWIST && last >= TD_LEVEL_TWIST) strip_twist(l, e, o, i);
    if (last >= TD_LEVEL_ACCELERATION) strip_acceleration(l, e, o, i);
  }
}

// ------------------------------------------------------------------------------------------------ the pass

static void fixed_motion(td_lanes *l, const td_element *e, td_level first, td_level last) {
  const td_lane_node *from = &l->node[e->start];
  td_lane_node *to = &l->node[e->end];
  if (first <= TD_LEVEL_POSE) {
    lane_pose g = start_frame(l, e, e->start);
    set_pose(to, &g);
  }
  if (first <= TD_LEVEL_TWIST && last >= TD_LEVEL_TWIST) memcpy(to->V, from->V, sizeof to->V);
  if (last >= TD_LEVEL_ACCELERATION) memcpy(to->A, from->A, sizeof to->A);
}

static void element_motion(td_lanes *l, const td_element *e, td_level first, td_level last) {
  switch (e->type) {
  case TD_ELEMENT_FIXED:
    fixed_motion(l, e, first, last);
    break;
  case TD_ELEMENT_SCREW:
    if (first <= TD_LEVEL_POSE) screw_pose(l, e);
    if (last >= TD_LEVEL_TWIST) screw_rates(l, e, first, last);
    break;
  case TD_ELEMENT_STRIP:
    strip_motion(l, e, first, last);
    break;
  case TD_ELEMENT_RITZ:
    assert(false); // td_lanes_serve
  }
}

static void place_origin(td_lanes *l) {
  const td_model *m = l->model;
  const td_element *e = &m->element[0];
  td_lane_node *root = &l->node[0];
  for (int i = 0; i < 9; i++) root->R[i] = td_splat(i % 4 == 0);
  for (int i = 0; i < 3; i++) root->p[i] = td_splat(0);
  if (m->floating) element_motion(l, e, TD_LEVEL_POSE, TD_LEVEL_POSE);
  for (int i = 0; i < 3; i++) l->origin[i] = m->floating ? l->node[e->end].p[i] : td_splat(e->pre.p[i]);
  for (int i = 0; i < 3; i++) root->p[i] = -l->origin[i];
}

void td_lanes_motion(td_lanes *l, td_level first, td_level last) {
  const td_model *m = l->model;
  td_lane_node *root = &l->node[0];
  assert(first <= last);
  if (first == TD_LEVEL_POSE) place_origin(l);
  for (int i = 0; i < 3; i++) {
    root->V[i] = root->V[3 + i] = root->A[i] = td_splat(0);
    root->A[3 + i] = td_splat(-m->gravity[i]);
  }
  for (int i = 0; i < m->element_count; i++) element_motion(l, &m->element[i], first, last);
}
