// What the service remembers: models, their revisions, jobs and their results.
//
// The interface says nothing of SQL; the implementation is SQLite (sqlite.c, models.c, jobs.c; SQL stands there and in
// migrations/ only). One process owns a data folder (lock file); inside it one thread writes, as many changes at a time as
// wait for it, and a few connections read. Every function is thread-safe. What a function returned OK for is on the disk
// (a claim: when something else of its job is).
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
  STORE_AMBIGUOUS,    ///< several owners have one of this name
  STORE_SHARE,        ///< the owner has as many as one may have
  STORE_KEPT,         ///< the owner would keep more than one may: store_keep says of what
  STORE_PRECONDITION, ///< the row is not what the caller expected (If-Match, a job's state, a stale attempt)
  STORE_FULL,         ///< no space, or the disk fails: nothing was changed
  STORE_SLOW,         ///< a read was given up after LIMIT_READ_S
  STORE_FAILED,       ///< a defect; logged
  STORE_STOPPED,      ///< the device failed to keep what was written: nothing is written any more
} store_status;

enum { STORE_NAME_SIZE = 64, STORE_KIND_SIZE = 16, STORE_MESSAGE_SIZE = 256 };

/// Opens or creates a data folder and migrates it.
/// @return NULL with one sentence in `message`: folder not writable, locked by another server, newer than this program,
/// or its log has lost what was acknowledged
store *store_open(const char *folder, char message[STORE_MESSAGE_SIZE]);
/// The same, whatever its log has lost.
store *store_open_anyway(const char *folder, char message[STORE_MESSAGE_SIZE]);
void store_close(store *s);
/// Reads take at most this long instead of LIMIT_READ_S (before other threads use the store).
void store_limit_reads(store *s, double seconds);
/// Gives pages that deletions left free back to the file system, a bounded number, one small change after the other. *more: there
/// are more of them.
store_status store_shrink(store *s, bool *more);
/// Size of the write-ahead log.
int64_t store_wal_bytes(const store *s);
/// STORE_OK when a read works: the readiness probe.
store_status store_ping(store *s);
/// False with one sentence when the disk failed to keep what was written, is full, or the database was found damaged.
bool store_health(store *s, char message[STORE_MESSAGE_SIZE]);
/// Reads every page of the database and compares their structure, a table at a time; what is wrong is logged and kept for
/// store_health. `go_on` false ends it.
store_status store_quick_check(store *s, bool (*go_on)(void *context), void *context);

// ------------------------------------------------------------------------------------------------------------ bounds

typedef enum store_bound { ///< of what one owner keeps
  STORE_KEPT_JOBS,         ///< those of sweeps, too
  STORE_KEPT_SWEEPS,
  STORE_KEPT_MODELS,
  STORE_KEPT_KEYS,
  STORE_KEPT_BYTES,     ///< of documents and rows; results have a quota of their own
  STORE_KEPT_REVISIONS, ///< of one model
  STORE_BOUND_COUNT
} store_bound;

typedef struct store_keep {
  int64_t most[STORE_BOUND_COUNT]; ///< 0: no bound
  int64_t names;                   ///< of deleted models that are remembered; 0: all
  store_bound beyond;              ///< out, with STORE_KEPT: which one, and how many there would be
  int64_t would;
} store_keep;

enum { STORE_PLACE_BYTES = 256 }; ///< that a job's place in a sweep is charged, whether it is new or taken over

typedef struct store_holding { ///< of one owner
  int64_t count[STORE_BOUND_COUNT];
  int64_t results; ///< bytes
} store_holding;
/// What an owner ("": nobody) keeps; revisions are not counted. Zeros when that is nothing.
store_status store_holding_get(store *s, const char *owner, store_holding *holding);
/// What an owner takes of the disk, with results, and whether that is more than an equal part of what all take: *bytes of *all, of *owners who have something or a
/// token to make it with.
store_status store_holding_share(store *s, const char *owner, int64_t *bytes, int64_t *all, int64_t *owners);

// ---------------------------------------------------------------------------------------------------------- models

/// Whose models are meant. Names are one's own: two owners may have a model of the same name, and "" is the owner of those that
/// all share. A name means the one of `owner`, else the shared one, else, where `all` are seen, the one that somebody else has.
typedef struct store_whose {
  const char *owner; ///< not NULL
  bool exactly;      ///< only the one of `owner`
  bool all;          ///< everybody's are seen
} store_whose;

typedef struct store_model {
  char name[STORE_NAME_SIZE];
  char owner[STORE_NAME_SIZE]; ///< "": nobody, it is shared
  int64_t revision;
  char sha256[DIGEST_HEX_SIZE];
  int64_t created_ms; ///< of this revision
  char *document;     ///< owned, NUL-terminated; NULL in lists
} store_model;
void store_model_fini(store_model *m);

typedef enum store_put_mode { STORE_CREATE, STORE_UPSERT } store_put_mode;
typedef enum store_put_effect { STORE_CREATED, STORE_REVISED, STORE_UNCHANGED } store_put_effect;

/// Stores a document under a name of an owner as its next revision; identical bytes make none.
/// @param if_match  sha256 that the current revision must have, "*" any, NULL no condition (STORE_PRECONDITION)
/// @param keep      what the owner may keep; NULL: no bounds
/// @return STORE_EXISTS for STORE_CREATE of a name that is taken, STORE_KEPT
store_status store_model_put(store *s, store_put_mode mode, const char *owner, const char *name, const char *document,
                             const char *sha256, const char *if_match, store_keep *keep, store_model *model,
                             store_put_effect *effect);
/// revision 0: the newest. Revisions of deleted models are gone for readers: a number that one's own model had never comes to mean
/// a shared one's. STORE_AMBIGUOUS when neither is there and several others have one.
store_status store_model_get(store *s, const store_whose *whose, const char *name, int64_t revision,
                             store_model *model);
/// Whose model a name means: what store_model_get would find, without its document.
store_status store_model_find(store *s, const store_whose *whose, const char *name, store_model *model);
/// Its revisions go, with documents that nothing else needs; jobs keep theirs. The name is remembered, so that no number is given
/// twice; of one owner `keep`->names at most, and what comes after a forgotten one has a higher number in any case.
store_status store_model_delete(store *s, const char *owner, const char *name, const char *if_match,
                                const store_keep *keep);
/// At start: revisions of deleted models, which a crash or an older program has left.
store_status store_model_forget(store *s);

struct store_job;
struct store_event;
struct store_sweep_job;
struct store_token;
struct store_queue;
typedef struct store_visit { ///< called once per row; the row dies after the call
  void *context;
  void (*model)(void *context, const store_model *model);
  void (*job)(void *context, const struct store_job *job);
  void (*event)(void *context, const struct store_event *event);
  void (*sweep_job)(void *context, const struct store_sweep_job *job);
  void (*token)(void *context, const struct store_token *token);
  void (*queue)(void *context, const struct store_queue *queue);
} store_visit;

/// Models in alphabetic order of name and owner after `after` (name NULL: from the start). Of a name that means one's own the
/// shared one is left out, unless all are seen.
store_status store_model_list(store *s, const store_whose *whose, const char *after_name, const char *after_owner,
                              int limit, const store_visit *visit);
/// Revisions of one model, rising.
store_status store_model_revisions(store *s, const char *owner, const char *name, int64_t after, int limit,
                                   const store_visit *visit);

// ------------------------------------------------------------------------------------------------------------ jobs

typedef struct store_job {
  int64_t seq;
  char id[ID_SIZE];
  char kind[STORE_KIND_SIZE];
  job_state state;
  int attempt, crashes, priority;
  bool cancel;
  char model_name[STORE_NAME_SIZE];  ///< "" for an inline model
  char model_owner[STORE_NAME_SIZE]; ///< "": nobody's, it is shared
  int64_t model_revision;
  char model_sha256[DIGEST_HEX_SIZE];
  char *document;                              ///< owned JSON text, as all below; see document_base
  char *labels;                                ///< object of strings
  char *error;                                 ///< NULL, or an object {code, detail}
  char *warnings;                              ///< NULL, or an array of {code, detail, pointer}
  char *waiting;                               ///< what it was put back for last (store_job_wait), NULL: nothing
  int faults;                                  ///< how often in a row
  bool damaged;                                ///< the row is not what was written
  double t_end;                                ///< NaN when the kind has none
  double fraction, t;                          ///< how far a failed or cancelled job came; else 0
  int64_t created_ms, started_ms, finished_ms; ///< 0: not yet
  int64_t result_size;
  char result_sha256[DIGEST_HEX_SIZE];
  char retry_of[ID_SIZE], parent[ID_SIZE]; ///< "": none
  char document_base
      [DIGEST_HEX_SIZE];         ///< "": none; else `document` is what it has other than this one (store_job_whole)
  char owner[STORE_NAME_SIZE];   ///< "": nobody
  char queue[STORE_NAME_SIZE];   ///< queues take turns: an owner's, "": everybody's, STORE_EXPRESS: always first
  int64_t jobs[JOB_STATE_COUNT]; ///< of a sweep: its jobs by state
} store_job;
void store_job_fini(store_job *job);

typedef struct store_request { ///< a request that may come twice
  const char *key;             ///< chosen by the client; NULL: none
  const char *owner;           ///< to whom the key means something; "": to all
  const char *sha256;          ///< of its body
} store_request;

#define STORE_EXPRESS "!"
typedef struct store_room { ///< how many jobs may wait
  int64_t all;              ///< of everybody
  int64_t each,
      each_bytes;   ///< in one queue, and their documents; 0: no bound. Not of the queue of all and the express one
  store_keep *keep; ///< how much their owner may keep; NULL: no bounds
} store_room;

/// Inserts a queued job; seq and created_ms are filled. STORE_PRECONDITION when there is no room for it, STORE_SHARE when there is
/// none in its queue, STORE_KEPT when its owner would keep too much, STORE_EXISTS when the request's key has a job already.
/// @param model_document  NULL when the store is known to have it (of another job)
store_status store_job_insert(store *s, store_job *job, const char *model_document, const store_room *room,
                              const store_request *request);
/// The job that the request's key was used for. STORE_PRECONDITION when that was another body.
store_status store_job_find_request(store *s, const store_request *request, store_job *job);
store_status store_job_get(store *s, const char *id, store_job *job);
/// The same of an owner's; NULL: of anybody's. A job of somebody else is not found.
store_status store_job_find(store *s, const char *owner, const char *id, store_job *job);
/// Puts the whole document in the place of a difference; nothing where it is whole.
store_status store_job_whole(store *s, store_job *job);
/// The model document of a job, by its model_sha256.
store_status store_document_get(store *s, const char *sha256, char **document);

typedef struct store_job_filter {
  const char *state, *kind, *model, *parent, *label_key, *label_value; ///< NULL: any
  int64_t since_ms, until_ms;                                          ///< of creation; 0: any
  const char *owner;                                                   ///< NULL: anybody, "": nobody
  int64_t before_seq;                                                  ///< cursor; 0: from the newest
  int limit;
} store_job_filter;
/// Where a page ended, as text that tells nothing of what others submit, and back; false for a text that is no cursor of this folder.
enum { STORE_CURSOR_SIZE = 33 };
void store_cursor_write(const store *s, int64_t seq, char text[STORE_CURSOR_SIZE]);
bool store_cursor_read(const store *s, const char *text, int64_t *seq);
/// Newest first.
store_status store_job_list(store *s, const store_job_filter *filter, const store_visit *visit);

/// Takes the next queued job into `running` with attempt + 1, and its model's document: of the queue of which the fewest run (of
/// two the one that was served less, by the time of workers that it used, of which ten seconds are remembered while it has no jobs) the one of the highest priority, then age. A minute of waiting raises the priority by one. The one write that does not wait for the disk: whatever the attempt writes
/// afterwards does, and takes the claim along.
/// STORE_NOT_FOUND when nothing is due; then *next_due_ms is when to look again (0: not before a submission).
store_status store_job_claim(store *s, store_job *job, char **model_document, int64_t *next_due_ms);
/// A job of a queue has computed for so long: by that, and by what comes first, claims know which queue was served less. Returns at once.
void store_queue_used(store *s, const char *queue, double used_s);
/// A job of a queue computes no more, and its end is being written (true), or was (false): claims do not count it among those that run.
void store_queue_ends(store *s, const char *queue, bool begins);

typedef struct store_queue {
  char name[STORE_NAME_SIZE];
  int64_t queued, running;
  int priority;   ///< of the job that will be taken from it next
  int64_t key_ms; ///< by which jobs of a queue are ordered, of that one
} store_queue;
/// Queues in which a job waits that is due, in the order of their turns: visit->queue.
store_status store_queue_list(store *s, const store_visit *visit);

typedef struct store_outcome {
  job_state state;      ///< terminal
  const char *error;    ///< JSON or NULL
  const char *warnings; ///< JSON array; NULL: none, "": those of the submission stay
  int64_t result_size;  ///< 0: no result
  const char *result_sha256;
  double t_end; ///< where it ended, if that was not known when it was submitted (a path of equilibria); 0: stays
  job_state ended; ///< out: the state that it has now
} store_outcome;
/// Ends attempt `attempt` of a running job. STORE_PRECONDITION when that attempt no longer owns the job. One whose cancel was
/// acknowledged does not succeed any more: it ends as cancelled, and its result is removed.
store_status store_job_finish(store *s, const char *id, int attempt, store_outcome *outcome);
/// Puts a running job back. `crashed` counts against LIMIT_ATTEMPTS; the next claim waits for delay_ms from now.
store_status store_job_requeue(store *s, const char *id, int attempt, bool crashed, int64_t delay_ms);
/// Puts a running job back because of what the machine lacks, which is not counted against it: it is tried again after a quarter of a second, twice
/// as long each time in a row, at most a minute. `why` is kept in the row, and a remark the first time.
store_status store_job_wait(store *s, const store_job *job, const char *why);
/// At start: what a dead server left running is queued again. *count jobs.
store_status store_job_requeue_running(store *s, int *count);
/// Cancels a queued job at once; marks a running one (its worker is told by the queue). *job is the row afterwards.
store_status store_job_cancel(store *s, const char *id, store_job *job);
/// Deletes a job that is not running (STORE_PRECONDITION) and its result. With a sweep go its jobs; those that a retry of it
/// has taken over stay, as jobs of that sweep.
store_status store_job_delete(store *s, const char *id);
/// Jobs per state.
store_status store_job_counts(store *s, int64_t counts[JOB_STATE_COUNT]);
/// The same of one owner's.
store_status store_job_counts_of(store *s, const char *owner, int64_t counts[JOB_STATE_COUNT]);

typedef struct store_sizes { ///< bytes
  int64_t database, wal, results;
} store_sizes;
store_status store_sizes_read(store *s, store_sizes *sizes);
/// Bytes of all results and of the rows and documents of all jobs.
store_status store_result_bytes(store *s, int64_t *bytes);

// ---------------------------------------------------------------------------------------------------------- sweeps

typedef struct store_sweep_job {
  store_job row;
  const char *model_document; ///< NULL when the store is known to have it
  const char *model_base;     ///< not NULL: model_document is what it has other than this one (its sha256)
  int64_t position, rows;     ///< place in the sweep, rows that it adds to its result
  bool taken_over;            ///< not new: a job of the sweep that this one retries, which succeeded
} store_sweep_job;

/// Inserts a sweep and its jobs, whose rows name it as their parent, at once. As store_job_insert.
/// What the jobs' documents have as their document_base is stored first: `base`, NULL: none. A large sweep comes in pieces, and
/// others write in between; it is there as a whole when this returns, or not at all.
store_status store_sweep_insert(store *s, store_job *sweep, const char *model_document, const char *base,
                                store_sweep_job *jobs, size_t count, const store_room *room,
                                const store_request *request);
/// The jobs of a sweep in their order (visit->sweep_job).
store_status store_sweep_jobs(store *s, const char *id, const store_visit *visit);
/// Cancels the waiting jobs of a sweep at once (*waiting of them) and marks the running ones; their workers are told by the
/// queue.
store_status store_sweep_cancel(store *s, const char *id, size_t *waiting);
/// A job of this sweep changed: tells those who watch the sweep.
void store_sweep_changed(store *s, const char *id);

// ---------------------------------------------------------------------------------------------------------- events

enum { STORE_PROGRESS_KEPT = 64 }; ///< events of progress and samples of one job that remain

typedef struct store_event {
  int64_t seq; ///< 1, 2, … in its job; gaps where progress was pruned
  int64_t time_ms;
  int attempt;
  const char *type; ///< "state", "progress", "samples" or "log"
  const char *data; ///< JSON object: {state, error}, {fraction, t, t_end, phase}, {rows} or {level, message}
} store_event;

typedef struct store_progress {
  double fraction, t, t_end;
  bool checking; ///< the event says so as its phase
} store_progress;

/// Changes of state write their own events. This adds progress of an attempt, with the next commit and within a twentieth
/// of a second; nothing when the attempt does not own the job any more. STORE_FULL when too much is waiting to be written.
store_status store_job_progress(store *s, const char *id, int attempt, const store_progress *now);
/// The same for the rows of the result that the last checkpoint keeps.
store_status store_job_samples(store *s, const char *id, int attempt, uint64_t rows);
/// Adds a remark about an attempt; level as in logs.
store_status store_job_remark(store *s, const char *id, int attempt, const char *level, const char *message);
/// Events after number `after`, rising. *ended: the job is over and has no events beyond those of the log now.
store_status store_event_list(store *s, const char *id, int64_t after, int limit, const store_visit *visit,
                              bool *ended);
enum { STORE_LISTENERS = 4 };
/// Tells somebody, after the commit and in a thread of the store or its caller, that a job has new events or was deleted. False
/// when STORE_LISTENERS are told already.
bool store_listen(store *s, void (*notify)(void *context, const char *id), void *context);
/// No more calls with this context; when it returns, none is under way.
void store_unlisten(store *s, void *context);

// --------------------------------------------------------------------------------------------------------- results

/// A new empty file for the result of one attempt, in tmp/. -1 with errno.
int store_result_create(store *s, const char *id, int attempt);
/// Makes the file of an attempt the job's result: fdatasync, rename, fsync of the folder. The row follows by
/// store_job_finish; a crash between the two leaves a file that the next attempt replaces.
store_status store_result_commit(store *s, const char *id, int attempt, int fd);
/// Removes the file of an attempt that failed.
void store_result_discard(store *s, const char *id, int attempt);

typedef enum store_result_condition {
  STORE_RESULT_GOOD,
  STORE_RESULT_MISSING,
  STORE_RESULT_CUT,       ///< of another size than the row says
  STORE_RESULT_DAMAGED,   ///< of another checksum
  STORE_RESULT_UNREADABLE ///< not to be told now: no descriptor, no leave, a disk that fails
} store_result_condition;
/// "its file is missing", …
const char *store_result_words(store_result_condition condition);
/// Opens the result of a job that succeeded and checks it against its row: its size, and the checksum unless this very file
/// (inode, size, time of change) was checked before. *fd is -1 unless STORE_RESULT_GOOD.
store_result_condition store_result_open(store *s, const struct store_job *job, int *fd);
/// Keeps what was found in the row: error {code: result_lost} and a remark in the log when the result is missing, cut or
/// damaged, neither when it is good (again). STORE_OK when the row says so already.
store_status store_result_report(store *s, const struct store_job *job, store_result_condition found);

typedef struct store_scan {
  int64_t results, lost, orphans; ///< out: results looked for, those missing or cut, files removed or set aside
  bool (*go_on)(void *context);   ///< asked now and then; false ends the scan. NULL: to the end
  void *context;
} store_scan;
/// Compares rows and files of results: reports what is missing, cut or there again, removes files that nobody can want, and
/// moves those of which no row knows to lost+found/.
store_status store_result_scan(store *s, store_scan *scan);
/// How many files of results there are, and of how many no row knows: many, when the database is an older copy.
store_status store_result_count_unknown(store *s, int64_t *files, int64_t *unknown);
/// A result file as it lies there, whatever its row says; -1 when there is none.
int store_result_find(store *s, const char *id);

typedef struct store_old_job {
  char id[ID_SIZE];
  int64_t finished_ms, result_size; ///< of its result, row and document; of a sweep with those of its jobs
} store_old_job;
/// Jobs that ended before a time, the oldest first; with_result: those that take space for one, otherwise those that were
/// submitted before every job that ended later. `owner` NULL: everybody's; "": nobody's.
store_status store_job_oldest(store *s, const char *owner, int64_t before_ms, bool with_result, int limit,
                              store_old_job *jobs, int *count);
/// What jobs and results of each owner ("": nobody) take: all who have some, or a token to make some with.
store_status store_owner_bytes(store *s, void (*each)(void *context, const char *owner, int64_t bytes), void *context);

/// Jobs that have ended: how many, and when the last one did (0: none has).
store_status store_job_ended(store *s, int64_t *count, int64_t *last_ms);

// ---------------------------------------------------------------------------------------------------------- tokens

enum { STORE_SCOPE_SIZE = 8 };

typedef struct store_token {
  char id[ID_SIZE];
  char name[STORE_NAME_SIZE];
  char scope[STORE_SCOPE_SIZE]; ///< "read", "run" or "admin"
  char owner[STORE_NAME_SIZE];  ///< of what it makes; of a read token: whose things it looks at, "": everybody's
  char sha256[DIGEST_HEX_SIZE]; ///< of the secret, which nobody keeps
  int64_t created_ms;
} store_token;

/// Inserts a token. STORE_EXISTS when another one has its name; STORE_PRECONDITION when there are `limit` already, STORE_SHARE when its
/// owner has `each` (0: no bound).
store_status store_token_insert(store *s, const store_token *token, int64_t limit, int64_t each);
/// Deletes a token by its id, or else by its name; *id is its id.
store_status store_token_delete(store *s, const char *id_or_name, char id[ID_SIZE]);
/// Forgets every token, deleted ones too.
store_status store_token_clear(store *s);
/// Gives what belongs to one owner to another ("": nobody, everybody's), models of whose name the other has one excepted: *models and
/// *jobs were given, *kept models not.
store_status store_adopt(store *s, const char *from, const char *to, int64_t *jobs, int64_t *models, int64_t *kept);
/// Those that are not deleted, in the order of their making. *ever: there are some, or were.
store_status store_token_list(store *s, const store_visit *visit, bool *ever);

// ------------------------------------------------------------------------------------- what survives the attempts

typedef struct store_part {
  char owner[STORE_NAME_SIZE]; ///< of the job
  int fd;                      ///< rows of the result so far; -1: none, or closed
  uint64_t committed, size;    ///< bytes of rows: under the last checkpoint, written
  void *state;                 ///< of the last checkpoint, NULL: none
  size_t state_size;
  bool damaged;          ///< there was a checkpoint, but it or its rows are not as they were written
  int64_t kept, counted; ///< bytes of the checkpoint's file; of rows and checkpoint in store_part_bytes
  digest rows;           ///< of the first `digested` bytes of rows
  uint64_t digested;
} store_part;

/// For an attempt: rows cut to the last checkpoint; none are made before there is something to write. STORE_FULL when that
/// cannot be.
store_status store_part_open(store *s, const char *id, const char *owner, store_part *part);
/// For a reader: the committed prefix stays as it is while others append. STORE_NOT_FOUND without a checkpoint, or with a damaged
/// one.
store_status store_part_read(store *s, const char *id, store_part *part);
void store_part_close(store_part *part);
/// Writes rows at `offset`, at most part->size; those after it are given up, and a checkpoint that counted them. STORE_SHARE when parts
/// of its owner would take more than store_part_limit allows, although those of his jobs that have ended were dropped.
store_status store_part_write(store *s, const char *id, store_part *part, uint64_t offset, const void *bytes,
                              size_t size);
/// Makes all rows and `state` the job's checkpoint. STORE_PRECONDITION when the attempt does not own the job any more.
store_status store_part_commit(store *s, const char *id, int attempt, store_part *part, const void *state, size_t size);
void store_part_remove(store *s, const char *id, const char *owner);
/// Bytes of all parts, of running jobs and of those that failed or were cancelled.
int64_t store_part_bytes(store *s);
/// Of one owner ("": nobody).
int64_t store_part_bytes_of(store *s, const char *owner);
typedef struct store_part_limits { ///< bytes; `all` 0: no bound
  int64_t all, each;               ///< of one owner, where there are several
  int64_t owners;                  ///< who share it
} store_part_limits;
/// Rows beyond this are not taken any more. One who has no more than an equal part is not refused for what others have.
void store_part_limit(store *s, const store_part_limits *limits);
/// Drops what is kept of jobs that failed or were cancelled until all parts take at most so many bytes: of the owner who has most, the oldest first, and
/// where there are several, nothing of one who has no more than an equal part of the limit.
void store_part_drop_ended(store *s, int64_t bytes);
/// True when the checkpoint in this folder of parts and its rows are as they were written, or when there is none.
bool store_part_intact(const char *parts, const char *id);
/// At start: removes what a dead server left of jobs that succeeded or were deleted, and counts the rest.
void store_part_sweep(store *s);

/// An unlinked file in the data folder; -1 with errno.
int store_tmp_file(store *s);
/// True when a megabyte can be written.
bool store_has_room(const store *s);
/// False when documents of so many bytes would take from what is kept of the disk for small ones: a twentieth, at most 64 MiB.
bool store_has_reserve(const store *s, uint64_t bytes);
/// Size of the file system of the data folder; 0: unknown.
int64_t store_disk_bytes(const store *s);
/// True when temporary files of so many bytes leave a tenth of the disk, at most a GiB, to what is to be kept.
bool store_tmp_room(const store *s, uint64_t bytes);
/// The same as store_has_room as far as the file system tells at once: cheap enough to be asked before each job.
bool store_seems_to_have_room(const store *s);
/// The same as store_has_room of a data folder that is not open; true, too, when there is none yet.
bool store_folder_has_room(const char *folder);
/// Folder for temporary files of workers.
const char *store_tmp_folder(const store *s);

#endif
