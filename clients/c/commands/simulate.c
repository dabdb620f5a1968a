// tendril simulate: one job on this machine without a server, by the worker program that stands beside this one.
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

static int run(session *s, const options *o) {
  (void)s;
  const char *given = options_get(o, "output");
  char *output = given ? must_copy(given) : file_stem(o->positional[1], ".npz");
  char *worker = worker_path();
  char *arguments[] = {worker, "--local", (char *)o->positional[0], (char *)o->positional[1], "-o", output, NULL};
  signal(SIGPIPE, SIG_DFL); // an ignored signal would stay ignored in the worker
  if (file_exists(worker))
    execv(worker, arguments);
  else
    execvp("tendril-worker", arguments);
  say_error("cannot start %s: %s", worker, strerror(errno));
  free(worker);
  free(output);
  return EXIT_USAGE;
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
