// Rows of a data folder's tables as JSON, a few megabytes at a time, into those of a PostgreSQL store.
//
// One row of the table below for each table: how SQLite gives its rows as objects, and how PostgreSQL takes an array of
// them. What is there already stays as it is. Numbers of the order of submission become places (migration 1): times,
// and the old number behind them. Attempts that run in the folder belong to a node that never lives: the first node that
// starts takes them back as those of any that is gone. A row that is not what was written by its digest in the folder
// has one that fits nothing in the database, so that checks go on finding it; the database gives one to the others.
#include "store/copy/copy.h"
#include "store/folder/snapshot.h"
#include "store/postgresql/postgresql.h"
#include "store/sqlite/digests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char copy_node[ID_SIZE] = "00000000000000000000000000";

#define PLACE "((j.created_ms * 1000 - 1577836800000000) * 4096 + j.seq % 4096000)"
#define FROM_JSON(columns) " FROM json_to_recordset($1::json) AS x(" columns ")"
#define WHOLE(row, wanted) "'whole', json(iif(" row "digest IS NULL OR " row "digest = " wanted ", 'true', 'false'))"
#define DIGEST "CASE WHEN NOT whole THEN ''::bytea END"
#define NEED                                                                                                           \
  "SELECT coalesce(owner, '') AS owner, model_sha256 AS sha256 FROM jobs WHERE incoming = 0 UNION SELECT "             \
  "coalesce(owner, ''), document_base FROM jobs WHERE incoming = 0 AND document_base IS NOT NULL UNION SELECT owner, " \
  "sha256 FROM model_revisions"

static const struct {
  const char *what, *count, *take, *give;
} tables[] = {
    {"documents", "SELECT count(*) FROM documents WHERE base IS NULL",
     "SELECT json_object('sha256', sha256, 'body', body) FROM documents WHERE base IS NULL",
     "INSERT INTO documents (sha256, body) SELECT *" FROM_JSON("sha256 text, body text") " ON CONFLICT DO NOTHING"},
    {"documents that differ little", "SELECT count(*) FROM documents WHERE base IS NOT NULL",
     "SELECT json_object('sha256', sha256, 'body', body, 'base', base) FROM documents WHERE base IS NOT NULL",
     "INSERT INTO documents (sha256, body, base) SELECT *" FROM_JSON(
         "sha256 text, body text, base text") " ON CONFLICT DO NOTHING"},
    {"owners of documents", "SELECT count(*) FROM (" NEED ")",
     "SELECT json_object('owner', owner, 'sha256', sha256) FROM (" NEED ")",
     "INSERT INTO document_holders SELECT x.owner, x.sha256, document_charge(d.body)" FROM_JSON(
         "owner text, sha256 text") " JOIN documents AS d USING (sha256) ON CONFLICT DO NOTHING"},
    {"models", "SELECT count(*) FROM models",
     "SELECT json_object('name', name, 'owner', owner, 'revision', revision, 'deleted', json(iif(deleted, 'true', "
     "'false')), 'created_ms', created_ms, 'updated_ms', updated_ms) FROM models",
     "INSERT INTO models SELECT *" FROM_JSON(
         "name text, owner text, revision bigint, deleted boolean, created_ms bigint, "
         "updated_ms bigint") " ON CONFLICT DO NOTHING"},
    {"revisions", "SELECT count(*) FROM model_revisions",
     "SELECT json_object('name', name, 'owner', owner, 'revision', revision, 'sha256', sha256, 'created_ms', "
     "created_ms) "
     "FROM model_revisions",
     "INSERT INTO model_revisions SELECT *" FROM_JSON(
         "name text, owner text, revision bigint, sha256 text, created_ms bigint") " ON CONFLICT DO NOTHING"},
    {"jobs", "SELECT count(*) FROM jobs WHERE incoming = 0",
     "SELECT json_object('seq', " PLACE ", 'id', id, 'kind', kind, 'state', state, 'attempt', attempt, 'crashes', "
     "crashes, 'not_before_ms', not_before_ms, 'cancel', json(iif(cancel, 'true', 'false')), 'priority', priority, "
     "'queue', queue, 'owner', coalesce(owner, ''), 'model_name', model_name, 'model_owner', model_owner, "
     "'model_revision', model_revision, 'model_sha256', model_sha256, 'document', document, 'document_base', "
     "document_base, 'labels', labels, 't_end', printf('%!.17g', t_end), 'no_end', json(iif(t_end IS NULL, 'true', "
     "'false')), 'created_ms', created_ms, 'started_ms', started_ms, 'finished_ms', finished_ms, 'error', error, "
     "'warnings', warnings, 'waiting', waiting, 'faults', faults, 'result_size', result_size, 'result_sha256', "
     "result_sha256, 'retry_of', retry_of, 'parent', parent, 'bytes', bytes, " WHOLE(
         "", STORE_JOB_DIGEST("owner")) ") FROM jobs AS j WHERE incoming = 0 ORDER "
                                        "BY "
                                        "seq",
     "INSERT INTO jobs (seq, id, kind, state, attempt, crashes, not_before_ms, cancel, priority, queue, owner, "
     "model_name, model_owner, model_revision, model_sha256, document, document_base, labels, t_end, created_ms, "
     "started_ms, finished_ms, error, warnings, waiting, faults, result_size, result_sha256, retry_of, parent, bytes, "
     "charged, node, result_node, digest) SELECT seq, id, kind, state, attempt, crashes, not_before_ms, cancel, "
     "priority, "
     "queue, "
     "owner, model_name, model_owner, model_revision, model_sha256, document, document_base, labels, CASE WHEN NOT "
     "no_end THEN t_end::double precision END, created_ms, started_ms, finished_ms, error, warnings, waiting, faults, "
     "result_size, result_sha256, retry_of, parent, bytes, 2048 + octet_length(document) + 3 * octet_length(labels), "
     "CASE WHEN state = 'running' AND kind <> 'sweep' THEN '00000000000000000000000000' END, CASE WHEN result_sha256 "
     "IS "
     "NOT NULL THEN '00000000000000000000000000' END, " DIGEST FROM_JSON(
         "seq bigint, id text, kind text, state text, attempt integer, crashes integer, not_before_ms bigint, cancel "
         "boolean, priority integer, queue text, owner text, model_name text, model_owner text, model_revision bigint, "
         "model_sha256 text, document text, document_base text, labels text, t_end text, no_end boolean, created_ms "
         "bigint, started_ms bigint, finished_ms bigint, error text, warnings text, waiting text, faults integer, "
         "result_size bigint, result_sha256 text, retry_of text, parent text, bytes bigint, whole boolean") " ON "
                                                                                                            "CONFLICT "
                                                                                                            "DO "
                                                                                                            "NOTHING"},
    {"labels", "SELECT count(*) FROM job_labels AS l JOIN jobs AS j ON j.seq = l.job WHERE j.incoming = 0",
     "SELECT json_object('key', l.key, 'value', l.value, 'job', " PLACE
     ") FROM job_labels AS l JOIN jobs AS j ON j.seq = l.job WHERE j.incoming = 0",
     "INSERT INTO job_labels SELECT *" FROM_JSON("key text, value text, job bigint") " ON CONFLICT DO NOTHING"},
    {"events", "SELECT count(*) FROM events AS e JOIN jobs AS j ON j.seq = e.job WHERE j.incoming = 0",
     "SELECT json_object('job', " PLACE ", 'seq', e.seq, 'time_ms', e.time_ms, 'attempt', e.attempt, 'type', e.type, "
     "'data', e.data, " WHOLE(
         "e.", STORE_EVENT_DIGEST) ") FROM events AS e JOIN jobs AS j ON j.seq = e.job WHERE j.incoming = 0",
     "INSERT INTO events (job, seq, time_ms, attempt, type, data, digest) SELECT job, seq, time_ms, attempt, type, "
     "data, " DIGEST FROM_JSON("job bigint, seq bigint, time_ms bigint, attempt integer, type text, data "
                               "text, whole boolean") " ON CONFLICT DO NOTHING"},
    {"request keys", "SELECT count(*) FROM request_keys",
     "SELECT json_object('owner', owner, 'key', key, 'sha256', sha256, 'job', job, " WHOLE(
         "", STORE_KEY_DIGEST("owner")) ") FROM request_keys",
     "INSERT INTO request_keys (owner, key, sha256, job, digest) SELECT owner, key, sha256, job, " DIGEST FROM_JSON(
         "owner text, key text, sha256 text, job text, whole boolean") " ON CONFLICT DO NOTHING"},
    {"sweeps", "SELECT count(*) FROM sweeps AS s JOIN jobs AS j USING (id) WHERE j.incoming = 0",
     "SELECT json_object('id', s.id, 'q', s.queued, 'r', s.running, 's', s.succeeded, 'f', s.failed, 'c', s.cancelled) "
     "FROM sweeps AS s JOIN jobs AS j USING (id) WHERE j.incoming = 0",
     "INSERT INTO sweeps SELECT *" FROM_JSON(
         "id text, q bigint, r bigint, s bigint, f bigint, c bigint") " ON CONFLICT DO NOTHING"},
    {"places in sweeps", "SELECT count(*) FROM sweep_jobs AS p JOIN jobs AS j ON j.id = p.sweep WHERE j.incoming = 0",
     "SELECT json_object('sweep', p.sweep, 'position', p.position, 'job', p.job, 'row_count', p.row_count) FROM "
     "sweep_jobs AS p JOIN jobs AS j ON j.id = p.sweep WHERE j.incoming = 0",
     "INSERT INTO sweep_jobs SELECT *" FROM_JSON(
         "sweep text, position bigint, job text, row_count bigint") " ON CONFLICT DO NOTHING"},
    {"tokens", "SELECT count(*) FROM tokens",
     "SELECT json_object('id', id, 'name', name, 'scope', scope, 'owner', owner, 'sha256', sha256, 'created_ms', "
     "created_ms, 'deleted_ms', deleted_ms, " WHOLE("", STORE_TOKEN_DIGEST("deleted_ms")) ") FROM tokens",
     "INSERT INTO tokens (id, name, scope, owner, sha256, created_ms, deleted_ms, digest) SELECT id, name, scope, "
     "owner, sha256, created_ms, deleted_ms, " DIGEST FROM_JSON(
         "id text, name text, scope text, owner text, sha256 text, created_ms bigint, deleted_ms bigint, "
         "whole boolean") " ON "
                          "CONFLICT "
                          "DO NOTHING"},
    {"forgotten names", "SELECT count(*) FROM holdings WHERE forgotten > 0",
     "SELECT json_object('owner', owner, 'revision', forgotten) FROM holdings WHERE forgotten > 0",
     "INSERT INTO forgotten_names SELECT *" FROM_JSON("owner text, revision bigint") " ON CONFLICT DO NOTHING"},
};
enum { TABLES = sizeof tables / sizeof *tables };

// --------------------------------------------------------------------------------------------------------------- give

typedef struct batch {
  char *text; // "[{…},{…}"
  size_t size, room;
  int rows;
  int table;
} batch;

static bool add(batch *b, const char *row, size_t size) {
  if (b->size + size + 3 > b->room) {
    size_t room = 2 * (b->size + size) + 4096;
    char *more = realloc(b->text, room);
    if (!more) return false;
    b->text = more;
    b->room = room;
  }
  b->text[b->size++] = b->rows++ ? ',' : '[';
  memcpy(b->text + b->size, row, size);
  b->size += size;
  b->text[b->size] = '\0';
  return true;
}

static store_status give(pg_connection *c, void *context) {
  const batch *b = context;
  store_status status = pg_command(c, "SET LOCAL statement_timeout = 0");
  return status == STORE_OK ? pg_run(c, NULL, tables[b->table].give, "t", b->text) : status;
}

static bool flush(store_copy *c, batch *b, char message[STORE_MESSAGE_SIZE]) {
  if (b->rows == 0) return true;
  strcat(b->text, "]");
  bool done = pg_change(c->to, give, b, NULL) == STORE_OK;
  b->size = 0;
  b->rows = 0;
  return done || store_say(message, "%s cannot be written: the log says why", tables[b->table].what);
}

static bool copy_table(store_copy *c, sqlite3 *db, batch *b, char message[STORE_MESSAGE_SIZE]) {
  sqlite3_stmt *stmt = snapshot_prepare(db, tables[b->table].take, message);
  int64_t done = 0, total = snapshot_integer(db, tables[b->table].count, 0);
  bool good = stmt != NULL;
  while (good && sqlite3_step(stmt) == SQLITE_ROW) {
    good = add(b, (const char *)sqlite3_column_text(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0)) ||
           store_say(message, "not enough memory");
    if (good && (b->size > COPY_BATCH_BYTES || b->rows == COPY_BATCH_ROWS)) good = flush(c, b, message);
    if (c->progress) c->progress(tables[b->table].what, ++done, total);
  }
  if (sqlite3_finalize(stmt) != SQLITE_OK) good = store_say(message, "the folder's database cannot be read to its end");
  return good && flush(c, b, message);
}

// What jobs are charged for their events and places, by the rule of the view (migration 1).
static store_status charge(pg_connection *c, void *context) {
  static const char sql[] =
      "UPDATE jobs AS j SET charged = n.charged FROM (SELECT seq, 2048 + octet_length(document) + 3 * "
      "octet_length(labels) + CASE WHEN EXISTS (SELECT 1 FROM events AS e WHERE e.job = k.seq AND e.seq > 8) THEN 8192 "
      "ELSE 0 END + coalesce((SELECT 256 * (s.queued + s.running + s.succeeded + s.failed + s.cancelled) FROM sweeps "
      "AS "
      "s WHERE s.id = k.id), 0) AS charged FROM jobs AS k) AS n WHERE n.seq = j.seq AND n.charged <> j.charged";
  (void)context;
  store_status status = pg_command(c, "SET LOCAL statement_timeout = 0");
  return status == STORE_OK ? pg_run(c, NULL, sql, "") : status;
}

bool copy_rows(store_copy *c, char message[STORE_MESSAGE_SIZE]) {
  batch b = {.text = NULL};
  sqlite3 *db = snapshot_open(c->from->folder, message);
  bool good = db != NULL;
  for (b.table = 0; good && b.table < TABLES; b.table++) good = copy_table(c, db, &b, message);
  c->models = good ? snapshot_integer(db, "SELECT count(*) FROM models", 0) : 0;
  sqlite3_close(db);
  free(b.text);
  if (good && pg_change(c->to, charge, NULL, NULL) != STORE_OK)
    good = store_say(message, "what owners are charged cannot be written: the log says why");
  return good;
}

// ------------------------------------------------------------------------------------------------------------ compare

static bool compare_counts(store_copy *c, sqlite3 *db, pg_connection *pg, char message[STORE_MESSAGE_SIZE]) {
  static const struct {
    const char *what, *from, *to;
  } counts[] = {
      {"jobs", "SELECT count(*) FROM jobs WHERE incoming = 0", "SELECT count(*) FROM jobs"},
      {"events", "SELECT count(*) FROM events AS e JOIN jobs AS j ON j.seq = e.job WHERE j.incoming = 0",
       "SELECT count(*) FROM events"},
      {"models", "SELECT count(*) FROM models", "SELECT count(*) FROM models"},
      {"revisions", "SELECT count(*) FROM model_revisions", "SELECT count(*) FROM model_revisions"},
      {"documents", "SELECT count(*) FROM documents", "SELECT count(*) FROM documents"},
      {"tokens", "SELECT count(*) FROM tokens", "SELECT count(*) FROM tokens"},
      {"request keys", "SELECT count(*) FROM request_keys", "SELECT count(*) FROM request_keys"},
      {"places in sweeps", "SELECT count(*) FROM sweep_jobs AS p JOIN jobs AS j ON j.id = p.sweep WHERE j.incoming = 0",
       "SELECT count(*) FROM sweep_jobs"},
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    pg_rows rows;
    int64_t from = snapshot_integer(db, counts[i].from, -1), to = -2;
    store_status status = pg_integer_of(&rows, pg_run(pg, &rows, counts[i].to, ""), &to);
    if (status != STORE_OK || from != to)
      return store_say(message, "the folder has %lld %s, the database %lld", (long long)from, counts[i].what,
                       (long long)to);
    if (i == 0) c->jobs = to;
  }
  return true;
}

bool copy_compare(store_copy *c, char message[STORE_MESSAGE_SIZE]) {
  sqlite3 *db = snapshot_open(c->from->folder, message);
  pg_connection *pg = db ? pg_read(c->to) : NULL;
  bool same = pg   ? compare_counts(c, db, pg, message)
              : db ? store_say(message, "the database cannot be reached")
                   : false;
  pg_read_end(c->to, pg);
  sqlite3_close(db);
  return same;
}
