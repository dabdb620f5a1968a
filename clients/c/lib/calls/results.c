// Results: a file, or arrays in memory.
#include "lib/http/client.h"

#include "lib/reply/arrays.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const media_types[] = {
    [TENDRIL_NPZ] = CLIENT_NPZ, [TENDRIL_JSON] = CLIENT_JSON, [TENDRIL_CSV] = "text/csv"};

static client_path path_of(const char *id, const tendril_result_query *query) {
  static const tendril_result_query all = {0};
  const tendril_result_query *q = query ? query : &all;
  char stride[24];
  snprintf(stride, sizeof stride, "%ld", q->stride);
  client_path path = client_path_to(CLIENT_JOBS_RESULT, id, NULL);
  client_path_query(&path, "partial", q->partial ? "1" : NULL);
  client_path_query(&path, "fields", q->fields);
  client_path_query(&path, "from", q->from);
  client_path_query(&path, "to", q->to);
  client_path_query(&path, "stride", q->stride > 1 ? stride : NULL);
  return path;
}

static tendril_status check(const char *id, const tendril_result_query *query, tendril_error *err) {
  if (!*id) return client_fail(err, TENDRIL_INVALID, "the job's id is empty");
  if (query && query->stride < 0)
    return client_fail(err, TENDRIL_INVALID, "the stride is %ld, and must be 1 or more", query->stride);
  return TENDRIL_OK;
}

tendril_status tendril_result_save(tendril_client *c, const char *id, const tendril_result_query *query,
                                   tendril_format format, const char *file, tendril_error *err) {
  if (check(id, query, err) != TENDRIL_OK) return TENDRIL_INVALID;
  if (format > TENDRIL_CSV) return client_fail(err, TENDRIL_INVALID, "there is no format number %d", (int)format);
  client_path path = path_of(id, query);
  return client_send(c, &(client_request){.path = &path, .accept = media_types[format], .save_to = file}, err);
}

tendril_status tendril_result_arrays(tendril_client *c, const char *id, const tendril_result_query *query,
                                     tendril_arrays **result, tendril_error *err) {
  *result = NULL;
  if (check(id, query, err) != TENDRIL_OK) return TENDRIL_INVALID;
  client_path path = path_of(id, query);
  tendril_status status = client_send(c, &(client_request){.path = &path, .accept = CLIENT_NPZ}, err);
  return status == TENDRIL_OK ? client_take_arrays(c, result, err) : status;
}
