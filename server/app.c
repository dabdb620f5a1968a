// Start: store (lock, migrate), jobs of a dead server back into the queue, model cache, worker slots, HTTP.
// Stop: HTTP refuses new work, slots end their workers and queue their jobs, HTTP finishes its replies and closes, the store
// closes last.
#include "app.h"
#include "base/limits.h"
#include "base/log.h"
#include "http/server.h"
#include "queue/queue.h"
#include "service/service.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct app {
  service service; // store, queue, cache
  http_server *http;
};

static int cores(int low) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < low ? low : count > 64 ? 64 : (int)count;
}

// Connections of watchers are many, and the usual soft limit is 1024.
static void allow_files(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  rlim_t wanted = LIMIT_CONNECTIONS + 1024;
  files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : files.rlim_cur > wanted ? files.rlim_cur : wanted;
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) log_write(LOG_LEVEL_WARNING, "few_files", LOG_I("limit", files.rlim_cur));
}

static bool find_worker(const config *c, char path[4096], char message[APP_MESSAGE_SIZE]) {
  if (*c->worker)
    snprintf(path, 4096, "%s", c->worker);
  else {
    ssize_t n = readlink("/proc/self/exe", path, 4096 - 32);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, "tendril-worker");
  }
  if (access(path, X_OK) == 0) return true;
  snprintf(message, APP_MESSAGE_SIZE, "the worker program %.300s cannot be run: %s", path, strerror(errno));
  return false;
}

static bool set_log_level(const config *c, char message[APP_MESSAGE_SIZE]) {
  for (int level = 0; level < LOG_LEVEL_COUNT; level++)
    if (strcmp(log_level_name((log_level)level), c->log_level) == 0) return log_set_level((log_level)level), true;
  snprintf(message, APP_MESSAGE_SIZE, "log-level is \"%.80s\", not debug, info, warning or error", c->log_level);
  return false;
}

static bool start_store(app *a, const config *c, char message[APP_MESSAGE_SIZE]) {
  char reason[STORE_MESSAGE_SIZE] = "";
  int requeued = 0;
  a->service.store = store_open(c->data, reason);
  if (!a->service.store) return snprintf(message, APP_MESSAGE_SIZE, "%s", reason), false;
  if (store_job_requeue_running(a->service.store, &requeued) != STORE_OK)
    return snprintf(message, APP_MESSAGE_SIZE, "the jobs of the last run cannot be queued again"), false;
  store_part_sweep(a->service.store);
  if (requeued > 0) log_write(LOG_LEVEL_INFO, "jobs_requeued", LOG_I("count", requeued));
  return true;
}

static bool start_work(app *a, const config *c, const char *worker, char message[APP_MESSAGE_SIZE]) {
  queue_options options = {
      .workers = c->workers > 0 ? c->workers : cores(1), .program = worker, .memory_mb = c->worker_memory_mb};
  a->service.cache = cache_create();
  a->service.queue = a->service.cache ? queue_start(a->service.store, &options) : NULL;
  if (a->service.queue) return true;
  return snprintf(message, APP_MESSAGE_SIZE, "threads or memory are short"), false;
}

static bool start_http(app *a, const config *c, char message[APP_MESSAGE_SIZE]) {
  char reason[HTTP_MESSAGE_SIZE] = "";
  http_options options = {.listen = c->http, .threads = c->threads > 0 ? c->threads : cores(2)};
  a->http = http_start(&a->service, &options, reason);
  return a->http || (snprintf(message, APP_MESSAGE_SIZE, "%s", reason), false);
}

app *app_start(const config *c, char message[APP_MESSAGE_SIZE], int *exit_code) {
  char worker[4096], reason[HTTP_MESSAGE_SIZE] = "";
  *exit_code = 2;
  if (!http_check_listen(c->http, reason)) return snprintf(message, APP_MESSAGE_SIZE, "%s", reason), NULL;
  if (!set_log_level(c, message) || !find_worker(c, worker, message)) return NULL;
  allow_files();
  *exit_code = 1;
  app *a = calloc(1, sizeof *a);
  if (!a) return snprintf(message, APP_MESSAGE_SIZE, "memory is short"), NULL;
  if (start_store(a, c, message) && start_work(a, c, worker, message) && start_http(a, c, message)) return a;
  app_stop(a);
  return NULL;
}

const char *app_http_address(const app *a) { return http_address(a->http); }

void app_stop(app *a) {
  if (a->http) http_drain(a->http);
  queue_stop(a->service.queue);
  http_stop(a->http);
  queue_destroy(a->service.queue);
  cache_destroy(a->service.cache);
  store_close(a->service.store);
  free(a);
}
