// Is the database whole, as far as its structure tells?
#include "store/sqlite/database/database.h"

#include <stdio.h>
#include <string.h>

// A table at a time, so that no snapshot lasts long.
static bool check_table(store *s, sqlite3 *db, const char *table) {
  char *sql = sqlite3_mprintf("PRAGMA quick_check(%Q)", table);
  sqlite3_stmt *stmt = NULL;
  bool whole = true;
  int code = sql ? sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(stmt);
    const char *said = code == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    if (!said || strcmp(said, "ok") == 0) continue;
    log_write(LOG_LEVEL_ERROR, "database_damaged", LOG_S("table", table), LOG_S("detail", said));
    whole = false;
  }
  int primary = code & 0xff;
  if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB) {
    log_write(LOG_LEVEL_ERROR, "database_damaged", LOG_S("table", table), LOG_S("detail", sqlite3_errmsg(db)));
    whole = false;
  }
  sqlite3_finalize(stmt);
  sqlite3_free(sql);
  if (!whole) atomic_store(&s->damaged, true);
  return whole;
}

store_status sqlite_quick_check(store *s, bool (*go_on)(void *context), void *context) {
  static const char sql[] = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  char path[STORE_PATH_SIZE + 16];
  sqlite3 *db = NULL;
  sqlite3_stmt *names = NULL;
  bool whole = true;
  snprintf(path, sizeof path, "%s/tendril.db", s->folder);
  int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, sql, -1, &names, NULL);
  char tables[64][64];
  int count = 0;
  while (code == SQLITE_OK && count < 64 && sqlite3_step(names) == SQLITE_ROW) sql_text(names, 0, tables[count++], 64);
  sqlite3_finalize(names);
  for (int i = 0; i < count && go_on(context); i++) whole = check_table(s, db, tables[i]) && whole;
  sqlite3_close(db);
  return code != SQLITE_OK || !whole ? STORE_FAILED : STORE_OK;
}
