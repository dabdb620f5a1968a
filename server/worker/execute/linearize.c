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
  double *row; // t, q, qd, u, A, B
  size_t n, m, count;
} linearize;

static size_t row_size(const linearize *l) { return 1 + 2 * l->n + l->m + 2 * l->n * (2 * l->n + l->m); }

static double *put(double *to, const double *from, size_t count) {
  memcpy(to, from, count * sizeof *to);
  return to + count;
}

static bool report(const linearize *l, double points) {
  double count = (double)l->count;
  return execute_report(l->r, points / count, points, count);
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
  assert(next == l->row + row_size(l));
  return spool_append(&l->rows, l->row) && report(l, (double)(index + 1));
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
  assert(!done || first == row_size(l));
  return done;
}

static td_status compute(execution *r, td_error *err) {
  linearize *l = r->work;
  const td_linearize_hooks hooks = {.context = l, .point = on_point, .step = on_step};
  td_status status = td_linearize_run(r->model, &r->job.linearize, &hooks, &r->statistics, err);
  if (l->rows.failed) return execute_disk_failed(r, "a point could not be kept", err);
  return execute_stopped(r, status, (double)l->rows.rows, err);
}

static td_status finish(execution *r, td_error *err) {
  return write_members(r->work) ? TD_OK : execute_disk_failed(r, "the matrices could not be read back", err);
}

static void end(execution *r) {
  linearize *l = r->work;
  if (l) spool_fini(&l->rows);
}

const execute_kind execute_linearize = {.begin = begin, .compute = compute, .finish = finish, .end = end};
