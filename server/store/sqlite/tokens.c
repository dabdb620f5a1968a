// Tokens: rows that are marked when they are deleted, and forgotten only all at once.
#include "base/clock.h"
#include "store/sqlite/sqlite.h"

#include <string.h>

typedef struct insertion {
  const store_token *token;
  int64_t limit, each;
} insertion;

static store_status count_rows(connection *c, const store_token *t, int64_t *all, int64_t *named, int64_t *owned) {
  static const char count[] = "SELECT count(*) FROM tokens WHERE deleted_ms IS NULL";
  static const char same[] = "SELECT count(*) FROM tokens WHERE deleted_ms IS NULL AND name = ?1";
  static const char own[] = "SELECT count(*) FROM tokens WHERE deleted_ms IS NULL AND owner = ?1 AND ?1 <> ''";
  store_status status = sql_integer(c, sql_prepare(c, count), all);
  if (status == STORE_OK) status = sql_integer(c, sql_bind(sql_prepare(c, own), "t", t->owner), owned);
  return status == STORE_OK ? sql_integer(c, sql_bind(sql_prepare(c, same), "t", t->name), named) : status;
}

static store_status insert_token(connection *c, void *context) {
  static const char sql[] =
      "INSERT INTO tokens (id, name, scope, sha256, created_ms, owner, digest) VALUES (?1, ?2, ?3, "
      "?4, ?5, ?6, row_digest(?1, ?2, ?3, ?4, ?5, NULL, ?6))";
  const insertion *in = context;
  const store_token *t = in->token;
  int64_t all = 0, named = 0, owned = 0;
  store_status status = count_rows(c, t, &all, &named, &owned);
  if (status != STORE_OK) return status;
  if (named > 0) return STORE_EXISTS;
  if (all >= in->limit) return STORE_PRECONDITION;
  if (in->each > 0 && owned >= in->each) return STORE_SHARE;
  return sql_run(c,
                 sql_bind(sql_prepare(c, sql), "ttttit", t->id, t->name, t->scope, t->sha256, t->created_ms, t->owner));
}

store_status sqlite_token_insert(store *s, const store_token *token, int64_t limit, int64_t each) {
  return sqlite_write(s, insert_token, &(insertion){.token = token, .limit = limit, .each = each}, NULL);
}

typedef struct removal {
  const char *wanted;
  char *id;
} removal;

static store_status delete_token(connection *c, void *context) {
  static const char find[] = "SELECT id FROM tokens WHERE deleted_ms IS NULL AND (id = ?1 OR name = ?1) "
                             "ORDER BY id <> ?1 LIMIT 1";
  static const char mark[] = "UPDATE tokens SET deleted_ms = ?2, digest = " STORE_TOKEN_DIGEST("?2") " WHERE id = ?1";
  // that tokens are asked for says one of them as well as thousands
  static const char forget[] = "DELETE FROM tokens WHERE deleted_ms IS NOT NULL AND id NOT IN (SELECT id FROM tokens "
                               "WHERE deleted_ms IS NOT NULL ORDER BY deleted_ms DESC LIMIT 1000)";
  const removal *r = context;
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, find), "t", r->wanted);
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  sql_text(stmt, 0, r->id, ID_SIZE);
  sql_done(stmt);
  status = sql_run(c, sql_bind(sql_prepare(c, mark), "ti", r->id, clock_now_ms()));
  return status == STORE_OK ? sql_run(c, sql_prepare(c, forget)) : status;
}

store_status sqlite_token_delete(store *s, const char *id_or_name, char id[ID_SIZE]) {
  return sqlite_write(s, delete_token, &(removal){.wanted = id_or_name, .id = id}, NULL);
}

static store_status clear_tokens(connection *c, void *context) {
  static const char sql[] = "DELETE FROM tokens";
  (void)context;
  return sql_run(c, sql_prepare(c, sql));
}

store_status sqlite_token_clear(store *s) { return sqlite_write(s, clear_tokens, NULL, NULL); }

// columns: id, name, scope, sha256, created_ms, owner
static store_token read_token(sqlite3_stmt *stmt) {
  store_token t = {.created_ms = sqlite3_column_int64(stmt, 4)};
  sql_text(stmt, 0, t.id, sizeof t.id);
  sql_text(stmt, 1, t.name, sizeof t.name);
  sql_text(stmt, 2, t.scope, sizeof t.scope);
  sql_text(stmt, 3, t.sha256, sizeof t.sha256);
  sql_text(stmt, 5, t.owner, sizeof t.owner);
  return t;
}

store_status sqlite_token_list(store *s, const store_visit *visit, bool *ever) {
  static const char sql[] =
      "SELECT id, name, scope, sha256, created_ms, owner, deleted_ms, digest IS NULL OR digest = " STORE_TOKEN_DIGEST(
          "deleted_ms") " FROM tokens ORDER BY created_ms, id";
  connection *c = sqlite_read(s);
  store_status status;
  *ever = false;
  sqlite3_stmt *stmt = sql_prepare(c, sql);
  while (sql_row(c, stmt, &status)) {
    store_token t = read_token(stmt);
    *ever = true;
    bool whole = sqlite3_column_int(stmt, 7) != 0; // nobody comes in by one that is not what was written
    if (!whole) store_row_damaged(s, "tokens", t.name);
    if (visit && whole && sqlite3_column_type(stmt, 6) == SQLITE_NULL) visit->token(visit->context, &t);
  }
  sqlite_read_end(s, c);
  return status;
}

// ------------------------------------------------------------------------------------------------------------ adoption

typedef struct adoption {
  const char *from, *to;
  int64_t *jobs, *models, *kept;
} adoption;

static store_status count_kept(connection *c, const adoption *x) {
  static const char sql[] = "SELECT count(*) FROM models AS m WHERE m.owner = ?1 AND m.deleted = 0 AND EXISTS "
                            "(SELECT 1 FROM models AS o WHERE o.name = m.name AND o.owner = ?2)";
  return sql_integer(c, sql_bind(sql_prepare(c, sql), "tt", x->from, x->to), x->kept);
}

// The first name that only `from` has. STORE_NOT_FOUND when there is none (any more).
static store_status next_name(connection *c, const adoption *x, char name[STORE_NAME_SIZE]) {
  static const char sql[] = "SELECT m.name FROM models AS m WHERE m.owner = ?1 AND NOT EXISTS "
                            "(SELECT 1 FROM models AS o WHERE o.name = m.name AND o.owner = ?2) LIMIT 1";
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tt", x->from, x->to);
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  sql_text(stmt, 0, name, STORE_NAME_SIZE);
  sql_done(stmt);
  return STORE_OK;
}

// The row is made anew, the revisions are moved to it, the old one goes: no reference ever hangs.
static store_status adopt_model(connection *c, const adoption *x, const char *name) {
  static const char *const steps[] = {
      ("INSERT INTO models SELECT name, ?2, revision, deleted, created_ms, updated_ms FROM models "
       "WHERE owner = ?1 AND name = ?3"),
      "UPDATE model_revisions SET owner = ?2 WHERE owner = ?1 AND name = ?3",
      "DELETE FROM models WHERE owner = ?1 AND name = ?3 AND ?2 IS NOT NULL"};
  store_status status = STORE_OK;
  for (size_t i = 0; status == STORE_OK && i < sizeof steps / sizeof *steps; i++)
    status = sql_run(c, sql_bind(sql_prepare(c, steps[i]), "ttt", x->from, x->to, name));
  return status;
}

static store_status adopt_models(connection *c, const adoption *x) {
  char name[STORE_NAME_SIZE];
  store_status status;
  for (*x->models = 0; (status = next_name(c, x, name)) == STORE_OK; ++*x->models)
    if ((status = adopt_model(c, x, name)) != STORE_OK) return status;
  return status == STORE_NOT_FOUND ? STORE_OK : status;
}

static store_status adopt(connection *c, void *context) {
  static const char jobs[] = "UPDATE jobs SET owner = nullif(?2, ''), digest = " STORE_JOB_DIGEST(
      "nullif(?2, '')") " WHERE coalesce(owner, '') = ?1";
  static const char queue[] = "UPDATE jobs SET queue = ?2 WHERE coalesce(owner, '') = ?2 AND queue = ?1";
  static const char clear[] = "DELETE FROM queues";
  static const char count[] = "INSERT INTO queues (name, queued, running, bytes) SELECT queue, sum(state = 'queued'), "
                              "sum(state = 'running'), sum(bytes * (state = 'queued')) FROM jobs "
                              "WHERE state IN ('queued', 'running') AND kind <> 'sweep' GROUP BY queue";
  static const char models[] = "UPDATE jobs SET model_owner = ?2 WHERE model_owner = ?1 OR (model_owner IS NULL AND "
                               "model_revision IS NOT NULL AND coalesce(owner, '') = ?1)";
  static const char names[] =
      "INSERT INTO holdings (owner, forgotten) SELECT ?2, forgotten FROM holdings WHERE owner = ?1 "
      "ON CONFLICT (owner) DO UPDATE SET forgotten = max(forgotten, excluded.forgotten)";
  static const char keys[] =
      "UPDATE OR IGNORE request_keys SET owner = ?2, digest = " STORE_KEY_DIGEST("?2") " WHERE owner = ?1";
  const adoption *x = context;
  store_status status = count_kept(c, x);
  if (status == STORE_OK) status = adopt_models(c, x);
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, keys), "tt", x->from, x->to));
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, models), "tt", x->from, x->to));
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, names), "tt", x->from, x->to));
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, jobs), "tt", x->from, x->to));
  *x->jobs = sqlite3_changes(c->db);
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, queue), "tt", x->from, x->to));
  if (status == STORE_OK) status = sql_run(c, sql_prepare(c, clear));
  if (status == STORE_OK) status = sql_run(c, sql_prepare(c, count));
  return status == STORE_OK ? sqlite_keep_recount(c) : status;
}

store_status sqlite_adopt(store *s, const char *from, const char *to, int64_t *jobs, int64_t *models, int64_t *kept) {
  return sqlite_write(s, adopt, &(adoption){from, to, jobs, models, kept}, NULL);
}
