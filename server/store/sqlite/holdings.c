// What owners keep, against what one may: charges.c counts, and a change that goes beyond a bound is undone.
#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// Columns as store_bound; revisions are of one model.
#define COUNTS "jobs, sweeps, models, keys, rows + bytes, 0"

store_status sqlite_keep_check(connection *c, const char *owner, unsigned bounds, int64_t more, store_keep *keep) {
  static const char sql[] = "SELECT " COUNTS " FROM holdings WHERE owner = ?1";
  store_status status;
  if (!keep) return STORE_OK;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", owner);
  if (!sql_row(c, stmt, &status)) return status; // nothing of his is there
  for (int b = 0; b < STORE_BOUND_COUNT && status == STORE_OK; b++) {
    int64_t would = sqlite3_column_int64(stmt, b) + (b == STORE_KEPT_JOBS ? more : 0);
    if ((bounds & 1U << b) == 0 || keep->most[b] == 0 || would <= keep->most[b]) continue;
    keep->beyond = (store_bound)b;
    keep->would = would;
    status = STORE_KEPT;
  }
  sql_done(stmt);
  return status;
}

store_status sqlite_keep_recount(connection *c) {
  static const char *const steps[] = {
      "DELETE FROM document_holders", "INSERT INTO document_holders SELECT * FROM document_holders_now",
      "UPDATE holdings SET jobs = 0, sweeps = 0, models = 0, keys = 0, rows = 0, bytes = 0, results = 0",
      ("INSERT INTO holdings (owner, jobs, sweeps, models, keys, rows, bytes, results) SELECT * FROM holdings_now "
       "WHERE "
       "true ON CONFLICT (owner) DO UPDATE SET jobs = excluded.jobs, sweeps = excluded.sweeps, models = "
       "excluded.models, "
       "keys = excluded.keys, rows = excluded.rows, bytes = excluded.bytes, results = excluded.results")};
  store_status status = STORE_OK;
  for (size_t i = 0; status == STORE_OK && i < sizeof steps / sizeof *steps; i++)
    status = sql_run(c, sql_prepare(c, steps[i]));
  return status;
}

store_status sqlite_holding_get(store *s, const char *owner, store_holding *holding) {
  static const char sql[] = "SELECT " COUNTS ", results FROM holdings WHERE owner = ?1";
  *holding = (store_holding){.results = 0};
  connection *c = sqlite_read(s);
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", owner);
  while (sql_row(c, stmt, &status)) {
    for (int b = 0; b < STORE_BOUND_COUNT; b++) holding->count[b] = sqlite3_column_int64(stmt, b);
    holding->results = sqlite3_column_int64(stmt, STORE_BOUND_COUNT);
  }
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_holding_share(store *s, const char *owner, int64_t *bytes, int64_t *all, int64_t *owners) {
  static const char sql[] =
      "SELECT coalesce(sum(size), 0), coalesce(sum(size * (who = ?1)), 0), count(DISTINCT who) FROM ("
      "SELECT owner AS who, rows + bytes + results AS size FROM holdings WHERE rows + bytes + results > 0 "
      "UNION ALL SELECT owner, 0 FROM tokens WHERE deleted_ms IS NULL AND scope <> 'read')";
  *all = *bytes = *owners = 0;
  connection *c = sqlite_read(s);
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", owner);
  while (sql_row(c, stmt, &status)) {
    *all = sqlite3_column_int64(stmt, 0);
    *bytes = sqlite3_column_int64(stmt, 1);
    *owners = sqlite3_column_int64(stmt, 2);
  }
  sqlite_read_end(s, c);
  return status;
}

// ------------------------------------------------------------------------------------------------------------ sizes

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
