// Jobs over gRPC.
#include "service/jobs/jobs.h"
#include "rpc/methods.h"
#include "tendril/v1/jobs.pb-c.h"

#include <stdio.h>
#include <string.h>

static const char *id_of(const ProtobufCMessage *message) { return ((const Tendril__V1__JobRequest *)message)->id; }

// Takes the view over.
static void reply_job(rpc_call *c, bool done, job_view *view, fault *f) {
  Tendril__V1__Job reply;
  arena *a = arena_create();
  bool made = done && a && codec_job_message(view, a, &reply);
  if (done && !made) rpc_no_memory(f);
  rpc_reply_or_fail(c, made, &reply.base, f);
  arena_destroy(a);
  if (done) store_job_fini(&view->row);
}

void rpc_jobs_submit(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__SubmitJobRequest *m = (const void *)message;
  fault f;
  job_view view;
  span document = {m->document, strlen(m->document)};
  bool done = m->validate_only
                  ? jobs_check(rpc_service(c), rpc_caller(c), document, &view, &f)
                  : jobs_submit(rpc_service(c), rpc_caller(c), document, rpc_text(m->request_id), &view, &f);
  reply_job(c, done, &view, &f);
}

static void add_job(void *context, const job_view *view) {
  message_list *jobs = context;
  Tendril__V1__Job *job = (Tendril__V1__Job *)message_list_add(jobs, &tendril__v1__job__descriptor);
  jobs->failed = !job || !codec_job_message(view, jobs->memory, job);
}

static bool list_jobs(rpc_call *c, const jobs_query *query, message_list *jobs, char next[STORE_CURSOR_SIZE],
                      fault *f) {
  jobs->memory = arena_create();
  if (!jobs->memory) return rpc_no_memory(f);
  return jobs_list(rpc_service(c), rpc_caller(c), query, add_job, jobs, next, f) && (!jobs->failed || rpc_no_memory(f));
}

void rpc_jobs_list(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__ListJobsRequest *m = (const void *)message;
  fault f;
  char limit[16], next[STORE_CURSOR_SIZE];
  snprintf(limit, sizeof limit, "%u", m->limit);
  jobs_query query = {.state = rpc_text(m->state),
                      .kind = rpc_text(m->kind),
                      .model = rpc_text(m->model),
                      .label = rpc_text(m->label),
                      .since = rpc_text(m->since),
                      .until = rpc_text(m->until),
                      .parent = rpc_text(m->parent),
                      .owner = rpc_text(m->owner),
                      .limit = m->limit > 0 ? limit : NULL,
                      .cursor = rpc_text(m->cursor)};
  message_list jobs = {.memory = NULL};
  Tendril__V1__ListJobsReply reply = TENDRIL__V1__LIST_JOBS_REPLY__INIT;
  bool done = list_jobs(c, &query, &jobs, next, &f);
  reply.n_jobs = jobs.count;
  reply.jobs = (Tendril__V1__Job **)jobs.items;
  reply.next_cursor = next;
  rpc_reply_or_fail(c, done, &reply.base, &f);
  arena_destroy(jobs.memory);
}

void rpc_jobs_get(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  job_view view;
  reply_job(c, jobs_get(rpc_service(c), rpc_caller(c), id_of(message), &view, &f), &view, &f);
}

void rpc_jobs_cancel(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  job_view view;
  bool finished;
  reply_job(c, jobs_cancel(rpc_service(c), rpc_caller(c), id_of(message), &view, &finished, &f), &view, &f);
}

void rpc_jobs_retry(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__JobRequest *m = (const void *)message;
  fault f;
  job_view view;
  reply_job(c, jobs_retry(rpc_service(c), rpc_caller(c), m->id, m->max_wall_s, rpc_text(m->request_id), &view, &f),
            &view, &f);
}

void rpc_jobs_delete(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  Tendril__V1__DeleteJobReply reply = TENDRIL__V1__DELETE_JOB_REPLY__INIT;
  rpc_reply_or_fail(c, jobs_delete(rpc_service(c), rpc_caller(c), id_of(message), &f), &reply.base, &f);
}
