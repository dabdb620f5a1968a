// Jobs over HTTP.
#include "service/jobs/jobs.h"
#include "codec/json/object.h"
#include "http/routes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void add_location(exchange *x, const char *id) {
  char location[64];
  snprintf(location, sizeof location, "/v1/jobs/%s", id);
  reply_header(x, MHD_HTTP_HEADER_LOCATION, location);
}

// Takes the view over.
static void reply_job(exchange *x, unsigned status, bool done, job_view *view, const fault *f) {
  codec_buffer reply;
  codec_buffer_init(&reply, 0);
  if (done) codec_job_json(&reply, view);
  reply_use_case(x, status, done, &reply, f);
  if (done) store_job_fini(&view->row);
}

static bool check(exchange *x, job_view *view, fault *f) {
  if (x->in != MEDIA_NPZ) return jobs_check(x->service, &x->caller, exchange_body(x), view, f);
  return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "validate is of documents, not of archives");
}

void handle_jobs_submit(exchange *x) {
  fault f;
  job_view view;
  int64_t validate;
  if (!query_integer("validate", exchange_query(x, "validate"), 0, 1, 0, &validate, &f)) {
    reply_fault(x, &f);
    return;
  }
  if (validate == 1) {
    reply_job(x, MHD_HTTP_OK, check(x, &view, &f), &view, &f);
    return;
  }
  const char *key = exchange_header(x, "Idempotency-Key");
  bool done = x->in == MEDIA_NPZ ? jobs_submit_archive(x->service, &x->caller, exchange_body(x), key, &view, &f)
                                 : jobs_submit(x->service, &x->caller, exchange_body(x), key, &view, &f);
  reply_job(x, MHD_HTTP_ACCEPTED, done, &view, &f);
  if (done) add_location(x, view.row.id);
}

static void write_job(void *context, const job_view *view) {
  json_next(context);
  codec_job_json(context, view);
}

void handle_jobs_list(exchange *x) {
  fault f;
  codec_buffer reply;
  char next[STORE_CURSOR_SIZE];
  codec_buffer_init(&reply, 0);
  jobs_query query = {.state = exchange_query(x, "state"),
                      .kind = exchange_query(x, "kind"),
                      .model = exchange_query(x, "model"),
                      .label = exchange_query(x, "label"),
                      .since = exchange_query(x, "since"),
                      .until = exchange_query(x, "until"),
                      .parent = exchange_query(x, "parent"),
                      .owner = exchange_query(x, "owner"),
                      .limit = exchange_query(x, "limit"),
                      .cursor = exchange_query(x, "cursor")};
  json_list_begin(&reply, "jobs");
  bool done = jobs_list(x->service, &x->caller, &query, write_job, &reply, next, &f);
  json_list_end(&reply, *next ? next : NULL);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_jobs_get(exchange *x) {
  fault f;
  job_view view;
  bool done = jobs_get(x->service, &x->caller, x->parameter[0], &view, &f);
  reply_job(x, MHD_HTTP_OK, done, &view, &f);
}

void handle_jobs_document(exchange *x) {
  fault f;
  codec_buffer reply;
  job_documents documents;
  codec_buffer_init(&reply, 0);
  bool done = jobs_document(x->service, &x->caller, x->parameter[0], &documents, &f);
  if (done) codec_job_documents_json(&reply, &documents);
  free(documents.job);
  free(documents.model);
  reply_use_case(x, MHD_HTTP_OK, done, &reply, &f);
}

void handle_jobs_cancel(exchange *x) {
  fault f;
  job_view view;
  bool finished = false;
  bool done = jobs_cancel(x->service, &x->caller, x->parameter[0], &view, &finished, &f);
  reply_job(x, finished ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED, done, &view, &f);
}

static bool read_bound(const char *text, double *max_wall_s, fault *f) {
  char *end = NULL;
  *max_wall_s = text ? strtod(text, &end) : 0;
  return !text || (end != text && *end == '\0' && *max_wall_s > 0 && isfinite(*max_wall_s)) ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "the query's max_wall_s is \"%.40s\", not a number above 0",
                   text);
}

void handle_jobs_retry(exchange *x) {
  fault f;
  job_view view;
  double max_wall_s;
  bool done =
      read_bound(exchange_query(x, "max_wall_s"), &max_wall_s, &f) &&
      jobs_retry(x->service, &x->caller, x->parameter[0], max_wall_s, exchange_header(x, "Idempotency-Key"), &view, &f);
  reply_job(x, MHD_HTTP_ACCEPTED, done, &view, &f);
  if (done) add_location(x, view.row.id);
}

void handle_jobs_delete(exchange *x) {
  fault f;
  if (jobs_delete(x->service, &x->caller, x->parameter[0], &f))
    reply_empty(x, MHD_HTTP_NO_CONTENT);
  else
    reply_fault(x, &f);
}
