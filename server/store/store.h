// What the service remembers: models, their revisions, jobs and their results.
//
// The interface says nothing of SQL; the implementation is SQLite (sqlite.c, models.c, jobs.c; SQL stands there and in
// migrations/ only). One process owns a data folder (lock file); inside it one connection writes, behind a mutex, and a
// few connections read. Every function is thread-safe. What a function returned OK for is on the disk.
//
// Folder:  tendril.db (+ -wal, -shm)   lock   results/ID.npz   parts/ID.*   tmp/ (attempts in progress, emptied at start)
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include "base/digest.h"
#include "base/id.h"
#include "store/states.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct store store;

typedef enum store_status {
  STORE_OK,
  STORE_NOT_FOUND,
  STORE_EXISTS,       ///< the name is taken
  STORE_PRECONDITION, ///< the row is not what the caller expected (If-Match, a job's state, a stale attempt)
  STORE_FULL,         ///< no space, or the disk fails: nothing was changed
  STORE_FAILED,       ///< a defect; logged
} store_status;

enum { STORE_NAME_SIZE = 64, STORE_KIND_SIZE = 16, STORE_MESSAGE_SIZE = 256 };

/// Opens or creates a data folder and migrates it.
/// @return NULL with one sentence in `message`: folder not writable, locked by another server, newer than this program
store *store_open(const char *folder, char message[STORE_MESSAGE_SIZE]);
void store_close(store *s);
/// STORE_OK when a read works: the readiness probe.
store_status store_ping(store *s);

// ---------------------------------------------------------------------------------------------------------- models

typedef struct store_model {
  char name[STORE_NAME_SIZE];
  int64_t revision;
  char sha256[DIGEST_HEX_SIZE];
  int64_t created_ms; ///< of this revision
  char *document;     ///< owned, NUL-terminated; NULL in lists
} store_model;
void store_model_fini(store_model *m);

typedef enum store_put_mode { STORE_CREATE, STORE_UPSERT } store_put_mode;
typedef enum store_put_effect { STORE_CREATED, STORE_REVISED, STORE_UNCHANGED } store_put_effect;

/// Stores a document under a name as its next revision; identical bytes make none.
/// @param if_match  sha256 that the current revision must have, "*" any, NULL no condition (STORE_PRECONDITION)
/// @return STORE_EXISTS for STORE_CREATE of a name that is taken
store_status store_model_put(store *s, store_put_mode mode, const char *name, const char *document, const char *sha256,
                             const char *if_match, store_model *model, store_put_effect *effect);
/// revision 0: the newest. Revisions of deleted models are gone for readers.
store_status store_model_get(store *s, const char *name, int64_t revision, store_model *model);
store_status store_model_delete(store *s, const char *name, const char *if_match);

struct store_job;
struct store_event;
typedef struct store_visit { ///< called once per row; the row dies after the call
  void *context;
  void (*model)(void *context, const store_model *model);
  void (*job)(void *context, const struct store_job *job);
  void (*event)(void *context, const struct store_event *event);
} store_visit;

/// Names in alphabetic order after `after` (NULL: from the start).
store_status store_model_list(store *s, const char *after, int limit, const store_visit *visit);
/// Revisions of one model, rising.
store_status store_model_revisions(store *s, const char *name, const store_visit *visit);

// ------------------------------------------------------------------------------------------------------------ jobs

typedef struct store_job {
  int64_t seq;
  char id[ID_SIZE];
  char kind[STORE_KIND_SIZE];
  job_state state;
  int attempt, crashes, priority;
  bool cancel;
  char model_name[STORE_NAME_SIZE]; ///< "" for an inline model
  int64_t model_revision;
  char model_sha256[DIGEST_HEX_SIZE];
  char *document;                              ///< owned JSON text, as all below
  char *labels;                                ///< object of strings
  char *error;                                 ///< NULL, or an object {code, detail}
  double t_end;                                ///< NaN when the kind has none
  int64_t created_ms, started_ms, finished_ms; ///< 0: not yet
  int64_t result_size;
  char result_sha256[DIGEST_HEX_SIZE];
  char retry_of[ID_SIZE], parent[ID_SIZE]; ///< "": none
} store_job;
void store_job_fini(store_job *job);

typedef struct store_request { ///< a request that may come twice
  const char *key;             ///< chosen by the client; NULL: none
  const char *sha256;          ///< of its body
} store_request;

/// Inserts a queued job; seq and created_ms are filled. STORE_PRECONDITION when `limit` jobs are waiting, STORE_EXISTS when
/// the request's key has a job already.
/// @param model_document  NULL when the store is known to have it (of another job)
store_status store_job_insert(store *s, store_job *job, const char *model_document, int64_t limit,
                              const store_request *request);
/// The job that the request's key was used for. STORE_PRECONDITION when that was another body.
store_status store_job_find_request(store *s, const store_request *request, store_job *job);
store_status store_job_get(store *s, const char *id, store_job *job);
/// The model document of a job, by its model_sha256.
store_status store_document_get(store *s, const char *sha256, char **document);

typedef struct store_job_filter {
  const char *state, *kind, *model, *parent, *label_key, *label_value; ///< NULL: any
  int64_t since_ms, until_ms;                                          ///< of creation; 0: any
  int64_t before_seq;                                                  ///< cursor; 0: from the newest
  int limit;
} store_job_filter;
/// Newest first.
store_status store_job_list(store *s, const store_job_filter *filter, const store_visit *visit);

/// Takes the queued job of the highest priority, then age, into `running` with attempt + 1, and its model's document. A
/// minute of waiting raises the priority by one.
/// STORE_NOT_FOUND when nothing is due; then *next_due_ms is when to look again (0: not before a submission).
store_status store_job_claim(store *s, store_job *job, char **model_document, int64_t *next_due_ms);

typedef struct store_outcome {
  job_state state;     ///< terminal
  const char *error;   ///< JSON or NULL
  int64_t result_size; ///< 0: no result
  const char *result_sha256;
} store_outcome;
/// Ends attempt `attempt` of a running job. STORE_PRECONDITION when that attempt no longer owns the job.
store_status store_job_finish(store *s, const char *id, int attempt, const store_outcome *outcome);
/// Puts a running job back. `crashed` counts against LIMIT_ATTEMPTS; the next claim waits for delay_ms from now.
store_status store_job_requeue(store *s, const char *id, int attempt, bool crashed, int64_t delay_ms);
/// At start: what a dead server left running is queued again. *count jobs.
store_status store_job_requeue_running(store *s, int *count);
/// Cancels a queued job at once; marks a running one (its worker is told by the queue). *job is the row afterwards.
store_status store_job_cancel(store *s, const char *id, store_job *job);
/// Deletes a job that is not running (STORE_PRECONDITION) and its result.
store_status store_job_delete(store *s, const char *id);
/// Jobs per state.
store_status store_job_counts(store *s, int64_t counts[JOB_STATE_COUNT]);

// ---------------------------------------------------------------------------------------------------------- events

enum { STORE_PROGRESS_KEPT = 64 }; ///< progress events of one job that remain

typedef struct store_event {
  int64_t seq; ///< 1, 2, … in its job; gaps where progress was pruned
  int64_t time_ms;
  int attempt;
  const char *type; ///< "state", "progress" or "log"
  const char *data; ///< JSON object: {state, error}, {fraction, t, t_end} or {level, message}
} store_event;

/// Changes of state write their own events. This adds progress of an attempt: STORE_PRECONDITION when it does not own the
/// job any more.
store_status store_job_progress(store *s, const char *id, int attempt, double fraction, double t, double t_end);
/// Adds a remark about an attempt; level as in logs.
store_status store_job_remark(store *s, const char *id, int attempt, const char *level, const char *message);
/// Events after number `after`, rising. *ended: the job is over and has no events beyond those of the log now.
store_status store_event_list(store *s, const char *id, int64_t after, int limit, const store_visit *visit,
                              bool *ended);
/// Who is told, after the commit and in the thread that wrote, that a job has new events or was deleted. NULL: nobody; when
/// that returns, no call is under way.
void store_on_event(store *s, void (*notify)(void *context, const char *id), void *context);

// --------------------------------------------------------------------------------------------------------- results

/// A new empty file for the result of one attempt, in tmp/. -1 with errno.
int store_result_create(store *s, const char *id, int attempt);
/// Makes the file of an attempt the job's result: fdatasync, rename, fsync of the folder. The row follows by
/// store_job_finish; a crash between the two leaves a file that the next attempt replaces.
store_status store_result_commit(store *s, const char *id, int attempt, int fd);
/// Removes the file of an attempt that failed.
void store_result_discard(store *s, const char *id, int attempt);
/// Opens a result for reading; -1 with errno.
int store_result_open(store *s, const char *id);
// ------------------------------------------------------------------------------------- what survives the attempts

typedef struct store_part {
  int fd;                   ///< rows of the result so far; -1: closed
  uint64_t committed, size; ///< bytes of rows: under the last checkpoint, written
  void *state;              ///< of the last checkpoint, NULL: none
  size_t state_size;
} store_part;

/// For an attempt: rows cut to the last checkpoint, created when there are none. STORE_FULL when that cannot be.
store_status store_part_open(store *s, const char *id, store_part *part);
/// For a reader: the committed prefix stays as it is while others append. STORE_NOT_FOUND without a checkpoint.
store_status store_part_read(store *s, const char *id, store_part *part);
void store_part_close(store_part *part);
/// Writes rows at `offset`, at most part->size; those after it are given up, and a checkpoint that counted them.
store_status store_part_write(store *s, const char *id, store_part *part, uint64_t offset, const void *bytes,
                              size_t size);
/// Makes all rows and `state` the job's checkpoint. STORE_PRECONDITION when the attempt does not own the job any more.
store_status store_part_commit(store *s, const char *id, int attempt, store_part *part, const void *state, size_t size);
void store_part_remove(store *s, const char *id);
/// At start: removes what a dead server left of jobs that succeeded or were deleted.
void store_part_sweep(store *s);

/// Folder for temporary files of workers.
const char *store_tmp_folder(const store *s);

#endif
