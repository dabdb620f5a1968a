// Springs and dampers between two points (spring.h), forces and derivatives in the world frame.
//
// With D = dr/dq (J of the two points), g = D^T n and r' the velocity of b against a:
//   tau = -D^T T n,   dtau/dq = [d(Jp^T f)/dq at world-fixed f] - D^T S D - damping g (d(n.r')/dq)^T,   dtau/dqd =
// -damping g g^T,
//   S = stiffness n n^T + (T/d)(1 - n n^T),   d(n.r')/dq = (r' - n n.r')/d . D + n . dr'/dq.
// The first part is the derivative pass of inverse dynamics with these forces as the only ones (massless). r' at an end
// is
// W.V with the covector W = (p x n, n); with dV/dq = R + [J, V] (README) its change is W.R + (V x* W).J + (n x w).Jp.
// Springs couple branches, so that their stiffness fills blocks of dtau/dq that no other force does.
#include "force/spring.h"
#include "force/force_table.h"
#include "lie/vec3.h"
#include "pass/columns.h"
#include "pass/composite_nodes.h"
#include "pass/kinematics.h"
#include "pass/path_columns.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <string.h>

static const double MEETING = 1e-9; // m
static const double NONE[3] = {0};

typedef struct line {
  double p[2][3], n[3], rate[3], length; // rate: r'
  double elastic, damping;               // N
} line;

static void end_velocity(const td_workspace *ws, int node, const double *p, double *v) {
  memcpy(v, ws->V[node] + 3, 3 * sizeof *v);
  td_vec3_cross_add(ws->V[node], p, v);
}

static void place(const td_workspace *ws, const td_spring *s, line *x) {
  td_node_point(ws, s->a.node, s->a.pose.p, x->p[0]);
  td_node_point(ws, s->b.node, s->b.pose.p, x->p[1]);
  for (int i = 0; i < 3; i++) x->n[i] = x->p[1][i] - x->p[0][i];
  x->length = sqrt(td_vec3_dot(x->n, x->n) + MEETING * MEETING);
  for (int i = 0; i < 3; i++) x->n[i] /= x->length;
}

static double input_of(const td_spring *s, const double *u) { return s->channel >= 0 && u ? u[s->channel] : 0; }

static void stretch(const td_workspace *ws, const td_spring *s, const double *qd, const double *u, line *x) {
  double v[2][3];
  place(ws, s, x);
  x->elastic = s->stiffness * (x->length - s->rest - input_of(s, u));
  x->damping = 0;
  memset(x->rate, 0, sizeof x->rate);
  if (!qd) return;
  end_velocity(ws, s->a.node, x->p[0], v[0]);
  end_velocity(ws, s->b.node, x->p[1], v[1]);
  for (int i = 0; i < 3; i++) x->rate[i] = v[1][i] - v[0][i];
  x->damping = s->damping * td_vec3_dot(x->n, x->rate);
}

static void pull(td_workspace *ws, const td_spring *s, const line *x, double tension) {
  double on_a[3], on_b[3];
  for (int i = 0; i < 3; i++) on_a[i] = tension * x->n[i], on_b[i] = -on_a[i];
  td_composite_apply(&ws->composite[s->a.node], NONE, on_a, x->p[0]);
  td_composite_apply(&ws->composite[s->b.node], NONE, on_b, x->p[1]);
}

// out [n] += tau of the forces in the composites
static void project(const td_model *m, td_workspace *ws, double *out) {
  double *generalized = ws->scratch;
  td_composite_sum(m, ws, TD_COMPOSITE_WRENCH);
  memset(generalized, 0, (size_t)m->n * sizeof *generalized);
  td_composite_project(m, ws, generalized);
  for (int i = 0; i < m->n; i++) out[i] -= generalized[i];
}

static void add_forces(const td_model *m, td_workspace *ws, const double *qd, const double *u, double elastic,
                       double damping, double *out) {
  td_composite_clear(m, ws);
  for (int i = 0; i < m->spring_count; i++) {
    line x;
    stretch(ws, &m->spring[i], qd, u, &x);
    pull(ws, &m->spring[i], &x, elastic * x.elastic + damping * x.damping);
  }
  project(m, ws, out);
}

static void add(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                const td_force_sums *out) {
  double *elastic = out->elastic, *damping = out->damping;
  td_kinematics(m, ws, q, qd, NULL, NONE, qd ? TD_LEVEL_TWIST : TD_LEVEL_POSE);
  if (elastic == damping) {
    add_forces(m, ws, qd, u, 1, 1, elastic);
    return;
  }
  add_forces(m, ws, qd, u, 1, 0, elastic);
  if (qd) add_forces(m, ws, qd, u, 0, 1, damping);
}

// ---- derivatives

// Covector of the velocity of point p along f: (p x f, f).
static void covector(const double *p, const double *f, double W[6]) {
  td_vec3_cross(p, f, W);
  memcpy(W + 3, f, 3 * sizeof *W);
}

// D [3][ld]
static void difference(const td_model *m, const td_workspace *ws, const td_spring *s, const line *x, double *D) {
  memset(D, 0, 3 * (size_t)m->ld * sizeof *D);
  for (int end = 0; end < 2; end++) {
    double W[3][6];
    for (int i = 0; i < 3; i++) {
      double axis[3] = {i == 0, i == 1, i == 2};
      covector(x->p[end], axis, W[i]);
    }
    td_path_columns(m, ws, end ? &s->b : &s->a, TD_ROW_J, end ? 1 : -1, 3, W[0], m->ld, D);
  }
}

// out [ld] = d(n.r')/dq
static void rate_slope(const td_model *m, const td_workspace *ws, const td_spring *s, const line *x, double *out) {
  double across[3], along = td_vec3_dot(x->n, x->rate);
  for (int i = 0; i < 3; i++) across[i] = (x->rate[i] - along * x->n[i]) / x->length;
  memset(out, 0, (size_t)m->ld * sizeof *out);
  for (int end = 0; end < 2; end++) {
    const td_loop_frame *f = end ? &s->b : &s->a;
    const double *V = ws->V[f->node];
    double W[6], turned[6], carried[3], sum[3], sign = end ? 1 : -1;
    covector(x->p[end], x->n, W);
    td_vec3_cross(x->n, V, carried);
    for (int i = 0; i < 3; i++) sum[i] = across[i] + carried[i];
    covector(x->p[end], sum, turned);
    td_cobracket_add(V, W, turned);
    td_path_columns(m, ws, f, TD_ROW_R, sign, 1, W, m->ld, out);
    td_path_columns(m, ws, f, TD_ROW_J, sign, 1, turned, m->ld, out);
  }
}

static void add_slopes(const td_model *m, td_workspace *ws, const td_spring *s, const line *x) {
  int n = m->n, ld = m->ld;
  double *D = ws->line, *SD = D + 3 * ld, *slope = SD + 3 * ld, *g = slope + ld;
  double across = (x->elastic + x->damping) / x->length;
  difference(m, ws, s, x, D);
  for (int j = 0; j < ld; j++) g[j] = x->n[0] * D[j] + x->n[1] * D[ld + j] + x->n[2] * D[2 * ld + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < ld; j++) SD[i * ld + j] = across * D[i * ld + j] + (s->stiffness - across) * x->n[i] * g[j];
  bool damped = s->damping > 0;
  if (damped) rate_slope(m, ws, s, x, slope);
  for (int i = 0; i < n; i++) {
    double *dq = ws->dtau_dq + i * ld, *dqd = ws->dtau_dqd + i * ld, c = s->damping * g[i];
    for (int j = 0; j < ld; j++) dq[j] -= D[i] * SD[j] + D[ld + i] * SD[ld + j] + D[2 * ld + i] * SD[2 * ld + j];
    for (int j = 0; damped && j < ld; j++) dq[j] -= c * slope[j], dqd[j] -= c * g[j];
  }
}

static void differentiate(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u) {
  td_kinematics(m, ws, q, qd ? qd : ws->zero, ws->zero, NONE, TD_LEVEL_ACCELERATION);
  td_composite_clear(m, ws);
  ws->world_forces = 1;
  for (int i = 0; i < m->spring_count; i++) {
    line x;
    stretch(ws, &m->spring[i], qd, u, &x);
    pull(ws, &m->spring[i], &x, x.elastic + x.damping);
  }
  td_composite_sum(m, ws, TD_COMPOSITE_ALL);
  td_columns_of(m, ws, TD_COLUMNS_SLOPES);
  for (int i = 0; i < m->n * m->ld; i++) ws->dtau_dq[i] -= ws->did_dq[i];
  for (int i = 0; i < m->spring_count; i++) {
    line x;
    stretch(ws, &m->spring[i], qd, u, &x);
    add_slopes(m, ws, &m->spring[i], &x);
  }
}

static void add_inputs(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                       double *dtau_du) {
  (void)qd, (void)u;
  if (m->driven_springs == 0) return;
  td_kinematics(m, ws, q, NULL, NULL, NONE, TD_LEVEL_POSE);
  for (int i = 0; i < m->spring_count; i++) {
    const td_spring *s = &m->spring[i];
    double *column = ws->tau;
    line x;
    if (s->channel < 0) continue;
    td_composite_clear(m, ws);
    place(ws, s, &x);
    pull(ws, s, &x, -s->stiffness);
    memset(column, 0, (size_t)m->n * sizeof *column);
    project(m, ws, column);
    for (int j = 0; j < m->n; j++) dtau_du[j * m->channel_count + s->channel] = column[j];
  }
}

double td_spring_scale(const td_model *m, td_workspace *ws, const double *q, const double *u) {
  double most = 0;
  td_kinematics(m, ws, q, NULL, NULL, NONE, TD_LEVEL_POSE);
  for (int k = 0; k < m->spring_count; k++) {
    double *force = ws->tau;
    line x;
    stretch(ws, &m->spring[k], NULL, u, &x);
    td_composite_clear(m, ws);
    pull(ws, &m->spring[k], &x, x.elastic);
    memset(force, 0, (size_t)m->n * sizeof *force);
    project(m, ws, force);
    for (int i = 0; i < m->n; i++) most = fmax(most, fabs(force[i]));
  }
  return most;
}

// ---- energy

double td_spring_length(const td_workspace *ws, const td_spring *spring) {
  line x;
  place(ws, spring, &x);
  return x.length;
}

static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  double all = 0;
  (void)q;
  for (int i = 0; i < m->spring_count; i++) {
    const td_spring *s = &m->spring[i];
    double x = td_spring_length(ws, s) - s->rest - input_of(s, u), stored = 0.5 * s->stiffness * x * x;
    all += stored;
    if (s->channel >= 0) energy->driven += stored;
  }
  energy->elastic += all;
}

// Of the stored forces of springs with a channel, which td_ledger_balance makes that of who moves their rests.
static void add_power(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                      td_power *power) {
  double stored = 0;
  if (m->driven_springs == 0) return;
  td_kinematics(m, ws, q, qd, NULL, NONE, TD_LEVEL_TWIST);
  for (int i = 0; i < m->spring_count; i++) {
    line x;
    if (m->spring[i].channel < 0) continue;
    stretch(ws, &m->spring[i], qd, u, &x);
    stored -= x.elastic * td_vec3_dot(x.n, x.rate);
  }
  power->actuation += stored;
}

// ---- the row

static unsigned acts(const td_model *m) {
  bool damped = false;
  for (int i = 0; i < m->spring_count; i++) damped |= m->spring[i].damping > 0;
  if (m->spring_count == 0) return 0;
  return TD_ACTS | (damped ? TD_ACTS_WIDE_ROWS : 0) | (m->driven_springs ? TD_ACTS_DRIVEN : 0);
}

const td_force td_force_spring = {.name = "spring",
                                  .acts = acts,
                                  .add = add,
                                  .add_slopes = differentiate,
                                  .add_inputs = add_inputs,
                                  .energy = add_energy,
                                  .power = add_power};
