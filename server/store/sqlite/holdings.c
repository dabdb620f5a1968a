// What owners keep, against what one may: triggers count (migrations/sqlite/0017), and a change that goes beyond a bound is undone.
#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <string.h>

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
