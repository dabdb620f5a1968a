// Inside the store only: connections, statements, transactions.
#ifndef SERVER_STORE_SQLITE_H
#define SERVER_STORE_SQLITE_H

#include "store/store.h"

#include <pthread.h>
#include <sqlite3.h>

enum { STORE_READERS = 4, STORE_STATEMENTS = 64, STORE_PATH_SIZE = 4096 };

typedef struct connection {
  sqlite3 *db;
  struct {
    const char *sql; ///< address of the text is the key: every statement is one static string
    sqlite3_stmt *stmt;
  } statements[STORE_STATEMENTS];
  bool busy;
} connection;

struct store {
  connection writer;
  pthread_mutex_t writer_lock;
  connection readers[STORE_READERS];
  pthread_mutex_t reader_lock;
  pthread_cond_t reader_free;
  pthread_mutex_t notify_lock; // taken last
  void (*notify)(void *context, const char *id);
  void *notify_context;
  int lock_fd;
  char folder[STORE_PATH_SIZE], results[STORE_PATH_SIZE], parts[STORE_PATH_SIZE], tmp[STORE_PATH_SIZE];
};

/// BEGIN IMMEDIATE on the writer; NULL when even that fails. Ends with store_end, which commits when status is STORE_OK.
connection *store_begin(store *s);
store_status store_end(store *s, connection *c, store_status status);
/// A reading connection in a read transaction of its own; NULL on failure. Ends with store_read_end.
connection *store_read(store *s);
void store_read_end(store *s, connection *c);

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

/// Brings the schema up to date from embedded_migrations.
bool store_migrate(connection *c, char message[STORE_MESSAGE_SIZE]);
/// INSERT of a document by its content, nothing when it is there.
store_status store_document_put(connection *c, const char *sha256, const char *body);

/// Columns of a job, and a row of them.
#define JOB_COLUMNS                                                                                                    \
  "seq, id, kind, state, attempt, crashes, priority, cancel, model_name, model_revision, model_sha256, document, "     \
  "labels, error, t_end, created_ms, started_ms, finished_ms, result_size, result_sha256, "                            \
  "retry_of, parent"
void store_read_job(sqlite3_stmt *stmt, store_job *job);

/// Adds the state that a job's row has now to its log, when status is STORE_OK; the status then.
store_status store_event_state(connection *c, const char *id, store_status status);
/// For every running job: the state that a restart gives it.
store_status store_event_restart(connection *c);
/// Tells who watches when status is STORE_OK; returns status. Call it after store_end.
store_status store_notify(store *s, const char *id, store_status status);

/// Removes a job's result file, if any.
void store_result_remove(store *s, const char *id);

#endif
