// Sweeps: one row of kind "sweep" and the jobs that have it as their parent.
//
// Counts, state and events of a sweep follow those of its jobs in the same change (sweep_follow.c). Here: what moves
// many jobs at once. Invariant: a sweep has at least one job; every position of its result names one that exists.
#include "base/clock.h"
#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------------------------------------------------- submission

// A sweep of up to AT_ONCE jobs is one change. A larger one comes in pieces of some milliseconds, and others write in
// between: first its row, hidden, then its jobs, hidden, then the row is shown (from here on it will be there, whatever
// happens), then its jobs. What a crash leaves of it is finished or removed at the next start (store_sweep_repair); so
// no piece waits for the disk, only the row does.
enum { AT_ONCE = 16, LISTED = 64 }; // a job takes some 0.3 ms of the writer's time; identifiers looked up at a time

typedef struct insertion {
  store_job *sweep;
  store_sweep_job *jobs;
  size_t count;
  const char *model_document, *base;
  const store_room *room;
  const store_request *request;
  size_t first, end; // the jobs of a piece; its end is known when it is over
} insertion;

static bool in_pieces(const insertion *x) { return x->count > AT_ONCE; }

static store_status add_counts(connection *c, const insertion *x) {
  static const char sql[] = "INSERT INTO sweeps VALUES (?1, ?2, 0, ?3, 0, 0)";
  int64_t done = 0;
  for (size_t i = 0; i < x->count; i++) done += x->jobs[i].taken_over;
  store_status status = sql_run(c, sql_bind(sql_prepare(c, sql), "tii", x->sweep->id, (int64_t)x->count - done, done));
  return status == STORE_OK ? sqlite_charge_places(c, x->sweep->owner, (int64_t)x->count) : status;
}

static store_status add_job(connection *c, const insertion *x, size_t i) {
  static const char sql[] = "INSERT INTO sweep_jobs VALUES (?1, ?2, ?3, ?4)";
  store_sweep_job *job = &x->jobs[i];
  store_status status = STORE_OK;
  if (!job->taken_over) {
    job->row.created_ms = x->sweep->created_ms;
    status = sqlite_job_add(c, &job->row, job->model_document, job->model_base, in_pieces(x));
  }
  if (status != STORE_OK) return status;
  return sql_run(c, sql_bind(sql_prepare(c, sql), "titi", x->sweep->id, (int64_t)i, job->row.id, job->rows));
}

static int64_t new_bytes(const store_sweep_job *job) {
  return job->taken_over ? 0 : sqlite_job_bytes(&job->row, job->model_document);
}

static store_status check_room(connection *c, const insertion *x) {
  int64_t count = 0, bytes = 0;
  for (size_t i = 0; i < x->count; i++) count += !x->jobs[i].taken_over, bytes += new_bytes(&x->jobs[i]);
  return sqlite_job_room(c, x->room, x->sweep->queue, count, bytes);
}

static int64_t count_new(const insertion *x) {
  int64_t count = 0;
  for (size_t i = 0; i < x->count; i++) count += !x->jobs[i].taken_over;
  return count;
}

// Of jobs that are there already, and of the sweep's row.
static store_status check_added(connection *c, const insertion *x) {
  const unsigned bounds = 1U << STORE_KEPT_JOBS | 1U << STORE_KEPT_BYTES;
  store_room with_row = *x->room;
  with_row.all++;
  store_status status = sqlite_job_room(c, &with_row, x->sweep->queue, 0, 0);
  return status == STORE_OK ? sqlite_keep_check(c, x->sweep->owner, bounds, 0, x->room->keep) : status;
}

// The base document is that of any of the new jobs.
static store_status add_base(connection *c, const insertion *x) {
  for (size_t i = 0; x->base && i < x->count; i++)
    if (*x->jobs[i].row.document_base) return sqlite_document_put(c, x->jobs[i].row.document_base, x->base, NULL);
  return STORE_OK;
}

static store_status add_row(connection *c, void *context) {
  const insertion *x = context;
  x->sweep->created_ms = clock_now_ms();
  store_status status = sqlite_request_free(c, x->request);
  if (status == STORE_OK) status = check_room(c, x);
  if (status == STORE_OK) status = add_base(c, x);
  if (status == STORE_OK) status = sqlite_job_add(c, x->sweep, x->model_document, NULL, in_pieces(x));
  if (status == STORE_OK) status = add_counts(c, x);
  unsigned bounds = 1U << STORE_KEPT_JOBS | 1U << STORE_KEPT_SWEEPS | 1U << STORE_KEPT_BYTES;
  return status == STORE_OK ? sqlite_keep_check(c, x->sweep->owner, bounds, count_new(x), x->room->keep) : status;
}

static store_status add_piece(connection *c, void *context) {
  insertion *x = context;
  double began_s = clock_monotonic_s();
  store_status status = STORE_OK;
  for (x->end = x->first; status == STORE_OK && x->end < x->count && sqlite_piece_has_time(began_s, x->end - x->first);)
    status = add_job(c, x, x->end++);
  return status == STORE_OK ? check_added(c, x) : status;
}

static store_status show(connection *c, void *context) {
  static const char sql[] = "UPDATE jobs SET incoming = 0 WHERE id = ?1";
  const insertion *x = context;
  store_status status = sqlite_request_free(c, x->request);
  if (status == STORE_OK) status = sqlite_request_keep(c, x->request, x->sweep->id);
  if (status == STORE_OK && x->request->key)
    status = sqlite_keep_check(c, x->sweep->owner, 1U << STORE_KEPT_KEYS, 0, x->room->keep);
  return status == STORE_OK ? sql_run(c, sql_bind(sql_prepare(c, sql), "t", x->sweep->id)) : status;
}

static store_status add_at_once(connection *c, void *context) {
  const insertion *x = context;
  store_status status = add_row(c, context);
  for (size_t i = 0; status == STORE_OK && i < x->count; i++) status = add_job(c, x, i);
  if (status == STORE_OK) status = check_added(c, x);
  return status == STORE_OK ? show(c, context) : status;
}

static store_status add_pieces(store *s, insertion *x) {
  store_status status = STORE_OK;
  for (x->first = 0; status == STORE_OK && x->first < x->count; x->first = x->end)
    status = sqlite_write_piece(s, add_piece, x);
  return status;
}

typedef struct showing {
  const char *sweep;
  int left; // some that are hidden may be; 0: none is
} showing;

// Shown are the jobs of a sweep that is shown itself: somebody may have begun to delete it.
static store_status show_piece(connection *c, void *context) {
  static const char sql[] = "UPDATE jobs SET incoming = 0 WHERE seq IN (SELECT seq FROM jobs INDEXED BY jobs_incoming "
                            "WHERE parent = ?1 AND incoming = 1 AND EXISTS (SELECT 1 FROM jobs AS p WHERE p.id = ?1 "
                            "AND p.incoming = 0) LIMIT ?2)";
  showing *x = context;
  double began_s = clock_monotonic_s();
  store_status status = STORE_OK;
  x->left = LISTED;
  for (size_t done = 0; status == STORE_OK && x->left > 0 && sqlite_piece_has_time(began_s, done); done++) {
    status = sql_run(c, sql_bind(sql_prepare(c, sql), "ti", x->sweep, (int64_t)LISTED));
    x->left = sqlite3_changes(c->db);
  }
  return status;
}

static store_status show_jobs(store *s, const char *sweep) {
  showing x = {.sweep = sweep, .left = 1};
  store_status status = STORE_OK;
  while (status == STORE_OK && x.left > 0) status = sqlite_write_piece(s, show_piece, &x);
  store_notify_work(s, true); // those that are shown, though others may not be
  return status;
}

static store_status remove_pieces(store *s, const char *id);

store_status sqlite_sweep_insert(store *s, store_job *sweep, const char *model_document, const char *base,
                                 store_sweep_job *jobs, size_t count, const store_room *room,
                                 const store_request *request) {
  insertion x = {sweep, jobs, count, model_document, base, room, request, 0, 0};
  store_status status = in_pieces(&x) ? sqlite_write_piece(s, add_row, &x) : sqlite_write(s, add_at_once, &x, NULL);
  if (status == STORE_OK && !in_pieces(&x)) store_notify_work(s, true);
  if (!in_pieces(&x)) return status;
  if (status != STORE_OK) return status;
  status = add_pieces(s, &x);
  if (status == STORE_OK) status = sqlite_write(s, show, &x, NULL);
  if (status == STORE_OK) return show_jobs(s, sweep->id);
  store_status removed = remove_pieces(s, sweep->id);
  (void)removed; // what is left is hidden, and goes at the next start
  return status;
}

// ----------------------------------------------------------------------------------------------------------- reading

store_status sqlite_sweep_jobs(store *s, const char *id, const store_visit *visit) {
  static const char sql[] = "SELECT " JOB_COLUMNS ", position, row_count FROM sweep_jobs JOIN jobs ON jobs.id = "
                            "sweep_jobs.job WHERE sweep = ?1 ORDER BY position";
  connection *c = sqlite_read_many(s);
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", id);
  store_status status;
  while (sql_row(c, stmt, &status)) {
    store_sweep_job job = {.position = sqlite3_column_int64(stmt, JOB_COLUMN_COUNT),
                           .rows = sqlite3_column_int64(stmt, JOB_COLUMN_COUNT + 1)};
    sqlite_read_job(stmt, &job.row);
    visit->sweep_job(visit->context, &job);
    store_job_fini(&job.row);
  }
  sqlite_read_end(s, c);
  return status;
}

// ------------------------------------------------------------------------------------------------- cancel and delete

// A walk over the jobs of a sweep that wait, in pieces: others write between two.
typedef struct walk {
  const char *id;
  char after[ID_SIZE]; // the last one so far; "": none. The next have come after it.
  sql_id_list taken;   // by a piece
  bool more;           // there may be
} walk;

static store_status take_piece(connection *c, walk *x,
                               store_status (*take)(connection *c, const char *sweep, const char *id)) {
  static const char sql[] = "SELECT id FROM jobs WHERE parent = ?1 AND state = 'queued' AND seq > "
                            "coalesce((SELECT seq FROM jobs WHERE id = ?2), 0) ORDER BY seq LIMIT ?3";
  double began_s = clock_monotonic_s();
  size_t done = 0;
  store_status status = sql_ids(c, sql_bind(sql_prepare(c, sql), "tti", x->id, x->after, (int64_t)LISTED), &x->taken);
  while (status == STORE_OK && done < x->taken.count && sqlite_piece_has_time(began_s, done))
    status = take(c, x->id, x->taken.id[done++]);
  x->more = x->taken.count == LISTED || done < x->taken.count;
  x->taken.count = done;
  return status;
}

// After a piece that has been written.
static void go_on(walk *x) {
  if (x->taken.count > 0) memcpy(x->after, x->taken.id[x->taken.count - 1], sizeof x->after);
}

static store_status mark_running(connection *c, const char *id) {
  static const char sql[] =
      "UPDATE jobs INDEXED BY jobs_running SET cancel = 1 WHERE parent = ?1 AND state = 'running'";
  return sql_run(c, sql_bind(sql_prepare(c, sql), "t", id));
}

// The sweep says that it is to be cancelled: from here on all of it will be, whatever happens (cancel_rest).
static store_status mark(connection *c, void *context) {
  static const char sql[] = "UPDATE jobs SET cancel = 1 WHERE id = ?1 AND state IN ('queued', 'running')";
  const walk *x = context;
  store_status status = sql_run(c, sql_bind(sql_prepare(c, sql), "t", x->id));
  return status == STORE_OK ? mark_running(c, x->id) : status;
}

static store_status cancel_job(connection *c, const char *sweep, const char *id) {
  static const char sql[] = "UPDATE jobs SET state = 'cancelled', finished_ms = ?2 WHERE id = ?1";
  int64_t now_ms = clock_now_ms();
  store_status status = sql_run(c, sql_bind(sql_prepare(c, sql), "ti", id, now_ms));
  if (status == STORE_OK) status = sqlite_sweep_follow(c, sweep, JOB_QUEUED, JOB_CANCELLED, now_ms);
  return status == STORE_OK ? sqlite_event_state_at(c, id, now_ms) : status;
}

// Waiting jobs may have begun to run since the last piece.
static store_status cancel_piece(connection *c, void *context) {
  walk *x = context;
  store_status status = mark_running(c, x->id);
  return status == STORE_OK ? take_piece(c, x, cancel_job) : status;
}

static void tell_all(store *s, const char *id, const sql_id_list *list) {
  for (size_t i = 0; i < list->count; i++) store_sweep_changed(s, list->id[i]);
  store_sweep_changed(s, id);
}

store_status sqlite_sweep_cancel(store *s, const char *id, size_t *waiting) {
  walk x = {.id = id, .more = true};
  store_status status = sqlite_write(s, mark, &x, NULL);
  *waiting = 0;
  while (status == STORE_OK && x.more) {
    status = sqlite_write_piece(s, cancel_piece, &x);
    if (status != STORE_OK) break;
    tell_all(s, id, &x.taken);
    *waiting += x.taken.count;
    go_on(&x);
  }
  free(x.taken.id);
  return status;
}

// Of sweeps that were being cancelled when the server died.
static store_status cancel_rest(connection *c) {
  static const char sql[] =
      "SELECT p.id FROM jobs AS p WHERE p.kind = 'sweep' AND p.cancel = 1 AND p.state IN ('queued', "
      "'running') AND EXISTS (SELECT 1 FROM jobs AS j WHERE j.parent = p.id AND j.state = 'queued')";
  sql_id_list sweeps = {.id = NULL};
  walk x = {.more = true};
  store_status status = sql_ids(c, sql_prepare(c, sql), &sweeps);
  for (size_t i = 0; status == STORE_OK && i < sweeps.count; i++) {
    x.id = sweeps.id[i];
    x.after[0] = '\0';
    do status = cancel_piece(c, &x), go_on(&x);
    while (status == STORE_OK && x.more);
  }
  free(sweeps.id);
  free(x.taken.id);
  return status;
}

static store_status remove_all(connection *c, sqlite3_stmt *stmt) {
  sql_id_list jobs = {.id = NULL};
  store_status status = sql_ids(c, stmt, &jobs);
  for (size_t i = 0; status == STORE_OK && i < jobs.count; i++) status = sqlite_job_remove(c, jobs.id[i]);
  free(jobs.id);
  return status;
}

store_status sqlite_sweep_repair(connection *c) {
  static const char shown[] = "UPDATE jobs SET incoming = 0 WHERE incoming = 1 AND parent IN (SELECT id FROM jobs "
                              "WHERE kind = 'sweep' AND incoming = 0)";
  static const char jobs[] =
      "SELECT id FROM jobs WHERE parent IN (SELECT id FROM jobs WHERE kind = 'sweep' AND incoming = 1)";
  static const char sweeps[] = "SELECT id FROM jobs WHERE kind = 'sweep' AND incoming = 1";
  store_status status = sql_run(c, sql_prepare(c, shown));
  if (status == STORE_OK) status = remove_all(c, sql_prepare(c, jobs));
  if (status == STORE_OK) status = remove_all(c, sql_prepare(c, sweeps));
  return status == STORE_OK ? cancel_rest(c) : status;
}

typedef struct deletion {
  const char *id;
  char owner[STORE_NAME_SIZE];
  sql_id_list removed; // by a piece
  bool gone;           // it was the last, and the sweep went with it
} deletion;

// Jobs that a retry took over go to that sweep.
static store_status hand_over(connection *c, const char *id) {
  static const char sql[] =
      "UPDATE jobs SET parent = (SELECT max(o.sweep) FROM sweep_jobs AS o WHERE o.job = jobs.id AND o.sweep <> ?1) "
      "WHERE parent = ?1 AND EXISTS (SELECT 1 FROM sweep_jobs AS o WHERE o.job = jobs.id AND o.sweep <> ?1)";
  return sql_run(c, sql_bind(sql_prepare(c, sql), "t", id));
}

static store_status check_idle(connection *c, const char *id) {
  static const char sql[] = "SELECT state = 'running' FROM jobs WHERE id = ?1";
  int64_t running = 0;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "t", id), &running);
  return status == STORE_OK && running > 0 ? STORE_PRECONDITION : status;
}

// Hides the sweep and what waits of it, so that nobody takes a job of it meanwhile.
static store_status hide(connection *c, void *context) {
  static const char sweep[] = "UPDATE jobs SET incoming = 1 WHERE id = ?1";
  static const char waiting[] = "UPDATE jobs SET incoming = 1 WHERE parent = ?1 AND state = 'queued' AND incoming = 0";
  const char *id = *(const char **)context;
  store_status status = check_idle(c, id);
  if (status == STORE_OK) status = hand_over(c, id);
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, waiting), "t", id));
  return status == STORE_OK ? sql_run(c, sql_bind(sql_prepare(c, sweep), "t", id)) : status;
}

static store_status hide_job(connection *c, const char *sweep, const char *id) {
  static const char sql[] = "UPDATE jobs SET incoming = 1 WHERE id = ?1 AND parent = ?2";
  return sql_run(c, sql_bind(sql_prepare(c, sql), "tt", id, sweep));
}

static store_status hide_piece(connection *c, void *context) {
  walk *x = context;
  store_status status = check_idle(c, x->id);
  return status == STORE_OK ? take_piece(c, x, hide_job) : status;
}

static bool has_many(connection *c, const char *id) {
  static const char sql[] = "SELECT queued > ?2 FROM sweeps WHERE id = ?1";
  int64_t many = 0;
  return sql_integer(c, sql_bind(sql_prepare(c, sql), "ti", id, (int64_t)LISTED), &many) == STORE_OK && many > 0;
}

// Of many that wait most are hidden before the sweep is. What a crash leaves hidden of a sweep that is shown is shown
// again.
static store_status hide_many(store *s, const char *id) {
  walk x = {.id = id};
  store_status status = STORE_OK;
  connection *c = sqlite_read(s);
  x.more = has_many(c, id);
  sqlite_read_end(s, c);
  for (; status == STORE_OK && x.more; go_on(&x)) status = sqlite_write_piece(s, hide_piece, &x);
  free(x.taken.id);
  return status;
}

static store_status hide_all(store *s, const char *id) {
  store_status status = hide_many(s, id);
  if (status == STORE_OK) status = sqlite_write(s, hide, &id, NULL);
  if (status == STORE_OK) return status;
  store_status shown = show_jobs(s, id);
  (void)shown; // or at the next start
  return status;
}

static store_status find_owner(connection *c, const char *id, char owner[STORE_NAME_SIZE]) {
  static const char sql[] = "SELECT owner FROM jobs WHERE id = ?1";
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", id);
  if (sql_row(c, stmt, &status)) sql_text(stmt, 0, owner, STORE_NAME_SIZE), sql_done(stmt);
  return status;
}

static store_status delete_job(connection *c, const char *sweep, const char *id) {
  static const char place[] = "DELETE FROM sweep_jobs WHERE job = ?2 AND sweep = ?1";
  store_status status = sql_run(c, sql_bind(sql_prepare(c, place), "tt", sweep, id));
  return status == STORE_OK ? sqlite_job_remove(c, id) : status;
}

// The sweep itself goes with the last of its jobs.
static store_status delete_piece(connection *c, void *context) {
  static const char rest[] = "SELECT id FROM jobs WHERE parent = ?1 LIMIT ?2";
  deletion *x = context;
  double began_s = clock_monotonic_s();
  size_t done = 0;
  store_status status = find_owner(c, x->id, x->owner);
  if (status == STORE_OK)
    status = sql_ids(c, sql_bind(sql_prepare(c, rest), "ti", x->id, (int64_t)LISTED), &x->removed);
  while (status == STORE_OK && done < x->removed.count && sqlite_piece_has_time(began_s, done))
    status = delete_job(c, x->id, x->removed.id[done++]);
  x->gone = x->removed.count < LISTED && done == x->removed.count;
  x->removed.count = done;
  return status == STORE_OK && x->gone ? sqlite_job_remove(c, x->id) : status;
}

static store_status remove_piece(store *s, deletion *x) {
  store_status status = sqlite_write_piece(s, delete_piece, x);
  if (status != STORE_OK) return status;
  for (size_t i = 0; i < x->removed.count; i++) {
    store_result_name result = store_result_named(x->removed.id[i], 0, "");
    store_job_gone(s, &result, x->owner);
  }
  tell_all(s, x->id, &x->removed);
  return status;
}

// Of a sweep that is hidden: what a crash leaves goes at the next start.
static store_status remove_pieces(store *s, const char *id) {
  deletion x = {.id = id};
  store_status status = STORE_OK;
  while (status == STORE_OK && !x.gone) status = remove_piece(s, &x);
  free(x.removed.id);
  return status;
}

store_status sqlite_sweep_delete(store *s, const char *id) {
  store_status status = hide_all(s, id);
  return status == STORE_OK ? remove_pieces(s, id) : status;
}
