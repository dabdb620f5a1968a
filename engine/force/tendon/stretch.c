// Straight stretches of tendons between bodies: length |p_b - p_a|, forces and their derivatives.
//
// With unit vector n from a to b and tension u: tau = -u dl/dq = Jp_a^T u n - Jp_b^T u n, and
//   dtau/dq = [d(Jp^T f)/dq at world-fixed forces f] - (u/l) (Jp_b - Jp_a)^T (1 - n n^T) (Jp_b - Jp_a).
// The first part is the derivative pass of inverse dynamics with these forces as the only ones (massless, at rest). A
// stretch of length 0 (the same material point, or points that meet) pulls nothing and adds nothing.
// Tendons through material points of reduced bodies run in the model's guide (model.h): steps from station to station.
#include "force/tendon/tendon.h"
#include "lie/vec3.h"
#include "pass/columns.h"
#include "pass/composite_nodes.h"
#include "pass/jacobian.h"
#include "pass/kinematics.h"
#include <math.h>
#include <string.h>

typedef struct straight {
  double a[3], b[3], n[3], length;
} straight;

// Lane `lane` of where a section map put a mark: ws->mark, in the world.
static void put_mark(const td_workspace *ws, const td_slice *slice, int fields, const td_poly y[2], int lane,
                     td_mark_state *out) {
  const double *R = ws->pose[slice->node].R;
  double local[3] = {y[0].c[0][lane], y[1].c[0][lane], 0};
  td_node_point(ws, slice->node, local, out->position);
  for (int d = 0; d < fields; d++) {
    double first[3] = {td_poly_first(&y[0], d)[lane], td_poly_first(&y[1], d)[lane], 0};
    td_mat3_vec(R, first, out->J[d]);
    for (int e = 0; e <= d; e++) {
      double twice[3] = {td_poly_second(&y[0], d, e)[lane], td_poly_second(&y[1], d, e)[lane], 0};
      td_mat3_vec(R, twice, out->second[d][e]);
      memcpy(out->second[e][d], out->second[d][e], sizeof out->second[e][d]);
    }
  }
}

// Kinematics and, from it, all marks.
static void move(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                 td_level level) {
  static const double ZERO[3] = {0};
  td_kinematics(m, ws, q, qd, qdd, ZERO, level);
  for (int i = 0; i < m->mark_batch_count; i++) {
    const td_mark_batch *b = &m->mark_batch[i];
    const td_slice *slice = &m->slice[b->slice];
    const td_section_row *row = m->rod[slice->rod].section;
    td_poly y[2];
    row->map(&b->points, ws->slice_field[b->slice][0], 2, y);
    for (int l = 0; l < b->count; l++) put_mark(ws, slice, row->fields, y, l, &ws->mark[b->mark[l]]);
  }
}

static void end_position(const td_workspace *ws, int node, int mark, const double local[3], double out[3]) {
  if (mark < 0)
    td_node_point(ws, node, local, out);
  else
    memcpy(out, ws->mark[mark].position, 3 * sizeof *out);
}

// A force f on an end, fixed in the world: on its node, and on the fields that move it there (lambda = -f in id):
//   pi_d = J_d . lambda,  dpi_d/dp_e = lambda . d2x/dp_d dp_e,  dF/dp_d = (J_d x lambda, 0),  N_d = J_d x lambda.
static void pull_end(const td_model *m, td_workspace *ws, int node, int mark, const double at[3], const double f[3]) {
  static const double ZERO[3] = {0};
  td_composite_apply(&ws->composite[node], ZERO, f, at);
  if (mark < 0) return;
  const td_mark_state *end = &ws->mark[mark];
  td_slice_state *s = &ws->slice[m->mark[mark].slice];
  int fields = m->rod[m->slice[m->mark[mark].slice].rod].section->fields;
  for (int d = 0; d < fields; d++) {
    double moment[3];
    td_vec3_cross(f, end->J[d], moment); // J x (-f)
    s->pi[d] -= td_vec3_dot(end->J[d], f);
    for (int i = 0; i < 3; i++) s->Gq[d][i] += moment[i], s->N[d][i] += moment[i];
    for (int e = 0; e < fields; e++) s->dq[d][e] -= td_vec3_dot(end->second[d][e], f);
  }
}

static bool straight_at(const td_workspace *ws, const td_tendon_stretch *s, straight *out) {
  end_position(ws, s->node_a, s->mark_a, s->a, out->a);
  end_position(ws, s->node_b, s->mark_b, s->b, out->b);
  double scale = 0;
  for (int i = 0; i < 3; i++) out->n[i] = out->b[i] - out->a[i], scale += fabs(out->a[i]) + fabs(out->b[i]);
  out->length = sqrt(td_vec3_dot(out->n, out->n));
  if (out->length <= 1e-13 * scale || out->length == 0) return false;
  for (int i = 0; i < 3; i++) out->n[i] /= out->length;
  return true;
}

// Composites that hold nothing but the tensions: F = -W, N their stiffness. factor [stretches]: of friction, NULL
// without.
static double share_of(const double *factor, int stretch) { return factor ? factor[stretch] : 1; }

static void tension_composites(const td_model *m, td_workspace *ws, const double *tension, const double *factor) {
  td_composite_clear(m, ws);
  ws->world_forces = 1;
  for (int i = 0; i < m->stretch_count; i++) {
    const td_tendon_stretch *s = &m->stretch[i];
    straight x;
    if (tension[s->tendon] == 0 || !straight_at(ws, s, &x)) continue;
    double pull[3], back[3];
    double share = share_of(factor, i) * tension[s->tendon];
    for (int k = 0; k < 3; k++) pull[k] = share * x.n[k], back[k] = -pull[k];
    pull_end(m, ws, s->node_a, s->mark_a, x.a, pull);
    pull_end(m, ws, s->node_b, s->mark_b, x.b, back);
  }
}

void td_stretch_forces(const td_model *m, td_workspace *ws, const double *q, const double *tension, double *tau) {
  if (m->guide) m = m->guide, ws = ws->guide;
  double *generalized = ws->scratch + m->channel_count + m->ld;
  move(m, ws, q, NULL, NULL, TD_LEVEL_POSE);
  tension_composites(m, ws, tension, NULL);
  td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
  memset(generalized, 0, (size_t)m->n * sizeof *generalized);
  td_composite_project(m, ws, generalized);
  for (int i = 0; i < m->n; i++) tau[i] -= generalized[i];
}

// What the local fields of a mark add to the columns of its body.
static void add_mark_columns(const td_model *m, const td_workspace *ws, int mark, double sign, double *D) {
  const td_slice *slice = &m->slice[m->mark[mark].slice];
  const td_rod *rod = &m->rod[slice->rod];
  const td_element *e = &m->element[rod->element];
  for (int c = 0; c < e->n; c++) {
    int d = rod->local_of[c];
    for (int i = 0; d >= 0 && i < 3; i++)
      D[i * m->n + e->coordinate + c] += sign * slice->phi[d * (e->npad + TD_LANES) + c] * ws->mark[mark].J[d][i];
  }
}

// D [3][n] = Jp_b - Jp_a: velocities of the two points' difference.
static void difference_jacobian(const td_model *m, td_workspace *ws, const td_tendon_stretch *s, const straight *x,
                                double *D) {
  double *J = ws->solution;
  memset(D, 0, 3 * (size_t)m->n * sizeof *D);
  for (int end = 0; end < 2; end++) {
    const double *p = end ? x->b : x->a, sign = end ? 1 : -1;
    td_node_jacobian(m, ws, end ? s->node_b : s->node_a, J);
    for (int c = 0; c < m->n; c++) {
      double w[3] = {J[c], J[m->n + c], J[2 * m->n + c]}, v[3] = {J[3 * m->n + c], J[4 * m->n + c], J[5 * m->n + c]};
      td_vec3_cross_add(w, p, v);
      for (int i = 0; i < 3; i++) D[i * m->n + c] += sign * v[i];
    }
    if ((end ? s->mark_b : s->mark_a) >= 0) add_mark_columns(m, ws, end ? s->mark_b : s->mark_a, sign, D);
  }
}

static void add_direction_change(const td_model *m, td_workspace *ws, const double *D, const straight *x,
                                 double tension) {
  double *along = ws->scratch + m->channel_count + m->ld;
  for (int c = 0; c < m->n; c++) along[c] = x->n[0] * D[c] + x->n[1] * D[m->n + c] + x->n[2] * D[2 * m->n + c];
  for (int r = 0; r < m->n; r++)
    for (int c = 0; c < m->n; c++)
      ws->dtau_dq[r * m->ld + c] -=
          tension / x->length *
          (D[r] * D[c] + D[m->n + r] * D[m->n + c] + D[2 * m->n + r] * D[2 * m->n + c] - along[r] * along[c]);
}

// The guide's matrix, added to that of the model.
static void guided_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *tension,
                               const double *factor) {
  td_workspace *guide = ws->guide;
  size_t size = (size_t)(m->n * m->ld);
  memset(guide->dtau_dq, 0, size * sizeof *guide->dtau_dq);
  td_stretch_derivatives(m->guide, guide, q, tension, factor);
  for (size_t i = 0; i < size; i++) ws->dtau_dq[i] += guide->dtau_dq[i];
}

void td_stretch_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *tension,
                            const double *factor) {
  if (m->guide) {
    guided_derivatives(m, ws, q, tension, factor);
    return;
  }
  move(m, ws, q, ws->zero, ws->zero, TD_LEVEL_ACCELERATION);
  tension_composites(m, ws, tension, factor);
  td_composite_sum(m, ws, TD_COMPOSITE_ALL);
  td_columns_of(m, ws, TD_COLUMNS_SLOPES);
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->n; j++) ws->dtau_dq[i * m->ld + j] -= ws->did_dq[i * m->ld + j];
  double *D = ws->solution + 6 * m->n;
  for (int i = 0; i < m->stretch_count; i++) {
    const td_tendon_stretch *s = &m->stretch[i];
    straight x;
    if (tension[s->tendon] == 0 || !straight_at(ws, s, &x)) continue;
    difference_jacobian(m, ws, s, &x, D);
    add_direction_change(m, ws, D, &x, share_of(factor, i) * tension[s->tendon]);
  }
}

bool td_stretch_line(const td_model *m, td_workspace *ws, const double *q, int stretch, double n[3], double *D,
                     double *length) {
  if (m->guide) m = m->guide, ws = ws->guide;
  straight x;
  move(m, ws, q, NULL, NULL, TD_LEVEL_POSE);
  memset(D, 0, 3 * (size_t)m->n * sizeof *D);
  memset(n, 0, 3 * sizeof *n);
  *length = 0;
  if (!straight_at(ws, &m->stretch[stretch], &x)) return false;
  difference_jacobian(m, ws, &m->stretch[stretch], &x, D);
  memcpy(n, x.n, sizeof x.n);
  *length = x.length;
  return true;
}

void td_stretch_lengths(const td_model *m, td_workspace *ws, const double *q, double *length, double *dlength_dq) {
  if (m->guide) m = m->guide, ws = ws->guide;
  move(m, ws, q, NULL, NULL, TD_LEVEL_POSE);
  td_composite_clear(m, ws);
  double *unit = ws->scratch, *generalized = ws->scratch + m->channel_count + m->ld;
  for (int i = 0; i < m->stretch_count; i++) {
    straight x;
    if (straight_at(ws, &m->stretch[i], &x)) length[m->stretch[i].tendon] += x.length;
  }
  for (int t = 0; dlength_dq && t < m->tendon_count; t++) {
    for (int k = 0; k < m->tendon_count; k++) unit[k] = k == t;
    tension_composites(m, ws, unit, NULL);
    td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
    memset(generalized, 0, (size_t)m->n * sizeof *generalized);
    td_composite_project(m, ws, generalized);
    for (int i = 0; i < m->n; i++) dlength_dq[t * m->n + i] += generalized[i];
  }
}

// Adds sign times velocity and acceleration of one end to v, a: v0 + w x p, a0 + al x p + w x (v0 + w x p), and what
// local fields add: their velocity u = J p' in the world, 2 w x u, J p'' + d2x(p', p').
static void end_motion(const td_model *m, const td_workspace *ws, int node, int mark, const double *at, double sign,
                       double v[3], double a[3]) {
  const double *V = ws->V[node], *A = ws->A[node];
  double carried[3], own[3] = {0}, second[3] = {0}, sum[3], twice[3];
  for (int i = 0; i < 3; i++) carried[i] = V[3 + i], sum[i] = A[3 + i];
  td_vec3_cross_add(V, at, carried);
  td_vec3_cross_add(A, at, sum);
  td_vec3_cross_add(V, carried, sum);
  if (mark >= 0) {
    const td_mark_state *end = &ws->mark[mark];
    int slice = m->mark[mark].slice, fields = m->rod[m->slice[slice].rod].section->fields;
    const double *rate = ws->slice_field[slice][1], *change = ws->slice_field[slice][2];
    for (int d = 0; d < fields; d++)
      for (int i = 0; i < 3; i++) {
        own[i] += end->J[d][i] * rate[d];
        second[i] += end->J[d][i] * change[d];
        for (int e = 0; e < fields; e++) second[i] += end->second[d][e][i] * rate[d] * rate[e];
      }
  }
  td_vec3_cross(V, own, twice);
  for (int i = 0; i < 3; i++) v[i] += sign * (carried[i] + own[i]), a[i] += sign * (sum[i] + 2 * twice[i] + second[i]);
}

void td_stretch_motion(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *qdd,
                       double (*motion)[3]) {
  if (m->guide) m = m->guide, ws = ws->guide;
  move(m, ws, q, qd, qdd, TD_LEVEL_ACCELERATION);
  for (int i = 0; i < m->stretch_count; i++) {
    const td_tendon_stretch *s = &m->stretch[i];
    straight x;
    if (!straight_at(ws, s, &x)) continue;
    double v[3] = {0}, a[3] = {0};
    end_motion(m, ws, s->node_a, s->mark_a, x.a, -1, v, a);
    end_motion(m, ws, s->node_b, s->mark_b, x.b, 1, v, a);
    double along = td_vec3_dot(x.n, v), *out = motion[s->tendon];
    out[0] += x.length;
    out[1] += along;
    out[2] += td_vec3_dot(x.n, a) + (td_vec3_dot(v, v) - along * along) / x.length;
  }
}

double td_stretch_length(const td_model *m, td_workspace *ws, const double *q, int stretch) {
  if (m->guide) m = m->guide, ws = ws->guide;
  straight line;
  if (q) move(m, ws, q, NULL, NULL, TD_LEVEL_POSE);
  (void)straight_at(ws, &m->stretch[stretch], &line);
  return line.length;
}
