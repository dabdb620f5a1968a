// A sub-command is a row: its words, what the help says, its options and one function. Adding one is adding a file and a row
// in main.c.
#ifndef TENDRIL_CLIENT_COMMAND_H
#define TENDRIL_CLIENT_COMMAND_H

#include "base/http.h"
#include "base/options.h"
#include <jansson.h>
#include <stdbool.h>

typedef struct session {
  http *server;
  const char *url;
  bool json; ///< --json: machine-readable output on stdout
} session;

typedef struct command {
  const char *group;     ///< "models" of `tendril models put`, NULL for commands of one word
  const char *name;      ///< "put"
  const char *arguments; ///< "FILE.model.json"
  const char *summary;   ///< one line for the list of commands
  const char *help;      ///< what a newcomer needs, with an example
  int least, most;       ///< number of positional arguments
  option_row options[OPTION_LIMIT];
  int (*run)(session *, const options *); ///< returns an exit status
} command;

extern const command command_models_put, command_models_get, command_models_list, command_models_delete;
extern const command command_evaluate;
extern const command command_jobs_submit, command_jobs_list, command_jobs_get, command_jobs_watch, command_jobs_cancel,
    command_jobs_retry, command_jobs_delete;
extern const command command_run, command_result, command_plot, command_examples, command_simulate;

// ------------------------------------------------------------------------------------------------ shared by commands

/// True when `text` can stand in a path as a name or id (a revision "@3" may follow); otherwise says so.
bool name_check(const char *what, const char *text);
/// "/v1/models/<name>" or "/v1/models/<name>/revisions/<n>" for "name@n". The caller frees it.
char *model_path(const char *name);
/// PUTs a model document. *answer (may be NULL) receives the parsed reply.
int model_put(session *s, const char *name, const char *bytes, size_t size, json_t **answer);
/// "cdm revision 1: 24 coordinates, 5 channels", without line end.
void model_print(const json_t *model);

/// Prints a value on one line of stdout.
void json_print(const json_t *value);
/// Members with a default for what is missing or of another type.
const char *text_of(const json_t *object, const char *key, const char *otherwise);
double number_of(const json_t *object, const char *key, double otherwise);

/// The id of a submitted job; NULL after a line when the reply has none.
const char *job_id(const json_t *job);
/// "cdm@1" of a job's model reference.
const char *job_model(const json_t *job, char *out, size_t size);
/// Submits the bytes of a job document.
int job_submit(session *s, const char *bytes, size_t size, json_t **job);
/// Follows a job to its end on stderr: a bar on a terminal, plain lines otherwise. *job receives its last state (may be NULL).
/// Ctrl-C leaves the job running on the server and says how to follow it.
int job_follow(session *s, const char *id, json_t **job);
/// What to ask for by the extension of a result file; NULL after a line when it names no format.
const char *result_media_type(const char *path);
/// Fetches the result in the format that the extension of `path` names (.npz, .json, .csv).
int result_fetch(session *s, const char *id, const char *path);

#endif
