// Evaluation: states as an archive of arrays, quantities as another; or JSON as it stands.
#include "lib/client.h"

#include "lib/arrays.h"
#include "lib/documents.h"
#include "lib/npz_write.h"
#include <stdlib.h>
#include <string.h>

static client_path path_of(const char *model) {
  client_path path = client_path_of(model ? "/v1/models/" : "/v1/evaluate");
  if (!model) return path;
  client_path_escape(&path, model);
  client_path_add(&path, ":evaluate");
  return path;
}

static bool is_document(const char *model) { return model[strspn(model, " \t\r\n")] == '{'; }

// ------------------------------------------------------------------------------------------------ arrays

static bool add_states(client_npz_writer *w, const tendril_states *s) {
  const struct {
    const char *name;
    const double *values;
    size_t width;
  } parts[] = {{"q", s->q, s->ndof}, {"qd", s->qd, s->ndof}, {"qdd", s->qdd, s->ndof}, {"u", s->u, s->channels}};
  bool good = true;
  for (size_t i = 0; good && i < sizeof parts / sizeof *parts; ++i)
    if (parts[i].values)
      good = client_npz_add(w, parts[i].name, "<f8", 2, (const size_t[]){s->count, parts[i].width}, parts[i].values,
                            s->count * parts[i].width * sizeof(double));
  if (good && s->baumgarte > 0) good = client_npz_add(w, "baumgarte", "<f8", 0, NULL, &s->baumgarte, sizeof(double));
  return good;
}

static bool write_request(client_npz_writer *w, const char *model, const char *want, const tendril_states *states) {
  size_t size = strlen(model);
  bool good = client_npz_add_words(w, "want", want) && add_states(w, states);
  if (good && is_document(model)) good = client_npz_add(w, "model", "|u1", 1, &size, model, size);
  return good && client_npz_finish(w);
}

static tendril_status check(const char *want, const tendril_states *s, tendril_error *err) {
  if (!client_npz_words_fit(want))
    return client_fail(err, TENDRIL_INVALID, "'%.200s' is no list of quantities separated by commas", want);
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
  client_npz_writer w = {0};
  tendril_status status = write_request(&w, model, want, states) ? TENDRIL_OK : client_no_memory(err);
  client_request r = {.method = "POST",
                      .path = &path,
                      .body = w.archive.at,
                      .size = w.archive.size,
                      .content_type = CLIENT_NPZ,
                      .accept = CLIENT_NPZ,
                      .silence_s = c->options.evaluate_timeout_s};
  if (status == TENDRIL_OK) status = client_send(c, &r, err);
  client_npz_free(&w);
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
  client_request r = {.method = "POST",
                      .path = &path,
                      .body = request,
                      .size = size,
                      .accept = format == TENDRIL_NPZ ? CLIENT_NPZ : CLIENT_JSON,
                      .save_to = file,
                      .silence_s = c->options.evaluate_timeout_s};
  return client_send(c, &r, err);
}
