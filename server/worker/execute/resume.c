// Checkpoints of a worker: a header that says what they belong to, then what the kind of job adds.
//
// Another attempt of the same job goes on from them with the same bits. They are plain memory: only the same build at
// the same CPU level reads them, any other starts the job anew. The time spent is part of them, so that max_wall_s
// bounds the job and not each of its attempts.
//
// What a job shows between two checkpoints, and leaves when it is stopped there, are rows alone: they are read, and no
// attempt goes on from them.
#include "base/clock.h"
#include "worker/execute/parts.h"

#include <stdlib.h>
#include <string.h>

enum { STATE_LIMIT = 8 << 20 }; // a list with more failures than fit is not kept any further: it must fit into a frame

typedef struct identity {
  char magic[8], version[32], cpu_level[24];
  uint64_t kind, width, statistics_size;
} identity;

typedef struct header {
  identity of;
  uint64_t rows;
  double wall_s;
  td_run_statistics statistics;
  td_error verdict; // with all rows: why the job fails nonetheless
} header;

typedef enum leaving { TO_GO_ON, TO_BE_READ } leaving;

static identity identity_of(const execution *r, const spool *rows, leaving what) {
  identity of;
  memset(&of, 0, sizeof of);
  memcpy(of.magic, what == TO_GO_ON ? "tdjob02" : "tdrow02", sizeof of.magic);
  strncpy(of.version, td_version(), sizeof of.version - 1);
  strncpy(of.cpu_level, td_cpu_level(), sizeof of.cpu_level - 1);
  of.kind = (uint64_t)r->job.kind;
  of.width = rows->width;
  of.statistics_size = sizeof(td_run_statistics);
  return of;
}

static bool send_rows(void *context, const void *bytes, size_t size) {
  execution *r = context;
  size_t row = r->row_bytes;
  bool sent = r->observer->rows(r->observer->context, (uint64_t)r->kept_rows * row, bytes, size);
  r->kept_rows += sent ? size / row : 0;
  return sent;
}

typedef bool (*keep_state)(void *context, uint64_t samples, uint64_t rows, const void *state, size_t size);

static bool hand_in(execution *r, spool *rows, leaving what, keep_state keep, const void *extra, size_t extra_size) {
  r->row_bytes = rows->width * sizeof(double);
  size_t size = sizeof(header) + extra_size;
  char *state = size <= STATE_LIMIT ? calloc(1, size) : NULL;
  if (!state) return true; // the next one may find memory; the run needs none
  header h;
  memset(&h, 0, sizeof h);
  h.of = identity_of(r, rows, what);
  h.rows = rows->rows;
  h.wall_s = execute_spent_s(r);
  h.statistics = r->statistics;
  h.verdict = r->verdict;
  memcpy(state, &h, sizeof h);
  if (extra_size) memcpy(state + sizeof h, extra, extra_size);
  bool go = spool_copy(rows, r->kept_rows, send_rows, r) &&
            keep(r->observer->context, rows->rows, (uint64_t)rows->rows * r->row_bytes, state, size);
  free(state);
  return go;
}

static bool save(execution *r, spool *rows, leaving what, const void *extra, size_t extra_size) {
  return hand_in(r, rows, what, r->observer->checkpoint, extra, extra_size);
}

bool execute_save(execution *r, spool *rows, const void *extra, size_t extra_size) {
  const execute_observer *o = r->observer;
  return !o->checkpoint || !o->wants_checkpoint(o->context) || save(r, rows, TO_GO_ON, extra, extra_size);
}

void execute_condemn(execution *r, spool *rows, const void *extra, size_t extra_size, const td_error *why) {
  r->verdict = *why;
  if (r->observer->checkpoint)
    (void)save(r, rows, TO_GO_ON, extra, extra_size); // what it says no longer matters: this is the end
}

void execute_leave(execution *r, spool *rows, const void *extra, size_t extra_size) {
  const execute_observer *o = r->observer;
  if (o->checkpoint && o->wants_rest(o->context) && !rows->failed && rows->rows > r->kept_rows)
    (void)save(r, rows, TO_BE_READ, extra, extra_size);
}

bool execute_show(execution *r, spool *rows) {
  const execute_observer *o = r->observer;
  bool fresh = o->glance && !rows->failed && rows->rows > 1 && rows->rows > r->kept_rows;
  return !fresh || !o->wants_glance(o->context) || hand_in(r, rows, TO_BE_READ, o->glance, NULL, 0);
}

// What the bytes are for; false: another build wrote them, or another kind of job.
static bool is_ours(const execution *r, const spool *rows, const header *h, leaving what) {
  identity of = identity_of(r, rows, what);
  return memcmp(&h->of, &of, sizeof of) == 0;
}

td_status execute_restore(execution *r, spool *rows, const void **extra, size_t *extra_size, td_error *err) {
  const execute_request *q = r->request;
  header h;
  *extra = NULL;
  if (!q->resume || q->resume_size < sizeof h) return TD_OK;
  memcpy(&h, q->resume, sizeof h);
  bool ours = is_ours(r, rows, &h, TO_GO_ON) || (r->assembled && is_ours(r, rows, &h, TO_BE_READ));
  if (!ours || h.rows * rows->width * sizeof(double) != q->resume_rows) return TD_OK;
  if (!spool_load(rows, q->resume_fd, (size_t)h.rows))
    return execute_disk_failed(r, "the rows of an earlier attempt could not be taken over", err);
  r->kept_rows = rows->rows;
  r->started_s -= h.wall_s;
  r->statistics = h.statistics;
  r->verdict = h.verdict;
  *extra = (const char *)q->resume + sizeof h;
  *extra_size = q->resume_size - sizeof h;
  return TD_OK;
}
