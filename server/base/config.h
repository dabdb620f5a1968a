// Configuration: one table of settings, from which come flags, environment variables, the keys of the file and --help.
// Later wins: defaults, --config FILE, environment (TENDRIL_DATA…), flags.
#ifndef SERVER_BASE_CONFIG_H
#define SERVER_BASE_CONFIG_H

#include <stdbool.h>

enum { CONFIG_TEXT_SIZE = 1024, CONFIG_MESSAGE_SIZE = 512 };

typedef struct config {
  char data[CONFIG_TEXT_SIZE];
  char http[CONFIG_TEXT_SIZE];
  char grpc[CONFIG_TEXT_SIZE];
  int workers;                   ///< 0: one per core
  int worker_memory_mb;          ///< 0: no limit
  char worker[CONFIG_TEXT_SIZE]; ///< "": tendril-worker beside this program
  int threads;                   ///< 0: one per core
  char log_level[CONFIG_TEXT_SIZE];
} config;

typedef enum config_result { CONFIG_READY, CONFIG_HELP, CONFIG_VERSION, CONFIG_WRONG } config_result;

/// CONFIG_WRONG: one line in `message`.
config_result config_read(int argc, char **argv, config *c, char message[CONFIG_MESSAGE_SIZE]);
void config_print_help(void);

#endif
