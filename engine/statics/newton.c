// Two ways to a zero of r(q) that ask for no potential.
//
// newton: s = K^-1 r, halved until the next simplified correction is smaller (natural monotonicity, Deuflhard). relax:
// (K + lambda W) s = r with lambda proportional to the residual; every finite step is taken: implicit Euler steps of
//   W q' = r, growing as the residual falls.
#include "math/lu.h"
#include "statics/statics.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const double RELAXED_MOST = 1; // rad, m or strain modes in one step of relax
static const double POLISHED = 1e-13; // of the forces in play
static const double NEAR = 1e-4;      // rad, m, strains: beyond it lies another equilibrium
enum { DAMPINGS = 10 };

static td_status damped_step(td_statics *s, int dampings, bool *damped) {
  double size = td_statics_largest(s->d, s->step), part = 1;
  for (int i = 0; i < dampings; i++, part /= 2) {
    *damped = *damped || i > 0;
    if (td_statics_try(s, part) || !td_clearance_keeps(&s->clearance, s->q, s->trial_q)) continue;
    td_lu_solve(s->d, s->H, s->pivot, s->trial_r);
    if (td_statics_largest(s->d, s->trial_r) <= (1 - part / 4) * size) return td_statics_accept(s);
  }
  return TD_NOT_CONVERGED;
}

td_status td_statics_newton(td_statics *s, int iterations, bool patient) {
  assert(iterations > 0);
  bool damped = false;
  s->shift = 0;
  td_status status = td_statics_evaluate(s);
  for (int i = 0; !status && i < iterations; i++) {
    if (td_statics_converged(s)) return TD_OK;
    s->iterations++;
    status = td_statics_linearise(s);
    if (!status && !td_statics_lu_step(s)) status = TD_SINGULAR;
    if (status) return status;
    if (td_statics_negligible(s, s->step)) return TD_OK;
    status = damped_step(s, patient ? DAMPINGS : 1, &damped);
  }
  return status ? status : td_statics_converged(s) ? TD_OK : TD_NOT_CONVERGED;
}

static void cap(const td_statics *s) {
  double most = td_statics_largest(s->d, s->step);
  for (int i = 0; most > RELAXED_MOST && i < s->d; i++) s->step[i] *= RELAXED_MOST / most;
}

// The scale of eigenvalues of (K, W): the largest ratio of their diagonals.
static double stiffest(const td_statics *s) {
  double most = 0;
  for (int i = 0; i < s->d; i++) most = fmax(most, fabs(s->K[i * s->d + i]) / s->weight[i]);
  return most > 0 ? most : 1;
}

td_status td_statics_relax(td_statics *s) {
  td_status status = td_statics_evaluate(s);
  if (!status) status = td_statics_linearise(s);
  double first = s->residual, start = 1e-3 * stiffest(s);
  for (int i = 0; !status && i < 2 * s->options.max_iterations; i++) {
    if (td_statics_converged(s)) return TD_OK;
    s->iterations++;
    double fall = s->residual / first;
    s->shift = fall < 1e-6 ? 0 : start * fall;
    if (!td_statics_lu_step(s)) return TD_SINGULAR;
    cap(s);
    status = td_statics_try(s, 1);
    if (!status) status = td_statics_accept(s);
    if (!status) status = td_statics_linearise(s);
  }
  return status ? status : td_statics_converged(s) ? TD_OK : TD_NOT_CONVERGED;
}

// A full step to a smaller residual, linearised there; false: there is none, and the iterate is as it was.
static bool polishing_step(td_statics *s, td_status *status) {
  double before = s->residual;
  memcpy(s->kept_q, s->q, (size_t)s->n * sizeof *s->q);
  bool better = td_statics_lu_step(s) && td_statics_largest(s->d, s->step) < NEAR && !td_statics_try(s, 1) &&
                !td_statics_accept(s) && s->residual < before;
  if (!better) {
    memcpy(s->q, s->kept_q, (size_t)s->n * sizeof *s->q);
    *status = td_statics_evaluate(s);
  }
  if (!*status) *status = td_statics_linearise(s);
  return better;
}

td_status td_statics_polish(td_statics *s, int steps) {
  td_status status = TD_OK;
  for (int i = 0; !status && i < steps && s->d > 0 && s->residual > POLISHED * s->scale; i++)
    if (!polishing_step(s, &status)) break;
  return status;
}
