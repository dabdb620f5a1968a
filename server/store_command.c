// tendrild store migrate | copy | check: what an operator does with a PostgreSQL store besides serving from it.
//
// Each opens the store as a node that runs nothing, with a folder of its own for what is on its way, which goes with it.
#include "store_command.h"
#include "base/config.h"
#include "base/log/log.h"
#include "command_line.h"
#include "store/copy/copy.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: tendrild store migrate --store URL | --data DIR\n"
    "       tendrild store copy --from DIR --to URL [--results SHARED]\n"
    "       tendrild store check --store URL [--results SHARED] [--quick]\n\n"
    "migrate  brings the schema of a database (or data folder) up to date, and ends. Servers do so by themselves when "
    "they\n"
    "         start; this is for operators who give them a role that may not (deploy/postgresql/roles.sql). Nodes of "
    "the\n"
    "         version before go on working meanwhile and afterwards, unless it says that they cannot.\n"
    "copy     copies everything from a data folder into an empty database: models with their revisions, jobs, events,\n"
    "         sweeps, keys, tokens, results, what is kept of unfinished jobs. Its server must be stopped, and no node "
    "work\n"
    "         with the database. Checksums are compared on the way, counts at the end. After an interruption run it "
    "again:\n"
    "         it goes on; after a whole copy it compares and changes nothing. DIR stays as it is, to go back to.\n"
    "check    compares what can be compared: counts with rows; documents with their names; jobs (document, labels,\n"
    "         model, priority, owner), request keys, tokens and events with their digests, where they were written by\n"
    "         a version that makes some; logs with the states and attempts of their jobs; results and checkpoints\n"
    "         with their checksums (--quick: results by their sizes). It cannot see what somebody changed by SQL in\n"
    "         times, progress, errors, queues and parents of jobs and in the index of labels, a digest that was\n"
    "         taken away, nor that a job outside of sweeps, a token, or a remark or progress of a log was deleted.\n"
    "         Nothing is changed; servers may be working. A database without a schema, or with an older one, is\n"
    "         refused: see migrate. Of a data folder: tendrild check.\n\n"
    "URL is postgresql://user@host/database, as libpq has it; give its password in a file (PGPASSFILE, passfile=…).\n"
    "SHARED is the folder of results that the servers are given by --results; without it results are in the "
    "database.\n\n"
    "    tendrild store copy --from /var/lib/tendril --to postgresql://tendril@db/tendril\n"
    "    tendrild store check --store postgresql://tendril@db/tendril\n"
    "    tendrild --store postgresql://tendril@db/tendril\n\n"
    "On its way it needs room in TMPDIR (/tmp) for the largest result.\n"
    "Exit: 0 done or all is well, 1 refused, failed or something is wrong, 2 wrong usage.\n";

typedef struct words {
  const char *command, *store, *data, *from, *to, *results;
  bool quick;
} words;

static int fail(const words *w, int status, const char *text) {
  char line[1000];
  snprintf(line, sizeof line, "%s", text);
  command_printable(line);
  return fprintf(stderr, "tendrild store%s%s: %s\n", w->command ? " " : "", w->command ? w->command : "", line), status;
}

// ------------------------------------------------------------------------------------------------------------- a store

typedef struct visitor {
  char folder[256]; // of what is on its way
  store *s;
} visitor;

static bool enter(visitor *v, store_where where, char message[STORE_MESSAGE_SIZE]) {
  const char *base = getenv("TMPDIR");
  snprintf(v->folder, sizeof v->folder, "%.200s/tendril-store-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(v->folder)) {
    snprintf(message, STORE_MESSAGE_SIZE, "%.200s cannot be made: set TMPDIR to a folder with room", v->folder);
    return false;
  }
  where.folder = v->folder;
  v->s = store_open_at(&where, message);
  return v->s != NULL;
}

static void leave(visitor *v) {
  static const char *const names[] = {"tmp", "parts", "lock", "node", NULL};
  char path[300];
  store_close(v->s);
  for (int i = 0; names[i]; i++) {
    snprintf(path, sizeof path, "%s/%s", v->folder, names[i]);
    if (unlink(path) != 0) rmdir(path);
  }
  rmdir(v->folder);
}

// ------------------------------------------------------------------------------------------------------------ commands

static int migrate(const words *w) {
  char message[STORE_MESSAGE_SIZE] = "";
  visitor v = {.s = NULL};
  if (!w->store == !w->data) return fail(w, COMMAND_USAGE, "name a database by --store URL or a folder by --data DIR");
  if (w->data) {
    v.s = store_open(w->data, message);
    if (!v.s) return fail(w, COMMAND_REFUSED, message);
    store_close(v.s);
    printf("%s: the schema is up to date\n", w->data);
    return COMMAND_DONE;
  }
  int64_t version = 0, least = 0;
  bool done =
      enter(&v, (store_where){.rows = w->store, .any_results = true}, message) && store_schema(v.s, &version, &least);
  leave(&v);
  if (!done) return fail(w, COMMAND_REFUSED, *message ? message : "the schema cannot be read: the log says why");
  printf("the schema is of version %" PRId64 "; programs that know %" PRId64 " may work with it\n", version, least);
  return COMMAND_DONE;
}

static int copy(const words *w) {
  char message[STORE_MESSAGE_SIZE] = "", rows[PATH_MAX];
  visitor v = {.s = NULL};
  if (!w->from || !w->to) return fail(w, COMMAND_USAGE, "say --from DIR and --to URL; --help explains");
  if (access(w->from, R_OK) != 0) {
    snprintf(message, sizeof message, "the folder of --from, %.160s, cannot be read: %s", w->from, strerror(errno));
    return fail(w, COMMAND_REFUSED, message);
  }
  snprintf(rows, sizeof rows, "%s/tendril.db", w->from);
  if (access(rows, F_OK) != 0) {
    snprintf(message, sizeof message, "the folder of --from, %.160s, is no data folder: it has no tendril.db", w->from);
    return fail(w, COMMAND_REFUSED, message);
  }
  store_copy c = {.progress = command_progress, .complain = command_finding};
  c.from = store_open(w->from, message);
  if (!c.from) return fail(w, COMMAND_REFUSED, message);
  bool done = enter(&v, (store_where){.rows = w->to, .results = w->results}, message);
  c.to = v.s;
  done = done && store_copy_run(&c, message);
  leave(&v);
  store_close(c.from);
  if (!done) return fail(w, COMMAND_REFUSED, message);
  if (c.again)
    printf("it was copied as a whole before, and has not changed: %" PRId64 " jobs are there\n", c.jobs);
  else
    printf("%" PRId64 " models, %" PRId64 " jobs, %" PRId64 " results (%" PRId64 " bytes) and %" PRId64
           " checkpoints are there\n",
           c.models, c.jobs, c.results, c.bytes, c.parts);
  if (c.missing > 0) printf("%" PRId64 " results are lost in %s, too\n", c.missing, w->from);
  return COMMAND_DONE;
}

static int check(const words *w) {
  char message[STORE_MESSAGE_SIZE] = "";
  visitor v = {.s = NULL};
  if (!w->store)
    return fail(w, COMMAND_USAGE, "name the database by --store URL (a folder: tendrild check --data DIR)");
  store_audit a = {.quick = w->quick, .progress = command_progress, .complain = command_finding};
  bool done = enter(&v, (store_where){.rows = w->store, .results = w->results, .as_it_is = true}, message);
  a.s = v.s;
  done = done && store_audit_run(&a, message);
  leave(&v);
  if (!done) return fail(w, COMMAND_REFUSED, message);
  printf("%" PRId64 " jobs, %" PRId64 " results (%" PRId64 " bytes%s), %" PRId64 " checkpoints: ", a.jobs, a.results,
         a.bytes, a.quick ? ", by size" : "", a.parts);
  printf(a.wrong ? "%" PRId64 " things are wrong\n" : "all is well\n", a.wrong);
  if (a.lost) printf("%" PRId64 " results are lost, and callers are told so\n", a.lost);
  if (a.leftovers) printf("%" PRId64 " results of lost attempts will be swept\n", a.leftovers);
  return a.wrong ? COMMAND_REFUSED : COMMAND_DONE;
}

// -------------------------------------------------------------------------------------------------------- command line

static bool take_word(words *w, int argc, char **argv, int *i) {
  const struct {
    const char *flag, **value;
  } flags[] = {
      {"--store", &w->store}, {"--data", &w->data}, {"--from", &w->from}, {"--to", &w->to}, {"--results", &w->results}};
  if (strcmp(argv[*i], "--quick") == 0) return w->quick = true;
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
    if (command_flag(argv, argc, i, flags[k].flag, flags[k].value)) return true;
  return false;
}

static const struct {
  const char *name;
  int (*run)(const words *w);
} commands[] = {{"migrate", migrate}, {"copy", copy}, {"check", check}};

// What names a database does so by a URL, wherever it stands.
static bool check_words(words *w, char message[CONFIG_MESSAGE_SIZE]) {
  const char *variable = getenv("TENDRIL_STORE");
  if (w->store && !config_check_store(w->store, "--store", message)) return false;
  if (w->to && !config_check_store(w->to, "--to", message)) return false;
  if (w->store || !variable || !*variable) return true;
  return w->store = variable, config_check_store(variable, "TENDRIL_STORE", message);
}

int store_command(int argc, char **argv) {
  words w = {.command = NULL};
  char message[CONFIG_MESSAGE_SIZE] = "";
  if (command_asks_for_help(argc, argv)) return fputs(usage, stdout), COMMAND_DONE;
  for (int i = 2; i < argc; i++)
    if (!take_word(&w, argc, argv, &i)) return fail(&w, COMMAND_USAGE, "these words mean nothing here; see --help");
  if (!check_words(&w, message)) return fail(&w, COMMAND_USAGE, message);
  if (!w.results) w.results = getenv("TENDRIL_RESULTS");
  log_set_level(LOG_LEVEL_WARNING);
  for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
    if (strcmp(argv[1], commands[i].name) == 0) return w.command = argv[1], commands[i].run(&w);
  return fail(&w, COMMAND_USAGE, "say migrate, copy or check; --help explains");
}
