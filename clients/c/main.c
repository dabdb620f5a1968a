// tendril: the command line of a Tendril server. One table of sub-commands; each row carries its own options and help.
// Exit status: 0 fine, 1 the job failed, the server refused or the output cannot be written, 2 wrong usage or a file
// that cannot be read, 3 no server. A pipe that nobody reads any more ends it by SIGPIPE and without a word, as it
// ends others.
#include "base/interrupt.h"
#include "base/near.h"
#include "base/say.h"
#include "base/table.h"
#include "commands/command.h"
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const command *const commands[] = {&command_examples,
                                          &command_run,
                                          &command_sweep,
                                          &command_found,
                                          &command_plot,
                                          &command_replay,
                                          &command_evaluate,
                                          &command_simulate,
                                          &command_validate,
                                          &command_import,
                                          &command_result,
                                          &command_export,
                                          &command_watch,
                                          &command_models_put,
                                          &command_models_get,
                                          &command_models_list,
                                          &command_models_delete,
                                          &command_models_revisions,
                                          &command_jobs_submit,
                                          &command_jobs_list,
                                          &command_jobs_get,
                                          &command_jobs_watch,
                                          &command_jobs_cancel,
                                          &command_jobs_retry,
                                          &command_jobs_delete,
                                          &command_token_create,
                                          &command_token_list,
                                          &command_token_delete,
                                          &command_nodes_list,
                                          &command_nodes_drain,
                                          &command_nodes_resume,
                                          &command_umbridge,
                                          &command_ready,
                                          &command_completion,
                                          NULL};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands - 1 };

static const option_row common_options[] = {
    {"url", 'u', "URL", "the server (default: TENDRIL_URL, else 127.0.0.1:8080)"},
    {"json", 'j', NULL, "machine-readable output on standard output"},
    {"help", 'h', NULL, "this text"},
    {0},
};

static void print_name(FILE *to, const command *c) {
  char words[96];
  snprintf(words, sizeof words, "%s%s%s %s", c->group ? c->group : "", c->group ? " " : "", c->name, c->arguments);
  int room = 34 - table_characters(words);
  fprintf(to, "  %s%*s %s\n", words, room > 0 ? room : 0, "", c->summary);
}

// Asked for it is the answer, on stdout; where a command is missing, a remark.
static int print_overview(const char *group, bool asked) {
  FILE *to = asked ? stdout : stderr;
  if (!group)
    fprintf(to, "tendril: simulate soft robots on a Tendril server\n\nFirst steps, with `tendrild` running:\n"
                "  tendril examples cdm                writes cdm.model.json and cdm.job.json\n"
                "  tendril run cdm.job.json            computes it on the server, leaves cdm.npz\n"
                "  tendril plot cdm.npz -o cdm.png     draws curves and shapes\n\n"
                "From measurements to a robot's numbers (`tendril examples tentacle-fit` has a job to look at):\n"
                "  tendril run tentacle-fit.job.json   fits them on the server, prints them with their deviations\n"
                "  tendril found tentacle-fit.npz --model fitted.json     writes the robot with them\n\n");
  fprintf(to, "Usage: tendril %s%sCOMMAND [options]\n\nCommands:\n", group ? group : "", group ? " " : "");
  for (int i = 0; i < COMMAND_COUNT; ++i)
    if (!group || (commands[i]->group && strcmp(group, commands[i]->group) == 0)) print_name(to, commands[i]);
  fprintf(to, "\nOptions of every command:\n");
  options_print(to, common_options);
  fprintf(
      to,
      "\n`tendril COMMAND --help` explains one command. TENDRIL_URL names the server, TENDRIL_TOKEN the token to "
      "send,\nTENDRIL_CA_FILE the certificates (PEM) to trust instead of the system's.\n"
      "Exit status: 0 fine, 1 the job failed, was refused, or the output cannot be written, 2 wrong usage or a file "
      "that "
      "cannot be\nread, 3 no server, 130 interrupted; a closed pipe ends it quietly by SIGPIPE (141 in a shell).\n");
  return asked ? EXIT_OK : EXIT_USAGE;
}

static int print_help(const command *c) {
  printf("Usage: tendril %s%s%s%s%s [options]\n\n%c%s.\n\n%s\n\nOptions:\n", c->group ? c->group : "",
         c->group ? " " : "", c->name, *c->arguments ? " " : "", c->arguments, c->summary[0] - 'a' + 'A',
         c->summary + 1, c->help);
  options_print(stdout, c->options);
  options_print(stdout, common_options);
  return EXIT_OK;
}

static bool is_group(const char *word) {
  for (int i = 0; i < COMMAND_COUNT; ++i)
    if (commands[i]->group && strcmp(commands[i]->group, word) == 0) return true;
  return false;
}

static const command *find(const char *group, const char *name) {
  for (int i = 0; i < COMMAND_COUNT; ++i) {
    const char *own = commands[i]->group;
    bool same_group = group ? own && strcmp(group, own) == 0 : !own;
    if (same_group && strcmp(name, commands[i]->name) == 0) return commands[i];
  }
  return NULL;
}

// Commands that wait for a job wait longer for its server than others.
static bool read_patience(const options *o, double *patience_s) {
  long seconds;
  bool follows = options_has(o, "patience");
  if (follows && !options_integer(o, "patience", 0, 1000000, 300, &seconds)) return false;
  *patience_s = !follows ? 10 : seconds > 0 ? (double)seconds : -1;
  return true;
}

static int invoke(const command *c, const options *o) {
  tendril_error err;
  tendril_options wishes = {.url = options_get(o, "url"), .stop = interrupted};
  long every = 0;
  if (!read_patience(o, &wishes.patience_s)) return EXIT_USAGE;
  if (options_has(o, "every") && !options_integer(o, "every", 1, 86400, 0, &every)) return EXIT_USAGE;
  session s = {.json = options_get(o, "json") != NULL,
               .every_s = (double)every,
               .wishes = &wishes,
               .commands = commands,
               .common = common_options};
  if (!c->offline) s.client = tendril_open(&wishes, &err);
  if (!c->offline && !s.client) return report(&err);
  int result = c->run(&s, o);
  tendril_close(s.client);
  return result;
}

static int start(const command *c, int argc, char **argv) {
  option_row rows[2 * OPTION_LIMIT] = {0};
  int count = 0;
  for (const option_row *row = c->options; row->name; ++row) rows[count++] = *row;
  for (const option_row *row = common_options; row->name; ++row) rows[count++] = *row;
  options parsed;
  if (!options_parse(&parsed, rows, argc, argv)) return EXIT_USAGE;
  if (options_get(&parsed, "help")) return print_help(c);
  if (parsed.count < c->least || parsed.count > c->most) {
    say_error("usage: tendril %s%s%s %s (--help explains)", c->group ? c->group : "", c->group ? " " : "", c->name,
              c->arguments);
    return EXIT_USAGE;
  }
  return invoke(c, &parsed);
}

static bool asks_for_help(const char *word) {
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int refuse_command(const char *group, const char *word) {
  near_search near = near_to(word, strlen(word));
  for (int i = 0; i < COMMAND_COUNT; ++i) {
    const char *own = commands[i]->group;
    if (group && own ? strcmp(own, group) == 0 : own == group) near_try(&near, commands[i]->name);
  }
  const char *before = group ? group : "", *gap = group ? " " : "";
  if (near.best)
    say_error("there is no command '%s%s%s': did you mean `tendril %s%s%s`?", before, gap, word, before, gap,
              near.best);
  else
    say_error("there is no command '%s%s%s'; `tendril --help` lists them", before, gap, word);
  return EXIT_USAGE;
}

// argv without the program's name: [group] command …; "help …" reads like "… --help".
static int dispatch(int argc, char **argv) {
  bool help = argc > 0 && asks_for_help(argv[0]);
  if (help) --argc, ++argv;
  if (argc == 0) return print_overview(NULL, help);
  if (strcmp(argv[0], "--version") == 0) return printf("tendril %s\n", TENDRIL_VERSION), EXIT_OK;
  const char *group = is_group(argv[0]) ? argv[0] : NULL;
  if (group && (argc == 1 || asks_for_help(argv[1]))) return print_overview(group, help || argc > 1);
  int words = group ? 2 : 1;
  const command *c = find(group, argv[words - 1]);
  if (!c) {
    return refuse_command(group, argv[words - 1]);
  }
  return help ? print_help(c) : start(c, argc - words, argv + words);
}

// Options may stand before the command too: `tendril --url X run job.json`. Moves them behind it.
static int dispatch_reordered(int argc, char **argv) {
  char **words = must_alloc((size_t)(argc + 1) * sizeof *words);
  int lead = 0, count = 0;
  while (lead < argc && argv[lead][0] == '-' && !asks_for_help(argv[lead]) && strcmp(argv[lead], "--version") != 0)
    lead += strcmp(argv[lead], "--url") == 0 || strcmp(argv[lead], "-u") == 0 ? 2 : 1;
  if (lead > argc) lead = argc;
  for (int i = lead; i < argc; ++i) words[count++] = argv[i];
  for (int i = 0; i < lead; ++i) words[count++] = argv[i];
  int result = dispatch(lead < argc ? argc : 0, words);
  free(words);
  return result;
}

// stdio forgets why; the pipe itself still knows.
static bool nobody_reads(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

static int end_by_closed_pipe(void) {
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
  return EXIT_CLOSED;
}

static int finish(int result) {
  errno = 0;
  bool flushed = fflush(stdout) == 0;
  if (result == EXIT_CLOSED) return end_by_closed_pipe();
  if (flushed && !ferror(stdout)) return result;
  int number = errno;
  if (nobody_reads()) return end_by_closed_pipe();
  say_error("cannot write standard output%s%s", number ? ": " : "", number ? strerror(number) : "");
  return EXIT_FAILED;
}

int main(int argc, char **argv) {
  setlocale(LC_CTYPE, "");
  signal(SIGPIPE, SIG_IGN);
  return finish(dispatch_reordered(argc - 1, argv + 1));
}
