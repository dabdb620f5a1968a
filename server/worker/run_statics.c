// Jobs of kind statics: td_statics_run with solutions into a spool, then members u, q, converged, stable, iterations,
// residual [S, …] and lambda [S, c]. A problem that fails is a row (its best iterate, converged false) and an entry of summary.failures.
// Every problem is a checkpoint; besides the rows it holds the last converged solution, where the next problem starts, and
// the failures so far.
#include "worker/run_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct statics {
  run *r;
  spool rows;
  double *row;
  double *warm; // [1 + n]: 1 when there is one, the last converged solution
  size_t n, m, c, count;
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

static void record_failure(run *r, size_t index, const td_error *failure) {
  json_t *entry = json_pack("{s:I, s:s, s:s}", "index", (json_int_t)index, "code", td_status_name(failure->status),
                            "detail", failure->message);
  if (entry) json_array_append_new(r->failures, entry);
}

static size_t warm_bytes(const statics *s) { return (1 + s->n) * sizeof *s->warm; }

static bool save(statics *s) {
  char *failures = json_dumps(s->r->failures, JSON_COMPACT);
  size_t warm = warm_bytes(s), size = failures ? strlen(failures) : 0;
  char *extra = failures ? malloc(warm + size) : NULL;
  bool go = true;
  if (extra) {
    memcpy(extra, s->warm, warm);
    memcpy(extra + warm, failures, size);
    go = run_save(s->r, &s->rows, extra, warm + size);
  }
  free(extra);
  free(failures);
  return go;
}

static bool keep(statics *s) {
  const run_observer *o = s->r->observer;
  return !o->checkpoint || !o->wants_checkpoint(o->context) || save(s);
}

// Takes over what an earlier attempt solved.
static td_status restore(statics *s, td_error *err) {
  const void *extra = NULL;
  size_t size = 0, warm = warm_bytes(s);
  td_status status = run_restore(s->r, &s->rows, &extra, &size, err);
  if (status != TD_OK || !extra || size < warm) return status;
  memcpy(s->warm, extra, warm);
  json_t *failures = json_loadb((const char *)extra + warm, size - warm, 0, NULL);
  if (!json_is_array(failures)) return json_decref(failures), td_fail(err, TD_INTERNAL, "", "a checkpoint is damaged");
  json_decref(s->r->failures);
  s->r->failures = failures;
  return TD_OK;
}

static bool on_solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                      const td_error *failure) {
  statics *s = context;
  memcpy(s->row, u, s->m * sizeof *u);
  memcpy(s->row + s->m, q, s->n * sizeof *q);
  double *lambda = s->row + s->m + s->n, *tail = lambda + s->c;
  for (size_t i = 0; i < s->c; i++) lambda[i] = result->lambda ? result->lambda[i] : NAN;
  tail[CONVERGED] = result->converged;
  tail[STABLE] = result->stable;
  tail[ITERATIONS] = result->iterations;
  tail[RESIDUAL] = result->residual;
  if (failure && failure->status != TD_OK) record_failure(s->r, index, failure);
  if (!failure) {
    s->warm[0] = 1;
    memcpy(s->warm + 1, q, s->n * sizeof *q);
  }
  return spool_append(&s->rows, s->row) && run_report(s->r, (double)(index + 1), (double)s->count) && keep(s);
}

static td_status prepare(statics *s, td_error *err) {
  run *r = s->r;
  s->n = (size_t)td_model_ndof(r->model);
  s->m = (size_t)td_model_channel_count(r->model);
  s->c = (size_t)(td_model_loop_row_count(r->model) + td_model_prescribed_count(r->model));
  s->count = td_statics_count(r->model, &r->job.statics, err);
  if (s->count == 0) return err->status;
  r->failures = json_array();
  size_t width = s->m + s->n + s->c + RESULT_COLUMNS;
  s->row = arena_array(r->memory, width, sizeof *s->row);
  s->warm = arena_array(r->memory, 1 + s->n, sizeof *s->warm);
  if (s->warm) memset(s->warm, 0, warm_bytes(s));
  if (!s->row || !s->warm || !r->failures) return td_fail(err, TD_NO_MEMORY, "", "memory is short");
  return spool_init(&s->rows, width) ? TD_OK : run_disk_failed(r, "no file for the solutions can be made", err);
}

static bool write_members(statics *s) {
  npz_writer *w = s->r->writer;
  bool done = spool_write_member(&s->rows, w, "u", NPZ_F8, 0, s->m, 1, &s->m) &&
              spool_write_member(&s->rows, w, "q", NPZ_F8, s->m, s->n, 1, &s->n) &&
              spool_write_member(&s->rows, w, "lambda", NPZ_F8, s->m + s->n, s->c, 1, &s->c);
  for (size_t c = 0; done && c < RESULT_COLUMNS; c++)
    done = spool_write_member(&s->rows, w, columns[c].name, columns[c].type, s->m + s->n + s->c + c, 1, 0, NULL);
  return done;
}

static void add_statistics(td_run_statistics *s, const td_run_statistics *before) {
  s->steps += before->steps;
  s->evaluations += before->evaluations;
  s->jacobians += before->jacobians;
  s->factorisations += before->factorisations;
  s->newton_iterations += before->newton_iterations;
  s->nonlinear_failures += before->nonlinear_failures;
}

static td_status solve(statics *s, td_error *err) {
  run *r = s->r;
  td_status status = restore(s, err);
  if (status != TD_OK || r->request->partial) return status;
  td_run_statistics before = r->statistics;
  td_statics_hooks hooks = {.context = s, .solved = on_solved};
  const double *warm = s->warm[0] > 0 ? s->warm + 1 : NULL;
  status = td_statics_run(r->model, &r->job.statics, s->rows.rows, warm, &hooks, &r->statistics, err);
  add_statistics(&r->statistics, &before);
  return status;
}

td_status run_statics(run *r, td_error *err) {
  statics s = {.r = r};
  td_status status = prepare(&s, err);
  if (status == TD_OK) {
    status = solve(&s, err);
    if (s.rows.failed)
      status = run_disk_failed(r, "a solution could not be kept", err);
    else
      status = run_stopped(r, status, (double)s.rows.rows, err);
  }
  if (status == TD_OK && !write_members(&s)) status = run_disk_failed(r, "the solutions could not be read back", err);
  spool_fini(&s.rows);
  return status;
}
