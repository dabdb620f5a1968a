// Jobs of kind statics: td_statics_run with solutions into a spool, then members u, q, converged, stable, iterations,
// residual [S, …] and lambda [S, c], what output.fields ask for, and derivatives of what sensitivity.fields do
// ("sensitivity:q" [S, n, np]), NaN where an equilibrium has none, of which a warning tells. A problem without a
// solution is a row of NaN (u stays, converged is false) and an entry of summary.failures; the job then fails as
// unconverged when all problems were tried, unless it says `"unconverged": "keep"`. A continuation (a path of
// equilibria) is a list that nobody knows beforehand; summary.continuation has its limit and branch points. Every
// problem is a checkpoint; besides the rows it holds the last converged solution, where the next problem starts, which
// equilibria are unstable or lie behind a snap, and the failures so far.
#include "codec/json/pointer.h"
#include "tendril/sensitivity.h"
#include "worker/execute/parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct statics {
  execution *r;
  spool rows;
  double *row;
  double *warm; // [WARM + 1 + n]: the columns below, 1 when there is a converged solution, the last of these
  size_t n, m, c, count;
  td_member *members; // of output.fields, behind the other columns
  int member_count;
  size_t output; // numbers of theirs in a row
  sensitivity_plan by;
  td_sensitivity_rows *slopes; // NULL: nothing is differentiated
  double *du;                  // [m][np] of the problem at work; NULL: no number is an input's
  double *own;                 // of a gradient: [by.row] numbers that it looks at
  td_error why;                // of a gradient that has none
} statics;

// columns after u [m], q [n] and lambda [c]
enum { CONVERGED, STABLE, ITERATIONS, RESIDUAL, RESULT_COLUMNS };

static const struct {
  const char *name;
  npz_type type;
} columns[RESULT_COLUMNS] = {
    [CONVERGED] = {"converged", NPZ_BOOL},
    [STABLE] = {"stable", NPZ_BOOL},
    [ITERATIONS] = {"iterations", NPZ_I8},
    [RESIDUAL] = {"residual", NPZ_F8},
};

enum {            // columns of statics.warm
  UNSTABLE,       // equilibria
  FIRST_UNSTABLE, // index
  FLUTTERS,       // of the unstable ones
  FED,            // of the first of these: whether a current feeds it,
  GROWTH,         // 1/s,
  FREQUENCY,      // rad/s
  SNAPS,
  FIRST_SNAP,    // index
  SNAP_FURTHEST, // coordinate that went furthest in it,
  SNAP_FROM,     // from
  SNAP_TO,       // to
  UNSLOPED,      // equilibria without derivatives,
  FIRST_UNSLOPED,
  PARTED,     // that lack them by single numbers alone,
  FIRST_PART, // index of the first such number
  WARM
};
enum { FIELD_LIMIT = 256, SNAPS_TOLD = 1000 };

static void record_failure(execution *r, size_t index, const td_error *failure) {
  json_t *entry = json_pack("{s:I, s:s, s:s}", "index", (json_int_t)index, "code", td_status_name(failure->status),
                            "detail", failure->message);
  if (entry) json_array_append_new(r->failures, entry);
}

static size_t warm_bytes(const statics *s) { return (WARM + 1 + s->n) * sizeof *s->warm; }
static size_t sums_bytes(const statics *s) {
  const execution_gradient *g = s->r->gradient;
  return g ? (1 + g->np) * sizeof *g->sums : 0;
}

// What a checkpoint holds besides the rows (free); NULL when there is not enough memory.
static char *pack(const statics *s, size_t *size) {
  json_t *lists = json_pack("[O, O]", s->r->failures, s->r->snaps);
  char *told = json_dumps(lists, JSON_COMPACT);
  size_t sums = sums_bytes(s), warm = sums + warm_bytes(s), text = told ? strlen(told) : 0;
  char *extra = told ? malloc(warm + text) : NULL;
  if (extra) {
    if (sums) memcpy(extra, s->r->gradient->sums, sums);
    memcpy(extra + sums, s->warm, warm - sums);
    memcpy(extra + warm, told, text);
  }
  free(told);
  json_decref(lists);
  *size = warm + text;
  return extra;
}

static bool save(statics *s) {
  size_t size = 0;
  char *extra = pack(s, &size);
  bool go = !extra || execute_save(s->r, &s->rows, extra, size);
  free(extra);
  return go;
}

static void leave(statics *s) {
  size_t size = 0;
  char *extra = pack(s, &size);
  if (extra) execute_leave(s->r, &s->rows, extra, size);
  free(extra);
}

static bool keep(statics *s) {
  const execute_observer *o = s->r->observer;
  return !o->checkpoint || !o->wants_checkpoint(o->context) || save(s);
}

// Takes over what an earlier attempt solved.
static td_status restore(execution *r, td_error *err) {
  statics *s = r->work;
  const void *extra = NULL;
  size_t size = 0, warm = sums_bytes(s) + warm_bytes(s);
  td_status status = execute_restore(r, &s->rows, &extra, &size, err);
  if (status != TD_OK || !extra || size < warm) return status;
  memcpy(s->warm, (const char *)extra + execute_take_sums(r, extra, size), warm_bytes(s));
  json_t *lists = json_loadb((const char *)extra + warm, size - warm, 0, NULL);
  json_t *failures = json_array_get(lists, 0), *snaps = json_array_get(lists, 1);
  if (json_is_array(failures) && json_is_array(snaps)) {
    json_array_extend(r->failures, failures);
    json_array_extend(r->snaps, snaps);
  } else
    status = td_fail(err, TD_INTERNAL, "", "a checkpoint is damaged");
  json_decref(lists);
  return status;
}

static void note_unstable(statics *s, size_t index, const td_statics_result *result) {
  if (!td_equilibrium_is_unstable(result)) return;
  if (s->warm[UNSTABLE] == 0) s->warm[FIRST_UNSTABLE] = (double)index;
  s->warm[UNSTABLE]++;
  if (!td_equilibrium_flutters(result)) return;
  if (s->warm[FLUTTERS]++ > 0) return;
  s->warm[FED] = result->fed;
  s->warm[GROWTH] = result->growth_rate;
  s->warm[FREQUENCY] = result->growth_frequency;
}

// The coordinate that went furthest says more than a distance in mixed units.
static void note_first_snap(statics *s, size_t index, const double *from, const double *to) {
  size_t furthest = 0;
  for (size_t i = 1; i < s->n; i++)
    if (fabs(to[i] - from[i]) > fabs(to[furthest] - from[furthest])) furthest = i;
  s->warm[FIRST_SNAP] = (double)index;
  s->warm[SNAP_FURTHEST] = (double)furthest;
  s->warm[SNAP_FROM] = from[furthest];
  s->warm[SNAP_TO] = to[furthest];
}

static void note_snap(statics *s, size_t index, const double *q, const td_statics_result *result) {
  if (!(result->snap > 0)) return;
  assert(s->warm[WARM] > 0);
  if (s->warm[SNAPS]++ == 0) note_first_snap(s, index, s->warm + WARM + 1, q);
  if (json_array_size(s->r->snaps) < SNAPS_TOLD)
    json_array_append_new(s->r->snaps, json_pack("{s:s, s:I, s:f}", "kind", "snap", "after", (json_int_t)index - 1,
                                                 "distance", result->snap));
}

static double number_of(const statics *s, const char *name) {
  const parameter_set *set = &s->r->numbers.set;
  size_t i = 0;
  while (i < set->count && strcmp(set->number[i].name, name) != 0) i++;
  return (double)i;
}

// Along a path all inputs but the one that is followed are constant, as in its first problem.
static void fill_inputs(statics *s, size_t index) {
  size_t problem = s->r->run->statics.continuation.channel ? 0 : index;
  if (s->du) numbers_of_problem(&s->r->numbers, problem, s->m, s->du);
}

// Derivatives of an equilibrium into `out`; NaN of a problem that has none.
static void differentiate(statics *s, size_t index, const double *u, const double *q, double *out) {
  td_error why = {.status = TD_OK};
  for (size_t i = 0; i < s->by.row * s->by.np; i++) out[i] = NAN;
  if (!q) return;
  fill_inputs(s, index);
  td_equilibrium at = {.q = q, .u = u, .du_dp = s->du, .warnings = &s->r->warnings};
  td_status status = td_sensitivity_rows_at(s->slopes, &at, out, &why);
  if (status == TD_OK) return;
  if (*why.pointer) {
    if (s->warm[PARTED] == 0) s->warm[FIRST_PART] = number_of(s, why.pointer);
    s->warm[PARTED]++;
    return;
  }
  if (s->warm[UNSLOPED] == 0) s->warm[FIRST_UNSLOPED] = (double)index;
  s->warm[UNSLOPED]++;
}

// What an objective looks at, laid out by r->gradient->member.
static void fill_own(const statics *s, const double *u, const double *q, const td_statics_result *result) {
  const execution_gradient *g = s->r->gradient;
  for (int i = 0; i < s->by.count; i++) {
    const td_member *m = &g->member[i];
    const double *from = strcmp(m->name, "q") == 0 ? q : strcmp(m->name, "u") == 0 ? u : NULL;
    if (strcmp(m->name, "lambda") == 0) from = result->lambda;
    for (int k = 0; k < s->member_count && !from; k++)
      if (strcmp(m->name, s->members[k].name) == 0) from = result->output + s->members[k].offset;
    assert(from || m->size == 0);
    if (m->size > 0) memcpy(s->own + m->offset, from, m->size * sizeof *s->own);
  }
}

// False: the gradient ends here, and s->why says why.
static bool add_to_gradient(statics *s, size_t index, const double *u, const double *q,
                            const td_statics_result *result) {
  td_error why = {.status = TD_OK};
  if (!td_objective_counts(s->r->gradient->objective, index)) return true;
  td_equilibrium at = {.q = q, .u = u, .warnings = &s->r->warnings};
  fill_own(s, u, q, result);
  td_status status = execute_add_equilibrium(s->r, s->slopes, index, &at, s->own, s->by.row, &why);
  if (status == TD_OK) return true;
  (void)td_fail(&s->why, status, status == TD_NO_MEMORY ? "" : "/of/inputs",
                "equilibrium %zu has no derivatives: %.100s%s%.300s", index, why.pointer, *why.pointer ? ": " : "",
                why.message);
  return false;
}

static bool report(const statics *s, double solved) {
  double count = (double)s->count;
  return execute_report(s->r, solved / count, solved, count);
}

static bool on_solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                      const td_error *failure) {
  statics *s = context;
  double *values = s->row + s->m, *tail = values + s->n + s->c;
  memcpy(s->row, u, s->m * sizeof *u);
  for (size_t i = 0; i < s->n; i++) values[i] = failure ? NAN : q[i];
  for (size_t i = 0; i < s->c; i++) values[s->n + i] = !failure && result->lambda ? result->lambda[i] : NAN;
  tail[CONVERGED] = !failure;
  tail[STABLE] = !failure && result->stable;
  tail[ITERATIONS] = result->iterations;
  tail[RESIDUAL] = failure ? NAN : result->residual;
  if (result->output) memcpy(tail + RESULT_COLUMNS, result->output, s->output * sizeof *tail);
  if (s->slopes && !s->own) differentiate(s, index, u, failure ? NULL : q, tail + RESULT_COLUMNS + s->output);
  if (s->own && !failure && !add_to_gradient(s, index, u, q, result)) return false;
  if (failure) record_failure(s->r, index, failure);
  if (!failure) {
    note_unstable(s, index, result);
    note_snap(s, index, q, result);
    s->warm[WARM] = 1;
    memcpy(s->warm + WARM + 1, q, s->n * sizeof *q);
  }
  return spool_append(&s->rows, s->row) && report(s, (double)(index + 1)) && keep(s);
}

static void on_passed(void *context, size_t after, td_path_event event, int multiplicity, double value,
                      const double *q) {
  (void)q;
  execution *r = ((statics *)context)->r;
  json_array_append_new(r->events, json_pack("{s:s, s:I, s:f, s:i}", "kind", td_path_event_name(event), "after",
                                             (json_int_t)after, "value", value, "multiplicity", multiplicity));
}

// Steps ran out: on the way to the last value, or after the path had turned back before it.
static void tell_short(statics *s, double value, double nearest) {
  const td_continuation_spec *c = &s->r->run->statics.continuation;
  char turned[160] = "";
  if (fabs(nearest - c->to) < fabs(value - c->to) * (1 - 1e-9))
    snprintf(turned, sizeof turned,
             ", after it came as near as %.6g and turned back there: a robot that is loaded further snaps", nearest);
  td_warn(&s->r->warnings, "continuation_short", "/continuation/to",
          "%.6g was not reached: the %d steps were used up at %.6g%s; the path goes on: take more `steps`, or a longer "
          "`ds` (%.3g)",
          c->to, c->steps, value, turned, c->ds);
}

static void on_ended(void *context, bool reached, double value, double nearest) {
  statics *s = context;
  const td_continuation_spec *c = &s->r->run->statics.continuation;
  s->r->ended = true, s->r->reached = reached;
  const execute_observer *o = s->r->observer; // it may have fewer points than it was allowed
  double count = (double)s->rows.rows;
  (void)o->progress(o->context, &(execute_progress){1, count, count, false});
  if (c->bounded && !reached) tell_short(s, value, nearest);
}

static td_status plan_output(statics *s, td_error *err) {
  s->members = arena_array(s->r->memory, FIELD_LIMIT, sizeof *s->members);
  if (!s->members) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  s->member_count =
      td_statics_output_members(s->r->model, &s->r->run->statics, s->members, FIELD_LIMIT, &s->output, err);
  return s->member_count < 0 ? err->status : TD_OK;
}

static td_status begin(execution *r, td_error *err) {
  statics *s = r->work = arena_alloc(r->memory, sizeof *s);
  if (!s) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  s->r = r;
  if (plan_output(s, err) || execute_plan_sensitivity(r, &s->by, err)) return err->status;
  s->n = (size_t)td_model_ndof(r->model);
  s->m = (size_t)td_model_channel_count(r->model);
  s->c = (size_t)(td_model_loop_row_count(r->model) + td_model_prescribed_count(r->model));
  s->count = td_statics_count(r->model, &r->run->statics, err);
  if (s->count == 0) return err->status;
  r->failures = json_array();
  r->snaps = json_array();
  if (r->run->statics.continuation.channel) r->events = json_array();
  size_t slopes = s->by.row * s->by.np, width = s->m + s->n + s->c + RESULT_COLUMNS + s->output;
  if (!r->gradient) width += slopes;
  if (r->gradient) {
    s->own = arena_array(r->memory, s->by.row, sizeof *s->own);
    if (!s->own) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  }
  s->row = arena_array(r->memory, width, sizeof *s->row);
  s->warm = arena_array(r->memory, WARM + 1 + s->n, sizeof *s->warm);
  if (s->warm) memset(s->warm, 0, warm_bytes(s));
  if (!s->row || !s->warm || !r->failures || !r->snaps) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  return spool_init(&s->rows, width) ? TD_OK : execute_disk_failed(r, "no file for the solutions can be made", err);
}

static bool write_members(statics *s) {
  npz_writer *w = s->r->writer;
  bool done = spool_write_member(&s->rows, w, "u", NPZ_F8, 0, s->m, 1, &s->m) &&
              spool_write_member(&s->rows, w, "q", NPZ_F8, s->m, s->n, 1, &s->n) &&
              spool_write_member(&s->rows, w, "lambda", NPZ_F8, s->m + s->n, s->c, 1, &s->c);
  for (size_t c = 0; done && c < RESULT_COLUMNS; c++)
    done = spool_write_member(&s->rows, w, columns[c].name, columns[c].type, s->m + s->n + s->c + c, 1, 0, NULL);
  for (int i = 0; done && i < s->member_count; i++) {
    const td_member *m = &s->members[i];
    size_t dim[3] = {(size_t)m->dim[0], (size_t)m->dim[1], (size_t)m->dim[2]};
    size_t first = s->m + s->n + s->c + RESULT_COLUMNS + m->offset;
    done = spool_write_member(&s->rows, w, m->name, NPZ_F8, first, m->size, m->rank, dim);
  }
  if (s->own) return done && execute_write_gradient(s->r);
  return done && execute_write_sensitivity(s->r, &s->rows, &s->by, s->m + s->n + s->c + RESULT_COLUMNS + s->output);
}

static void add_statistics(td_run_statistics *s, const td_run_statistics *before) {
  s->steps += before->steps;
  s->evaluations += before->evaluations;
  s->jacobians += before->jacobians;
  s->factorisations += before->factorisations;
  s->newton_iterations += before->newton_iterations;
  s->nonlinear_failures += before->nonlinear_failures;
}

static td_status begin_slopes(statics *s, td_error *err) {
  execution *r = s->r;
  const job_sensitivity *by = &r->run->sensitivity;
  if (s->by.np == 0) return TD_OK;
  td_status status = execute_freeze_numbers(r, r->run->statics.inputs, r->run->statics.input_count, err);
  if (status == TD_OK && r->numbers.inputs && !r->gradient) {
    s->du = arena_array(r->memory, s->m * s->by.np, sizeof *s->du);
    if (!s->du) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  }
  return status ? status
                : td_sensitivity_rows_create(r->model, s->by.np, r->numbers.model, r->numbers.which, by->fields,
                                             by->field_count, &s->slopes, err);
}

static td_status compute(execution *r, td_error *err) {
  statics *s = r->work;
  td_status begun = begin_slopes(s, err);
  if (begun) return execute_stopped(r, begun, (double)s->rows.rows, err);
  td_run_statistics before = r->statistics;
  td_statics_hooks hooks = {.context = s, .solved = on_solved, .passed = on_passed, .ended = on_ended};
  const double *warm = s->warm[WARM] > 0 ? s->warm + WARM + 1 : NULL;
  td_status status = td_statics_run(r->model, &r->run->statics, s->rows.rows, warm, &hooks, &r->statistics, err);
  add_statistics(&r->statistics, &before);
  if (s->rows.failed) return execute_disk_failed(r, "a solution could not be kept", err);
  if (s->why.status != TD_OK) return (*err = s->why).status;
  if (status == TD_CANCELLED && !r->gradient) leave(s);
  return execute_stopped(r, status, (double)s->rows.rows, err);
}

// Swings that grow are no matter of sides.
static void tell_unstable(statics *s) {
  const double *w = s->warm;
  char swings[200] = "";
  bool flutters = w[FLUTTERS] > 0;
  if (w[UNSTABLE] == 0) return;
  if (flutters)
    snprintf(swings, sizeof swings,
             "%.0f of them in swings that %s: of the first, by e in %.3g s at %.3g rad/s. Damping or less of what "
             "feeds them holds it, a push to one side decides nothing",
             w[FLUTTERS], w[FED] > 0 ? "the current feeds" : "loads feed which follow the body", 1 / w[GROWTH],
             w[FREQUENCY]);
  td_warn(&s->r->warnings, "unstable", "/inputs",
          "%.0f of %zu equilibria are unstable, the first is number %.0f: a robot that is let go there leaves it%s%s%s",
          w[UNSTABLE], s->rows.rows, w[FIRST_UNSTABLE], flutters ? ", " : "", swings,
          w[FLUTTERS] < w[UNSTABLE] ? "; a symmetric one takes a side by a small load, or a small curvature in "
                                      "`strain.reference`"
                                    : "");
}

static void tell_snaps(statics *s) {
  char more[64] = "";
  if (s->warm[SNAPS] > 1) snprintf(more, sizeof more, "; %.0f more such steps", s->warm[SNAPS] - 1);
  if (s->warm[SNAPS] > 0)
    td_warn(
        &s->r->warnings, "snapped", "/inputs",
        "between problems %.0f and %.0f the branch of equilibria ends, and the robot snaps to another one: \"%.63s\" "
        "goes from %.3g to %.3g%s; `continuation` follows the branch through the snap",
        s->warm[FIRST_SNAP] - 1, s->warm[FIRST_SNAP],
        td_model_coordinate_name(s->r->model, (int)s->warm[SNAP_FURTHEST]), s->warm[SNAP_FROM], s->warm[SNAP_TO], more);
}

static void tell_unsloped(statics *s) {
  const double *w = s->warm;
  const parameter_set *set = &s->r->numbers.set;
  if (w[UNSLOPED] > 0)
    td_warn(&s->r->warnings, "no_derivative", "/sensitivity",
            "%.0f of %zu equilibria have no derivatives (NaN), the first is number %.0f: its stiffness is singular, as "
            "at limit points, where branches cross, and of robots that float",
            w[UNSLOPED], s->rows.rows, w[FIRST_UNSLOPED]);
  if (w[PARTED] > 0)
    td_warn(&s->r->warnings, "no_derivative", "/sensitivity/parameters",
            "%.0f of %zu equilibria have no derivatives by some numbers (NaN), the first is %.200s: with another value "
            "loops that depend on each other would not close, or hold the robot in more ways",
            w[PARTED], s->rows.rows, set->number[(size_t)w[FIRST_PART] % set->count].name);
}

// Problems and points are numbered from 0, as in the arrays. A path that cannot go on says nothing of solutions beyond.
static void say_unconverged(const statics *s, td_error *why) {
  const json_t *failures = s->r->failures, *first = json_array_get(failures, 0);
  if (s->r->run->statics.continuation.channel) {
    (void)td_fail(why, TD_UNCONVERGED, "/continuation", "the path was not followed to its end; point %d: %s",
                  (int)json_integer_value(json_object_get(first, "index")),
                  json_string_value(json_object_get(first, "detail")));
    return;
  }
  (void)td_fail(why, TD_UNCONVERGED, "/inputs", "%zu of %zu problems have no solution; the first, number %d: %s",
                json_array_size(failures), s->rows.rows, (int)json_integer_value(json_object_get(first, "index")),
                json_string_value(json_object_get(first, "detail")));
}

// A list that came to its end: is every problem solved?
static void judge(statics *s) {
  execution *r = s->r;
  td_error why;
  if (json_array_size(r->failures) == 0 || r->verdict.status != TD_OK || r->assembled) return;
  say_unconverged(s, &why);
  if (r->run->keep_unconverged) {
    td_warn(&r->warnings, "unconverged", why.pointer, "%s", why.message);
    return;
  }
  size_t size = 0;
  char *extra = pack(s, &size);
  if (r->gradient) codec_error_prefix(&why, "/of");
  execute_condemn(r, &s->rows, extra, extra ? size : 0, &why);
  free(extra);
}

static td_status finish(execution *r, td_error *err) {
  statics *s = r->work;
  tell_unstable(s);
  tell_snaps(s);
  tell_unsloped(s);
  judge(s);
  return write_members(s) ? TD_OK : execute_disk_failed(r, "the solutions could not be read back", err);
}

static void end(execution *r) {
  statics *s = r->work;
  if (!s) return;
  spool_fini(&s->rows);
  td_sensitivity_rows_destroy(s->slopes);
}

const execute_kind execute_statics = {begin, restore, compute, finish, end};
