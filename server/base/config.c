// The table of settings and the three readers that walk it.
#include "base/config.h"
#include "base/limits.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
  const char *name; // flag --name, key "name" (with _ for -), variable TENDRIL_NAME
  enum { TEXT, INTEGER } type;
  size_t offset;
  const char *fallback;
  int low, high; // of integers
  const char *argument, *help;
} setting;

static const setting settings[] = {
    {"data", TEXT, offsetof(config, data), "./tendril-data", 0, 0, "DIR", "data folder, created when missing"},
    {"http", TEXT, offsetof(config, http), "127.0.0.1:8080", 0, 0, "ADDR:PORT",
     "REST address; port 0 picks a free one"},
    {"grpc", TEXT, offsetof(config, grpc), "127.0.0.1:8081", 0, 0, "ADDR:PORT",
     "accepted; this version serves REST only"},
    {"workers", INTEGER, offsetof(config, workers), "0", 0, LIMIT_WORKERS, "N",
     "worker processes at a time; 0: one per core"},
    {"worker-memory", INTEGER, offsetof(config, worker_memory_mb), "4096", 0, 1 << 22, "MIB",
     "address space of one worker; 0: no limit"},
    {"worker", TEXT, offsetof(config, worker), "", 0, 0, "PATH",
     "the worker program; default: tendril-worker beside tendrild"},
    {"threads", INTEGER, offsetof(config, threads), "0", 0, 256, "N",
     "threads that answer requests; 0: one per core, at least 2"},
    {"log-level", TEXT, offsetof(config, log_level), "info", 0, 0, "LEVEL", "debug, info, warning or error"},
};
enum { SETTING_COUNT = sizeof settings / sizeof *settings };

static bool say(char message[CONFIG_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(char message[CONFIG_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, CONFIG_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

static bool set(config *c, const setting *s, const char *value, const char *source, char message[CONFIG_MESSAGE_SIZE]) {
  char *field = (char *)c + s->offset;
  if (s->type == TEXT) {
    if (strlen(value) >= CONFIG_TEXT_SIZE) return say(message, "%s: the value is too long", source);
    snprintf(field, CONFIG_TEXT_SIZE, "%s", value);
    return true;
  }
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

static bool read_member(config *c, const char *key, const json_t *value, const char *path,
                        char message[CONFIG_MESSAGE_SIZE]) {
  char name[64], source[256], number[32];
  snprintf(source, sizeof source, "%.120s: /%.80s", path, key);
  for (int i = 0; i < SETTING_COUNT; i++) {
    if (strcmp(spell(&settings[i], "", false, name), key) != 0) continue;
    if (settings[i].type == TEXT && json_is_string(value))
      return set(c, &settings[i], json_string_value(value), source, message);
    if (settings[i].type == INTEGER && json_is_integer(value)) {
      snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
      return set(c, &settings[i], number, source, message);
    }
    return say(message, "%s must be %s", source, settings[i].type == TEXT ? "a string" : "an integer");
  }
  return say(message, "%s is not a setting", source);
}

static bool read_file(config *c, const char *path, char message[CONFIG_MESSAGE_SIZE]) {
  json_error_t error;
  json_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
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

// The value of a flag "--name VALUE" or "--name=VALUE" at argv[*i], which moves past it. NULL when it is another flag.
static const char *flag_value(char **argv, int argc, int *i, const char *name) {
  const char *given = argv[*i];
  size_t length = strlen(name);
  if (strncmp(given, "--", 2) != 0 || strncmp(given + 2, name, length) != 0) return NULL;
  if (given[2 + length] == '=') return given + length + 3;
  if (given[2 + length] != '\0') return NULL;
  return *i + 1 < argc ? argv[++*i] : NULL;
}

static bool read_flag(config *c, char **argv, int argc, int *i, char message[CONFIG_MESSAGE_SIZE]) {
  const char *given = argv[*i];
  for (int s = 0; s < SETTING_COUNT; s++) {
    const char *value = flag_value(argv, argc, i, settings[s].name);
    char source[64];
    snprintf(source, sizeof source, "--%s", settings[s].name);
    if (value) return set(c, &settings[s], value, source, message);
    if (strcmp(given, source) == 0) return say(message, "%s needs a value (%s)", source, settings[s].argument);
  }
  return say(message, "\"%.80s\" is not an option; see --help", given);
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
    if (!flag_value(argv, argc, &i, "config")) good = read_flag(c, argv, argc, &i, message);
  return good;
}

config_result config_read(int argc, char **argv, config *c, char message[CONFIG_MESSAGE_SIZE]) {
  *c = (config){.workers = 0};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return CONFIG_HELP;
    if (strcmp(argv[i], "--version") == 0) return CONFIG_VERSION;
  }
  return read_all(argc, argv, c, message) ? CONFIG_READY : CONFIG_WRONG;
}

void config_print_help(void) {
  char name[64];
  printf("usage: tendrild [OPTION VALUE]...\n\nServes simulations of soft robots over HTTP.\n\n");
  printf("  --config FILE             a JSON object of the settings below, - written as _\n");
  for (int i = 0; i < SETTING_COUNT; i++) {
    const setting *s = &settings[i];
    int width = printf("  --%s %s", s->name, s->argument);
    printf("%*s%s%s%s%s  [%s]\n", width < 28 ? 28 - width : 1, "", s->help, *s->fallback ? " (default " : "",
           s->fallback, *s->fallback ? ")" : "", spell(s, "TENDRIL_", true, name));
  }
  printf("  --help, --version\n\nA flag beats an environment variable (in brackets), which beats the file.\n"
         "When it serves, one JSON line with its addresses goes to stdout; logs are JSON lines on stderr.\n"
         "Exit: 0 stopped by a signal, 1 cannot run, 2 bad configuration.\n");
}
