// The SQLite kind of rows: its functions, and what its files share above the database.
#ifndef SERVER_STORE_SQLITE_SQLITE_H
#define SERVER_STORE_SQLITE_SQLITE_H

#include "store/sqlite/database/database.h"
#include "store/sqlite/digests.h"

enum { SQLITE_BACKOFF_MS = 60000 }; ///< at most: a job that is due later than this is due, as the clock was set back
/// Size of the write-ahead log.
int64_t sqlite_wal_bytes(const store *s);
/// Reads take at most this long instead of LIMIT_READ_S (before other threads use the store).
void sqlite_limit_reads(store *s, double seconds);

/// Makes ending(name) known to the connection: how many jobs of a queue end.
bool sqlite_register_ending(store *s, sqlite3 *db);
/// INSERT of a document by its content, nothing when it is there.
/// `base` not NULL: `body` is what it has other than that one.
store_status sqlite_document_put(connection *c, const char *sha256, const char *body, const char *base);
/// A whole document, as it stands there.
store_status sqlite_document_read(connection *c, const char *sha256, char **document);
/// STORE_KEPT when an owner keeps more than he may of any of `bounds` (1 << store_bound | …), with `more` jobs to come.
/// After a change: its savepoint undoes it.
store_status sqlite_keep_check(connection *c, const char *owner, unsigned bounds, int64_t more, store_keep *keep);
/// Counts anew what every owner keeps: after a change of owners.
store_status sqlite_keep_recount(connection *c);

/// What a change of rows takes of what its owner may keep, or gives back, in the same change (charges.c). A job, after
/// its INSERT; one that goes, before its DELETE; the bytes of a result that a job has come to; a request's key; the
/// places of a sweep's jobs; an event with its number; a whole document in the place of a difference.
store_status sqlite_charge_job_comes(connection *c, const store_job *job);
store_status sqlite_charge_job_goes(connection *c, const char *id);
store_status sqlite_charge_result(connection *c, const char *owner, int64_t size);
store_status sqlite_charge_key(connection *c, const char *owner);
store_status sqlite_charge_places(connection *c, const char *owner, int64_t jobs);
store_status sqlite_charge_event(connection *c, int64_t job, int64_t seq);
store_status sqlite_charge_document_whole(connection *c, const char *sha256);
/// The same of a model that there was not, or was deleted (`known`: its name was remembered), one that is deleted,
/// names of deleted ones that are forgotten, and of revisions.
store_status sqlite_charge_model_comes(connection *c, const char *owner, bool known);
store_status sqlite_charge_model_deleted(connection *c, const char *owner);
store_status sqlite_charge_names_forgotten(connection *c, const char *owner, int64_t names);
store_status sqlite_charge_revision_comes(connection *c, const char *owner, const char *sha256);
store_status sqlite_charge_revision_goes(connection *c, const char *owner, const char *sha256);

/// INSERT of the events that a SELECT of job, seq, time_ms, attempt, type, data (by these names) gives: for
/// sqlite_event_add.
#define STORE_ADD_EVENTS(select)                                                                                       \
  "INSERT INTO events (job, seq, time_ms, attempt, type, data, digest) SELECT e.*, " STORE_EVENT_DIGEST                \
  " FROM (" select ") AS e RETURNING job, seq"

/// Columns of a job, and a row of them.
#define JOB_COLUMNS                                                                                                    \
  "seq, id, kind, state, attempt, crashes, priority, cancel, model_name, model_revision, model_sha256, document, "     \
  "labels, error, t_end, created_ms, started_ms, finished_ms, result_size, result_sha256, "                            \
  "retry_of, parent, CASE WHEN kind = 'sweep' THEN (SELECT printf('%d %d %d %d %d', s.queued, s.running, "             \
  "s.succeeded, s.failed, s.cancelled) FROM sweeps AS s WHERE s.id = jobs.id) END, "                                   \
  "CASE WHEN state IN ('failed', 'cancelled') OR kind = 'sweep' THEN (SELECT printf('%!.17g %!.17g', e.data ->> "      \
  "'fraction', "                                                                                                       \
  "e.data ->> 't') FROM events AS e WHERE e.job = jobs.seq AND e.type = 'progress' ORDER BY e.seq DESC LIMIT 1) END, " \
  "warnings, owner, queue, document_base, waiting, faults, digest IS NULL OR digest = " STORE_JOB_DIGEST(              \
      "owner") ", coalesce(model_owner, owner)"
enum { JOB_COLUMN_COUNT = 32 };
/// Of `job` (a table or its alias): what its rows take with document, labels, events and places in a sweep, as holdings
/// count it (migration 18).
#define STORE_ROW_BYTES(job)                                                                                           \
  "(2048 + length(CAST(" job ".document AS BLOB)) + 3 * length(CAST(" job ".labels AS BLOB)) + 8192 * EXISTS (SELECT " \
  "1 FROM events AS e WHERE e.job = " job ".seq AND e.seq > 8) + CASE WHEN " job ".kind = 'sweep' THEN coalesce(("     \
  "SELECT 256 * (s.queued + s.running + s.succeeded + s.failed + s.cancelled) FROM sweeps AS s WHERE s.id = " job      \
  ".id), 0) ELSE 0 END)"
void sqlite_read_job(sqlite3_stmt *stmt, store_job *job);
/// The row that a statement of JOB_COLUMNS gives; STORE_NOT_FOUND without one.
store_status sqlite_one_job(connection *c, sqlite3_stmt *stmt, store_job *job);
store_status sqlite_select_job(connection *c, const char *id, store_job *job);

/// Parts of a submission: room for `count` more waiting jobs with so many bytes of documents (STORE_PRECONDITION,
/// STORE_SHARE), a request's key that is free (STORE_EXISTS) and its use, a job with its document (NULL: it is there),
/// labels and first event.
store_status sqlite_job_room(connection *c, const store_room *room, const char *queue, int64_t count, int64_t bytes);
int64_t sqlite_job_bytes(const store_job *job, const char *model_document);
store_status sqlite_request_free(connection *c, const store_request *request);
store_status sqlite_request_keep(connection *c, const store_request *request, const char *id);
/// `incoming`: not to be seen or claimed yet.
store_status sqlite_job_add(connection *c, store_job *job, const char *model_document, const char *model_base,
                            bool incoming);
/// Removes the row of a job, whatever its state, and what hangs on it.
store_status sqlite_job_remove(connection *c, const char *id);
/// At start: what a dead server left of sweeps that came or went in pieces comes as a whole or goes.
store_status sqlite_sweep_repair(connection *c);

/// Deletes a sweep with its jobs, as store_job_delete.
store_status sqlite_sweep_delete(store *s, const char *id);

/// Runs a statement of STORE_ADD_EVENTS, and charges owners for what comes of it. *added (NULL: of no interest) events.
store_status sqlite_event_add(connection *c, sqlite3_stmt *stmt, int *added);
/// Adds the state that a job's row has now to its log, when status is STORE_OK; the status then.
store_status sqlite_event_state(connection *c, const char *id, store_status status);
store_status sqlite_event_state_at(connection *c, const char *id, int64_t now_ms);
/// Adds progress of a running attempt, and forgets the oldest. That of a sweep, whose t and t_end are numbers of jobs,
/// never falls: what was told already is the least.
store_status sqlite_event_progress(connection *c, const char *id, int64_t attempt, int64_t now_ms,
                                   const store_progress *at);
/// A job of this sweep ("": none) went from one state to another: its sweep's counts, state and events go along
/// (sweep_follow.c).
store_status sqlite_sweep_follow(connection *c, const char *sweep, job_state from, job_state to, int64_t now_ms);
/// For every running job: the state that a restart gives it.
store_status sqlite_event_restart(connection *c);
#endif
