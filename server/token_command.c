// The data folder is opened as a server opens it, lock included, so that the two never meet. A new token is all that
// goes to
// stdout: TOKEN=$(tendrild token create …).
#include "token_command.h"
#include "base/clock.h"
#include "base/config.h"
#include "base/log/log.h"
#include "codec/document/job/job.h"
#include "command_line.h"
#include "service/access/auth.h"
#include "store/store.h"

#include <stdio.h>
#include <string.h>

enum { DONE = 0, REFUSED = 1, USAGE = 2, WORDS_MAX = 32 };

typedef struct request {
  config config;
  const char *name, *scope, *owner, *from, *to;
  bool force;
  char *rest[WORDS_MAX]; // of config_read
  int count;
} request;

static const char usage[] =
    "usage: tendrild token create [--data DIR] [--name NAME] [--scope read|run|admin] [--owner OWNER]\n"
    "       tendrild token list   [--data DIR]\n"
    "       tendrild token delete [--data DIR] --name NAME [--force]\n"
    "       tendrild token clear  [--data DIR]\n"
    "       tendrild adopt        [--data DIR] [--from OWNER] --to OWNER\n\n"
    "Tokens of a data folder whose server is stopped (while it serves: `tendril token`). create prints the token, "
    "which is\n"
    "kept nowhere: only its SHA-256 is. A folder in which a token was ever made asks every caller for one, until "
    "clear.\n"
    "read looks, run also computes and changes models and jobs, admin (default) also makes and deletes tokens. Without "
    "a\n"
    "name the token is called as its scope: admin, admin-2, ...\n"
    "What a token makes belongs to its owner, which is its name unless --owner says otherwise; run sees its owner's, "
    "admin\n"
    "everybody's, read everybody's or, with --owner, that owner's. The last admin token is deleted only with --force.\n"
    "adopt gives all jobs and models of one owner to another; \"none\" is nobody, whose models all share, and who owns "
    "what\n"
    "was made without tokens (--from none is the default).\n"
    "--config FILE and TENDRIL_DATA name the folder as they do for the server.\n"
    "--store URL (TENDRIL_STORE, a file's \"store\") takes the tokens of a database instead; its servers may be "
    "working then,\n"
    "and know of it after two seconds at the most. DIR has to be a folder that no server uses.\n"
    "Exit: 0 done, 1 refused, 2 wrong usage or folder.\n";

static int fail(int status, const char *text) { return fprintf(stderr, "tendrild token: %s\n", text), status; }

// ------------------------------------------------------------------------------------------------------------ commands

// Under the name given, or else the first of "admin", "admin-2", … that is free.
static bool make(auth *a, const request *r, auth_scope scope, char token[AUTH_TOKEN_SIZE], store_token *made,
                 fault *f) {
  char name[STORE_NAME_SIZE];
  if (r->name) return auth_token_create(a, r->name, scope, r->owner, token, made, f);
  snprintf(name, sizeof name, "%s", r->scope);
  for (int n = 2; !auth_token_create(a, name, scope, r->owner, token, made, f); n++) {
    if (f->code != PROBLEM_ALREADY_EXISTS) return false;
    snprintf(name, sizeof name, "%s-%d", r->scope, n);
  }
  return true;
}

static int create(request *r, store *s, auth *a) {
  fault f;
  auth_scope scope;
  store_token made;
  char token[AUTH_TOKEN_SIZE];
  (void)s;
  if (!r->scope) r->scope = "admin";
  if (!auth_scope_find(r->scope, &scope)) {
    fprintf(stderr, "tendrild token: --scope is \"%.80s\", not read, run or admin\n", r->scope);
    return USAGE;
  }
  if (!make(a, r, scope, token, &made, &f)) return fail(f.code == PROBLEM_INVALID_ARGUMENT ? USAGE : REFUSED, f.detail);
  printf("%s\n", token);
  explicit_bzero(token, sizeof token);
  fprintf(stderr, "token \"%s\" (%s) made; it is shown this once\n", made.name, made.scope);
  return DONE;
}

static void print_token(void *context, const store_token *t) {
  char time[CLOCK_TEXT_SIZE];
  (void)context;
  clock_format(t->created_ms, time);
  bool other = strcmp(t->owner, t->name) != 0 && *t->owner;
  printf("%s  %-5s  %s  %s%s%s\n", t->id, t->scope, time, t->name, other ? "  owner " : "", other ? t->owner : "");
}

static int list(request *r, store *s, auth *a) {
  bool ever;
  store_visit visit = {.token = print_token};
  (void)r, (void)a;
  if (store_token_list(s, &visit, &ever) != STORE_OK) return fail(REFUSED, "the tokens cannot be read");
  if (auth_count(a) == 0)
    fprintf(stderr,
            ever ? "no token is left: nobody may call (create makes one, clear opens the server to this machine)\n"
                 : "no token was ever made: every program of this machine may call\n");
  return DONE;
}

static int delete (request *r, store *s, auth *a) {
  fault f;
  (void)s;
  if (!r->name) return fail(USAGE, "delete needs --name NAME");
  return auth_token_delete(a, r->name, r->force, &f) ? DONE : fail(REFUSED, f.detail);
}

static int clear(request *r, store *s, auth *a) {
  (void)r, (void)a;
  return store_token_clear(s) == STORE_OK ? DONE : fail(REFUSED, "the tokens cannot be deleted");
}

static bool read_owner(const char *flag, const char *word, const char **owner) {
  *owner = !word || strcmp(word, AUTH_NOBODY) == 0 ? "" : word;
  if (!**owner || codec_name_valid(*owner)) return true;
  return fprintf(stderr, "tendrild adopt: %s is \"%.80s\", not a name: [A-Za-z0-9][A-Za-z0-9_.-]{0,62}\n", flag, word),
         false;
}

static int adopt(request *r, store *s, auth *a) {
  const char *from, *to;
  int64_t jobs = 0, models = 0, kept = 0;
  (void)a;
  if (!r->to) return fail(USAGE, "adopt needs --to OWNER");
  if (!read_owner("--from", r->from, &from) || !read_owner("--to", r->to, &to)) return USAGE;
  if (strcmp(from, to) == 0) return fail(USAGE, "--from and --to are the same");
  if (store_adopt(s, from, to, &jobs, &models, &kept) != STORE_OK) return fail(REFUSED, "nothing could be given");
  fprintf(stderr, "%lld jobs and %lld models given to %s\n", (long long)jobs, (long long)models, *to ? to : "nobody");
  if (kept > 0) fprintf(stderr, "%lld models stay: the new owner has models of their names\n", (long long)kept);
  return DONE;
}

static const struct {
  const char *name;
  int (*run)(request *r, store *s, auth *a);
} commands[] = {{"create", create}, {"list", list}, {"delete", delete}, {"clear", clear}, {"adopt", adopt}};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

// -------------------------------------------------------------------------------------------------------- command line

// Own flags, and all others to the configuration.
static bool read_request(request *r, int argc, char **argv) {
  char message[CONFIG_MESSAGE_SIZE] = "";
  r->rest[r->count++] = argv[0];
  for (int i = 1; i < argc && r->count < WORDS_MAX; i++)
    if (strcmp(argv[i], "--force") == 0)
      r->force = true;
    else if (!command_flag(argv, argc, &i, "--name", &r->name) && !command_flag(argv, argc, &i, "--scope", &r->scope) &&
             !command_flag(argv, argc, &i, "--owner", &r->owner) && !command_flag(argv, argc, &i, "--from", &r->from) &&
             !command_flag(argv, argc, &i, "--to", &r->to))
      r->rest[r->count++] = argv[i];
  if (config_read(r->count, r->rest, &r->config, message) == CONFIG_READY) return true;
  return fail(USAGE, *message ? message : "these options mean nothing here; see --help"), false;
}

static int run(request *r, int command) {
  char message[STORE_MESSAGE_SIZE] = "";
  auth_options options = {.hosts = "", .tokens_each = r->config.tokens_each};
  const store_where where = {.folder = r->config.data, .rows = *r->config.store ? r->config.store : NULL};
  store *s = store_open_at(&where, message);
  if (!s) {
    bool busy = strstr(message, "in use") != NULL;
    fprintf(stderr, "tendrild token: %s%s\n", message, busy ? "; ask it: `tendril token`" : "");
    return USAGE;
  }
  auth *a = auth_create(s, &options);
  int status = a ? commands[command].run(r, s, a) : fail(REFUSED, "the tokens cannot be read");
  auth_destroy(a);
  store_close(s);
  return status;
}

// `tendrild token WORD …` and `tendrild adopt …`: argv[0] is the word before the flags, as in "token create".
static int run_words(const char *word, int argc, char **argv) {
  static request r;
  log_set_level(LOG_LEVEL_WARNING); // stdout and stderr speak to a person
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(word, commands[i].name) == 0) return read_request(&r, argc, argv) ? run(&r, i) : USAGE;
  return fail(USAGE, "say create, list, delete or clear; --help explains");
}

int token_command(int argc, char **argv) {
  if (command_asks_for_help(argc, argv)) return fputs(usage, stdout), DONE;
  if (argc < 2 || strcmp(argv[1], "adopt") == 0) return run_words("", argc, argv);
  return run_words(argv[1], argc - 1, argv + 1);
}

int adopt_command(int argc, char **argv) {
  return command_asks_for_help(argc, argv) ? (fputs(usage, stdout), DONE) : run_words("adopt", argc, argv);
}
