// The page is parsed before its rows are told, so that a callback may send requests of its own.
#include "lib/reply/lists.h"

#include <stdlib.h>
#include <string.h>

static tendril_status tell_row(const json_t *json, bool (*row)(void *, const json_t *, const char *), void *context,
                               bool *more, tendril_error *err) {
  char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
  if (!text) return client_no_memory(err);
  *more = row(context, json, text);
  free(text);
  return TENDRIL_OK;
}

// One page. *cursor: where the next one starts, "" at the end.
static tendril_status tell_page(const json_t *page, const char *key, bool (*row)(void *, const json_t *, const char *),
                                void *context, bool *more, char *cursor, size_t size, tendril_error *err) {
  const json_t *rows = json_object_get(page, key), *json, *next = json_object_get(page, "next_cursor");
  size_t i;
  if (!json_is_array(rows)) return client_fail(err, TENDRIL_BAD_REPLY, "the reply has no list of %s", key);
  client_copy(cursor, size, json_string_value(next));
  if (json_string_length(next) >= size)
    return client_fail(err, TENDRIL_BAD_REPLY, "the cursor of the list is too long");
  json_array_foreach(rows, i, json) {
    tendril_status status = *more ? tell_row(json, row, context, more, err) : TENDRIL_OK;
    if (status != TENDRIL_OK) return status;
  }
  return TENDRIL_OK;
}

tendril_status client_list(tendril_client *c, const client_path *path, const char *key,
                           bool (*row)(void *context, const json_t *json, const char *text), void *context,
                           tendril_error *err) {
  char cursor[1024] = "";
  bool more = true;
  do {
    client_path address = *path;
    client_path_query(&address, "cursor", *cursor ? cursor : NULL);
    json_t *page;
    tendril_status status = client_json(c, &(client_request){.path = &address}, &page, err);
    if (status == TENDRIL_OK) status = tell_page(page, key, row, context, &more, cursor, sizeof cursor, err);
    json_decref(page);
    if (status != TENDRIL_OK) return status;
  } while (more && *cursor);
  return TENDRIL_OK;
}

tendril_status client_delete(tendril_client *c, const client_path *path, tendril_error *err) {
  return client_send(c, &(client_request){.path = path, .deletes = true}, err);
}
