// What owners keep, against what one may: triggers count it in one row for each owner and connection, which are summed
// when they are asked for, and a change that goes beyond a bound is undone.
//
// Of an owner with bounds one change is made at a time, so that no two share the last place.
#include "store/postgresql/postgresql.h"

#include <stdio.h>
#include <string.h>

// Columns as store_bound; revisions are of one model.
#define COUNTS                                                                                                         \
  "coalesce(sum(jobs), 0), coalesce(sum(sweeps), 0), coalesce(sum(models), 0), coalesce(sum(keys), 0), "               \
  "coalesce(sum(rows + bytes), 0), 0"

static bool has_bounds(const store_keep *keep) {
  bool some = false;
  for (int b = 0; keep && b < STORE_BOUND_COUNT; b++) some = some || keep->most[b] > 0;
  return some;
}

store_status pg_keep_begin(pg_connection *c, const char *owner, const store_keep *keep) {
  static const char sql[] = "SELECT pg_advisory_xact_lock(hashtextextended('tendril keeps ' || $1, 0))";
  return has_bounds(keep) ? pg_run(c, NULL, sql, "t", owner) : STORE_OK;
}

store_status pg_keep_check(pg_connection *c, const char *owner, unsigned bounds, store_keep *keep) {
  static const char sql[] = "SELECT " COUNTS " FROM holdings WHERE owner = $1";
  pg_rows rows;
  if (!has_bounds(keep)) return STORE_OK;
  store_status status = pg_run(c, &rows, sql, "t", owner);
  if (status != STORE_OK || !pg_next(&rows)) return status;
  for (int b = 0; b < STORE_BOUND_COUNT && status == STORE_OK; b++) {
    int64_t would = pg_integer(&rows, b);
    if ((bounds & 1U << b) == 0 || keep->most[b] == 0 || would <= keep->most[b]) continue;
    keep->beyond = (store_bound)b;
    keep->would = would;
    status = STORE_KEPT;
  }
  pg_end(&rows);
  return status;
}

store_status postgresql_holding_get(store *s, const char *owner, store_holding *holding) {
  static const char sql[] = "SELECT " COUNTS ", coalesce(sum(results), 0) FROM holdings WHERE owner = $1";
  pg_rows rows;
  *holding = (store_holding){.results = 0};
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "t", owner) : STORE_AWAY;
  while (status == STORE_OK && pg_next(&rows)) {
    for (int b = 0; b < STORE_BOUND_COUNT; b++) holding->count[b] = pg_integer(&rows, b);
    holding->results = pg_integer(&rows, STORE_BOUND_COUNT);
  }
  pg_read_end(s, c);
  return status;
}

#define OWNERS                                                                                                         \
  "(SELECT owner, sum(jobs) AS jobs, sum(rows + bytes + results) AS size, sum(results + rows) AS own FROM holdings "   \
  "GROUP BY owner) AS h"

store_status postgresql_holding_share(store *s, const char *owner, int64_t *bytes, int64_t *all, int64_t *owners) {
  static const char sql[] =
      "SELECT coalesce(sum(size), 0), coalesce(sum(size) FILTER (WHERE who = $1), 0), count(DISTINCT who) FROM (SELECT "
      "owner AS who, size FROM " OWNERS
      " WHERE size > 0 UNION ALL SELECT owner, 0 FROM tokens WHERE deleted_ms IS NULL "
      "AND scope <> 'read') AS x";
  pg_rows rows;
  *all = *bytes = *owners = 0;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "t", owner) : STORE_AWAY;
  while (status == STORE_OK && pg_next(&rows)) {
    *all = pg_integer(&rows, 0);
    *bytes = pg_integer(&rows, 1);
    *owners = pg_integer(&rows, 2);
  }
  pg_read_end(s, c);
  return status;
}

store_status postgresql_owner_bytes(store *s, void (*each)(void *context, const char *owner, int64_t bytes),
                                    void *context) {
  static const char sql[] =
      "SELECT who, sum(size) FROM (SELECT owner AS who, own AS size FROM " OWNERS " WHERE jobs > 0 UNION ALL SELECT "
      "owner, 0 FROM tokens WHERE deleted_ms IS NULL AND scope <> 'read') AS x GROUP BY who";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "") : STORE_AWAY;
  while (status == STORE_OK && pg_next(&rows)) each(context, pg_text(&rows, 0), pg_integer(&rows, 1));
  pg_read_end(s, c);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- sizes

static store_status read_integer(store *s, const char *sql, int64_t *value) {
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_integer_of(&rows, pg_run(c, &rows, sql, ""), value) : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}

store_status postgresql_result_bytes(store *s, int64_t *bytes) {
  static const char sql[] = "SELECT coalesce(sum(results + rows), 0) FROM holdings";
  return read_integer(s, sql, bytes);
}

store_status postgresql_sizes_read(store *s, store_sizes *sizes) {
  static const char database[] = "SELECT pg_database_size(current_database())";
  static const char results[] = "SELECT coalesce(sum(results), 0) FROM holdings";
  sizes->wal = 0; // its log is not this process's
  store_status status = read_integer(s, database, &sizes->database);
  return status == STORE_OK ? read_integer(s, results, &sizes->results) : status;
}

store_status postgresql_job_ended(store *s, int64_t *count, int64_t *last_ms) {
  static const char ended[] = "SELECT coalesce(sum(succeeded + failed + cancelled), 0) FROM job_counts";
  static const char last[] = "SELECT coalesce(max(finished_ms), 0) FROM jobs WHERE finished_ms IS NOT NULL";
  store_status status = read_integer(s, ended, count);
  return status == STORE_OK ? read_integer(s, last, last_ms) : status;
}
