// Small things that several commands need: what went wrong, names, formats.
#include "api/c/text_place.h"
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int exit_of(tendril_status status) {
  switch (status) {
  case TENDRIL_OK:
    return EXIT_OK;
  case TENDRIL_UNREACHABLE:
  case TENDRIL_TIMEOUT:
    return EXIT_UNREACHABLE;
  case TENDRIL_INVALID:
    return EXIT_USAGE;
  case TENDRIL_STOPPED:
    return EXIT_INTERRUPTED;
  case TENDRIL_CLOSED:
    return EXIT_CLOSED;
  default:
    return EXIT_FAILED;
  }
}

typedef struct source {
  const char *path, *text; ///< NULL: what was sent is no file
  size_t size;
} source;

static void say_pointer(const tendril_error *e, const source *from) {
  text_place place;
  if (from->path && text_place_find(from->text, from->size, e->pointer, &place))
    say_note("  at %s: %s:%ld:%ld", e->pointer, from->path, place.line, place.column);
  else if (*e->pointer)
    say_note("  at %s of what was sent", e->pointer);
}

static void say_hints(const tendril_error *e) {
  if (e->http == 401) say_note("  TENDRIL_TOKEN holds the token to send; `tendril token create` makes them.");
  if (e->http >= 500 && *e->request_id) say_note("  request %s in the server's log tells more", e->request_id);
  if (e->status == TENDRIL_UNREACHABLE && strcmp(e->code, "tls") != 0)
    say_note("  Is a server running there? `tendrild` starts one; --url or TENDRIL_URL says where it is.");
}

int error_count(const tendril_error *e) { return e->mistake_count > 0 ? e->mistake_count : 1; }

tendril_error error_alone(const tendril_error *e, int i) {
  tendril_error one = *e;
  one.mistake_count = 0;
  if (e->mistake_count == 0) return one;
  snprintf(one.pointer, sizeof one.pointer, "%s", e->mistake[i].pointer);
  snprintf(one.detail, sizeof one.detail, "%s", e->mistake[i].detail);
  return one;
}

static void say_one(const tendril_error *e, const source *from) {
  if (e->http > 0)
    say_error("%s (%d%s%s)", e->detail, e->http, *e->code ? " " : "", e->code);
  else
    say_error("%s", e->detail);
  say_pointer(e, from);
}

static int report_from(const tendril_error *e, const source *from) {
  if (e->status == TENDRIL_OK || e->status == TENDRIL_STOPPED || e->status == TENDRIL_CLOSED) return exit_of(e->status);
  for (int i = 0; i < error_count(e); ++i) {
    tendril_error one = error_alone(e, i);
    say_one(&one, from);
  }
  say_hints(e);
  return exit_of(e->status);
}

int report(const tendril_error *e) { return report_from(e, &(source){NULL, NULL, 0}); }

int report_in(const tendril_error *e, const char *path, const char *text, size_t size) {
  return report_from(e, &(source){path, text, size});
}

bool name_check(const char *what, const char *text) {
  size_t length = strlen(text);
  bool good = length > 0 && length <= 128 && isalnum((unsigned char)text[0]);
  for (size_t i = 0; good && i < length; ++i) good = isalnum((unsigned char)text[i]) || strchr("_.-@", text[i]);
  if (!good) say_error("'%s' is not %s: letters, digits and _ . - only, the first a letter or digit", text, what);
  return good;
}

const char *job_model(const tendril_job *job, char *out, size_t size) {
  if (job->revision > 0)
    snprintf(out, size, "%s@%d", job->model, job->revision);
  else
    snprintf(out, size, *job->model ? "%s (own copy)" : "(its own)", job->model);
  return out;
}

void print_reply(const session *s) {
  tendril_text reply = tendril_reply(s->client);
  if (!reply.at) return;
  fwrite(reply.at, 1, reply.size, stdout);
  if (reply.size == 0 || reply.at[reply.size - 1] != '\n') putchar('\n');
}

static const char *const extensions[] = {[TENDRIL_NPZ] = ".npz", [TENDRIL_JSON] = ".json", [TENDRIL_CSV] = ".csv"};

const char *format_extension(tendril_format format) { return extensions[format]; }

static bool format_of_path(const char *path, tendril_format *format) {
  for (int i = TENDRIL_NPZ; i <= TENDRIL_CSV; ++i)
    if (file_has_extension(path, extensions[i])) return *format = (tendril_format)i, true;
  *format = TENDRIL_NPZ;
  if (!output_file_is_regular(path)) return true;
  say_error("%s: the extension says the format; use .npz, .json or .csv", path);
  return false;
}

static bool format_of_word(const char *word, tendril_format *format) {
  for (int i = TENDRIL_NPZ; i <= TENDRIL_CSV; ++i)
    if (strcmp(word, extensions[i] + 1) == 0) return *format = (tendril_format)i, true;
  say_error("--format must be npz, json or csv, not '%s'", word);
  return false;
}

bool format_choose(const options *o, const char *path, tendril_format *format) {
  const char *word = options_get(o, "format");
  *format = TENDRIL_NPZ;
  if (word) return format_of_word(word, format);
  return !path || format_of_path(path, format);
}

void say_warnings_of(const char *id, int count, const tendril_warning *list) {
  for (int i = 0; i < count; i++)
    say_note("%s%swarning: %s%s%s: %s", id, *id ? " " : "", list[i].code, *list[i].pointer ? " at " : "",
             list[i].pointer, list[i].detail);
}

void say_warnings(int count, const tendril_warning *list) { say_warnings_of("", count, list); }
