// tendrild: configuration, signals, and the one line that says where it serves; `tendrild token …`, `tendrild backup …`
// and others have files of their own.
//
// SIGTERM, SIGINT and SIGHUP are caught by a handler that writes to a pipe, on whose other end the main thread waits.
// All threads started here have them blocked, so they land in the main thread; if one lands in a thread that a library
// started before main, the handler does the same there. A second one, half a second later or more, ends at once.
#include "app.h"
#include "base/log/log.h"
#include "command_line.h"
#include "folder_command.h"
#include "store/store.h"
#include "store_command.h"
#include "tendril/dynamics.h"
#include "token_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_CONFIGURATION = 2, TWIN_MS = 500 };

static int signal_pipe[2];

// The second one, if it is not the first one's twin: who stops a group of processes and whoever passes signals on within
// it (Slurm and the shell of its script) do so at the same time.
static void on_signal(int number) {
  static _Atomic int64_t first_ms; // 0: none yet
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
  if (first_ms && now_ms - first_ms < TWIN_MS) return;
  if (first_ms) _exit(128 + number); // workers die with us; the next start queues their jobs again
  first_ms = now_ms;
  int saved = errno;
  ssize_t n = write(signal_pipe[1], &(char){(char)number}, 1);
  (void)n;
  errno = saved;
}

static void on_hangup(int number) {
  int saved = errno;
  ssize_t n = write(signal_pipe[1], &(char){(char)number}, 1);
  (void)n;
  errno = saved;
}

static bool catch_signals(sigset_t *ends) {
  if (pipe2(signal_pipe, O_CLOEXEC) != 0) return false;
  struct sigaction action = {.sa_handler = on_signal}, hangup = {.sa_handler = on_hangup};
  sigemptyset(ends);
  sigaddset(ends, SIGTERM);
  sigaddset(ends, SIGINT);
  sigaddset(ends, SIGHUP);
  pthread_sigmask(SIG_BLOCK, ends, NULL);
  signal(SIGPIPE, SIG_IGN); // a client or worker that went away is an error of a write, not ours
  return sigaction(SIGTERM, &action, NULL) == 0 && sigaction(SIGINT, &action, NULL) == 0 &&
         sigaction(SIGHUP, &hangup, NULL) == 0;
}

// A signal's number; 0: none came for so long (< 0: for ever).
static int wait_for_signal(int ms) {
  char number = 0;
  struct pollfd fd = {.fd = signal_pipe[0], .events = POLLIN};
  int ready;
  while ((ready = poll(&fd, 1, ms)) < 0 && errno == EINTR) {
  }
  while (ready > 0 && read(signal_pipe[0], &number, 1) < 0 && errno == EINTR) {
  }
  return number;
}

// Until it is told to end: the signal's number; 0: there was nothing to do for long enough.
static int serve_until_told(app *a, const config *c, const sigset_t *ends) {
  int number = 0, patience_ms = c->until_idle_s > 0 ? 500 : -1;
  bool idle = false;
  pthread_sigmask(SIG_UNBLOCK, ends, NULL);
  while (!idle && (number == 0 || number == SIGHUP)) {
    number = wait_for_signal(patience_ms);
    if (number == SIGHUP) app_reload(a, c);
    idle = number == 0 && c->until_idle_s > 0 && app_idle_s(a) >= c->until_idle_s;
  }
  return number;
}

// False when a signal ends the waiting.
static bool wait_for_room(const config *c, const sigset_t *ends) {
  while (!store_folder_has_room(c->data)) {
    int number = sigtimedwait(ends, NULL, &(struct timespec){.tv_sec = 1});
    if (number == SIGTERM || number == SIGINT) return false;
  }
  return true;
}

// A full disk is named. What is there is served if that can be; if not, the start is tried again when there is room:
// NULL with an empty message when a signal ended the waiting.
static app *start(const config *c, const sigset_t *ends, char message[APP_MESSAGE_SIZE], int *exit_code) {
  bool full = !store_folder_has_room(c->data);
  if (full)
    log_write(LOG_LEVEL_ERROR, "disk_full", LOG_S("data", c->data),
              LOG_S("detail", "nothing new is stored before there is a megabyte of room"));
  app *a = app_start(c, message, exit_code);
  if (a || !full || store_folder_has_room(c->data)) return a;
  log_write(LOG_LEVEL_ERROR, "waiting_for_room", LOG_S("data", c->data), LOG_S("detail", message));
  *message = '\0';
  return wait_for_room(c, ends) ? app_start(c, message, exit_code) : NULL;
}

static int serve(const config *c) {
  char message[APP_MESSAGE_SIZE] = "";
  int exit_code = 1;
  sigset_t ends;
  if (!catch_signals(&ends)) return perror("tendrild: cannot catch signals"), exit_code;
  if (*c->log_file && !log_to_file(c->log_file))
    return fprintf(stderr, "tendrild: %s: %s cannot be written to: %s\n", config_source(c, c->log_file), c->log_file,
                   strerror(errno)),
           EXIT_CONFIGURATION;
  app *a = start(c, &ends, message, &exit_code);
  if (!a && !*message) return 0;
  command_printable(message);
  if (!a) return fprintf(stderr, "tendrild: %s\n", message), exit_code;
  const char *http = app_http_address(a), *quoted = http ? "\"" : "";
  const char *grpc = app_grpc_address(a), *quote = grpc ? "\"" : "";
  log_write(LOG_LEVEL_INFO, "ready", LOG_S("http", http), LOG_S("grpc", grpc), LOG_S("data", c->data),
            LOG_S("version", td_version()), LOG_S("cpu_level", td_cpu_level()));
  printf("{\"event\":\"ready\",\"http\":%s%s%s,\"grpc\":%s%s%s%s,\"pid\":%d}\n", quoted, http ? http : "null", quoted,
         quote, grpc ? grpc : "null", quote, app_is_encrypted(a) ? ",\"tls\":true" : "", getpid());
  fflush(stdout);
  int number = serve_until_told(a, c, &ends);
  log_write(LOG_LEVEL_INFO, "stopping", LOG_I("signal", number));
  app_stop(a);
  log_write(LOG_LEVEL_INFO, "stopped", LOG_I("signal", number));
  return 0;
}

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {{"token", token_command}, {"backup", backup_command}, {"restore", restore_command},
                {"check", check_command}, {"adopt", adopt_command},   {"store", store_command}};

int main(int argc, char **argv) {
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
    if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1);
  static config c;
  char message[CONFIG_MESSAGE_SIZE] = "";
  switch (config_read(argc, argv, &c, message)) {
  case CONFIG_HELP:
    config_print_help();
    return 0;
  case CONFIG_VERSION:
    printf("tendrild %s\n", td_version());
    return 0;
  case CONFIG_PRINT:
    config_print(&c);
    return 0;
  case CONFIG_WRONG:
    fprintf(stderr, "tendrild: %s\n", message);
    return EXIT_CONFIGURATION;
  case CONFIG_READY:
    break;
  }
  return serve(&c);
}
