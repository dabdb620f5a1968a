// Jobs: submission, replies, lists, cancel, retry, delete. What concerns many jobs at once is in sweeps.c.
#include "service/jobs/jobs.h"
#include "api/c/rfc3339.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "base/log/metrics.h"
#include "codec/document/archive.h"
#include "codec/json/hint.h"
#include "codec/json/memory.h"
#include "codec/json/place.h"
#include "queue/queue.h"
#include "service/access/bounds.h"
#include "service/jobs/submission.h"
#include "service/jobs/waiting.h"
#include "service/keeper/keeper.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------------------------------------------------- submission

enum { KEY_MAX = 128 }; // characters of an Idempotency-Key
enum {
  BEFORE_ONE = 10000,
  BEFORE_EACH = 100
}; // jobs before one that waits that are counted: of one, of each of a list

static bool queue_job(service *s, store_job *row, const char *model_document, const store_request *request, fault *f) {
  size_t bytes = strlen(row->document) + (model_document ? strlen(model_document) : 0);
  submission_room room;
  if (!keeper_accepts(s->keeper, row->owner, f) || !bounds_disk(s, row->owner, bytes, f)) return false;
  store_status status = store_job_insert(s->store, row, model_document, submission_find_room(s, &room), request);
  if (status != STORE_OK) return submission_fault(&room, status, 1, row->owner, f);
  metrics_add(METRIC_JOBS_SUBMITTED, 0, 1);
  log_write(LOG_LEVEL_INFO, "job_queued", LOG_S("job", row->id), LOG_S("kind", row->kind),
            LOG_S("model", row->model_name), LOG_S("retry_of", row->retry_of));
  return true;
}

// The job as it is kept. An inline model is stored by content like any other, so it leaves the document.
static char *kept_document(submission *sub, span document) {
  if (!sub->job.model) return strndup(document.bytes, document.size);
  char key[JSON_TOKEN_SIZE];
  json_t *copy = json_deep_copy(sub->json);
  json_object_del(json_place_holder(copy, sub->job.model_at, key), "model");
  size_t i;
  json_t *experiment;
  json_array_foreach(json_object_get(copy, "of"), i, experiment)
      json_object_del(json_object_get(experiment, "job"), "model"); // the same, in each
  char *text = copy ? json_memory_text(copy, JSON_COMPACT) : NULL;
  json_decref(copy);
  return text;
}

static bool fill(submission *sub, span document, fault *f) {
  char *labels = sub->job.labels ? json_memory_text(sub->job.labels, JSON_COMPACT) : strdup("{}");
  if (!submission_fill_row(sub, kept_document(sub, document), labels, f)) return false;
  memcpy(sub->row.owner, sub->who->owns, sizeof sub->row.owner);
  submission_choose_queue(sub->who, &sub->row);
  return true;
}

static bool insert(service *s, submission *sub, const store_request *request, fault *f) {
  if (!request) return sub->job.kind != JOB_SWEEP || sweeps_check(s, sub, f);
  return sub->job.kind == JOB_SWEEP ? sweeps_insert(s, sub, request, f)
                                    : queue_job(s, &sub->row, sub->model_document, request, f);
}

static void look(service *s, job_view *view);

// `request` NULL: only checks.
static bool submit_new(service *s, const auth_caller *who, span document, const store_request *request, job_view *view,
                       fault *f) {
  submission sub = {.who = who};
  bool done = (submission_read(&sub, document, f) || submission_tell_rest(s, &sub, f)) &&
              submission_find_model(s, who, &sub, f) &&
              (submission_check(s, &sub, f) || submission_tell_all(&sub, f)) && fill(&sub, document, f) &&
              insert(s, &sub, request, f);
  if (done) {
    view->row = sub.row; // with its texts
    sub.job_document = sub.labels = sub.warnings = NULL;
    look(s, view);
  }
  submission_fini(s, &sub);
  return done;
}

static bool check_key(const char *key, fault *f) {
  size_t length = strlen(key), good = 0;
  while (good < length && key[good] > ' ' && key[good] < 127) good++;
  return (length > 0 && length <= KEY_MAX && good == length) ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL,
                   "the Idempotency-Key has %zu characters; it must have 1 to %d, visible ASCII only", length, KEY_MAX);
}

// The job that the same request made before; STORE_NOT_FOUND when the key is free.
static store_status replay(service *s, const store_request *request, job_view *view, fault *f) {
  store_status status = store_job_find_request(s->store, request, &view->row);
  if (status == STORE_PRECONDITION)
    fault_set(f, PROBLEM_IDEMPOTENCY_MISMATCH, NULL, "the Idempotency-Key \"%.60s\" was used for another request",
              request->key);
  else if (status != STORE_OK)
    fault_from_store(f, status, "the job");
  else
    look(s, view);
  return status;
}

bool jobs_submit(service *s, const auth_caller *who, span document, const char *key, job_view *view, fault *f) {
  char sha256[DIGEST_HEX_SIZE];
  store_request request = {.key = key, .owner = who->space, .sha256 = sha256};
  if (!key) return submit_new(s, who, document, &request, view, f);
  if (!check_key(key, f)) return false;
  digest_of(document.bytes, document.size, sha256);
  store_status status = replay(s, &request, view, f);
  if (status != STORE_NOT_FOUND) return status == STORE_OK;
  if (submit_new(s, who, document, &request, view, f)) return true;
  return f->code == PROBLEM_ALREADY_EXISTS && replay(s, &request, view, f) == STORE_OK; // it came twice at once
}

bool jobs_check(service *s, const auth_caller *who, span document, job_view *view, fault *f) {
  return submit_new(s, who, document, NULL, view, f);
}

bool jobs_submit_archive(service *s, const auth_caller *who, span archive, const char *key, job_view *view, fault *f) {
  td_error err = {.status = TD_OK};
  span document = {NULL, 0};
  char *text = NULL;
  if (codec_archive_document(archive.bytes, archive.size, &text, &document.size, &err) != TD_OK)
    return fault_from_error(f, &err);
  document.bytes = text;
  bool done = jobs_submit(s, who, document, key, view, f);
  free(text);
  return done;
}

// -------------------------------------------------------------------------------------------------------------- views

bool jobs_error_is_late(const char *error) {
  json_t *json = error ? json_loads(error, 0, NULL) : NULL;
  const char *code = json_string_value(json_object_get(json, "code"));
  bool late = code && (!strcmp(code, td_status_name(TD_INCONSISTENT)) || !strcmp(code, td_status_name(TD_UNCONVERGED)));
  json_decref(json);
  return late;
}

static queue_progress progress_of(service *s, const store_job *job) {
  queue_progress now = {.fraction = job->fraction, .t = job->t, .t_end = job->t_end};
  if (job_is_sweep(job)) return queue_sweep_progress(s->queue, job);
  if (job->state == JOB_SUCCEEDED || (job->state == JOB_FAILED && jobs_error_is_late(job->error)))
    now.fraction = 1, now.t = job->t_end;
  else if (job->state == JOB_RUNNING)
    queue_find_progress(s->queue, job->id, &now);
  return now;
}

// What is not in the row; `most`: jobs before one that waits that are counted.
static void look_as_far(service *s, job_view *view, int most) {
  queue_progress now = progress_of(s, &view->row);
  view->progress = (store_progress){.fraction = now.fraction, .t = now.t, .t_end = now.t_end, .checking = now.checking};
  jobs_tell_waiting(s, view, most);
  if (view->row.attempt > 0 && !*view->row.node && !job_is_sweep(&view->row))
    snprintf(view->row.node, sizeof view->row.node, "%s", store_only_node(s->store));
}

static void look(service *s, job_view *view) { look_as_far(s, view, BEFORE_ONE); }

static bool job_fault(fault *f, store_status status, const char *id) {
  char what[64];
  snprintf(what, sizeof what, "job \"%.40s\"", id);
  return fault_from_store(f, status, what);
}

bool jobs_find(service *s, const auth_caller *who, const char *id, store_job *job, fault *f) {
  store_status status = store_job_find(s->store, auth_sees(who), id, job);
  return status == STORE_OK || job_fault(f, status, id);
}

bool jobs_get(service *s, const auth_caller *who, const char *id, job_view *view, fault *f) {
  if (!jobs_find(s, who, id, &view->row, f)) return false;
  look(s, view);
  return true;
}

bool jobs_document(service *s, const auth_caller *who, const char *id, job_documents *documents, fault *f) {
  store_job job;
  *documents = (job_documents){.job = NULL};
  if (!jobs_find(s, who, id, &job, f)) return false;
  store_status status = job.damaged ? STORE_FAILED : store_job_whole(s->store, &job);
  if (status == STORE_OK) status = store_document_get(s->store, job.model_sha256, &documents->model);
  if (status == STORE_OK) documents->job = job.document, job.document = NULL;
  store_job_fini(&job);
  return status == STORE_OK || fault_from_store(f, status, "the model");
}

bool jobs_exists(service *s, const auth_caller *who, const char *id, fault *f) {
  store_job job;
  bool found = jobs_find(s, who, id, &job, f);
  if (found) store_job_fini(&job);
  return found;
}

// --------------------------------------------------------------------------------------------------------------- list

typedef struct page {
  service *s;
  job_visit visit;
  void *context;
  int count, limit;
  int64_t last;
  bool more;
} page;

static void visit_job(void *context, const store_job *job) {
  page *p = context;
  p->more = p->count == p->limit; // one row more than the page was asked for
  if (p->more) return;
  p->count++;
  p->last = job->seq;
  job_view view = {.row = *job}; // lent
  look_as_far(p->s, &view, BEFORE_EACH);
  p->visit(p->context, &view);
}

static bool read_time(const char *key, const char *value, int64_t *ms, fault *f) {
  *ms = 0;
  if (!value) return true;
  if (!rfc3339_read(value, ms))
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL,
                     "the query's %s is \"%.40s\", not a time like 2026-01-31T12:00:00Z", key, value);
  return true;
}

static const char *state_word(const void *context, size_t i) { return (void)context, job_state_name((job_state)i); }
static const char *kind_word(const void *context, size_t i) { return (void)context, job_kind_name((job_kind)i); }

static bool no_word(fault *f, const char *key, const char *value, hint_keys words, size_t count) {
  char hint[160], known[160] = "";
  for (size_t i = 0, n = 0; i < count && n < sizeof known; i++)
    n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", words(NULL, i));
  codec_hint(value, words, NULL, count, hint, sizeof hint);
  return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL,
                   "the query's %s is \"%.40s\", which no job can have; %sjobs are %s", key, value, hint, known);
}

static bool read_words(const jobs_query *q, store_job_filter *filter, char label[128], fault *f) {
  filter->model = q->model;
  filter->parent = q->parent && strcmp(q->parent, "none") == 0 ? "" : q->parent;
  if (q->state && job_state_find(q->state) == JOB_STATE_COUNT)
    return no_word(f, "state", q->state, state_word, JOB_STATE_COUNT);
  if (q->kind && job_kind_find(q->kind) == JOB_KIND_COUNT)
    return no_word(f, "kind", q->kind, kind_word, JOB_KIND_COUNT);
  filter->state = q->state;
  filter->kind = q->kind;
  if (!q->label) return true;
  const char *colon = strchr(q->label, ':');
  if (!colon || (size_t)(colon - q->label) >= 128)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "the query's label is \"%.40s\", not key:value", q->label);
  snprintf(label, 128, "%.*s", (int)(colon - q->label), q->label);
  filter->label_key = label;
  filter->label_value = colon + 1;
  return true;
}

// False when none of them can be seen: another owner's list is as empty as that of one who is not.
static bool choose_owner(const auth_caller *who, const char *wanted, store_job_filter *filter) {
  if (!wanted) return true;
  filter->owner = strcmp(wanted, AUTH_NOBODY) == 0 ? "" : wanted;
  return auth_sees_owner(who, filter->owner);
}

static bool read_cursor(service *s, const char *text, int64_t *seq, fault *f) {
  *seq = 0;
  if (!text || store_cursor_read(s->store, text, seq)) return true;
  return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL,
                   "the query's cursor is \"%.40s\", which is not a next_cursor of this server: begin without one",
                   text);
}

bool jobs_list(service *s, const auth_caller *who, const jobs_query *q, job_visit visit, void *context,
               char next[STORE_CURSOR_SIZE], fault *f) {
  store_job_filter filter = {.owner = auth_sees(who)};
  char label[128];
  int64_t limit;
  *next = '\0';
  if (!read_words(q, &filter, label, f) || !read_time("since", q->since, &filter.since_ms, f) ||
      !read_time("until", q->until, &filter.until_ms, f) ||
      !query_integer("limit", q->limit, 1, LIMIT_LIST, LIMIT_LIST_DEFAULT, &limit, f) ||
      !read_cursor(s, q->cursor, &filter.before_seq, f))
    return false;
  page p = {.s = s, .visit = visit, .context = context, .limit = (int)limit};
  filter.limit = (int)limit + 1;
  store_status status = STORE_OK;
  if (choose_owner(who, q->owner, &filter))
    status = store_job_list(s->store, &filter, &(store_visit){.context = &p, .job = visit_job});
  if (p.more) store_cursor_write(s->store, p.last, next);
  return status == STORE_OK || fault_from_store(f, status, "the list of jobs");
}

// ------------------------------------------------------------------------------------------- cancel, retry, delete

static void cancel_running(void *context, const store_job *job) { queue_cancel(context, job->id); }

static store_status cancel_job(service *s, const char *id, store_job *job) {
  store_status status = store_job_cancel(s->store, id, job);
  if (status != STORE_OK) return status;
  metrics_add(METRIC_JOBS_ENDED, JOB_CANCELLED, job->state == JOB_CANCELLED); // it was not running
  queue_cancel(s->queue, id);
  return STORE_OK;
}

static store_status cancel_sweep(service *s, const char *id, store_job *job) {
  const store_job_filter running = {.parent = id, .state = job_state_name(JOB_RUNNING), .limit = LIMIT_LIST};
  size_t waiting = 0;
  store_status status = store_sweep_cancel(s->store, id, &waiting);
  metrics_add(METRIC_JOBS_ENDED, JOB_CANCELLED, (int64_t)waiting);
  if (status == STORE_OK)
    status = store_job_list(s->store, &running, &(store_visit){.context = s->queue, .job = cancel_running});
  return status == STORE_OK ? store_job_get(s->store, id, job) : status;
}

static bool cancel_unfinished(service *s, const char *id, store_job *job, fault *f) {
  bool sweep = job_is_sweep(job);
  store_job_fini(job);
  store_status status = (sweep ? cancel_sweep : cancel_job)(s, id, job);
  if (status != STORE_OK) return job_fault(f, status, id);
  if (*job->parent) store_sweep_changed(s->store, job->parent);
  log_write(LOG_LEVEL_INFO, "job_cancel", LOG_S("job", id), LOG_S("state", job_state_name(job->state)));
  return true;
}

bool jobs_cancel(service *s, const auth_caller *who, const char *id, job_view *view, bool *finished, fault *f) {
  if (!jobs_find(s, who, id, &view->row, f)) return false;
  *finished = job_state_terminal(view->row.state);
  if (!*finished && !cancel_unfinished(s, id, &view->row, f)) return false;
  look(s, view);
  return true;
}

// Another bound of its time in its document.
static bool bound_anew(service *s, store_job *row, double max_wall_s, fault *f) {
  if (job_is_sweep(row))
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL,
                     "the query's max_wall_s is of single jobs: those of a sweep have that of its document");
  if (s->max_wall_s > 0 && max_wall_s > s->max_wall_s)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL,
                     "max_wall_s is %g, more than the %d s that this server allows (max-wall-s)", max_wall_s,
                     s->max_wall_s);
  if (store_job_whole(s->store, row) != STORE_OK) return job_fault(f, STORE_FAILED, row->id);
  json_t *json = json_loads(row->document, 0, NULL);
  bool set = json && json_object_set_new(json, "max_wall_s", json_real(max_wall_s)) == 0;
  char *text = set ? json_memory_text(json, JSON_COMPACT) : NULL;
  json_decref(json);
  if (!text) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  free(row->document);
  row->document = text;
  return true;
}

static bool retry_row(service *s, store_job *row, double max_wall_s, const store_request *request, job_view *view,
                      fault *f) {
  bool lost = row->state == JOB_SUCCEEDED && row->error; // its result
  if (row->state != JOB_FAILED && row->state != JOB_CANCELLED && !lost)
    return fault_set(f, PROBLEM_FAILED_PRECONDITION, NULL,
                     "job \"%s\" is %s: only what failed, was cancelled or lost its result is retried", row->id,
                     job_state_name(row->state));
  if (row->damaged) return job_fault(f, STORE_FAILED, row->id);
  if (max_wall_s > 0 && !bound_anew(s, row, max_wall_s, f)) return false;
  store_job *new = &view->row;
  submission_copy_row(row, new);
  bool done = job_is_sweep(row) ? sweeps_retry(s, row, new, request, f) : queue_job(s, new, NULL, request, f);
  if (!done) return false;
  row->document = row->labels = NULL; // the new row has them
  look(s, view);
  return true;
}

static bool retry_new(service *s, const auth_caller *who, const char *id, double max_wall_s,
                      const store_request *request, job_view *view, fault *f) {
  store_job row;
  if (!jobs_find(s, who, id, &row, f)) return false;
  bool done = retry_row(s, &row, max_wall_s, request, view, f);
  store_job_fini(&row);
  return done;
}

// Its key is kept with a text that no submission has.
bool jobs_retry(service *s, const auth_caller *who, const char *id, double max_wall_s, const char *key, job_view *view,
                fault *f) {
  char sha256[DIGEST_HEX_SIZE], text[96];
  store_request request = {.key = key, .owner = who->space, .sha256 = sha256};
  if (!(max_wall_s >= 0 && isfinite(max_wall_s)))
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "max_wall_s is %g, not a number above 0", max_wall_s);
  if (max_wall_s > 0)
    snprintf(text, sizeof text, "retry %.40s %.17g", id, max_wall_s);
  else
    snprintf(text, sizeof text, "retry %.40s", id);
  digest_of(text, strlen(text), sha256);
  if (!key) return retry_new(s, who, id, max_wall_s, &request, view, f);
  if (!check_key(key, f)) return false;
  store_status status = replay(s, &request, view, f);
  if (status != STORE_NOT_FOUND) return status == STORE_OK;
  if (retry_new(s, who, id, max_wall_s, &request, view, f)) return true;
  return f->code == PROBLEM_ALREADY_EXISTS && replay(s, &request, view, f) == STORE_OK; // it came twice at once
}

bool jobs_delete(service *s, const auth_caller *who, const char *id, fault *f) {
  store_job job;
  if (!jobs_find(s, who, id, &job, f)) return false;
  store_job_fini(&job);
  if (*job.parent)
    return fault_set(f, PROBLEM_FAILED_PRECONDITION, NULL, "job \"%.40s\" belongs to the sweep \"%s\": delete that", id,
                     job.parent);
  store_status status = store_job_delete(s->store, id);
  if (status == STORE_PRECONDITION)
    return fault_set(f, PROBLEM_FAILED_PRECONDITION, NULL, "job \"%.40s\" is running: cancel it first", id);
  return status == STORE_OK || job_fault(f, status, id);
}
