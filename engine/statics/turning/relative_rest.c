// Prescribed joints that turn steadily take the robot along: it is in equilibrium relative to them where centrifugal
// forces, drag and all that acts balance, and stays so where what acts goes along. That is seen, not derived: at other
// angles of one turn the same coordinates must be in equilibrium. Gravity across the axis, a current, an obstacle
// beside it, a second axis that crosses the first: nothing of these goes along.
//
// A joint that goes to and fro within less than a radian takes nothing along: then the robot is that of joints that
// stand, and the rates are left out, which matters where they would move it.
#include "statics/turning/relative_rest.h"
#include "math/lu.h"
#include "statics/turning/slopes.h"
#include "tendril/statics.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 24 };
static const double STEADY = 1e-9, ON = 0.1; // of a rate: it does not change; it goes on
static const double ROUNDING = 1e-9;         // of forces in play
// Documents write a right angle as 1.5708: an axis that is upright but for that takes gravity along.
static const double ALONG = 1e-5; // of the fastest: a loop that turns as one with its joint
static const double LEAST = 1e-5,
                    PART = 1e-3; // rad, m, strains; of the largest coordinate: less is the same equilibrium

// ------------------------------------------------------------------------------------------------ rates

// Whether the rate stays within `part` of itself for `span` after t.
static bool keeps(const td_inputs *inputs, int channel, double t, double rate, double span, double part) {
  static const double near[] = {1e-3, 0.013, 0.17, 0.5, 0.83, 0.999}, far[] = {0.013, 0.17, 1.1, 7.3, 103};
  bool ends = isfinite(span);
  size_t count = ends ? sizeof near / sizeof *near : sizeof far / sizeof *far;
  for (size_t k = 0; k < count; k++) {
    double at = t + (ends ? near[k] * span : far[k]), then[3];
    td_inputs_motion(inputs, channel, at, at, then);
    if (!(fabs(then[1] - rate) <= part * fabs(rate))) return false;
  }
  return true;
}

td_driven_motion td_driven_motion_at(const td_model *m, const td_inputs *inputs, double t, double t_end,
                                     double *rates) {
  td_driven_motion all = {.channel = -1, .steady = true, .on = true, .slowest = INFINITY};
  memset(rates, 0, (size_t)td_model_ndof(m) * sizeof *rates);
  for (int i = 0; i < td_model_prescribed_count(m); i++) {
    int channel, c = td_model_prescribed_coordinate(m, i, &channel);
    double now[3], law = td_inputs_next_motion_event(inputs, channel, t) - t, span = fmin(law, t_end - t);
    td_inputs_motion(inputs, channel, t, isfinite(span) ? t + 0.5 * span : t + 1, now);
    double rate = rates[c] = now[1];
    if (rate == 0) continue; // what begins to move later is no matter of now
    if (all.channel < 0) all.channel = channel;
    all.fastest = fmax(all.fastest, fabs(rate));
    all.slowest = fmin(all.slowest, fabs(rate));
    all.steady = all.steady && keeps(inputs, channel, t, rate, span, STEADY);
    all.on = all.on && keeps(inputs, channel, t, rate, fmin(law, 1 / fabs(rate)), ON); // the same in runs of any length
  }
  return all;
}

// ------------------------------------------------------------------------------------------------ what goes along

bool td_loops_turn_along(const td_model *m, td_workspace *ws, const double *q, const double *rates, double *A) {
  int n = td_model_ndof(m), rows = td_model_loop_row_count(m);
  double most = 0, apart = 0, fastest = td_statics_largest(n, rates);
  if (rows == 0) return true;
  if (td_loop_error(m, ws, q, NULL, A)) return false;
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      sum += A[i * n + j] * rates[j];
      most = fmax(most, fabs(A[i * n + j]));
    }
    apart = fmax(apart, fabs(sum));
  }
  return apart <= ALONG * most * fastest;
}

static double nothing(const td_statics *s) { return fmax(ROUNDING * s->scale, s->weightless); }

// K at the iterate, factored in s->H.
static bool factor(td_statics *s) {
  s->shift = 0;
  return !td_statics_linearise(s) && td_statics_lu_step(s);
}

// What another equilibrium must be away from that in s->q to be seen.
static double seen(const td_statics *s) {
  double most = 0;
  for (int i = 0; i < s->d; i++) most = fmax(most, fabs(s->q[s->free[i]]));
  return fmax(LEAST, PART * most);
}

// Whether the coordinates of the equilibrium in s->q are those of one at all angles of a turn (of the slowest joint),
// up to t_end.
static bool forces_go_along(td_statics *s, const td_driven_motion *joints, double t_end) {
  static const double golden = 0.6180339887498949;
  double turn = fmin(2 * M_PI / joints->slowest, t_end);
  if (td_statics_evaluate(s)) return false;
  bool factored = factor(s);
  for (int k = 1; k <= LOOKS; k++) {
    double t = turn * fmod(k * golden, 1);
    for (int i = 0; i < s->n; i++) s->trial_q[i] = s->q[i] + t * s->qd[i];
    if (td_statics_trial_residual(s)) return false;
    if (td_statics_largest(s->d, s->trial_r) <= nothing(s)) continue;
    if (!factored) return false;
    td_lu_solve(s->d, s->H, s->pivot, s->trial_r);
    if (!(td_statics_largest(s->d, s->trial_r) <= seen(s))) return false;
  }
  return true;
}

// How far the rates v [n] of all coordinates would move the equilibrium in s->q; 0 where loops leave no motion.
static double moved_by(td_statics *s, const double *v) {
  s->qd = v;
  if (td_statics_evaluate(s)) return INFINITY;
  if (s->d <= s->loops.rank || s->residual <= nothing(s)) return 0;
  return factor(s) ? td_statics_largest(s->d, s->step) : INFINITY;
}

// At the equilibrium of joints that stand, s->q: whether their rates, and those that loops give the other joints with
// them, would move the robot.
static bool rates_matter(td_statics *s, const double *rates) {
  double *v = malloc((size_t)s->n * sizeof *v + 1);
  bool matter = true;
  if (v) {
    memcpy(v, rates, (size_t)s->n * sizeof *v);
    if (!td_project_velocity(&s->loops, s->q, v)) matter = !(moved_by(s, v) <= seen(s));
  }
  free(v);
  s->qd = NULL;
  return td_statics_evaluate(s) || matter;
}

// ------------------------------------------------------------------------------------------------ the equilibrium

static bool find_turning(td_statics *s, const td_driven_motion *joints, double t_end, td_rest *rest,
                         td_run_statistics *statistics) {
  td_error why = {0};
  rest->why = "its loops cannot be closed";
  if (s->loops.rows && td_statics_start(s, s->q, 1)) return false;
  if (!td_loops_turn_along(s->model, s->ws, s->q, rest->rates, s->loops.G)) {
    rest->why = "its loops do not turn along";
    return false;
  }
  s->qd = rest->rates;
  td_status status = td_statics_find(s, s->u, &rest->result, &why);
  td_statics_tell(&rest->result, statistics);
  rest->why = "none was found at its rate";
  if (status) return false;
  if (!td_loops_turn_along(s->model, s->ws, s->q, rest->rates, s->loops.G)) {
    rest->why = "its loops do not turn along";
    return false;
  }
  bool along = forces_go_along(s, joints, t_end);
  rest->kind = along && joints->steady ? TD_REST_TURNS : TD_REST_PASSES;
  rest->varies = rest->kind == TD_REST_TURNS && !td_slopes_turn_along(s, t_end);
  rest->why = along ? "its rate changes" : "not all that acts on the robot turns along";
  return true;
}

static td_status find_standing(td_statics *s, const double *guess, td_rest *rest, td_run_statistics *statistics,
                               td_error *err) {
  memcpy(s->q, guess, (size_t)s->n * sizeof *guess);
  s->qd = NULL;
  td_status status = td_statics_find(s, s->u, &rest->result, err);
  td_statics_tell(&rest->result, statistics);
  return status;
}

// An equilibrium that passes is told, and begun with, where it is another one than that of joints that stand.
static void settle_passing(td_statics *s, const double *guess, double *passing, td_rest *rest,
                           td_run_statistics *statistics) {
  td_rest standing = *rest;
  td_error why = {0};
  size_t bytes = (size_t)s->n * sizeof *s->q;
  memcpy(passing, s->q, bytes);
  if (!find_standing(s, guess, &standing, statistics, &why) && !rates_matter(s, rest->rates)) {
    *rest = standing;
    rest->kind = TD_REST_STANDS;
    return;
  }
  s->qd = rest->rates;
  memcpy(s->q, passing, bytes);
  if (td_statics_evaluate(s)) rest->result.converged = false; // it was finite before
}

td_status td_rest_find(td_statics *s, const td_inputs *inputs, double t_end, td_rest *rest,
                       td_run_statistics *statistics, td_error *err) {
  size_t n = (size_t)s->n;
  td_driven_motion joints = td_driven_motion_at(s->model, inputs, 0, t_end, rest->rates);
  double *guess = malloc((2 * n + 1) * sizeof *guess);
  if (!guess) return td_fail(err, TD_NO_MEMORY, "", "no memory for statics");
  memcpy(guess, s->q, n * sizeof *guess);
  rest->kind = TD_REST_STANDS;
  rest->channel = joints.channel;
  rest->why = "it goes to and fro";
  td_status status = TD_OK;
  if (joints.channel >= 0 && joints.on && find_turning(s, &joints, t_end, rest, statistics)) {
    if (rest->kind == TD_REST_PASSES) settle_passing(s, guess, guess + n, rest, statistics);
  } else {
    status = find_standing(s, guess, rest, statistics, err);
    if (!status && joints.channel >= 0 && rates_matter(s, rest->rates)) rest->kind = TD_REST_LEFT_OUT;
  }
  free(guess);
  return status;
}
