// A tendon driven by length pulls with k s+(s), s = length - rest + u; s+ exceeds max(s, 0) by up to slack_width / 2
// (at s = 0).
//
// The excess T = k (s+(s) - max(s, 0)) at q = 0, u = 0 is no force that anybody asked for. How far it moves the robot
// is estimated by
//   d = T sum_i g_i^2 / K_ii,   g = d length / dq,   K = d(id - tau)/dq without the tendons' own stiffness,
// the shortening of the tendon's path. A bend by theta over the length L of an arm with the tendon at r shortens it by
// about r theta: at r = L / 40, d / length = 3e-5 is a deflection of 0.06 % of the arm. Where a coordinate that the
// tendon moves has no stiffness, T counts.
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

// sum g_i^2 / K_ii over coordinates that can move; infinite where one of these has no stiffness.
static double compliance(const td_model *m, const double *K, const double *g) {
  double sum = 0, largest = 0;
  for (int i = 0; i < m->n; i++) largest = fmax(largest, fabs(g[i]));
  for (int i = 0; i < m->n; i++) {
    if ((m->prescribed_count && m->prescribed_mask[i] == 0) || fabs(g[i]) <= 1e-9 * largest) continue;
    double k = K[i * m->n + i];
    sum += k > 0 ? g[i] * g[i] / k : INFINITY;
  }
  return sum;
}

static double excess(const td_tendon_law *law, double length) {
  double s = fabs(length - law->rest), w = law->width;
  return law->stiffness * 0.5 * w * w / (sqrt(s * s + w * w) + s);
}

// The largest number of one digit that is not above x.
static double one_digit(double x) {
  double power = pow(10, floor(log10(x)));
  return floor(x / power * (1 + 1e-12)) * power;
}

static void judge(td_model *m, int tendon, int actuator, const char *name, double length, double softness) {
  const td_tendon_law *law = &m->law[tendon];
  double tension = excess(law, length), allowed = isfinite(softness) ? SHORTENED * length / softness : LOOSE;
  if (!(tension > allowed)) return;
  char pointer[64], effect[96] = "nothing resists it";
  snprintf(pointer, sizeof pointer, "/actuators/%d/slack_width", actuator);
  if (isfinite(softness))
    snprintf(effect, sizeof effect, "it is enough to shorten the path by about %.2g %%",
             100 * tension * softness / length);
  td_warn(
      &m->warnings, "slack_tension", pointer,
      "with nothing pulled in, tendon \"%.63s\" pulls at rest with %.4g N more than its stretch does, as %.4g m rounds "
      "the corner between "
      "slack and taut (stiffness slack_width / 2 at most): %s; give slack_width %.0e m or less, or a longer rest",
      name, tension, law->width, effect, one_digit(2 * allowed / law->stiffness));
}

void td_warn_of_slack_tension(td_model *m, const td_model_spec *spec, td_workspace *ws) {
  size_t n = (size_t)m->n, tendons = (size_t)m->tendon_count;
  double *q = calloc(n + n * n + tendons + n * tendons, sizeof *q);
  if (!q) return;
  double *K = q + n, *length = K + n * n, *gradient = length + tendons;
  if (!td_tendon_lengths(m, ws, q, length, gradient) && stiffness_without_tendons(m, ws, q, K))
    for (size_t i = 0, t = 0; i < spec->actuator_count; i++) {
      if (spec->actuators[i].type != TD_ACTUATOR_TENDON) continue;
      if (m->law[t].length)
        judge(m, (int)t, (int)i, spec->actuators[i].name, length[t], compliance(m, K, gradient + t * n));
      t++;
    }
  free(q);
}
