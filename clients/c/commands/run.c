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
  tendril_status status = tendril_model_put(s->client, name, bytes, size, NULL, &err); // the job tells its warnings
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

// On standard output, unless the result itself went there.
static void print_outcome(const tendril_job *job, const char *output) {
  char model[96];
  const char *what = job_model(job, model, sizeof model);
  if (output_file_is_stdout(output))
    say_note("%s: %s of %s succeeded", job->id, job->kind, what);
  else
    printf("%s: %s of %s succeeded, result in %s\n", job->id, job->kind, what, output);
}

static int report_unsaved(const char *id, const tendril_error *err) {
  int result = report(err);
  if (err->status != TENDRIL_CLOSED)
    say_note("  the job succeeded: `tendril result %s -o FILE` fetches its result", id);
  return result;
}

static int submit_and_follow(session *s, const char *bytes, size_t size, tendril_format format, const char *output) {
  tendril_job job, last;
  tendril_error err;
  if (tendril_job_submit(s->client, bytes, size, NULL, &job, &err) != TENDRIL_OK) return report(&err);
  say_note("job %s submitted to %s", job.id, tendril_url(s->client));
  say_warnings(job.warning_count, job.warning);
  int result = job_follow(s, job.id, false, &last);
  if (result != EXIT_OK) return result;
  if (s->json) print_reply(s);
  if (tendril_result_save(s->client, job.id, NULL, format, output, &err) != TENDRIL_OK)
    return report_unsaved(job.id, &err);
  if (!s->json) print_outcome(&last, output);
  return EXIT_OK;
}

// The result must have a place before hours are spent on it.
static int check_output(const session *s, const char *output, tendril_format format) {
  output_error err;
  if (s->json && output_file_is_stdout(output))
    return say_error("--json and -o %s both want standard output", output), EXIT_USAGE;
  return output_file_check(output, format == TENDRIL_NPZ, &err) ? EXIT_OK : file_report(&err);
}

static int run_file(session *s, const char *path, tendril_format format, const char *output, const char *bytes,
                    size_t size) {
  int checked = check_output(s, output, format);
  if (checked != EXIT_OK) return checked;
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
  tendril_format format;
  bool good = bytes && format_choose(o, output, &format);
  int result = good ? run_file(s, path, format, output, bytes, size) : EXIT_USAGE;
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
            "says how to follow it (exit status 130). The output is tried before the job is submitted.\n" OUTPUT_HELP
            "Exit status: 0 it succeeded, 1 it failed or its result cannot be written, 3 no server.\n\n"
            "  tendril examples cdm\n  tendril run cdm.job.json -o cdm.npz\n  tendril plot cdm.npz -o cdm.png\n"
            "  tendril run cdm.job.json --format json -o - | jq .summary",
    .least = 1,
    .most = 1,
    .options = {{"output", 'o', "FILE",
                 "the result: .npz, .json or .csv, - is standard output (default: the job's name .npz)"},
                {"format", 'f', "WORD", "npz, json or csv, whatever FILE is called"},
                {"patience", 0, "S", "seconds to wait for a server that went away (300)"}},
    .run = run};
