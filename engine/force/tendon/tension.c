// Tendons driven by length (tension.h): tau = -T dl/dq with T(l, l', u).
//   dtau/dq = -T d2l/dq2 - dl/dq (T_l dl/dq + T_l' dl'/dq)^T,   dtau/dqd = -T_l' dl/dq dl/dq^T,   dtau/du = -T_l dl/dq
// With friction dl/dq on the left is the sum of its parts, each times the share of the tension that reaches it
// (friction.c).
#include "force/tendon/tension.h"
#include "force/force_table.h"
#include "force/tendon/friction.h"
#include "force/tendon/tendon.h"
#include "math/finite.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <string.h>

// s+, its derivatives by s, and its integral (E / k).
typedef struct soft {
  double plus, slope, bend, third, integral;
} soft;

static soft soft_at(double w, double s) {
  double root = sqrt(s * s + w * w), cube = root * root * root;
  double plus = s > 0 ? 0.5 * (s + root) : 0.5 * w * w / (root - s); // the same, without cancellation
  return (soft){plus, plus / root, 0.5 * w * w / cube, -1.5 * w * w * s / (cube * root * root),
                0.5 * plus * plus + 0.25 * w * w * log(2 * plus / w)};
}

// Its polynomial about a place, and that of the integral.
static soft soft_about(double w, double s, double about) {
  soft at = soft_at(w, about);
  double x = s - about;
  return (soft){at.plus + x * (at.slope + x * (at.bend / 2 + x * at.third / 6)),
                at.slope + x * (at.bend + x * at.third / 2), at.bend + x * at.third, at.third,
                at.integral + x * (at.plus + x * (at.slope / 2 + x * (at.bend / 6 + x * at.third / 24)))};
}

static double stretch_of(const td_tendon_law *law, double length, double u) { return length - law->rest + u; }

static td_pull pull_of(const td_tendon_law *law, const soft *at, double rate, const double *pulls) {
  double elastic = law->stiffness * at->plus, damping = law->damping * rate * at->slope;
  if (pulls ? *pulls == 0 : elastic + damping <= 0) return (td_pull){.elastic = elastic, .damping = -elastic};
  return (td_pull){elastic, damping, law->stiffness * at->slope + law->damping * rate * at->bend,
                   law->damping * at->slope};
}

void td_pull_at(const td_tendon_law *law, double length, double rate, double u, td_pull *out) {
  soft at = soft_at(law->width, stretch_of(law, length, u));
  *out = pull_of(law, &at, rate, NULL);
}

void td_pull_about(const td_tendon_law *law, double length, double rate, double u, const double about[2],
                   td_pull *out) {
  soft at = soft_about(law->width, stretch_of(law, length, u), about[0]);
  *out = pull_of(law, &at, rate, &about[1]);
}

double td_pull_energy(const td_tendon_law *law, double length, double u, const double *about) {
  double s = stretch_of(law, length, u), w = law->width;
  return law->stiffness * (about ? soft_about(w, s, about[0]) : soft_at(w, s)).integral;
}

void td_tensions_hold(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                      double *taut) {
  td_tension_scratch *s = &ws->tension;
  ws->taut = NULL;
  td_tensions_at(m, ws, q, qd, u);
  for (int t = 0; t < m->tendon_count; t++) {
    const td_tendon_law *law = &m->law[t];
    bool driven = law->length;
    taut[2 * t] = driven ? stretch_of(law, s->motion[t][0], u ? u[law->channel] : 0) : 0;
    taut[2 * t + 1] = driven && s->elastic[t] + s->damping[t] > 0 ? 1 : 0;
  }
}

void td_tensions_at(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u) {
  td_tension_scratch *s = &ws->tension;
  if (m->length_count) (void)!td_tendon_motion(m, ws, q, qd ? qd : ws->zero, ws->zero, s->motion); // tau tells
  for (int t = 0; t < m->tendon_count; t++) {
    const td_tendon_law *law = &m->law[t];
    double input = u ? u[law->channel] : 0;
    td_pull pull = {0};
    if (law->length && ws->taut)
      td_pull_about(law, s->motion[t][0], s->motion[t][1], input, ws->taut + 2 * t, &pull);
    else if (law->length)
      td_pull_at(law, s->motion[t][0], s->motion[t][1], input, &pull);
    s->input[t] = law->length ? 0 : input;
    s->elastic[t] = pull.elastic;
    s->damping[t] = pull.damping;
    s->total[t] = s->input[t] + pull.elastic + pull.damping;
    s->stretch[t] = pull.stretch;
    s->rate[t] = pull.rate;
  }
}

td_status td_tendon_tensions(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                             double *tension) {
  if (m->length_count || m->friction_count) {
    td_tensions_at(m, ws, q, qd, u);
    memcpy(tension, ws->tension.total, (size_t)m->tendon_count * sizeof *tension);
  } else {
    for (int t = 0; t < m->tendon_count; t++) tension[t] = u ? u[m->law[t].channel] : 0;
  }
  return td_all_finite(tension, m->tendon_count);
}

static void add(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                const td_force_sums *out) {
  td_tension_scratch *s = &ws->tension;
  double *elastic = out->elastic, *damping = out->damping;
  td_tensions_at(m, ws, q, qd, u);
  if (m->length_count && elastic == damping)
    for (int t = 0; t < m->tendon_count; t++) s->elastic[t] += s->damping[t];
  if (m->length_count) td_add_tensions(m, ws, q, s->elastic, elastic);
  if (m->length_count && elastic != damping) td_add_tensions(m, ws, q, s->damping, damping);
  if (m->friction_count && qd) td_add_friction(m, ws, q, qd, damping);
}

// ---- derivatives

// dl'/dq of one tendon: d2l/dq2 qd. Uses ws->dtau_dq.
static void find_drift(const td_model *m, td_workspace *ws, int tendon, const double *q, const double *qd) {
  td_tension_scratch *s = &ws->tension;
  double *unit = s->input; // written again by td_tensions_at
  for (int t = 0; t < m->tendon_count; t++) unit[t] = t == tendon;
  td_tendon_curvature(m, ws, q, unit, qd, s->drift + (size_t)tendon * (size_t)m->n);
}

static void prepare_slopes(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u) {
  td_tension_scratch *s = &ws->tension;
  if (m->length_count)
    (void)!td_tendon_lengths(m, ws, q, s->input, s->gradient); // what is not finite shows in the matrices
  for (int t = 0; t < m->tendon_count; t++) {
    if (m->law[t].length && m->law[t].damping > 0 && qd)
      find_drift(m, ws, t, q, qd);
    else
      memset(s->drift + (size_t)t * (size_t)m->n, 0, (size_t)m->n * sizeof(double));
  }
  bool rubs = m->friction_count && qd;
  if (rubs) td_friction_drifts(m, ws, q, qd);
  td_tensions_at(m, ws, q, qd, u);
  if (rubs) td_friction_factors(m, ws, q, qd);
}

static void add_outer(const td_model *m, double scale, const double *column, const double *row, double *matrix) {
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->n; j++) matrix[i * m->ld + j] += scale * column[i] * row[j];
}

// What comes from tensions and friction that change.
static void add_law_slopes(const td_model *m, td_workspace *ws, const double *q, const double *qd) {
  td_tension_scratch *s = &ws->tension;
  for (int t = 0; t < m->tendon_count; t++) {
    const double *g = s->gradient + (size_t)t * (size_t)m->n, *drift = s->drift + (size_t)t * (size_t)m->n, *pull = g;
    if (m->law[t].friction > 0 && qd) {
      td_add_friction_slopes(m, ws, t, q, qd, s->weighted);
      pull = s->weighted;
    }
    if (!m->law[t].length) continue;
    add_outer(m, -s->stretch[t], pull, g, ws->dtau_dq);
    if (s->rate[t] == 0) continue;
    add_outer(m, -s->rate[t], pull, drift, ws->dtau_dq);
    add_outer(m, -s->rate[t], pull, g, ws->dtau_dqd);
  }
}

static void add_slopes(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u) {
  const td_tension_scratch *s = &ws->tension;
  bool rubs = m->friction_count && qd;
  (void)u; // in the tensions already
  td_add_tension_stiffness(m, ws, q, s->total, rubs ? s->factor : NULL, rubs ? s->stretch_factor : NULL);
  add_law_slopes(m, ws, q, qd);
}

// Columns of all tendons.
static void add_inputs(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                       double *dtau_du) {
  td_tension_scratch *s = &ws->tension;
  (void)!td_tendon_lengths(m, ws, q, s->input, s->gradient); // td_force_derivatives looks at dtau_du
  td_tensions_at(m, ws, q, qd, u);
  for (int t = 0; t < m->tendon_count; t++) {
    const double *g = s->gradient + (size_t)t * (size_t)m->n;
    double slope = m->law[t].length ? s->stretch[t] : 1;
    if (m->law[t].friction > 0 && qd) {
      td_friction_gradient(m, ws, t, q, qd, s->weighted);
      g = s->weighted;
    }
    for (int i = 0; i < m->n; i++) dtau_du[i * m->channel_count + m->law[t].channel] = -slope * g[i];
  }
}

double td_tension_scale(const td_model *m, td_workspace *ws, const double *q, const double *u) {
  td_tension_scratch *s = &ws->tension;
  double most = 0;
  if (m->length_count == 0) return 0;
  (void)!td_tendon_lengths(m, ws, q, s->input, s->gradient); // who asks looks at the forces
  td_tensions_at(m, ws, q, NULL, u);
  for (int t = 0; t < m->tendon_count; t++)
    for (int i = 0; i < m->n; i++) most = fmax(most, fabs(s->elastic[t] * s->gradient[t * m->n + i]));
  return most;
}

// ---- energy

static void add_energy(const td_model *m, td_workspace *ws, const double *q, const double *u, td_energy *energy) {
  double stored = 0;
  if (m->length_count == 0) return;
  (void)!td_tendon_lengths(m, ws, q, ws->tension.input, NULL); // the energy is looked at
  for (int t = 0; t < m->tendon_count; t++)
    if (m->law[t].length)
      stored += td_pull_energy(&m->law[t], ws->tension.input[t], u ? u[m->law[t].channel] : 0,
                               ws->taut ? ws->taut + 2 * t : NULL);
  energy->elastic += stored;
  energy->driven += stored;
}

// Of the stored forces, which td_ledger_balance makes that of who pulls.
static void add_power(const td_model *m, td_workspace *ws, const double *q, const double *qd, const double *u,
                      td_power *power) {
  double stored = 0;
  if (m->length_count == 0) return;
  td_tensions_at(m, ws, q, qd, u);
  for (int t = 0; t < m->tendon_count; t++) stored -= ws->tension.elastic[t] * ws->tension.motion[t][1];
  power->actuation += stored;
}

static unsigned acts(const td_model *m) {
  return !td_tension_has_laws(m) ? 0 : m->length_count ? TD_ACTS | TD_ACTS_DRIVEN : TD_ACTS;
}

const td_force td_force_tendon_law = {.name = "tendon_law",
                                      .acts = acts,
                                      .add = add,
                                      .prepare_slopes = prepare_slopes,
                                      .add_slopes = add_slopes,
                                      .add_inputs = add_inputs,
                                      .energy = add_energy,
                                      .power = add_power};
