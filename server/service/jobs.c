// Jobs: everything that a worker would refuse is refused at submission, so that a job that was accepted can only fail for
// reasons of its own. The store keeps the model document with the job: later revisions do not touch it.
#include "base/clock.h"
#include "base/limits.h"
#include "codec/job.h"
#include "codec/text.h"
#include "service/json_text.h"
#include "service/service.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// -------------------------------------------------------------------------------------------------------- submission

enum { KEY_MAX = 128 }; // characters of an Idempotency-Key

typedef struct submission {
  json_t *json;
  arena *memory;
  job_document job;
  cached_model *held;
  char *model_document; // what the worker will be given
  char *job_document, *labels;
  store_job row;
} submission;

static void submission_fini(service *s, submission *sub) {
  if (sub->held) cache_release(s->cache, sub->held);
  free(sub->model_document);
  free(sub->job_document);
  free(sub->labels);
  json_decref(sub->json);
  arena_destroy(sub->memory);
}

static bool read_document(submission *sub, span document, fault *f) {
  td_error err = {.status = TD_OK};
  sub->memory = arena_create();
  if (!sub->memory) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "memory is short");
  sub->json = codec_parse(document.bytes, document.size, &err);
  if (!sub->json || codec_job_read(sub->json, "", sub->memory, &sub->job, &err) != TD_OK)
    return fault_from_error(f, &err);
  return true;
}

static bool find_model(service *s, submission *sub, fault *f) {
  if (sub->job.model) {
    sub->held = models_hold_inline(s, sub->job.model, "/model", sub->row.model_sha256, &sub->model_document, f);
    return sub->held != NULL;
  }
  model_reference ref = {.revision = sub->job.model_revision};
  strncpy(ref.name, sub->job.model_name, sizeof ref.name - 1);
  sub->held = models_hold(s, &ref, &sub->model_document, f);
  // The body names something that is not there: a fault of the body, with its place; not of the address (404).
  if (!sub->held && f->code == PROBLEM_NOT_FOUND) {
    f->code = PROBLEM_INVALID_ARGUMENT;
    f->has_pointer = true;
    strcpy(f->pointer, "/model");
  }
  if (!sub->held) return false;
  memcpy(sub->row.model_name, ref.name, sizeof ref.name);
  memcpy(sub->row.model_sha256, ref.sha256, sizeof ref.sha256);
  sub->row.model_revision = ref.revision;
  return true;
}

// Samples of a dynamics job, as doubles of its result.
static bool result_fits(submission *sub, fault *f) {
  const td_dynamics_spec *spec = &sub->job.dynamics;
  td_error err = {.status = TD_OK};
  td_member member;
  size_t row = 0;
  if (td_run_output_members(cached_model_get(sub->held), spec, &member, 1, &row, &err) < 0)
    return fault_from_error(f, &err);
  double bytes = (spec->t_end / spec->output_dt + 2) * (double)(row + 1) * sizeof(double);
  return bytes <= (double)LIMIT_RESULT_BYTES ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, "/output/dt",
                   "samples every %g s until %g s would be %.3g bytes, more than the %.3g of a result", spec->output_dt,
                   spec->t_end, bytes, (double)LIMIT_RESULT_BYTES);
}

static bool check(submission *sub, fault *f) {
  td_error err = {.status = TD_OK};
  if (codec_job_check(&sub->job, cached_model_get(sub->held), "", NULL, &err) != TD_OK)
    return fault_from_error(f, &err);
  return sub->job.kind != JOB_DYNAMICS || result_fits(sub, f);
}

// The texts to keep. An inline model is stored by content like any other, so it leaves the job document.
static bool write_texts(submission *sub, span document, fault *f) {
  sub->labels = sub->job.labels ? json_dumps(sub->job.labels, JSON_COMPACT) : strdup("{}");
  if (sub->job.model) {
    json_object_del(sub->json, "model");
    sub->job.model = NULL;
    sub->job_document = json_dumps(sub->json, JSON_COMPACT);
  } else
    sub->job_document = strndup(document.bytes, document.size);
  return (sub->labels && sub->job_document) || fault_set(f, PROBLEM_UNAVAILABLE, NULL, "memory is short");
}

static bool queue_job(service *s, store_job *row, const char *model_document, const store_request *request, fault *f) {
  store_status status = store_job_insert(s->store, row, model_document, LIMIT_JOBS_QUEUED, request);
  if (status == STORE_PRECONDITION)
    return fault_set(f, PROBLEM_RATE_LIMITED, NULL, "%d jobs are waiting already, the limit", LIMIT_JOBS_QUEUED);
  if (status == STORE_EXISTS)
    return fault_set(f, PROBLEM_ALREADY_EXISTS, NULL, "the same request has made a job already");
  if (status != STORE_OK) return fault_from_store(f, status, "the job");
  queue_wake(s->queue);
  return true;
}

static bool insert(service *s, submission *sub, const store_request *request, fault *f) {
  store_job *row = &sub->row;
  id_make(row->id);
  snprintf(row->kind, sizeof row->kind, "%s", job_kind_name(sub->job.kind));
  row->priority = sub->job.priority;
  row->document = sub->job_document;
  row->labels = sub->labels;
  row->t_end = sub->job.kind == JOB_DYNAMICS ? sub->job.dynamics.t_end : NAN;
  return queue_job(s, row, sub->model_document, request, f);
}

static void write_job(service *s, codec_buffer *b, const store_job *job);

static bool submit_new(service *s, span document, const store_request *request, codec_buffer *reply, char id[ID_SIZE],
                       fault *f) {
  submission sub = {.json = NULL};
  bool done = read_document(&sub, document, f) && find_model(s, &sub, f) && check(&sub, f) &&
              write_texts(&sub, document, f) && insert(s, &sub, request, f);
  if (done) {
    memcpy(id, sub.row.id, ID_SIZE);
    write_job(s, reply, &sub.row);
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
static store_status replay(service *s, const store_request *request, codec_buffer *reply, char id[ID_SIZE], fault *f) {
  store_job before;
  store_status status = store_job_find_request(s->store, request, &before);
  if (status == STORE_PRECONDITION)
    fault_set(f, PROBLEM_IDEMPOTENCY_MISMATCH, NULL,
              "the Idempotency-Key \"%.60s\" was used for a job with another body", request->key);
  else if (status != STORE_OK)
    fault_from_store(f, status, "the job");
  if (status != STORE_OK) return status;
  memcpy(id, before.id, ID_SIZE);
  write_job(s, reply, &before);
  store_job_fini(&before);
  return STORE_OK;
}

bool jobs_submit(service *s, span document, const char *key, codec_buffer *reply, char id[ID_SIZE], fault *f) {
  char sha256[DIGEST_HEX_SIZE];
  store_request request = {.key = key, .sha256 = sha256};
  if (!key) return submit_new(s, document, &request, reply, id, f);
  if (!check_key(key, f)) return false;
  digest_of(document.bytes, document.size, sha256);
  store_status status = replay(s, &request, reply, id, f);
  if (status != STORE_NOT_FOUND) return status == STORE_OK;
  if (submit_new(s, document, &request, reply, id, f)) return true;
  return f->code == PROBLEM_ALREADY_EXISTS && replay(s, &request, reply, id, f) == STORE_OK; // it came twice at once
}

// ------------------------------------------------------------------------------------------------------------ replies

static void write_progress(service *s, codec_buffer *b, const store_job *job) {
  queue_progress now = {.fraction = 0, .t = 0, .t_end = job->t_end};
  if (job->state == JOB_SUCCEEDED)
    now.fraction = 1, now.t = job->t_end;
  else if (job->state == JOB_RUNNING)
    queue_find_progress(s->queue, job->id, &now);
  json_key(b, "progress");
  json_begin(b);
  json_number_member(b, "fraction", now.fraction);
  json_number_member(b, "t", now.t);
  json_number_member(b, "t_end", now.t_end);
  json_end(b);
}

static void write_model(codec_buffer *b, const store_job *job) {
  bool named = *job->model_name != '\0';
  json_key(b, "model");
  json_begin(b);
  json_string_member(b, "name", named ? job->model_name : NULL);
  if (named)
    json_integer_member(b, "revision", job->model_revision);
  else
    json_raw_member(b, "revision", NULL);
  json_string_member(b, "sha256", job->model_sha256);
  json_end(b);
}

static void write_job(service *s, codec_buffer *b, const store_job *job) {
  json_begin(b);
  json_string_member(b, "id", job->id);
  json_string_member(b, "kind", job->kind);
  json_string_member(b, "state", job_state_name(job->state));
  json_integer_member(b, "attempt", job->attempt);
  write_model(b, job);
  write_progress(s, b, job);
  json_raw_member(b, "labels", job->labels);
  json_integer_member(b, "priority", job->priority);
  json_time_member(b, "created_at", job->created_ms);
  json_time_member(b, "started_at", job->started_ms);
  json_time_member(b, "finished_at", job->finished_ms);
  json_raw_member(b, "error", job->error);
  json_string_member(b, "retry_of", *job->retry_of ? job->retry_of : NULL);
  json_string_member(b, "parent", *job->parent ? job->parent : NULL);
  json_end(b);
}

static bool job_fault(fault *f, store_status status, const char *id) {
  char what[64];
  snprintf(what, sizeof what, "job \"%.40s\"", id);
  return fault_from_store(f, status, what);
}

bool jobs_get(service *s, const char *id, codec_buffer *reply, fault *f) {
  store_job job;
  store_status status = store_job_get(s->store, id, &job);
  if (status != STORE_OK) return job_fault(f, status, id);
  write_job(s, reply, &job);
  store_job_fini(&job);
  return true;
}

bool jobs_exists(service *s, const char *id, fault *f) {
  store_job job;
  store_status status = store_job_get(s->store, id, &job);
  if (status == STORE_OK) store_job_fini(&job);
  return status == STORE_OK || job_fault(f, status, id);
}

// --------------------------------------------------------------------------------------------------------------- list

typedef struct page {
  service *s;
  codec_buffer *b;
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
  json_next(p->b);
  write_job(p->s, p->b, job);
}

static bool read_time(const char *key, const char *value, int64_t *ms, fault *f) {
  *ms = 0;
  if (!value) return true;
  struct tm utc = {.tm_year = 0};
  const char *rest = strptime(value, "%Y-%m-%dT%H:%M:%S", &utc);
  char *end = (char *)rest;
  double fraction = rest && *rest == '.' ? strtod(rest, &end) : 0;
  if (!rest || strcmp(end, "Z") != 0)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL,
                     "the query's %s is \"%.40s\", not a time like 2026-01-31T12:00:00Z", key, value);
  *ms = (int64_t)timegm(&utc) * 1000 + (int64_t)(1000 * fraction);
  return true;
}

static bool read_words(const jobs_query *q, store_job_filter *filter, char label[128], fault *f) {
  filter->model = q->model;
  filter->parent = q->parent;
  if (q->state && job_state_find(q->state) == JOB_STATE_COUNT)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "the query's state is \"%.40s\", which no job can have",
                     q->state);
  if (q->kind && job_kind_find(q->kind) == JOB_KIND_COUNT)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "the query's kind is \"%.40s\", which no job can have",
                     q->kind);
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

bool jobs_list(service *s, const jobs_query *q, codec_buffer *reply, fault *f) {
  store_job_filter filter = {.limit = 0};
  char label[128];
  int64_t limit;
  if (!read_words(q, &filter, label, f) || !read_time("since", q->since, &filter.since_ms, f) ||
      !read_time("until", q->until, &filter.until_ms, f) ||
      !query_integer("limit", q->limit, 1, LIMIT_LIST, LIMIT_LIST_DEFAULT, &limit, f) ||
      !query_integer("cursor", q->cursor, 1, INT64_MAX, 0, &filter.before_seq, f))
    return false;
  page p = {.s = s, .b = reply, .limit = (int)limit};
  filter.limit = (int)limit + 1;
  codec_buffer_text(reply, "{\"jobs\":[");
  store_status status = store_job_list(s->store, &filter, &(store_visit){.context = &p, .job = visit_job});
  char cursor[24];
  snprintf(cursor, sizeof cursor, "%lld", (long long)p.last);
  codec_buffer_text(reply, "]");
  json_string_member(reply, "next_cursor", p.more ? cursor : NULL);
  json_end(reply);
  return status == STORE_OK || fault_from_store(f, status, "the list of jobs");
}

// ----------------------------------------------------------------------------------------------- cancel, delete, result

bool jobs_cancel(service *s, const char *id, codec_buffer *reply, bool *finished, fault *f) {
  store_job job;
  store_status status = store_job_get(s->store, id, &job);
  if (status != STORE_OK) return job_fault(f, status, id);
  *finished = job_state_terminal(job.state);
  if (!*finished) {
    store_job_fini(&job);
    status = store_job_cancel(s->store, id, &job);
    if (status != STORE_OK) return job_fault(f, status, id);
    queue_cancel(s->queue, id);
  }
  write_job(s, reply, &job);
  store_job_fini(&job);
  return true;
}

static bool retry_row(service *s, store_job *row, codec_buffer *reply, fault *f) {
  if (row->state != JOB_FAILED && row->state != JOB_CANCELLED)
    return fault_set(f, PROBLEM_FAILED_PRECONDITION, NULL,
                     "job \"%s\" is %s: only what failed or was cancelled is retried", row->id,
                     job_state_name(row->state));
  store_job new = {.priority = row->priority,
                   .model_revision = row->model_revision,
                   .document = row->document,
                   .labels = row->labels,
                   .t_end = row->t_end};
  memcpy(new.kind, row->kind, sizeof new.kind);
  memcpy(new.model_name, row->model_name, sizeof new.model_name);
  memcpy(new.model_sha256, row->model_sha256, sizeof new.model_sha256);
  memcpy(new.retry_of, row->id, sizeof new.retry_of);
  memcpy(new.parent, row->parent, sizeof new.parent);
  id_make(new.id);
  if (!queue_job(s, &new, NULL, &(store_request){.key = NULL}, f)) return false;
  memcpy(row->id, new.id, sizeof row->id);
  write_job(s, reply, &new);
  return true;
}

bool jobs_retry(service *s, const char *id, codec_buffer *reply, char retry[ID_SIZE], fault *f) {
  store_job row;
  store_status status = store_job_get(s->store, id, &row);
  if (status != STORE_OK) return job_fault(f, status, id);
  bool done = retry_row(s, &row, reply, f);
  memcpy(retry, row.id, ID_SIZE);
  store_job_fini(&row);
  return done;
}

bool jobs_delete(service *s, const char *id, fault *f) {
  store_status status = store_job_delete(s->store, id);
  if (status == STORE_PRECONDITION)
    return fault_set(f, PROBLEM_FAILED_PRECONDITION, NULL, "job \"%.40s\" is running: cancel it first", id);
  return status == STORE_OK || job_fault(f, status, id);
}

static bool not_ready(fault *f, const store_job *job) {
  if (!job_state_terminal(job->state))
    return fault_set(f, PROBLEM_NOT_READY, NULL, "job \"%s\" is %s: its result comes when it has succeeded", job->id,
                     job_state_name(job->state));
  return fault_set(f, PROBLEM_FAILED_PRECONDITION, NULL, "job \"%s\" %s and has no result%s%.380s", job->id,
                   job->state == JOB_CANCELLED ? "was cancelled" : "failed", job->error ? ": " : "",
                   job->error ? job->error : "");
}

bool jobs_open_result(service *s, const char *id, int *fd, int64_t *size, char sha256[DIGEST_HEX_SIZE], fault *f) {
  store_job job;
  store_status status = store_job_get(s->store, id, &job);
  if (status != STORE_OK) return job_fault(f, status, id);
  bool ready = job.state == JOB_SUCCEEDED || not_ready(f, &job);
  *size = job.result_size;
  memcpy(sha256, job.result_sha256, DIGEST_HEX_SIZE);
  store_job_fini(&job);
  if (!ready) return false;
  *fd = store_result_open(s->store, id);
  return *fd >= 0 || fault_set(f, PROBLEM_INTERNAL, NULL, "the result of job \"%.40s\" is not on the disk", id);
}
