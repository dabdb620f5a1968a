// The equilibrium beside a state that is nearly one: Newton's method alone, since every other way may lead elsewhere.
// Functions that nearly depend on each other leave K nearly singular, and a little of the metric W makes it regular:
//     (K + lambda W) s = r,    lambda = LEAST max K_ii / W_ii
// What they do not tell apart may wander, so that the forces that are left say when it is there, not the steps.
#include "constraint/loop_closure.h"
#include "statics/equilibrium.h"
#include <math.h>
#include <string.h>

enum { STEPS = 8 };
static const double LEAST = 1e-10;
static const double LEFT = 1e-4; // of the forces at the beginning: so much of the way is left, or of its square

static double stiffest(const td_statics *s) {
  double most = 0;
  for (int i = 0; i < s->d; i++) most = fmax(most, fabs(s->K[i * s->d + i]) / s->weight[i]);
  return most;
}

static bool settle(td_statics *s) {
  double first = s->residual;
  for (int i = 0; i < STEPS; i++) {
    if (td_statics_converged(s) || s->residual <= LEFT * first) return true;
    if (td_statics_linearise(s)) return false;
    s->shift = LEAST * stiffest(s);
    if (!td_statics_lu_step(s)) return false;
    if (td_statics_negligible(s, s->step)) return true;
    if (td_statics_try(s, 1) || td_statics_accept(s)) return false;
  }
  return td_statics_converged(s) || s->residual <= LEFT * first;
}

bool td_equilibrium_near(const td_model *model, td_workspace *ws, const double *u, const double *qd, double *q) {
  td_statics_options options;
  td_statics s;
  td_statics_defaults(&options);
  if (td_statics_init(&s, model, ws, &options)) return false;
  if (s.loops.rows) td_loop_follow(model, ws, q, true);
  s.u = u;
  s.qd = qd;
  s.best = INFINITY;
  bool found = !td_statics_start(&s, q, 1) && settle(&s);
  if (found) memcpy(q, s.q, (size_t)s.n * sizeof *q);
  td_statics_fini(&s);
  return found;
}
