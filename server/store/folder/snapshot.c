#include "store/folder/snapshot.h"
#include "store/sqlite/sqlite.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool snapshot_say(char message[STORE_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, STORE_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

// A folder that may not be written (a medium for reading only) has no server: its database is read as it lies there.
static sqlite3 *open_uri(const char *folder, char message[STORE_MESSAGE_SIZE]) {
  bool immutable = access(folder, W_OK) != 0;
  sqlite3 *db = NULL;
  char *uri = sqlite3_mprintf("file:%s/tendril.db?mode=ro%s", folder, immutable ? "&immutable=1" : "");
  int code = uri ? sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) : SQLITE_NOMEM;
  if (code == SQLITE_OK) code = sqlite3_exec(db, "SELECT 1 FROM jobs LIMIT 1", NULL, NULL, NULL);
  sqlite3_free(uri);
  if (code == SQLITE_OK) return db;
  snapshot_say(message, "%.150s/tendril.db cannot be read: %.80s", folder,
               db ? sqlite3_errmsg(db) : "not enough memory");
  sqlite3_close(db);
  return NULL;
}

sqlite3 *snapshot_open(const char *folder, char message[STORE_MESSAGE_SIZE]) {
  char path[STORE_PATH_SIZE + 16];
  snprintf(path, sizeof path, "%.4000s/tendril.db", folder);
  if (strpbrk(folder, "?#%")) return snapshot_say(message, "the name %.150s has a ?, # or %%", folder), NULL;
  if (access(path, R_OK) != 0)
    return snapshot_say(message, "%.150s is not a data folder: tendril.db: %s", folder, strerror(errno)), NULL;
  sqlite3 *db = open_uri(folder, message);
  if (db) sqlite3_busy_timeout(db, SQLITE_WAIT_MS);
  if (db && !sqlite_register_digest(db)) return sqlite3_close(db), snapshot_say(message, "not enough memory"), NULL;
  return db;
}

sqlite3_stmt *snapshot_prepare(sqlite3 *db, const char *sql, char message[STORE_MESSAGE_SIZE]) {
  sqlite3_stmt *stmt = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
    snapshot_say(message, "the database cannot be read: %.150s", sqlite3_errmsg(db));
  return stmt;
}

int64_t snapshot_integer(sqlite3 *db, const char *sql, int64_t fallback) {
  sqlite3_stmt *stmt = NULL;
  bool read = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW;
  int64_t value = read ? sqlite3_column_int64(stmt, 0) : fallback;
  sqlite3_finalize(stmt);
  return value;
}
