// tendril jobs submit | list | get | watch | cancel | retry | delete: one row and a few lines each.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int job_submit(session *s, const char *bytes, size_t size, json_t **job) {
  return http_json(s->server, &(http_request){.method = "POST", .path = "/v1/jobs", .body = bytes, .body_size = size},
                   job);
}

static void print_job_row(const json_t *job) {
  char model[96];
  const json_t *progress = json_object_get(job, "progress");
  printf("%-28s %-9s %-16s %-10s %5.0f %%  %7.0f  %s\n", text_of(job, "id", "?"), text_of(job, "kind", "?"),
         job_model(job, model, sizeof model), text_of(job, "state", "?"), 100 * number_of(progress, "fraction", 0),
         number_of(job, "attempt", 0), text_of(job, "created_at", ""));
}

// Prints the job of a reply: one line of JSON, or its id and state.
static int print_job(session *s, int result, json_t *job) {
  if (result == EXIT_OK && s->json && job) json_print(job);
  if (result == EXIT_OK && !s->json && job) printf("%s %s\n", text_of(job, "id", "?"), text_of(job, "state", "?"));
  json_decref(job);
  return result;
}

// One request on /v1/jobs/ID<suffix>.
static int on_job(session *s, const options *o, const char *method, const char *suffix, json_t **job) {
  if (!name_check("a job's id", o->positional[0])) return EXIT_USAGE;
  char *path = must_format("/v1/jobs/%s%s", o->positional[0], suffix);
  int result = http_json(s->server, &(http_request){.method = method, .path = path, .timeout_s = 60}, job);
  free(path);
  return result;
}

// ------------------------------------------------------------------------------------------------ submit

static int submit(session *s, const options *o) {
  size_t size;
  char *bytes = file_read(o->positional[0], &size);
  if (!bytes) return EXIT_USAGE;
  json_t *job;
  int result = job_submit(s, bytes, size, &job);
  free(bytes);
  return print_job(s, result, job);
}

const command command_jobs_submit = {.group = "jobs",
                                     .name = "submit",
                                     .arguments = "JOB.json",
                                     .summary = "hand in a job and return at once",
                                     .help = "Prints the job's id and state. Follow it with `tendril jobs watch ID`, "
                                             "fetch it with `tendril result ID -o out.npz`.\n"
                                             "`tendril run` does all three. \"-\" reads standard input.",
                                     .least = 1,
                                     .most = 1,
                                     .run = submit};

// ------------------------------------------------------------------------------------------------ list

static char *list_path(session *s, const options *o, long limit, const json_t *cursor) {
  static const char *const filters[] = {"state", "kind", "model", "label"};
  char *path = must_format("/v1/jobs?limit=%ld", limit < 100 ? limit : 100);
  for (size_t i = 0; i <= sizeof filters / sizeof *filters; ++i) {
    bool last = i == sizeof filters / sizeof *filters;
    const char *value = last ? json_string_value(cursor) : options_get(o, filters[i]);
    if (!value) continue;
    char *escaped = http_escape(s->server, value),
         *longer = must_format("%s&%s=%s", path, last ? "cursor" : filters[i], escaped);
    free(path);
    free(escaped);
    path = longer;
  }
  return path;
}

static long print_page(session *s, const json_t *reply, long left) {
  json_t *job;
  size_t i;
  json_array_foreach(json_object_get(reply, "jobs"), i, job) {
    if (left-- <= 0) return 0;
    s->json ? json_print(job) : print_job_row(job);
  }
  return left;
}

static int list(session *s, const options *o) {
  long left;
  if (!options_integer(o, "limit", 1, 1000000, 50, &left)) return EXIT_USAGE;
  if (!s->json)
    printf("%-28s %-9s %-16s %-10s %7s  %7s  %s\n", "ID", "KIND", "MODEL", "STATE", "DONE", "ATTEMPT", "CREATED");
  json_t *cursor = NULL;
  int result = EXIT_OK;
  do {
    json_t *reply;
    char *path = list_path(s, o, left, cursor);
    result = http_json(s->server, &(http_request){.method = "GET", .path = path, .timeout_s = 60}, &reply);
    left = print_page(s, reply, left);
    json_decref(cursor);
    cursor = json_incref(json_object_get(reply, "next_cursor"));
    json_decref(reply);
    free(path);
  } while (result == EXIT_OK && left > 0 && json_is_string(cursor));
  json_decref(cursor);
  return result;
}

const command command_jobs_list = {
    .group = "jobs",
    .name = "list",
    .arguments = "",
    .summary = "list jobs, newest first",
    .help = "  tendril jobs list --state failed --limit 10\n  tendril jobs list --label study:a --json",
    .options = {{"state", 's', "STATE", "queued, running, succeeded, failed or cancelled"},
                {"kind", 'k', "KIND", "dynamics or statics"},
                {"model", 'm', "NAME", "jobs of this model"},
                {"label", 'l', "KEY:VALUE", "jobs with this label"},
                {"limit", 0, "N", "at most N (50)"}},
    .run = list};

// ------------------------------------------------------------------------------------------------ get, cancel, retry, delete

static int get(session *s, const options *o) {
  json_t *job;
  int result = on_job(s, o, "GET", "", &job);
  if (result == EXIT_OK)
    json_dumpf(job, stdout, (s->json ? JSON_COMPACT : JSON_INDENT(2)) | JSON_REAL_PRECISION(17)), putchar('\n');
  json_decref(job);
  return result;
}

static int cancel(session *s, const options *o) {
  json_t *job;
  int result = on_job(s, o, "POST", ":cancel", &job);
  return print_job(s, result, job);
}

static int retry(session *s, const options *o) {
  json_t *job;
  int result = on_job(s, o, "POST", ":retry", &job);
  return print_job(s, result, job);
}

static int delete (session *s, const options *o) {
  json_t *reply;
  int result = on_job(s, o, "DELETE", "", &reply);
  if (result == EXIT_OK && !s->json) printf("%s deleted\n", o->positional[0]);
  json_decref(reply);
  return result;
}

static int watch(session *s, const options *o) {
  if (!name_check("a job's id", o->positional[0])) return EXIT_USAGE;
  json_t *job;
  int result = job_follow(s, o->positional[0], &job);
  if (s->json && job) json_print(job);
  json_decref(job);
  return result;
}

const command command_jobs_get = {.group = "jobs",
                                  .name = "get",
                                  .arguments = "ID",
                                  .summary = "everything about one job",
                                  .help = "Prints the job as JSON: state, attempt, progress, times, labels, error.",
                                  .least = 1,
                                  .most = 1,
                                  .run = get};
const command command_jobs_watch = {
    .group = "jobs",
    .name = "watch",
    .arguments = "ID",
    .summary = "follow a job to its end",
    .help = "Exit status 0 when it succeeds, 1 when it fails or is cancelled. Ctrl-C stops watching, not the job.",
    .least = 1,
    .most = 1,
    .run = watch};
const command command_jobs_cancel = {
    .group = "jobs",
    .name = "cancel",
    .arguments = "ID",
    .summary = "stop a job",
    .help = "A queued job never starts, a running one ends at its next step. A finished job stays as it is.",
    .least = 1,
    .most = 1,
    .run = cancel};
const command command_jobs_retry = {.group = "jobs",
                                    .name = "retry",
                                    .arguments = "ID",
                                    .summary = "run a failed or cancelled job again, as a new job",
                                    .help = "Prints the new job's id; the old job stays unchanged.",
                                    .least = 1,
                                    .most = 1,
                                    .run = retry};
const command command_jobs_delete = {.group = "jobs",
                                     .name = "delete",
                                     .arguments = "ID",
                                     .summary = "delete a finished job and its result",
                                     .help = "A running job must be cancelled first.",
                                     .least = 1,
                                     .most = 1,
                                     .run = delete};
