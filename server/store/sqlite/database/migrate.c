// Schema migrations: embedded files NNNN_name.sql, applied in order, each in a transaction; forward only.
//
// PRAGMA user_version holds the number of the last one applied. A folder written by a newer program is refused: an old
// program must not write what it does not understand.
#include "base/embedded.h"
#include "base/log/log.h"
#include "store/sqlite/database/database.h"

#include <stdio.h>
#include <stdlib.h>

static int schema_version(connection *c) {
  int version = -1;
  sqlite3_stmt *stmt = NULL;
  if (sqlite3_prepare_v2(c->db, "PRAGMA user_version", -1, &stmt, NULL) == SQLITE_OK &&
      sqlite3_step(stmt) == SQLITE_ROW)
    version = sqlite3_column_int(stmt, 0);
  sqlite3_finalize(stmt);
  return version;
}

static bool apply(connection *c, const embedded_file *file, int version, char message[STORE_MESSAGE_SIZE]) {
  char mark[64];
  snprintf(mark, sizeof mark, "PRAGMA user_version=%d; COMMIT;", version);
  bool done = sqlite3_exec(c->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
              sqlite3_exec(c->db, file->data, NULL, NULL, NULL) == SQLITE_OK &&
              sqlite3_exec(c->db, mark, NULL, NULL, NULL) == SQLITE_OK;
  if (done)
    log_write(LOG_LEVEL_INFO, "migrated", LOG_S("migration", file->name));
  else {
    snprintf(message, STORE_MESSAGE_SIZE, "migration %s failed: %.150s", file->name, sqlite3_errmsg(c->db));
    sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
  }
  return done;
}

bool sqlite_migrate(connection *c, char message[STORE_MESSAGE_SIZE]) {
  int current = schema_version(c), newest = 0;
  for (const embedded_file *file = embedded_sqlite_migrations; file->name; file++) {
    newest = atoi(file->name);
    if (newest > current && !apply(c, file, newest, message)) return false;
  }
  if (current <= newest) return true;
  snprintf(message, STORE_MESSAGE_SIZE,
           "the data folder was written by a newer version (schema %d, this program knows %d)", current, newest);
  return false;
}
