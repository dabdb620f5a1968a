// The robots that the server ships.
#include "lib/http/client.h"

#include "lib/reply/documents.h"
#include "lib/reply/lists.h"

typedef struct example_rows {
  bool (*row)(void *context, const char *name, const char *description);
  void *context;
} example_rows;

static bool on_row(void *context, const json_t *json, const char *text) {
  (void)text;
  const example_rows *rows = context;
  return rows->row(rows->context, client_text(json, "name"), client_text(json, "description"));
}

tendril_status tendril_example_list(tendril_client *c,
                                    bool (*row)(void *context, const char *name, const char *description),
                                    void *context, tendril_error *err) {
  example_rows rows = {row, context};
  client_path path = client_path_to(CLIENT_EXAMPLES_LIST, NULL, NULL);
  return client_list(c, &path, "examples", on_row, &rows, err);
}

tendril_status tendril_example_get(tendril_client *c, const char *name, tendril_text *model, tendril_text *job,
                                   tendril_error *err) {
  if (!*name) return client_fail(err, TENDRIL_INVALID, "the example's name is empty");
  client_path path = client_path_to(CLIENT_EXAMPLES_GET, name, NULL);
  tendril_status status = client_send(c, &(client_request){.path = &path}, err);
  if (status != TENDRIL_OK) return status;
  *model = tendril_reply_member(c, "model");
  *job = tendril_reply_member(c, "job");
  if (model->at && job->at) return TENDRIL_OK;
  return client_fail(err, TENDRIL_BAD_REPLY, "the example %.60s has no model or no job", name);
}
