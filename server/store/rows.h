// Rows: models, jobs, sweeps, events, tokens, keys and claims, as the service and the queue know them.
//
// Nothing here says SQL, files or processes. What remembers it is a kind of rows (rows_kind): a database in a data
// folder, and any other that gives the same functions. Each is thread-safe, and what it returned STORE_OK for is
// durable, unless its contract says otherwise. After its commits an implementation tells watchers (store_notify) and
// queues, where a job has come that may be claimed (store_notify_work), and of what goes it removes results and parts
// (store_job_gone).
#ifndef SERVER_STORE_ROWS_H
#define SERVER_STORE_ROWS_H

#include "store/status.h"

/// STORE_OK when a read works: the readiness probe.
store_status store_ping(store *s);
/// Gives space that deletions left free back to the file system, a bounded part of it, in small changes. *more: there
/// is more of it.
store_status store_shrink(store *s, bool *more);
/// Reads all that is stored and compares its structure, a piece at a time; what is wrong is logged and kept for
/// store_health. `go_on` false ends it.
store_status store_quick_check(store *s, bool (*go_on)(void *context), void *context);
enum { STORE_KEY_SIZE = 32 };
/// The key of cursors (store_cursor_write), which is made with the store and stays.
store_status store_cursor_key(store *s, unsigned char key[STORE_KEY_SIZE]);

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
/// What an owner takes of the disk, with results, and whether that is more than an equal part of what all take: *bytes
/// of *all, of *owners who have something or a token to make it with.
store_status store_holding_share(store *s, const char *owner, int64_t *bytes, int64_t *all, int64_t *owners);

// ---------------------------------------------------------------------------------------------------------- models

/// Whose models are meant. Names are one's own: two owners may have a model of the same name, and "" is the owner of
/// those that all share. A name means the one of `owner`, else the shared one, else, where `all` are seen, the one that
/// somebody else has.
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
/// revision 0: the newest. Revisions of deleted models are gone for readers: a number that one's own model had never
/// comes to mean a shared one's. STORE_AMBIGUOUS when neither is there and several others have one.
store_status store_model_get(store *s, const store_whose *whose, const char *name, int64_t revision,
                             store_model *model);
/// Whose model a name means: what store_model_get would find, without its document.
store_status store_model_find(store *s, const store_whose *whose, const char *name, store_model *model);
/// Its revisions go, with documents that nothing else needs; jobs keep theirs. The name is remembered, so that no
/// number is given twice; of one owner `keep`->names at most, and what comes after a forgotten one has a higher number
/// in any case.
store_status store_model_delete(store *s, const char *owner, const char *name, const char *if_match,
                                const store_keep *keep);
/// At start: revisions of deleted models, which a crash or an older program has left.
store_status store_model_forget(store *s);

struct store_job;
struct store_event;
struct store_sweep_job;
struct store_token;
struct store_queue;
struct store_node;
typedef struct store_visit { ///< called once per row; the row dies after the call
  void *context;
  void (*model)(void *context, const store_model *model);
  void (*job)(void *context, const struct store_job *job);
  void (*event)(void *context, const struct store_event *event);
  void (*sweep_job)(void *context, const struct store_sweep_job *job);
  void (*token)(void *context, const struct store_token *token);
  void (*queue)(void *context, const struct store_queue *queue);
  void (*node)(void *context, const struct store_node *node);
} store_visit;

/// Models in alphabetic order of name and owner after `after` (name NULL: from the start). Of a name that means one's
/// own the shared one is left out, unless all are seen.
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
  char model_name[STORE_NAME_SIZE];  ///< of a model that came with the job that of its document, "": it has none
  char model_owner[STORE_NAME_SIZE]; ///< "": nobody's, it is shared
  int64_t model_revision;            ///< 0: the model came with the job
  char model_sha256[DIGEST_HEX_SIZE];
  char *document;     ///< owned JSON text, as all below; see document_base
  char *labels;       ///< object of strings
  char *error;        ///< NULL, or an object {code, detail}
  char *warnings;     ///< NULL, or an array of {code, detail, pointer}
  char *waiting;      ///< what it was put back for last (store_job_wait), NULL: nothing
  int faults;         ///< how often in a row
  bool damaged;       ///< the row is not what was written
  double t_end;       ///< NaN when the kind has none
  double fraction, t; ///< how far a failed or cancelled job came, what was told of a sweep, or of one that another
                      ///< process runs; else 0
  int64_t created_ms, started_ms, finished_ms; ///< 0: not yet
  int64_t result_size;
  char result_sha256[DIGEST_HEX_SIZE];
  char result_node[ID_SIZE];               ///< who wrote it, where several may (store_result_name); "": none
  char retry_of[ID_SIZE], parent[ID_SIZE]; ///< "": none
  char document_base
      [DIGEST_HEX_SIZE];         ///< "": none; else `document` is what it has other than this one (store_job_whole)
  char owner[STORE_NAME_SIZE];   ///< "": nobody
  char queue[STORE_NAME_SIZE];   ///< queues take turns: an owner's, "": everybody's, STORE_EXPRESS: always first
  int64_t jobs[JOB_STATE_COUNT]; ///< of a sweep: its jobs by state
  char node[STORE_NODE_SIZE];    ///< that runs it, or ran its last attempt; "": none has
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

/// Inserts a queued job; seq and created_ms are filled. STORE_PRECONDITION when there is no room for it, STORE_SHARE
/// when there is none in its queue, STORE_KEPT when its owner would keep too much, STORE_EXISTS when the request's key
/// has a job already.
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
/// Newest first.
store_status store_job_list(store *s, const store_job_filter *filter, const store_visit *visit);

/// Takes the next queued job into `running` with attempt + 1, and its model's document: of the queue of which the
/// fewest run (of two the one that was served less, by the time of workers that it used, of which ten seconds are
/// remembered while it has no jobs) the one of the highest priority, then age. A minute of waiting raises the priority
/// by one. The one write that does not wait for the disk: whatever the attempt writes afterwards does, and takes the
/// claim along. STORE_NOT_FOUND when nothing is due; then *next_due_ms is when to look again (0: not before a
/// submission).
store_status store_job_claim(store *s, store_job *job, char **model_document, int64_t *next_due_ms);
/// A job of a queue has computed for so long: by that, and by what comes first, claims know which queue was served
/// less. Returns at once.
void store_queue_used(store *s, const char *queue, double used_s);
/// A job of a queue computes no more, and its end is being written (true), or was (false): claims do not count it among
/// those that run.
void store_queue_ends(store *s, const char *queue, bool begins);

typedef struct store_queue {
  char name[STORE_NAME_SIZE];
  int64_t queued, running;
  int priority;   ///< of the job that will be taken from it next
  int64_t key_ms; ///< by which jobs of a queue are ordered, of that one
} store_queue;
/// How many jobs of its queue are taken before a queued one (of a sweep before its first), counted up to `most`.
store_status store_job_before(store *s, const store_job *job, int most, int64_t *before);
/// Queues in which a job waits that is due, in the order of their turns: visit->queue.
store_status store_queue_list(store *s, const store_visit *visit);

typedef struct store_outcome {
  job_state state;      ///< terminal
  const char *error;    ///< JSON or NULL
  const char *warnings; ///< JSON array; NULL: none, "": those of the submission stay
  int64_t result_size;  ///< 0: no result
  const char *result_sha256;
  double t_end;    ///< where it ended, if that was not known when it was submitted (a path of equilibria); 0: stays
  job_state ended; ///< out: the state that it has now
} store_outcome;
/// Ends attempt `attempt` of a running job. STORE_PRECONDITION when that attempt no longer owns the job. One whose
/// cancel was acknowledged does not succeed any more: it ends as cancelled, and its result is removed.
store_status store_job_finish(store *s, const char *id, int attempt, store_outcome *outcome);
/// Puts a running job back. `crashed` counts against LIMIT_ATTEMPTS; the next claim waits for delay_ms from now.
store_status store_job_requeue(store *s, const char *id, int attempt, bool crashed, int64_t delay_ms);
/// Puts a running job back because of what the machine lacks, which is not counted against it: it is tried again after
/// a quarter of a second, twice as long each time in a row, at most a minute. `why` is kept in the row, and a remark
/// the first time.
store_status store_job_wait(store *s, const store_job *job, const char *why);
/// At start: what a dead server left running is queued again. *count jobs.
store_status store_job_requeue_running(store *s, int *count);
/// Cancels a queued job at once; marks a running one (its worker is told by the queue). *job is the row afterwards.
store_status store_job_cancel(store *s, const char *id, store_job *job);
/// Deletes a job that is not running (STORE_PRECONDITION) and its result. With a sweep go its jobs; those that a retry
/// of it has taken over stay, as jobs of that sweep.
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
/// What the jobs' documents have as their document_base is stored first: `base`, NULL: none. A large sweep comes in
/// pieces, and others write in between; it is there as a whole when this returns, or not at all.
store_status store_sweep_insert(store *s, store_job *sweep, const char *model_document, const char *base,
                                store_sweep_job *jobs, size_t count, const store_room *room,
                                const store_request *request);
/// The jobs of a sweep in their order (visit->sweep_job).
store_status store_sweep_jobs(store *s, const char *id, const store_visit *visit);
/// What a sweep says before its end, as its row will at it: its own warnings (NULL: none) and those of its jobs, of which
/// id, state and warnings are read. JSON, to be freed; NULL: nothing, or no memory.
char *store_sweep_warnings(const char *own, const store_job *jobs, size_t count);
/// Cancels the waiting jobs of a sweep at once (*waiting of them) and marks the running ones; their workers are told by
/// the queue.
store_status store_sweep_cancel(store *s, const char *id, size_t *waiting);

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

/// Changes of state write their own events. This adds progress of an attempt, before the next change of its state and
/// within a twentieth of a second; nothing when the attempt does not own the job any more. STORE_FULL when too much is waiting
/// to be written.
store_status store_job_progress(store *s, const char *id, int attempt, const store_progress *now);
/// The same for the rows of the result that the last checkpoint keeps.
store_status store_job_samples(store *s, const char *id, int attempt, uint64_t rows);
/// Adds a remark about an attempt; level as in logs.
store_status store_job_remark(store *s, const char *id, int attempt, const char *level, const char *message);
/// Events after number `after`, rising. *ended: the job is over and has no events beyond those of the log now.
store_status store_event_list(store *s, const char *id, int64_t after, int limit, const store_visit *visit,
                              bool *ended);

// ------------------------------------------------------------------------------------------------ jobs and their files

typedef struct store_standing { ///< of a job: what decides about its files
  job_state state;
  int attempt;
  bool result;                 ///< its row speaks of one
  char result_node[ID_SIZE];   ///< of this name, with its attempt
  char owner[STORE_NAME_SIZE]; ///< "": nobody
} store_standing;
store_status store_job_standing(store *s, const char *id, store_standing *standing);
/// Jobs that succeeded, but sweeps, in the order of submission after `after_seq`: seq, id, attempt, result_node,
/// finished_ms, result_size, result_sha256 and error only, to be freed by store_job_fini. *count: at most `limit`.
store_status store_result_rows(store *s, int64_t after_seq, int limit, store_job *jobs, int *count);
/// Says in the row of a job that succeeded, and in its log, what its result lacks (in words), or takes that back
/// (NULL). STORE_PRECONDITION when the row says so already.
store_status store_result_note(store *s, const char *id, const char *lacks);

typedef struct store_old_job {
  char id[ID_SIZE];
  int64_t finished_ms, result_size; ///< of its result, row and document; of a sweep with those of its jobs
} store_old_job;
/// Jobs that ended before a time, the oldest first; with_result: those that take space for one, otherwise those that
/// were submitted before every job that ended later. `owner` NULL: everybody's; "": nobody's.
store_status store_job_oldest(store *s, const char *owner, int64_t before_ms, bool with_result, int limit,
                              store_old_job *jobs, int *count);
/// What jobs and results of each owner ("": nobody) take: all who have some, or a token to make some with.
store_status store_owner_bytes(store *s, void (*each)(void *context, const char *owner, int64_t bytes), void *context);

/// True when this process does a task for all that share the rows, for a minute from now.
bool store_lead(store *s, const char *task);
/// Jobs that have ended: how many, and when the last one did (0: none has).
store_status store_job_ended(store *s, int64_t *count, int64_t *last_ms);

// ----------------------------------------------------------------------------------------------------------- nodes

typedef struct store_node { ///< a process that runs jobs of this store
  char id[ID_SIZE];         ///< of this life of it
  char name[STORE_NODE_SIZE], host[STORE_NODE_SIZE];
  char version[STORE_NODE_SIZE], cpu_level[STORE_NODE_SIZE];
  int slots;                        ///< jobs that it runs at a time
  int64_t running;                  ///< jobs that it has
  int64_t started_ms, heartbeat_ms; ///< heartbeat: when it was heard of last
  bool alive, draining, self;       ///< not alive: its lease is over; draining: it takes no more jobs; self: this one
} store_node;
/// Those that live, and those that went an hour ago or later without saying so, by their names: visit->node.
store_status store_node_list(store *s, const store_visit *visit);
/// A node takes no more jobs from the return on, alive or not; or it does again: it hears of that within a second or two.
/// By its id, or by its name among those that live. STORE_NOT_FOUND, STORE_AMBIGUOUS.
store_status store_node_drain(store *s, const char *id_or_name, bool drains, store_node *node);
typedef enum store_takers { STORE_TAKERS_SOME, STORE_TAKERS_DRAINED, STORE_TAKERS_NONE } store_takers;
/// Whether somebody takes jobs that wait, as it was known a second ago: some node does; those that live are drained; none
/// lives. Costs nothing.
store_takers store_node_takers(const store *s);

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

/// Inserts a token. STORE_EXISTS when another one has its name; STORE_PRECONDITION when there are `limit` already,
/// STORE_SHARE when its owner has `each` (0: no bound).
store_status store_token_insert(store *s, const store_token *token, int64_t limit, int64_t each);
/// Deletes a token by its id, or else by its name; *id is its id.
store_status store_token_delete(store *s, const char *id_or_name, char id[ID_SIZE]);
/// Forgets every token, deleted ones too.
store_status store_token_clear(store *s);
/// Gives what belongs to one owner to another ("": nobody, everybody's), models of whose name the other has one
/// excepted: *models and *jobs were given, *kept models not.
store_status store_adopt(store *s, const char *from, const char *to, int64_t *jobs, int64_t *models, int64_t *kept);
/// Those that are not deleted, in the order of their making. *ever: there are some, or were.
store_status store_token_list(store *s, const store_visit *visit, bool *ever);

// ------------------------------------------------------------------------------------------------------ a kind of rows

/// All that a kind of rows gives: functions of the types above. What is missing is missed by the linker.
// clang-format off
#define STORE_ROWS(X) \
  X(ping) X(shrink) X(quick_check) X(sizes_read) X(cursor_key) \
  X(model_put) X(model_get) X(model_find) X(model_delete) X(model_forget) X(model_list) X(model_revisions) \
  X(document_get) X(job_insert) X(job_find_request) X(job_get) X(job_find) X(job_list) \
  X(job_counts) X(job_counts_of) X(job_standing) \
  X(job_claim) X(job_finish) X(job_requeue) X(job_wait) X(job_requeue_running) X(job_cancel) X(job_delete) \
  X(queue_used) X(queue_ends) X(queue_list) X(job_before) X(sweep_insert) X(sweep_jobs) X(sweep_cancel) \
  X(job_progress) X(job_samples) X(job_remark) X(event_list) \
  X(result_rows) X(result_note) X(result_bytes) X(owner_bytes) X(job_oldest) X(job_ended) X(lead) \
  X(node_list) X(node_drain) X(holding_get) X(holding_share) X(token_insert) X(token_delete) X(token_clear) X(token_list) X(adopt)
// clang-format on

typedef struct rows_kind {
  /// True when a place that the operator names is one of this kind's.
  bool (*is_place)(const char *place);
  /// Opens or makes what is at the store's place and brings its schema up to date; `anyway`: though acknowledged
  /// changes are lost. False with one sentence in `message`.
  bool (*open)(store *s, bool anyway, char message[STORE_MESSAGE_SIZE]);
  /// Whatever of it open has done.
  void (*close)(store *s);
#define STORE_MEMBER(name) __typeof__(store_##name) *name;
  STORE_ROWS(STORE_MEMBER)
} rows_kind;

#endif
