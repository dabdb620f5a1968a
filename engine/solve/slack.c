// A known end of the model of tendons: pulled hard enough, the material under a tendon is compressed until the tendon has no
// length left at some point of the rod. There its force, along tangent / |tangent|, has no direction and its stiffness grows
// without bound: statics finds no balance (the potential has a kink, its minimum lies on it), integrators need ever smaller
// steps. A real robot's segments would touch long before. Failures ask here whether this is why.
#include "solve/slack.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>

static const double USED_UP = 0.03; // m of tendon per m of rod

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

void td_slack_explain(const td_model *m, const double *q, char *text, size_t size) {
  slack least = shortest(m, q);
  text[0] = '\0';
  if (least.tangent > USED_UP) return;
  snprintf(text, size,
           "; tendon \"%.63s\" has no length left on \"%.63s\" at s = %.3g: the tensions crush the rod there",
           td_model_tendon_name(m, least.tendon), m->link[m->rod[least.rod].link].name, least.s);
}
