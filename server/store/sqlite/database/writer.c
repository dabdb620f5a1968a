// The writer: one thread, one connection, group commit.
//
// Changes wait in a list. The thread takes as many as are there (at most CHANGES_MAX), runs them in one transaction,
// each in a savepoint of its own, commits once, which waits for the disk, and wakes whoever waits. While the disk
// works, the next ones gather: the more wait, the more share a commit, and nobody waits for company. Changes that
// nobody waits for (progress) do not start a transaction before SQLITE_DELAY_MS are over. A transaction of claims alone
// is not synced (in the log it survives the end of the process; a loss of power may undo it, and then nobody is left
// who could have used it): it is durable with the next one, so always before the end of its job. When a commit fails,
// its changes are run again, each in a transaction of its own, so that one too large for a full disk does not take
// small ones down.
//
// Pieces of what is large (sweeps of thousands of jobs) wait in a list of their own. One at a time is a transaction, of
// some milliseconds, and everything else that waits is written between two of them.
//
// The write-ahead log: checkpointed when it has CHECKPOINT_PAGES more and nobody waits; from RESET_PAGES on it is also
// waited, a little, until no reader needs it, so that it starts anew from its beginning; at WAL_PAGES as long as it
// takes, which is bounded because readers live LIMIT_READ_S at the most. Nobody else checkpoints, so the WAL-reset bug
// of SQLite before 3.51.3 cannot happen.
#include "base/clock.h"
#include "base/log/metrics.h"
#include "base/thread.h"
#include "store/sqlite/database/database.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  CHANGES_MAX = 256,       // of one transaction
  DELAYED_MAX = 10000,     // changes that nobody waits for
  CHECKPOINT_PAGES = 1000, // of 4 KiB
  RESET_PAGES = 2000,
  WAL_PAGES = 6000, // the bound: here writing stops until every reader has ended
};
static const double RESET_WAIT_S = 0.1, RELIEF_S = 1, PIECE_S = 4e-3;

// ------------------------------------------------------------------------------------------------------ transactions

static store_status run_sql(connection *c, const char *sql) { return sql_run(c, sql_prepare(c, sql)); }

static const char sql_begin[] = "BEGIN IMMEDIATE", sql_commit[] = "COMMIT", sql_rollback[] = "ROLLBACK",
                  sql_savepoint[] = "SAVEPOINT one", sql_undo[] = "ROLLBACK TO one", sql_release[] = "RELEASE one";

// A failure of the disk may have ended the whole transaction: autocommit shows it.
static bool in_transaction(const connection *c) { return sqlite3_get_autocommit(c->db) == 0; }

static void run_change(connection *c, change *x) {
  assert(x->step);
  log_scope before = log_enter(&x->scope);
  x->status = run_sql(c, sql_savepoint);
  if (x->status == STORE_OK) x->status = x->step(c, x->context);
  bool left = in_transaction(c);
  if (left && x->status != STORE_OK) left = run_sql(c, sql_undo) == STORE_OK;
  if (left && run_sql(c, sql_release) != STORE_OK) x->status = STORE_FAILED;
  log_enter(&before);
}

static void run_all(connection *c, change *first, const change *end) {
  for (change *x = first; x != end && in_transaction(c); x = x->next) run_change(c, x);
}

static bool is_sync_failure(int code) {
  return code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC || code == SQLITE_IOERR_TRUNCATE;
}

// What SQLite says of the last call: a failed sync is the end of all writing.
static void note_sync(store *s, int code) {
  if (is_sync_failure(code)) store_stop_writing(s, "tendril.db", sqlite3_errstr(code));
}

static void note_room(store *s, const change *first, const change *end) {
  for (const change *x = first; x != end; x = x->next)
    if (x->status == STORE_FULL) atomic_store(&s->full, true);
}

static void refuse_all(change *first, const change *end) {
  for (change *x = first; x != end; x = x->next) x->status = STORE_STOPPED;
}

static store_status commit(store *s) {
  connection *c = &sqlite_of(s)->writer.connection;
  double began = clock_monotonic_s();
  store_status status = in_transaction(c) ? run_sql(c, sql_commit) : STORE_FULL;
  if (status != STORE_OK) note_sync(s, sqlite3_extended_errcode(c->db));
  if (status == STORE_OK && sqlite_of(s)->writer.unmarked &&
      !sqlite_of(s)->writer.unsynced) { // never ahead of what is on the disk
    sqlite_of(s)->writer.unmarked = false;
    sqlite_mark_commit(s, sqlite_of(s)->writer.wal_frames);
  }
  metrics_add(METRIC_COMMITS, 0, status == STORE_OK);
  metrics_observe(METRIC_COMMIT_DURATION, 0, clock_monotonic_s() - began);
  if (in_transaction(c) && run_sql(c, sql_rollback) != STORE_OK) status = STORE_FAILED; // logged
  return status;
}

// True when the commit of these changes must wait for the disk.
static bool wants_sync(const change *first, const change *end) {
  while (first != end && first->unsynced) first = first->next;
  return first != end;
}

// What the connection does at its next commits. False when they would not wait for the disk although they should.
static bool choose_sync(writer *w, bool sync) {
  if (w->unsynced == !sync) return true;
  const char *sql = sync ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL";
  if (sqlite3_exec(w->connection.db, sql, NULL, NULL, NULL) == SQLITE_OK) w->unsynced = !sync;
  return !sync || !w->unsynced;
}

// The changes from `first` up to, not including, `end`.
static void run_transaction(store *s, change *first, const change *end) {
  writer *w = &sqlite_of(s)->writer;
  connection *c = &w->connection;
  bool ready = choose_sync(w, wants_sync(first, end));
  store_status status = ready ? run_sql(c, sql_begin) : STORE_FAILED;
  if (status == STORE_OK) {
    run_all(c, first, end);
    status = commit(s);
  }
  if (status == STORE_OK) return;
  if (store_is_stopped(s)) {
    refuse_all(first, end);
    return;
  }
  if (first->next != end) {
    for (change *x = first; x != end; x = x->next) run_transaction(s, x, x->next);
  } else if (first->status == STORE_OK)
    first->status = status;
}

// --------------------------------------------------------------------------------------------------- write-ahead log

static int on_commit(void *context, sqlite3 *db, const char *name, int frames) {
  (void)db, (void)name;
  writer *w = context;
  if (frames < w->wal_frames) { // it started anew
    w->next_checkpoint = CHECKPOINT_PAGES;
    w->next_reset = RESET_PAGES;
    w->waited_long = false;
  }
  w->wal_frames = frames;
  w->unmarked = true;
  return SQLITE_OK;
}

// SQLite polls for one reader's lock, which a reader that comes again and again never leaves free for long; asking anew
// looks at newer snapshots.
static int checkpoint_patiently(sqlite3 *db, int mode, double patience_s, int *frames, int *done) {
  double until_s = clock_monotonic_s() + patience_s;
  sqlite3_busy_timeout(db, 0);
  int code;
  while ((code = sqlite3_wal_checkpoint_v2(db, NULL, mode, frames, done)) == SQLITE_BUSY &&
         clock_monotonic_s() < until_s)
    usleep(1000);
  sqlite3_busy_timeout(db, SQLITE_WAIT_MS);
  return code;
}

static void checkpoint(store *s, int mode, double patience_s) {
  writer *w = &sqlite_of(s)->writer;
  int frames = 0, done = 0, code = checkpoint_patiently(w->connection.db, mode, patience_s, &frames, &done);
  w->next_checkpoint = w->wal_frames + CHECKPOINT_PAGES;
  if (mode == SQLITE_CHECKPOINT_RESTART) w->next_reset = w->wal_frames + CHECKPOINT_PAGES; // unless it starts anew
  note_sync(s, code);
  if (code != SQLITE_OK)
    log_write(LOG_LEVEL_WARNING, "checkpoint_not_finished", LOG_S("detail", sqlite3_errmsg(w->connection.db)),
              LOG_I("pages", frames), LOG_I("done", done));
}

// A full disk: what the log holds is written to its place and the log cut, so that deletions, which are written, too,
// find the room that they give.
static void relieve(store *s, const change *first) {
  writer *w = &sqlite_of(s)->writer;
  bool full = false;
  for (const change *x = first; x; x = x->next) full = full || x->status == STORE_FULL;
  if (!full || clock_monotonic_s() < w->relieved_s + RELIEF_S) return;
  checkpoint(s, SQLITE_CHECKPOINT_TRUNCATE, RESET_WAIT_S);
  w->relieved_s = clock_monotonic_s();
}

static void checkpoint_when_due(store *s) {
  writer *w = &sqlite_of(s)->writer;
  pthread_mutex_lock(&w->lock);
  bool quiet = w->urgent == 0; // pieces can wait
  pthread_mutex_unlock(&w->lock);
  if (w->wal_frames >= WAL_PAGES && !w->waited_long) {
    w->waited_long =
        true; // a reader may hold pages back, and one that came while they were copied the start: two lives
    checkpoint(s, SQLITE_CHECKPOINT_RESTART, RESET_WAIT_S + 2 * sqlite_of(s)->read_limit_s);
  } else if (w->wal_frames >= w->next_reset)
    checkpoint(s, SQLITE_CHECKPOINT_RESTART, RESET_WAIT_S);
  else if (quiet && w->wal_frames >= w->next_checkpoint)
    checkpoint(s, SQLITE_CHECKPOINT_PASSIVE, 0);
}

// ------------------------------------------------------------------------------------------------------------ thread

// Someone waits for a change that is no piece, or its delay is over.
static bool is_due(const writer *w) {
  return w->first && (w->urgent > 0 || w->stopping || w->first->due_s <= clock_monotonic_s());
}

// False when the store closes and nothing is left.
static bool wait_for_changes(writer *w) {
  while (!is_due(w) && !w->first_piece && !w->stopping) {
    if (w->first) {
      struct timespec when = clock_monotonic_after(w->first->due_s - clock_monotonic_s());
      pthread_cond_timedwait(&w->filled, &w->lock, &when);
    } else
      pthread_cond_wait(&w->filled, &w->lock);
  }
  return w->first || w->first_piece;
}

static change *take_piece(writer *w) {
  change *piece = w->first_piece;
  w->first_piece = piece->next;
  if (!w->first_piece) w->last_piece = &w->first_piece;
  piece->next = NULL;
  return piece;
}

static change *take_others(writer *w) {
  change *first = w->first, **end = &first;
  for (int i = 0; i < CHANGES_MAX && *end; i++) {
    --*((*end)->later ? &w->delayed : &w->urgent);
    end = &(*end)->next;
  }
  w->first = *end;
  *end = NULL;
  if (!w->first) w->last = &w->first;
  return first;
}

// The next changes, as a list of their own; NULL at the end.
static change *take(writer *w) {
  change *taken = NULL;
  pthread_mutex_lock(&w->lock);
  if (wait_for_changes(w)) {
    bool piece = w->first_piece && (w->piece_is_next || !is_due(w));
    w->piece_is_next = !piece;
    taken = piece ? take_piece(w) : take_others(w);
  }
  pthread_mutex_unlock(&w->lock);
  return taken;
}

static void acknowledge(store *s, change *x) {
  if (!x->later) {
    sem_post(&x->done); // x lies on the stack of who waits: not one access after this
    return;
  }
  if (x->status == STORE_OK && x->notify) store_notify(s, x->notify);
  free(x->context);
  free(x);
}

static void *write_changes(void *context) {
  store *s = context;
  writer *w = &sqlite_of(s)->writer;
  thread_answers();
  for (change *first; (first = take(w));) {
    if (store_is_stopped(s))
      refuse_all(first, NULL);
    else
      run_transaction(s, first, NULL);
    note_room(s, first, NULL);
    if (!store_is_stopped(s)) relieve(s, first);
    for (change *next; first; first = next) {
      next = first->next;
      acknowledge(s, first);
    }
    if (!store_is_stopped(s)) checkpoint_when_due(s);
  }
  return NULL;
}

bool sqlite_writer_start(store *s) {
  writer *w = &sqlite_of(s)->writer;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->filled, &monotonic);
  pthread_condattr_destroy(&monotonic);
  w->last = &w->first;
  w->last_piece = &w->first_piece;
  w->next_checkpoint = CHECKPOINT_PAGES;
  w->next_reset = RESET_PAGES;
  sqlite3_wal_hook(w->connection.db, on_commit, w);
  w->started = pthread_create(&w->thread, NULL, write_changes, s) == 0;
  return w->started;
}

void sqlite_writer_stop(store *s) {
  writer *w = &sqlite_of(s)->writer;
  if (!w->started) return;
  pthread_mutex_lock(&w->lock);
  w->stopping = true;
  pthread_cond_signal(&w->filled);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  pthread_mutex_destroy(&w->lock);
  pthread_cond_destroy(&w->filled);
}

// ------------------------------------------------------------------------------------------------------------ asking

// False when it is a delayed change and too many wait.
static bool append(writer *w, change *x) {
  assert(!x->next && "it stands in no list");
  pthread_mutex_lock(&w->lock);
  bool room = !x->later || w->delayed < DELAYED_MAX;
  if (room) {
    ++*(x->later ? &w->delayed : &w->urgent);
    bool wake = w->urgent == 1 || !w->first;
    *w->last = x;
    w->last = &x->next;
    if (wake) pthread_cond_signal(&w->filled);
  }
  pthread_mutex_unlock(&w->lock);
  return room;
}

static void append_piece(writer *w, change *x) {
  pthread_mutex_lock(&w->lock);
  *w->last_piece = x;
  w->last_piece = &x->next;
  pthread_cond_signal(&w->filled);
  pthread_mutex_unlock(&w->lock);
}

static store_status wait_for(change *x) {
  while (sem_wait(&x->done) != 0 && errno == EINTR) {
  }
  sem_destroy(&x->done);
  return x->status;
}

static store_status write_and_wait(store *s, store_step step, void *context, const char *notify, bool unsynced) {
  change x = {.step = step, .context = context, .scope = log_current(), .unsynced = unsynced};
  sem_init(&x.done, 0, 0);
  append(&sqlite_of(s)->writer, &x);
  store_status status = wait_for(&x);
  if (status == STORE_OK && notify) store_notify(s, notify);
  return status;
}

store_status sqlite_write_piece(store *s, store_step step, void *context) {
  change x = {.step = step, .context = context, .scope = log_current(), .unsynced = true};
  sem_init(&x.done, 0, 0);
  append_piece(&sqlite_of(s)->writer, &x);
  return wait_for(&x);
}

bool sqlite_piece_has_time(double began_s, size_t done) { return done == 0 || clock_monotonic_s() - began_s < PIECE_S; }

store_status sqlite_write(store *s, store_step step, void *context, const char *notify) {
  return write_and_wait(s, step, context, notify, false);
}

store_status sqlite_write_unsynced(store *s, store_step step, void *context, const char *notify) {
  return write_and_wait(s, step, context, notify, true);
}

static store_status leave(store *s, store_step step, void *context, const char *notify, bool unsynced) {
  change *x = malloc(sizeof *x);
  if (x) {
    *x = (change){.step = step, .context = context, .notify = notify, .scope = log_current(), .later = true};
    x->unsynced = unsynced;
    x->due_s = clock_monotonic_s() + SQLITE_DELAY_MS / 1e3;
    if (append(&sqlite_of(s)->writer, x)) return STORE_OK;
  }
  free(x);
  free(context);
  return STORE_FULL;
}

store_status sqlite_write_later(store *s, store_step step, void *context, const char *notify) {
  return leave(s, step, context, notify, false);
}

store_status sqlite_write_later_unsynced(store *s, store_step step, void *context) {
  return leave(s, step, context, NULL, true);
}
