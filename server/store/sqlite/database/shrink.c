// The database's file gets smaller after deletions: free pages are given back by incremental vacuum, a few at a time.
//
// A folder of before has a file that only a whole vacuum makes able to shrink. It is done at the start when the file is
// small enough not to be waited for.
#include "base/log/log.h"
#include "store/sqlite/database/database.h"

#include <stdio.h>

enum {
  FREE_KEPT = 256,
  PAGES = 256,
  CHANGES = 16
}; // pages of 4 KiB: left for what comes; of one change; changes at a time
static const int64_t VACUUM_MOST = INT64_C(512) << 20;

static int64_t pragma(connection *c, const char *sql) {
  sqlite3_stmt *stmt = NULL;
  int64_t value = -1;
  if (sqlite3_prepare_v2(c->db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    value = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  return value;
}

static store_status give_back(connection *c, void *context) {
  int64_t *left = context;
  char sql[64];
  *left = pragma(c, "PRAGMA freelist_count") - FREE_KEPT;
  if (*left <= 0 || pragma(c, "PRAGMA auto_vacuum") != 2) return *left = 0, STORE_OK;
  snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%d)", (int)(*left < PAGES ? *left : PAGES));
  if (sqlite3_exec(c->db, sql, NULL, NULL, NULL) != SQLITE_OK) return STORE_FULL;
  *left = *left < PAGES ? 0 : *left - PAGES;
  return STORE_OK;
}

store_status sqlite_shrink(store *s, bool *more) {
  int64_t left = 1;
  store_status status = STORE_OK;
  for (int i = 0; i < CHANGES && status == STORE_OK && left > 0; i++) status = sqlite_write_piece(s, give_back, &left);
  *more = status == STORE_OK && left > 0;
  return status;
}

void sqlite_make_shrinkable(connection *c) {
  if (pragma(c, "PRAGMA auto_vacuum") != 0) return;
  int64_t bytes = pragma(c, "PRAGMA page_count") * pragma(c, "PRAGMA page_size");
  bool small = bytes <= VACUUM_MOST;
  if (small && sqlite3_exec(c->db, "PRAGMA auto_vacuum=INCREMENTAL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", NULL,
                            NULL, NULL) == SQLITE_OK)
    log_write(LOG_LEVEL_INFO, "database_vacuumed", LOG_I("bytes", bytes));
  else
    log_write(LOG_LEVEL_WARNING, "database_keeps_its_size", LOG_I("bytes", bytes),
              LOG_S("detail",
                    "its file does not shrink after deletions; PRAGMA auto_vacuum=2; VACUUM; while the server "
                    "is stopped makes it"));
}
