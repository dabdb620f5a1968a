// Jobs over gRPC.
#include "rpc/methods.h"
#include "tendril/v1/jobs.pb-c.h"

#include <stdio.h>
#include <string.h>

typedef struct answer {
  codec_buffer json;
  fault f;
} answer;

static const char *begin(answer *a, const ProtobufCMessage *message) {
  codec_buffer_init(&a->json, 0);
  return ((const Tendril__V1__JobRequest *)message)->id;
}

static void reply_job(rpc_call *c, answer *a, bool done) {
  rpc_reply_use_case(c, done, &a->json, &tendril__v1__job__descriptor, &a->f);
}

void rpc_jobs_submit(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__SubmitJobRequest *m = (const void *)message;
  answer a;
  char id[ID_SIZE];
  codec_buffer_init(&a.json, 0);
  span document = {m->document, strlen(m->document)};
  reply_job(c, &a, jobs_submit(rpc_service(c), rpc_caller(c), document, rpc_text(m->request_id), &a.json, id, &a.f));
}

void rpc_jobs_list(rpc_call *c, const ProtobufCMessage *message) {
  const Tendril__V1__ListJobsRequest *m = (const void *)message;
  answer a;
  char limit[16];
  codec_buffer_init(&a.json, 0);
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
  bool done = jobs_list(rpc_service(c), rpc_caller(c), &query, &a.json, &a.f);
  rpc_reply_use_case(c, done, &a.json, &tendril__v1__list_jobs_reply__descriptor, &a.f);
}

void rpc_jobs_get(rpc_call *c, const ProtobufCMessage *message) {
  answer a;
  const char *id = begin(&a, message);
  reply_job(c, &a, jobs_get(rpc_service(c), rpc_caller(c), id, &a.json, &a.f));
}

void rpc_jobs_cancel(rpc_call *c, const ProtobufCMessage *message) {
  answer a;
  bool finished;
  const char *id = begin(&a, message);
  reply_job(c, &a, jobs_cancel(rpc_service(c), rpc_caller(c), id, &a.json, &finished, &a.f));
}

void rpc_jobs_retry(rpc_call *c, const ProtobufCMessage *message) {
  answer a;
  char retry[ID_SIZE];
  const char *id = begin(&a, message);
  reply_job(c, &a, jobs_retry(rpc_service(c), rpc_caller(c), id, &a.json, retry, &a.f));
}

void rpc_jobs_delete(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  Tendril__V1__DeleteJobReply reply = TENDRIL__V1__DELETE_JOB_REPLY__INIT;
  if (jobs_delete(rpc_service(c), rpc_caller(c), ((const Tendril__V1__JobRequest *)message)->id, &f))
    rpc_reply(c, &reply.base);
  else
    rpc_fail(c, &f);
}
