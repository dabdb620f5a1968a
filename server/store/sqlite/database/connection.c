// The SQLite store: opening and locking a data folder, connections, statements.
//
// WAL with synchronous=FULL: a commit that returned is on the disk. Exactly one connection ever writes or checkpoints, that
// of the writer's thread (concurrent checkpointers are what the WAL-reset bug of SQLite before 3.51.3 needs, and two writers
// would make each other wait); readers are opened read-only.
// Statements are prepared once per connection and found by the address of their text. Invariant: a statement is reset before
// its connection is given back, so no read transaction outlives its caller; and a reader that takes longer than
// LIMIT_READ_S is interrupted, so none holds back the WAL for long.
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/sqlite/sqlite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------------------------ statements

static store_status status_of(connection *c, int code, const char *sql) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return STORE_OK;
  int primary = code & 0xff;
  bool slow = primary == SQLITE_INTERRUPT; // read_too_long said so
  log_write(slow ? LOG_LEVEL_WARNING : LOG_LEVEL_ERROR, slow ? "read_given_up" : "store",
            LOG_S("detail", sqlite3_errmsg(c->db)), LOG_I("code", code), LOG_S("sql", sql));
  if (slow) return STORE_SLOW;
  return primary == SQLITE_FULL || primary == SQLITE_IOERR || primary == SQLITE_READONLY ? STORE_FULL : STORE_FAILED;
}

sqlite3_stmt *sql_prepare(connection *c, const char *sql) {
  int i = 0;
  while (i < STORE_STATEMENTS && c->statements[i].sql && c->statements[i].sql != sql) i++;
  if (i == STORE_STATEMENTS) return NULL; // a defect: more statements than the table holds
  if (!c->statements[i].sql) {
    int code = sqlite3_prepare_v3(c->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &c->statements[i].stmt, NULL);
    if (status_of(c, code, sql) != STORE_OK) return NULL;
    c->statements[i].sql = sql;
  }
  return c->statements[i].stmt;
}

sqlite3_stmt *sql_bind(sqlite3_stmt *stmt, const char *types, ...) {
  va_list values;
  va_start(values, types);
  for (int i = 1; stmt && types[i - 1]; i++) {
    switch (types[i - 1]) {
    case 't':
      sqlite3_bind_text(stmt, i, va_arg(values, const char *), -1, SQLITE_STATIC);
      break;
    case 'i':
      sqlite3_bind_int64(stmt, i, va_arg(values, int64_t));
      break;
    case 'd':
      sqlite3_bind_double(stmt, i, va_arg(values, double));
      break;
    default:
      sqlite3_bind_null(stmt, i);
      break;
    }
  }
  va_end(values);
  return stmt;
}

void sql_done(sqlite3_stmt *stmt) {
  sqlite3_reset(stmt);
  sqlite3_clear_bindings(stmt);
}

bool sql_row(connection *c, sqlite3_stmt *stmt, store_status *status) {
  if (!stmt) return *status = STORE_FAILED, false;
  int code = sqlite3_step(stmt);
  if (code == SQLITE_ROW) return *status = STORE_OK, true;
  *status = status_of(c, code, sqlite3_sql(stmt));
  sql_done(stmt);
  return false;
}

store_status sql_integer(connection *c, sqlite3_stmt *stmt, int64_t *value) {
  store_status status;
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  *value = sqlite3_column_int64(stmt, 0);
  sql_done(stmt);
  return STORE_OK;
}

store_status sql_run(connection *c, sqlite3_stmt *stmt) {
  store_status status;
  if (sql_row(c, stmt, &status)) sql_done(stmt);
  return status;
}

void sql_text(sqlite3_stmt *stmt, int column, char *text, size_t size) {
  const char *value = (const char *)sqlite3_column_text(stmt, column);
  snprintf(text, size, "%s", value ? value : "");
}

char *sql_text_copy(sqlite3_stmt *stmt, int column) {
  const char *value = (const char *)sqlite3_column_text(stmt, column);
  return value ? strdup(value) : NULL;
}

// ---------------------------------------------------------------------------------------------------------- readers

// Called by SQLite every so many steps of its machine: nonzero ends the statement.
static int read_too_long(void *context) {
  const connection *c = context;
  return clock_monotonic_s() > c->until_s;
}

static connection *take_reader(store *s, int count) {
  pthread_mutex_lock(&s->reader_lock);
  int i = 0;
  for (;;) {
    for (i = 0; i < count && s->readers[i].busy; i++) {
    }
    if (i < count) break;
    pthread_cond_wait(&s->reader_free, &s->reader_lock);
  }
  s->readers[i].busy = true;
  s->readers[i].until_s = clock_monotonic_s() + s->read_limit_s;
  pthread_mutex_unlock(&s->reader_lock);
  return &s->readers[i];
}

connection *store_read(store *s) { return take_reader(s, STORE_READERS); }
connection *store_read_many(store *s) { return take_reader(s, STORE_READERS_OF_MANY); }

void store_read_end(store *s, connection *c) {
  pthread_mutex_lock(&s->reader_lock);
  c->busy = false;
  pthread_cond_broadcast(&s->reader_free); // the first that wakes may want another one
  pthread_mutex_unlock(&s->reader_lock);
}

store_status store_ping(store *s) {
  static const char sql[] = "SELECT count(*) FROM (SELECT 1 FROM models LIMIT 1)";
  connection *c = store_read(s);
  int64_t ignored;
  store_status status = sql_integer(c, sql_prepare(c, sql), &ignored);
  store_read_end(s, c);
  return status;
}

// ----------------------------------------------------------------------------------------------- opening and closing

static bool say(char message[STORE_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(char message[STORE_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, STORE_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

static bool make_folder(const char *path, char message[STORE_MESSAGE_SIZE]) {
  if (mkdir(path, 0700) == 0 || errno == EEXIST) return true;
  return say(message, "cannot create the folder %.180s: %s", path, strerror(errno));
}

static bool take_lock(store *s, char message[STORE_MESSAGE_SIZE]) {
  char path[STORE_PATH_SIZE + 8];
  snprintf(path, sizeof path, "%s/lock", s->folder);
  s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (s->lock_fd < 0) return say(message, "cannot open %.180s: %s", path, strerror(errno));
  if (flock(s->lock_fd, LOCK_EX | LOCK_NB) == 0) {
    if (ftruncate(s->lock_fd, 0) == 0) dprintf(s->lock_fd, "%d\n", getpid());
    return true;
  }
  char holder[16] = "unknown";
  ssize_t n = read(s->lock_fd, holder, sizeof holder - 1);
  if (n > 0) holder[n] = '\0', holder[strcspn(holder, "\n")] = '\0';
  return say(message, "the data folder %.160s is in use by another server (process %s)", s->folder, holder);
}

static void empty_folder(const char *path) {
  DIR *dir = opendir(path);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));)
    if (entry->d_type == DT_REG) unlinkat(dirfd(dir), entry->d_name, 0);
  closedir(dir);
}

static int configure_writer(connection *c) {
  static const char sql[] =
      "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
      "PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=4194304;";
  return sqlite3_exec(c->db, sql, NULL, NULL, NULL);
}

// A statement that may be undone keeps what it changes aside, in a file beyond 64 KiB: where descriptors were short a submission failed
// by that. Not before migrations and VACUUM, which keep all of the database aside.
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
    sqlite3_busy_timeout(c->db, STORE_BUSY_MS);
    bool ready = store_register_digest(c->db) && store_register_ending(s, c->db);
    code = ready ? configure(c) : SQLITE_NOMEM;
  }
  return code == SQLITE_OK || say(message, "cannot open %.150s: %.80s", path, sqlite3_errmsg(c->db));
}

// What SQLite falls back to by itself where it may not write, or where memory cannot be shared through files.
static bool check_writer(store *s, char message[STORE_MESSAGE_SIZE]) {
  sqlite3 *db = s->writer.connection.db;
  if (sqlite3_db_readonly(db, "main") == 1) return say(message, "%.160s/tendril.db is read-only", s->folder);
  sqlite3_stmt *stmt = NULL;
  const char *mode = NULL;
  if (sqlite3_prepare_v2(db, "PRAGMA journal_mode", -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    mode = (const char *)sqlite3_column_text(stmt, 0);
  bool wal = mode && strcmp(mode, "wal") == 0;
  sqlite3_finalize(stmt);
  return wal || say(message, "the file system of %.160s cannot hold a database with a write-ahead log", s->folder);
}

static bool open_all(store *s, bool anyway, char message[STORE_MESSAGE_SIZE]) {
  if (!make_folder(s->folder, message) || !take_lock(s, message)) return false;
  if (!anyway && !store_mark_check(s->folder, message))
    return false; // SQLite would take what is left for all there was
  if (!make_folder(s->results, message) || !make_folder(s->parts, message) || !make_folder(s->tmp, message))
    return false;
  empty_folder(s->tmp);
  connection *w = &s->writer.connection; // opened first: it recovers what a crash left, too
  if (!open_connection(s, w, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, configure_writer, message) ||
      !check_writer(s, message) || !store_migrate(w, message))
    return false;
  store_mark_open(s);
  if (!store_cursor_load_key(s, w)) return say(message, "%.160s/tendril.db has no key of cursors", s->folder);
  store_make_shrinkable(w);
  if (!keep_journals_in_memory(w)) return say(message, "cannot open %.160s/tendril.db: not enough memory", s->folder);
  for (int i = 0; i < STORE_READERS; i++)
    if (!open_connection(s, &s->readers[i], SQLITE_OPEN_READONLY, configure_reader, message)) return false;
  return store_writer_start(s) || say(message, "cannot open the store: threads are short");
}

static store *open_store(const char *folder, bool anyway, char message[STORE_MESSAGE_SIZE]) {
  store *s = calloc(1, sizeof *s);
  if (!s || strlen(folder) > STORE_PATH_SIZE - 16) {
    free(s);
    return say(message, "cannot open the store: memory is short or the path too long"), NULL;
  }
  s->lock_fd = s->writer.log_fd = s->writer.mark_fd = -1;
  s->read_limit_s = LIMIT_READ_S;
  pthread_mutex_init(&s->reader_lock, NULL);
  pthread_mutex_init(&s->ending.lock, NULL);
  pthread_mutex_init(&s->parts_of.lock, NULL);
  pthread_cond_init(&s->reader_free, NULL);
  pthread_mutex_init(&s->notify_lock, NULL);
  pthread_mutex_init(&s->checks.lock, NULL);
  pthread_mutex_init(&s->results_sync.lock, NULL);
  pthread_cond_init(&s->results_sync.ended, NULL);
  snprintf(s->folder, sizeof s->folder, "%s", folder);
  snprintf(s->results, sizeof s->results, "%.4000s/results", folder);
  snprintf(s->parts, sizeof s->parts, "%.4000s/parts", folder);
  snprintf(s->tmp, sizeof s->tmp, "%.4000s/tmp", folder);
  if (open_all(s, anyway, message)) return s;
  store_close(s);
  return NULL;
}

store *store_open(const char *folder, char message[STORE_MESSAGE_SIZE]) { return open_store(folder, false, message); }
store *store_open_anyway(const char *folder, char message[STORE_MESSAGE_SIZE]) {
  return open_store(folder, true, message);
}

static void close_connection(connection *c) {
  for (int i = 0; i < STORE_STATEMENTS; i++) sqlite3_finalize(c->statements[i].stmt);
  sqlite3_close(c->db);
}

void store_close(store *s) {
  if (!s) return;
  store_writer_stop(s);
  for (int i = 0; i < STORE_READERS; i++) close_connection(&s->readers[i]);
  store_mark_close(s);
  close_connection(&s->writer.connection); // the last one: it checkpoints
  if (s->lock_fd >= 0) close(s->lock_fd);
  pthread_mutex_destroy(&s->reader_lock);
  pthread_cond_destroy(&s->reader_free);
  pthread_mutex_destroy(&s->parts_of.lock);
  free(s->parts_of.holder);
  pthread_mutex_destroy(&s->notify_lock);
  pthread_mutex_destroy(&s->checks.lock);
  pthread_mutex_destroy(&s->results_sync.lock);
  pthread_cond_destroy(&s->results_sync.ended);
  free(s);
}

void store_limit_reads(store *s, double seconds) { s->read_limit_s = seconds; }

int64_t store_wal_bytes(const store *s) {
  char path[STORE_PATH_SIZE + 32];
  struct stat wal;
  snprintf(path, sizeof path, "%s/tendril.db-wal", s->folder);
  return stat(path, &wal) == 0 ? (int64_t)wal.st_size : 0;
}

const char *store_tmp_folder(const store *s) { return s->tmp; }
