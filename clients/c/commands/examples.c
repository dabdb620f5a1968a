// tendril examples: the robots that the server ships, as files to run and to change.
#include "base/files.h"
#include "base/raw.h"
#include "base/say.h"
#include "commands/command.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void print_row(const json_t *row) {
  char name[64], description[512];
  say_safe(name, sizeof name, text_of(row, "name", json_is_string(row) ? json_string_value(row) : "?"));
  printf("%-16s %s\n", name, say_safe(description, sizeof description, text_of(row, "description", "")));
}

static int list(session *s) {
  json_t *reply, *row;
  int result = http_json(s->server, &(http_request){.method = "GET", .path = "/v1/examples", .timeout_s = 60}, &reply);
  if (result == EXIT_OK && s->json) json_print(reply);
  size_t i;
  if (result == EXIT_OK && !s->json) {
    json_array_foreach(json_object_get(reply, "examples"), i, row) print_row(row);
    printf("\n`tendril examples NAME` writes NAME.model.json and NAME.job.json\n");
  }
  json_decref(reply);
  return result;
}

// Same text: nothing to do. Another text: somebody's work, kept unless --force.
static bool may_write(const char *path, const char *text, bool force) {
  if (force || !file_exists(path)) return true;
  size_t size;
  char *bytes = file_read(path, &size);
  bool same = bytes && size == strlen(text) && memcmp(bytes, text, size) == 0;
  free(bytes);
  if (!same) say_error("%s exists and is different; --force overwrites it", path);
  return same;
}

static int write_document(const char *folder, const char *name, const char *kind, const http_reply *example,
                          bool force) {
  size_t length;
  const char *raw = raw_member(example->body, example->size, kind, &length);
  if (!raw) return say_error("the server's example %s has no %s", name, kind), EXIT_JOB_FAILED;
  char *path = must_format("%s/%s.%s.json", folder, name, kind), *text = must_format("%.*s\n", (int)length, raw);
  bool good = may_write(path, text, force) && file_write(path, text, strlen(text));
  if (good) printf("%s\n", strncmp(path, "./", 2) == 0 ? path + 2 : path);
  free(text);
  free(path);
  return good ? EXIT_OK : EXIT_USAGE;
}

static bool make_folder(const char *folder) {
  if (mkdir(folder, 0777) == 0 || errno == EEXIST) return true;
  say_error("cannot make the folder %s: %s", folder, strerror(errno));
  return false;
}

static int fetch(session *s, const options *o, const char *name) {
  const char *folder = options_get(o, "dir") ? options_get(o, "dir") : ".";
  bool force = options_get(o, "force") != NULL;
  if (!name_check("an example's name", name) || !make_folder(folder)) return EXIT_USAGE;
  char *path = must_format("/v1/examples/%s", name);
  http_reply example;
  int result = http_send(s->server, &(http_request){.method = "GET", .path = path, .timeout_s = 60}, &example);
  free(path);
  if (result == EXIT_OK) result = write_document(folder, name, "model", &example, force);
  if (result == EXIT_OK) result = write_document(folder, name, "job", &example, force);
  http_release(&example);
  return result;
}

static int run(session *s, const options *o) { return o->count == 0 ? list(s) : fetch(s, o, o->positional[0]); }

const command command_examples = {
    .name = "examples",
    .arguments = "[NAME]",
    .summary = "list the shipped robots, or write one as files",
    .help = "  tendril examples\n  tendril examples cdm --dir robots && tendril run robots/cdm.job.json",
    .most = 1,
    .options = {{"dir", 'd', "DIR", "folder for the files (default: here)"},
                {"force", 'f', NULL, "overwrite files that differ"}},
    .run = run};
