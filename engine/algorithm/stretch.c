// Straight stretches of tendons between bodies: length |p_b - p_a|, forces and their derivatives.
//
// With unit vector n from a to b and tension u: tau = -u dl/dq = Jp_a^T u n - Jp_b^T u n, and
//   dtau/dq = [d(Jp^T f)/dq at world-fixed forces f] - (u/l) (Jp_b - Jp_a)^T (1 - n n^T) (Jp_b - Jp_a).
// The first part is the derivative pass of inverse dynamics with these forces as the only ones (massless, at rest). A stretch of
// length 0 (the same material point, or points that meet) pulls nothing and adds nothing.
#include "algorithm/composite.h"
#include "algorithm/dynamics.h"
#include "algorithm/kinematics.h"
#include "lie/vec3.h"
#include <math.h>
#include <string.h>

typedef struct straight {
  double a[3], b[3], n[3], length;
} straight;

static bool straight_at(const td_workspace *ws, const td_tendon_stretch *s, straight *out) {
  td_node_point(ws, s->node_a, s->a, out->a);
  td_node_point(ws, s->node_b, s->b, out->b);
  double scale = 0;
  for (int i = 0; i < 3; i++) out->n[i] = out->b[i] - out->a[i], scale += fabs(out->a[i]) + fabs(out->b[i]);
  out->length = sqrt(td_vec3_dot(out->n, out->n));
  if (out->length <= 1e-13 * scale || out->length == 0) return false;
  for (int i = 0; i < 3; i++) out->n[i] /= out->length;
  return true;
}

// Composites that hold nothing but the tensions: F = -W, N their stiffness.
static void tension_composites(const td_model *m, td_workspace *ws, const double *tension) {
  static const double ZERO[3] = {0};
  memset(ws->composite, 0, (size_t)m->node_count * sizeof *ws->composite);
  ws->world_forces = 1;
  for (int i = 0; i < m->stretch_count; i++) {
    const td_tendon_stretch *s = &m->stretch[i];
    straight x;
    if (tension[s->tendon] == 0 || !straight_at(ws, s, &x)) continue;
    double pull[3], back[3];
    for (int k = 0; k < 3; k++) pull[k] = tension[s->tendon] * x.n[k], back[k] = -pull[k];
    td_composite_apply(&ws->composite[s->node_a], ZERO, pull, x.a);
    td_composite_apply(&ws->composite[s->node_b], ZERO, back, x.b);
  }
}

void td_stretch_forces(const td_model *m, td_workspace *ws, const double *q, const double *tension, double *tau) {
  double zero[3] = {0}, *generalized = ws->scratch + m->channel_count + m->ld;
  td_kinematics(m, ws, q, NULL, NULL, zero, TD_LEVEL_POSE);
  tension_composites(m, ws, tension);
  td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
  memset(generalized, 0, (size_t)m->n * sizeof *generalized);
  td_composite_project(m, ws, generalized);
  for (int i = 0; i < m->n; i++) tau[i] -= generalized[i];
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

void td_stretch_derivatives(const td_model *m, td_workspace *ws, const double *q, const double *tension) {
  double zero[3] = {0};
  td_kinematics(m, ws, q, ws->zero, ws->zero, zero, TD_LEVEL_ACCELERATION);
  tension_composites(m, ws, tension);
  td_composite_sum(m, ws, TD_COMPOSITE_ALL);
  td_derivative_columns(m, ws);
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->n; j++) ws->dtau_dq[i * m->ld + j] -= ws->did_dq[i * m->ld + j];
  double *D = ws->solution + 6 * m->n;
  for (int i = 0; i < m->stretch_count; i++) {
    const td_tendon_stretch *s = &m->stretch[i];
    straight x;
    if (tension[s->tendon] == 0 || !straight_at(ws, s, &x)) continue;
    difference_jacobian(m, ws, s, &x, D);
    add_direction_change(m, ws, D, &x, tension[s->tendon]);
  }
}

void td_stretch_lengths(const td_model *m, td_workspace *ws, const double *q, double *length, double *dlength_dq) {
  double zero[3] = {0};
  td_kinematics(m, ws, q, NULL, NULL, zero, TD_LEVEL_POSE);
  memset(ws->composite, 0, (size_t)m->node_count * sizeof *ws->composite);
  double *unit = ws->scratch, *generalized = ws->scratch + m->channel_count + m->ld;
  for (int i = 0; i < m->stretch_count; i++) {
    straight x;
    if (straight_at(ws, &m->stretch[i], &x)) length[m->stretch[i].tendon] += x.length;
  }
  for (int t = 0; dlength_dq && t < m->tendon_count; t++) {
    for (int k = 0; k < m->tendon_count; k++) unit[k] = k == t;
    tension_composites(m, ws, unit);
    td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
    memset(generalized, 0, (size_t)m->n * sizeof *generalized);
    td_composite_project(m, ws, generalized);
    for (int i = 0; i < m->n; i++) dlength_dq[t * m->n + i] += generalized[i];
  }
}
