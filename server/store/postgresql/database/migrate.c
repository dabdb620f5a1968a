// Schema migrations: embedded files NNNN_name.sql, applied in order, all in one transaction under an advisory lock, so
// that of several nodes that start at once one does it and the others find it done.
//
// The row of tendril_schema holds the number of the last one applied, and the least schema that a program must know to
// work with it: what a migration adds does not keep older programs from working, so nodes of two versions may work at
// the same time. A migration that does changes min_compatible.
#include "base/embedded.h"
#include "store/postgresql/database/database.h"

#include <stdio.h>
#include <stdlib.h>

#define LOCK "SELECT pg_advisory_xact_lock(7452310689321)" // a number that nobody else has

// A role that may not make tables reads those that are there.
static store_status make_versions(pg_connection *c) {
  static const char there[] = "SELECT (to_regclass('tendril_schema') IS NOT NULL)::integer";
  static const char make[] = "CREATE TABLE tendril_schema (version integer NOT NULL, min_compatible integer NOT NULL); "
                             "INSERT INTO tendril_schema VALUES (0, 0)";
  int64_t found = 0;
  pg_rows rows;
  store_status status = pg_integer_of(&rows, pg_run(c, &rows, there, ""), &found);
  return status == STORE_OK && !found ? pg_command(c, make) : status;
}

static store_status read_versions(pg_connection *c, int64_t *version, int64_t *least) {
  pg_rows rows;
  store_status status = make_versions(c);
  if (status == STORE_OK) status = pg_run(c, &rows, "SELECT version, min_compatible FROM tendril_schema", "");
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_FAILED : status;
  *version = pg_integer(&rows, 0);
  *least = pg_integer(&rows, 1);
  pg_end(&rows);
  return STORE_OK;
}

static store_status apply(pg_connection *c, const embedded_file *file, int64_t number) {
  store_status status = pg_command(c, file->data);
  if (status == STORE_OK) status = pg_run(c, NULL, "UPDATE tendril_schema SET version = $1", "i", number);
  if (status == STORE_OK) log_write(LOG_LEVEL_INFO, "migrated", LOG_S("migration", file->name));
  return status;
}

static store_status apply_all(pg_connection *c, char message[STORE_MESSAGE_SIZE]) {
  int64_t current = 0, least = 0, newest = 0;
  store_status status = pg_command(c, LOCK);
  if (status == STORE_OK) status = read_versions(c, &current, &least);
  for (const embedded_file *file = embedded_postgresql_migrations; status == STORE_OK && file->name; file++) {
    newest = atoi(file->name);
    if (newest > current) status = apply(c, file, newest);
    if (status != STORE_OK)
      store_say(message,
                "migration %s failed: the log says why; a role that may not change the schema needs `tendrild store "
                "migrate` by one that may",
                file->name);
  }
  if (status != STORE_OK || newest >= least) return status;
  store_say(message, "the database was made by a newer version (its schema wants %lld, this program knows %lld)",
            (long long)least, (long long)newest);
  return STORE_FAILED;
}

bool pg_migrate(pg_connection *c, char message[STORE_MESSAGE_SIZE]) {
  store_say(message, "the schema of the database cannot be read: the log says why");
  store_status status = pg_command(c, "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0");
  c->inside = status == STORE_OK;
  c->patience_s = 0;
  if (status == STORE_OK) status = apply_all(c, message);
  store_status ended = pg_command(c, status == STORE_OK ? "COMMIT" : "ROLLBACK");
  c->inside = false;
  return status == STORE_OK && ended == STORE_OK;
}
