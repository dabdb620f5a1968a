// A backup is a data folder; restoring is a backup of the backup, after a check. Nothing here takes the server's lock.
#include "folder_command.h"
#include "base/config.h"
#include "base/log/log.h"
#include "command_line.h"
#include "store/folder/backup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 32 };

typedef struct request {
  config config;
  const char *command, *folder, *previous; // folder: the word without a flag
  bool copy, quick, force;
  char *rest[WORDS_MAX]; // of config_read
  int count;
} request;

static const char backup_usage[] =
    "usage: tendrild backup TO [--data DIR] [--previous BACKUP] [--copy]\n\n"
    "Copies a data folder to the new folder TO as it was at one moment, while its server goes on working: the "
    "database, all\n"
    "results, and how far unfinished jobs have come. On the same file system results are hard links, which take no "
    "room (a\n"
    "result never changes); --copy makes copies, which survive damage to the first ones. To another file system they "
    "are\n"
    "copied; with --previous, what an earlier backup there has already is linked to it.\n\n"
    "    tendrild backup /backup/$(date +%F) --data /var/lib/tendril --previous /backup/$(date -d yesterday +%F)\n\n"
    "TO is complete once tendril.db is in it. It can be served as it is: tendrild --data TO\n"
    "--config FILE and TENDRIL_DATA name the data folder as they do for the server.\n"
    "Exit: 0 done, 1 refused, 2 wrong usage.\n";

static const char restore_usage[] = "usage: tendrild restore BACKUP [--data DIR] [--copy] [--force]\n\n"
                                    "Checks a backup (see `tendrild check`) and makes the data folder DIR from it, "
                                    "which must be new or empty: move the old\n"
                                    "one away first. Jobs that were waiting or running when the backup was made run "
                                    "when a server starts; tokens are those of\n"
                                    "that time. --force takes a backup that the check complains about.\n"
                                    "Exit: 0 done, 1 refused or damaged, 2 wrong usage.\n";

static const char check_usage[] = "usage: tendrild check [--data DIR] [--quick]\n\n"
                                  "Compares everything in a data folder, or a backup of one, with its checksums: the "
                                  "database's pages, indices and references,\n"
                                  "every result, what is kept of unfinished jobs. Files that no job knows are named, "
                                  "too. Nothing is changed; a server may be "
                                  "working in it. --quick compares the\n"
                                  "sizes of results instead of their contents.\n"
                                  "Prints a line for each thing that is wrong, and a last one with counts.\n"
                                  "Exit: 0 all is well, 1 something is damaged or cannot be read, 2 wrong usage.\n";

static int fail(const request *r, int status, const char *text) {
  char line[1000];
  snprintf(line, sizeof line, "%s", text);
  command_printable(line);
  return fprintf(stderr, "tendrild %s: %s\n", r->command, line), status;
}

// ------------------------------------------------------------------------------------------------------------ commands

static int backup(request *r, const char *from, const char *to) {
  char message[STORE_MESSAGE_SIZE] = "";
  store_backup b = {.from = from, .to = to, .previous = r->previous, .copy = r->copy, .progress = command_progress};
  if (!store_backup_make(&b, message)) return fail(r, COMMAND_REFUSED, message);
  printf("%s: %" PRId64 " jobs, %" PRId64 " results (%" PRId64 " files linked, %" PRId64 " bytes copied)\n", to, b.jobs,
         b.results, b.linked, b.copied_bytes);
  if (b.lost > 0)
    fprintf(stderr, "tendrild %s: %" PRId64 " results are missing in %s, too\n", r->command, b.lost, from);
  return COMMAND_DONE;
}

static int check(request *r, const char *folder, bool quick) {
  char message[STORE_MESSAGE_SIZE] = "";
  store_check c = {.folder = folder, .quick = quick, .complain = command_finding, .progress = command_progress};
  if (!store_check_run(&c, message)) return fail(r, COMMAND_REFUSED, message);
  printf("%s: %" PRId64 " jobs, %" PRId64 " results (%" PRId64 " bytes%s), %" PRId64 " kept parts: %s", folder, c.jobs,
         c.results, c.bytes, quick ? ", by size" : "", c.parts, c.damaged ? "" : "all is well\n");
  if (c.strays)
    printf("%" PRId64 " files belong to no job (a server that starts sets results aside in lost+found)\n", c.strays);
  if (c.damaged) printf("%" PRId64 " things are wrong\n", c.damaged);
  return c.damaged ? COMMAND_REFUSED : COMMAND_DONE;
}

static int restore(request *r) {
  int found = check(r, r->folder, false);
  if (found != COMMAND_DONE && !r->force)
    return fail(r, found, "nothing was restored; another backup may be whole, --force takes this one");
  return backup(r, r->folder, r->config.data);
}

// -------------------------------------------------------------------------------------------------------- command line

static bool take_switch(const char *word, const char *flag, bool *on) {
  if (strcmp(word, flag) != 0) return false;
  return *on = true;
}

// Own words, and all others to the configuration. The folder is a word that is neither a flag nor behind one.
static bool take_word(request *r, int argc, char **argv, int *i) {
  if (command_flag(argv, argc, i, "--previous", &r->previous) || take_switch(argv[*i], "--copy", &r->copy) ||
      take_switch(argv[*i], "--quick", &r->quick) || take_switch(argv[*i], "--force", &r->force))
    return true;
  if (argv[*i][0] == '-' || r->folder) return false;
  r->folder = argv[*i];
  return true;
}

static int read_request(request *r, int argc, char **argv, bool wants_folder) {
  char message[CONFIG_MESSAGE_SIZE] = "";
  r->command = argv[0];
  r->rest[r->count++] = argv[0];
  for (int i = 1; i < argc && r->count + 2 < WORDS_MAX; i++) {
    if (take_word(r, argc, argv, &i)) continue;
    r->rest[r->count++] = argv[i];
    bool takes_value = argv[i][0] == '-' && !strchr(argv[i], '=') && i + 1 < argc;
    if (takes_value) r->rest[r->count++] = argv[++i];
  }
  if (config_read(r->count, r->rest, &r->config, message) != CONFIG_READY)
    return fail(r, COMMAND_USAGE, *message ? message : "these options mean nothing here; see --help");
  if (wants_folder && !r->folder) return fail(r, COMMAND_USAGE, "name the folder of the backup; --help explains");
  if (!wants_folder && r->folder) return fail(r, COMMAND_USAGE, "the folder is named by --data DIR; --help explains");
  log_set_level(LOG_LEVEL_WARNING);
  return COMMAND_DONE;
}

int backup_command(int argc, char **argv) {
  static request r;
  if (command_asks_for_help(argc, argv)) return fputs(backup_usage, stdout), COMMAND_DONE;
  int status = read_request(&r, argc, argv, true);
  return status == COMMAND_DONE ? backup(&r, r.config.data, r.folder) : status;
}

int restore_command(int argc, char **argv) {
  static request r;
  if (command_asks_for_help(argc, argv)) return fputs(restore_usage, stdout), COMMAND_DONE;
  int status = read_request(&r, argc, argv, true);
  return status == COMMAND_DONE ? restore(&r) : status;
}

int check_command(int argc, char **argv) {
  static request r;
  if (command_asks_for_help(argc, argv)) return fputs(check_usage, stdout), COMMAND_DONE;
  int status = read_request(&r, argc, argv, false);
  return status == COMMAND_DONE ? check(&r, r.config.data, r.quick) : status;
}
