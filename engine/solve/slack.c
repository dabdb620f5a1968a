// A known end of the model of tendons: pulled hard enough, the material under a tendon is compressed until the tendon has no
// length left at some point of the rod. There its force, along tangent / |tangent|, has no direction and its stiffness grows
// without bound: statics finds no balance (the potential has a kink, its minimum lies on it), integrators need ever smaller
// steps. A real robot's segments would touch long before. So do two points of a tendon that it pulls together. Failures ask here whether
// this is why.
#include "solve/slack.h"
#include "algorithm/dynamics.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double USED_UP = 0.03; // m of tendon per m of rod
static const double MET = 1e-6;     // of a stretch's length at rest

typedef struct slack {
  double tangent, s; // smallest |tangent|, and where
  int tendon, rod;
} slack;

// |tangent| of a tendon at a Gauss point of its rod: t0 plus what the strain adds to v* + w* x d.
static double tangent_at(const td_model *m, const double *q, const td_tendon_path *path, int k) {
  const td_rod *rod = &m->rod[path->rod];
  const double *rest = rod->rest_gauss + 6 * k, *t0 = path->t0 + 3 * k, *d = path->offset + 2 * k;
  double xi[6];
  td_strain_at(m, q, rod->link, rod->gauss_s[k], xi);
  for (int i = 0; i < 6; i++) xi[i] -= rest[i];
  double x = t0[0] + xi[3] + xi[1] * d[1] - xi[2] * d[0], y = t0[1] + xi[4] - xi[0] * d[1],
         z = t0[2] + xi[5] + xi[0] * d[0];
  return sqrt(x * x + y * y + z * z);
}

static slack shortest(const td_model *m, const double *q) {
  slack least = {.tangent = INFINITY};
  for (int p = 0; p < m->path_count; p++) {
    const td_tendon_path *path = &m->path[p];
    if (m->rod[path->rod].column) continue; // a reduced body: its strain is not td_strain_at's
    for (int k = 0; k < m->rod[path->rod].gauss_count; k++) {
      double tangent = tangent_at(m, q, path, k);
      if (tangent < least.tangent) least = (slack){tangent, m->rod[path->rod].gauss_s[k], path->tendon, path->rod};
    }
  }
  return least;
}

// ---- straight stretches

static const char *link_of(const td_model *m, int node) {
  for (int i = 0; i < m->link_count; i++)
    for (int k = 0; k < td_model_link_point_count(m, i); k++)
      if (td_link_point_node(m, i, k) == node) return m->link[i].name;
  return "world";
}

// The stretch that is least of what it is at rest, *part; -1 without stretches. Cold: makes a workspace of its own.
static int least_stretch(const td_model *m, const double *q, double *part) {
  const td_model *of = m->guide ? m->guide : m;
  int least = -1, count = of->stretch_count;
  td_workspace *ws = NULL;
  double *rest = calloc((size_t)(m->n + 2 * count) + 1, sizeof *rest), *now = rest + count, *zero = now + count;
  *part = INFINITY;
  if (count && rest && !td_workspace_create(m, &ws)) {
    td_stretch_each(m, ws, zero, rest);
    td_stretch_each(m, ws, q, now);
    for (int i = 0; i < count; i++)
      if (rest[i] > 0 && now[i] / rest[i] < *part) *part = now[i] / rest[i], least = i;
    td_workspace_destroy(ws);
  }
  free(rest);
  return least;
}

bool td_slack_has_met(const td_model *m, td_workspace *ws, const double *q, const double *u) {
  const td_model *of = m->guide ? m->guide : m;
  int count = of->stretch_count;
  bool met = false;
  if (count == 0) return false;
  double *rest = calloc((size_t)(m->n + 2 * count + m->tendon_count) + 1, sizeof *rest), *now = rest + count;
  double *tension = now + count, *zero = tension + m->tendon_count;
  if (!rest) return false;
  td_stretch_each(m, ws, zero, rest);
  td_stretch_each(m, ws, q, now);
  bool known = !td_tendon_tensions(m, ws, q, NULL, u, tension);
  for (int i = 0; i < count && known; i++)
    met |= rest[i] > 0 && now[i] <= MET * rest[i] && tension[of->stretch[i].tendon] != 0;
  free(rest);
  return met;
}

static void explain_stretch(const td_model *m, const double *q, char *text, size_t size) {
  double part;
  int i = least_stretch(m, q, &part);
  if (i < 0 || part > USED_UP) return;
  const td_tendon_stretch *s = &(m->guide ? m->guide : m)->stretch[i];
  snprintf(text, size,
           "; tendon \"%.63s\" has no length left between its points on \"%.63s\" and \"%.63s\": it has pulled them "
           "together",
           td_model_tendon_name(m, s->tendon), link_of(m, s->node_a), link_of(m, s->node_b));
}

void td_slack_explain(const td_model *m, const double *q, char *text, size_t size) {
  slack least = shortest(m, q);
  text[0] = '\0';
  if (least.tangent > USED_UP) {
    explain_stretch(m, q, text, size);
    return;
  }
  snprintf(text, size,
           "; tendon \"%.63s\" has no length left on \"%.63s\" at s = %.3g: the tensions crush the rod there",
           td_model_tendon_name(m, least.tendon), m->link[m->rod[least.rod].link].name, least.s);
}
