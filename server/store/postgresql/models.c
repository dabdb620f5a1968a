// Models and their immutable revisions. Documents are stored by content; a revision is (name, owner, number) -> sha256.
//
// Deleting keeps the row of the name with its counter, so that a number is never given twice to different bytes. Of one
// owner so many of these are kept; when the oldest is forgotten its counter goes into the owner's (forgotten_names), and
// new names begin behind it. A name's row is locked by what changes it; one that is not there yet is made by the first of
// two, and the second is run again.
#include "base/clock.h"
#include "store/model_rules.h"
#include "store/postgresql/postgresql.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// columns: name, owner, revision, sha256, created_ms[, body]
static void read_model(const pg_rows *rows, store_model *m) {
  *m = (store_model){.revision = pg_integer(rows, 2), .created_ms = pg_integer(rows, 4)};
  pg_copy(rows, 0, m->name, sizeof m->name);
  pg_copy(rows, 1, m->owner, sizeof m->owner);
  pg_copy(rows, 3, m->sha256, sizeof m->sha256);
  if (PQnfields(rows->result) > 5) m->document = pg_text_copy(rows, 5);
}

// ------------------------------------------------------------------------------------------------------------- changes

static store_status read_forgotten(pg_connection *c, const char *owner, model_now *row) {
  pg_rows rows;
  store_status status = pg_run(c, &rows, "SELECT revision FROM forgotten_names WHERE owner = $1", "t", owner);
  status = pg_integer_of(&rows, status, &row->revision);
  return status == STORE_NOT_FOUND ? STORE_OK : status;
}

static store_status lock_name(pg_connection *c, const char *owner, const char *name, model_now *row) {
  static const char sql[] = "SELECT revision, deleted FROM models WHERE name = $1 AND owner = $2 FOR UPDATE";
  pg_rows rows;
  *row = (model_now){.revision = 0};
  store_status status = pg_run(c, &rows, sql, "tt", name, owner);
  if (status != STORE_OK) return status;
  if (!pg_next(&rows)) return read_forgotten(c, owner, row);
  row->known = true;
  row->revision = pg_integer(&rows, 0);
  row->exists = !pg_true(&rows, 1);
  pg_end(&rows);
  return STORE_OK;
}

static store_status find_current(pg_connection *c, const char *owner, const char *name, model_now *row) {
  static const char sql[] =
      "SELECT sha256, created_ms FROM model_revisions WHERE name = $1 AND owner = $2 AND revision = $3";
  pg_rows rows;
  store_status status = lock_name(c, owner, name, row);
  if (status == STORE_OK) status = pg_run(c, &rows, sql, "tti", name, owner, row->revision);
  if (status != STORE_OK || !pg_next(&rows)) return status;
  pg_copy(&rows, 0, row->sha256, sizeof row->sha256);
  row->created_ms = pg_integer(&rows, 1);
  pg_end(&rows);
  return STORE_OK;
}

static store_status hold_document(pg_connection *c, const char *owner, const char *sha256) {
  json_t *uses = json_pack("[{s:s, s:s}]", "owner", owner, "sha256", sha256);
  char *text = uses ? store_json_text(uses) : NULL;
  store_status status = text ? pg_documents_hold(c, text) : STORE_FAILED;
  json_decref(uses);
  free(text);
  return status;
}

static store_status insert_revision(pg_connection *c, const store_model *m, const char *document) {
  static const char model[] =
      "INSERT INTO models AS m (name, owner, revision, created_ms, updated_ms) VALUES ($1, $2, $3, $4, $4) ON CONFLICT "
      "(name, owner) DO UPDATE SET revision = $3, updated_ms = $4, deleted = false, created_ms = CASE WHEN m.deleted "
      "THEN $4 ELSE m.created_ms END";
  static const char revision[] =
      "INSERT INTO model_revisions (name, owner, revision, sha256, created_ms) VALUES ($1, $2, $3, $4, $5)";
  store_status status = pg_document_put(c, m->sha256, document, NULL);
  if (status == STORE_OK) status = hold_document(c, m->owner, m->sha256);
  if (status == STORE_OK) status = pg_run(c, NULL, model, "ttii", m->name, m->owner, m->revision, m->created_ms);
  if (status != STORE_OK) return status;
  return pg_run(c, NULL, revision, "ttiti", m->name, m->owner, m->revision, m->sha256, m->created_ms);
}

typedef struct put {
  store_put_mode mode;
  const char *document, *if_match;
  store_keep *keep;
  store_model *model; // name, owner and sha256 are given
  store_put_effect *effect;
} put;

// Revisions have successive numbers since the model was made.
static store_status check_revisions(pg_connection *c, const store_model *m, store_keep *keep) {
  static const char sql[] = "SELECT coalesce(min(revision), 1) FROM model_revisions WHERE name = $1 AND owner = $2";
  int64_t first = 1;
  pg_rows rows;
  if (!keep || keep->most[STORE_KEPT_REVISIONS] == 0) return STORE_OK;
  store_status status = pg_integer_of(&rows, pg_run(c, &rows, sql, "tt", m->name, m->owner), &first);
  keep->would = m->revision - first + 1;
  keep->beyond = STORE_KEPT_REVISIONS;
  return status == STORE_OK && keep->would > keep->most[STORE_KEPT_REVISIONS] ? STORE_KEPT : status;
}

static store_status read_now(pg_connection *c, int64_t *now_ms) {
  pg_rows rows;
  return pg_integer_of(&rows, pg_run(c, &rows, "SELECT now_ms()", ""), now_ms);
}

static store_status put_model(pg_connection *c, void *context) {
  const put *p = context;
  store_model *m = p->model;
  model_now row;
  int64_t now_ms = 0;
  store_status status = pg_keep_begin(c, m->owner, p->keep);
  if (status == STORE_OK) status = find_current(c, m->owner, m->name, &row);
  if (status == STORE_OK) status = read_now(c, &now_ms);
  if (status == STORE_OK) status = model_put_effect(&row, p->mode, p->if_match, now_ms, m, p->effect);
  if (status != STORE_OK || *p->effect == STORE_UNCHANGED) return status;
  status = insert_revision(c, m, p->document);
  if (status == STORE_OK) status = check_revisions(c, m, p->keep);
  unsigned bounds = 1U << STORE_KEPT_BYTES | (*p->effect == STORE_CREATED ? 1U << STORE_KEPT_MODELS : 0);
  return status == STORE_OK ? pg_keep_check(c, m->owner, bounds, p->keep) : status;
}

store_status postgresql_model_put(store *s, store_put_mode mode, const char *owner, const char *name,
                                  const char *document, const char *sha256, const char *if_match, store_keep *keep,
                                  store_model *model, store_put_effect *effect) {
  *model = (store_model){.revision = 0};
  snprintf(model->name, sizeof model->name, "%s", name);
  snprintf(model->owner, sizeof model->owner, "%s", owner);
  memcpy(model->sha256, sha256, sizeof model->sha256);
  put p = {.mode = mode, .document = document, .if_match = if_match, .keep = keep, .model = model, .effect = effect};
  return pg_change(s, put_model, &p, NULL);
}

typedef struct removal {
  const char *owner, *name, *if_match;
  int64_t names; // of deleted models that are remembered, 0: all
} removal;

// The oldest names of deleted models beyond so many; their revisions are gone.
static store_status forget_names(pg_connection *c, const char *owner, int64_t most) {
  static const char sql[] =
      "WITH gone AS (DELETE FROM models AS m WHERE m.owner = $1 AND m.name IN (SELECT o.name FROM models AS o WHERE "
      "o.owner = $1 AND o.deleted ORDER BY o.updated_ms DESC OFFSET $2) AND m.deleted AND NOT EXISTS (SELECT 1 FROM "
      "model_revisions AS r WHERE r.name = m.name AND r.owner = m.owner) RETURNING m.revision) INSERT INTO "
      "forgotten_names AS f SELECT $1, max(revision) FROM gone HAVING count(*) > 0 ON CONFLICT (owner) DO UPDATE SET "
      "revision = greatest(f.revision, excluded.revision)";
  return most > 0 ? pg_run(c, NULL, sql, "ti", owner, most) : STORE_OK;
}

// With documents that nothing else needs. `name` NULL: of every deleted model.
static store_status remove_revisions(pg_connection *c, const char *owner, const char *name) {
  static const char sql[] =
      "WITH gone AS (DELETE FROM model_revisions AS r USING models AS m WHERE m.name = r.name AND m.owner = r.owner "
      "AND "
      "m.deleted AND ($2::text IS NULL OR (r.name = $2 AND r.owner = $1)) RETURNING r.owner, r.sha256) SELECT "
      "json_agg(u)::text FROM (SELECT DISTINCT owner, sha256 FROM gone) AS u";
  char *uses = NULL;
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "tt", owner, name);
  if (status == STORE_OK && pg_next(&rows)) uses = pg_text_copy(&rows, 0), pg_end(&rows);
  if (status == STORE_OK) status = pg_documents_release(c, uses);
  free(uses);
  return status;
}

static store_status remove_model(pg_connection *c, void *context) {
  static const char sql[] = "UPDATE models SET deleted = true, updated_ms = now_ms() WHERE name = $1 AND owner = $2";
  const removal *r = context;
  model_now row;
  store_status status = pg_take_time(c);
  if (status == STORE_OK) status = find_current(c, r->owner, r->name, &row);
  if (status == STORE_OK && !row.exists) return STORE_NOT_FOUND;
  if (status == STORE_OK && !model_matches(&row, r->if_match)) return STORE_PRECONDITION;
  if (status == STORE_OK) status = pg_run(c, NULL, sql, "tt", r->name, r->owner);
  if (status == STORE_OK) status = remove_revisions(c, r->owner, r->name);
  return status == STORE_OK ? forget_names(c, r->owner, r->names) : status;
}

store_status postgresql_model_delete(store *s, const char *owner, const char *name, const char *if_match,
                                     const store_keep *keep) {
  removal r = {.owner = owner, .name = name, .if_match = if_match, .names = keep ? keep->names : 0};
  return pg_change(s, remove_model, &r, NULL);
}

// A model goes with its revisions in one change, so that none is left of a crash.
store_status postgresql_model_forget(store *s) {
  (void)s;
  return STORE_OK;
}

// ------------------------------------------------------------------------------------------------------------- reading

// The owner of the model that a name means, by the rows of all owners whose it may be, the best first.
static store_status choose_owner(pg_connection *c, const store_whose *w, const char *name, int64_t revision,
                                 char owner[STORE_NAME_SIZE]) {
  static const char sql[] =
      "SELECT owner, deleted, revision FROM models WHERE name = $1 AND (owner = $2 OR (NOT $3::boolean "
      "AND (owner = '' OR $4::boolean))) ORDER BY owner = $2 DESC, owner = '' DESC, deleted, owner";
  model_choice choice = {.found = 0};
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "ttbb", name, w->owner, (int)w->exactly, (int)w->all);
  if (status != STORE_OK) return status;
  while (!choice.certain && pg_next(&rows))
    model_choice_next(&choice, w, revision, pg_text(&rows, 0), pg_true(&rows, 1), pg_integer(&rows, 2));
  pg_end(&rows);
  memcpy(owner, choice.owner, sizeof choice.owner);
  return model_choice_end(&choice);
}

static store_status read_one(pg_rows *rows, store_status status, store_model *model) {
  if (status != STORE_OK) return status;
  if (!pg_next(rows)) return STORE_NOT_FOUND;
  read_model(rows, model);
  pg_end(rows);
  return STORE_OK;
}

store_status postgresql_model_get(store *s, const store_whose *whose, const char *name, int64_t revision,
                                  store_model *model) {
  static const char sql[] =
      "SELECT r.name, r.owner, r.revision, r.sha256, r.created_ms, d.body FROM models AS m JOIN model_revisions AS r "
      "ON "
      "r.name = m.name AND r.owner = m.owner AND r.revision = CASE $3::bigint WHEN 0 THEN m.revision ELSE $3 END JOIN "
      "documents AS d ON d.sha256 = r.sha256 WHERE m.name = $1 AND m.owner = $2 AND NOT m.deleted";
  char owner[STORE_NAME_SIZE];
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? choose_owner(c, whose, name, revision, owner) : STORE_AWAY;
  if (status == STORE_OK) status = read_one(&rows, pg_run(c, &rows, sql, "tti", name, owner, revision), model);
  if (status == STORE_OK && !model->document) status = STORE_FAILED;
  pg_read_end(s, c);
  if (status == STORE_OK && store_document_check(model->sha256, model->document) != STORE_OK) {
    store_model_fini(model);
    status = STORE_FAILED;
  }
  return status;
}

#define NEWEST                                                                                                         \
  "SELECT m.name, m.owner, m.revision, r.sha256, r.created_ms FROM models AS m JOIN model_revisions AS r ON r.name = " \
  "m.name AND r.owner = m.owner AND r.revision = m.revision WHERE NOT m.deleted "

store_status postgresql_model_find(store *s, const store_whose *whose, const char *name, store_model *model) {
  static const char sql[] = NEWEST "AND m.name = $1 AND m.owner = $2";
  char owner[STORE_NAME_SIZE];
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? choose_owner(c, whose, name, 0, owner) : STORE_AWAY;
  if (status == STORE_OK) status = read_one(&rows, pg_run(c, &rows, sql, "tt", name, owner), model);
  pg_read_end(s, c);
  return status;
}

static void visit_models(pg_rows *rows, const store_visit *visit) {
  while (pg_next(rows)) {
    store_model m;
    read_model(rows, &m);
    visit->model(visit->context, &m);
    store_model_fini(&m);
  }
}

store_status postgresql_model_list(store *s, const store_whose *w, const char *after_name, const char *after_owner,
                                   int limit, const store_visit *visit) {
  static const char sql[] = NEWEST
      "AND (m.name, m.owner) > ($1, $2) AND ($4::boolean OR m.owner = $3 OR (NOT $5::boolean AND m.owner = '' AND "
      "NOT EXISTS (SELECT 1 FROM models AS o WHERE o.name = m.name AND o.owner = $3 AND NOT o.deleted))) ORDER BY "
      "m.name, m.owner LIMIT $6";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status =
      c ? pg_run(c, &rows, sql, "tttbbi", after_name ? after_name : "", after_owner ? after_owner : "", w->owner,
                 (int)(w->all && !w->exactly), (int)w->exactly, (int64_t)limit)
        : STORE_AWAY;
  if (status == STORE_OK) visit_models(&rows, visit);
  pg_read_end(s, c);
  return status;
}

store_status postgresql_model_revisions(store *s, const char *owner, const char *name, int64_t after, int limit,
                                        const store_visit *visit) {
  static const char sql[] =
      "SELECT r.name, r.owner, r.revision, r.sha256, r.created_ms FROM model_revisions AS r JOIN models AS m ON m.name "
      "= "
      "r.name AND m.owner = r.owner AND NOT m.deleted WHERE r.name = $1 AND r.owner = $2 AND r.revision > $3 ORDER BY "
      "r.revision LIMIT $4";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "ttii", name, owner, after, (int64_t)limit) : STORE_AWAY;
  if (status == STORE_OK) visit_models(&rows, visit);
  pg_read_end(s, c);
  return status;
}
