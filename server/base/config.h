// Configuration: one table of settings, from which come flags, environment variables, the keys of the file and --help.
// Later wins: defaults, --config FILE, environment (TENDRIL_DATA…), flags.
#ifndef SERVER_BASE_CONFIG_H
#define SERVER_BASE_CONFIG_H

#include <stdbool.h>

enum { CONFIG_TEXT_SIZE = 1024, CONFIG_MESSAGE_SIZE = 512, CONFIG_SETTINGS = 64, CONFIG_SOURCE_SIZE = 200 };

typedef struct config {
  char data[CONFIG_TEXT_SIZE];
  char store[CONFIG_TEXT_SIZE];         ///< URL of a database; "": in the data folder
  char store_prepare[CONFIG_TEXT_SIZE]; ///< "on" or "off"
  char store_direct[CONFIG_TEXT_SIZE];  ///< URL; "": as store
  char results[CONFIG_TEXT_SIZE];       ///< folder of results that nodes share; "": in that database
  int store_connections;
  char node[CONFIG_TEXT_SIZE]; ///< "": as the machine
  int until_idle_s;            ///< 0: never ends by itself
  char http[CONFIG_TEXT_SIZE];
  char grpc[CONFIG_TEXT_SIZE];
  int workers;                   ///< 0: one per core
  int worker_memory_mb;          ///< 0: no limit
  int worker_nice;               ///< steps of niceness more than the server
  char worker[CONFIG_TEXT_SIZE]; ///< "": tendril-worker beside this program
  int memory_mb;                 ///< for callers; 0: half of the machine's
  int evaluate_s;                ///< of one evaluation
  int threads;                   ///< 0: one per core
  char log_level[CONFIG_TEXT_SIZE];
  char log_file[CONFIG_TEXT_SIZE];                            ///< "": stderr
  char tls_cert[CONFIG_TEXT_SIZE], tls_key[CONFIG_TEXT_SIZE]; ///< "": plain HTTP
  bool accept_lost_rows;                                      ///< start although many results have no row
  int results_each, downloads_each, watchers_each;            ///< that one caller may have at a time; 0: all
  int parked;                                                 ///< jobs that stop in memory for others; -1: by default
  int slice_s;                     ///< after which a job makes room for who is served less; 0: never
  int wall_s, steps;               ///< that a job may take; 0: no bound
  int queued_each, queued_mb_each; ///< jobs of one owner that wait, and their documents; 0: all
  int models_each, revisions_each, jobs_each, sweeps_each, keys_each,
      tokens_each;                          ///< that one owner may keep; 0: no bound
  int documents_each_mb;                    ///< bytes of documents and rows of one owner; 0: no bound, -1: by default
  bool shared;                              ///< every token sees what all have made
  bool insecure;                            ///< other addresses than loopback without TLS or tokens, too
  char hosts[CONFIG_TEXT_SIZE];             ///< names besides those of loopback
  int rate, burst;                          ///< requests a second; 0: no limit, as many as of a second
  int connections, connections_per_address; ///< per address 0: no limit of its own, -1: by default
  int connections_each, waiting_each, calls_each;   ///< of one caller; 0: no such limit, connections -1: by default
  int handshakes;                                   ///< of one address in a second; 0: no limit, -1: by default
  int retention_days;                               ///< 0: for ever
  int results_quota_mb;                             ///< 0: none
  int results_quota_each_mb;                        ///< of one owner; 0: none of its own, -1: by default
  int retention_min_days;                           ///< no result goes earlier
  char source[CONFIG_SETTINGS][CONFIG_SOURCE_SIZE]; ///< where each value comes from, see config_source
} config;

typedef enum config_result { CONFIG_READY, CONFIG_HELP, CONFIG_VERSION, CONFIG_PRINT, CONFIG_WRONG } config_result;

/// CONFIG_WRONG: one line in `message`.
config_result config_read(int argc, char **argv, config *c, char message[CONFIG_MESSAGE_SIZE]);
/// What commands check that take the URL of a store by words of their own (`source` names them); one line in `message`.
bool config_check_store(const char *value, const char *source, char message[CONFIG_MESSAGE_SIZE]);
void config_print_help(void);
/// The settings in force, as a file for --config.
void config_print(const config *c);
/// Who set a field of *c ("--http", "TENDRIL_HTTP", "FILE: /http"), for messages about its value.
const char *config_source(const config *c, const void *field);

#endif
