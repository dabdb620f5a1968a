// Models and their immutable revisions. Documents are stored by content; a revision is (name, owner, number) -> sha256.
//
// Deleting keeps the row of the name with its counter, so that a number is never given twice to different bytes. Of one
// owner so many of these are kept; when the oldest is forgotten its counter goes into the owner's (holdings.forgotten),
// and new names begin behind it. "" owns what all share; what a name means to somebody is said at store_whose.
#include "base/clock.h"
#include "store/model_rules.h"
#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// columns: name, owner, revision, sha256, created_ms[, body]
static void read_model(sqlite3_stmt *stmt, store_model *m) {
  *m = (store_model){.revision = sqlite3_column_int64(stmt, 2), .created_ms = sqlite3_column_int64(stmt, 4)};
  sql_text(stmt, 0, m->name, sizeof m->name);
  sql_text(stmt, 1, m->owner, sizeof m->owner);
  sql_text(stmt, 3, m->sha256, sizeof m->sha256);
  if (sqlite3_column_count(stmt) > 5) m->document = sql_text_copy(stmt, 5);
}

// ------------------------------------------------------------------------------------------------------------- changes

static store_status find_current(connection *c, const char *owner, const char *name, model_now *row) {
  static const char sql[] = "SELECT m.revision, m.deleted, r.sha256, r.created_ms FROM models m LEFT JOIN "
                            "model_revisions r ON r.name = m.name AND r.owner = m.owner AND r.revision = m.revision "
                            "WHERE m.name = ?1 AND m.owner = ?2";
  static const char forgotten[] = "SELECT forgotten FROM holdings WHERE owner = ?1";
  *row = (model_now){.revision = 0};
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "tt", name, owner);
  if (!sql_row(c, stmt, &status)) {
    if (status == STORE_OK) status = sql_integer(c, sql_bind(sql_prepare(c, forgotten), "t", owner), &row->revision);
    return status == STORE_NOT_FOUND ? STORE_OK : status;
  }
  row->known = true;
  row->revision = sqlite3_column_int64(stmt, 0);
  row->exists = sqlite3_column_int(stmt, 1) == 0;
  sql_text(stmt, 2, row->sha256, sizeof row->sha256);
  row->created_ms = sqlite3_column_int64(stmt, 3);
  sql_done(stmt);
  return STORE_OK;
}

static store_status insert_revision(connection *c, const model_now *before, const store_model *m,
                                    const char *document) {
  static const char model[] = "INSERT INTO models (name, owner, revision, created_ms, updated_ms) "
                              "VALUES (?1, ?2, ?3, ?4, ?4) "
                              "ON CONFLICT (name, owner) DO UPDATE SET revision = ?3, updated_ms = ?4, deleted = 0, "
                              "created_ms = CASE WHEN deleted THEN ?4 ELSE created_ms END";
  static const char revision[] =
      "INSERT INTO model_revisions (name, owner, revision, sha256, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)";
  store_status status = sqlite_document_put(c, m->sha256, document, NULL);
  if (status == STORE_OK)
    status = sql_run(c, sql_bind(sql_prepare(c, model), "ttii", m->name, m->owner, m->revision, m->created_ms));
  if (status == STORE_OK && !before->exists) status = sqlite_charge_model_comes(c, m->owner, before->known);
  if (status == STORE_OK)
    status = sql_run(
        c, sql_bind(sql_prepare(c, revision), "ttiti", m->name, m->owner, m->revision, m->sha256, m->created_ms));
  return status == STORE_OK ? sqlite_charge_revision_comes(c, m->owner, m->sha256) : status;
}

typedef struct put {
  store_put_mode mode;
  const char *document, *if_match;
  store_keep *keep;
  store_model *model; // name, owner and sha256 are given
  store_put_effect *effect;
} put;

// Revisions have successive numbers since the model was made.
static store_status check_revisions(connection *c, const store_model *m, store_keep *keep) {
  static const char sql[] = "SELECT coalesce(min(revision), 1) FROM model_revisions WHERE name = ?1 AND owner = ?2";
  int64_t first = 1;
  if (!keep || keep->most[STORE_KEPT_REVISIONS] == 0) return STORE_OK;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, sql), "tt", m->name, m->owner), &first);
  keep->would = m->revision - first + 1;
  keep->beyond = STORE_KEPT_REVISIONS;
  return status == STORE_OK && keep->would > keep->most[STORE_KEPT_REVISIONS] ? STORE_KEPT : status;
}

static store_status put_model(connection *c, void *context) {
  const put *p = context;
  store_model *m = p->model;
  model_now row;
  store_status status = find_current(c, m->owner, m->name, &row);
  if (status != STORE_OK) return status;
  status = model_put_effect(&row, p->mode, p->if_match, clock_now_ms(), m, p->effect);
  if (status != STORE_OK || *p->effect == STORE_UNCHANGED) return status;
  status = insert_revision(c, &row, m, p->document);
  if (status == STORE_OK) status = check_revisions(c, m, p->keep);
  unsigned bounds = 1U << STORE_KEPT_BYTES | (*p->effect == STORE_CREATED ? 1U << STORE_KEPT_MODELS : 0);
  return status == STORE_OK ? sqlite_keep_check(c, m->owner, bounds, 0, p->keep) : status;
}

store_status sqlite_model_put(store *s, store_put_mode mode, const char *owner, const char *name, const char *document,
                              const char *sha256, const char *if_match, store_keep *keep, store_model *model,
                              store_put_effect *effect) {
  *model = (store_model){.revision = 0};
  snprintf(model->name, sizeof model->name, "%s", name);
  snprintf(model->owner, sizeof model->owner, "%s", owner);
  memcpy(model->sha256, sha256, sizeof model->sha256);
  put p = {.mode = mode, .document = document, .if_match = if_match, .keep = keep, .model = model, .effect = effect};
  return sqlite_write(s, put_model, &p, NULL);
}

typedef struct removal {
  const char *owner, *name, *if_match;
} removal;

static store_status remove_model(connection *c, void *context) {
  static const char sql[] = "UPDATE models SET deleted = 1, updated_ms = ?3 WHERE name = ?1 AND owner = ?2";
  const removal *r = context;
  model_now row;
  store_status status = find_current(c, r->owner, r->name, &row);
  if (status == STORE_OK && !row.exists) return STORE_NOT_FOUND;
  if (status == STORE_OK && !model_matches(&row, r->if_match)) return STORE_PRECONDITION;
  if (status != STORE_OK) return status;
  status = sql_run(c, sql_bind(sql_prepare(c, sql), "tti", r->name, r->owner, clock_now_ms()));
  return status == STORE_OK ? sqlite_charge_model_deleted(c, r->owner) : status;
}

// The oldest names of deleted models beyond so many; their revisions are gone.
static store_status forget_names(connection *c, const char *owner, int64_t most) {
  static const char count[] = "SELECT count(*) FROM models INDEXED BY models_deleted WHERE owner = ?1 AND deleted = 1";
  static const char highest[] =
      "UPDATE holdings SET forgotten = max(forgotten, coalesce((SELECT max(o.revision) FROM (SELECT m.revision FROM "
      "models "
      "AS m INDEXED BY models_deleted WHERE m.owner = ?1 AND m.deleted = 1 ORDER BY m.updated_ms LIMIT ?2) AS o), 0)) "
      "WHERE owner = ?1";
  static const char names[] =
      "DELETE FROM models WHERE owner = ?1 AND name IN (SELECT m.name FROM models AS m INDEXED BY models_deleted WHERE "
      "m.owner = ?1 AND m.deleted = 1 ORDER BY m.updated_ms LIMIT ?2) AND NOT EXISTS (SELECT 1 FROM model_revisions AS "
      "r "
      "WHERE r.name = models.name AND r.owner = models.owner)";
  int64_t there = 0;
  store_status status = sql_integer(c, sql_bind(sql_prepare(c, count), "t", owner), &there);
  if (status != STORE_OK || there <= most) return status;
  status = sql_run(c, sql_bind(sql_prepare(c, highest), "ti", owner, there - most));
  if (status == STORE_OK) status = sql_run(c, sql_bind(sql_prepare(c, names), "ti", owner, there - most));
  return status == STORE_OK ? sqlite_charge_names_forgotten(c, owner, sqlite3_changes(c->db)) : status;
}

enum { PIECE = 20 }; // revisions that go at a time: others write in between

typedef struct cleaning {
  const char *owner, *name; // NULL: of every deleted model
  int64_t names;            // that are remembered, 0: all
  bool more;
} cleaning;

typedef struct old_revision { // of a deleted model
  char name[STORE_NAME_SIZE], owner[STORE_NAME_SIZE], sha256[DIGEST_HEX_SIZE];
  int64_t revision;
} old_revision;

// STORE_NOT_FOUND when there is none (any more).
static store_status next_revision(connection *c, const cleaning *x, old_revision *r) {
  static const char of_any[] =
      "SELECT r.name, r.owner, r.sha256, r.revision FROM models AS m INDEXED BY models_deleted "
      "JOIN model_revisions AS r ON r.name = m.name AND r.owner = m.owner WHERE m.deleted = 1 "
      "LIMIT 1";
  static const char of_one[] =
      "SELECT r.name, r.owner, r.sha256, r.revision FROM model_revisions AS r JOIN models AS m ON m.name = r.name AND "
      "m.owner = r.owner WHERE r.name = ?1 AND r.owner = ?2 AND m.deleted = 1 ORDER BY r.revision LIMIT 1";
  sqlite3_stmt *stmt = x->name ? sql_bind(sql_prepare(c, of_one), "tt", x->name, x->owner) : sql_prepare(c, of_any);
  store_status status;
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  sql_text(stmt, 0, r->name, sizeof r->name);
  sql_text(stmt, 1, r->owner, sizeof r->owner);
  sql_text(stmt, 2, r->sha256, sizeof r->sha256);
  r->revision = sqlite3_column_int64(stmt, 3);
  sql_done(stmt);
  return STORE_OK;
}

// With its document, when nothing else needs it.
static store_status remove_revision(connection *c, const old_revision *r) {
  static const char revision[] = "DELETE FROM model_revisions WHERE name = ?1 AND owner = ?2 AND revision = ?3";
  static const char document[] = "DELETE FROM documents WHERE sha256 = ?1 AND NOT EXISTS (SELECT 1 FROM "
                                 "documents_needed AS n WHERE n.sha256 = documents.sha256)";
  store_status status = sql_run(c, sql_bind(sql_prepare(c, revision), "tti", r->name, r->owner, r->revision));
  if (status == STORE_OK) status = sqlite_charge_revision_goes(c, r->owner, r->sha256);
  return status == STORE_OK ? sql_run(c, sql_bind(sql_prepare(c, document), "t", r->sha256)) : status;
}

static store_status clean(connection *c, void *context) {
  cleaning *x = context;
  old_revision r;
  store_status status = STORE_OK;
  int removed = 0;
  while (removed < PIECE && (status = next_revision(c, x, &r)) == STORE_OK) {
    if ((status = remove_revision(c, &r)) != STORE_OK) return status;
    removed++;
  }
  if (status == STORE_NOT_FOUND) status = STORE_OK;
  x->more = status == STORE_OK && removed == PIECE;
  if (status != STORE_OK || x->more || x->names == 0) return status;
  return forget_names(c, x->owner, x->names);
}

static store_status clean_all(store *s, cleaning *x) {
  store_status status = STORE_OK;
  do status = sqlite_write(s, clean, x, NULL);
  while (status == STORE_OK && x->more);
  return status;
}

store_status sqlite_model_forget(store *s) { return clean_all(s, &(cleaning){.names = 0}); }

store_status sqlite_model_delete(store *s, const char *owner, const char *name, const char *if_match,
                                 const store_keep *keep) {
  cleaning x = {.owner = owner, .name = name, .names = keep ? keep->names : 0};
  store_status status =
      sqlite_write(s, remove_model, &(removal){.owner = owner, .name = name, .if_match = if_match}, NULL);
  if (status == STORE_OK) (void)clean_all(s, &x); // the model is gone; what is left goes at the next start
  return status;
}

// ------------------------------------------------------------------------------------------------------------- reading

// The owner of the model that a name means, by the rows of all owners whose it may be, the best first.
static store_status choose_owner(connection *c, const store_whose *w, const char *name, int64_t revision,
                                 char owner[STORE_NAME_SIZE]) {
  static const char sql[] =
      "SELECT owner, deleted, revision FROM models WHERE name = ?1 AND (owner = ?2 OR (NOT ?3 AND (owner = '' OR ?4))) "
      "ORDER BY owner = ?2 DESC, owner = '' DESC, deleted, owner";
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "ttii", name, w->owner, (int64_t)w->exactly, (int64_t)w->all);
  model_choice choice = {.found = 0};
  store_status status = STORE_OK;
  while (!choice.certain && sql_row(c, stmt, &status)) {
    char candidate[STORE_NAME_SIZE];
    sql_text(stmt, 0, candidate, sizeof candidate);
    model_choice_next(&choice, w, revision, candidate, sqlite3_column_int(stmt, 1) != 0, sqlite3_column_int64(stmt, 2));
  }
  if (choice.certain) sql_done(stmt), status = STORE_OK;
  memcpy(owner, choice.owner, sizeof choice.owner);
  return status == STORE_OK ? model_choice_end(&choice) : status;
}

static store_status read_one(connection *c, sqlite3_stmt *stmt, store_model *model) {
  store_status status;
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  read_model(stmt, model);
  sql_done(stmt);
  return STORE_OK;
}

store_status sqlite_model_get(store *s, const store_whose *whose, const char *name, int64_t revision,
                              store_model *model) {
  static const char sql[] =
      "SELECT r.name, r.owner, r.revision, r.sha256, r.created_ms, d.body FROM models m "
      "JOIN model_revisions r ON r.name = m.name AND r.owner = m.owner "
      "AND r.revision = CASE ?3 WHEN 0 THEN m.revision ELSE ?3 END "
      "JOIN documents d ON d.sha256 = r.sha256 WHERE m.name = ?1 AND m.owner = ?2 AND m.deleted = 0";
  char owner[STORE_NAME_SIZE];
  connection *c = sqlite_read(s);
  store_status status = choose_owner(c, whose, name, revision, owner);
  if (status == STORE_OK) status = read_one(c, sql_bind(sql_prepare(c, sql), "tti", name, owner, revision), model);
  if (status == STORE_OK && !model->document) status = STORE_FAILED;
  sqlite_read_end(s, c);
  if (status == STORE_OK && store_document_check(model->sha256, model->document) != STORE_OK) {
    store_model_fini(model);
    status = STORE_FAILED;
  }
  return status;
}

#define NEWEST                                                                                                         \
  "SELECT m.name, m.owner, m.revision, r.sha256, r.created_ms FROM models m JOIN model_revisions r "                   \
  "ON r.name = m.name AND r.owner = m.owner AND r.revision = m.revision WHERE m.deleted = 0 "

store_status sqlite_model_find(store *s, const store_whose *whose, const char *name, store_model *model) {
  static const char sql[] = NEWEST "AND m.name = ?1 AND m.owner = ?2";
  char owner[STORE_NAME_SIZE];
  connection *c = sqlite_read(s);
  store_status status = choose_owner(c, whose, name, 0, owner);
  if (status == STORE_OK) status = read_one(c, sql_bind(sql_prepare(c, sql), "tt", name, owner), model);
  sqlite_read_end(s, c);
  return status;
}

static store_status visit_models(store *s, connection *c, sqlite3_stmt *stmt, const store_visit *visit) {
  store_status status;
  while (sql_row(c, stmt, &status)) {
    store_model m;
    read_model(stmt, &m);
    visit->model(visit->context, &m);
    store_model_fini(&m);
  }
  sqlite_read_end(s, c);
  return status;
}

store_status sqlite_model_list(store *s, const store_whose *whose, const char *after_name, const char *after_owner,
                               int limit, const store_visit *visit) {
  static const char sql[] =
      NEWEST "AND (m.name, m.owner) > (?1, ?2) AND (?4 OR m.owner = ?3 OR (NOT ?5 AND m.owner = '' AND NOT EXISTS "
             "(SELECT 1 FROM models o WHERE o.name = m.name AND o.owner = ?3 AND o.deleted = 0))) "
             "ORDER BY m.name, m.owner LIMIT ?6";
  connection *c = sqlite_read_many(s);
  const store_whose *w = whose;
  sqlite3_stmt *stmt =
      sql_bind(sql_prepare(c, sql), "tttiii", after_name ? after_name : "", after_owner ? after_owner : "", w->owner,
               (int64_t)(w->all && !w->exactly), (int64_t)w->exactly, (int64_t)limit);
  return visit_models(s, c, stmt, visit);
}

store_status sqlite_model_revisions(store *s, const char *owner, const char *name, int64_t after, int limit,
                                    const store_visit *visit) {
  static const char sql[] = "SELECT r.name, r.owner, r.revision, r.sha256, r.created_ms FROM model_revisions r "
                            "JOIN models m ON m.name = r.name AND m.owner = r.owner AND m.deleted = 0 "
                            "WHERE r.name = ?1 AND r.owner = ?2 AND r.revision > ?3 ORDER BY r.revision LIMIT ?4";
  connection *c = sqlite_read_many(s);
  return visit_models(s, c, sql_bind(sql_prepare(c, sql), "ttii", name, owner, after, (int64_t)limit), visit);
}
