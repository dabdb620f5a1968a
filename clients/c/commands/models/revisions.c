// Revisions of a model: their list, and which one NAME@… means when it is not a number but the beginning of a sha256.
#include "commands/models/revisions.h"
#include "base/say.h"
#include "base/table.h"
#include "commands/command.h"
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { PREFIX_LEAST = 4, CANDIDATES = 5 };

// ------------------------------------------------------------------------------------------------ by sha256

typedef struct search {
  char prefix[65];
  int found; ///< different documents, at most one more than CANDIDATES
  tendril_model revisions[CANDIDATES];
} search;

// The same document may have come back later: its newest revision counts.
static bool on_revision(void *context, const tendril_model *model, const char *json) {
  (void)json;
  search *at = context;
  if (strncmp(model->sha256, at->prefix, strlen(at->prefix)) != 0) return true;
  for (int i = 0; i < at->found; ++i)
    if (strcmp(at->revisions[i].sha256, model->sha256) == 0) return at->revisions[i] = *model, true;
  if (at->found < CANDIDATES) at->revisions[at->found] = *model;
  return ++at->found <= CANDIDATES;
}

static int say_candidates(const search *at, const char *name) {
  say_error("several revisions of %s begin with '%s'; say more of the one you mean:", name, at->prefix);
  for (int i = 0; i < at->found && i < CANDIDATES; ++i)
    say_note("  %s@%d  %.16s  %s", name, at->revisions[i].revision, at->revisions[i].sha256,
             at->revisions[i].created_at);
  if (at->found > CANDIDATES) say_note("  … and more");
  return EXIT_USAGE;
}

static int look_up(session *s, const char *name, search *at, char out[MODEL_REFERENCE]) {
  tendril_error err;
  if (tendril_model_revisions(s->client, name, on_revision, at, &err) != TENDRIL_OK) return report(&err);
  if (at->found == 0)
    return say_error("no revision of %s begins with '%s'; `tendril models revisions %s` lists them", name, at->prefix,
                     name),
           EXIT_FAILED;
  if (at->found > 1) return say_candidates(at, name);
  snprintf(out, MODEL_REFERENCE, "%.128s@%d", name, at->revisions[0].revision);
  return EXIT_OK;
}

// Lower-case hexadecimal digits of `text`; false when it is none.
static bool read_prefix(const char *text, char prefix[65]) {
  size_t length = strlen(text);
  if (length < PREFIX_LEAST || length > 64) return false;
  for (size_t i = 0; i <= length; ++i) {
    if (text[i] && !isxdigit((unsigned char)text[i])) return false;
    prefix[i] = (char)tolower((unsigned char)text[i]);
  }
  return true;
}

int model_reference(session *s, const char *text, char out[MODEL_REFERENCE]) {
  search at = {.found = 0};
  const char *revision = strchr(text, '@');
  if (!name_check("a model's name", text)) return EXIT_USAGE;
  snprintf(out, MODEL_REFERENCE, "%s", text);
  if (!revision || strspn(revision + 1, "0123456789") == strlen(revision + 1)) return EXIT_OK;
  if (!read_prefix(revision + 1, at.prefix))
    return say_error("'%s' names no revision: after @ stands its number, or at least %d digits of its sha256", text,
                     PREFIX_LEAST),
           EXIT_USAGE;
  char name[MODEL_REFERENCE];
  snprintf(name, sizeof name, "%.*s", (int)(revision - text), text);
  return look_up(s, name, &at, out);
}

// ------------------------------------------------------------------------------------------------ list

static void number_cell(const void *row, char out[TABLE_CELL]) {
  snprintf(out, TABLE_CELL, "%d", ((const tendril_model *)row)->revision);
}

static const table_column columns[] = {{"REVISION", -8, .cell = number_cell},
                                       {"SHA256", 64, .text = offsetof(tendril_model, sha256)},
                                       {"CREATED", 0, .text = offsetof(tendril_model, created_at)},
                                       {0}};

static bool print_row(void *t, const tendril_model *model, const char *json) { return table_print(t, model, json); }

static int list(session *s, const options *o) {
  tendril_error err;
  table t = {.columns = columns, .json = s->json};
  if (!name_check("a model's name", o->positional[0])) return EXIT_USAGE;
  if (tendril_model_owner(s->client, options_get(o, "owner"), &err) != TENDRIL_OK) return report(&err), EXIT_USAGE;
  if (tendril_model_revisions(s->client, o->positional[0], print_row, &t, &err) != TENDRIL_OK) return report(&err);
  table_end(&t);
  return EXIT_OK;
}

const command command_models_revisions = {
    .group = "models",
    .name = "revisions",
    .arguments = "NAME",
    .summary = "list the revisions of a model",
    .help = "In the order of their numbers; with --json one JSON object per line. `tendril models get NAME@REVISION` "
            "prints one;\nREVISION is its number, or the first digits of its sha256 that no other revision begins with "
            "(at least four, not\nall of them decimal).\n\n"
            "  tendril models revisions cdm",
    .least = 1,
    .most = 1,
    .options = {{"owner", 0, "OWNER", "of this owner; none: shared by all"}},
    .run = list};
