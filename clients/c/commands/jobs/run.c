// tendril run: a job from its file to its result.
//
// The model that stands beside the job as NAME.model.json is the one that is meant: it is what `tendril examples`
// leaves on disk, and what an editor shows. Where the server has just that document under the name, the job refers to
// it; otherwise the file goes along with the job, so that server and job either take both or neither. A name that the
// server did not know is stored after that, so that other commands find it.
#include "commands/jobs/run.h"
#include "base/files.h"
#include "base/found_words.h"
#include "base/say.h"
#include "commands/command.h"
#include "commands/jobs/about.h"
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

// What is known of the model that a job names, before it is sent.
typedef struct model_choice {
  char *file; ///< NAME.model.json beside the job, where it goes along with it; NULL: the job refers to the name
  char *put;  ///< the name to store it by once the job is taken, NULL: none
} model_choice;

static int choose_between(session *s, const char *name, int revision, model_choice *choice) {
  size_t size;
  tendril_text stored = tendril_reply_member(s->client, "document");
  char *bytes = file_read(choice->file, &size);
  if (!bytes) return EXIT_USAGE;
  bool same = same_documents(bytes, size, stored);
  free(bytes);
  if (!same) {
    say_note(
        "model %s: %s, which differs from the server's revision %d and goes along with the job; `tendril models put "
        "%s` makes it a new revision",
        name, choice->file, revision, choice->file);
    return EXIT_OK;
  }
  say_note("model %s: the server's revision %d, the same as %s", name, revision, choice->file);
  free(choice->file);
  choice->file = NULL;
  return EXIT_OK;
}

static int choose_model(session *s, const char *job_path, const char *name, model_choice *choice) {
  tendril_error err;
  tendril_model model;
  if (!name_check("a model's name", name)) return EXIT_USAGE;
  tendril_status status = tendril_model_get(s->client, name, &model, &err);
  bool missing = status == TENDRIL_REFUSED && err.http == 404;
  if (status != TENDRIL_OK && !missing) return report(&err);
  char *leaf = must_format("%s.model.json", name);
  choice->file = file_beside(job_path, leaf);
  free(leaf);
  if (file_exists(choice->file) && !missing) return choose_between(s, name, model.revision, choice);
  if (file_exists(choice->file)) {
    say_note("the server has no model %s: sending %s along with the job", name, choice->file);
    choice->put = must_copy(name);
    return EXIT_OK;
  }
  if (missing)
    say_note("the server has no model %s, and there is no %s: give the model's file before the job's", name,
             choice->file);
  free(choice->file);
  choice->file = NULL; // the submission is refused
  if (!missing) say_note("model %s: the server's revision %d", name, model.revision);
  return EXIT_OK;
}

static void store_model(session *s, const model_choice *choice) {
  size_t size;
  tendril_error err;
  tendril_model model;
  char *bytes = choice->put ? file_read(choice->file, &size) : NULL;
  if (bytes && tendril_model_put(s->client, choice->put, bytes, size, &model, &err) == TENDRIL_OK)
    say_note("%s is stored as revision %d of %s", choice->file, model.revision, choice->put);
  else if (bytes)
    say_note("%s is not stored as %s: %s", choice->file, choice->put, err.detail);
  free(bytes);
}

// On standard output, unless the result itself went there. A model that went along with the job has its own name.
static void print_outcome(const tendril_job *job, const char *name, const char *output, bool existed) {
  char model[96];
  const char *own = *job->model ? job->model : name;
  const char *what = job->revision > 0 || !own ? job_model(job, model, sizeof model) : own;
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
  run_source job, model; ///< files that it was made from
  const char *base;      ///< where the job's file stands in it: "", of a sweep by --over "/base"
  char model_at[24];     ///< where the model's file stands in it
  model_choice choice;   ///< of the model
} sending;

static bool begins(const char *pointer, const char *with) {
  size_t n = strlen(with);
  return strncmp(pointer, with, n) == 0 && (pointer[n] == '/' || pointer[n] == '\0');
}

// What is wrong is said of the file that it stands in, of a value of a sweep by its --over.
static int report_one(const tendril_error *err, const sending *it) {
  tendril_error own = *err;
  int over = 0;
  const run_source *from = it->model.path && begins(err->pointer, it->model_at) ? &it->model : &it->job;
  const char *base = from == &it->model ? it->model_at : it->base;
  if (*base && sscanf(err->pointer, "/vary/%d", &over) == 1 && !begins(err->pointer, base)) {
    *own.pointer = '\0';
    int result = report(&own);
    say_note("  at number %d of --over (%s of the sweep)", over + 1, err->pointer);
    return result;
  }
  if (begins(err->pointer, base)) snprintf(own.pointer, sizeof own.pointer, "%s", err->pointer + strlen(base));
  return report_in(&own, from->path, from->bytes, from->size);
}

static int report_sent(const tendril_error *err, const sending *it) {
  int result = EXIT_FAILED;
  for (int i = 0; i < error_count(err); ++i) {
    tendril_error one = error_alone(err, i);
    result = report_one(&one, it);
  }
  return result;
}

static int submit_and_follow(session *s, const sending *it, tendril_format format, const char *output) {
  tendril_job job, last = {.id = ""};
  tendril_error err;
  if (tendril_job_submit(s->client, it->bytes, it->size, NULL, &job, &err) != TENDRIL_OK) return report_sent(&err, it);
  say_note("job %s submitted to %s", job.id, tendril_url(s->client));
  say_warnings(job.warning_count, job.warning);
  store_model(s, &it->choice);
  last = job;
  int result = job_follow(s, job.id, FOLLOW_BAR, &last);
  if (result == EXIT_FAILED) print_failed(s, &last, output);
  if (result != EXIT_OK) return result;
  if (s->json) print_reply(s);
  bool existed = output_file_is_regular(output) && file_exists(output);
  if (tendril_result_save(s->client, job.id, NULL, format, output, &err) != TENDRIL_OK)
    return report_unsaved(job.id, &err);
  if (s->json) return EXIT_OK;
  print_outcome(&last, it->name, output, existed);
  about_say_busy(s, &last);
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
// the first of several. `at` receives the pointer of the model.
static json_t *holder_of_model(json_t *job, char at[24]) {
  json_t *base = json_object_get(job, "base"), *in = json_is_object(base) ? base : job, *of = json_object_get(in, "of");
  json_t *first = json_array_get(of, 0);
  bool several = json_object_get(first, "kind") != NULL; // of a fit they are experiments
  snprintf(at, 24, "%s%s/model", in == job ? "" : "/base", several ? "/of/0" : json_is_object(of) ? "/of" : "");
  return several ? first : json_is_object(of) ? of : in;
}

// The job's document with the model of that file in it: what runs is the file, whatever the server has by its name.
static char *with_model(json_t *job, sending *it, size_t *size) {
  const run_source *from = &it->model;
  json_t *model = from->bytes ? json_from_bytes(from->path, from->bytes, from->size) : NULL;
  if (!model) return NULL;
  if (!json_is_object(json_object_get(model, "links")) && !json_is_array(json_object_get(model, "links"))) {
    say_error("%s is not a model: it has no links (the model comes before the job)", from->path);
    json_decref(model);
    return NULL;
  }
  json_object_set_new(holder_of_model(job, it->model_at), "model", model);
  char *text = json_dumps(job, JSON_COMPACT | JSON_REAL_PRECISION(17));
  *size = text ? strlen(text) : 0;
  return text;
}

static int send_with_model(session *s, json_t *document, sending *it, tendril_format format, const char *output) {
  char *model = file_read(it->model.path, &it->model.size), *whole = NULL;
  it->model.bytes = model;
  int result = EXIT_USAGE;
  if (model) whole = with_model(document, it, &it->size);
  if (whole) {
    it->bytes = whole;
    it->name =
        json_string_value(json_object_get(json_object_get(holder_of_model(document, it->model_at), "model"), "name"));
    result = submit_and_follow(s, it, format, output);
  }
  free(whole);
  free(model);
  return result;
}

// A job may name another robot than the one that it is given.
static void say_model(const char *path, const char *named) {
  size_t size;
  char *bytes = file_read(path, &size);
  json_t *model = bytes ? json_loadb(bytes, size, 0, NULL) : NULL;
  const char *own = json_string_value(json_object_get(model, "name"));
  say_note("model: %s, sent along with the job", path);
  if (named && own && strcmp(named, own) != 0)
    say_note("  the job says \"%s\", the file is called \"%s\": the file is what runs", named, own);
  json_decref(model);
  free(bytes);
}

static int run_checked(session *s, const char *model_path, run_text text, tendril_format format, const char *output) {
  int result = check_output(s, output, format);
  if (result != EXIT_OK) return result;
  json_t *document = json_from_bytes(text.path, text.bytes, text.size);
  if (!document) return EXIT_USAGE;
  sending it = {.bytes = text.bytes, .size = text.size, .base = text.as_filed ? "" : "/base"};
  it.job = text.as_filed ? (run_source){text.path, text.bytes, text.size} : text.filed;
  const json_t *model = json_object_get(holder_of_model(document, it.model_at), "model");
  const char *name = json_string_value(model);
  if (model_path)
    say_model(model_path, name);
  else if (name)
    result = choose_model(s, text.path, name, &it.choice);
  it.model.path = model_path ? model_path : it.choice.file;
  it.name = json_string_value(json_object_get(model, "name"));
  if (result == EXIT_OK)
    result =
        it.model.path ? send_with_model(s, document, &it, format, output) : submit_and_follow(s, &it, format, output);
  json_decref(document);
  free(it.choice.file);
  free(it.choice.put);
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
  int result = bytes ? job_run(s, o, model, (run_text){path, bytes, size, true, .ending = ".npz"}) : EXIT_USAGE;
  free(bytes);
  return result;
}

const command command_run = {
    .name = "run",
    .arguments = "[MODEL.json] JOB.json",
    .summary = "submit a job, follow it with a progress bar, fetch its result",
    .help =
        "With MODEL.json that file runs, whatever the server has under its name. Without it, NAME.model.json beside "
        "the job runs,\nwhere NAME is what the job's \"model\" says: when the server has the same document under the "
        "name, "
        "the job refers to it;\nwhen not, the file goes along with the job, and a note says so. A name that the server "
        "does not know is stored when the job\nis taken; of a refused job nothing is. Without such a file the server's "
        "model of the name runs. If the server restarts\nmeanwhile, the command waits for it: the job is not lost. "
        "Ctrl-C "
        "leaves the job running and says how to follow it\n(status 130).\n"
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
