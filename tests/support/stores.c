// The kinds of stores that the suite of the store runs against.
//
// PostgreSQL is the server of a test run: tests/support/with_postgresql.py starts one and says in
// TENDRIL_TEST_POSTGRESQL how it is reached. Each test has a schema of its own in it, named as its folder.
#include "support/stores.h"
#include "store/store.h"

#include <check.h>
#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_folder(char place[TEST_PLACE_SIZE]) {
  strcpy(place, "/tmp/tendril-store-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(place));
}

static void remove_folder(const char *place) {
  char command[TEST_PLACE_SIZE + 16];
  snprintf(command, sizeof command, "rm -rf '%s'", place);
  ck_assert_int_eq(system(command), 0);
}

static store *open_folder(const char *place, char *message) { return store_open(place, message); }

// -------------------------------------------------------------------------------------------------------- PostgreSQL

static void write_url(const char *schema, char url[512]) {
  const char *server = getenv("TENDRIL_TEST_POSTGRESQL");
  ck_assert_msg(server != NULL, "no PostgreSQL: run this by tests/support/with_postgresql.py");
  snprintf(url, 512, "postgresql://postgres@/postgres?%s&options=-csearch_path%%3D%%22%s%%22", server, schema);
}

static const char *name_of(const char *place) { return strrchr(place, '-') + 1; }

static void command(const char *format, const char *name) {
  char url[512], sql[128];
  write_url("public", url);
  PGconn *pg = PQconnectdb(url);
  snprintf(sql, sizeof sql, format, name);
  PGresult *result = PQexec(pg, sql);
  ck_assert_msg(PQresultStatus(result) == PGRES_COMMAND_OK, "%s", PQerrorMessage(pg));
  PQclear(result);
  PQfinish(pg);
}

static void make_schema(char place[TEST_PLACE_SIZE]) {
  make_folder(place);
  command("CREATE SCHEMA \"%s\"", name_of(place));
}

static void remove_schema(const char *place) {
  command("SET client_min_messages = warning; DROP SCHEMA \"%s\" CASCADE", name_of(place));
  remove_folder(place);
}

// Results in a folder beside those of the nodes, or in the database.
static store *open_in_schema(const char *place, const char *folder, bool shared, char *message) {
  char url[512], results[TEST_PLACE_SIZE + 16];
  write_url(name_of(place), url);
  snprintf(results, sizeof results, "%s/shared", place);
  store_where where = {.folder = folder, .rows = url, .results = shared ? results : NULL, .connections = 4};
  return store_open_at(&where, message);
}

static store *open_schema(const char *place, char *message) { return open_in_schema(place, place, false, message); }
static store *open_shared(const char *place, char *message) { return open_in_schema(place, place, true, message); }

const test_store test_stores[TEST_STORES] = {
    {"sqlite and files", make_folder, open_folder, remove_folder, false, true},
    {"postgresql", make_schema, open_schema, remove_schema, false, false},
    {"postgresql and a shared folder", make_schema, open_shared, remove_schema, true, false},
};

store *test_store_open_node(int kind, const char *place, const char *folder, char *message) {
  ck_assert(!test_stores[kind].folder);
  return open_in_schema(place, folder, test_stores[kind].patient, message);
}

// --------------------------------------------------------------------------------------------------- behind the store

static int64_t ask_file(const char *folder, const char *sql) {
  char path[TEST_PLACE_SIZE + 16];
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  snprintf(path, sizeof path, "%s/tendril.db", folder);
  ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
  ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
  ck_assert_int_eq(sqlite3_step(stmt), SQLITE_ROW);
  int64_t value = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  sqlite3_close(db);
  return value;
}

static int64_t ask_database(const char *place, const char *sql) {
  char url[512];
  write_url(name_of(place), url);
  PGconn *pg = PQconnectdb(url);
  PGresult *result = PQexec(pg, sql);
  ck_assert_msg(PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1, "%s", PQerrorMessage(pg));
  int64_t value = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
  PQclear(result);
  PQfinish(pg);
  return value;
}

void *test_store_hold(int kind, const char *place, const char *sql) {
  char url[512];
  ck_assert(!test_stores[kind].folder);
  write_url(name_of(place), url);
  PGconn *pg = PQconnectdb(url);
  PQclear(PQexec(pg, "BEGIN"));
  PGresult *result = PQexec(pg, sql);
  ck_assert_msg(PQresultStatus(result) == PGRES_TUPLES_OK, "%s", PQerrorMessage(pg));
  PQclear(result);
  return pg;
}

void test_store_release(void *held) { PQfinish(held); }

int64_t test_store_ask(int kind, const char *place, const char *sql) {
  return test_stores[kind].folder ? ask_file(place, sql) : ask_database(place, sql);
}

void test_store_tamper(const char *folder, const char *sql) {
  char path[TEST_PLACE_SIZE + 16];
  sqlite3 *db = NULL;
  snprintf(path, sizeof path, "%s/tendril.db", folder);
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
  sqlite3_close(db);
}
