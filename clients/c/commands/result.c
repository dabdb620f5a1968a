// tendril result: the result of a job into a file, in the format that the file's extension names.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *extension, *media_type;
} formats[] = {{".npz", "application/x-npz"}, {".json", "application/json"}, {".csv", "text/csv"}};

const char *result_media_type(const char *path) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    if (file_has_extension(path, formats[i].extension)) return formats[i].media_type;
  say_error("%s: the extension says the format; use .npz, .json or .csv", path);
  return NULL;
}

int result_fetch(session *s, const char *id, const char *path) {
  const char *media_type = result_media_type(path);
  if (!media_type) return EXIT_USAGE;
  char *address = must_format("/v1/jobs/%s/result", id);
  http_reply reply;
  int result = http_send(
      s->server, &(http_request){.method = "GET", .path = address, .accept = media_type, .save_to = path}, &reply);
  http_release(&reply);
  free(address);
  return result;
}

static int run(session *s, const options *o) {
  const char *output = options_get(o, "output");
  if (!name_check("a job's id", o->positional[0])) return EXIT_USAGE;
  char *path = output ? must_copy(output) : must_format("%s.npz", o->positional[0]);
  int result = result_fetch(s, o->positional[0], path);
  if (result == EXIT_OK && !s->json) printf("%s\n", path);
  free(path);
  return result;
}

const command command_result = {
    .name = "result",
    .arguments = "ID",
    .summary = "fetch the result of a finished job",
    .help = "  tendril result 01J… -o out.npz     arrays for numpy.load, `tendril plot` draws them\n"
            "  tendril result 01J… -o out.json    {\"summary\": …, \"arrays\": …}",
    .least = 1,
    .most = 1,
    .options = {{"output", 'o', "FILE", "where to write it: .npz, .json or .csv (default ID.npz)"}},
    .run = run};
