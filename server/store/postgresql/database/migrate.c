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

typedef struct schema {
  PGconn *pg;
  bool there, as_it_is;
  int64_t version, least;
  char *message;
} schema;

// What a role lacks is told by what it could not do, and who can.
static store_status refuse(const schema *x, const char *what) {
  store_say(x->message,
            "%s, and the role %s may not change that: run `tendrild store migrate --store URL` as the owner "
            "of the database, then deploy/postgresql/roles.sql there",
            what, PQuser(x->pg));
  return STORE_FAILED;
}

static store_status find_versions(pg_connection *c, schema *x) {
  static const char sql[] = "SELECT (to_regclass('tendril_schema') IS NOT NULL)::integer";
  int64_t found = 0;
  pg_rows rows;
  store_status status = pg_integer_of(&rows, pg_run(c, &rows, sql, ""), &found);
  x->there = found != 0;
  return status;
}

static store_status make_versions(pg_connection *c, const schema *x) {
  static const char make[] = "CREATE TABLE tendril_schema (version integer NOT NULL, min_compatible integer NOT NULL); "
                             "INSERT INTO tendril_schema VALUES (0, 0)";
  if (x->there) return STORE_OK;
  if (x->as_it_is) {
    store_say(x->message, "there is no store of Tendril in that database: `tendrild store migrate` makes one");
    return STORE_FAILED;
  }
  store_status status = pg_command(c, make);
  return c->denied ? refuse(x, "there is no store of Tendril in that database") : status;
}

static store_status read_versions(pg_connection *c, schema *x) {
  pg_rows rows;
  store_status status = find_versions(c, x);
  if (status == STORE_OK) status = make_versions(c, x);
  if (status != STORE_OK) return status;
  status = pg_run(c, &rows, "SELECT version, min_compatible FROM tendril_schema", "");
  if (c->denied)
    store_say(x->message,
              "the role %s may not read the tables of that database: run deploy/postgresql/roles.sql there, as "
              "its owner, and again after each migration",
              PQuser(c->pg));
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_FAILED : status;
  x->version = pg_integer(&rows, 0);
  x->least = pg_integer(&rows, 1);
  pg_end(&rows);
  return STORE_OK;
}

static store_status apply(pg_connection *c, const embedded_file *file, int64_t number) {
  store_status status = pg_command(c, file->data);
  if (status == STORE_OK) status = pg_run(c, NULL, "UPDATE tendril_schema SET version = $1", "i", number);
  if (status == STORE_OK) log_write(LOG_LEVEL_INFO, "migrated", LOG_S("migration", file->name));
  return status;
}

static store_status apply_one(pg_connection *c, const schema *x, const embedded_file *file, int64_t number) {
  if (x->as_it_is) {
    store_say(x->message,
              "the schema of that database is of version %lld, older than this program: bring it up to date "
              "by `tendrild store migrate`",
              (long long)x->version);
    return STORE_FAILED;
  }
  store_status status = apply(c, file, number);
  if (status != STORE_OK && !c->denied) store_say(x->message, "migration %s failed: the log says why", file->name);
  return c->denied ? refuse(x, "the schema of that database is older than this program") : status;
}

static store_status apply_all(pg_connection *c, schema *x) {
  int64_t newest = 0;
  store_status status = pg_command(c, LOCK);
  if (status == STORE_OK) status = read_versions(c, x);
  for (const embedded_file *file = embedded_postgresql_migrations; status == STORE_OK && file->name; file++) {
    newest = atoi(file->name);
    if (newest > x->version) status = apply_one(c, x, file, newest);
  }
  if (status != STORE_OK || newest >= x->least) return status;
  store_say(x->message, "the database was made by a newer version (its schema wants %lld, this program knows %lld)",
            (long long)x->least, (long long)newest);
  return STORE_FAILED;
}

bool pg_migrate(pg_connection *c, bool as_it_is, char message[STORE_MESSAGE_SIZE]) {
  schema x = {.pg = c->pg, .as_it_is = as_it_is, .message = message};
  store_say(message, "the schema of the database cannot be read: the log says why");
  store_status status = pg_command(c, "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0");
  c->inside = status == STORE_OK;
  c->patience_s = 0;
  if (status == STORE_OK) status = apply_all(c, &x);
  store_status ended = pg_command(c, status == STORE_OK ? "COMMIT" : "ROLLBACK");
  c->inside = false;
  return status == STORE_OK && ended == STORE_OK;
}
