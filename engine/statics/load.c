// Continuation of all that loads the robot (gravity, inputs, constant loads, contacts) from a small fraction of it to
// the whole.
//
// Loads that bend a soft robot by many times what it can bear act like powers of their size: the fraction f grows by
// factors, and the tangent predicts along log f,   dq = K^-1 (tau - ID - tau_elastic) f dlog f. Every fraction is
// settled like a problem of its own, within few iterations; the factor follows from how many it took.
#include "statics/statics.h"
#include "tendril/statics.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 6, EASY = 4, CORRECTIONS = 14, PARTS = 20, FINER = 16, SETTLE = 40 };
static const double FIRST = 1. / 16, FALL = 1. / 16, FACTOR = 4, FACTOR_MOST = 16, FACTOR_LEAST = 1.01;

// The path's state to go back to.
static void keep(td_statics *s) { memcpy(s->kept_q, s->q, (size_t)s->n * sizeof *s->q); }

static td_status go_back(td_statics *s) {
  memcpy(s->q, s->kept_q, (size_t)s->n * sizeof *s->q);
  return td_statics_evaluate(s);
}

// s->step = dq / dlog f at the equilibrium in s->q; zero where K is singular.
static td_status tangent(td_statics *s) {
  double fraction = s->fraction;
  td_status status = td_statics_linearise(s);
  if (status) return status;
  s->shift = 0;
  // r = f (load) + elastic + A^T lambda = 0: f times the load is what is left of the forces once elasticity is taken
  // out
  status = td_generalized_force(s->model, s->ws, s->q, NULL, NULL, s->part);
  for (int i = 0; i < s->d; i++) {
    double whole = s->force[s->free[i]], elastic = s->part[s->free[i]];
    s->r[i] = (whole - (1 - fraction) * elastic) - fraction * elastic;
  }
  td_statics_confine_vector(s, s->r);
  if (!status && !td_statics_lu_step(s)) memset(s->step, 0, (size_t)s->d * sizeof *s->step);
  return status;
}

static td_status predict(td_statics *s, double next) {
  assert(next > s->fraction && next <= 1);
  td_status status = tangent(s);
  if (status) return status;
  double most = td_statics_largest(s->d, s->step) * log(next / s->fraction);
  double part = log(next / s->fraction) * (most > 1 ? 1 / most : 1);
  status = td_statics_try(s, part);
  if (!status && !td_clearance_keeps(&s->clearance, s->q, s->trial_q)) status = TD_NOT_CONVERGED;
  s->fraction = next;
  return status ? status : td_statics_accept(s);
}

// A first fraction that is settled easily.
static td_status begin(td_statics *s, const double *first) {
  double fraction = FIRST;
  for (int i = 0; i < STARTS; i++, fraction *= FALL)
    if (!td_statics_start(s, first, fraction) && !td_statics_settle(s, CORRECTIONS)) return TD_OK;
  return TD_NOT_CONVERGED;
}

td_status td_statics_raise(td_statics *s, const double *first) {
  double factor = FACTOR;
  td_status status = begin(s, first);
  while (!status && s->fraction < 1) {
    double fraction = s->fraction;
    int before = s->iterations;
    keep(s);
    if (!predict(s, fmin(1, fraction * factor)) && !td_statics_settle(s, CORRECTIONS)) {
      if (s->iterations - before <= EASY) factor = fmin(factor * factor, FACTOR_MOST);
      continue;
    }
    s->fraction = fraction;
    factor = sqrt(factor);
    status = factor < FACTOR_LEAST ? TD_NOT_CONVERGED : go_back(s);
  }
  return status;
}

// ------------------------------------------------------------------------------------------------ in small parts

// To `part` of the way from the inputs from_u, or from none of the loads, from the equilibrium x [n] at the part
// before.
static td_status raise_part(td_statics *s, const double *first, const double *from_u, const double *all, double part,
                            const double *x) {
  assert(part > 0 && part <= 1);
  double *u = s->raised;
  td_passage ignored;
  td_statics_result result;
  for (int i = 0; i < s->m; i++) u[i] = from_u ? from_u[i] + part * (all[i] - from_u[i]) : all[i];
  for (int i = 0; i < td_model_prescribed_count(s->model) && !from_u; i++) { // joints go there from the guess
    int channel = -1, c = td_model_prescribed_coordinate(s->model, i, &channel);
    u[channel] = first[c] + part * (all[channel] - first[c]);
  }
  s->u = u;
  td_status status = td_statics_start(s, x, from_u ? 1 : part);
  if (!status) status = td_statics_settle(s, SETTLE);
  if (!status) status = td_statics_leave_saddles(s, &result); // it may have forked sideways
  return status || td_clearance_passes(&s->clearance, x, s->q, true, &ignored) ? TD_NOT_CONVERGED : TD_OK;
}

td_status td_statics_raise_slowly(td_statics *s, const double *first, const double *from_u) {
  const double *all = s->u;
  double done = 0, most = 1.0 / PARTS, part = most, *x = malloc((size_t)s->n * sizeof *x + 1);
  td_status status = x ? TD_OK : TD_NO_MEMORY;
  if (x) memcpy(x, first, (size_t)s->n * sizeof *x);
  while (!status && done < 1) {
    double next = done + 1.5 * part < 1 ? done + part : 1;
    status = raise_part(s, first, from_u, all, next, x);
    if (!status) {
      memcpy(x, s->q, (size_t)s->n * sizeof *x);
      done = next;
      part = fmin(2 * part, most);
    } else if (part > most / FINER) {
      part /= 2;
      status = TD_OK;
    }
  }
  s->u = all;
  s->fraction = 1;
  free(x);
  return status;
}
