// tendril run: a job from its file to its result. A model that the server does not know is put first when its document
// stands beside the job, because that is what `tendril examples` leaves on disk.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *parse_as_real(const char *bytes, size_t size) {
  return json_loadb(bytes, size, JSON_DECODE_INT_AS_REAL, NULL);
}

// Says so when the file and the stored document differ: the job runs what the server has.
static void compare_documents(const char *name, const char *file, const http_reply *stored) {
  size_t size;
  char *bytes = file_read(file, &size);
  json_t *here = bytes ? parse_as_real(bytes, size) : NULL, *there = parse_as_real(stored->body, stored->size);
  if (here && there && !json_equal(here, json_object_get(there, "document")))
    say_note(
        "note: %s differs from the server's %s, which this job uses; `tendril models put %s` makes it a new revision",
        file, name, file);
  json_decref(here);
  json_decref(there);
  free(bytes);
}

static int put_file(session *s, const char *name, const char *file) {
  size_t size;
  char *bytes = file_read(file, &size);
  if (!bytes) return EXIT_USAGE;
  say_note("the server has no model %s: putting %s", name, file);
  int result = model_put(s, name, bytes, size, NULL);
  free(bytes);
  return result;
}

static int provide_model(session *s, const char *job_path, const char *name) {
  char *path = model_path(name), *leaf = must_format("%s.model.json", name), *file = file_beside(job_path, leaf);
  http_reply reply;
  int result =
      http_send(s->server, &(http_request){.method = "GET", .path = path, .tolerate = 404, .timeout_s = 60}, &reply);
  if (result == EXIT_OK && file_exists(file)) {
    if (reply.status == 404)
      result = put_file(s, name, file);
    else
      compare_documents(name, file, &reply);
  }
  http_release(&reply);
  free(path);
  free(leaf);
  free(file);
  return result;
}

static void print_outcome(session *s, const json_t *job, const char *output) {
  if (s->json) {
    json_print(job);
    return;
  }
  char model[96];
  printf("%s: %s of %s succeeded, result in %s\n", text_of(job, "id", "?"), text_of(job, "kind", "job"),
         job_model(job, model, sizeof model), output);
}

static int submit_and_follow(session *s, const char *bytes, size_t size, const char *output) {
  json_t *job, *last = NULL;
  int result = job_submit(s, bytes, size, &job);
  const char *id = result == EXIT_OK ? job_id(job) : NULL;
  if (result == EXIT_OK && !id) result = EXIT_JOB_FAILED;
  if (id) say_note("job %s submitted to %s", id, s->url);
  if (id) result = job_follow(s, id, &last);
  if (result == EXIT_OK) result = result_fetch(s, id, output);
  if (result == EXIT_OK) print_outcome(s, last, output);
  json_decref(last);
  json_decref(job);
  return result;
}

static int run_file(session *s, const char *path, const char *output, const char *bytes, size_t size) {
  json_t *document = json_from_bytes(path, bytes, size);
  if (!document) return EXIT_USAGE;
  const char *name = text_of(document, "model", NULL);
  int result = EXIT_OK;
  if (name) result = name_check("a model's name", name) ? provide_model(s, path, name) : EXIT_USAGE;
  json_decref(document);
  return result == EXIT_OK ? submit_and_follow(s, bytes, size, output) : result;
}

static int run(session *s, const options *o) {
  size_t size;
  const char *path = o->positional[0], *given = options_get(o, "output");
  char *bytes = file_read(path, &size), *output = given ? must_copy(given) : file_stem(path, ".npz");
  int result = bytes && result_media_type(output) ? run_file(s, path, output, bytes, size) : EXIT_USAGE;
  free(output);
  free(bytes);
  return result;
}

const command command_run = {
    .name = "run",
    .arguments = "JOB.json",
    .summary = "submit a job, follow it with a progress bar, fetch its result",
    .help = "When the job's \"model\" is a name that the server does not know and NAME.model.json stands beside the "
            "job, the model is\n"
            "put first. Ctrl-C leaves the job running on the server. Exit status: 0 it succeeded, 1 it failed, 3 no "
            "server.\n\n"
            "  tendril examples cdm\n  tendril run cdm.job.json -o cdm.npz\n  tendril plot cdm.npz -o cdm.png",
    .least = 1,
    .most = 1,
    .options = {{"output", 'o', "FILE", "the result: .npz, .json or .csv (default: the job's name .npz)"}},
    .run = run};
