// What belongs to one owner is given to another, in one change.
//
// Rows refer to their owner's holder of a document: the new owner's are there before rows come to refer to them, and the
// old one's go after.
#include "store/postgresql/postgresql.h"

#include <stdlib.h>

typedef struct adoption {
  const char *from, *to;
  int64_t *jobs, *models, *kept;
} adoption;

// Of names that only `from` has, deleted ones too, the rows are made anew, the revisions moved to them, the old ones go.
static const char holders[] = "INSERT INTO document_holders SELECT $2, sha256, bytes FROM document_holders WHERE owner "
                              "= $1 ON CONFLICT DO NOTHING";
static const char kept[] = "SELECT count(*) FROM models AS m WHERE m.owner = $1 AND NOT m.deleted AND EXISTS (SELECT 1 "
                           "FROM models AS o WHERE o.name = m.name AND o.owner = $2)";
static const char names[] = "WITH moved AS (INSERT INTO models SELECT m.name, $2, m.revision, m.deleted, m.created_ms, "
                            "m.updated_ms FROM models "
                            "AS m WHERE m.owner = $1 AND NOT EXISTS (SELECT 1 FROM models AS o WHERE o.name = m.name "
                            "AND o.owner = $2) RETURNING "
                            "name) SELECT count(*), coalesce(array_agg(name), '{}')::text FROM moved";
static const char revisions[] = "UPDATE model_revisions SET owner = $2 WHERE owner = $1 AND name = ANY ($3::text[])";
static const char old_names[] = "DELETE FROM models WHERE owner = $1 AND owner <> $2 AND name = ANY ($3::text[])";
static const char keys[] = "UPDATE request_keys AS k SET owner = $2 WHERE k.owner = $1 AND NOT EXISTS (SELECT 1 FROM "
                           "request_keys AS o WHERE o.owner = $2 AND o.key = k.key)";
static const char of_models[] = "UPDATE jobs SET model_owner = $2 WHERE model_owner = $1";
static const char forgotten[] =
    "INSERT INTO forgotten_names AS f SELECT $2, revision FROM forgotten_names WHERE owner = "
    "$1 ON CONFLICT (owner) DO UPDATE SET revision = greatest(f.revision, excluded.revision)";
static const char jobs[] =
    "UPDATE jobs SET owner = $2, queue = CASE WHEN queue = $1 THEN $2 ELSE queue END WHERE owner = $1";

static store_status move_models(pg_connection *c, const adoption *x) {
  char *moved = NULL;
  pg_rows rows;
  store_status status = pg_run(c, &rows, names, "tt", x->from, x->to);
  if (status == STORE_OK && pg_next(&rows)) {
    *x->models = pg_integer(&rows, 0);
    moved = pg_text_copy(&rows, 1);
    pg_end(&rows);
  }
  if (status == STORE_OK) status = pg_run(c, NULL, revisions, "ttt", x->from, x->to, moved);
  if (status == STORE_OK) status = pg_run(c, NULL, old_names, "ttt", x->from, x->to, moved);
  free(moved);
  return status;
}

static store_status count(pg_connection *c, const adoption *x, const char *sql, int64_t *value) {
  pg_rows rows;
  return pg_integer_of(&rows, pg_run(c, &rows, sql, "tt", x->from, x->to), value);
}

static store_status change(pg_connection *c, const adoption *x, const char *sql, int64_t *changed) {
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "tt", x->from, x->to);
  if (status != STORE_OK) return status;
  if (changed) *changed = pg_changed(&rows);
  pg_end(&rows);
  return STORE_OK;
}

static store_status release(pg_connection *c, const char *from) {
  static const char sql[] = "SELECT json_agg(json_build_object('owner', owner, 'sha256', sha256))::text FROM "
                            "document_holders WHERE owner = $1";
  char *uses = NULL;
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "t", from);
  if (status == STORE_OK && pg_next(&rows)) uses = pg_text_copy(&rows, 0), pg_end(&rows);
  if (status == STORE_OK) status = pg_documents_release(c, uses);
  free(uses);
  return status;
}

static store_status adopt(pg_connection *c, void *context) {
  const adoption *x = context;
  store_status status = pg_take_time(c);
  if (status == STORE_OK) status = count(c, x, kept, x->kept);
  if (status == STORE_OK) status = change(c, x, holders, NULL);
  if (status == STORE_OK) status = move_models(c, x);
  if (status == STORE_OK) status = change(c, x, keys, NULL);
  if (status == STORE_OK) status = change(c, x, of_models, NULL);
  if (status == STORE_OK) status = change(c, x, forgotten, NULL);
  if (status == STORE_OK) status = change(c, x, jobs, x->jobs);
  if (status == STORE_OK) status = release(c, x->from);
  return status == STORE_OK ? release(c, x->to) : status; // of what came to be needed by nobody
}

store_status postgresql_adopt(store *s, const char *from, const char *to, int64_t *jobs_given, int64_t *models,
                              int64_t *kept_models) {
  return pg_change(s, adopt, &(adoption){from, to, jobs_given, models, kept_models}, NULL);
}
