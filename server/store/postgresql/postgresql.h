// The PostgreSQL kind of rows: its functions, and what its files share above the database.
#ifndef SERVER_STORE_POSTGRESQL_POSTGRESQL_H
#define SERVER_STORE_POSTGRESQL_POSTGRESQL_H

#include "store/postgresql/database/database.h"

typedef struct pg_progress pg_progress;
typedef struct pg_turns pg_turns;
typedef struct pg_held pg_held;
typedef struct pg_node pg_node;
typedef struct pg_gathering pg_gathering;
typedef struct pg_blobs pg_blobs;

typedef struct postgresql_store { ///< what a store has of this kind
  pg_pool pool;
  char node_id[ID_SIZE];       ///< this process as one of those that run jobs
  char node_before[ID_SIZE];   ///< the folder's last one, "": it had none
  pg_node *node;               ///< nodes/renewal.c
  pg_news *news;               ///< database/news.c
  pg_progress *progress;       ///< progress.c
  pg_turns *turns;             ///< jobs/turns.c
  pg_gathering *claims, *ends; ///< jobs/gather.c
  pg_held *held;               ///< nodes/held.c
  pg_blobs *blobs;             ///< blobs/
} postgresql_store;

static inline postgresql_store *postgresql_of(const store *s) {
  assert(s->rows_state);
  return s->rows_state;
}

enum { PG_BACKOFF_MS = 60000 }; ///< at most: a job that is due later than this is due, as the clock was set back

// ------------------------------------------------------------------------------------------------------------- nodes

/// This process as one of those that run jobs: its name, and threads that renew its lease and end its work when they
/// cannot. NULL with a sentence.
pg_node *pg_node_start(store *s, char message[STORE_MESSAGE_SIZE]);
/// Its attempts are nobody's from now on.
void pg_node_stop(pg_node *node);
static inline const char *pg_node_id(const store *s) { return postgresql_of(s)->node_id; }
/// Key of an advisory lock: claims of a node share it, and who drains the node has it alone.
#define PG_CLAIMS_OF(node) "hashtextextended('tendril claims ' || " node ", 0)"

// --------------------------------------------------------------------------------------------------------- documents

/// Documents that owners need: a JSON array of objects {owner, sha256}. Charged, each once.
store_status pg_documents_hold(pg_connection *c, const char *uses);
/// INSERT of a document by its content, nothing when it is there. `base` not NULL: `body` is what it has other than that
/// one.
store_status pg_document_put(pg_connection *c, const char *sha256, const char *body, const char *base);
typedef struct pg_document {
  char sha256[DIGEST_HEX_SIZE];
  char *body; ///< whole, to be freed; NULL: it is not there, or not as it was written
} pg_document;
/// Reads some at once.
store_status pg_documents_get(store *s, pg_document *list, int count);
/// After rows that needed some (an array as above, NULL: none) are gone: what nobody needs goes.
store_status pg_documents_release(pg_connection *c, const char *uses);

// ---------------------------------------------------------------------------------------------------------- holdings

/// Before a change of what an owner with bounds keeps: nobody else does so at the same time.
store_status pg_keep_begin(pg_connection *c, const char *owner, const store_keep *keep);
/// STORE_KEPT when an owner keeps more than he may of any of `bounds` (1 << store_bound | …). After a change, which is
/// undone then.
store_status pg_keep_check(pg_connection *c, const char *owner, unsigned bounds, store_keep *keep);

// -------------------------------------------------------------------------------------------------------------- jobs

/// Columns of a job of `j` (a table, its alias or rows that a change returned), and a row of them.
#define JOB_COLUMNS                                                                                                    \
  "j.seq, j.id, j.kind, j.state, j.attempt, j.crashes, j.priority, j.cancel, j.model_name, j.model_revision, "         \
  "j.model_sha256, j.document, j.labels, j.error, j.t_end, j.created_ms, j.started_ms, j.finished_ms, j.result_size, " \
  "j.result_sha256, j.retry_of, j.parent, CASE WHEN j.kind = 'sweep' THEN (SELECT concat_ws(' ', "                     \
  "s.queued + s.running - r.running, r.running, s.succeeded, s.failed, s.cancelled) FROM sweeps AS s, (SELECT "        \
  "count(*) AS running FROM jobs AS r WHERE r.parent = j.id AND r.state = 'running' AND r.kind <> 'sweep') AS r "      \
  "WHERE s.id = j.id) END, CASE WHEN j.state IN "                                                                      \
  "('running', 'failed', 'cancelled') OR j.kind = 'sweep' THEN (SELECT concat_ws(' ', e.data::json ->> 'fraction', "   \
  "e.data::json "                                                                                                      \
  "->> 't') FROM events AS e WHERE e.job = j.seq AND e.type = 'progress' AND (j.state <> 'running' OR e.attempt = "    \
  "j.attempt) ORDER BY e.seq DESC LIMIT 1) END, "                                                                      \
  "j.warnings, j.owner, j.queue, j.document_base, j.waiting, j.faults, j.model_owner, j.result_node, j.ran_on"
enum { JOB_COLUMN_COUNT = 33 };
void pg_read_job(const pg_rows *rows, store_job *job);
/// The row that a statement of JOB_COLUMNS gave; STORE_NOT_FOUND without one.
store_status pg_one_job(pg_rows *rows, store_status status, store_job *job);
store_status pg_select_job(pg_connection *c, const char *id, store_job *job);

/// `WITH j AS (UPDATE jobs … RETURNING jobs.*, now_ms() AS at)`, then this: the new state goes into the log of each.
#define STATE_TEXT(row)                                                                                                \
  "'{\"state\":\"' || " row ".state || '\"' || coalesce(',\"error\":' || " row ".error, '') || "                       \
  "coalesce(',\"warnings\":' || " row ".warnings, '') || '}'"
#define TELL_STATES                                                                                                    \
  ", told AS (INSERT INTO events (job, seq, time_ms, attempt, type, data) SELECT j.seq, coalesce((SELECT max(o.seq) "  \
  "FROM events AS o WHERE o.job = j.seq), 0) + 1, j.at, j.attempt, 'state', " STATE_TEXT("j") " FROM j) "

typedef struct pg_submission { ///< jobs that come at once
  store_job **jobs;
  const char *const *model_documents, *const *model_bases; ///< of each; NULL: it is there, it is whole
  size_t count;
  int64_t places; ///< of a sweep among them, its first: charged
} pg_submission;
/// Adds rows with documents, labels and first events; seq and created_ms are filled. `first_place`, `now_ms` of the
/// first.
store_status pg_jobs_add(pg_connection *c, const pg_submission *x, int64_t first_place, int64_t now_ms);
/// Room for `count` more waiting jobs of a queue with so many bytes of documents (STORE_PRECONDITION, STORE_SHARE); when
/// and where they come.
store_status pg_job_room(pg_connection *c, const store_room *room, const char *queue, int64_t count, int64_t bytes,
                         int64_t *place, int64_t *now_ms);
/// STORE_EXISTS when the request's key has a job already.
store_status pg_request_keep(pg_connection *c, const store_request *request, const char *id);

typedef struct pg_id_list { ///< identifiers of jobs
  char (*id)[ID_SIZE];      ///< to be freed
  size_t count;
} pg_id_list;
/// The identifiers that a statement gave in its first column, in the place of those before.
store_status pg_ids(pg_rows *rows, store_status status, pg_id_list *list);
/// Deletes jobs whatever their state, with all that hangs on them.
store_status pg_jobs_remove(pg_connection *c, const pg_id_list *jobs);
/// Deletes a sweep with its jobs, as store_job_delete.
store_status pg_sweep_delete(store *s, const char *id);
/// Jobs of this sweep are running from now on: so is it. Its counts are not written, nor locked.
store_status pg_sweep_begins(pg_connection *c, const char *sweep);
/// So many jobs of this sweep ("": none) went to this state, to wait or to their end: its counts, state and events go
/// along.
store_status pg_sweep_follow(pg_connection *c, const char *sweep, job_state to, int64_t jobs);
/// Takes back what a node that is gone had running, or cancels it where that was asked: the one of this name, or
/// (NULL) all whose lease is over. *count jobs wait again.
store_status pg_reap(store *s, const char *gone, int *count);
/// Takes back what the rows say that this process runs, and it does not: all but `held`.
store_status pg_reap_lost(store *s, const char *held);

/// Whether an attempt of a job is held here.
bool pg_held_has(store *s, const char *id);

pg_turns *pg_turns_make(void);
void pg_turns_free(pg_turns *turns);
pg_gathering *pg_gathering_make(void);
void pg_gathering_free(pg_gathering *g);
pg_held *pg_held_make(void);
void pg_held_free(pg_held *held);
/// The answer to a claim was lost, or may have been: it may have been committed.
void pg_held_doubt(store *s);
/// What is held here, as a JSON array (to be freed), when a claim's answer was lost some seconds ago; else NULL.
char *pg_held_list(store *s);

// ------------------------------------------------------------------------------------------------------------- blobs

/// What a process keeps of blobs that are in the database.
pg_blobs *pg_blobs_make(void);
void pg_blobs_free(pg_blobs *b);

// ------------------------------------------------------------------------------------------------------------ events

/// Progress and samples, written some twenty times a second in one change for all jobs.
pg_progress *pg_progress_start(store *s);
/// Writes what waits, and ends.
void pg_progress_stop(pg_progress *p);
/// What was told of this job is written when this returns: before its end is.
void pg_progress_flush(store *s, const char *id);
/// Adds progress of a sweep, in the change that moves a job of it, and forgets the oldest.
store_status pg_sweep_progress(pg_connection *c, const char *sweep, const store_progress *at);
/// Adds a remark to the log of a job; `attempt` < 0: of whichever it is. STORE_PRECONDITION without such a job.
store_status pg_event_remark(pg_connection *c, const char *id, int64_t attempt, const char *level, const char *message);
#endif
