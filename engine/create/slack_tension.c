// A tendon driven by length pulls with k s+(s), s = length - rest + u; s+ exceeds max(s, 0) by up to slack_width / 2
// (at s = 0).
//
// The excess T = k (s+(s) - max(s, 0)) at q = 0, u = 0 is no force that anybody asked for. How far those of all tendons
// together move the robot is estimated by
//   d_t = sum_i g_ti F_i / K_ii,   F = sum_t T_t g_t,   g_t = d length_t / dq,
//   K = d(id - tau)/dq without the tendons' own stiffness,
// the shortening of each tendon's path. A bend by theta over the length L of an arm with the tendon at r shortens it by
// about r theta: at r = L / 40, d / length = 3e-5 is a deflection of 0.06 % of the arm. Where a coordinate that the
// tendons move has no stiffness, what is left of T there counts. Tendons that balance move nothing.
#include "create/slack_tension.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LOOSE = 0.1, SHORTENED = 3e-5; // N; of the path's length

// K at q = 0, by the laws without stiffness; false when it has no value there.
static bool stiffness_without_tendons(td_model *m, td_workspace *ws, const double *q, double *K) {
  double *kept = malloc((size_t)m->tendon_count * sizeof *kept);
  if (!kept) return false;
  for (int t = 0; t < m->tendon_count; t++) kept[t] = m->law[t].stiffness, m->law[t].stiffness = 0;
  td_status status = td_residual_derivatives(m, ws, q, NULL, NULL, NULL, NULL, K, NULL, NULL);
  for (int t = 0; t < m->tendon_count; t++) m->law[t].stiffness = kept[t];
  free(kept);
  return !status;
}

static double excess(const td_tendon_law *law, double length) {
  double s = fabs(length - law->rest), w = law->width;
  return law->stiffness * 0.5 * w * w / (sqrt(s * s + w * w) + s);
}

typedef struct slack { ///< all tendons, together
  const td_model *m;
  const double *K, *length, *gradient; ///< gradient [tendons][n]
  const double *force;                 ///< F [n]
} slack;

static double largest_of(const double *x, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

// How many times the excess of a tendon is what is allowed, by what all of them do to its path; *shortening is a part
// of the path, INFINITY where nothing resists.
static double times_allowed(const slack *s, int tendon, double tension, double *shortening) {
  const double *g = s->gradient + (size_t)tendon * (size_t)s->m->n;
  double largest = largest_of(g, s->m->n), shift = 0, loose = 0;
  for (int i = 0; i < s->m->n; i++) {
    if ((s->m->prescribed_count && s->m->prescribed_mask[i] == 0) || fabs(g[i]) <= 1e-9 * largest) continue;
    double k = s->K[i * s->m->n + i];
    if (k > 0)
      shift += g[i] * s->force[i] / k;
    else
      loose = fmax(loose, fmin(tension, fabs(s->force[i] / g[i])));
  }
  *shortening = loose > LOOSE ? INFINITY : fabs(shift) / s->length[tendon];
  return fmax(loose / LOOSE, fabs(shift) / (SHORTENED * s->length[tendon]));
}

// The largest number of one digit that is not above x.
static double one_digit(double x) {
  double power = pow(10, floor(log10(x)));
  return floor(x / power * (1 + 1e-12)) * power;
}

typedef struct slackest {      ///< the tendon whose path is moved most
  int tendon, actuator, count; ///< of those that are moved by more than is allowed
  double times, shortening, tension;
} slackest;

static void tell(td_model *m, const slackest *most, const char *name) {
  const td_tendon_law *law = &m->law[most->tendon];
  char pointer[64], effect[96] = "nothing resists it", others[64] = "";
  snprintf(pointer, sizeof pointer, "/actuators/%d/slack_width", most->actuator);
  if (isfinite(most->shortening))
    snprintf(effect, sizeof effect, "it is enough to shorten the path by about %.2g %%", 100 * most->shortening);
  if (most->count > 1) snprintf(others, sizeof others, ", the most of %d such tendons", most->count);
  td_warn(
      &m->warnings, "slack_tension", pointer,
      "with nothing pulled in, tendon \"%.63s\" pulls at rest with %.4g N more than its stretch does, as %.4g m rounds "
      "the corner between slack and taut (stiffness slack_width / 2 at most): %s%s; give slack_width %.0e m or less, "
      "or "
      "a longer rest",
      name, most->tension, law->width, effect, others, one_digit(2 * most->tension / most->times / law->stiffness));
}

static void judge(td_model *m, const td_model_spec *spec, const slack *s) {
  slackest most = {.times = 1};
  for (size_t i = 0, t = 0; i < spec->actuator_count; i++) {
    if (spec->actuators[i].type != TD_ACTUATOR_TENDON) continue;
    double shortening = 0, tension = m->law[t].length ? excess(&m->law[t], s->length[t]) : 0;
    double times = tension > 0 ? times_allowed(s, (int)t, tension, &shortening) : 0;
    int count = most.count + (times > 1);
    if (times > most.times) most = (slackest){(int)t, (int)i, 0, times, shortening, tension};
    most.count = count;
    t++;
  }
  if (most.count > 0) tell(m, &most, spec->actuators[most.actuator].name);
}

// force [n] = what the excesses of all tendons do together.
static void add_up(const td_model *m, const double *length, const double *gradient, double *force) {
  for (int t = 0; t < m->tendon_count; t++) {
    if (!m->law[t].length) continue;
    double tension = excess(&m->law[t], length[t]);
    for (int i = 0; i < m->n; i++) force[i] += tension * gradient[(size_t)t * (size_t)m->n + (size_t)i];
  }
}

void td_warn_of_slack_tension(td_model *m, const td_model_spec *spec, td_workspace *ws) {
  size_t n = (size_t)m->n, tendons = (size_t)m->tendon_count;
  double *q = calloc(2 * n + n * n + tendons + n * tendons, sizeof *q);
  if (!q) return;
  double *K = q + n, *force = K + n * n, *length = force + n, *gradient = length + tendons;
  if (!td_tendon_lengths(m, ws, q, length, gradient) && stiffness_without_tendons(m, ws, q, K)) {
    add_up(m, length, gradient, force);
    judge(m, spec, &(slack){.m = m, .K = K, .length = length, .gradient = gradient, .force = force});
  }
  free(q);
}
