// tendril run: a job from its file to its result. A model that the server does not know is put first when its document
// stands beside the job, because that is what `tendril examples` leaves on disk.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *parse_as_real(const char *bytes, size_t size) {
  return json_loadb(bytes, size, JSON_DECODE_INT_AS_REAL, NULL);
}

// Says so when the file and the stored document differ: the job runs what the server has.
static void compare_documents(const session *s, const char *name, const char *file) {
  size_t size;
  tendril_text document = tendril_reply_member(s->client, "document");
  char *bytes = file_read(file, &size);
  json_t *here = bytes ? parse_as_real(bytes, size) : NULL;
  json_t *there = document.at ? parse_as_real(document.at, document.size) : NULL;
  if (here && there && !json_equal(here, there))
    say_note(
        "note: %s differs from the server's %s, which this job uses; `tendril models put %s` makes it a new revision",
        file, name, file);
  json_decref(here);
  json_decref(there);
  free(bytes);
}

static int put_file(session *s, const char *name, const char *file) {
  size_t size;
  tendril_error err;
  char *bytes = file_read(file, &size);
  if (!bytes) return EXIT_USAGE;
  say_note("the server has no model %s: putting %s", name, file);
  tendril_status status = tendril_model_put(s->client, name, bytes, size, NULL, &err);
  free(bytes);
  return status == TENDRIL_OK ? EXIT_OK : report(&err);
}

static int provide_from(session *s, const char *name, const char *file) {
  tendril_error err;
  tendril_status status = tendril_model_get(s->client, name, NULL, &err);
  bool missing = status == TENDRIL_REFUSED && err.http == 404;
  if (status != TENDRIL_OK && !missing) return report(&err);
  if (!file_exists(file)) return EXIT_OK; // the submission says what is missing
  if (missing) return put_file(s, name, file);
  compare_documents(s, name, file);
  return EXIT_OK;
}

static int provide_model(session *s, const char *job_path, const char *name) {
  if (!name_check("a model's name", name)) return EXIT_USAGE;
  char *leaf = must_format("%s.model.json", name), *file = file_beside(job_path, leaf);
  int result = provide_from(s, name, file);
  free(leaf);
  free(file);
  return result;
}

static void print_outcome(const tendril_job *job, const char *output) {
  char model[96];
  printf("%s: %s of %s succeeded, result in %s\n", job->id, job->kind, job_model(job, model, sizeof model), output);
}

static int submit_and_follow(session *s, const char *bytes, size_t size, tendril_format format, const char *output) {
  tendril_job job, last;
  tendril_error err;
  if (tendril_job_submit(s->client, bytes, size, NULL, &job, &err) != TENDRIL_OK) return report(&err);
  say_note("job %s submitted to %s", job.id, tendril_url(s->client));
  int result = job_follow(s, job.id, false, &last);
  if (result != EXIT_OK) return result;
  if (s->json) print_reply(s);
  if (tendril_result_save(s->client, job.id, NULL, format, output, &err) != TENDRIL_OK) return report(&err);
  if (!s->json) print_outcome(&last, output);
  return EXIT_OK;
}

static int run_file(session *s, const char *path, const char *output, const char *bytes, size_t size) {
  tendril_format format;
  if (!format_of_path(output, &format)) return EXIT_USAGE;
  json_t *document = json_from_bytes(path, bytes, size);
  if (!document) return EXIT_USAGE;
  const char *name = json_string_value(json_object_get(document, "model"));
  int result = name ? provide_model(s, path, name) : EXIT_OK;
  json_decref(document);
  return result == EXIT_OK ? submit_and_follow(s, bytes, size, format, output) : result;
}

static int run(session *s, const options *o) {
  size_t size;
  const char *path = o->positional[0], *given = options_get(o, "output");
  char *bytes = file_read(path, &size), *output = given ? must_copy(given) : file_stem(path, ".npz");
  int result = bytes ? run_file(s, path, output, bytes, size) : EXIT_USAGE;
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
            "put first. A server that is restarted meanwhile is waited for: the job is not lost. Ctrl-C leaves the job "
            "running and\n"
            "says how to follow it (exit status 130). Exit status: 0 it succeeded, 1 it failed, 3 no server.\n\n"
            "  tendril examples cdm\n  tendril run cdm.job.json -o cdm.npz\n  tendril plot cdm.npz -o cdm.png",
    .least = 1,
    .most = 1,
    .options = {{"output", 'o', "FILE", "the result: .npz, .json or .csv (default: the job's name .npz)"},
                {"patience", 0, "S", "seconds to wait for a server that went away (300)"}},
    .run = run};
