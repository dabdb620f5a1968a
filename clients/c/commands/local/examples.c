// tendril examples: the shipped robots, as files to run and to change. They are in this program: no server is asked.
#include "api/c/examples/examples.h"
#include "base/files.h"
#include "base/near.h"
#include "base/say.h"
#include "base/table.h"
#include "commands/command.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ------------------------------------------------------------------------------------------------ list

typedef struct entry {
  char name[64], kind[16], links[16], description[TABLE_CELL];
} entry;

static const table_column columns[] = {{"NAME", 20, .text = offsetof(entry, name)},
                                       {"JOB", 9, .text = offsetof(entry, kind)},
                                       {"LINKS", -5, .text = offsetof(entry, links)},
                                       {"DESCRIPTION", 0, .text = offsetof(entry, description)},
                                       {0}};

static bool print_example(table *t, const example_files *example) {
  entry one;
  json_t *model = json_loadb(example->model->data, example->model->size, 0, NULL);
  const char *description = json_string_value(json_object_get(model, "description"));
  snprintf(one.name, sizeof one.name, "%s", example->name);
  json_t *job = json_loadb(example->job->data, example->job->size, 0, NULL);
  const char *kind = json_string_value(json_object_get(job, "kind"));
  size_t links = json_array_size(json_object_get(model, "links"));
  snprintf(one.kind, sizeof one.kind, "%s", kind ? kind : "");
  snprintf(one.links, sizeof one.links, "%zu", links);
  snprintf(one.description, sizeof one.description, "%s", description ? description : "");
  json_t *line = json_pack("{s:s, s:s}", "name", example->name, "description", description ? description : "");
  char *document = json_dumps(line, JSON_COMPACT);
  bool good = document && table_print(t, &one, document);
  free(document);
  json_decref(line);
  json_decref(job);
  json_decref(model);
  return good;
}

static int list(const session *s) {
  table t = {.columns = columns, .json = s->json, .wrap = true};
  example_files example;
  for (size_t i = 0; example_at(i, &example); ++i)
    if (!print_example(&t, &example)) return EXIT_FAILED;
  if (!s->json) printf("\n`tendril examples NAME` writes NAME.model.json and NAME.job.json\n");
  return EXIT_OK;
}

// ------------------------------------------------------------------------------------------------ write

// Same bytes: nothing to do. Others: somebody's work, kept unless --force.
static bool may_write(const char *path, const embedded_file *file, bool force) {
  if (force || !file_exists(path)) return true;
  size_t size;
  char *bytes = file_read(path, &size);
  bool same = bytes && size == file->size && memcmp(bytes, file->data, size) == 0;
  free(bytes);
  if (!same) say_error("%s exists and is different; --force overwrites it", path);
  return same;
}

static int write_document(const char *folder, const embedded_file *file, bool force) {
  char *path = must_format("%s/%s", folder, file->name);
  int result = may_write(path, file, force) ? file_write(path, file->data, file->size) : EXIT_USAGE;
  if (result == EXIT_OK) printf("%s\n", strncmp(path, "./", 2) == 0 ? path + 2 : path);
  free(path);
  return result;
}

static bool make_folder(const char *folder) {
  if (mkdir(folder, 0777) == 0 || errno == EEXIST) return true;
  say_error("cannot make the folder %s: %s", folder, strerror(errno));
  return false;
}

static int print_one(const example_files *example, const char *which) {
  bool model = strcmp(which, "model") == 0;
  if (!model && strcmp(which, "job") != 0)
    return say_error("--print must be model or job, not '%s'", which), EXIT_USAGE;
  const embedded_file *file = model ? example->model : example->job;
  return file_write("-", file->data, file->size);
}

static int no_example(const char *name) {
  near_search near = near_to(name, strlen(name));
  example_files example;
  char best[sizeof example.name] = "";
  for (size_t i = 0; example_at(i, &example); ++i) {
    near_try(&near, example.name);
    if (near.best == example.name) near.best = memcpy(best, example.name, sizeof best);
  }
  if (near.best) say_error("there is no example '%s'; did you mean %s?", name, near.best);
  if (!near.best) say_error("there is no example '%s'; `tendril examples` lists them", name);
  return EXIT_USAGE;
}

static int give(const options *o, const char *name) {
  const char *folder = options_get(o, "dir") ? options_get(o, "dir") : ".", *which = options_get(o, "print");
  bool force = options_get(o, "force") != NULL;
  example_files example;
  if (!example_find(name, &example)) return no_example(name);
  if (which) return print_one(&example, which);
  if (!make_folder(folder)) return EXIT_FAILED;
  int result = write_document(folder, example.model, force);
  return result == EXIT_OK ? write_document(folder, example.job, force) : result;
}

static int run(session *s, const options *o) {
  int result = o->count == 0 ? list(s) : EXIT_OK;
  for (int i = 0; i < o->count && result == EXIT_OK; ++i) result = give(o, o->positional[i]);
  return result;
}

const command command_examples = {
    .name = "examples",
    .arguments = "[NAME…]",
    .summary = "list the shipped robots, or write some as files",
    .help = "Without NAME: what there is; with --json one JSON object per line. With names: writes NAME.model.json and "
            "NAME.job.json\nof each, ready to run and to change, and needs no server for it.\n\n"
            "  tendril examples\n  tendril examples cdm uw soft-finger\n  tendril examples cdm --dir robots && tendril "
            "run robots/cdm.job.json\n"
            "  tendril examples cdm --print model | jq .links",
    .most = POSITIONAL_LIMIT,
    .offline = true,
    .options = {{"dir", 'd', "DIR", "folder for the files (default: here)"},
                {"force", 'f', NULL, "overwrite files that differ"},
                {"print", 'p', "model|job", "print that document instead of writing files"}},
    .run = run};
