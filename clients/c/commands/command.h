// A sub-command is a row: its words, what the help says, its options and one function. Adding one is adding a file
// and a row in main.c. Everything that goes over the wire goes through the client library.
#ifndef TENDRIL_CLIENT_COMMAND_H
#define TENDRIL_CLIENT_COMMAND_H

#include "base/options.h"
#include "tendril_client.h"
#include <jansson.h>

struct command;

typedef struct session {
  tendril_client *client;
  bool json;                             ///< --json: machine-readable output on stdout
  double every_s;                        ///< a job that is followed is told of at least so often, 0: as usual
  const tendril_options *wishes;         ///< that the client was opened with, for who needs a second one
  const struct command *const *commands; ///< all, ended by NULL
  const option_row *common;              ///< options of every command
} session;

typedef struct command {
  const char *group;     ///< "models" of `tendril models put`, NULL for commands of one word
  const char *name;      ///< "put"
  const char *arguments; ///< "FILE.model.json"
  const char *summary;   ///< one line for the list of commands
  const char *help;      ///< what a newcomer needs, with an example
  int least, most;       ///< number of positional arguments
  bool offline;          ///< needs no server: session.client is NULL
  option_row options[OPTION_LIMIT];
  int (*run)(session *, const options *); ///< returns an exit status
} command;

extern const command command_ready;
extern const command command_models_put, command_models_get, command_models_list, command_models_delete,
    command_models_revisions;
extern const command command_evaluate;
extern const command command_watch, command_jobs_submit, command_jobs_list, command_jobs_get, command_jobs_watch,
    command_jobs_cancel, command_jobs_retry, command_jobs_delete;
extern const command command_token_create, command_token_list, command_token_delete;
extern const command command_nodes_list, command_nodes_drain, command_nodes_resume;
extern const command command_run, command_result, command_found, command_plot, command_examples, command_simulate,
    command_validate, command_import, command_completion, command_sweep, command_replay, command_export,
    command_umbridge;

// ------------------------------------------------------------------------------------------------ shared by commands

/// Says what went wrong, where, and what to do about it; returns the exit status for it.
int report(const tendril_error *err);
/// The same for a document that was sent as it stands in a file: with the line of what is wrong.
/// Errors of a refusal one by one: each as an error of its own.
int error_count(const tendril_error *err);
tendril_error error_alone(const tendril_error *err, int i);
int report_in(const tendril_error *err, const char *path, const char *text, size_t size);
/// True when `text` can be a name or id (a revision "@3" may follow); otherwise says so.
bool name_check(const char *what, const char *text);
/// "cdm@1" of a job's model.
const char *job_model(const tendril_job *job, char *out, size_t size);
/// Warnings of a model or job, a line each on stderr; the second begins each with the job's id.
void say_warnings(int count, const tendril_warning *list);
void say_warnings_of(const char *id, int count, const tendril_warning *list);
/// What -o takes, for the help of the commands that have it.
#define OUTPUT_HELP                                                                                                    \
  "FILE is written under another name and then renamed, so it is never incomplete. A symlink is followed; a FIFO "     \
  "or\ndevice is written directly.\n"                                                                                  \
  "-o - writes to standard output, binary formats not to a terminal.\n"
/// The last reply on one line of stdout, or the whole text as it came.
void print_reply(const session *s);

typedef enum follow_by {
  FOLLOW_BAR,   ///< a bar on a terminal, else lines
  FOLLOW_LINES, ///< lines of several jobs: each begins with the job's id
  FOLLOW_EVENTS ///< the events as JSON on stdout
} follow_by;

/// The option of commands that follow a job.
#define FOLLOW_EVERY                                                                                                   \
  { "every", 0, "S", "without a terminal: a line at least every S seconds (30, growing to 300)" }

/// Follows a job to its end, on stderr unless by events. *job receives its last state; the warnings that it holds
/// before (none where warning_count is 0) are not said again. Ctrl-C leaves the job running on
/// the server and says how to follow it. Several threads may follow a job each, with a session each.
int job_follow(session *s, const char *id, follow_by how, tendril_job *job);

/// The format that --format names, else the extension of `path` (.npz, .json, .csv); NPZ without a path and for what
/// is no regular file. False after a line when it is none.
bool format_choose(const options *o, const char *path, tendril_format *format);
/// ".npz"
const char *format_extension(tendril_format format);

#endif
