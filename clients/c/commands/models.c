// tendril models put | get | list | delete: model documents by name.
#include "base/files.h"
#include "base/raw.h"
#include "base/say.h"
#include "commands/command.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int model_put(session *s, const char *name, const char *bytes, size_t size, json_t **answer) {
  char *path = model_path(name);
  json_t *reply;
  int result =
      http_json(s->server, &(http_request){.method = "PUT", .path = path, .body = bytes, .body_size = size}, &reply);
  free(path);
  if (answer)
    *answer = reply;
  else
    json_decref(reply);
  return result;
}

void model_print(const json_t *model) {
  printf("%s revision %.0f: %.0f coordinates, %zu input channels", text_of(model, "name", "?"),
         number_of(model, "revision", 0), number_of(model, "ndof", 0),
         json_array_size(json_object_get(model, "channels")));
}

// ------------------------------------------------------------------------------------------------ put

static char *name_of_document(const char *path, const char *bytes, size_t size) {
  json_t *document = json_from_bytes(path, bytes, size);
  if (!document) return NULL;
  const char *name = text_of(document, "name", NULL);
  if (!name) say_error("%s has no \"name\"; give one with --name", path);
  char *copy = name ? must_copy(name) : NULL;
  json_decref(document);
  return copy;
}

static int put(session *s, const options *o) {
  size_t size;
  const char *path = o->positional[0], *given = options_get(o, "name");
  char *bytes = file_read(path, &size);
  char *name = !bytes ? NULL : given ? must_copy(given) : name_of_document(path, bytes, size);
  json_t *model = NULL;
  int result = name && name_check("a model's name", name) ? model_put(s, name, bytes, size, &model) : EXIT_USAGE;
  if (result == EXIT_OK && s->json) json_print(model);
  if (result == EXIT_OK && !s->json) model_print(model), putchar('\n');
  json_decref(model);
  free(name);
  free(bytes);
  return result;
}

const command command_models_put = {
    .group = "models",
    .name = "put",
    .arguments = "FILE.model.json",
    .summary = "store a model document (a new name, or a new revision)",
    .help =
        "Sends a tendril.model/1 document to the server under its own \"name\". A document with the same bytes makes "
        "no new\n"
        "revision. Mistakes are reported with their place in the document, such as /links/3/body/section/radius.\n\n"
        "  tendril models put cdm.model.json",
    .least = 1,
    .most = 1,
    .options = {{
        "name",
        'n',
        "NAME",
        "store it under this name instead of its own",
    }},
    .run = put};

// ------------------------------------------------------------------------------------------------ get

// The document as the server keeps it, byte for byte, so that putting it back makes no revision.
static int write_model(const http_reply *reply, bool whole, const char *output) {
  size_t length = reply->size;
  const char *text = whole ? reply->body : raw_member(reply->body, reply->size, "document", &length);
  if (!text) return say_error("the server's reply holds no document"), EXIT_JOB_FAILED;
  if (output) return file_write(output, text, length) ? EXIT_OK : EXIT_USAGE;
  printf("%.*s\n", (int)length, text);
  return EXIT_OK;
}

static int get(session *s, const options *o) {
  if (!name_check("a model's name", o->positional[0])) return EXIT_USAGE;
  char *path = model_path(o->positional[0]);
  http_reply reply;
  int result = http_send(s->server, &(http_request){.method = "GET", .path = path}, &reply);
  if (result == EXIT_OK) result = write_model(&reply, s->json, options_get(o, "output"));
  http_release(&reply);
  free(path);
  return result;
}

const command command_models_get = {.group = "models",
                                    .name = "get",
                                    .arguments = "NAME[@REVISION]",
                                    .summary = "print a stored model document",
                                    .help = "Prints the document; with --json the whole reply: document, name, "
                                            "revision, sha256, ndof, coordinates, channels.\n\n"
                                            "  tendril models get cdm\n  tendril models get cdm@2 -o cdm.model.json",
                                    .least = 1,
                                    .most = 1,
                                    .options = {{"output", 'o', "FILE", "write there instead of standard output"}},
                                    .run = get};

// ------------------------------------------------------------------------------------------------ list

static void print_row(const json_t *model) {
  printf("%-32s %8.0f  %.12s  %s\n", text_of(model, "name", "?"), number_of(model, "revision", 0),
         text_of(model, "sha256", ""), text_of(model, "created_at", ""));
}

static int list(session *s, const options *o) {
  (void)o;
  json_t *cursor = NULL;
  bool more = true;
  for (int page = 0; more; ++page) {
    char *escaped = cursor ? http_escape(s->server, json_string_value(cursor)) : must_copy("");
    char *path = must_format("/v1/models%s%s", cursor ? "?cursor=" : "", escaped);
    json_t *reply, *row;
    int result = http_json(s->server, &(http_request){.method = "GET", .path = path}, &reply);
    free(path);
    free(escaped);
    json_decref(cursor);
    if (result != EXIT_OK) return result;
    if (page == 0 && !s->json) printf("%-32s %8s  %-12s  %s\n", "NAME", "REVISION", "SHA256", "CREATED");
    size_t i;
    json_array_foreach(json_object_get(reply, "models"), i, row) s->json ? json_print(row) : print_row(row);
    cursor = json_object_get(reply, "next_cursor");
    more = json_is_string(cursor);
    json_incref(cursor);
    json_decref(reply);
  }
  json_decref(cursor);
  return EXIT_OK;
}

const command command_models_list = {.group = "models",
                                     .name = "list",
                                     .arguments = "",
                                     .summary = "list the stored models",
                                     .help = "One line per model; with --json one JSON object per line.",
                                     .run = list};

// ------------------------------------------------------------------------------------------------ delete

static int delete (session *s, const options *o) {
  if (!name_check("a model's name", o->positional[0])) return EXIT_USAGE;
  char *path = must_format("/v1/models/%s", o->positional[0]);
  json_t *reply;
  int result = http_json(s->server, &(http_request){.method = "DELETE", .path = path}, &reply);
  if (result == EXIT_OK && !s->json) printf("%s deleted\n", o->positional[0]);
  json_decref(reply);
  free(path);
  return result;
}

const command command_models_delete = {.group = "models",
                                       .name = "delete",
                                       .arguments = "NAME",
                                       .summary = "delete a model",
                                       .help = "Jobs that ran it keep the revision they used.",
                                       .least = 1,
                                       .most = 1,
                                       .run = delete};
