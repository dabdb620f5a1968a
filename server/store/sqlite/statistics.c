// Sizes of what the store holds.
#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <sys/stat.h>

static int64_t file_size(const store *s, const char *name) {
  char path[STORE_PATH_SIZE + 32];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  return stat(path, &st) == 0 ? st.st_size : 0;
}

int64_t sqlite_wal_bytes(const store *s) {
  char path[STORE_PATH_SIZE + 32];
  struct stat wal;
  snprintf(path, sizeof path, "%s/tendril.db-wal", s->folder);
  return stat(path, &wal) == 0 ? (int64_t)wal.st_size : 0;
}

store_status sqlite_result_bytes(store *s, int64_t *bytes) {
  static const char sql[] = "SELECT coalesce(sum(results + rows), 0) FROM holdings";
  connection *c = sqlite_read(s);
  store_status status = sql_integer(c, sql_prepare(c, sql), bytes);
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_owner_bytes(store *s, void (*each)(void *context, const char *owner, int64_t bytes),
                                void *context) {
  static const char sql[] =
      "SELECT who, sum(size) FROM (SELECT owner AS who, results + rows AS size FROM holdings WHERE jobs > 0 "
      "UNION ALL SELECT owner, 0 FROM tokens WHERE deleted_ms IS NULL AND scope <> 'read') GROUP BY who";
  connection *c = sqlite_read_many(s);
  store_status status;
  sqlite3_stmt *stmt = sql_prepare(c, sql);
  while (sql_row(c, stmt, &status))
    each(context, (const char *)sqlite3_column_text(stmt, 0), sqlite3_column_int64(stmt, 1));
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_job_ended(store *s, int64_t *count, int64_t *last_ms) {
  static const char sql[] =
      "SELECT count(*), coalesce(max(finished_ms), 0) FROM jobs INDEXED BY jobs_finished WHERE finished_ms IS NOT NULL";
  connection *c = sqlite_read(s);
  store_status status;
  sqlite3_stmt *stmt = sql_prepare(c, sql);
  *count = *last_ms = 0;
  while (sql_row(c, stmt, &status)) {
    *count = sqlite3_column_int64(stmt, 0);
    *last_ms = sqlite3_column_int64(stmt, 1);
  }
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_sizes_read(store *s, store_sizes *sizes) {
  static const char sql[] = "SELECT coalesce(sum(results), 0) FROM holdings";
  sizes->database = file_size(s, "tendril.db");
  sizes->wal = sqlite_wal_bytes(s);
  connection *c = sqlite_read(s);
  store_status status = sql_integer(c, sql_prepare(c, sql), &sizes->results);
  sqlite_read_end(s, c);
  return status;
}
