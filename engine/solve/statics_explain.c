// Why a statics problem has no answer: the residual that is left, where, and the cause when we know one.
//
// The usual cause with tendons: pulled hard enough, the material under a tendon is compressed until the tendon has no length left
// at some point of the rod. There its force, along tangent / |tangent|, has no direction; the potential has a kink and its
// minimum lies on it, so no state balances the forces. A real robot's segments would touch long before.
#include "model/model.h"
#include "solve/statics.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double USED_UP = 0.03; // m of tendon per m of rod

typedef struct slack {
  double tangent, s; // smallest |tangent|, and where
  int tendon, rod;
} slack;

// |tangent| of a tendon at a Gauss point of its rod: t0 plus what the strain adds to v* + w* x d.
static double tangent_at(const td_statics *st, const td_tendon_path *path, int k) {
  const td_rod *rod = &st->model->rod[path->rod];
  const double *rest = rod->rest_gauss + 6 * k, *t0 = path->t0 + 3 * k, *d = path->offset + 2 * k;
  double xi[6];
  td_strain_at(st->model, st->q, rod->link, rod->gauss_s[k], xi);
  for (int i = 0; i < 6; i++) xi[i] -= rest[i];
  double x = t0[0] + xi[3] + xi[1] * d[1] - xi[2] * d[0], y = t0[1] + xi[4] - xi[0] * d[1],
         z = t0[2] + xi[5] + xi[0] * d[0];
  return sqrt(x * x + y * y + z * z);
}

static slack shortest(const td_statics *st) {
  slack least = {.tangent = INFINITY};
  for (int p = 0; p < st->model->path_count; p++) {
    const td_tendon_path *path = &st->model->path[p];
    for (int k = 0; k < st->model->rod[path->rod].gauss_count; k++) {
      double tangent = tangent_at(st, path, k);
      if (tangent < least.tangent)
        least = (slack){tangent, st->model->rod[path->rod].gauss_s[k], path->tendon, path->rod};
    }
  }
  return least;
}

static void cause(const td_statics *st, char *text, size_t size) {
  slack least = shortest(st);
  text[0] = '\0';
  if (least.tangent > USED_UP) return;
  snprintf(
      text, size, "; tendon \"%.63s\" has no length left on \"%.63s\" at s = %.3g: the tensions crush the rod there",
      td_model_tendon_name(st->model, least.tendon), st->model->link[st->model->rod[least.rod].link].name, least.s);
}

td_status td_statics_explain(td_statics *s, td_status status, td_error *err) {
  memcpy(s->q, s->best_q, (size_t)s->n * sizeof *s->q);
  if (td_statics_evaluate(s)) return td_fail(err, status, "", "the forces at the first guess are not finite");
  int worst = 0;
  for (int i = 1; i < s->n; i++)
    if (fabs(s->r[i]) > fabs(s->r[worst])) worst = i;
  char why[256];
  cause(s, why, sizeof why);
  return td_fail(
      err, TD_NOT_CONVERGED, "",
      "no equilibrium found in %d Newton iterations: the residual stays at %.3g (forces up to %.3g), worst at %s%s",
      s->iterations, s->residual, s->scale, td_model_coordinate_name(s->model, worst), why);
}
