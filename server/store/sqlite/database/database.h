// Inside the SQLite kind of rows: the database. Connections, statements, the writer's thread, migrations.
#ifndef SERVER_STORE_SQLITE_DATABASE_H
#define SERVER_STORE_SQLITE_DATABASE_H

#include "store/parts.h"

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sqlite3.h>

/// What this kind gives (STORE_ROWS), wherever it stands.
#define SQLITE_DECLARE(name) __typeof__(store_##name) sqlite_##name;
STORE_ROWS(SQLITE_DECLARE)

enum {
  SQLITE_READERS = 6,
  SQLITE_READERS_OF_MANY = 4,
  SQLITE_STATEMENTS = 160,
  SQLITE_DELAY_MS = 50,
  SQLITE_WAIT_MS = 10000
};

typedef struct connection {
  sqlite3 *db;
  struct {
    const char *sql; ///< address of the text is the key: every statement is one static string
    sqlite3_stmt *stmt;
  } statements[SQLITE_STATEMENTS];
  bool busy;
  double until_s; ///< of a reader: when its snapshot is given up
} connection;

/// A change: runs in the writer's thread, in a savepoint of a transaction that it may share with other changes.
/// Anything but STORE_OK undoes it and leaves the others alone. It may run again when a commit failed, so what it hands
/// out through its context must then be replaced, not leaked.
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

enum { SQLITE_ENDINGS = 64 };
typedef struct ending_queues { ///< of jobs whose row says that they run, although no worker computes for them any more
  pthread_mutex_t lock;
  char queue[SQLITE_ENDINGS][STORE_NAME_SIZE]; ///< "" where there is none
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

typedef struct sqlite_store { ///< what a store has of this kind
  writer writer;
  connection readers[SQLITE_READERS];
  double read_limit_s;
  pthread_mutex_t reader_lock;
  pthread_cond_t reader_free;
  ending_queues ending;
} sqlite_store;

static inline sqlite_store *sqlite_of(const store *s) {
  assert(s->rows_state);
  return s->rows_state;
}

/// Runs a change and returns when it is on the disk, or with the reason why it is not; then tells the watchers of
/// `notify` (NULL: nobody).
store_status sqlite_write(store *s, store_step step, void *context, const char *notify);
/// The same for a change that a loss of power may undo, as long as nothing that is on the disk builds on it.
store_status sqlite_write_unsynced(store *s, store_step step, void *context, const char *notify);
/// The same for a piece of something large, some milliseconds of the writer's time: others are written first, between
/// any two pieces. A loss of power may undo it, as long as no change of sqlite_write has come after it.
store_status sqlite_write_piece(store *s, store_step step, void *context);
/// For a step that is a piece: true until its time is over, once in any case.
bool sqlite_piece_has_time(double began_s, size_t done);
/// Runs a change with the next commit, within SQLITE_DELAY_MS, and returns at once. `context` (from malloc, freed when
/// done) is taken over. STORE_FULL when too many are waiting.
store_status sqlite_write_later(store *s, store_step step, void *context, const char *notify);
/// The same for a change that a loss of power may undo, of which nobody is told.
store_status sqlite_write_later_unsynced(store *s, store_step step, void *context);
/// The writer's thread, after the schema is there; false when threads are short.
bool sqlite_writer_start(store *s);
/// Writes what is waiting and ends the thread.
void sqlite_writer_stop(store *s);

/// How far the write-ahead log has come, kept beside the database (log_mark.c): opened with the database and its log,
/// written after a synced commit that has left so many frames in the log, and on the disk when the database is closed
/// in order, before its log goes.
void sqlite_mark_open(store *s);
void sqlite_mark_commit(store *s, int frames);
void sqlite_mark_close(store *s);
/// Before SQLite recovers a folder: false, with a sentence, when its log has less than was acknowledged.
bool sqlite_mark_check(const char *folder, char message[STORE_MESSAGE_SIZE]);

/// A reading connection; its snapshot lasts from its first statement to sqlite_read_end, at most read_limit_s.
connection *sqlite_read(store *s);
/// The same for a read of many rows: some connections are never given to these, so that they hold up no quick one.
connection *sqlite_read_many(store *s);
void sqlite_read_end(store *s, connection *c);

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
typedef struct sql_id_list { ///< identifiers of jobs
  char (*id)[ID_SIZE];       ///< to be freed
  size_t count, capacity;
} sql_id_list;
/// The identifiers that a statement gives, in the place of those before: a transaction may be run again.
store_status sql_ids(connection *c, sqlite3_stmt *stmt, sql_id_list *list);
/// Column as text into a fixed field, "" for NULL; as a heap copy, NULL for NULL.
void sql_text(sqlite3_stmt *stmt, int column, char *text, size_t size);
char *sql_text_copy(sqlite3_stmt *stmt, int column);

/// The database's file can shrink from now on; a whole vacuum of one that was made before it could.
void sqlite_make_shrinkable(connection *c);
/// Brings the schema up to date from embedded_sqlite_migrations.
bool sqlite_migrate(connection *c, char message[STORE_MESSAGE_SIZE]);
/// Checksums of rows: the function row_digest for a connection (store_row_damaged says what is found). In SQL `digest
/// IS NULL OR digest = …`: older rows have none.
bool sqlite_register_digest(sqlite3 *db);

#endif
