// Inside the store only: connections, statements, the writer's thread.
#ifndef SERVER_STORE_SQLITE_H
#define SERVER_STORE_SQLITE_H

#include "store/store.h"

#include "base/log.h"

#include <pthread.h>
#include <semaphore.h>
#include <sqlite3.h>

#define STORE_LOST_FOUND "lost+found" ///< folder of results of which no row knows
enum {
  STORE_READERS = 6,
  STORE_READERS_OF_MANY = 4,
  STORE_STATEMENTS = 96,
  STORE_PATH_SIZE = 4096,
  STORE_DELAY_MS = 50,
  STORE_BUSY_MS = 10000,
  STORE_KEY_SIZE = 32
};

typedef struct connection {
  sqlite3 *db;
  struct {
    const char *sql; ///< address of the text is the key: every statement is one static string
    sqlite3_stmt *stmt;
  } statements[STORE_STATEMENTS];
  bool busy;
  double until_s; ///< of a reader: when its snapshot is given up
} connection;

typedef struct folder_sync { ///< an fsync of a folder that many share
  pthread_mutex_t lock;
  pthread_cond_t ended;
  uint64_t asked, done; ///< how many asked for one; how many of them have theirs
  bool busy;
} folder_sync;

enum { STORE_CHECKS = 1024 };
typedef struct result_checks { ///< files whose checksum was found right, the oldest is overwritten
  pthread_mutex_t lock;
  struct {
    int64_t inode, size, changed_ns;
  } file[STORE_CHECKS];
  size_t next;
} result_checks;

/// A change: runs in the writer's thread, in a savepoint of a transaction that it may share with other changes. Anything but
/// STORE_OK undoes it and leaves the others alone. It may run again when a commit failed, so what it hands out through its
/// context must then be replaced, not leaked.
typedef store_status (*store_step)(connection *c, void *context);

typedef struct change {
  store_step step;
  void *context;
  const char *notify; ///< whose watchers are told after the commit; NULL: nobody. Read after the step.
  log_scope scope;    ///< of who asked
  store_status status;
  bool later;    ///< nobody waits: it may be delayed, and is freed with its context
  bool unsynced; ///< its commit need not wait for the disk
  double due_s;
  sem_t done;
  struct change *next;
} change;

enum { STORE_ENDINGS = 64 };
typedef struct ending_queues { ///< of jobs whose row says that they run, although no worker computes for them any more
  pthread_mutex_t lock;
  char queue[STORE_ENDINGS][STORE_NAME_SIZE]; ///< "" where there is none
} ending_queues;

typedef struct writer { // writer.c
  connection connection;
  pthread_t thread;
  bool started;
  bool unsynced;                               // the connection's commits do not wait for the disk
  int wal_frames, next_checkpoint, next_reset; // pages in the WAL; when to checkpoint; when to wait for readers, too
  bool unmarked;                               // a commit is not in the mark yet
  int log_fd, mark_fd;                         // log_mark.c; -1: not open
  double relieved_s;                           // when the log was cut last because the disk was full
  bool waited_long;                            // for readers, since the WAL started anew: they were not ours then
  pthread_mutex_t lock;                        // of all below
  pthread_cond_t filled;
  change *first, **last;
  int urgent, delayed; // changes in the list by kind
  change *first_piece, **last_piece;
  bool piece_is_next; // a transaction of others has been since the last one
  bool stopping;
} writer;

typedef struct part_holder {
  char owner[STORE_NAME_SIZE];
  int64_t bytes;
} part_holder;
typedef struct part_holders { ///< of what is kept of unfinished jobs; an owner stays once he had something
  pthread_mutex_t lock;
  part_holder *holder;
  size_t count, room;
  int64_t bytes; // of all
  store_part_limits limits;
} part_holders;

struct store {
  writer writer;
  connection readers[STORE_READERS];
  double read_limit_s;
  pthread_mutex_t reader_lock;
  pthread_cond_t reader_free;
  pthread_mutex_t notify_lock; // taken last
  struct {
    void (*notify)(void *context, const char *id);
    void *context;
  } listeners[STORE_LISTENERS];
  result_checks checks;
  ending_queues ending;
  folder_sync results_sync;
  _Atomic bool stopped, damaged; // disk.c
  _Atomic bool full;             // the last that was to be written found no room
  part_holders parts_of;         // parts.c, part_room.c
  int lock_fd;
  unsigned char cursor_key[STORE_KEY_SIZE]; // cursor.c
  char folder[STORE_PATH_SIZE], results[STORE_PATH_SIZE], parts[STORE_PATH_SIZE], tmp[STORE_PATH_SIZE];
};

/// Runs a change and returns when it is on the disk, or with the reason why it is not; then tells the watchers of `notify`
/// (NULL: nobody).
store_status store_write(store *s, store_step step, void *context, const char *notify);
/// The same for a change that a loss of power may undo, as long as nothing that is on the disk builds on it.
store_status store_write_unsynced(store *s, store_step step, void *context, const char *notify);
/// The same for a piece of something large, some milliseconds of the writer's time: others are written first, between
/// any two pieces. A loss of power may undo it, as long as no change of store_write has come after it.
store_status store_write_piece(store *s, store_step step, void *context);
/// For a step that is a piece: true until its time is over, once in any case.
bool store_piece_has_time(double began_s, size_t done);
/// Runs a change with the next commit, within STORE_DELAY_MS, and returns at once. `context` (from malloc, freed when done)
/// is taken over. STORE_FULL when too many are waiting.
store_status store_write_later(store *s, store_step step, void *context, const char *notify);
/// The same for a change that a loss of power may undo, of which nobody is told.
store_status store_write_later_unsynced(store *s, store_step step, void *context);
/// The writer's thread, after the schema is there; false when threads are short.
bool store_writer_start(store *s);
/// Writes what is waiting and ends the thread.
void store_writer_stop(store *s);

/// How far the write-ahead log has come, kept beside the database (log_mark.c): opened with the database and its log, written after a
/// synced commit that has left so many frames in the log, and on the disk when the database is closed in order, before its log goes.
void store_mark_open(store *s);
void store_mark_commit(store *s, int frames);
void store_mark_close(store *s);
/// Before SQLite recovers a folder: false, with a sentence, when its log has less than was acknowledged.
bool store_mark_check(const char *folder, char message[STORE_MESSAGE_SIZE]);

/// A reading connection; its snapshot lasts from its first statement to store_read_end, at most read_limit_s.
connection *store_read(store *s);
/// The same for a read of many rows: some connections are never given to these, so that they hold up no quick one.
connection *store_read_many(store *s);
void store_read_end(store *s, connection *c);

/// Makes ending(name) known to the connection: how many jobs of a queue end.
bool store_register_ending(store *s, sqlite3 *db);
/// A statement ready to bind; NULL (logged) when it does not compile.
sqlite3_stmt *sql_prepare(connection *c, const char *sql);
/// Binds parameters 1, 2, … by letters: t text (NULL allowed), i int64_t, d double, n NULL. Returns the statement.
sqlite3_stmt *sql_bind(sqlite3_stmt *stmt, const char *types, ...);
/// Steps once and resets: STORE_OK when a row or the end was reached, with the first column in *value (may be NULL).
store_status sql_run(connection *c, sqlite3_stmt *stmt);
store_status sql_integer(connection *c, sqlite3_stmt *stmt, int64_t *value);
/// Steps to the next row: true with a row, false at the end or on error (*status). Resets the statement at the end.
bool sql_row(connection *c, sqlite3_stmt *stmt, store_status *status);
/// Resets a statement that is left before its end.
void sql_done(sqlite3_stmt *stmt);
/// Column as text into a fixed field, "" for NULL; as a heap copy, NULL for NULL.
void sql_text(sqlite3_stmt *stmt, int column, char *text, size_t size);
char *sql_text_copy(sqlite3_stmt *stmt, int column);

/// The database's file can shrink from now on; a whole vacuum of one that was made before it could.
void store_make_shrinkable(connection *c);
/// The key of cursors; false when it is not there.
bool store_cursor_load_key(store *s, connection *c);
/// True when parts of an owner may take so many bytes more, after those of jobs that have ended made room.
bool store_part_room(store *s, const char *owner, int64_t bytes);
/// An owner's parts take so much more (negative: less).
void store_part_count(store *s, const char *owner, int64_t bytes);
/// Brings the schema up to date from embedded_migrations.
bool store_migrate(connection *c, char message[STORE_MESSAGE_SIZE]);
/// INSERT of a document by its content, nothing when it is there.
/// `base` not NULL: `body` is what it has other than that one.
store_status store_document_put(connection *c, const char *sha256, const char *body, const char *base);
/// STORE_FAILED (logged) when a document is not the one of this name any more.
store_status store_document_check(const char *sha256, const char *document);
/// A whole document, as it stands there.
store_status store_document_read(connection *c, const char *sha256, char **document);
/// The base with the places and values of a difference (to be freed); NULL when they do not fit, or without memory.
char *store_difference_apply(const char *base, const char *difference);

/// STORE_KEPT when an owner keeps more than he may of any of `bounds` (1 << store_bound | …), with `more` jobs to come. After a change: its savepoint undoes it.
store_status store_keep_check(connection *c, const char *owner, unsigned bounds, int64_t more, store_keep *keep);
/// Counts anew what every owner keeps: after a change of owners.
store_status store_keep_recount(connection *c);

/// Checksums of rows: the function row_digest for a connection, and what is said of a row that is not what was written (readiness
/// hears of it). In SQL `digest IS NULL OR digest = …`: older rows have none.
bool store_register_digest(sqlite3 *db);
void store_row_damaged(store *s, const char *table, const char *row);
#define STORE_JOB_DIGEST(owner)                                                                                        \
  "row_digest(id, kind, priority, model_name, model_revision, model_sha256, document, document_base, labels, "         \
  "retry_of, " owner ")"
#define STORE_KEY_DIGEST(owner) "row_digest(" owner ", key, sha256, job)"
#define STORE_TOKEN_DIGEST(deleted) "row_digest(id, name, scope, sha256, created_ms, " deleted ", owner)"
#define STORE_EVENT_DIGEST "row_digest(e.job, e.seq, e.time_ms, e.attempt, e.type, e.data)"
/// INSERT of the events that a SELECT of job, seq, time_ms, attempt, type, data (by these names) gives.
#define STORE_ADD_EVENTS(select)                                                                                       \
  "INSERT INTO events (job, seq, time_ms, attempt, type, data, digest) SELECT e.*, " STORE_EVENT_DIGEST                \
  " FROM (" select ") AS e"

/// Columns of a job, and a row of them.
#define JOB_COLUMNS                                                                                                    \
  "seq, id, kind, state, attempt, crashes, priority, cancel, model_name, model_revision, model_sha256, document, "     \
  "labels, error, t_end, created_ms, started_ms, finished_ms, result_size, result_sha256, "                            \
  "retry_of, parent, CASE WHEN kind = 'sweep' THEN (SELECT printf('%d %d %d %d %d', s.queued, s.running, "             \
  "s.succeeded, s.failed, s.cancelled) FROM sweeps AS s WHERE s.id = jobs.id) END, "                                   \
  "CASE WHEN state IN ('failed', 'cancelled') THEN (SELECT printf('%!.17g %!.17g', e.data ->> 'fraction', "            \
  "e.data ->> 't') FROM events AS e WHERE e.job = jobs.seq AND e.type = 'progress' ORDER BY e.seq DESC LIMIT 1) END, " \
  "warnings, owner, queue, document_base, waiting, faults, digest IS NULL OR digest = " STORE_JOB_DIGEST(              \
      "owner") ", coalesce(model_owner, owner)"
enum { JOB_COLUMN_COUNT = 32 };
/// Of `job` (a table or its alias): what its rows take with document, labels, events and places in a sweep, as holdings count it (migration 18).
#define STORE_ROW_BYTES(job)                                                                                           \
  "(2048 + length(CAST(" job ".document AS BLOB)) + 3 * length(CAST(" job ".labels AS BLOB)) + 8192 * EXISTS (SELECT " \
  "1 FROM events AS e WHERE e.job = " job ".seq AND e.seq > 8) + CASE WHEN " job ".kind = 'sweep' THEN coalesce(("     \
  "SELECT 256 * (s.queued + s.running + s.succeeded + s.failed + s.cancelled) FROM sweeps AS s WHERE s.id = " job      \
  ".id), 0) ELSE 0 END)"
void store_read_job(sqlite3_stmt *stmt, store_job *job);

/// Parts of a submission: room for `count` more waiting jobs with so many bytes of documents (STORE_PRECONDITION, STORE_SHARE), a request's key that is free
/// (STORE_EXISTS) and its use, a job with its document (NULL: it is there), labels and first event.
store_status store_job_room(connection *c, const store_room *room, const char *queue, int64_t count, int64_t bytes);
int64_t store_job_bytes(const store_job *job, const char *model_document);
store_status store_request_free(connection *c, const store_request *request);
store_status store_request_keep(connection *c, const store_request *request, const char *id);
/// `incoming`: not to be seen or claimed yet.
store_status store_job_add(connection *c, store_job *job, const char *model_document, const char *model_base,
                           bool incoming);
/// At start: what a dead server left of sweeps that came or went in pieces comes as a whole or goes.
store_status store_sweep_repair(connection *c);

/// Deletes a sweep with its jobs, as store_job_delete.
store_status store_sweep_delete(store *s, const char *id);

/// Adds the state that a job's row has now to its log, when status is STORE_OK; the status then.
store_status store_event_state(connection *c, const char *id, store_status status);
/// For every running job: the state that a restart gives it.
store_status store_event_restart(connection *c);
/// Tells who watches; after the commit.
void store_notify(store *s, const char *id);

/// The device failed to keep what was written: from here on every change is STORE_STOPPED.
void store_stop_writing(store *s, const char *what, const char *reason);
bool store_is_stopped(const store *s);
/// fdatasync, fsync of a folder; false when it failed (a failure of the device stops all writing) or writing was stopped.
bool store_sync_file(store *s, int fd, const char *what);
bool store_sync_folder(store *s, const char *path);

/// The checksum of this result file is known to be right.
void store_result_checked(store *s, int fd);
/// Removes a job's result file, if any.
void store_result_remove(store *s, const char *id);

#endif
