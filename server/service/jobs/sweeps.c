// Sweeps: expanding one document into many jobs, and retrying what failed of them.
//
// Every job is read and checked like one that was submitted by itself, so that a sweep is accepted as a whole or
// refused with the value that is wrong; then all rows are stored in one transaction. One working copy of the base (and
// of the model's document, where it is varied) takes the values of job after job. Jobs that vary the model carry it
// inline.
#include "base/limits.h"
#include "base/log/log.h"
#include "base/log/metrics.h"
#include "base/share/budget.h"
#include "base/share/pool.h"
#include "codec/json/memory.h"
#include "queue/queue.h"
#include "service/access/bounds.h"
#include "service/jobs/submission.h"
#include "service/keeper/keeper.h"
#include "service/models/models.h"

#include <stdlib.h>
#include <string.h>

typedef struct expansion {
  service *s;
  submission *sweep;
  json_t *job, *model; // working copies; model NULL: its parts are not varied
  submission *made;    // [jobs]
  store_sweep_job *rows;
  size_t bytes; // of documents so far
  char *base,
      base_sha256[DIGEST_HEX_SIZE]; // the document that the jobs' differ from in what is varied; NULL: each has its own
  bool small_model;                 // not worth it for models
  uint64_t taken;                   // of the budget, for all of it
} expansion;

enum { TAKE_BYTES = 256 << 10 }; // of the budget at a time
enum { WORTH_SHARING = 2048 };   // bytes of a document that are not stored with every job of a sweep

// Rows of thousands of jobs, and their documents, are no small thing: they come out of the budget as they grow.
static bool take(expansion *e, uint64_t bytes, fault *f) {
  budget_answer answer = budget_take(BUDGET_PARSING, bytes);
  if (answer == BUDGET_TAKEN) return e->taken += bytes, true;
  if (answer == BUDGET_NEVER)
    return fault_set(f, PROBLEM_TOO_LARGE, "/vary",
                     "the jobs of the sweep take more memory than this server gives to one request");
  return fault_set(f, PROBLEM_UNAVAILABLE, NULL,
                   "the server has no memory for the jobs of the sweep now: try again later");
}

static const sweep_document *document_of(const expansion *e) { return &e->sweep->job.sweep; }

// ------------------------------------------------------------------------------------------------ one job of a sweep

static bool blame(const expansion *e, size_t i, fault *f) {
  td_error err = {.status = TD_INVALID_ARGUMENT};
  if (f->code != PROBLEM_INVALID_ARGUMENT) return false;
  memcpy(err.pointer, f->pointer, sizeof err.pointer);
  memcpy(err.message, f->detail, sizeof err.message);
  codec_sweep_blame(document_of(e), i, &err);
  return fault_from_error(f, &err);
}

// True when job i takes the same values inside the model as the one before it.
static bool same_model(const expansion *e, size_t i) {
  const sweep_document *d = document_of(e);
  for (size_t v = 0; i > 0 && v < d->vary_count; v++)
    if (strncmp(d->vary[v].path, "/model/", 7) == 0 && codec_sweep_choice(d, i, v) != codec_sweep_choice(d, i - 1, v))
      return false;
  return i > 0;
}

// Rows share a document that the store gets with the first of them.
static bool share_model(service *s, const submission *with, submission *sub) {
  sub->held = with->held;
  sub->model_json = with->model_json;
  cache_retain(s->cache, sub->held);
  memcpy(sub->row.model_name, with->row.model_name, sizeof sub->row.model_name);
  memcpy(sub->row.model_owner, with->row.model_owner, sizeof sub->row.model_owner);
  memcpy(sub->row.model_sha256, with->row.model_sha256, sizeof sub->row.model_sha256);
  sub->row.model_revision = with->row.model_revision;
  return true;
}

static bool find_model(expansion *e, size_t i, submission *sub, fault *f) {
  if (e->model) {
    sub->model_json = e->model;
    memcpy(sub->row.model_name, e->sweep->row.model_name, sizeof sub->row.model_name); // of which it is a copy
    if (same_model(e, i)) return share_model(e->s, &e->made[i - 1], sub);
    char **whole = e->small_model ? &sub->model_document : NULL;
    sub->held = models_hold_inline(e->s, e->sweep->who, e->model, "/model", sub->row.model_sha256, whole, f);
    if (!sub->held || e->small_model) return sub->held != NULL;
    sub->model_differs = true;
    sub->model_document = codec_sweep_difference(document_of(e), i, true);
    return sub->model_document || fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  }
  if (json_object_get(e->job, "model")) return submission_find_model(e->s, e->sweep->who, sub, f);
  return share_model(e->s, e->sweep, sub);
}

static char *text_of(const expansion *e) {
  json_t *document = json_copy(e->job);
  if (json_is_object(json_object_get(document, "model"))) json_object_del(document, "model");
  char *text = document ? json_memory_text(document, JSON_COMPACT) : NULL;
  json_decref(document);
  return text;
}

// What is stored of a job: its document, or what it has other than the sweep's base.
static char *kept_of(expansion *e, size_t i, store_job *row) {
  if (i == 0 && !codec_sweep_varies_models(document_of(e))) {
    e->base = text_of(e);
    if (!e->base) return NULL;
    if (strlen(e->base) < WORTH_SHARING) free(e->base), e->base = NULL;
    if (e->base) digest_of(e->base, strlen(e->base), e->base_sha256);
  }
  if (!e->base) return text_of(e);
  memcpy(row->document_base, e->base_sha256, sizeof row->document_base);
  return codec_sweep_difference(document_of(e), i, false);
}

static char *labels_of(const expansion *e, const submission *sub) {
  const json_t *labels = sub->job.labels;
  return labels ? json_memory_text(labels, JSON_COMPACT) : strdup(e->sweep->labels);
}

// What only the making of a job needs is given up, so that thousands of them fit into memory.
static void forget_sources(expansion *e, submission *sub) {
  cache_release(e->s->cache, sub->held);
  arena_destroy(sub->memory);
  sub->held = NULL;
  sub->memory = NULL;
}

static bool read_job(const expansion *e, submission *sub, fault *f) {
  td_error err = {.status = TD_OK};
  sub->memory = arena_create();
  if (!sub->memory) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  return codec_job_read_local(e->job, "", sub->memory, &sub->job, &err) == TD_OK || fault_from_error(f, &err);
}

static bool make_job(expansion *e, size_t i, fault *f) {
  submission *sub = &e->made[i];
  sub->document = e->job;
  if (!codec_sweep_apply(document_of(e), i, e->job, e->model))
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  if (!read_job(e, sub, f) || !find_model(e, i, sub, f) || !submission_check(e->s, sub, f)) return blame(e, i, f);
  if (!submission_fill_row(sub, kept_of(e, i, &sub->row), labels_of(e, sub), f)) return false;
  if (!json_object_get(e->job, "priority")) sub->row.priority = e->sweep->job.priority;
  memcpy(sub->row.parent, e->sweep->row.id, sizeof sub->row.parent);
  memcpy(sub->row.owner, e->sweep->row.owner, sizeof sub->row.owner);
  submission_choose_queue(e->sweep->who, &sub->row);
  e->rows[i] = (store_sweep_job){.row = sub->row,
                                 .model_document = sub->model_document,
                                 .model_base = sub->model_differs ? e->sweep->row.model_sha256 : NULL,
                                 .position = (int64_t)i,
                                 .rows = (int64_t)sub->rows};
  e->bytes += strlen(sub->job_document) + (sub->model_document ? strlen(sub->model_document) : 0);
  uint64_t rows = document_of(e)->jobs * (sizeof *e->made + sizeof *e->rows);
  if (rows + 2 * e->bytes > e->taken && !take(e, TAKE_BYTES, f)) return false;
  return e->bytes <= LIMIT_SWEEP_BYTES || fault_set(f, PROBLEM_INVALID_ARGUMENT, "/vary",
                                                    "the documents of %zu jobs are more than %d bytes already, the "
                                                    "limit of a sweep",
                                                    i + 1, LIMIT_SWEEP_BYTES);
}

// ------------------------------------------------------------------------------------------------ the whole sweep

// The base's model document, which was parsed before: as it came, or from the store.
static bool copy_model(expansion *e, fault *f) {
  td_error err = {.status = TD_OK};
  char *stored = NULL;
  store_status status = STORE_OK;
  if (!e->sweep->model_document) status = store_document_get(e->s->store, e->sweep->row.model_sha256, &stored);
  if (status != STORE_OK) return fault_from_store(f, status, "the model");
  e->model = json_loads(stored ? stored : e->sweep->model_document, 0, NULL);
  e->small_model = strlen(stored ? stored : e->sweep->model_document) < WORTH_SHARING;
  free(stored);
  if (!e->model) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
  return codec_sweep_check_model(document_of(e), e->model, &err) == TD_OK || fault_from_error(f, &err);
}

static bool copy_base(expansion *e, fault *f) {
  const sweep_document *d = document_of(e);
  if (codec_sweep_varies_model(d) && !copy_model(e, f)) return false;
  e->job = json_deep_copy(d->base);
  bool whole = false;
  for (size_t v = 0; v < d->vary_count; v++) whole = whole || strcmp(d->vary[v].path, "/job/model") == 0;
  if (!whole) json_object_del(e->job, "model"); // it does not change from job to job
  if (!take(e, d->jobs * (sizeof *e->made + sizeof *e->rows), f)) return false;
  e->made = calloc(d->jobs, sizeof *e->made);
  e->rows = calloc(d->jobs, sizeof *e->rows);
  return (e->job && e->made && e->rows) || fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory");
}

static bool make_jobs(expansion *e, fault *f) {
  for (size_t i = 0; i < document_of(e)->jobs; i++) {
    if (!make_job(e, i, f)) return false;
    if (i > 0) forget_sources(e, &e->made[i - 1]); // the next one may share its model
    (void)pool_yield();
  }
  return true;
}

typedef struct expanding {
  expansion *e;
  fault *f;
  bool done;
} expanding;

static void expand_in_turn(void *context) {
  expanding *x = context;
  x->done = copy_base(x->e, x->f) && make_jobs(x->e, x->f);
}

// Seconds of computing, for which callers take turns.
static bool expand(expansion *e, fault *f) {
  expanding x = {.e = e, .f = f};
  pool_call(e->s->preparing, e->sweep->who->account, expand_in_turn, &x);
  return x.done;
}

static void expansion_fini(expansion *e) {
  for (size_t i = 0; e->made && i < document_of(e)->jobs; i++) submission_fini(e->s, &e->made[i]);
  free(e->made);
  free(e->rows);
  free(e->base);
  json_decref(e->job);
  json_decref(e->model);
  budget_give(BUDGET_PARSING, e->taken);
}

static void announce(const store_job *sweep, size_t jobs) {
  metrics_add(METRIC_JOBS_SUBMITTED, 0, (int64_t)jobs);
  log_write(LOG_LEVEL_INFO, "sweep_queued", LOG_S("job", sweep->id), LOG_I("jobs", (int64_t)jobs),
            LOG_S("model", sweep->model_name), LOG_S("retry_of", sweep->retry_of));
}

bool sweeps_check(service *s, submission *sub, fault *f) {
  expansion e = {.s = s, .sweep = sub};
  bool good = expand(&e, f);
  expansion_fini(&e);
  return good;
}

bool sweeps_insert(service *s, submission *sub, const store_request *request, fault *f) {
  expansion e = {.s = s, .sweep = sub};
  size_t jobs = sub->job.sweep.jobs;
  bool done = keeper_accepts(s->keeper, sub->row.owner, f) &&
              bounds_disk(s, sub->row.owner,
                          strlen(sub->row.document) + (sub->model_document ? strlen(sub->model_document) : 0), f) &&
              expand(&e, f) && bounds_disk(s, sub->row.owner, e.bytes, f);
  if (done) {
    submission_room room;
    const store_room *found = submission_find_room(s, &room);
    store_status status =
        store_sweep_insert(s->store, &sub->row, sub->model_document, e.base, e.rows, jobs, found, request);
    done = status == STORE_OK || submission_fault(&room, status, jobs, sub->row.owner, f);
  }
  sub->row.jobs[JOB_QUEUED] = (int64_t)jobs;
  if (done) announce(&sub->row, jobs);
  expansion_fini(&e);
  return done;
}

// ------------------------------------------------------------------------------------------------ retry

typedef struct revival {
  store_sweep_job *jobs;
  size_t count, room;
  const store_job *sweep; // the new one
  bool short_of_memory;
  uint64_t taken; // of the budget
  size_t bytes;   // of what is written
} revival;

enum { REVIVED_BYTES = 256 }; // of a job's document and labels, mostly a difference to the sweep's

static bool grow(revival *r) {
  if (r->count < r->room) return true;
  size_t room = r->room ? 2 * r->room : 64;
  uint64_t bytes = (room - r->room) * (sizeof *r->jobs + REVIVED_BYTES);
  if (budget_take(BUDGET_PARSING, bytes) != BUDGET_TAKEN) return false;
  r->taken += bytes;
  store_sweep_job *more = realloc(r->jobs, room * sizeof *more);
  if (!more) return false;
  r->jobs = more;
  r->room = room;
  return true;
}

static void revive(void *context, const store_sweep_job *before) {
  revival *r = context;
  if (!grow(r)) {
    r->short_of_memory = true;
    return;
  }
  store_sweep_job *job = &r->jobs[r->count++];
  *job = (store_sweep_job){.position = before->position, .rows = before->rows};
  job->taken_over = before->row.state == JOB_SUCCEEDED;
  submission_copy_row(&before->row, &job->row);
  if (job->taken_over) memcpy(job->row.id, before->row.id, sizeof job->row.id);
  memcpy(job->row.parent, r->sweep->id, sizeof job->row.parent);
  job->row.document = strdup(before->row.document);
  job->row.labels = strdup(before->row.labels);
  r->short_of_memory = r->short_of_memory || !job->row.document || !job->row.labels;
  r->bytes += STORE_PLACE_BYTES + (job->taken_over ? 0 : strlen(before->row.document));
}

bool sweeps_retry(service *s, const store_job *before, store_job *sweep, const store_request *request, fault *f) {
  submission_copy_row(before, sweep);
  revival r = {.sweep = sweep};
  store_status status = store_sweep_jobs(s->store, before->id, &(store_visit){.context = &r, .sweep_job = revive});
  bool done = status == STORE_OK ? !r.short_of_memory || fault_set(f, PROBLEM_UNAVAILABLE, NULL, "not enough memory")
                                 : fault_from_store(f, status, "the jobs of the sweep");
  done = done && keeper_accepts(s->keeper, sweep->owner, f) && bounds_disk(s, sweep->owner, r.bytes, f);
  if (done) {
    submission_room room;
    const store_room *found = submission_find_room(s, &room);
    status = store_sweep_insert(s->store, sweep, NULL, NULL, r.jobs, r.count, found, request);
    done = status == STORE_OK || submission_fault(&room, status, r.count, sweep->owner, f);
  }
  for (size_t i = 0; i < r.count; i++) {
    sweep->jobs[r.jobs[i].taken_over ? JOB_SUCCEEDED : JOB_QUEUED]++;
    free(r.jobs[i].row.document);
    free(r.jobs[i].row.labels);
  }
  free(r.jobs);
  budget_give(BUDGET_PARSING, r.taken);
  if (done) announce(sweep, (size_t)sweep->jobs[JOB_QUEUED]);
  return done;
}
