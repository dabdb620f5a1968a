// Evaluation: states as an archive of arrays, quantities as another; or JSON as it stands.
#include "lib/http/client.h"

#include "lib/reply/arrays.h"
#include "lib/reply/documents.h"
#include "lib/reply/states.h"
#include <stdlib.h>
#include <string.h>

static client_path path_of(const char *model) {
  return model ? client_path_to(CLIENT_EVALUATE, model, NULL) : client_path_to(CLIENT_EVALUATE_INLINE, NULL, NULL);
}

static bool is_document(const char *model) { return model[strspn(model, " \t\r\n")] == '{'; }

// ------------------------------------------------------------------------------------------------ arrays

static tendril_status check(const char *want, const tendril_states *s, tendril_error *err) {
  if (!client_words_fit(want))
    return client_fail(err, TENDRIL_INVALID, "'%.200s' is not a list of quantities separated by commas", want);
  if (!s->q && s->ndof > 0) return client_fail(err, TENDRIL_INVALID, "states have no q");
  size_t widest = s->ndof > s->channels ? s->ndof : s->channels;
  if (widest > 0 && s->count > ((size_t)1 << 40) / sizeof(double) / widest)
    return client_fail(err, TENDRIL_INVALID, "%zu states are too many for one request", s->count);
  return TENDRIL_OK;
}

tendril_status tendril_evaluate(tendril_client *c, const char *model, const char *want, const tendril_states *states,
                                tendril_arrays **reply, tendril_error *err) {
  *reply = NULL;
  if (check(want, states, err) != TENDRIL_OK) return TENDRIL_INVALID;
  client_path path = path_of(is_document(model) ? NULL : model);
  client_buffer body = {0};
  bool written = client_write_states(&body, want, states, is_document(model) ? model : NULL);
  tendril_status status = written ? TENDRIL_OK : client_no_memory(err);
  client_request r = {.path = &path,
                      .body = body.at,
                      .size = body.size,
                      .content_type = CLIENT_NPZ,
                      .accept = CLIENT_NPZ,
                      .silence_s = c->options.evaluate_timeout_s};
  if (status == TENDRIL_OK) status = client_send(c, &r, err);
  client_buffer_free(&body);
  return status == TENDRIL_OK ? client_take_arrays(c, reply, err) : status;
}

int tendril_arrays_warnings(tendril_arrays *reply, tendril_warning list[TENDRIL_WARNINGS]) {
  const tendril_array *text = tendril_arrays_find(reply, "warnings");
  if (!text || strcmp(text->type, "|u1") != 0) return 0;
  json_t *found = json_loadb(text->data, text->count, 0, NULL);
  int count = client_read_warnings(found, list);
  json_decref(found);
  return count;
}

// ------------------------------------------------------------------------------------------------ JSON

tendril_status tendril_evaluate_json(tendril_client *c, const char *model, const char *request, size_t size,
                                     tendril_format format, const char *file, tendril_error *err) {
  if (format != TENDRIL_NPZ && format != TENDRIL_JSON)
    return client_fail(err, TENDRIL_INVALID, "an evaluation is answered as NPZ or JSON");
  client_path path = path_of(model);
  client_request r = {.path = &path,
                      .body = request,
                      .size = size,
                      .accept = format == TENDRIL_NPZ ? CLIENT_NPZ : CLIENT_JSON,
                      .save_to = file,
                      .silence_s = c->options.evaluate_timeout_s};
  return client_send(c, &r, err);
}
