// What a change of rows takes of what its owner may keep, or gives back: one function for each change that does, called
// in its transaction, so that neither a refusal nor a kill leaves the count beside the rows. The row of a job goes here,
// with its charge.
//
// A document is charged to each owner who needs it, once, however often (document_holders). The views holdings_now and
// document_holders_now say the same from the rows themselves (migration 18); tests compare.
#include "store/sqlite/sqlite.h"

#include <string.h>

enum { MODEL_BYTES = 512, REVISION_BYTES = 512, KEY_BYTES = 1024, JOB_BYTES = 2048, EVENT_BYTES = 8192, EVENTS = 8 };

typedef struct charge { // columns of holdings; negative: given back
  int64_t jobs, sweeps, models, keys, rows, bytes, results;
} charge;

static store_status add(connection *c, const char *owner, const charge *x) {
  static const char sql[] =
      "INSERT INTO holdings (owner, jobs, sweeps, models, keys, rows, bytes, results) VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
      "?7, ?8) ON CONFLICT (owner) DO UPDATE SET jobs = jobs + excluded.jobs, sweeps = sweeps + excluded.sweeps, "
      "models = models + excluded.models, keys = keys + excluded.keys, rows = rows + excluded.rows, "
      "bytes = bytes + excluded.bytes, results = results + excluded.results";
  assert(owner);
  return sql_run(c, sql_bind(sql_prepare(c, sql), "tiiiiiii", owner, x->jobs, x->sweeps, x->models, x->keys, x->rows,
                             x->bytes, x->results));
}

// ---------------------------------------------------------------------------------------------------------- documents

// Steps a statement that returns how often an owner needs a document, and its charge. False: no such row, or *status.
static bool read_uses(connection *c, sqlite3_stmt *stmt, int64_t *uses, int64_t *bytes, store_status *status) {
  if (!sql_row(c, stmt, status)) return false;
  *uses = sqlite3_column_int64(stmt, 0);
  *bytes = sqlite3_column_int64(stmt, 1);
  sql_done(stmt);
  return true;
}

// The owner needs a document once more: *charged grows when that is the first time.
static store_status hold(connection *c, const char *owner, const char *sha256, int64_t *charged) {
  static const char sql[] = "INSERT INTO document_holders (owner, sha256, uses, bytes) SELECT ?1, d.sha256, 1, d.bytes "
                            "FROM document_charges AS d WHERE d.sha256 = ?2 ON CONFLICT (owner, sha256) DO UPDATE SET "
                            "uses = uses + 1 RETURNING uses, bytes";
  int64_t uses, bytes;
  store_status status;
  if (!read_uses(c, sql_bind(sql_prepare(c, sql), "tt", owner, sha256), &uses, &bytes, &status))
    return status == STORE_OK ? STORE_FAILED : status; // it is stored before who needs it
  if (uses == 1) *charged += bytes;
  return STORE_OK;
}

// Once less: *charged shrinks with the last.
static store_status release(connection *c, const char *owner, const char *sha256, int64_t *charged) {
  static const char less[] = "UPDATE document_holders SET uses = uses - 1 WHERE owner = ?1 AND sha256 = ?2 "
                             "RETURNING uses, bytes";
  static const char none[] = "DELETE FROM document_holders WHERE owner = ?1 AND sha256 = ?2";
  int64_t uses, bytes;
  store_status status;
  if (!read_uses(c, sql_bind(sql_prepare(c, less), "tt", owner, sha256), &uses, &bytes, &status)) return status;
  if (uses > 0) return STORE_OK;
  *charged -= bytes;
  return sql_run(c, sql_bind(sql_prepare(c, none), "tt", owner, sha256));
}

store_status sqlite_charge_document_whole(connection *c, const char *sha256) {
  static const char owners[] =
      "UPDATE holdings SET bytes = bytes + (SELECT d.bytes FROM document_charges AS d WHERE d.sha256 = ?1) "
      "- (SELECT h.bytes FROM document_holders AS h WHERE h.owner = holdings.owner AND h.sha256 = ?1) "
      "WHERE owner IN (SELECT h.owner FROM document_holders AS h WHERE h.sha256 = ?1)";
  static const char holders[] = "UPDATE document_holders SET bytes = (SELECT d.bytes FROM document_charges AS d WHERE "
                                "d.sha256 = ?1) WHERE sha256 = ?1";
  store_status status = sql_run(c, sql_bind(sql_prepare(c, owners), "t", sha256));
  return status == STORE_OK ? sql_run(c, sql_bind(sql_prepare(c, holders), "t", sha256)) : status;
}

// --------------------------------------------------------------------------------------------------------------- jobs

store_status sqlite_charge_job_comes(connection *c, const store_job *job) {
  charge x = {.jobs = 1, .sweeps = strcmp(job->kind, "sweep") == 0};
  x.rows = JOB_BYTES + (int64_t)strlen(job->document) + 3 * (int64_t)strlen(job->labels);
  store_status status = hold(c, job->owner, job->model_sha256, &x.bytes);
  if (status == STORE_OK && *job->document_base) status = hold(c, job->owner, job->document_base, &x.bytes);
  return status == STORE_OK ? add(c, job->owner, &x) : status;
}

// Its key may be another owner's.
static store_status give_keys(connection *c, const char *id) {
  static const char sql[] = "SELECT owner, count(*) FROM request_keys WHERE job = ?1 GROUP BY owner";
  store_status status, given = STORE_OK;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", id);
  while (given == STORE_OK && sql_row(c, stmt, &status)) {
    int64_t keys = sqlite3_column_int64(stmt, 1);
    given = add(c, (const char *)sqlite3_column_text(stmt, 0), &(charge){.keys = -keys, .bytes = -KEY_BYTES * keys});
    if (given != STORE_OK) sql_done(stmt);
  }
  return given != STORE_OK ? given : status;
}

typedef struct leaving { // what a job's row says of its charge
  char owner[STORE_NAME_SIZE], model[DIGEST_HEX_SIZE], base[DIGEST_HEX_SIZE];
  charge back;
} leaving;

static store_status read_leaving(connection *c, const char *id, leaving *x) {
  static const char sql[] = "SELECT owner, model_sha256, document_base, kind = 'sweep', " STORE_ROW_BYTES(
      "jobs") ", coalesce(result_size, 0) FROM jobs WHERE id = ?1";
  store_status status;
  sqlite3_stmt *stmt = sql_bind(sql_prepare(c, sql), "t", id);
  if (!sql_row(c, stmt, &status)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  sql_text(stmt, 0, x->owner, sizeof x->owner);
  sql_text(stmt, 1, x->model, sizeof x->model);
  sql_text(stmt, 2, x->base, sizeof x->base);
  x->back = (charge){.jobs = -1, .sweeps = -sqlite3_column_int64(stmt, 3), .rows = -sqlite3_column_int64(stmt, 4)};
  x->back.results = -sqlite3_column_int64(stmt, 5);
  sql_done(stmt);
  return STORE_OK;
}

store_status sqlite_charge_job_goes(connection *c, const char *id) {
  leaving x;
  store_status status = read_leaving(c, id, &x);
  if (status == STORE_OK) status = give_keys(c, id);
  if (status == STORE_OK) status = release(c, x.owner, x.model, &x.back.bytes);
  if (status == STORE_OK && *x.base) status = release(c, x.owner, x.base, &x.back.bytes);
  return status == STORE_OK ? add(c, x.owner, &x.back) : status;
}

store_status sqlite_job_remove(connection *c, const char *id) {
  static const char sql[] = "DELETE FROM jobs WHERE id = ?1";
  store_status status = sqlite_charge_job_goes(c, id);
  return status == STORE_OK ? sql_run(c, sql_bind(sql_prepare(c, sql), "t", id)) : status;
}

store_status sqlite_charge_result(connection *c, const char *owner, int64_t size) {
  return size == 0 ? STORE_OK : add(c, owner, &(charge){.results = size});
}

store_status sqlite_charge_key(connection *c, const char *owner) {
  return add(c, owner, &(charge){.keys = 1, .bytes = KEY_BYTES});
}

store_status sqlite_charge_places(connection *c, const char *owner, int64_t jobs) {
  return add(c, owner, &(charge){.rows = STORE_PLACE_BYTES * jobs});
}

store_status sqlite_charge_event(connection *c, int64_t job, int64_t seq) {
  static const char sql[] = "UPDATE holdings SET rows = rows + ?2 WHERE owner = (SELECT coalesce(j.owner, '') FROM "
                            "jobs AS j WHERE j.seq = ?1)";
  if (seq != EVENTS + 1) return STORE_OK;
  return sql_run(c, sql_bind(sql_prepare(c, sql), "ii", job, (int64_t)EVENT_BYTES));
}

// ------------------------------------------------------------------------------------------------------------- models

store_status sqlite_charge_model_comes(connection *c, const char *owner, bool known) {
  return add(c, owner, &(charge){.models = 1, .bytes = known ? 0 : MODEL_BYTES});
}

store_status sqlite_charge_model_deleted(connection *c, const char *owner) {
  return add(c, owner, &(charge){.models = -1});
}

store_status sqlite_charge_names_forgotten(connection *c, const char *owner, int64_t names) {
  return add(c, owner, &(charge){.bytes = -MODEL_BYTES * names});
}

store_status sqlite_charge_revision_comes(connection *c, const char *owner, const char *sha256) {
  charge x = {.bytes = REVISION_BYTES};
  store_status status = hold(c, owner, sha256, &x.bytes);
  return status == STORE_OK ? add(c, owner, &x) : status;
}

store_status sqlite_charge_revision_goes(connection *c, const char *owner, const char *sha256) {
  charge x = {.bytes = -REVISION_BYTES};
  store_status status = release(c, owner, sha256, &x.bytes);
  return status == STORE_OK ? add(c, owner, &x) : status;
}
