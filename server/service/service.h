// The use cases, with no transport and no text in them. Each returns true, or false with a fault; what it has to say is
// a struct, or several that are visited, which codec/view writes as JSON or as messages.
//
// `who` asks: what belongs to an owner whose things it does not see is not there for it (not_found, in the very words
// of what never was), in lists, counts and streams too.
#ifndef SERVER_SERVICE_SERVICE_H
#define SERVER_SERVICE_SERVICE_H

#include "base/share/pool.h"
#include "base/share/seats.h"
#include "codec/evaluate/evaluate.h"
#include "codec/json/number.h"
#include "codec/result/result.h"
#include "codec/view/about.h"
#include "codec/view/job.h"
#include "codec/view/model.h"
#include "queue/queue.h"
#include "service/access/auth.h"
#include "service/fault.h"
#include "service/jobs/watch.h"
#include "service/keeper/keeper.h"
#include "service/models/model_cache.h"
#include "store/store.h"
#include <jansson.h>

typedef struct stopwatch stopwatch; ///< service/evaluate/stopwatch.h

typedef struct service {
  store *store;
  queue *queue;
  model_cache *cache;
  keeper *keeper;
  auth *auth;
  stopwatch *stopwatch;
  watch *watch;    ///< who waits for news of a job
  pool *preparing; ///< where models are frozen and the jobs of sweeps are made; NULL: by everybody at once
  seats *results, *downloads, *watchers; ///< of all callers, over both faces; NULL: no bound
  store_room room;                       ///< how many jobs may wait
  store_keep keep;                       ///< how much one owner may keep
  int tokens_each;                       ///< for /v1/limits
  int max_wall_s, max_steps;             ///< of a job; 0: no limit
  struct {                               ///< what was configured, for /v1/limits
    int connections, connections_per_address, connections_each, waiting_each, calls_each, rate, burst, evaluate_s;
  } limits;
} service;

typedef enum media { MEDIA_JSON, MEDIA_NPZ, MEDIA_CSV, MEDIA_EVENTS, MEDIA_METRICS, MEDIA_COUNT } media;

typedef struct span { ///< bytes from outside; a NUL follows them
  const char *bytes;
  size_t size;
} span;

// ---------------------------------------------------------------------------------------------------------- models

typedef struct model_reference {
  char name[STORE_NAME_SIZE];
  char owner[STORE_NAME_SIZE]; ///< "": nobody's, it is shared
  bool owned;                  ///< when asked for: `owner` says whose; otherwise what the name means to who asks
  int64_t revision;            ///< 0 when asked for: the newest
  char sha256[DIGEST_HEX_SIZE];
} model_reference;

typedef struct model_change {
  const char *name;  ///< NULL: the document's own
  const char *owner; ///< whose, "": nobody's, it is shared; NULL: one's own, or an admin's change of a shared one
  store_put_mode mode;
  const char *if_match; ///< sha256, "*" or NULL
  bool validate_only;
} model_change;

typedef struct model_found { ///< a model for who asks; model_found_fini gives it back
  model_view view;
  cached_model *held;
  store_put_effect effect; ///< of a change: whether the name is new
} model_found;
void model_found_fini(service *s, model_found *found);
typedef void (*model_visit)(void *context, const model_view *view);

/// Checks a document and stores it. After a failure there is nothing to give back.
bool models_put(service *s, const auth_caller *who, span document, const model_change *change, model_found *found,
                fault *f);
/// Fills a reference from "name" or "name@3" and whose it is (NULL: what it means to who asks).
bool models_refer(const char *name, const char *owner, model_reference *ref, fault *f);
/// A model with its document, from one read of the store. After a failure there is nothing to give back.
bool models_get(service *s, const auth_caller *who, const model_reference *ref, model_found *found, fault *f);
/// Whose model a reference means: fills its owner.
bool models_find(service *s, const auth_caller *who, model_reference *ref, fault *f);

typedef struct models_query { ///< NULL: absent
  const char *owner;          ///< of an owner; NULL: all that who asks sees
  const char *cursor;         ///< those after it
  int limit;
} models_query;
enum { MODELS_CURSOR_SIZE = 2 * STORE_NAME_SIZE };
/// Visits them in alphabetical order; `next` is the cursor of the following page, "": there is none.
bool models_list(service *s, const auth_caller *who, const models_query *query, model_visit visit, void *context,
                 char next[MODELS_CURSOR_SIZE], fault *f);
/// The same for the revisions, with numbers above `after`, of a model that models_find has found.
bool models_revisions(service *s, const model_reference *found, int64_t after, int limit, model_visit visit,
                      void *context, char next[MODELS_CURSOR_SIZE], fault *f);
bool models_delete(service *s, const auth_caller *who, const model_reference *ref, const char *if_match, fault *f);

/// The frozen model of a stored document, held; `ref` has the name and the revision wanted and gets what it is.
/// `document` (may be NULL) gets a copy of the text, to be freed, unless the call fails; it costs a read of the store.
cached_model *models_hold(service *s, const auth_caller *who, model_reference *ref, char **document, fault *f);
/// What the memory of names knows of a reference (no more than its newest revision), and whose it is; false: the store
/// has to be asked. *ticket is for what it says.
bool models_recall(service *s, const auth_caller *who, model_reference *ref, cached_name *known, uint64_t *ticket);
/// The frozen model of an inline document; errors point below `prefix`.
cached_model *models_hold_inline(service *s, const auth_caller *who, const json_t *document, const char *prefix,
                                 char sha256[DIGEST_HEX_SIZE], char **canonical, fault *f);

// -------------------------------------------------------------------------------------------------------- evaluate

/// Whether anybody still waits for an answer: asked now and then. Every member may be NULL.
typedef struct evaluate_audience {
  const _Atomic bool *stop; ///< set: nobody does
  bool (*left)(void *context);
  void *context;
} evaluate_audience;

typedef struct evaluate_call {
  const auth_caller *who;
  const model_reference *model; ///< NULL: inline
  span body;
  media in, out;
  evaluate_audience audience;
  cached_model *held; ///< the model, where evaluate_is_short has found it; NULL: it is looked for
} evaluate_call;
bool evaluate(service *s, const evaluate_call *call, codec_buffer *reply, fault *f);
/// The model that an evaluation is about, held: a stored one by name, else the inline document (errors point below
/// `prefix`).
cached_model *evaluate_hold(service *s, const auth_caller *who, const model_reference *model, const json_t *document,
                            const char *prefix, fault *f);
/// The same for states that are arrays already: checks them against the model, lays out `reply` in the request's memory
/// and fills it. When nobody waits any more the rest is left out and it fails.
bool evaluate_states(const service *s, cached_model *held, const codec_evaluate *request,
                     const evaluate_audience *audience, codec_reply *reply, fault *f);
/// Other states, bound already, into a reply that was laid out for as many.
bool evaluate_again(const service *s, cached_model *held, const codec_evaluate *request, codec_reply *reply, fault *f);
/// So many states of such a model take no longer than an event loop may be held up.
bool evaluate_costs_little(const td_model *model, const int *want, int want_count, size_t states);
/// The model of a call when it is in the cache, held; NULL: not, or another revision is wanted.
cached_model *evaluate_find(service *s, const auth_caller *who, const model_reference *model);
/// True when such a call is sure to be short (a small body that asks for little of a model that is in the cache); then
/// the call holds the model, and whoever asked gives it back (cache_release): it does not leave the cache before it is
/// evaluated.
bool evaluate_is_short(service *s, evaluate_call *call);

// ------------------------------------------------------------------------------------------------------------ jobs

// Whoever gets a view gives it back with store_job_fini(&view->row); after a failure there is nothing to give back.

/// Checks a job against its model and queues it. `view` is the new job, or the one that the same request with the same
/// key (Idempotency-Key; NULL: none) has made before.
bool jobs_submit(service *s, const auth_caller *who, span document, const char *key, job_view *view, fault *f);
/// A new job like one that failed or was cancelled, of the same owner.
bool jobs_retry(service *s, const auth_caller *who, const char *id, job_view *view, fault *f);
bool jobs_get(service *s, const auth_caller *who, const char *id, job_view *view, fault *f);
/// The documents it was submitted with, both to be freed.
bool jobs_document(service *s, const auth_caller *who, const char *id, job_documents *documents, fault *f);

typedef struct jobs_query { ///< as in the query string; NULL: absent
  const char *state, *kind, *model, *label, *since, *until, *parent, *owner, *limit, *cursor;
} jobs_query;
typedef void (*job_visit)(void *context, const job_view *view);
/// Visits them, the newest first; `next` is the cursor of the following page, "": there is none.
bool jobs_list(service *s, const auth_caller *who, const jobs_query *query, job_visit visit, void *context,
               char next[STORE_CURSOR_SIZE], fault *f);
/// *finished: nothing changed, the job had ended before.
bool jobs_cancel(service *s, const auth_caller *who, const char *id, job_view *view, bool *finished, fault *f);
bool jobs_delete(service *s, const auth_caller *who, const char *id, fault *f);

// --------------------------------------------------------------------------------------------------------- results

typedef struct result_query { ///< as in the query string; NULL: absent
  const char *fields, *from, *to, *stride, *partial;
} result_query;

/// True for the error (JSON) of a job that came to its end and keeps all it computed: inconsistent, unconverged.
bool jobs_error_is_late(const char *error);

typedef struct result_file { ///< an archive
  int fd;                    ///< to be closed
  int64_t size;
  char sha256[DIGEST_HEX_SIZE]; ///< of its bytes
} result_file;

/// Opens the archive of a job that succeeded, checked against the size and checksum that were stored with the job. A
/// result that is missing or damaged is a fault (result_lost), and the job says so from then on.
/// With partial=1, of a job that has not succeeded (yet), the rows up to its last checkpoint, put together in an
/// unlinked file: the same bytes for the same checkpoint.
bool results_open(service *s, const auth_caller *who, const char *id, const result_query *query, result_file *file,
                  fault *f);
/// What of it is wanted. `part` borrows from the query.
bool results_part(const result_query *query, codec_result_part *part, fault *f);
/// The strong ETag, with quotes, of that part in that form.
enum { RESULT_TAG_SIZE = DIGEST_HEX_SIZE + 2 };
void results_tag(const result_file *file, const result_query *query, media form, char tag[RESULT_TAG_SIZE]);
/// Puts an archive of the part, in an unlinked file, in the place of `file`, which is closed in any case.
bool results_cut(service *s, const codec_result_part *part, result_file *file, fault *f);
/// The part as text, MEDIA_JSON or MEDIA_CSV. Closes `file`. NULL with a fault.
codec_result *results_read(const codec_result_part *part, media form, result_file *file, fault *f);
/// That text in an unlinked file, of which ranges can be sent. Takes the result over.
bool results_spool(service *s, codec_result *result, result_file *file, fault *f);

// ---------------------------------------------------------------------------------------------------------- events

bool jobs_exists(service *s, const auth_caller *who, const char *id, fault *f);

typedef struct events_page {
  int64_t next; ///< number of the last event, to go on after
  int count;
  bool ended; ///< the job is over and this was the end of its log
} events_page;
typedef void (*event_visit)(void *context, const store_event *event);
/// Visits the events after number `after` of a job that jobs_exists has found, in their order.
bool events_read(service *s, const char *id, int64_t after, event_visit visit, void *context, events_page *page,
                 fault *f);

// ---------------------------------------------------------------------------------------------------------- tokens

typedef struct token_made {
  store_token row;
  char secret[AUTH_TOKEN_SIZE]; ///< told once; to be overwritten
} token_made;
/// From {"name", "scope", "owner"}.
bool tokens_create(service *s, span document, token_made *made, fault *f);
/// Visits all of them, in the order of their making.
bool tokens_list(service *s, void (*visit)(void *context, const store_token *row), void *context, fault *f);
/// By id or name.
bool tokens_get(service *s, const char *id_or_name, store_token *row, fault *f);
bool tokens_delete(service *s, const char *id_or_name, bool force, fault *f);

// ----------------------------------------------------------------------------------------------------------- seats

/// A place for what a caller will hold for long, in words "results being sent"; false with rate_limited, and `option`
/// named that sets the caller's share.
bool seat_take(seats *from, const auth_caller *who, const char *words, const char *option, fault *f);

// ------------------------------------------------------------------------------------------------- examples, about

void examples_list(void (*visit)(void *context, const example_view *view), void *context);
bool examples_get(const char *name, example_view *view, fault *f);
server_version about_version(void);
/// Fills at most ABOUT_LIMITS rows; returns how many.
enum { ABOUT_LIMITS = 64 };
int about_limits(const service *s, limit_row rows[ABOUT_LIMITS]);
/// The contract, as one OpenAPI document that outlives every reply.
span about_contract(void);
/// What the process counts, as OpenMetrics text; for who sees its own things only: its jobs by state.
bool about_metrics(service *s, const auth_caller *who, codec_buffer *reply, fault *f);
/// Ready: the store answers.
bool about_ready(service *s, fault *f);

/// Parses "limit" style numbers of query strings. False with a fault that names `key`.
bool query_integer(const char *key, const char *value, int64_t low, int64_t high, int64_t fallback, int64_t *out,
                   fault *f);

#endif
