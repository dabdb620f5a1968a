// Tokens: rows that are marked when they are deleted, and forgotten only all at once.
#include "store/postgresql/postgresql.h"

#include <string.h>

typedef struct insertion {
  const store_token *token;
  int64_t limit, each;
} insertion;

// One at a time, so that none goes beyond a limit beside another.
static store_status insert_token(pg_connection *c, void *context) {
  static const char lock[] = "SELECT pg_advisory_xact_lock(hashtextextended('tendril tokens', 0))";
  static const char count[] =
      "SELECT count(*), count(*) FILTER (WHERE owner = $1 AND $1 <> ''), count(*) FILTER (WHERE "
      "name = $2) FROM tokens WHERE deleted_ms IS NULL";
  static const char sql[] =
      "INSERT INTO tokens (id, name, scope, sha256, created_ms, owner) VALUES ($1, $2, $3, $4, $5, $6)";
  const insertion *in = context;
  const store_token *t = in->token;
  pg_rows rows;
  store_status status = pg_run(c, NULL, lock, "");
  if (status == STORE_OK) status = pg_run(c, &rows, count, "tt", t->owner, t->name);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_FAILED : status;
  bool full = pg_integer(&rows, 0) >= in->limit, own_full = in->each > 0 && pg_integer(&rows, 1) >= in->each;
  bool taken = pg_integer(&rows, 2) > 0;
  pg_end(&rows);
  if (taken) return STORE_EXISTS;
  if (full) return STORE_PRECONDITION;
  if (own_full) return STORE_SHARE;
  return pg_run(c, NULL, sql, "ttttit", t->id, t->name, t->scope, t->sha256, t->created_ms, t->owner);
}

static store_status told(store *s, store_status status) {
  if (status == STORE_OK) pg_news_tell_tokens(postgresql_of(s)->news);
  return status;
}

store_status postgresql_token_insert(store *s, const store_token *token, int64_t limit, int64_t each) {
  return told(s, pg_change(s, insert_token, &(insertion){.token = token, .limit = limit, .each = each}, NULL));
}

typedef struct removal {
  const char *wanted;
  char *id;
} removal;

static store_status delete_token(pg_connection *c, void *context) {
  static const char mark[] = "UPDATE tokens SET deleted_ms = now_ms() WHERE id = (SELECT id FROM tokens WHERE "
                             "deleted_ms IS NULL AND (id = $1 OR "
                             "name = $1) ORDER BY id <> $1 LIMIT 1) AND deleted_ms IS NULL RETURNING id";
  // that tokens are asked for says one of them as well as thousands
  static const char forget[] = "DELETE FROM tokens WHERE deleted_ms IS NOT NULL AND id NOT IN (SELECT id FROM tokens "
                               "WHERE deleted_ms IS NOT NULL ORDER BY deleted_ms DESC LIMIT 1000)";
  const removal *r = context;
  pg_rows rows;
  store_status status = pg_run(c, &rows, mark, "t", r->wanted);
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  pg_copy(&rows, 0, r->id, ID_SIZE);
  pg_end(&rows);
  return pg_run(c, NULL, forget, "");
}

store_status postgresql_token_delete(store *s, const char *id_or_name, char id[ID_SIZE]) {
  return told(s, pg_change(s, delete_token, &(removal){.wanted = id_or_name, .id = id}, NULL));
}

static store_status clear_tokens(pg_connection *c, void *context) {
  (void)context;
  return pg_run(c, NULL, "DELETE FROM tokens", "");
}

store_status postgresql_token_clear(store *s) { return told(s, pg_change(s, clear_tokens, NULL, NULL)); }

store_status postgresql_token_list(store *s, const store_visit *visit, bool *ever) {
  static const char sql[] =
      "SELECT id, name, scope, sha256, owner, created_ms, deleted_ms FROM tokens ORDER BY created_ms, id";
  pg_rows rows;
  *ever = false;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "") : STORE_AWAY;
  while (status == STORE_OK && pg_next(&rows)) {
    store_token t = {.created_ms = pg_integer(&rows, 5)};
    pg_copy(&rows, 0, t.id, sizeof t.id);
    pg_copy(&rows, 1, t.name, sizeof t.name);
    pg_copy(&rows, 2, t.scope, sizeof t.scope);
    pg_copy(&rows, 3, t.sha256, sizeof t.sha256);
    pg_copy(&rows, 4, t.owner, sizeof t.owner);
    *ever = true;
    if (visit && pg_null(&rows, 6)) visit->token(visit->context, &t);
  }
  pg_read_end(s, c);
  return status;
}
