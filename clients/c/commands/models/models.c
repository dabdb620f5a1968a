// tendril models put | get | list | delete: model documents by name.
#include "base/files.h"
#include "base/say.h"
#include "base/table.h"
#include "commands/command.h"
#include "commands/models/counted.h"
#include "commands/models/revisions.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWNER_OPTION                                                                                                   \
  { "owner", 0, "OWNER", "of this owner; none: shared by all" }

static bool choose_owner(session *s, const options *o) {
  tendril_error err;
  if (tendril_model_owner(s->client, options_get(o, "owner"), &err) == TENDRIL_OK) return true;
  report(&err);
  return false;
}

// ------------------------------------------------------------------------------------------------ put

static char *name_of_document(const char *path, const char *bytes, size_t size) {
  json_t *document = json_from_bytes(path, bytes, size);
  if (!document) return NULL;
  const char *name = json_string_value(json_object_get(document, "name"));
  if (!name) say_error("%s has no \"name\"; give one with --name", path);
  char *copy = name ? must_copy(name) : NULL;
  json_decref(document);
  return copy;
}

// What stood under the name before; a name that is free, or a server that does not answer, has nothing.
typedef struct before {
  tendril_model model;
  char *links; ///< their names, NULL: nothing was there
} before;

// "arm, finger"; the caller frees it.
static char *links_of(const char *bytes, size_t size) {
  json_t *document = json_loadb(bytes, size, 0, NULL), *link;
  char *names = must_copy("");
  size_t i;
  json_array_foreach(json_object_get(document, "links"), i, link) {
    const char *name = json_string_value(json_object_get(link, "name"));
    char *longer = must_format("%s%s%s", names, *names ? ", " : "", name ? name : "?");
    free(names);
    names = longer;
  }
  json_decref(document);
  return names;
}

static before look_before(session *s, const char *name) {
  before b = {.links = NULL};
  tendril_error err;
  if (tendril_model_get(s->client, name, &b.model, &err) != TENDRIL_OK) return b;
  tendril_text text = tendril_reply_member(s->client, "document");
  if (text.at) b.links = links_of(text.at, text.size);
  return b;
}

// A name that was another robot's: jobs by that name are of the new one from now on.
static void tell_replaced(const before *b, const tendril_model *now, const char *bytes, size_t size) {
  char *links = links_of(bytes, size);
  bool other = strcmp(links, b->links) != 0 || b->model.ndof != now->ndof || b->model.channels != now->channels;
  if (other && now->revision > b->model.revision)
    say_note("%s was another robot: revision %d has %d coordinates, %d input channel%s and the links %.160s, this one "
             "has the links %.160s. Jobs of %s are of this one from now on; to go back: `tendril models get %s@%d -o "
             "%s.old.json && tendril models put %s.old.json --name %s`; to keep both: --name ANOTHER",
             now->name, b->model.revision, b->model.ndof, b->model.channels, b->model.channels == 1 ? "" : "s",
             b->links, links, now->name, now->name, b->model.revision, now->name, now->name, now->name);
  free(links);
}

static int put_named(session *s, const char *name, const char *path, const char *bytes, size_t size) {
  tendril_model model;
  tendril_error err;
  if (!name_check("a model's name", name)) return EXIT_USAGE;
  before b = look_before(s, name);
  if (tendril_model_put(s->client, name, bytes, size, &model, &err) != TENDRIL_OK)
    return free(b.links), report_in(&err, path, bytes, size);
  say_warnings(model.warning_count, model.warning);
  if (s->json) {
    print_reply(s);
  } else {
    printf("%s revision %d: ", model.name, model.revision);
    print_counted(s, &model);
  }
  if (b.links) tell_replaced(&b, &model, bytes, size);
  free(b.links);
  return EXIT_OK;
}

static int put(session *s, const options *o) {
  size_t size;
  if (!choose_owner(s, o)) return EXIT_USAGE;
  const char *path = o->positional[0], *given = options_get(o, "name");
  char *bytes = file_read(path, &size);
  char *name = !bytes ? NULL : given ? must_copy(given) : name_of_document(path, bytes, size);
  int result = name ? put_named(s, name, path, bytes, size) : EXIT_USAGE;
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
        "revision. Mistakes are reported with their place in the document, such as /links/3/body/section/radius; so is "
        "what is\n"
        "odd (warnings, on standard error), and stored nonetheless.\n\n"
        "  tendril models put cdm.model.json\n  tendril models put cdm.model.json --name cdm_stiff",
    .least = 1,
    .most = 1,
    .options = {{"name", 'n', "NAME", "store it under this name instead of its own"}, OWNER_OPTION},
    .run = put};

// ------------------------------------------------------------------------------------------------ get

// The document as the server keeps it, byte for byte, so that putting it back makes no revision.
static int write_model(const session *s, const char *output) {
  tendril_text text = s->json ? tendril_reply(s->client) : tendril_reply_member(s->client, "document");
  if (!text.at) return say_error("the server's reply holds no document"), EXIT_FAILED;
  if (output) return file_write(output, text.at, text.size);
  fwrite(text.at, 1, text.size, stdout);
  putchar('\n');
  return EXIT_OK;
}

static int get(session *s, const options *o) {
  tendril_error err;
  char name[MODEL_REFERENCE];
  if (!choose_owner(s, o)) return EXIT_USAGE;
  int found = model_reference(s, o->positional[0], name);
  if (found != EXIT_OK) return found;
  if (tendril_model_get(s->client, name, NULL, &err) != TENDRIL_OK) return report(&err);
  return write_model(s, options_get(o, "output"));
}

const command command_models_get = {
    .group = "models",
    .name = "get",
    .arguments = "NAME[@REVISION]",
    .summary = "print a stored model document",
    .help = "Prints the document; with --json the whole reply: document, name, "
            "revision, sha256, ndof, coordinates, channels.\nREVISION is a number, or the first digits of a sha256 "
            "(`tendril models revisions NAME`).\n" OUTPUT_HELP "\n"
            "  tendril models get cdm\n  tendril models get cdm@2 -o cdm.model.json",
    .least = 1,
    .most = 1,
    .options = {{"output", 'o', "FILE", "write there instead of to standard output"}, OWNER_OPTION},
    .run = get};

// ------------------------------------------------------------------------------------------------ list

static void revision_cell(const void *row, char out[TABLE_CELL]) {
  snprintf(out, TABLE_CELL, "%d", ((const tendril_model *)row)->revision);
}

static void sha256_cell(const void *row, char out[TABLE_CELL]) {
  snprintf(out, TABLE_CELL, "%.12s", ((const tendril_model *)row)->sha256);
}

static const table_column columns[] = {{"NAME", 32, .text = offsetof(tendril_model, name)},
                                       {"OWNER", 16, .text = offsetof(tendril_model, owner)},
                                       {"REVISION", -8, .cell = revision_cell},
                                       {"SHA256", 12, .cell = sha256_cell},
                                       {"CREATED", 0, .text = offsetof(tendril_model, created_at)},
                                       {0}};

static bool print_row(void *t, const tendril_model *model, const char *json) { return table_print(t, model, json); }

static int list(session *s, const options *o) {
  tendril_error err;
  if (!choose_owner(s, o)) return EXIT_USAGE;
  table t = {.columns = columns, .json = s->json};
  if (tendril_model_list(s->client, print_row, &t, &err) != TENDRIL_OK) return report(&err);
  table_end(&t);
  return EXIT_OK;
}

const command command_models_list = {.group = "models",
                                     .name = "list",
                                     .arguments = "",
                                     .summary = "list the stored models",
                                     .help = "One line per model; with --json one JSON object per line.\n\n"
                                             "  tendril models list --json | jq -r .name",
                                     .options = {OWNER_OPTION},
                                     .run = list};

// ------------------------------------------------------------------------------------------------ delete

static int delete (session *s, const options *o) {
  tendril_error err;
  if (!name_check("a model's name", o->positional[0]) || !choose_owner(s, o)) return EXIT_USAGE;
  if (tendril_model_delete(s->client, o->positional[0], &err) != TENDRIL_OK) return report(&err);
  if (!s->json) printf("%s deleted\n", o->positional[0]);
  return EXIT_OK;
}

const command command_models_delete = {.group = "models",
                                       .name = "delete",
                                       .arguments = "NAME",
                                       .summary = "delete a model",
                                       .help = "Jobs that ran it keep the revision they used.\n\n"
                                               "  tendril models delete cdm_stiff",
                                       .least = 1,
                                       .most = 1,
                                       .options = {OWNER_OPTION},
                                       .run = delete};
