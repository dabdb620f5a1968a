// Jobs: handing in, asking, stopping, repeating, removing.
#include "lib/http/client.h"

#include "lib/reply/documents.h"
#include "lib/reply/lists.h"
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static tendril_status one_job(tendril_client *c, const client_request *r, tendril_job *job, tendril_error *err) {
  json_t *json;
  tendril_job ignored;
  tendril_status status = client_json(c, r, &json, err);
  if (status == TENDRIL_OK && !client_read_job(json, job ? job : &ignored))
    status = client_fail(err, TENDRIL_BAD_REPLY, "the reply names no job");
  json_decref(json);
  return status;
}

static tendril_status on_job(tendril_client *c, client_operation operation, const char *id, tendril_job *job,
                             tendril_error *err) {
  if (!*id) return client_fail(err, TENDRIL_INVALID, "the job's id is empty");
  client_path path = client_path_to(operation, id, NULL);
  return one_job(c, &(client_request){.path = &path}, job, err);
}

// 128 random bits in hexadecimal digits.
static bool make_key(char key[33]) {
  unsigned char bits[16];
  if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) return false;
  for (size_t i = 0; i < sizeof bits; ++i) snprintf(key + 2 * i, 3, "%02x", bits[i]);
  return true;
}

static bool key_is_plain(const char *key) {
  size_t length = strlen(key);
  for (size_t i = 0; i < length; ++i)
    if (key[i] <= ' ' || key[i] > '~') return false;
  return length > 0 && length <= 128;
}

// *key NULL: one of its own, in `own`.
static tendril_status choose_key(const char **key, char own[33], tendril_error *err) {
  if (*key && !key_is_plain(*key))
    return client_fail(err, TENDRIL_INVALID, "an idempotency key is 1 to 128 printable characters without spaces");
  if (!*key && !make_key(own)) return client_fail(err, TENDRIL_NO_MEMORY, "no random numbers for an idempotency key");
  if (!*key) *key = own;
  return TENDRIL_OK;
}

tendril_status tendril_job_submit(tendril_client *c, const char *document, size_t size, const char *key,
                                  tendril_job *job, tendril_error *err) {
  char own[33];
  tendril_status status = choose_key(&key, own, err);
  if (status != TENDRIL_OK) return status;
  client_path path = client_path_to(CLIENT_JOBS_SUBMIT, NULL, NULL);
  return one_job(c, &(client_request){.path = &path, .body = document, .size = size, .key = key}, job, err);
}

tendril_status tendril_job_check(tendril_client *c, const char *document, size_t size, tendril_job *job,
                                 tendril_error *err) {
  client_path path = client_path_to(CLIENT_JOBS_SUBMIT, NULL, NULL);
  client_path_query(&path, "validate", "1");
  return one_job(c, &(client_request){.path = &path, .body = document, .size = size}, job, err);
}

tendril_status tendril_job_get(tendril_client *c, const char *id, tendril_job *job, tendril_error *err) {
  return on_job(c, CLIENT_JOBS_GET, id, job, err);
}

tendril_status tendril_job_cancel(tendril_client *c, const char *id, tendril_job *job, tendril_error *err) {
  return on_job(c, CLIENT_JOBS_CANCEL, id, job, err);
}

tendril_status tendril_job_retry_within(tendril_client *c, const char *id, double max_wall_s, const char *key,
                                        tendril_job *job, tendril_error *err) {
  char own[33], bound[32];
  if (!*id) return client_fail(err, TENDRIL_INVALID, "the job's id is empty");
  tendril_status status = choose_key(&key, own, err);
  if (status != TENDRIL_OK) return status;
  client_path path = client_path_to(CLIENT_JOBS_RETRY, id, NULL);
  snprintf(bound, sizeof bound, "%.17g", max_wall_s);
  client_path_query(&path, "max_wall_s", max_wall_s != 0 ? bound : NULL);
  return one_job(c, &(client_request){.path = &path, .key = key}, job, err);
}

tendril_status tendril_job_retry_once(tendril_client *c, const char *id, const char *key, tendril_job *job,
                                      tendril_error *err) {
  return tendril_job_retry_within(c, id, 0, key, job, err);
}

tendril_status tendril_job_retry(tendril_client *c, const char *id, tendril_job *job, tendril_error *err) {
  return tendril_job_retry_once(c, id, NULL, job, err);
}

tendril_status tendril_job_delete(tendril_client *c, const char *id, tendril_error *err) {
  if (!*id) return client_fail(err, TENDRIL_INVALID, "the job's id is empty");
  client_path path = client_path_to(CLIENT_JOBS_DELETE, id, NULL);
  return client_delete(c, &path, err);
}

// ------------------------------------------------------------------------------------------------ list

typedef struct job_rows {
  bool (*row)(void *context, const tendril_job *job, const char *json);
  void *context;
  long left; ///< negative: any number
} job_rows;

static bool on_row(void *context, const json_t *json, const char *text) {
  job_rows *rows = context;
  tendril_job job;
  client_read_job(json, &job);
  if (rows->left > 0) --rows->left;
  return rows->row(rows->context, &job, text) && rows->left != 0;
}

tendril_status tendril_job_list(tendril_client *c, const tendril_job_filter *filter,
                                bool (*row)(void *context, const tendril_job *job, const char *json), void *context,
                                tendril_error *err) {
  static const tendril_job_filter all = {0};
  const tendril_job_filter *f = filter ? filter : &all;
  const struct {
    const char *key, *value;
  } parts[] = {{"state", f->state}, {"kind", f->kind},   {"model", f->model},   {"label", f->label},
               {"since", f->since}, {"until", f->until}, {"parent", f->parent}, {"owner", f->owner}};
  char limit[24];
  snprintf(limit, sizeof limit, "%ld", f->limit > 0 && f->limit < 100 ? f->limit : 100);
  client_path path = client_path_to(CLIENT_JOBS_LIST, NULL, NULL);
  client_path_query(&path, "limit", limit);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) client_path_query(&path, parts[i].key, parts[i].value);
  job_rows rows = {row, context, f->limit > 0 ? f->limit : -1};
  return client_list(c, &path, "jobs", on_row, &rows, err);
}
