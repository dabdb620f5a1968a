// The table of settings and the three readers that walk it.
#include "base/config.h"
#include "base/limits.h"
#include "base/url.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
  const char *name; // flag --name, key "name" (with _ for -), variable TENDRIL_NAME
  enum { TEXT, INTEGER, SWITCH } type;
  size_t offset;
  const char *fallback;
  int low, high; // of integers
  const char *argument, *help;
} setting;

static const setting settings[] = {
    {"data", TEXT, offsetof(config, data), "./tendril-data", 0, 0, "DIR", "data folder, created when missing"},
    {"store", TEXT, offsetof(config, store), "", 0, 0, "URL",
     "jobs, models and tokens are kept in this PostgreSQL database (postgresql://…); default: in the data folder"},
    {"results", TEXT, offsetof(config, results), "", 0, 0, "DIR",
     "with --store: results are files of this folder, which all nodes share; default: in the database"},
    {"store-prepare", TEXT, offsetof(config, store_prepare), "on", 0, 0, "on|off",
     "off: --store is a pooler that gives each transaction any session (PgBouncer before 1.21)"},
    {"store-direct", TEXT, offsetof(config, store_direct), "", 0, 0, "URL",
     "behind such a pooler: the database itself, to migrate and to hear of changes"},
    {"store-connections", INTEGER, offsetof(config, store_connections), "8", 3, 64, "N",
     "connections to that database at a time"},
    {"node", TEXT, offsetof(config, node), "", 0, 0, "NAME",
     "what this server is called among those of one database; default: as its machine"},
    {"http", TEXT, offsetof(config, http), "127.0.0.1:8080", 0, 0, "ADDR:PORT",
     "REST address; port 0 picks a free one, \"none\" serves no REST"},
    {"grpc", TEXT, offsetof(config, grpc), "127.0.0.1:8081", 0, 0, "ADDR:PORT",
     "gRPC address; port 0 picks a free one, \"none\" serves no gRPC"},
    {"workers", INTEGER, offsetof(config, workers), "0", 0, LIMIT_WORKERS, "N",
     "worker processes at a time; 0: one per core that this process may use (taskset, CPU limit of a container)"},
    {"until-idle", INTEGER, offsetof(config, until_idle_s), "0", 0, 1 << 20, "N",
     "end, as after SIGTERM, when there was no job for so many seconds; 0: never"},
    {"memory", INTEGER, offsetof(config, memory_mb), "0", 0, 1 << 24, "MIB",
     "memory for what callers send, ask for and do not take; 0: half of the machine's or of the control group's"},
    {"worker-memory", INTEGER, offsetof(config, worker_memory_mb), "4096", 0, 1 << 22, "MIB",
     "address space that one job may take; 0: no limit"},
    {"worker-nice", INTEGER, offsetof(config, worker_nice), "10", 0, 19, "N",
     "steps by which workers are nicer than the server, so that answers go first; jobs take longer on a machine that "
     "is busy with other things: 0 makes them its equals"},
    {"worker", TEXT, offsetof(config, worker), "", 0, 0, "PATH",
     "the worker program; default: tendril-worker in the folder of tendrild"},
    {"threads", INTEGER, offsetof(config, threads), "0", 0, 256, "N",
     "threads that answer requests; 0: one per core, at least 2"},
    {"evaluate-seconds", INTEGER, offsetof(config, evaluate_s), "10", 1, 3600, "N",
     "time that one evaluation may take"},
    {"log-level", TEXT, offsetof(config, log_level), "info", 0, 0, "LEVEL", "debug, info, warning or error"},
    {"log-file", TEXT, offsetof(config, log_file), "", 0, 0, "FILE",
     "lines go to its end; SIGHUP opens it anew; default: stderr"},
    {"retention-days", INTEGER, offsetof(config, retention_days), "0", 0, 36500, "DAYS",
     "jobs are deleted with their results so long after their end; 0: never"},
    {"results-quota", INTEGER, offsetof(config, results_quota_mb), "0", 0, INT_MAX, "MIB",
     "beyond it the oldest results are deleted; 0: none"},
    {"results-quota-per-owner", INTEGER, offsetof(config, results_quota_each_mb), "-1", -1, INT_MAX, "MIB",
     "that much of it for results of one owner, where there are several; 0: all of it; -1: half of it"},
    {"retention-min-days", INTEGER, offsetof(config, retention_min_days), "7", 0, 36500, "DAYS",
     "no result is deleted earlier, whatever the quota: new jobs are refused instead"},
    {"accept-lost-rows", SWITCH, offsetof(config, accept_lost_rows), "false", 0, 0, "",
     "start although many results have no job (they are kept in lost+found)"},
    {"tls-cert", TEXT, offsetof(config, tls_cert), "", 0, 0, "FILE", "certificate (chain) in PEM: serve HTTPS"},
    {"tls-key", TEXT, offsetof(config, tls_key), "", 0, 0, "FILE", "its private key"},
    {"insecure", SWITCH, offsetof(config, insecure), "false", 0, 0, "", "other addresses without TLS or tokens, too"},
    {"shared", SWITCH, offsetof(config, shared), "false", 0, 0, "",
     "every token sees and changes what all have made, as far as its scope allows"},
    {"hosts", TEXT, offsetof(config, hosts), "", 0, 0, "NAME,NAME",
     "names that Host and Origin may have besides localhost"},
    {"results-per-caller", INTEGER, offsetof(config, results_each), "16", 0, LIMIT_STREAMS, "N",
     "results as text or over gRPC being sent to one token, or one address without; 0: all that there are"},
    {"downloads-per-caller", INTEGER, offsetof(config, downloads_each), "256", 0, LIMIT_CONNECTIONS, "N",
     "archives being sent to one of them; 0: as many as connections"},
    {"watchers-per-caller", INTEGER, offsetof(config, watchers_each), "250", 0, LIMIT_WATCHERS, "N",
     "streams of events and long polls of one of them; 0: all that there are"},
    {"queued-per-owner", INTEGER, offsetof(config, queued_each), "25000", 0, LIMIT_JOBS_QUEUED, "N",
     "waiting jobs of one owner; 0: as many as of all"},
    {"queued-mib-per-owner", INTEGER, offsetof(config, queued_mb_each), "1024", 0, 1 << 20, "MIB",
     "their documents; 0: no limit"},
    {"jobs-per-owner", INTEGER, offsetof(config, jobs_each), "1000000", 0, INT_MAX, "N",
     "jobs of one owner that are kept, those of sweeps counted, whatever their state; 0: no bound"},
    {"sweeps-per-owner", INTEGER, offsetof(config, sweeps_each), "100000", 0, INT_MAX, "N",
     "sweeps of one owner that are kept; 0: no bound"},
    {"keys-per-owner", INTEGER, offsetof(config, keys_each), "1000000", 0, INT_MAX, "N",
     "idempotency keys of one owner, which are kept as long as their jobs; 0: no bound"},
    {"models-per-owner", INTEGER, offsetof(config, models_each), "10000", 0, INT_MAX, "N",
     "models of one owner; 0: no bound"},
    {"revisions-per-model", INTEGER, offsetof(config, revisions_each), "10000", 0, INT_MAX, "N",
     "revisions of one model; 0: no bound"},
    {"documents-mib-per-owner", INTEGER, offsetof(config, documents_each_mb), "-1", -1, INT_MAX, "MIB",
     "documents and rows of one owner's models, jobs and keys; 0: no bound; -1: a quarter of the disk"},
    {"tokens-per-owner", INTEGER, offsetof(config, tokens_each), "250", 0, LIMIT_TOKENS, "N",
     "tokens that make things for one owner; 0: no bound"},
    {"slice-seconds", INTEGER, offsetof(config, slice_s), "10", 0, 1 << 20, "N",
     "a job that ran so long makes room for one of an owner who is served less, or of higher priority; 0: never"},
    {"parked-jobs", INTEGER, offsetof(config, parked), "-1", -1, LIMIT_WORKERS, "N",
     "jobs that reach no checkpoint in time and wait for their next slice in memory, stopped; -1: as many as workers, "
     "at least 4"},
    {"max-wall-s", INTEGER, offsetof(config, wall_s), "0", 0, INT_MAX, "N",
     "seconds that one job may run: max_wall_s of those that say none, and no job may ask for more; 0: no limit"},
    {"max-steps", INTEGER, offsetof(config, steps), "200000000", 1, 200000000, "N",
     "equal steps of one job (t_end by h), or samples of its output"},
    {"rate", INTEGER, offsetof(config, rate), "0", 0, 1000000, "N",
     "requests a second of one token, or of one address without; 0: no limit"},
    {"burst", INTEGER, offsetof(config, burst), "0", 0, 1000000, "N", "requests at once; 0: those of a second"},
    {"connections", INTEGER, offsetof(config, connections), "2048", 8, LIMIT_CONNECTIONS, "N",
     "open connections; when there are more, the slowest are closed"},
    {"connections-per-address", INTEGER, offsetof(config, connections_per_address), "-1", -1, LIMIT_CONNECTIONS, "N",
     "open connections of one address, more are closed; 0: no such limit; -1: a quarter of all, loopback without "
     "limit"},
    {"connections-per-caller", INTEGER, offsetof(config, connections_each), "-1", -1, LIMIT_CONNECTIONS, "N",
     "HTTP connections with requests of one token, or one address without; 0: no such limit; -1: a quarter of all"},
    {"waiting-per-caller", INTEGER, offsetof(config, waiting_each), "128", 0, LIMIT_CONNECTIONS, "N",
     "HTTP requests of one of them that wait for a thread, more are refused; 0: no such limit"},
    {"calls-per-caller", INTEGER, offsetof(config, calls_each), "1024", 0, LIMIT_CALLS, "N",
     "gRPC calls at once of one of them; 0: all that there are"},
    {"handshakes-per-address", INTEGER, offsetof(config, handshakes), "-1", -1, 1000000, "N",
     "TLS handshakes of one address in a second, on each face; 0: no limit; -1: 50 for each core, loopback without "
     "limit"},
};
enum { SETTING_COUNT = sizeof settings / sizeof *settings };
_Static_assert((int)SETTING_COUNT <= (int)CONFIG_SETTINGS, "config.source has a place for every setting");

static bool say(char message[CONFIG_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(char message[CONFIG_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, CONFIG_MESSAGE_SIZE, format, values);
  va_end(values);
  for (char *c = message; *c; c++) // one line, whatever is quoted in it
    if (iscntrl((unsigned char)*c)) *c = ' ';
  return false;
}

static bool set_switch(char *field, const char *value, const char *source, char message[CONFIG_MESSAGE_SIZE]) {
  bool on = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
  if (!on && strcmp(value, "false") != 0 && strcmp(value, "0") != 0)
    return say(message, "%s is \"%.80s\", not true or false", source, value);
  memcpy(field, &on, sizeof on);
  return true;
}

bool config_check_store(const char *value, const char *source, char message[CONFIG_MESSAGE_SIZE]) {
  char shown[CONFIG_TEXT_SIZE];
  if (strlen(value) >= sizeof shown)
    return say(message, "%s is longer than %d characters", source, CONFIG_TEXT_SIZE - 1);
  if (url_of_database(value)) return true;
  url_mistaken(value, shown, sizeof shown);
  return say(message, "%s is \"%.80s\", " URL_EXPECTED, source, shown);
}

static bool set(config *c, const setting *s, const char *value, const char *source, char message[CONFIG_MESSAGE_SIZE]) {
  char *field = (char *)c + s->offset;
  snprintf(c->source[s - settings], CONFIG_SOURCE_SIZE, "%s", source);
  if (s->type == TEXT) {
    if (*value && strcmp(s->argument, "URL") == 0 && !config_check_store(value, source, message)) return false;
    if (strlen(value) >= CONFIG_TEXT_SIZE)
      return say(message, "%s is \"%.80s…\", longer than %d characters", source, value, CONFIG_TEXT_SIZE - 1);
    snprintf(field, CONFIG_TEXT_SIZE, "%s", value);
    return true;
  }
  if (s->type == SWITCH) return set_switch(field, value, source, message);
  char *end = NULL;
  errno = 0;
  long number = strtol(value, &end, 10);
  if (end == value || *end || errno || number < s->low || number > s->high)
    return say(message, "%s is \"%.80s\", not an integer from %d to %d", source, value, s->low, s->high);
  memcpy(field, &(int){(int)number}, sizeof(int));
  return true;
}

// "worker-memory" as TENDRIL_WORKER_MEMORY, or as the key "worker_memory".
static const char *spell(const setting *s, const char *prefix, bool upper, char out[64]) {
  snprintf(out, 64, "%s%s", prefix, s->name);
  for (char *p = out + strlen(prefix); *p; p++) *p = *p == '-' ? '_' : upper ? (char)toupper((unsigned char)*p) : *p;
  return out;
}

static bool read_value(config *c, const setting *s, const json_t *value, const char *source,
                       char message[CONFIG_MESSAGE_SIZE]) {
  char number[32];
  if (s->type == SWITCH && json_is_boolean(value))
    return set(c, s, json_is_true(value) ? "true" : "false", source, message);
  if (s->type == TEXT && json_is_string(value)) return set(c, s, json_string_value(value), source, message);
  if (s->type == INTEGER && json_is_integer(value)) {
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
    return set(c, s, number, source, message);
  }
  char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
  if (s->type != INTEGER)
    say(message, "%s is %.80s, not %s", source, text ? text : "?", s->type == TEXT ? "a string" : "true or false");
  else
    say(message, "%s is %.80s, not an integer from %d to %d", source, text ? text : "?", s->low, s->high);
  free(text);
  return false;
}

static bool read_member(config *c, const char *key, const json_t *value, const char *path,
                        char message[CONFIG_MESSAGE_SIZE]) {
  char name[64], source[CONFIG_SOURCE_SIZE];
  snprintf(source, sizeof source, "%.110s: /%.80s", path, key);
  for (int i = 0; i < SETTING_COUNT; i++)
    if (strcmp(spell(&settings[i], "", false, name), key) == 0)
      return read_value(c, &settings[i], value, source, message);
  return say(message, "%s is not a setting", source);
}

static bool read_file(config *c, const char *path, char message[CONFIG_MESSAGE_SIZE]) {
  json_error_t error;
  json_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  if (!file && error.line < 1) return say(message, "--config: %s", error.text);
  if (!file) return say(message, "--config %.120s: %s (line %d)", path, error.text, error.line);
  bool good = json_is_object(file) || say(message, "--config %.120s: not a JSON object", path);
  const char *key;
  json_t *value;
  if (good) json_object_foreach(file, key, value) good = good && read_member(c, key, value, path, message);
  json_decref(file);
  return good;
}

static bool read_environment(config *c, char message[CONFIG_MESSAGE_SIZE]) {
  char name[64];
  bool good = true;
  for (int i = 0; good && i < SETTING_COUNT; i++) {
    const char *value = getenv(spell(&settings[i], "TENDRIL_", true, name));
    good = !value || set(c, &settings[i], value, name, message);
  }
  return good;
}

// The value of a flag "--name VALUE" or "--name=VALUE" at argv[*i], which moves past it. NULL when it is another flag, or
// when another flag stands where the value should ("--data --memory=64" once made a folder of that name).
static const char *flag_value(char **argv, int argc, int *i, const char *name) {
  assert(*i < argc);
  const char *given = argv[*i];
  size_t length = strlen(name);
  if (strncmp(given, "--", 2) != 0 || strncmp(given + 2, name, length) != 0) return NULL;
  if (given[2 + length] == '=') return given + length + 3;
  if (given[2 + length] != '\0') return NULL;
  return *i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0 ? argv[++*i] : NULL;
}

static bool read_flag(config *c, char **argv, int argc, int *i, char message[CONFIG_MESSAGE_SIZE]) {
  const char *given = argv[*i];
  for (int s = 0; s < SETTING_COUNT; s++) {
    char source[64];
    snprintf(source, sizeof source, "--%s", settings[s].name);
    bool alone = settings[s].type == SWITCH && strcmp(given, source) == 0; // takes no word after it
    const char *value = alone ? "true" : flag_value(argv, argc, i, settings[s].name);
    if (value) return set(c, &settings[s], value, source, message);
    if (strcmp(given, source) == 0) return say(message, "%s needs a value (%s)", source, settings[s].argument);
  }
  return say(message, "\"%.80s\" is not an option; see --help", given);
}

static const char print_flag[] = "--print-config";

static bool print_wanted(int argc, char **argv) {
  bool wanted = false;
  for (int i = 1; i < argc; i++) wanted = wanted || strcmp(argv[i], print_flag) == 0;
  return wanted;
}

static bool read_all(int argc, char **argv, config *c, char message[CONFIG_MESSAGE_SIZE]) {
  bool good = true;
  for (int i = 0; i < SETTING_COUNT; i++)
    good = good && set(c, &settings[i], settings[i].fallback, settings[i].name, message);
  for (int i = 1; good && i < argc; i++) {
    const char *path = flag_value(argv, argc, &i, "config");
    if (path) good = read_file(c, path, message);
  }
  good = good && read_environment(c, message);
  for (int i = 1; good && i < argc; i++)
    if (strcmp(argv[i], print_flag) != 0 && !flag_value(argv, argc, &i, "config"))
      good = read_flag(c, argv, argc, &i, message);
  return good;
}

config_result config_read(int argc, char **argv, config *c, char message[CONFIG_MESSAGE_SIZE]) {
  *c = (config){.workers = 0};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return CONFIG_HELP;
    if (strcmp(argv[i], "--version") == 0) return CONFIG_VERSION;
  }
  if (!read_all(argc, argv, c, message)) return CONFIG_WRONG;
  return print_wanted(argc, argv) ? CONFIG_PRINT : CONFIG_READY;
}

const char *config_source(const config *c, const void *field) {
  size_t offset = (size_t)((const char *)field - (const char *)c);
  int i = 0;
  while (i < SETTING_COUNT && settings[i].offset != offset) i++;
  return i < SETTING_COUNT ? c->source[i] : "";
}

static json_t *read_back(const setting *s, const char *field) {
  int number = 0;
  bool on = false;
  char text[CONFIG_TEXT_SIZE];
  if (s->type == INTEGER) memcpy(&number, field, sizeof number);
  if (s->type == SWITCH) memcpy(&on, field, sizeof on);
  if (s->type == TEXT) url_without_password(field, text, sizeof text);
  return s->type == TEXT ? json_string(text) : s->type == SWITCH ? json_boolean(on) : json_integer(number);
}

void config_print(const config *c) {
  char name[64];
  json_t *all = json_object();
  for (int i = 0; i < SETTING_COUNT; i++) {
    const char *field = (const char *)c + settings[i].offset;
    json_object_set_new(all, spell(&settings[i], "", false, name), read_back(&settings[i], field));
  }
  json_dumpf(all, stdout, JSON_INDENT(2));
  printf("\n");
  json_decref(all);
}

void config_print_help(void) {
  char name[64];
  printf("usage: tendrild [OPTION VALUE]...\n       tendrild token create|list|delete|clear ...   (tendrild token "
         "--help)\n       tendrild backup TO | restore BACKUP | check | adopt ...   (each has --help)\n       tendrild "
         "store "
         "migrate|copy|check ...   (a PostgreSQL store)\n\n"
         "Serves simulations of soft robots over HTTP and gRPC.\n\n");
  printf("  --config FILE                 a JSON object of the settings below, - written as _\n");
  for (int i = 0; i < SETTING_COUNT; i++) {
    const setting *s = &settings[i];
    int width = printf("  --%s%s%s", s->name, *s->argument ? " " : "", s->argument);
    printf("%*s%s%s%s%s  [%s]\n", width < 32 ? 32 - width : 1, "", s->help, *s->fallback ? " (default " : "",
           s->fallback, *s->fallback ? ")" : "", spell(s, "TENDRIL_", true, name));
  }
  printf("  --print-config                prints the settings in force as such a file, and ends\n"
         "  --help, --version\n\nA flag beats an environment variable (in brackets), which beats the file.\n"
         "When it serves, one JSON line with its addresses goes to stdout; logs are JSON lines on stderr.\n"
         "Exit: 0 stopped by a signal, 1 cannot run, 2 bad configuration.\n");
}
