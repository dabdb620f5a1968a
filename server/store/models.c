// Models and their immutable revisions. Documents are stored by content; a revision is (name, number) -> sha256.
//
// Deleting keeps the row of the name with its counter, so that a number is never given twice to different bytes.
#include "base/clock.h"
#include "store/sqlite.h"

#include <stdlib.h>
#include <string.h>

void store_model_fini(store_model *m) {
  free(m->document);
  m->document = NULL;
}

store_status store_document_put(connection *c, const char *sha256, const char *body) {
  static const char sql[] = "INSERT INTO documents (sha256, body) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
  return sql_run(c, sql_bind(sql_prepare(c, sql), "tt", sha256, body));
}

// columns: name, revision, sha256, created_ms[, body]
static void read_model(sqlite3_stmt *stmt, store_model *m) {
  *m = (store_model){.revision = sqlite3_column_int64(stmt, 1), .created_ms = sqlite3_column_int64(stmt, 3)};
  sql_text(stmt, 0, m->name, sizeof m->name);
  sql_text(stmt, 2, m->sha256, sizeof m->sha256);
  if (sqlite3_column_count(stmt) > 4) m->document = sql_text_copy(stmt, 4);
}

typedef struct current { // the name's row before a change
  bool exists;           // not deleted
  int64_t revision;      // 0: never there
  int64_t created_ms;    // of the revision
  char sha256[DIGEST_HEX_SIZE];
} current;

static store_status find_current(connection *c, const char *name, current *row) {
  static const char sql[] = "SELECT m.revision, m.deleted, r.sha256, r.created_ms FROM models m JOIN model_revisions r "
                            "ON r.name = m.name AND r.revision = m.revision WHERE m.name = ?1";
  *row = (current){.revision = 0};
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", name);
  if (!sql_row(c, stmt, &status)) return status;
  row->revision = sqlite3_column_int64(stmt, 0);
  row->exists = sqlite3_column_int(stmt, 1) == 0;
  sql_text(stmt, 2, row->sha256, sizeof row->sha256);
  row->created_ms = sqlite3_column_int64(stmt, 3);
  sql_done(stmt);
  return STORE_OK;
}

static bool matches(const current *row, const char *if_match) {
  if (!if_match) return true;
  return row->exists && (strcmp(if_match, "*") == 0 || strcmp(if_match, row->sha256) == 0);
}

static store_status insert_revision(connection *c, const store_model *m, const char *document) {
  static const char model[] = "INSERT INTO models (name, revision, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?3) "
                              "ON CONFLICT (name) DO UPDATE SET revision = ?2, updated_ms = ?3, deleted = 0, "
                              "created_ms = CASE WHEN deleted THEN ?3 ELSE created_ms END";
  static const char revision[] =
      "INSERT INTO model_revisions (name, revision, sha256, created_ms) VALUES (?1, ?2, ?3, ?4)";
  store_status status = store_document_put(c, m->sha256, document);
  if (status == STORE_OK)
    status = sql_run(c, sql_bind(sql_prepare(c, model), "tii", m->name, m->revision, m->created_ms));
  if (status == STORE_OK)
    status = sql_run(c, sql_bind(sql_prepare(c, revision), "titi", m->name, m->revision, m->sha256, m->created_ms));
  return status;
}

typedef struct put {
  store_put_mode mode;
  const char *document, *if_match;
  store_model *model; // name and sha256 are given
  store_put_effect *effect;
} put;

static store_status put_model(connection *c, void *context) {
  const put *p = context;
  store_model *m = p->model;
  current row;
  store_status status = find_current(c, m->name, &row);
  if (status != STORE_OK) return status;
  if (p->mode == STORE_CREATE && row.exists) return STORE_EXISTS;
  if (!matches(&row, p->if_match)) return STORE_PRECONDITION;
  *p->effect = !row.exists ? STORE_CREATED : strcmp(row.sha256, m->sha256) == 0 ? STORE_UNCHANGED : STORE_REVISED;
  m->revision = *p->effect == STORE_UNCHANGED ? row.revision : row.revision + 1;
  m->created_ms = *p->effect == STORE_UNCHANGED ? row.created_ms : clock_now_ms();
  return *p->effect == STORE_UNCHANGED ? STORE_OK : insert_revision(c, m, p->document);
}

store_status store_model_put(store *s, store_put_mode mode, const char *name, const char *document, const char *sha256,
                             const char *if_match, store_model *model, store_put_effect *effect) {
  *model = (store_model){.revision = 0};
  strncpy(model->name, name, sizeof model->name - 1);
  memcpy(model->sha256, sha256, sizeof model->sha256);
  put p = {.mode = mode, .document = document, .if_match = if_match, .model = model, .effect = effect};
  return store_write(s, put_model, &p, NULL);
}

store_status store_model_get(store *s, const char *name, int64_t revision, store_model *model) {
  static const char sql[] =
      "SELECT r.name, r.revision, r.sha256, r.created_ms, d.body FROM models m "
      "JOIN model_revisions r ON r.name = m.name AND r.revision = CASE ?2 WHEN 0 THEN m.revision ELSE ?2 END "
      "JOIN documents d ON d.sha256 = r.sha256 WHERE m.name = ?1 AND m.deleted = 0";
  connection *c = store_read(s);
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "ti", name, revision);
  if (sql_row(c, stmt, &status)) {
    read_model(stmt, model);
    sql_done(stmt);
    if (!model->document) status = STORE_FAILED;
  } else if (status == STORE_OK)
    status = STORE_NOT_FOUND;
  store_read_end(s, c);
  return status;
}

typedef struct removal {
  const char *name, *if_match;
} removal;

static store_status remove_model(connection *c, void *context) {
  static const char sql[] = "UPDATE models SET deleted = 1, updated_ms = ?2 WHERE name = ?1";
  const removal *r = context;
  current row;
  store_status status = find_current(c, r->name, &row);
  if (status == STORE_OK && !row.exists) return STORE_NOT_FOUND;
  if (status == STORE_OK && !matches(&row, r->if_match)) return STORE_PRECONDITION;
  return status == STORE_OK ? sql_run(c, sql_bind(sql_prepare(c, sql), "ti", r->name, clock_now_ms())) : status;
}

store_status store_model_delete(store *s, const char *name, const char *if_match) {
  return store_write(s, remove_model, &(removal){.name = name, .if_match = if_match}, NULL);
}

static store_status visit_models(store *s, connection *c, sqlite3_stmt *stmt, const store_visit *visit) {
  store_status status;
  while (sql_row(c, stmt, &status)) {
    store_model m;
    read_model(stmt, &m);
    visit->model(visit->context, &m);
    store_model_fini(&m);
  }
  store_read_end(s, c);
  return status;
}

store_status store_model_list(store *s, const char *after, int limit, const store_visit *visit) {
  static const char sql[] = "SELECT m.name, m.revision, r.sha256, r.created_ms FROM models m JOIN model_revisions r "
                            "ON r.name = m.name AND r.revision = m.revision "
                            "WHERE m.deleted = 0 AND m.name > ?1 ORDER BY m.name LIMIT ?2";
  connection *c = store_read_many(s);
  return visit_models(s, c, sql_bind(sql_prepare(c, sql), "ti", after ? after : "", (int64_t)limit), visit);
}

store_status store_model_revisions(store *s, const char *name, const store_visit *visit) {
  static const char sql[] = "SELECT r.name, r.revision, r.sha256, r.created_ms FROM model_revisions r "
                            "JOIN models m ON m.name = r.name AND m.deleted = 0 WHERE r.name = ?1 ORDER BY r.revision";
  connection *c = store_read_many(s);
  return visit_models(s, c, sql_bind(sql_prepare(c, sql), "t", name), visit);
}
