// tendril run: a job from its file to its result. A model that the server does not know is put first when its document
// stands beside the job, because that is what `tendril examples` leaves on disk.
#include "commands/jobs/run.h"
#include "base/files.h"
#include "base/found_words.h"
#include "base/say.h"
#include "commands/command.h"
#include "commands/jobs/sweep_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *parse_as_real(const char *bytes, size_t size) {
  return json_loadb(bytes, size, JSON_DECODE_INT_AS_REAL, NULL);
}

static bool same_documents(const char *bytes, size_t size, tendril_text stored) {
  json_t *here = bytes ? parse_as_real(bytes, size) : NULL;
  json_t *there = stored.at ? parse_as_real(stored.at, stored.size) : NULL;
  bool same = here && there && json_equal(here, there);
  json_decref(here);
  json_decref(there);
  return same;
}

// Which of two documents of one name is run: that of the server, and how the other one would be.
static void tell_which(const session *s, const char *job_path, const char *name, const char *file, int revision) {
  size_t size;
  tendril_text stored = tendril_reply_member(s->client, "document");
  char *bytes = file_exists(file) ? file_read(file, &size) : NULL;
  if (!bytes)
    say_note("model %s: the server's revision %d", name, revision);
  else if (same_documents(bytes, size, stored))
    say_note("model %s: the server's revision %d, the same as %s", name, revision, file);
  else
    say_note("model %s: the server's revision %d. NOTE: %s differs from it and is NOT what runs; `tendril run %s %s` "
             "runs that file, `tendril models put %s` makes it a new revision",
             name, revision, file, file, job_path, file);
  free(bytes);
}

static int put_file(session *s, const char *name, const char *file) {
  size_t size;
  tendril_error err;
  char *bytes = file_read(file, &size);
  if (!bytes) return EXIT_USAGE;
  say_note("the server has no model %s: sending %s first", name, file);
  tendril_status status = tendril_model_put(s->client, name, bytes, size, NULL, &err); // the job tells its warnings
  int result = status == TENDRIL_OK ? EXIT_OK : report_in(&err, file, bytes, size);
  free(bytes);
  return result;
}

static int provide_from(session *s, const char *job_path, const char *name, const char *file) {
  tendril_error err;
  tendril_model model;
  tendril_status status = tendril_model_get(s->client, name, &model, &err);
  bool missing = status == TENDRIL_REFUSED && err.http == 404;
  if (status != TENDRIL_OK && !missing) return report(&err);
  if (missing) return file_exists(file) ? put_file(s, name, file) : EXIT_OK; // the submission says what is missing
  tell_which(s, job_path, name, file, model.revision);
  return EXIT_OK;
}

static int provide_model(session *s, const char *job_path, const char *name) {
  if (!name_check("a model's name", name)) return EXIT_USAGE;
  char *leaf = must_format("%s.model.json", name), *file = file_beside(job_path, leaf);
  int result = provide_from(s, job_path, name, file);
  free(leaf);
  free(file);
  return result;
}

// On standard output, unless the result itself went there. A model that went along with the job has its own name.
static void print_outcome(const tendril_job *job, const char *name, const char *output, bool existed) {
  char model[96];
  const char *what = *job->model || !name ? job_model(job, model, sizeof model) : name;
  if (output_file_is_stdout(output))
    say_note("%s: %s of %s succeeded", job->id, job->kind, what);
  else
    printf("%s: %s of %s succeeded, result in %s%s\n", job->id, job->kind, what, output,
           existed ? "; it replaces an older file" : "");
}

static bool is_search(const char *kind) {
  static const char *const kinds[] = {"fit", "design", "gradient"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(kind, kinds[i]) == 0) return true;
  return false;
}

static void print_search(FILE *to, tendril_arrays *arrays) {
  tendril_error err;
  tendril_found *found = tendril_found_read(arrays, &err);
  if (found)
    found_print(to, found);
  else
    say_note("what was found cannot be read: %s", err.detail);
  tendril_found_free(found);
}

// Of a fit, a design, a gradient: what it found; of a sweep: what became of its jobs. Out of the result as it was
// saved, else out of the server's.
static void print_found(const session *s, const tendril_job *job, tendril_format format, const char *output) {
  bool sweeps = strcmp(job->kind, "sweep") == 0, file = format == TENDRIL_NPZ && output_file_is_regular(output);
  FILE *to = output_file_is_stdout(output) ? stderr : stdout;
  tendril_arrays *arrays = NULL;
  tendril_error err;
  if (!sweeps && !is_search(job->kind)) return;
  if (file) arrays = tendril_arrays_open(output, &err);
  if (!file && tendril_result_arrays(s->client, job->id, NULL, &arrays, &err) != TENDRIL_OK) arrays = NULL;
  if (!arrays)
    say_note("what was found cannot be read: %s", err.detail);
  else if (sweeps)
    sweep_print(to, arrays);
  else
    print_search(to, arrays);
  tendril_arrays_close(arrays);
}

// Which of its jobs failed; the results of the others are kept.
static void print_failed(const session *s, const tendril_job *job, const char *output) {
  tendril_arrays *arrays = NULL;
  const tendril_result_query query = {.partial = true};
  if (job->state != TENDRIL_FAILED || strcmp(job->kind, "sweep") != 0 || s->json) return;
  if (tendril_result_arrays(s->client, job->id, &query, &arrays, NULL) != TENDRIL_OK) return;
  sweep_print(output_file_is_stdout(output) ? stderr : stdout, arrays);
  tendril_arrays_close(arrays);
}

static int report_unsaved(const char *id, const tendril_error *err) {
  int result = report(err);
  if (err->status != TENDRIL_CLOSED)
    say_note("  the job succeeded: `tendril result %s -o FILE` fetches its result", id);
  return result;
}

// The document of the job, and what the model in it is called.
typedef struct sending {
  const char *bytes, *name;
  size_t size;
  const char *path; ///< NULL: it is not the file's text
} sending;

static int submit_and_follow(session *s, sending it, tendril_format format, const char *output) {
  tendril_job job, last = {.id = ""};
  tendril_error err;
  if (tendril_job_submit(s->client, it.bytes, it.size, NULL, &job, &err) != TENDRIL_OK)
    return report_in(&err, it.path, it.bytes, it.size);
  say_note("job %s submitted to %s", job.id, tendril_url(s->client));
  say_warnings(job.warning_count, job.warning);
  int result = job_follow(s, job.id, FOLLOW_BAR, &last);
  if (result == EXIT_FAILED) print_failed(s, &last, output);
  if (result != EXIT_OK) return result;
  if (s->json) print_reply(s);
  bool existed = output_file_is_regular(output) && file_exists(output);
  if (tendril_result_save(s->client, job.id, NULL, format, output, &err) != TENDRIL_OK)
    return report_unsaved(job.id, &err);
  if (s->json) return EXIT_OK;
  print_outcome(&last, it.name, output, existed);
  print_found(s, &last, format, output);
  return EXIT_OK;
}

// The result must have a place before hours are spent on it.
static int check_output(const session *s, const char *output, tendril_format format) {
  output_error err;
  if (s->json && output_file_is_stdout(output))
    return say_error("--json and -o %s both want standard output", output), EXIT_USAGE;
  return output_file_check(output, format == TENDRIL_NPZ, &err) ? EXIT_OK : file_report(&err);
}

// Where a job names its model: in itself, in the job that a sweep varies, in the one that a design or a gradient is of, in
// the first of several.
static json_t *holder_of_model(json_t *job) {
  json_t *base = json_object_get(job, "base"), *at = json_is_object(base) ? base : job, *of = json_object_get(at, "of");
  json_t *first = json_array_get(of, 0);
  if (json_object_get(first, "kind")) return first; // of a fit they are experiments
  return json_is_object(of) ? of : at;
}

// The job's document with the model of that file in it: what runs is the file, whatever the server has by its name.
static char *with_model(const char *model_path, json_t *job, size_t *size) {
  char *bytes = file_read(model_path, size);
  json_t *model = bytes ? json_from_bytes(model_path, bytes, *size) : NULL;
  free(bytes);
  if (!model) return NULL;
  if (!json_is_object(json_object_get(model, "links")) && !json_is_array(json_object_get(model, "links"))) {
    say_error("%s is not a model: it has no links (the model comes before the job)", model_path);
    json_decref(model);
    return NULL;
  }
  say_note("model: %s, sent along with the job", model_path);
  json_object_set_new(holder_of_model(job), "model", model);
  char *text = json_dumps(job, JSON_COMPACT | JSON_REAL_PRECISION(17));
  *size = text ? strlen(text) : 0;
  return text;
}

static int run_checked(session *s, const char *model_path, run_text text, tendril_format format, const char *output) {
  int result = check_output(s, output, format);
  if (result != EXIT_OK) return result;
  json_t *document = json_from_bytes(text.path, text.bytes, text.size);
  if (!document) return EXIT_USAGE;
  size_t size = text.size;
  const char *name = json_string_value(json_object_get(holder_of_model(document), "model"));
  char *whole = model_path ? with_model(model_path, document, &size) : NULL;
  if (model_path && !whole)
    result = EXIT_USAGE;
  else if (name && !model_path)
    result = provide_model(s, text.path, name);
  if (result == EXIT_OK) {
    const json_t *model = json_object_get(holder_of_model(document), "model");
    const char *called = json_string_value(json_object_get(model, "name")), *path = text.as_filed ? text.path : NULL;
    result =
        submit_and_follow(s, (sending){whole ? whole : text.bytes, called, size, whole ? NULL : path}, format, output);
  }
  json_decref(document);
  free(whole);
  return result;
}

int job_run(session *s, const options *o, const char *model_path, run_text text) {
  const char *given = options_get(o, "output");
  char *output = given ? must_copy(given) : file_stem(text.path, text.ending);
  tendril_format format;
  int result = format_choose(o, output, &format) ? run_checked(s, model_path, text, format, output) : EXIT_USAGE;
  free(output);
  return result;
}

static int run(session *s, const options *o) {
  size_t size;
  const char *model = o->count > 1 ? o->positional[0] : NULL, *path = o->positional[o->count - 1];
  char *bytes = file_read(path, &size);
  int result = bytes ? job_run(s, o, model, (run_text){path, bytes, size, true, ".npz"}) : EXIT_USAGE;
  free(bytes);
  return result;
}

const command command_run = {
    .name = "run",
    .arguments = "[MODEL.json] JOB.json",
    .summary = "submit a job, follow it with a progress bar, fetch its result",
    .help =
        "With MODEL.json that file runs, whatever the server has under its name. Without it the model runs that the "
        "job's \"model\"\n"
        "names, as the server has it. If the server has none of that name, NAME.model.json beside the job is sent "
        "first. If that\n"
        "file differs from what the server has, the server's model runs, and a note says so. If the server restarts "
        "meanwhile,\n"
        "the command waits for it: the job is not lost. Ctrl-C leaves the job running and says how to follow it "
        "(status 130).\n"
        "Before the job is submitted, the command makes sure that it can write the output. Of a fit, a design or a "
        "gradient it prints\nwhat was found, as `tendril found` does, of a sweep what became of its jobs.\n" OUTPUT_HELP
        "Exit status: 0 it succeeded, 1 it failed or its result cannot be written, 3 no server.\n\n"
        "  tendril examples cdm\n  tendril run cdm.job.json -o cdm.npz\n  tendril run cdm.model.json cdm.job.json -o "
        "cdm.npz\n  tendril plot cdm.npz -o cdm.png\n"
        "  tendril run cdm.job.json --format json -o - | jq .summary",
    .least = 1,
    .most = 2,
    .options = {RUN_OPTIONS},
    .run = run};
