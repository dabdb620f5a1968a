// Jobs of kind linearize: td_linearize_run with its points into a spool, then members t [K], q, qd [K, n], u [K, m],
// A [K, 2n, 2n], B [K, 2n, m]: x' = A x + B u near x = (q, qd).
//
// There are no checkpoints: a point costs little, and the run that leads to it is at most as long as one of kind
// dynamics.
#include "worker/execute/parts.h"

#include <assert.h>
#include <string.h>

typedef struct linearize {
  execution *r;
  spool rows;
  double *row; // t, q, qd, u, A, B, derivatives of these
  size_t n, m, count;
  sensitivity_plan by;
} linearize;

static size_t own_size(const linearize *l) { return 1 + 2 * l->n + l->m + 2 * l->n * (2 * l->n + l->m); }
static size_t row_size(const linearize *l) { return own_size(l) + l->by.row * l->by.np; }

static double *put(double *to, const double *from, size_t count) {
  memcpy(to, from, count * sizeof *to);
  return to + count;
}

static bool report(const linearize *l, double points) {
  double count = (double)l->count;
  return execute_report(l->r, points / count, points, count);
}

static bool keep_point(linearize *l, size_t index) {
  return spool_append(&l->rows, l->row) && report(l, (double)(index + 1)) && execute_show(l->r, &l->rows);
}

static bool on_point(void *context, size_t index, double t, const double *q, const double *qd, const double *u,
                     const double *A, const double *B) {
  linearize *l = context;
  size_t n = l->n, m = l->m;
  double *next = put(l->row, &t, 1);
  next = put(next, q, n);
  next = put(next, qd, n);
  next = put(next, u, m);
  next = put(next, A, 4 * n * n);
  next = put(next, B, 2 * n * m);
  assert(next == l->row + own_size(l));
  return l->by.np > 0 || keep_point(l, index);
}

static const double *slopes_of(const char *name, const td_linearize_slopes *s) {
  const struct {
    const char *name;
    const double *slopes;
  } all[] = {{"A", s->dA}, {"B", s->dB}, {"q", s->dq}, {"qd", s->dqd}, {"u", s->du}};
  size_t i = 0;
  while (strcmp(all[i].name, name) != 0) i++;
  assert(i < sizeof all / sizeof *all);
  return all[i].slopes;
}

static bool on_slopes(void *context, size_t index, const td_linearize_slopes *slopes) {
  linearize *l = context;
  double *out = l->row + own_size(l);
  for (int i = 0; i < l->by.count; i++) {
    const td_member *m = &l->by.member[i];
    memcpy(out + m->offset * l->by.np, slopes_of(m->name, slopes), m->size * l->by.np * sizeof *out);
  }
  return keep_point(l, index);
}

static bool on_step(void *context, double t) {
  (void)t;
  linearize *l = context;
  return report(l, (double)l->rows.rows);
}

static td_status begin(execution *r, td_error *err) {
  linearize *l = r->work = arena_alloc(r->memory, sizeof *l);
  if (!l) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  l->r = r;
  l->n = (size_t)td_model_ndof(r->model);
  l->m = (size_t)td_model_channel_count(r->model);
  l->count = td_linearize_count(r->model, &r->job.linearize, err);
  if (l->count == 0) return err->status;
  td_status planned = execute_plan_sensitivity(r, &l->by, err);
  if (planned != TD_OK) return planned;
  l->row = arena_array(r->memory, row_size(l), sizeof *l->row);
  if (!l->row) return td_fail(err, TD_NO_MEMORY, "", "not enough memory");
  bool made = spool_init(&l->rows, row_size(l));
  return made ? TD_OK : execute_disk_failed(r, "no file for the matrices can be made", err);
}

static bool write_members(linearize *l) {
  size_t n = l->n, m = l->m;
  const struct {
    const char *name;
    int rank;
    size_t dim[2];
  } members[] = {{"t", 0, {0, 0}}, {"q", 1, {n, 0}},         {"qd", 1, {n, 0}},
                 {"u", 1, {m, 0}}, {"A", 2, {2 * n, 2 * n}}, {"B", 2, {2 * n, m}}};
  bool done = true;
  size_t first = 0;
  for (size_t i = 0; done && i < sizeof members / sizeof *members; i++) {
    size_t count = 1;
    for (int d = 0; d < members[i].rank; d++) count *= members[i].dim[d];
    done = spool_write_member(&l->rows, l->r->writer, members[i].name, NPZ_F8, first, count, members[i].rank,
                              members[i].dim);
    first += count;
  }
  assert(!done || first == own_size(l));
  return done && execute_write_sensitivity(l->r, &l->rows, &l->by, own_size(l));
}

// A is affine in no number; the initial state is that of the run, or the one to be linearised at.
static td_status prepare(linearize *l, td_variables *by, td_error *err) {
  execution *r = l->r;
  td_linearize_spec *spec = &r->job.linearize;
  td_dynamics_spec at = spec->run;
  if (l->by.np == 0) return TD_OK;
  for (size_t i = 0; i < r->numbers.set.count; i++) r->numbers.set.number[i].linear = false;
  td_status status = execute_freeze_numbers(r, spec->run.inputs, spec->run.input_count, err);
  if (spec->at == TD_AT_STATE)
    at.q = spec->q, at.q_count = spec->q_count, at.qd = spec->qd, at.qd_count = spec->qd_count;
  if (status == TD_OK) status = execute_variables(r, &at, by, err);
  spec->by = by;
  return status;
}

static td_status compute(execution *r, td_error *err) {
  linearize *l = r->work;
  td_variables by;
  const td_linearize_hooks hooks = {.context = l, .point = on_point, .step = on_step, .slopes = on_slopes};
  td_status prepared = prepare(l, &by, err);
  if (prepared != TD_OK) return execute_stopped(r, prepared, 0, err);
  td_status status = td_linearize_run(r->model, &r->job.linearize, &hooks, &r->statistics, err);
  if (l->rows.failed) return execute_disk_failed(r, "a point could not be kept", err);
  if (status == TD_CANCELLED) execute_leave(r, &l->rows, NULL, 0);
  return execute_stopped(r, status, (double)l->rows.rows, err);
}

// There are no checkpoints: what was left is only read.
static td_status restore(execution *r, td_error *err) {
  linearize *l = r->work;
  const void *extra;
  size_t size;
  return execute_restore(r, &l->rows, &extra, &size, err);
}

static td_status finish(execution *r, td_error *err) {
  return write_members(r->work) ? TD_OK : execute_disk_failed(r, "the matrices could not be read back", err);
}

static void end(execution *r) {
  linearize *l = r->work;
  if (l) spool_fini(&l->rows);
}

const execute_kind execute_linearize = {
    .begin = begin, .restore = restore, .compute = compute, .finish = finish, .end = end};
