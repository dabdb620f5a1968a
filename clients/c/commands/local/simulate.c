// tendril simulate and validate: one job, or a check of documents, on this machine without a server, by the worker
// program that stands beside this one.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *worker_path(void) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length > 0 ? length : 0] = '\0';
  return file_beside(self, "tendril-worker");
}

// Becomes the worker; comes back only when it cannot be started. arguments[0] is set here.
static int become_worker(char **arguments) {
  char *worker = worker_path();
  arguments[0] = worker;
  signal(SIGPIPE, SIG_DFL); // an ignored signal would stay ignored in the worker
  if (file_exists(worker))
    execv(worker, arguments);
  else
    execvp("tendril-worker", arguments);
  say_error("cannot start %s: %s", worker, strerror(errno));
  free(worker);
  return EXIT_USAGE;
}

static int run(session *s, const options *o) {
  (void)s;
  const char *given = options_get(o, "output");
  char *output = given ? must_copy(given) : file_stem(o->positional[1], ".npz");
  char *arguments[] = {NULL, "--local", (char *)o->positional[0], (char *)o->positional[1], "-o", output, NULL};
  int result = become_worker(arguments);
  free(output);
  return result;
}

static int validate(session *s, const options *o) {
  char *arguments[POSITIONAL_LIMIT + 4] = {NULL, "--validate"};
  int count = 2;
  if (s->json) arguments[count++] = "--json";
  for (int i = 0; i < o->count; i++) arguments[count++] = (char *)o->positional[i];
  return become_worker(arguments);
}

const command command_simulate = {
    .name = "simulate",
    .arguments = "MODEL.json JOB.json",
    .summary = "run a job here, without a server",
    .help = "Same engine, same result file as through a server.\n" OUTPUT_HELP "\n"
            "  tendril simulate cdm.model.json cdm.job.json -o cdm.npz",
    .least = 2,
    .most = 2,
    .offline = true,
    .options = {{"output", 'o', "FILE.npz", "the result, - is standard output (default: the job's name .npz)"}},
    .run = run};

const command command_validate = {
    .name = "validate",
    .arguments = "FILE.json…",
    .summary = "check model and job documents without a server and without running them",
    .help = "A document with \"links\" is a model, one with a \"kind\" is a job. For each file its errors are "
            "printed, several\nwhere they do not follow from one another, with "
            "value and place: line and column in the file (of what is missing: of what lacks it) and a JSON "
            "pointer "
            "(/links/0/body\nis the body of the first link). So is everything that is odd: numbers that were likely "
            "meant in "
            "another unit, a tendon\nbeside its rod, a method that cannot resolve an input. A job is checked against "
            "its model: "
            "the one inside it, the one\nof that name among the files, or NAME.model.json beside the job. Of a sweep "
            "every job is "
            "checked. The rules are those\nof the server, where POST /v1/models?validate=1 checks a model.\n"
            "Exit status: 0 no errors (there may be warnings), 1 errors, 2 a file cannot be read.\n\n"
            "  tendril examples cdm && tendril validate cdm.model.json cdm.job.json\n"
            "  tendril validate robots/*.json\n"
            "  tendril validate --json - < arm.model.json | jq '.files[].warnings'",
    .least = 1,
    .most = POSITIONAL_LIMIT,
    .offline = true,
    .run = validate};
