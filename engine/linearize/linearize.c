// Linearisations x' = A x + B u, x = (q, qd), from the derivatives of forward dynamics (at index 1 with loops), at the
// equilibrium for the inputs at t = 0 (relative to prescribed joints that turn steadily), at a given state as it
// stands, or at times of a run, which are then its output times.
#include "base/carve.h"
#include "base/stopwatch.h"
#include "constraint/loop_closure.h"
#include "create/coarse_bodies.h"
#include "dynamics/kinks.h"
#include "estimate/resolution/resolution.h"
#include "linearize/check.h"
#include "linearize/slopes.h"
#include "math/lapack.h"
#include "spec/place.h"
#include "statics/equilibrium.h"
#include "statics/turning/relative_rest.h"
#include "statics/turning/slopes.h"
#include "tendril/sensitivity.h"
#include "tendril/statics.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEWTON = 6 };
static const double MOST_OPEN = 1e-3; // rad, m: rounded numbers close better
static const double ALIKE = 1e-9;     // of an entry of A, by the rates of its coordinates,
static const double ROUNDING = 1e-12; // of the largest one,
static const double TURNING = 1e-4;   // of what the rates of prescribed joints may do to it: less is no change
static const double NEAR = 1e-3;      // rad, m, strains: a state given in a few digits is an equilibrium

// ------------------------------------------------------------------------------------------------ the job

typedef struct job {
  const td_model *model;
  const td_linearize_spec *spec;
  const td_linearize_hooks *hooks;
  td_workspace *ws;
  size_t n, m, index;
  double *q, *u, *A, *B; // [n], [m], [2n][2n], [2n][m]
  double *lambda;        // [loops + prescribed]
  double *rates;         // [n] of prescribed joints that turn along with the equilibrium, 0 of all others
  bool stable;           // an equilibrium where the potential has a minimum
  td_resolution *resolution;
  td_coarse_bodies *bodies;
  td_linearize_line line; // of a job that is differentiated
  td_warnings warnings;
  td_status status;
} job;

static td_status job_init(job *j) {
  size_t n = j->n = (size_t)td_model_ndof(j->model), m = j->m = (size_t)td_model_channel_count(j->model);
  if (td_workspace_create(j->model, &j->ws)) return TD_NO_MEMORY;
  size_t c = (size_t)(td_model_loop_row_count(j->model) + td_model_prescribed_count(j->model));
  bool room = TD_CARVE({&j->q, n}, {&j->u, m}, {&j->rates, n}, {&j->A, 4 * n * n}, {&j->B, 2 * n * m}, {&j->lambda, c});
  if (!room) return TD_NO_MEMORY;
  return j->spec->by ? td_linearize_line_init(&j->line, j->model, j->spec->by) : TD_OK;
}

static void job_fini(job *j) {
  td_linearize_line_fini(&j->line);
  td_workspace_destroy(j->ws);
  td_resolution_destroy(j->resolution);
  td_coarse_bodies_destroy(j->bodies);
  free(j->q);
}

// What keeps the loops closed there: pushed or pulled bodies are softer or stiffer by that.
static td_status multipliers(job *j, const td_state *state, double *lambda) {
  td_constrained_output out = {.lambda = lambda};
  if (j->model->loop_rows == 0) return TD_OK;
  j->ws->constraint.closure = true;
  td_status status = td_constrained_dynamics(j->model, j->ws, state, &out);
  j->ws->constraint.closure = false;
  return status;
}

// Frequencies at the first point, the one in the middle and the last one; of an equilibrium its shape, too.
static void look_at_modes(job *j, double t, const td_state *state) {
  size_t count = j->spec->at == TD_AT_TIMES ? j->spec->time_count : 1;
  char where[32] = "at the equilibrium";
  if (j->index != 0 && j->index != count / 2 && j->index + 1 != count) return;
  if (j->spec->at == TD_AT_STATE) snprintf(where, sizeof where, "at the state given");
  if (j->spec->at == TD_AT_TIMES) snprintf(where, sizeof where, "t = %.4g s", t);
  td_coarse_bodies_look(j->bodies, state->q, where);
  if (!j->resolution || multipliers(j, state, j->lambda)) return;
  td_resolution_state at = {.state = *state, .lambda = j->lambda, .closure = true, .where = where};
  if (j->spec->at == TD_AT_EQUILIBRIUM) at.near = td_equilibrium_near;
  td_resolution_look_at_modes(j->resolution, &at);
  at.state.qdd = NULL; // rest
  at.stable = j->stable;
  if (j->spec->at == TD_AT_EQUILIBRIUM) td_resolution_look(j->resolution, &at);
}

static void tell_kinks(job *j, double t, const double *q) {
  char at[32] = "";
  td_kink_words words = {at, "A is that",
                         "no linearisation holds for both; linearise a little away from it, on each side"};
  if (j->spec->at == TD_AT_TIMES) snprintf(at, sizeof at, " at t = %.6g s", t);
  td_kinks_tell(j->model, j->ws, q, &words, &j->warnings);
}

// Those of the point at work, whose state moves as the line says.
static bool slopes(job *j, const td_state *state) {
  const td_linearize_hooks *h = j->hooks;
  if (!td_linearize_line_at(&j->line, state))
    td_warn(
        &j->warnings, "no_derivative", "/sensitivity",
        "at point %zu A and B have no derivatives by some numbers (NaN): a state beside it has no A, or it has none "
        "of its own: an equilibrium whose stiffness is singular, or loops that depend on each other and part",
        j->index);
  return !h || !h->slopes || h->slopes(h->context, j->index, &j->line.out);
}

// One point; false ends the job.
static bool point(job *j, double t, const double *q, const double *qd, const double *qdd, const double *u) {
  td_state state = {.q = q, .qd = qd, .qdd = qdd, .u = u, .baumgarte = j->spec->run.integrator.baumgarte};
  j->status = td_linearize(j->model, j->ws, &state, j->A, j->B);
  if (j->status) return false;
  look_at_modes(j, t, &state);
  tell_kinks(j, t, q);
  const td_linearize_hooks *h = j->hooks;
  bool go = !h || !h->point || h->point(h->context, j->index, t, q, qd, u, j->A, j->B);
  if (go && j->spec->by) go = slopes(j, &state);
  j->index++;
  return go;
}

static bool on_sample(void *context, double t, const double *row) {
  job *j = context;
  if (j->index >= j->spec->time_count) return true; // the run after a single time 0
  return point(j, t, row, row + j->n, row + 2 * j->n, row + 3 * j->n);
}

// After on_sample of the same row would have been: the tangents of q, qd, qdd and u stand in row_dp as they do in row.
static bool on_slopes(void *context, double t, const double *row, const double *row_dp) {
  job *j = context;
  size_t block = j->n * j->line.np * sizeof *row_dp;
  if (j->index >= j->spec->time_count) return true;
  memcpy(j->line.dq, row_dp, block);
  memcpy(j->line.dqd, row_dp + j->n * j->line.np, block);
  memcpy(j->line.dqdd, row_dp + 2 * j->n * j->line.np, block);
  memcpy(j->line.du, row_dp + 3 * j->n * j->line.np, j->m * j->line.np * sizeof *row_dp);
  return on_sample(context, t, row);
}

static bool on_step(void *context, double t) {
  const job *j = context;
  return !j->hooks || !j->hooks->step || j->hooks->step(j->hooks->context, t);
}

static td_status along_run(job *j, td_run_statistics *statistics, td_error *err) {
  double extended[2];
  td_dynamics_spec run = td_linearize_run_spec(j->spec, extended);
  td_run_hooks hooks = {.context = j, .sample = j->spec->by ? NULL : on_sample, .step = on_step};
  const td_forward_hooks forward = {.run = hooks, .sample = on_slopes, .context = j};
  td_status status = j->spec->by ? td_gradient_forward(j->model, &run, j->spec->by, &forward, NULL, 0, statistics, err)
                                 : td_dynamics_run(j->model, &run, &hooks, NULL, 0, statistics, err);
  return j->status ? td_fail(err, j->status, "", "the linearisation of point %zu is not finite", j->index) : status;
}

static td_status first_inputs(job *j) {
  td_inputs *inputs;
  td_status status = td_inputs_create(j->model, j->spec->run.inputs, j->spec->run.input_count, &inputs);
  if (status) return status;
  td_inputs_eval(inputs, 0, 0, j->u);
  td_inputs_destroy(inputs);
  return TD_OK;
}

// Whether one block of A, dfd/dq or dfd/dqd, is another one. Each entry counts by the rates of the two coordinates that
// it couples, 1/s to the power of the block: stiff ones do not hide soft ones. What rates do is of the order of their
// own power; far below that it is rounding.
static bool block_changes(const job *j, const double *M, const double *at, const double *still, int power,
                          double fastest) {
  size_t n = j->n, from = power == 2 ? 0 : n;
  double most = 0;
  bool changes = false;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++) {
        size_t entry = (n + i) * 2 * n + from + k;
        double weight = sqrt(M[i * n + i] / M[k * n + k]); // of coordinates that weigh the same
        if (!(weight > 0) || !isfinite(weight)) continue;
        if (pass == 0) most = fmax(most, weight * fabs(still[entry]));
        double stiff = fabs(still[(n + i) * 2 * n + i] * still[(n + k) * 2 * n + k]); // 1/s^4
        double least = ALIKE * pow(stiff, 0.25 * power);
        least = fmax(least, fmax(ROUNDING * most, TURNING * pow(fastest, power)));
        if (pass == 1) changes |= weight * fabs(at[entry] - still[entry]) > least;
      }
  return changes;
}

// Whether rates of prescribed joints, at which the robot rests just as well, change A: gyroscopic forces do.
static bool rates_change(job *j, const double *rates) {
  size_t n = j->n, size = 4 * n * n;
  double fastest = 0, *at = malloc((size + n * n + n + 1) * sizeof *at), *M = at + size, *still = M + n * n;
  if (!at) return true;
  memset(still, 0, n * sizeof *still);
  for (size_t i = 0; i < n; i++) fastest = fmax(fastest, fabs(rates[i]));
  td_state state = {.q = j->q, .qd = rates, .qdd = still, .u = j->u, .baumgarte = j->spec->run.integrator.baumgarte};
  bool known = !td_linearize(j->model, j->ws, &state, at, NULL);
  state.qd = still;
  known = known && !td_linearize(j->model, j->ws, &state, j->A, NULL) && !td_mass_matrix(j->model, j->ws, j->q, M);
  bool change = !known || block_changes(j, M, at, j->A, 2, fastest) || block_changes(j, M, at, j->A, 1, fastest);
  free(at);
  return change;
}

// Either there is no equilibrium that lasts, and joints stand in A; or x' = A(t) x: Mathieu's equation has stable
// swings where A(0) grows, and growing ones where it is stable.
static void tell_rates(job *j, const td_rest *rest) {
  bool turns = rest->kind == TD_REST_TURNS;
  char pointer[TD_MAX_NAME + 16];
  const char *name = td_model_channel_name(j->model, rest->channel);
  snprintf(pointer, sizeof pointer, "/inputs/%s", name);
  if (rest->kind == TD_REST_STANDS && !rates_change(j, j->rates)) return;
  td_warn(
      &j->warnings, "rates_left_out", pointer, "%s\"%.63s\"%s%s%s", turns ? "this equilibrium turns along with " : "",
      name, turns ? "" : " moves its joint at t = 0, and there is no equilibrium that lasts while it does (",
      turns ? "" : rest->why,
      turns ? ", but not all that acts about it does (gravity across the axis, springs to the world, a second axis): "
              "A is that of t = 0 alone, x' = A(t) x has coefficients that repeat with each turn. Neither stability "
              "nor frequencies are those of the eigenvalues of A, but of Floquet's multipliers, of the map over one "
              "turn; try a run that starts a little away from the equilibrium"
            : "): this one, and A, are those of prescribed joints that stand still; linearise at \"times\": [0], "
              "where the robot moves");
}

// Equilibria that pass are none to be linearised at: then prescribed joints stand.
static td_status find(job *j, td_statics *s, const td_inputs *inputs, td_rest *rest, td_run_statistics *statistics,
                      td_error *why) {
  td_status status = td_rest_find(s, inputs, INFINITY, rest, statistics, why);
  if (status || rest->kind != TD_REST_PASSES) return status;
  rest->kind = TD_REST_LEFT_OUT;
  s->qd = NULL;
  memset(s->q, 0, j->n * sizeof *s->q);
  status = td_statics_find(s, j->u, &rest->result, why);
  td_statics_tell(&rest->result, statistics);
  return status;
}

// It holds nothing at rest, and its slope there, mu T alpha / slip_speed, is in A.
static void tell_friction(const td_model *model, td_warnings *warnings) {
  if (model->friction_count == 0) return;
  int t = 0;
  while (model->law[t].friction == 0) t++;
  assert(t < model->tendon_count);
  td_warn(
      warnings, "friction_faded", "/model/actuators",
      "friction of tendons is smooth and 0 at rest: the equilibrium is that of tendons that slide freely, and A has "
      "friction as a damper, by its slope at rest, friction times tension / slip_speed (%.3g m/s of \"%.63s\"). "
      "Half the slip_speed doubles it. It is true of motions in which tendons slide much more slowly than that; "
      "for faster ones, whose friction hardly depends on speed, take a run",
      model->law[t].slip, td_model_channel_name(model, model->law[t].channel));
}

static void judge(job *j, td_statics *s, const td_rest *rest, bool *unstable) {
  double *zero = calloc(j->n + 1, sizeof *zero);
  if (zero) td_equilibrium_tell(s, zero, NULL, "the equilibrium", &j->warnings);
  tell_friction(j->model, &j->warnings);
  j->stable = rest->result.stable && rest->result.conservative && !rest->varies;
  if (zero) td_equilibrium_tell_open(s, zero, &j->warnings);
  *unstable = !rest->varies && td_equilibrium_is_unstable(&rest->result);
  free(zero);
}

static td_status at_equilibrium(job *j, bool *unstable, td_run_statistics *statistics, td_error *err) {
  td_statics_options options;
  td_statics s;
  td_error why = {0};
  td_rest rest = {.rates = j->rates};
  td_inputs *inputs;
  td_statics_defaults(&options);
  td_status status = td_inputs_create(j->model, j->spec->run.inputs, j->spec->run.input_count, &inputs);
  if (status) return td_fail(err, status, "", "no memory for the inputs");
  status = td_statics_init(&s, j->model, j->ws, &options);
  if (status) {
    td_inputs_destroy(inputs);
    return td_fail(err, status, "", "no memory for statics");
  }
  s.u = j->u;
  status = find(j, &s, inputs, &rest, statistics, &why);
  memcpy(j->q, s.q, j->n * sizeof *j->q);
  if (!status) judge(j, &s, &rest, unstable);
  td_statics_fini(&s);
  td_inputs_destroy(inputs);
  if (status) return td_fail(err, status, "/at", "%s", why.message);
  if (rest.channel >= 0 && (rest.kind != TD_REST_TURNS || rest.varies)) tell_rates(j, &rest);
  if (rest.kind != TD_REST_TURNS) memset(j->rates, 0, j->n * sizeof *j->rates);
  return TD_OK;
}

// ------------------------------------------------------------------------------------------------ stability

// The eigenvalue of A with the largest real part. Eigenvalues do not mind that A is transposed.
static bool fastest_growth(const job *j, double eigenvalue[2]) {
  int N = (int)(2 * j->n), one = 1, lwork = 4 * N, info = 0;
  size_t size = (size_t)N * (size_t)N;
  double *A = malloc((size + 6 * (size_t)N + 1) * sizeof *A), *real = A + size, *imaginary = real + N;
  eigenvalue[0] = -INFINITY, eigenvalue[1] = 0;
  if (!A) return false;
  memcpy(A, j->A, size * sizeof *A);
  dgeev_("N", "N", &N, A, &N, real, imaginary, NULL, &one, NULL, &one, imaginary + N, &lwork, &info);
  for (int i = 0; i < N && info == 0; i++)
    if (real[i] > eigenvalue[0]) eigenvalue[0] = real[i], eigenvalue[1] = fabs(imaginary[i]);
  free(A);
  return info == 0 && eigenvalue[0] > 0;
}

// What holds near an unstable equilibrium does not hold for long.
static void tell_unstable(job *j) {
  double at[2];
  char oscillating[48] = "";
  if (!fastest_growth(j, at)) return;
  if (at[1] > 0) snprintf(oscillating, sizeof oscillating, " +- %.6g i", at[1]);
  td_warn(&j->warnings, "unstable", "/at",
          "this equilibrium is unstable: A has the eigenvalue %.6g%s 1/s, and the least push grows by e in %.3g s; "
          "x' = A x + B u holds only as long as it is small",
          at[0], oscillating, 1 / at[0]);
}

// Whether it does not rest. Rates of prescribed joints alone, and loops that turn along: the robot is at rest relative
// to them.
static bool moves_on(const job *j, td_statics *s) {
  const double *qd = j->spec->qd;
  bool turns = false;
  for (size_t i = 0; i < j->n && qd; i++) turns |= qd[i] != 0;
  if (!turns) return false;
  for (int i = 0; i < s->d; i++)
    if (qd[s->free[i]] != 0) return true;
  s->qd = qd;
  return !td_loops_turn_along(j->model, j->ws, j->q, qd, s->loops.G);
}

// A state given at rest may be an equilibrium: the one that Newton's method finds beside it is judged, saddles
// included.
static bool rests_unstably(const job *j) {
  td_statics_options options;
  td_statics s;
  td_statics_result result = {0};
  bool near = true;
  td_statics_defaults(&options);
  if (td_statics_init(&s, j->model, j->ws, &options)) return false;
  s.u = j->u;
  s.best = INFINITY;
  result.converged = !moves_on(j, &s) && !td_statics_start(&s, j->q, 1) && !td_statics_newton(&s, NEWTON, false);
  for (size_t i = 0; i < j->n; i++) near &= fabs(s.q[i] - j->q[i]) < NEAR;
  bool unstable = result.converged && near && !td_statics_judge(&s, &result) && td_equilibrium_is_unstable(&result);
  unstable = unstable && td_slopes_turn_along(&s, INFINITY); // else A says nothing of it
  if (s.loops.rows) td_loop_follow(j->model, j->ws, j->q, false);
  td_statics_fini(&s);
  return unstable;
}

// A and B of loops that are open are those of no robot: the state is refused, not moved, as it is to be linearised at
// as it stands.
static td_status closed_check(job *j, td_error *err) {
  int rows = td_model_loop_row_count(j->model), worst = 0, first = 0, count = 0, loop = 0;
  double *e = calloc((size_t)rows + 1, sizeof *e);
  if (!e) return td_fail(err, TD_NO_MEMORY, "", "no memory for the linearisation");
  td_loop_follow(j->model, j->ws, j->q, true);
  td_status status = td_loop_error(j->model, j->ws, j->q, e, NULL);
  for (int i = 1; i < rows; i++) worst = fabs(e[i]) > fabs(e[worst]) ? i : worst;
  double most = fabs(e[worst]);
  free(e);
  if (status) return td_fail(err, status, "/at/q", "the loop errors of this state are not finite");
  if (!(most > MOST_OPEN)) return TD_OK;
  while (loop + 1 < td_model_loop_count(j->model) && td_model_loop_name(j->model, loop + 1, &first, &count) &&
         first <= worst)
    loop++;
  return td_fail(
      err, TD_INVALID_ARGUMENT, "/at/q",
      "loop \"%.63s\" is open by %.4g (rad, m) at this state: give one that closes the loops, as a run from it "
      "starts at, or \"equilibrium\"",
      td_model_loop_name(j->model, loop, &first, &count), most);
}

// How the equilibrium in j->q moves.
static td_status equilibrium_slopes(job *j) {
  td_linearize_line *l = &j->line;
  td_sensitivity *s;
  td_error why;
  bool turns = false;
  for (size_t i = 0; i < j->n; i++) turns |= j->rates[i] != 0;
  td_status status = td_linearize_line_inputs(l, j->q, j->rates, j->u, turns ? l->dqd : NULL);
  if (!status) status = td_sensitivity_create(j->model, l->np, l->by->model, l->by->model_number, &s);
  if (status) return status;
  td_equilibrium at = {
      .q = j->q, .rates = turns ? j->rates : NULL, .u = j->u, .du_dp = l->du, .drates_dp = turns ? l->dqd : NULL};
  status = td_statics_sensitivity(s, &at, l->dq, NULL, &why); // what there is none of is NaN, and told of A
  td_sensitivity_destroy(s);
  return status == TD_NO_MEMORY ? status : TD_OK;
}

static td_status state_slopes(job *j) {
  td_linearize_line *l = &j->line;
  if (j->spec->at == TD_AT_EQUILIBRIUM) return equilibrium_slopes(j);
  size_t count = j->n * l->np;
  if (l->by->initial) memcpy(l->dq, l->by->initial, count * sizeof *l->dq);
  if (l->by->initial) memcpy(l->dqd, l->by->initial + count, count * sizeof *l->dqd);
  return td_linearize_line_inputs(l, j->q, j->spec->qd, j->u, NULL);
}

static td_status at_one_state(job *j, td_run_statistics *statistics, td_error *err) {
  bool unstable = false;
  double *rest = calloc(j->n + 1, sizeof *rest);
  td_status status = rest ? first_inputs(j) : TD_NO_MEMORY;
  if (status) (void)!td_fail(err, status, "", "no memory for the linearisation");
  if (!status && j->spec->at == TD_AT_EQUILIBRIUM) status = at_equilibrium(j, &unstable, statistics, err);
  if (!status && j->spec->at == TD_AT_STATE && j->n) memcpy(j->q, j->spec->q, j->n * sizeof *j->q);
  if (!status && j->spec->at == TD_AT_STATE && td_model_loop_row_count(j->model)) status = closed_check(j, err);
  if (!status && j->spec->at == TD_AT_STATE) td_equilibrium_tell_shape(j->model, j->q, &j->warnings);
  const double *qd = j->spec->at == TD_AT_EQUILIBRIUM ? j->rates : j->spec->qd ? j->spec->qd : rest;
  if (!status && j->spec->by && state_slopes(j)) status = td_fail(err, TD_NO_MEMORY, "", "no memory for derivatives");
  if (!status && !point(j, 0, j->q, qd, rest, j->u))
    status = j->status ? td_fail(err, j->status, "/at", "the accelerations at this state are not finite")
                       : td_fail(err, TD_CANCELLED, "", "cancelled");
  free(rest);
  if (!status && (unstable || (j->spec->at == TD_AT_STATE && rests_unstably(j)))) tell_unstable(j);
  return status;
}

td_status td_linearize_run(const td_model *model, const td_linearize_spec *spec, const td_linearize_hooks *hooks,
                           td_run_statistics *statistics, td_error *err) {
  td_run_statistics local;
  if (!statistics) statistics = &local;
  *statistics = (td_run_statistics){0};
  if (!td_linearize_count(model, spec, err)) return TD_INVALID_ARGUMENT;
  td_stopwatch watch = td_stopwatch_start();
  job j = {.model = model, .spec = spec, .hooks = hooks};
  td_status status = job_init(&j);
  if (!status) j.resolution = td_resolution_create(model); // NULL: nothing is judged
  if (!status) j.bodies = td_coarse_bodies_create(model);
  if (status)
    (void)!td_fail(err, status, "", "no memory for the linearisation");
  else
    status = spec->at == TD_AT_TIMES ? along_run(&j, statistics, err) : at_one_state(&j, statistics, err);
  statistics->jacobians += j.index; // A of each point
  if (!status) td_warnings_append(&statistics->warnings, "", &j.warnings);
  if (!status) td_resolution_tell(j.resolution, &statistics->warnings);
  if (!status) td_coarse_bodies_tell(j.bodies, &statistics->warnings);
  td_mode_trust *trust = &statistics->modes;
  trust->known = td_resolution_mode_trust(j.resolution, &trust->count, &trust->trusted, &trust->up_to);
  td_stopwatch_read(&watch, &statistics->wall_s, &statistics->cpu_s);
  job_fini(&j);
  return status;
}
