// tendril evaluate: quantities of a robot at given states, POST /v1/models/{name}:evaluate or /v1/evaluate.
// The states file is a whole request {"want", "states"}, a list of states, or one state {"q": …}.
#include "base/files.h"
#include "base/kinds.h"
#include "base/say.h"
#include "commands/command.h"
#include "commands/models/revisions.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *read_json(const char *path) {
  size_t size;
  char *bytes = file_read(path, &size);
  json_t *value = bytes ? json_from_bytes(path, bytes, size) : NULL;
  free(bytes);
  return value;
}

// The request of what the file holds; takes over `value`.
static json_t *as_request(json_t *value) {
  if (json_is_object(value) && json_object_get(value, "states")) return value;
  json_t *states = json_is_array(value) ? value : json_pack("[o]", value);
  return json_pack("{s:o}", "states", states);
}

static json_t *split_words(const char *list) {
  json_t *words = json_array();
  for (const char *at = list; *at; at += *at == ',') {
    size_t length = strcspn(at, ",");
    if (length > 0) json_array_append_new(words, json_stringn(at, length));
    at += length;
  }
  return words;
}

// A file when it looks or is one, else a name on the server.
static bool is_file(const char *model) {
  return strchr(model, '/') || file_has_extension(model, ".json") || strcmp(model, "-") == 0;
}

// "/model/…" or "name=/model/…".
static json_t *split_places(const char *list) {
  json_t *words = split_words(list), *places = json_array(), *word;
  size_t i;
  json_array_foreach(words, i, word) {
    const char *text = json_string_value(word), *path = strchr(text, '=');
    json_array_append_new(places, path ? json_pack("{s:s%, s:s}", "name", text, (size_t)(path - text), "path", path + 1)
                                       : json_string(text));
  }
  json_decref(words);
  return places;
}

// "0.01", "0.01,rk4" or "0.01,rk4,10".
static json_t *split_step(const char *text) {
  json_t *words = split_words(text), *step = json_object();
  const char *h = json_string_value(json_array_get(words, 0)), *method = json_string_value(json_array_get(words, 1)),
             *substeps = json_string_value(json_array_get(words, 2));
  if (h) json_object_set_new(step, "h", json_real(strtod(h, NULL)));
  if (method) json_object_set_new(step, "method", json_string(method));
  if (substeps) json_object_set_new(step, "substeps", json_integer(strtol(substeps, NULL, 10)));
  json_decref(words);
  return step;
}

static json_t *build_request(const options *o) {
  json_t *value = read_json(o->positional[1]);
  if (!value) return NULL;
  json_t *request = as_request(value);
  const char *want = options_get(o, "want");
  if (want) json_object_set_new(request, "want", split_words(want));
  const char *parameters = options_get(o, "parameters");
  if (parameters) json_object_set_new(request, "parameters", split_places(parameters));
  const char *step = options_get(o, "step");
  if (step) json_object_set_new(request, "step", split_step(step));
  if (!json_object_get(request, "want")) json_object_set_new(request, "want", json_pack("[s]", "fd"));
  if (!is_file(o->positional[0])) return request;
  json_t *model = read_json(o->positional[0]);
  if (model) json_object_set_new(request, "model", model);
  if (!model) json_decref(request);
  return model ? request : NULL;
}

// NPZ when --format or the extension says so, else JSON.
static bool read_format(const options *o, const char *output, tendril_format *format) {
  const char *word = options_get(o, "format");
  bool npz = word ? strcmp(word, "npz") == 0 : output && file_has_extension(output, ".npz");
  *format = npz ? TENDRIL_NPZ : TENDRIL_JSON;
  if (!word || npz || strcmp(word, "json") == 0) return true;
  say_error("--format must be npz or json, not '%s'", word);
  return false;
}

// As said by JSON, whose reader may be a program.
static void say_json_warnings(const json_t *list) {
  const json_t *one;
  size_t i;
  json_array_foreach(list, i, one) {
    const char *code = json_string_value(json_object_get(one, "code")),
               *at = json_string_value(json_object_get(one, "pointer")),
               *detail = json_string_value(json_object_get(one, "detail"));
    say_note("warning: %s%s%s: %s", code ? code : "", at && *at ? " at " : "", at ? at : "", detail ? detail : "");
  }
}

static bool json_all_failed(const char *bytes, size_t size) {
  json_t *reply = json_loadb(bytes, size, 0, NULL);
  const json_t *states = json_object_get(reply, "states"), *one;
  size_t i, failed = 0, count = json_array_size(states);
  say_json_warnings(json_object_get(reply, "warnings"));
  json_array_foreach(states, i, one) failed += json_object_get(one, "error") != NULL;
  json_decref(reply);
  return count > 0 && failed == count;
}

static void say_what_is_odd(tendril_arrays *reply) {
  tendril_warning list[TENDRIL_WARNINGS];
  say_warnings(tendril_arrays_warnings(reply, list), list);
}

// `error` of the archive holds the reason of each state that failed.
static bool npz_all_failed(const char *bytes, size_t size) {
  tendril_error err;
  char reason[8];
  tendril_arrays *reply = tendril_arrays_read(bytes, size, &err);
  if (reply) say_what_is_odd(reply);
  const tendril_array *error = reply ? tendril_arrays_find(reply, "error") : NULL;
  size_t failed = 0, count = error ? error->count : 0;
  for (size_t i = 0; i < count; i++) failed += tendril_array_string(error, i, reason, sizeof reason) && *reason;
  tendril_arrays_close(reply);
  return count > 0 && failed == count;
}

// Of the answer, in `output` or the last reply, whose warnings are said, too; what went to standard output or a pipe cannot be looked at again.
static bool all_failed(const session *s, tendril_format format, const char *output) {
  if (output && !output_file_is_regular(output)) return false;
  tendril_text reply = tendril_reply(s->client);
  char *bytes = output ? file_read(output, &reply.size) : NULL;
  const char *at = output ? bytes : reply.at;
  bool failed = at && (format == TENDRIL_NPZ ? npz_all_failed : json_all_failed)(at, reply.size);
  free(bytes);
  return failed;
}

static int send_request(session *s, const options *o, const json_t *request) {
  const char *model = is_file(o->positional[0]) ? NULL : o->positional[0], *output = options_get(o, "output");
  char name[MODEL_REFERENCE];
  tendril_format format;
  if (!read_format(o, output, &format)) return EXIT_USAGE;
  int found = model ? model_reference(s, model, name) : EXIT_OK;
  if (found != EXIT_OK) return found;
  if (!output && format == TENDRIL_NPZ) output = "-";
  char *body = json_dumps(request, JSON_COMPACT | JSON_REAL_PRECISION(17));
  tendril_error err;
  if (!body) return say_error("the request cannot be written as JSON"), EXIT_USAGE;
  tendril_status status =
      tendril_evaluate_json(s->client, model ? name : NULL, body, strlen(body), format, output, &err);
  free(body);
  if (status != TENDRIL_OK) return report(&err);
  if (!output) print_reply(s);
  if (!all_failed(s, format, output)) return EXIT_OK;
  return say_error("every state failed; \"error\" of the answer says why"), EXIT_FAILED;
}

static int run(session *s, const options *o) {
  if (!is_file(o->positional[0]) && !name_check("a model's name or file", o->positional[0])) return EXIT_USAGE;
  json_t *request = build_request(o);
  int result = request ? send_request(s, o, request) : EXIT_USAGE;
  json_decref(request);
  return result;
}

const command command_evaluate = {
    .name = "evaluate",
    .arguments = "MODEL STATES.json",
    .summary = "quantities (fd, mass, poses, derivatives, …) at given states",
    .help = "MODEL is a model's name on the server (NAME@REVISION, too) or a model document's file. STATES.json holds "
            "one state {\"q\": "
            "[..], \"qd\": [..],\n"
            "\"u\": [..]}, a list of them, or a whole request {\"want\": [..], \"states\": [..]}; \"-\" reads standard "
            "input. Where\n"
            "qd, qdd or u is missing, it is zero.\nQuantities: " KINDS_QUANTITIES ".\n"
            "Exits 1 when every state failed (not seen where the answer goes into a pipe).\n" OUTPUT_HELP "\n"
            "  echo '{\"q\": [0.1, 0.2]}' | tendril evaluate arm.model.json - --want fd,dfd_dq\n"
            "  tendril evaluate cdm states.json --want poses -o poses.npz\n"
            "  tendril evaluate cdm states.json --want dfd_dp --parameters "
            "E=/model/links/0/body/material/young,/model/gravity\n"
            "  tendril evaluate cdm states.json --want x_next,dx_next_dx --step 0.01",
    .least = 2,
    .most = 2,
    .options = {{"want", 'w', "NAMES", "quantities, separated by commas (default: the file's, else fd)"},
                {"parameters", 'p', "PLACES",
                 "numbers of the model document to differentiate by, separated by commas: /model/… or NAME=/model/…"},
                {"step", 's', "H", "how far ahead x_next is: seconds, or SECONDS,METHOD,SUBSTEPS (0.01,rk4,10)"},
                {"output", 'o', "FILE", "write the answer there (.npz for arrays) instead of standard output"},
                {"format", 'f', "npz|json", "of the answer (default: npz for FILE.npz, else json)"}},
    .run = run};
