// Lists of statics problems: inputs are constants or lists of one common length, zipped. Each problem starts from the
// last converged solution; when that fails, once more from the first guess of the job. Memory and factorisations are
// set up once.
#include "statics/job/list.h"
#include "base/carve.h"
#include "base/stopwatch.h"
#include "body/rod/inside_out.h"
#include "input/initial_check.h"
#include "input/odd_inputs.h"
#include "input/odd_start.h"
#include "model/model.h"
#include "spec/place.h"
#include "statics/equilibrium.h"
#include "statics/job/output.h"
#include "statics/job/snap.h"
#include "statics/job/witness.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double FAR = 0.1; // rad, strains: what a robot moves by without a jump

// The common length of the lists, 1 without lists, 0 with an error.
static size_t common_length(const td_place *root, const td_model *model, const td_statics_spec *spec) {
  td_place inputs = td_place_key(root, "inputs");
  size_t length = 0;
  for (size_t i = 0; i < spec->input_count; i++) {
    const td_input_spec *in = &spec->inputs[i];
    td_place at = td_place_key(&inputs, in->channel);
    td_status status = TD_OK;
    if (!in->list && in->signal.type != TD_SIGNAL_CONSTANT)
      status = td_place_fail(
          &at, TD_INVALID_ARGUMENT, "statics takes a number or a list of numbers, not a signal over time%s",
          td_channel_drives(model, td_channel_find(model, in->channel))
              ? ": prescribed joints stand in it. Linearize and runs that start at \"equilibrium\" find the "
                "equilibrium of joints that turn"
              : "");
    else if (in->list && (in->list_count < 1 || in->list_count > TD_MAX_STATICS))
      status = td_place_fail(&at, TD_INVALID_ARGUMENT, "must have 1 to %d entries, has %zu", (int)TD_MAX_STATICS,
                             in->list_count);
    else if (in->list && length && in->list_count != length)
      status = td_place_fail(&at, TD_INVALID_ARGUMENT, "has %zu entries, but a list before it has %zu", in->list_count,
                             length);
    if (status) return 0;
    if (in->list) length = in->list_count;
  }
  return length ? length : 1;
}

static td_status guess_check(const td_place *root, const td_model *model, const td_statics_spec *spec) {
  td_place initial = td_place_key(root, "initial"), q = td_place_key(&initial, "q");
  if (spec->initial == TD_INITIAL_ZERO) return TD_OK;
  if (spec->initial == TD_INITIAL_EQUILIBRIUM)
    return td_place_fail(&q, TD_INVALID_ARGUMENT,
                         "a statics job seeks the equilibrium; its first guess is \"zero\" or an array");
  if (spec->q_count != (size_t)td_model_ndof(model))
    return td_place_fail(&q, TD_INVALID_ARGUMENT, "has %zu entries, but the model has %d coordinates", spec->q_count,
                         td_model_ndof(model));
  td_status status = td_check_all_finite(&q, NULL, spec->q_count, spec->q);
  return status ? status : td_initial_shape_check(model, spec->q, "/initial/q", root->err);
}

static td_status rest_check(const td_place *root, const td_model *model, const td_statics_spec *spec) {
  (void)spec;
  return td_rest_check(root, model);
}

static td_status lists_check(const td_place *root, const td_model *model, const td_statics_spec *spec) {
  return common_length(root, model, spec) ? TD_OK : TD_INVALID_ARGUMENT;
}

static td_status inputs_check(const td_place *root, const td_model *model, const td_statics_spec *spec) {
  return td_inputs_check(root, model, spec->inputs, spec->input_count, 0);
}

static td_status path_check(const td_place *root, const td_model *model, const td_statics_spec *spec) {
  return spec->continuation.channel ? td_continuation_check(model, spec, root->err) : TD_OK;
}

// What is wrong in one of them does not hide what is in the next; a path is judged where all before it is right.
static td_status check(const td_place *root, const td_model *model, const td_statics_spec *spec) {
  td_status (*const sections[])(const td_place *root, const td_model *model, const td_statics_spec *spec) = {
      rest_check, lists_check, inputs_check, guess_check, td_output_check_at_rest};
  td_status first = TD_OK;
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    td_status status = sections[i](root, model, spec);
    if (!first) first = status;
    if (!td_place_goes_on(root, status)) return first;
  }
  return first ? first : path_check(root, model, spec);
}

void td_statics_errors(const td_model *model, const td_statics_spec *spec, td_errors *all) {
  td_error err = {.status = TD_OK};
  td_place root = td_place_root(&err);
  root.all = all;
  (void)td_place_goes_on(&root, check(&root, model, spec));
}

size_t td_statics_count(const td_model *model, const td_statics_spec *spec, td_error *err) {
  td_place root = td_place_root(err);
  if (check(&root, model, spec)) return 0;
  return spec->continuation.channel ? (size_t)spec->continuation.steps + 1 : common_length(&root, model, spec);
}

td_status td_statics_check(const td_model *model, const td_statics_spec *spec, size_t *count, td_warnings *warnings,
                           td_error *err) {
  td_place root = td_place_root_of(warnings, err);
  *count = td_statics_count(model, spec, err);
  if (*count == 0) return err && err->status ? err->status : TD_INVALID_ARGUMENT;
  td_inputs_remark(&root, model, spec->inputs, spec->input_count, 0);
  if (spec->initial == TD_INITIAL_ARRAY) td_initial_remark(&root, model, spec->q, spec->q_count);
  td_start_remark(&root, model, spec->initial == TD_INITIAL_ARRAY ? spec->q : NULL);
  return TD_OK;
}

static void inputs_at(const td_statics_spec *spec, const int *channel, size_t index, double *u) {
  for (size_t i = 0; i < spec->input_count; i++) {
    const td_input_spec *in = &spec->inputs[i];
    u[channel[i]] = in->list ? in->list[index] : in->signal.offset;
  }
}

typedef struct list {
  td_statics solver;
  td_workspace *ws;
  td_statics_output output;
  td_snap snap;
  bool before; // snap.from_u and from_q are the problem before this one, solved
  bool warm;   // `last` is a solution
  int *channel;
  double *u, *first, *last, *none;         // [m], [n] guess of the job, [n] last converged solution, [n] NaN
  double *found, *came_from, *came_from_u; // [n], [n] where the problem at hand was begun, [m] and under which inputs
} list;

static void list_fini(list *l) {
  td_statics_fini(&l->solver);
  td_statics_output_fini(&l->output);
  td_snap_fini(&l->snap);
  td_workspace_destroy(l->ws);
  free(l->channel);
  free(l->u);
}

static td_status list_init(list *l, const td_model *model, const td_statics_spec *spec, const double *warm_start) {
  size_t n = (size_t)td_model_ndof(model), m = (size_t)td_model_channel_count(model);
  td_error err;
  *l = (list){0};
  td_status status = td_statics_output_init(&l->output, model, spec, &err);
  if (!status) status = td_workspace_create(model, &l->ws);
  if (!status) status = td_statics_init(&l->solver, model, l->ws, &spec->options);
  if (!status) status = td_snap_init(&l->snap, &l->solver);
  if (status) return status;
  l->channel = calloc(spec->input_count + 1, sizeof *l->channel);
  bool room = TD_CARVE({&l->u, m}, {&l->first, n}, {&l->last, n}, {&l->none, n}, {&l->found, n}, {&l->came_from, n},
                       {&l->came_from_u, m});
  if (!l->channel || !room) return TD_NO_MEMORY;
  for (size_t i = 0; i < n; i++) l->none[i] = NAN;
  for (size_t i = 0; i < spec->input_count; i++) l->channel[i] = td_channel_find(model, spec->inputs[i].channel);
  if (spec->initial == TD_INITIAL_ARRAY && n) memcpy(l->first, spec->q, n * sizeof *l->first);
  memcpy(l->last, warm_start ? warm_start : l->first, n * sizeof *l->last);
  return TD_OK;
}

static double farthest(const list *l, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < l->solver.n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// Whether the solution in the solver lies higher than the last one under the present inputs: no robot that is let go
// there comes to it.
static bool rises(list *l, const td_statics_result *result) {
  td_statics *s = &l->solver;
  size_t bytes = (size_t)s->n * sizeof *s->q;
  if (!l->warm || !result->conservative || !(s->climbed || farthest(l, s->q, l->last) > FAR)) return false;
  int c = td_model_loop_row_count(s->model) + td_model_prescribed_count(s->model);
  memcpy(l->found, s->q, bytes);
  memcpy(l->snap.lambda, s->lambda, (size_t)c * sizeof *s->lambda);
  bool known = !td_statics_start(s, l->last, 1); // prescribed joints and loops put right
  memcpy(s->kept_q, s->q, bytes);
  memcpy(s->q, l->found, bytes);
  bool up = known && td_statics_rises(s, s->kept_q);
  if (s->loops.rows && (td_statics_evaluate(s) || td_statics_linearise(s))) up = true;
  memcpy(s->lambda, l->snap.lambda, (size_t)c * sizeof *s->lambda);
  return up;
}

// From a guess; only_down: by descent alone.
static td_status find(list *l, const double *from, bool only_down, td_statics_result *result,
                      td_run_statistics *statistics, td_error *failure) {
  memcpy(l->solver.q, from, (size_t)l->solver.n * sizeof *from);
  l->solver.only_down = only_down;
  l->solver.from_u = l->before && from == l->last ? l->snap.from_u : NULL;
  td_status status = td_statics_find(&l->solver, l->u, result, failure);
  l->solver.only_down = false;
  l->solver.from_u = NULL;
  td_statics_tell(result, statistics);
  return status;
}

// Solves for l->u from the last solution, else from the first guess; the solution is left in the solver. One that lies
// higher than where it began is none: then the robot is let go there.
static td_status solve(list *l, td_statics_result *result, td_run_statistics *statistics, td_error *failure) {
  size_t bytes = (size_t)l->solver.n * sizeof(double);
  td_status status = find(l, l->last, false, result, statistics, failure);
  if (!status && rises(l, result)) status = find(l, l->last, true, result, statistics, failure);
  if (status == TD_NOT_CONVERGED && memcmp(l->last, l->first, bytes) != 0) {
    td_statics_result other;
    td_error why = {0};
    if (!find(l, l->first, false, &other, statistics, &why)) {
      l->solver.climbed = true;
      if (!rises(l, &other)) *result = other, status = TD_OK;
    }
  }
  if (!status) l->warm = true, memcpy(l->last, l->solver.q, bytes);
  return status;
}

// How far the solution in the solver has jumped from that of the problem before; from there it was sought.
static double snap_of(list *l) {
  td_statics *s = &l->solver;
  size_t inputs = (size_t)s->m * sizeof(double), bytes = (size_t)s->n * sizeof(double);
  double far = 0;
  if (l->before) {
    memcpy(l->snap.to_u, l->u, inputs);
    far = td_snap_between(&l->snap, s);
    memcpy(s->q, l->last, bytes);
  }
  memcpy(l->snap.from_u, l->u, inputs);
  memcpy(l->snap.from_q, l->last, bytes);
  l->before = true;
  return far;
}

// The problem before the first one of a resumed list, if the solution to start from is its.
static void remember(list *l, const td_statics_spec *spec, size_t first) {
  td_statics *s = &l->solver;
  if (first == 0) return;
  inputs_at(spec, l->channel, first - 1, l->snap.from_u);
  memcpy(l->snap.from_q, l->last, (size_t)s->n * sizeof(double));
  s->u = l->snap.from_u;
  l->before = l->warm = !td_statics_start(s, l->last, 1) && s->residual <= 1e-6 * s->scale;
}

static void tell_guess(list *l, const td_statics_spec *spec, td_run_statistics *statistics) {
  inputs_at(spec, l->channel, 0, l->u);
  l->solver.u = l->u;
  td_equilibrium_tell_guess(&l->solver, l->first, spec->initial == TD_INITIAL_ARRAY, &statistics->warnings);
}

// Where the problem before has no solution, its loads are not known to lead anywhere: all are raised from there.
static void tell(list *l, size_t index, bool guessed, td_run_statistics *statistics) {
  char where[32];
  snprintf(where, sizeof where, "problem %zu", index + 1);
  td_equilibrium_tell(&l->solver, l->came_from, guessed ? NULL : l->came_from_u, where, &statistics->warnings);
}

// Problems from `first` on.
static td_status solve_list(list *l, const td_statics_spec *spec, size_t first, size_t count,
                            const td_statics_hooks *hooks, td_run_statistics *statistics, td_error *err) {
  remember(l, spec, first);
  for (size_t i = first; i < count; i++) {
    td_statics_result result;
    td_error failure = {0};
    inputs_at(spec, l->channel, i, l->u);
    memcpy(l->came_from, l->last, (size_t)l->solver.n * sizeof *l->last);
    if (l->before) memcpy(l->came_from_u, l->snap.from_u, (size_t)l->solver.m * sizeof *l->u);
    bool guessed = !l->before;
    td_status solved = solve(l, &result, statistics, &failure);
    if (solved) result.lambda = NULL, result.residual = NAN; // the best iterate is no answer
    if (solved) td_inside_out_tell(l->solver.model, l->solver.q, "/model", &statistics->warnings);
    if (solved)
      l->before = false;
    else
      result.snap = snap_of(l);
    const double *q = solved ? l->none : l->solver.q;
    result.output = td_statics_output_row(&l->output, l->u, solved ? NULL : q);
    statistics->steps++;
    statistics->nonlinear_failures += solved != TD_OK;
    if (!solved) tell(l, i, guessed, statistics);
    bool go = !hooks || !hooks->solved || hooks->solved(hooks->context, i, l->u, q, &result, solved ? &failure : NULL);
    if (!go) return td_fail(err, TD_CANCELLED, "", "cancelled after problem %zu of %zu", i + 1, count);
  }
  return TD_OK;
}

static td_status solve_path(list *l, const td_statics_spec *spec, size_t first, const td_statics_hooks *hooks,
                            td_run_statistics *statistics, td_error *err) {
  inputs_at(spec, l->channel, 0, l->u);
  memcpy(l->solver.q, l->first, (size_t)l->solver.n * sizeof *l->first);
  return td_continuation_run(&l->solver, spec, l->u, first, &l->output, hooks, statistics, err);
}

static int path_channel(const td_model *model, const td_statics_spec *spec) {
  return spec->continuation.channel ? td_channel_find(model, spec->continuation.channel) : -1;
}

td_status td_statics_run(const td_model *model, const td_statics_spec *spec, size_t first, const double *warm_start,
                         const td_statics_hooks *hooks, td_run_statistics *statistics, td_error *err) {
  td_run_statistics local;
  if (!statistics) statistics = &local;
  *statistics = (td_run_statistics){0};
  size_t count = td_statics_count(model, spec, err);
  if (!count) return err && err->status ? err->status : TD_INVALID_ARGUMENT;
  td_stopwatch watch = td_stopwatch_start();
  list l;
  td_witnesses seen;
  td_status status = list_init(&l, model, spec, warm_start);
  if (!status) status = td_witnesses_init(&seen, model, hooks, path_channel(model, spec));
  if (status) {
    list_fini(&l);
    return td_fail(err, status, "", "cannot set up the statics job");
  }
  tell_guess(&l, spec, statistics);
  td_statics_hooks through = td_witnesses_hooks(&seen);
  status = spec->continuation.channel ? solve_path(&l, spec, first, &through, statistics, err)
                                      : solve_list(&l, spec, first, count, &through, statistics, err);
  if (!status) td_witnesses_judge(&seen, &statistics->warnings);
  td_witnesses_fini(&seen);
  td_equilibrium_tell_friction(model, &statistics->warnings);
  td_stopwatch_read(&watch, &statistics->wall_s, &statistics->cpu_s);
  list_fini(&l);
  return status;
}
