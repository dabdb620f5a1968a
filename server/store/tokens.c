// Tokens: rows that are marked when they are deleted, and forgotten only all at once.
#include "base/clock.h"
#include "store/sqlite.h"

#include <string.h>

typedef struct insertion {
  const store_token *token;
  int64_t limit;
} insertion;

static store_status count_rows(connection *c, const char *name, int64_t *all, int64_t *named) {
  static const char count[] = "SELECT count(*) FROM tokens WHERE deleted_ms IS NULL";
  static const char same[] = "SELECT count(*) FROM tokens WHERE deleted_ms IS NULL AND name = ?1";
  store_status status = sql_integer(c, sql_prepare(c, count), all);
  return status == STORE_OK ? sql_integer(c, sql_bind(sql_prepare(c, same), "t", name), named) : status;
}

static store_status insert_token(connection *c, void *context) {
  static const char sql[] = "INSERT INTO tokens (id, name, scope, sha256, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)";
  const insertion *in = context;
  const store_token *t = in->token;
  int64_t all = 0, named = 0;
  store_status status = count_rows(c, t->name, &all, &named);
  if (status != STORE_OK) return status;
  if (named > 0) return STORE_EXISTS;
  if (all >= in->limit) return STORE_PRECONDITION;
  return sql_run(c, sql_bind(sql_prepare(c, sql), "tttti", t->id, t->name, t->scope, t->sha256, t->created_ms));
}

store_status store_token_insert(store *s, const store_token *token, int64_t limit) {
  return store_write(s, insert_token, &(insertion){.token = token, .limit = limit}, NULL);
}

typedef struct removal {
  const char *wanted;
  char *id;
} removal;

static store_status delete_token(connection *c, void *context) {
  static const char find[] = "SELECT id FROM tokens WHERE deleted_ms IS NULL AND (id = ?1 OR name = ?1) "
                             "ORDER BY id <> ?1 LIMIT 1";
  static const char mark[] = "UPDATE tokens SET deleted_ms = ?2 WHERE id = ?1";
  const removal *r = context;
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, find), "t", r->wanted);
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  sql_text(stmt, 0, r->id, ID_SIZE);
  sql_done(stmt);
  return sql_run(c, sql_bind(sql_prepare(c, mark), "ti", r->id, clock_now_ms()));
}

store_status store_token_delete(store *s, const char *id_or_name, char id[ID_SIZE]) {
  return store_write(s, delete_token, &(removal){.wanted = id_or_name, .id = id}, NULL);
}

static store_status clear_tokens(connection *c, void *context) {
  static const char sql[] = "DELETE FROM tokens";
  (void)context;
  return sql_run(c, sql_prepare(c, sql));
}

store_status store_token_clear(store *s) { return store_write(s, clear_tokens, NULL, NULL); }

// columns: id, name, scope, sha256, created_ms
static store_token read_token(sqlite3_stmt *stmt) {
  store_token t = {.created_ms = sqlite3_column_int64(stmt, 4)};
  sql_text(stmt, 0, t.id, sizeof t.id);
  sql_text(stmt, 1, t.name, sizeof t.name);
  sql_text(stmt, 2, t.scope, sizeof t.scope);
  sql_text(stmt, 3, t.sha256, sizeof t.sha256);
  return t;
}

store_status store_token_list(store *s, const store_visit *visit, bool *ever) {
  static const char sql[] = "SELECT id, name, scope, sha256, created_ms, deleted_ms FROM tokens "
                            "ORDER BY created_ms, id";
  connection *c = store_read(s);
  store_status status;
  *ever = false;
  sqlite3_stmt *stmt = sql_prepare(c, sql);
  while (sql_row(c, stmt, &status)) {
    store_token t = read_token(stmt);
    *ever = true;
    if (visit && sqlite3_column_type(stmt, 5) == SQLITE_NULL) visit->token(visit->context, &t);
  }
  store_read_end(s, c);
  return status;
}
