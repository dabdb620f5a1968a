// tendrild: configuration, signals, and the one line that says where it serves.
//
// SIGTERM and SIGINT are taken by sigwait in the main thread and blocked everywhere else; the second one ends at once.
#include "app.h"
#include "base/log.h"
#include "tendril/dynamics.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXIT_CONFIGURATION = 2 };

static void block_signals(sigset_t *ends) {
  sigemptyset(ends);
  sigaddset(ends, SIGTERM);
  sigaddset(ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, ends, NULL);
  signal(SIGPIPE, SIG_IGN); // a client or worker that went away is an error of a write, not ours
}

static void *end_at_once(void *ends) {
  int number = 0;
  sigwait(ends, &number);
  log_write(LOG_LEVEL_WARNING, "ended_at_once", LOG_I("signal", number));
  _exit(128 + number); // workers die with us; the next start queues their jobs again
}

static int serve(const config *c) {
  char message[APP_MESSAGE_SIZE] = "";
  sigset_t ends;
  int exit_code = 1, number = 0;
  block_signals(&ends);
  app *a = app_start(c, message, &exit_code);
  if (!a) return fprintf(stderr, "tendrild: %s\n", message), exit_code;
  printf("{\"event\":\"ready\",\"http\":\"%s\",\"grpc\":null,\"pid\":%d}\n", app_http_address(a), getpid());
  fflush(stdout);
  log_write(LOG_LEVEL_INFO, "ready", LOG_S("http", app_http_address(a)), LOG_S("data", c->data),
            LOG_S("version", td_version()), LOG_S("cpu_level", td_cpu_level()));
  sigwait(&ends, &number);
  log_write(LOG_LEVEL_INFO, "stopping", LOG_I("signal", number));
  pthread_t second;
  if (pthread_create(&second, NULL, end_at_once, &ends) == 0) pthread_detach(second);
  app_stop(a);
  log_write(LOG_LEVEL_INFO, "stopped", LOG_I("signal", number));
  return 0;
}

int main(int argc, char **argv) {
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  config c;
  char message[CONFIG_MESSAGE_SIZE] = "";
  switch (config_read(argc, argv, &c, message)) {
  case CONFIG_HELP: config_print_help(); return 0;
  case CONFIG_VERSION: printf("tendrild %s\n", td_version()); return 0;
  case CONFIG_WRONG: fprintf(stderr, "tendrild: %s\n", message); return EXIT_CONFIGURATION;
  case CONFIG_READY: break;
  }
  return serve(&c);
}
