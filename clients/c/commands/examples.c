// tendril examples: the robots that the server ships, as files to run and to change.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool print_row(void *context, const char *name, const char *description) {
  (void)context;
  char safe_name[64], safe_text[512];
  printf("%-19s %s\n", say_safe(safe_name, sizeof safe_name, name), say_safe(safe_text, sizeof safe_text, description));
  return true;
}

static bool ignore_row(void *context, const char *name, const char *description) {
  (void)context, (void)name, (void)description;
  return true;
}

static int list(session *s) {
  tendril_error err;
  if (tendril_example_list(s->client, s->json ? ignore_row : print_row, NULL, &err) != TENDRIL_OK) return report(&err);
  if (s->json)
    print_reply(s);
  else
    printf("\n`tendril examples NAME` writes NAME.model.json and NAME.job.json\n");
  return EXIT_OK;
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

static int write_document(const char *folder, const char *name, const char *kind, tendril_text document, bool force) {
  char *path = must_format("%s/%s.%s.json", folder, name, kind),
       *text = must_format("%.*s\n", (int)document.size, document.at);
  int result = may_write(path, text, force) ? file_write(path, text, strlen(text)) : EXIT_USAGE;
  if (result == EXIT_OK) printf("%s\n", strncmp(path, "./", 2) == 0 ? path + 2 : path);
  free(text);
  free(path);
  return result;
}

static bool make_folder(const char *folder) {
  if (mkdir(folder, 0777) == 0 || errno == EEXIST) return true;
  say_error("cannot make the folder %s: %s", folder, strerror(errno));
  return false;
}

static int fetch(session *s, const options *o, const char *name) {
  const char *folder = options_get(o, "dir") ? options_get(o, "dir") : ".";
  bool force = options_get(o, "force") != NULL;
  tendril_text model, job;
  tendril_error err;
  if (!name_check("an example's name", name)) return EXIT_USAGE;
  if (!make_folder(folder)) return EXIT_FAILED;
  if (tendril_example_get(s->client, name, &model, &job, &err) != TENDRIL_OK) return report(&err);
  int result = write_document(folder, name, "model", model, force);
  return result == EXIT_OK ? write_document(folder, name, "job", job, force) : result;
}

static int run(session *s, const options *o) { return o->count == 0 ? list(s) : fetch(s, o, o->positional[0]); }

const command command_examples = {
    .name = "examples",
    .arguments = "[NAME]",
    .summary = "list the shipped robots, or write one as files",
    .help = "Without NAME: what there is. With it: writes NAME.model.json and NAME.job.json, ready to run and to "
            "change.\n\n"
            "  tendril examples\n  tendril examples cdm --dir robots && tendril run robots/cdm.job.json",
    .most = 1,
    .options = {{"dir", 'd', "DIR", "folder for the files (default: here)"},
                {"force", 'f', NULL, "overwrite files that differ"}},
    .run = run};
