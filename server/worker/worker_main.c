// tendril-worker: the process in which simulations run. Started by tendrild (--serve), or by a person (--local,
// --validate).
#include "tendril/dynamics.h"
#include "worker/served.h"
#include "worker/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tendril-worker --local MODEL JOB -o OUT.npz\n"
    "       tendril-worker --validate [--json] FILE…\n"
    "\n"
    "Runs one job without a server and writes its result archive.\n"
    "  MODEL   file with a tendril.model/1 document, or - to take the model inside JOB\n"
    "  JOB     file with a job document\n"
    "  OUT     written beside and renamed, so it is whole or absent; a symlink is followed; a FIFO\n"
    "          or device is written directly; - is standard output, unless that is a terminal\n"
    "A run that cannot go on writes what it has: OUT holds the rows until there, its summary says why\n"
    "(`error`), and the exit status is 1. Where nothing but the start was reached OUT stays as it was.\n"
    "Exit: 0 done, 1 the job failed or OUT cannot be written, 2 bad usage or documents.\n"
    "\n"
    "--validate checks model and job documents without running them: errors and warnings with their places.\n"
    "Exit: 0 no errors, 1 errors, 2 a file cannot be read.\n";

static int local(int argc, char **argv) {
  const char *paths[2] = {NULL, NULL}, *out = NULL;
  int count = 0;
  for (int i = 2; i < argc; i++) {
    if ((strcmp(argv[i], "-o") == 0 || strcmp(argv[i], "--output") == 0) && i + 1 < argc)
      out = argv[++i];
    else if (count < 2)
      paths[count++] = argv[i];
    else
      count = 3;
  }
  if (count == 2 && out) return worker_local(paths[0], paths[1], out);
  fputs(usage, stderr);
  return 2;
}

static int validate(int argc, char **argv) {
  bool json = argc > 2 && strcmp(argv[2], "--json") == 0;
  int first = 2 + json;
  if (argc > first) return worker_validate(argc - first, (const char *const *)argv + first, json);
  fputs(usage, stderr);
  return 2;
}

int main(int argc, char **argv) {
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  if ((argc == 4 || argc == 5) && strcmp(argv[1], "--serve") == 0)
    return worker_serve(atoi(argv[2]), atoi(argv[3]), argc == 5 ? atoi(argv[4]) : 0);
  if (argc >= 2 && strcmp(argv[1], "--local") == 0) return local(argc, argv);
  if (argc >= 2 && strcmp(argv[1], "--validate") == 0) return validate(argc, argv);
  if (argc == 2 && strcmp(argv[1], "--version") == 0) return printf("tendril-worker %s\n", td_version()) < 0;
  bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
  fputs(usage, help ? stdout : stderr);
  return help ? 0 : 2;
}
