// tendril jobs submit | get | cancel | retry | delete: one row and a few lines each.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include "commands/jobs/about.h"
#include "commands/jobs/ids.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Prints the job of a reply as it came, or its id and state.
static int print_job(const session *s, const tendril_job *job) {
  if (s->json)
    print_reply(s);
  else
    printf("%s %s\n", job->id, tendril_state_name(job->state));
  return EXIT_OK;
}

// One that runs ends at its next step.
static int print_cancelled(const session *s, const tendril_job *job) {
  if (s->json || job->state != TENDRIL_RUNNING) return print_job(s, job);
  printf("%s cancelling\n", job->id);
  say_note("it ends at its next step: `tendril watch %s` waits for that", job->id);
  return EXIT_OK;
}

// ------------------------------------------------------------------------------------------------ submit

static int submit(session *s, const options *o) {
  size_t size;
  tendril_job job;
  tendril_error err;
  char *bytes = file_read(o->positional[0], &size);
  if (!bytes) return EXIT_USAGE;
  tendril_status status = tendril_job_submit(s->client, bytes, size, options_get(o, "key"), &job, &err);
  int result = status == TENDRIL_OK ? print_job(s, &job) : report_in(&err, o->positional[0], bytes, size);
  free(bytes);
  if (status == TENDRIL_OK) say_warnings(job.warning_count, job.warning);
  return result;
}

const command command_jobs_submit = {
    .group = "jobs",
    .name = "submit",
    .arguments = "JOB.json",
    .summary = "submit a job and return at once",
    .help = "Prints the job's id and state, and warnings on standard error. From then on the job is not lost,\n"
            "whatever happens to server or network.\n"
            "Follow it with `tendril watch ID`, fetch it with `tendril result ID`; `tendril run` does all three.\n"
            "\"-\" reads standard input. A script that may be started twice gives each job a --key of its own: the "
            "same key and\n"
            "document again give the same job.\n\n"
            "  tendril jobs submit cdm.job.json\n"
            "  id=$(tendril jobs submit night7.job.json --key night7 | cut -d' ' -f1)",
    .least = 1,
    .most = 1,
    .options = {{"key", 'k', "KEY", "idempotency key, 1 to 128 characters (default: random)"}},
    .run = submit};

// ------------------------------------------------------------------------------------------------ get

static int get(session *s, const options *o) {
  tendril_error err;
  char id[TENDRIL_ID_SIZE];
  int found = job_id(s, o->positional[0], id);
  if (found != EXIT_OK) return found;
  tendril_job job;
  if (tendril_job_get(s->client, id, &job, &err) != TENDRIL_OK) return report(&err);
  if (s->json)
    print_reply(s);
  else
    about_print(s, &job);
  return EXIT_OK;
}

const command command_jobs_get = {
    .group = "jobs",
    .name = "get",
    .arguments = "ID",
    .summary = "everything about one job",
    .help = "Prints state, model, progress, times, labels, what it was computed with, error and warnings, a line each; "
            "with --json "
            "the\njob as it is over HTTP.\n" ID_HELP "\n"
            "  tendril jobs get 01kb3y7m2q\n  tendril jobs get 01kb3y7m2q --json | jq .progress.fraction",
    .least = 1,
    .most = 1,
    .run = get};

// --------------------------------------------------------------------------------------------- cancel, retry, delete

static int cancel(session *s, const options *o) {
  tendril_job job;
  tendril_error err;
  char id[TENDRIL_ID_SIZE];
  int found = job_id(s, o->positional[0], id);
  if (found != EXIT_OK) return found;
  if (tendril_job_cancel(s->client, id, &job, &err) != TENDRIL_OK) return report(&err);
  if (job.state == TENDRIL_SUCCEEDED || job.state == TENDRIL_FAILED)
    say_note("it had ended before, and stays as it is");
  return print_cancelled(s, &job);
}

const command command_jobs_cancel = {
    .group = "jobs",
    .name = "cancel",
    .arguments = "ID",
    .summary = "stop a job",
    .help = "A queued job never starts, a running one ends at its next step. A finished job stays as it is. What it "
            "computed until\n"
            "then is there: `tendril result ID --partial`.\n\n"
            "  tendril jobs cancel 01kb3y7m2q",
    .least = 1,
    .most = 1,
    .run = cancel};

static int retry(session *s, const options *o) {
  tendril_job job;
  tendril_error err;
  char id[TENDRIL_ID_SIZE];
  int found = job_id(s, o->positional[0], id);
  if (found != EXIT_OK) return found;
  const char *key = options_get(o, "key"), *bound = options_get(o, "max-wall-s");
  char *end = NULL;
  double max_wall_s = bound ? strtod(bound, &end) : 0;
  if (bound && (end == bound || *end || !(max_wall_s > 0)))
    return say_error("--max-wall-s must be a number of seconds above 0, not '%s'", bound), EXIT_USAGE;
  tendril_status status = tendril_job_retry_within(s->client, id, max_wall_s, key, &job, &err);
  if (status != TENDRIL_OK) return report(&err);
  if (strcmp(job.kind, "sweep") == 0)
    say_note("a new sweep: what succeeded is taken over, its other jobs begin at their start");
  else
    say_note("a new job, which begins at its start: what the old one kept stays there (`tendril result %s --partial`)",
             id);
  return print_job(s, &job);
}

const command command_jobs_retry = {
    .group = "jobs",
    .name = "retry",
    .arguments = "ID",
    .summary = "run a failed or cancelled job again, as a new job",
    .help = "Prints the new job's id. The new job begins at its start again; the old one stays with the rows it kept. "
            "The same --key again gives the same new job.\n\n"
            "  tendril jobs retry 01kb3y7m2q\n"
            "  tendril jobs retry 01kb3y7m2q --max-wall-s 3600\n"
            "  tendril jobs list --state failed --json | jq -r .id | xargs -n 1 tendril jobs retry",
    .least = 1,
    .most = 1,
    .options = {{"key", 'k', "KEY", "idempotency key, 1 to 128 characters (default: random)"},
                {"max-wall-s", 0, "S", "the new job's time in place of the old one's max_wall_s"}},
    .run = retry};

static int delete (session *s, const options *o) {
  tendril_error err;
  char id[TENDRIL_ID_SIZE];
  int found = job_id(s, o->positional[0], id);
  if (found != EXIT_OK) return found;
  if (tendril_job_delete(s->client, id, &err) != TENDRIL_OK) return report(&err);
  if (!s->json) printf("%s deleted\n", id);
  return EXIT_OK;
}

const command command_jobs_delete = {.group = "jobs",
                                     .name = "delete",
                                     .arguments = "ID",
                                     .summary = "delete a finished job and its result",
                                     .help = "A running job must be cancelled first.\n\n"
                                             "  tendril jobs delete 01kb3y7m2q",
                                     .least = 1,
                                     .most = 1,
                                     .run = delete};
