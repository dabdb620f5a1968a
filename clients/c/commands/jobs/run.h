// A job from its text to its result, for `run` and `sweep`.
#ifndef TENDRIL_CLIENT_RUN_H
#define TENDRIL_CLIENT_RUN_H

#include "commands/command.h"

typedef struct run_source {
  const char *path, *bytes; ///< [size]
  size_t size;
} run_source;

typedef struct run_text {
  const char *path;  ///< the file that it comes from: its folder may hold the model, its name names the result
  const char *bytes; ///< [size] the job's document
  size_t size;
  bool as_filed;      ///< the file holds just these bytes, so that lines of it can be said
  run_source filed;   ///< what the file holds, where it is the base of a sweep that these bytes are
  const char *ending; ///< of the result's name where -o says none: ".npz"
} run_text;

/// Takes the model beside it along where the server has none or another, submits, follows, writes the result to
/// --output, prints what became of it. Reads the options output and format.
/// @param model_path  a model that goes along with the job, NULL: the one that it names
/// @return the exit status
int job_run(session *s, const options *o, const char *model_path, run_text text);

/// Its options.
#define RUN_OPTIONS                                                                                                    \
  {"output", 'o', "FILE",                                                                                              \
   "the result: .npz, .json or .csv, - is standard output (default: the job's name .npz, of a sweep NAME-sweep.npz)"}, \
      {"format", 'f', "npz|json|csv", "whatever FILE is called"},                                                      \
      {"patience", 0, "S", "seconds to wait for a server that went away (300)"}, FOLLOW_EVERY

#endif
