// The SQLite kind of rows: a database in a data folder, its functions, opening and closing.
//
// WAL with synchronous=FULL: a commit that returned is on the disk. Exactly one connection ever writes or checkpoints,
// that of the writer's thread (concurrent checkpointers are what the WAL-reset bug of SQLite before 3.51.3 needs, and
// two writers would make each other wait); readers are opened read-only. Invariant: a statement is reset before its
// connection is given back, so no read transaction outlives its caller; and a reader that takes longer than
// LIMIT_READ_S is interrupted, so none holds back the WAL for long.
#include "store/sqlite/sqlite.h"
#include "base/clock.h"
#include "base/limits.h"
#include "store/kinds.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

store_status sqlite_ping(store *s) {
  static const char sql[] = "SELECT count(*) FROM (SELECT 1 FROM models LIMIT 1)";
  connection *c = sqlite_read(s);
  int64_t ignored;
  store_status status = sql_integer(c, sql_prepare(c, sql), &ignored);
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_cursor_key(store *s, unsigned char key[STORE_KEY_SIZE]) {
  static const char sql[] = "SELECT value FROM settings WHERE name = 'cursor_key'";
  connection *c = sqlite_read(s);
  sqlite3_stmt *stmt = sql_prepare(c, sql);
  store_status status;
  bool whole = sql_row(c, stmt, &status) && sqlite3_column_bytes(stmt, 0) == STORE_KEY_SIZE;
  if (whole) memcpy(key, sqlite3_column_blob(stmt, 0), STORE_KEY_SIZE);
  if (stmt) sql_done(stmt);
  sqlite_read_end(s, c);
  return whole ? STORE_OK : status == STORE_OK ? STORE_NOT_FOUND : status;
}

// Called by SQLite every so many steps of its machine: nonzero ends the statement.
static int read_too_long(void *context) {
  const connection *c = context;
  return clock_monotonic_s() > c->until_s;
}

static int configure_writer(connection *c) {
  static const char sql[] =
      "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
      "PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=4194304;";
  return sqlite3_exec(c->db, sql, NULL, NULL, NULL);
}

// A statement that may be undone keeps what it changes aside, in a file beyond 64 KiB: where descriptors were short a
// submission failed by that. Not before migrations and VACUUM, which keep all of the database aside.
static bool keep_journals_in_memory(connection *c) {
  return sqlite3_exec(c->db, "PRAGMA temp_store=MEMORY", NULL, NULL, NULL) == SQLITE_OK;
}

static int configure_reader(connection *c) {
  c->until_s = INFINITY;
  sqlite3_progress_handler(c->db, 1000, read_too_long, c);
  return SQLITE_OK;
}

static bool open_connection(store *s, connection *c, int flags, int (*configure)(connection *),
                            char message[STORE_MESSAGE_SIZE]) {
  char path[STORE_PATH_SIZE + 16];
  snprintf(path, sizeof path, "%s/tendril.db", s->folder);
  int made = flags & SQLITE_OPEN_CREATE ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1; // whatever the umask
  if (made >= 0) close(made);
  int code = sqlite3_open_v2(path, &c->db, SQLITE_OPEN_NOMUTEX | flags, NULL);
  if (code == SQLITE_OK) {
    sqlite3_extended_result_codes(c->db, 1);
    sqlite3_busy_timeout(c->db, SQLITE_WAIT_MS);
    bool ready = sqlite_register_digest(c->db) && sqlite_register_ending(s, c->db);
    code = ready ? configure(c) : SQLITE_NOMEM;
  }
  return code == SQLITE_OK || store_say(message, "cannot open %.150s: %.80s", path, sqlite3_errmsg(c->db));
}

// What SQLite falls back to by itself where it may not write, or where memory cannot be shared through files.
static bool check_writer(store *s, char message[STORE_MESSAGE_SIZE]) {
  sqlite3 *db = sqlite_of(s)->writer.connection.db;
  if (sqlite3_db_readonly(db, "main") == 1) return store_say(message, "%.160s/tendril.db is read-only", s->folder);
  sqlite3_stmt *stmt = NULL;
  const char *mode = NULL;
  if (sqlite3_prepare_v2(db, "PRAGMA journal_mode", -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    mode = (const char *)sqlite3_column_text(stmt, 0);
  bool wal = mode && strcmp(mode, "wal") == 0;
  sqlite3_finalize(stmt);
  return wal ||
         store_say(message, "the file system of %.160s cannot hold a database with a write-ahead log", s->folder);
}

static bool open_all(store *s, bool anyway, char message[STORE_MESSAGE_SIZE]) {
  sqlite_store *d = sqlite_of(s);
  connection *w = &d->writer.connection;
  if (!anyway && !sqlite_mark_check(s->folder, message))
    return false; // SQLite would take what is left for all there was
  // opened first: it recovers what a crash left, too
  if (!open_connection(s, w, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, configure_writer, message) ||
      !check_writer(s, message) || !sqlite_migrate(w, message))
    return false;
  sqlite_mark_open(s);
  sqlite_make_shrinkable(w);
  if (!keep_journals_in_memory(w))
    return store_say(message, "cannot open %.160s/tendril.db: not enough memory", s->folder);
  for (int i = 0; i < SQLITE_READERS; i++)
    if (!open_connection(s, &d->readers[i], SQLITE_OPEN_READONLY, configure_reader, message)) return false;
  return sqlite_writer_start(s) || store_say(message, "cannot open the store: a thread could not be started");
}

static bool is_place(const char *place) { return strstr(place, "://") == NULL; }

static bool open_rows(store *s, bool anyway, char message[STORE_MESSAGE_SIZE]) {
  sqlite_store *d = calloc(1, sizeof *d);
  if (!d) return store_say(message, "cannot open the store: not enough memory");
  s->rows_state = d;
  d->writer.log_fd = d->writer.mark_fd = -1;
  d->read_limit_s = LIMIT_READ_S;
  pthread_mutex_init(&d->reader_lock, NULL);
  pthread_mutex_init(&d->ending.lock, NULL);
  pthread_cond_init(&d->reader_free, NULL);
  return open_all(s, anyway, message);
}

static void close_connection(connection *c) {
  for (int i = 0; i < SQLITE_STATEMENTS; i++) sqlite3_finalize(c->statements[i].stmt);
  sqlite3_close(c->db);
}

static void close_rows(store *s) {
  sqlite_store *d = sqlite_of(s);
  sqlite_writer_stop(s);
  for (int i = 0; i < SQLITE_READERS; i++) close_connection(&d->readers[i]);
  sqlite_mark_close(s);
  close_connection(&d->writer.connection); // the last one: it checkpoints
  pthread_mutex_destroy(&d->reader_lock);
  pthread_mutex_destroy(&d->ending.lock);
  pthread_cond_destroy(&d->reader_free);
  free(d);
  s->rows_state = NULL;
}

void sqlite_limit_reads(store *s, double seconds) { sqlite_of(s)->read_limit_s = seconds; }

#define SQLITE_ENTRY(name) .name = sqlite_##name,
const rows_kind sqlite_rows = {.is_place = is_place, .open = open_rows, .close = close_rows, STORE_ROWS(SQLITE_ENTRY)};
