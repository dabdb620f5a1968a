// The SQLite store: opening and locking a data folder, connections, statements and transactions.
//
// WAL with synchronous=FULL: a commit that returned is on the disk. Exactly one connection ever writes or checkpoints
// (concurrent checkpointers are what the WAL-reset bug of SQLite before 3.51.3 needs, and two writers would make each
// other wait); readers are query_only. Statements are prepared once per connection and found by the address of their
// text. Invariant: a statement is reset before its connection is given back, so no read transaction outlives its caller.
#include "store/sqlite.h"
#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
  log_write(LOG_LEVEL_ERROR, "store", LOG_S("detail", sqlite3_errmsg(c->db)), LOG_I("code", code), LOG_S("sql", sql));
  int primary = code & 0xff;
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

// ---------------------------------------------------------------------------------------------------- transactions

static const char sql_begin[] = "BEGIN IMMEDIATE", sql_commit[] = "COMMIT", sql_rollback[] = "ROLLBACK";

connection *store_begin(store *s) {
  pthread_mutex_lock(&s->writer_lock);
  if (sql_run(&s->writer, sql_prepare(&s->writer, sql_begin)) == STORE_OK) return &s->writer;
  pthread_mutex_unlock(&s->writer_lock);
  return NULL;
}

store_status store_end(store *s, connection *c, store_status status) {
  if (status == STORE_OK) status = sql_run(c, sql_prepare(c, sql_commit));
  if (status != STORE_OK && !sqlite3_get_autocommit(c->db)) {
    store_status rolled_back = sql_run(c, sql_prepare(c, sql_rollback));
    (void)rolled_back; // logged; the first failure is the one to report
  }
  pthread_mutex_unlock(&s->writer_lock);
  return status;
}

connection *store_read(store *s) {
  pthread_mutex_lock(&s->reader_lock);
  int i = 0;
  for (;;) {
    for (i = 0; i < STORE_READERS && s->readers[i].busy; i++) {
    }
    if (i < STORE_READERS) break;
    pthread_cond_wait(&s->reader_free, &s->reader_lock);
  }
  s->readers[i].busy = true;
  pthread_mutex_unlock(&s->reader_lock);
  return &s->readers[i];
}

void store_read_end(store *s, connection *c) {
  pthread_mutex_lock(&s->reader_lock);
  c->busy = false;
  pthread_cond_signal(&s->reader_free);
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

static bool open_connection(store *s, connection *c, bool writer, char message[STORE_MESSAGE_SIZE]) {
  static const char writing[] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
                                "PRAGMA wal_autocheckpoint=1000; PRAGMA journal_size_limit=67108864;";
  static const char reading[] = "PRAGMA query_only=ON; PRAGMA wal_autocheckpoint=0;";
  char path[STORE_PATH_SIZE + 16];
  snprintf(path, sizeof path, "%s/tendril.db", s->folder);
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (writer ? SQLITE_OPEN_CREATE : 0);
  int code = sqlite3_open_v2(path, &c->db, flags, NULL);
  if (code == SQLITE_OK) {
    sqlite3_extended_result_codes(c->db, 1);
    sqlite3_busy_timeout(c->db, 10000);
    code = sqlite3_exec(c->db, writer ? writing : reading, NULL, NULL, NULL);
  }
  return code == SQLITE_OK || say(message, "cannot open %.150s: %.80s", path, sqlite3_errmsg(c->db));
}

static bool open_all(store *s, char message[STORE_MESSAGE_SIZE]) {
  if (!make_folder(s->folder, message) || !take_lock(s, message)) return false;
  if (!make_folder(s->results, message) || !make_folder(s->parts, message) || !make_folder(s->tmp, message))
    return false;
  empty_folder(s->tmp);
  if (!open_connection(s, &s->writer, true, message) || !store_migrate(&s->writer, message)) return false;
  for (int i = 0; i < STORE_READERS; i++)
    if (!open_connection(s, &s->readers[i], false, message)) return false;
  return true;
}

store *store_open(const char *folder, char message[STORE_MESSAGE_SIZE]) {
  store *s = calloc(1, sizeof *s);
  if (!s || strlen(folder) > STORE_PATH_SIZE - 16) {
    free(s);
    return say(message, "cannot open the store: memory is short or the path too long"), NULL;
  }
  s->lock_fd = -1;
  pthread_mutex_init(&s->writer_lock, NULL);
  pthread_mutex_init(&s->reader_lock, NULL);
  pthread_cond_init(&s->reader_free, NULL);
  pthread_mutex_init(&s->notify_lock, NULL);
  snprintf(s->folder, sizeof s->folder, "%s", folder);
  snprintf(s->results, sizeof s->results, "%.4000s/results", folder);
  snprintf(s->parts, sizeof s->parts, "%.4000s/parts", folder);
  snprintf(s->tmp, sizeof s->tmp, "%.4000s/tmp", folder);
  if (open_all(s, message)) return s;
  store_close(s);
  return NULL;
}

static void close_connection(connection *c) {
  for (int i = 0; i < STORE_STATEMENTS; i++) sqlite3_finalize(c->statements[i].stmt);
  sqlite3_close(c->db);
}

void store_close(store *s) {
  if (!s) return;
  for (int i = 0; i < STORE_READERS; i++) close_connection(&s->readers[i]); // the writer last: it checkpoints
  close_connection(&s->writer);
  if (s->lock_fd >= 0) close(s->lock_fd);
  pthread_mutex_destroy(&s->writer_lock);
  pthread_mutex_destroy(&s->reader_lock);
  pthread_cond_destroy(&s->reader_free);
  pthread_mutex_destroy(&s->notify_lock);
  free(s);
}

const char *store_tmp_folder(const store *s) { return s->tmp; }
