// Start: addresses and certificate checked, store (lock, migrate), who may call, jobs of a dead server ended or queued
// again, keeper, model cache, worker slots, HTTP, gRPC.
// Stop: both faces refuse new work, slots end their workers and queue their jobs, gRPC ends its streams, finishes its
// calls and closes, then HTTP its replies; the store closes last.
#include "app.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "base/log/metrics.h"
#include "base/share/budget.h"
#include "base/share/cores.h"
#include "base/share/seats.h"
#include "base/tls.h"
#include "codec/json/memory.h"
#include "http/connections.h"
#include "http/server.h"
#include "queue/queue.h"
#include "rpc/methods.h"
#include "rpc/server.h"
#include "service/access/hosts.h"
#include "service/evaluate/stopwatch.h"
#include "service/jobs/watch.h"
#include "service/keeper/keeper.h"
#include "service/service.h"
#include "store/store.h"
#include "tendril/dynamics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define NODE_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

struct app {
  service service; // store, queue, cache, keeper
  http_server *http;
  tls_files tls;    // without a certificate: plain HTTP
  rpc_server *grpc; // NULL: not served
};

static int cores(int low) {
  int count = cores_here();
  return count < low ? low : count > 64 ? 64 : count;
}

// Descriptors: the store, workers and their files come before connections. For each there is one of HTTP, which may
// hold a result besides itself, and one of gRPC, with a pair of sockets to the core.
enum { LOST_ROWS_MOST = 10, LOST_ROWS_SHARE = 20 }; // results without a row: so many, and a share of all
enum { PREPARING_SPARE = 32 };                      // callers who do not wait for those who take long
enum { HANDSHAKES_OF_CORE = 50 };                   // a twentieth of a core, or less
enum { FILES_OF_SERVER = 64, FILES_OF_WORKER = 8, FILES_OF_CONNECTION = 5, CONNECTIONS_AT_LEAST = 16 };

// Jobs that wait in memory, besides those that compute.
static int parked_of(const config *c) {
  enum { LEAST = 4 };
  int workers = c->workers > 0 ? c->workers : cores(1);
  if (c->slice_s == 0) return 0;
  return c->parked >= 0 ? c->parked : workers > LEAST ? workers : LEAST;
}

static int affordable_connections(const config *c) {
  int workers = (c->workers > 0 ? c->workers : cores(1)) + parked_of(c);
  struct rlimit files;
  rlim_t own = FILES_OF_SERVER + FILES_OF_WORKER * (rlim_t)workers;
  bool enough =
      getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur > own + FILES_OF_CONNECTION * CONNECTIONS_AT_LEAST;
  rlim_t left = enough ? (files.rlim_cur - own) / FILES_OF_CONNECTION : CONNECTIONS_AT_LEAST;
  int count = left < (rlim_t)c->connections ? (int)left : c->connections;
  while (count > 1 && (rlim_t)connections_with_reserve(count) > left) count--;
  return count;
}

// A quarter, when nobody said otherwise.
static int connections_of_address(const config *c, int all) {
  return c->connections_per_address >= 0 ? c->connections_per_address : (all + 3) / 4;
}

// A quarter likewise; what a browser opens in any case.
static int connections_of_caller(const config *c, int all) {
  enum { LEAST = 8 };
  int quarter = (all + 3) / 4;
  return c->connections_each >= 0 ? c->connections_each : quarter > LEAST ? quarter : LEAST;
}

// Connections of watchers are many, and the usual soft limit is 1024.
static void allow_files(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  rlim_t wanted = FILES_OF_SERVER + FILES_OF_WORKER * 2 * LIMIT_WORKERS +
                  FILES_OF_CONNECTION * (rlim_t)connections_with_reserve(LIMIT_CONNECTIONS);
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
  snprintf(message, APP_MESSAGE_SIZE, "%s: the worker program %.300s cannot be run: %s", config_source(c, c->worker),
           path, strerror(errno));
  return false;
}

static bool set_log_level(const config *c, char message[APP_MESSAGE_SIZE]) {
  for (int level = 0; level < LOG_LEVEL_COUNT; level++)
    if (strcmp(log_level_name((log_level)level), c->log_level) == 0) return log_set_level((log_level)level), true;
  snprintf(message, APP_MESSAGE_SIZE, "%s is \"%.80s\", not debug, info, warning or error",
           config_source(c, c->log_level), c->log_level);
  return false;
}

// -------------------------------------------------------------------------------------------------------- who may call

// Every address that is listened on goes through here; *reachable becomes one that other machines can call, if there is
// any. Such a one wants TLS (here) and a token (start_auth), unless told otherwise.
static bool check_listen(const config *c, const char *listen, const char **reachable, char message[APP_MESSAGE_SIZE]) {
  address a;
  socklen_t size;
  char reason[ADDRESS_MESSAGE_SIZE];
  if (!address_read(listen, &a, &size, reason))
    return snprintf(message, APP_MESSAGE_SIZE, "%s: %s", config_source(c, listen), reason), false;
  if (address_is_loopback(&a)) return true;
  *reachable = listen;
  if (c->insecure || *c->tls_cert) return true;
  snprintf(message, APP_MESSAGE_SIZE,
           "%s: \"%.80s\" is not a loopback address: others reach it, so it wants --tls-cert FILE --tls-key FILE and a "
           "token (tendrild token create), or an explicit --insecure",
           config_source(c, listen), listen);
  return false;
}

static bool read_tls(app *a, const config *c, char message[APP_MESSAGE_SIZE]) {
  char reason[TLS_MESSAGE_SIZE];
  if (!*c->tls_cert && !*c->tls_key) return true;
  const char *given = *c->tls_cert ? c->tls_cert : c->tls_key;
  if (!*c->tls_cert || !*c->tls_key)
    return snprintf(message, APP_MESSAGE_SIZE, "%s needs %s, too", config_source(c, given),
                    *c->tls_cert ? "--tls-key" : "--tls-cert"),
           false;
  if (tls_key_is_exposed(c->tls_key)) log_write(LOG_LEVEL_WARNING, "key_is_exposed", LOG_S("file", c->tls_key));
  if (tls_read(c->tls_cert, c->tls_key, clock_now_ms() / 1000, &a->tls, reason)) return true;
  return snprintf(message, APP_MESSAGE_SIZE, "TLS: %.480s", reason), false;
}

static bool check_hosts(const config *c, char message[APP_MESSAGE_SIZE]) {
  if (hosts_valid(c->hosts)) return true;
  snprintf(message, APP_MESSAGE_SIZE, "%s is \"%.200s\", not names between commas, without ports",
           config_source(c, c->hosts), c->hosts);
  return false;
}

static bool check_node(const config *c, char message[APP_MESSAGE_SIZE]) {
  size_t size = strlen(c->node);
  if (size < STORE_NODE_SIZE && strspn(c->node, NODE_CHARACTERS) == size) return true;
  snprintf(message, APP_MESSAGE_SIZE, "%s is \"%.80s\", not a name of at most %d letters, digits, dots, - and _",
           config_source(c, c->node), c->node, STORE_NODE_SIZE - 1);
  return false;
}

static bool start_auth(app *a, const config *c, const char *reachable, char message[APP_MESSAGE_SIZE]) {
  auth_options options = {.tokens_each = c->tokens_each,
                          .reachable = reachable != NULL,
                          .hosts = c->hosts,
                          .rate = c->rate,
                          .burst = c->burst,
                          .shared = c->shared};
  a->service.auth = auth_create(a->service.store, &options);
  if (!a->service.auth) return snprintf(message, APP_MESSAGE_SIZE, "the tokens cannot be read"), false;
  bool open = auth_count(a->service.auth) == 0;
  bool refused = reachable && open && !c->insecure;
  if (!refused && reachable && (open || !a->tls.certificate))
    log_write(LOG_LEVEL_WARNING, "insecure", LOG_S("address", reachable),
              LOG_S("tls", a->tls.certificate ? "yes" : "no"), LOG_S("tokens", open ? "no" : "yes"));
  if (!refused) return true;
  snprintf(message, APP_MESSAGE_SIZE,
           "%s: \"%.80s\" is not a loopback address: others reach it, and there is no token; make one: tendrild token "
           "create --data %.150s --scope admin --name NAME (or say --insecure)",
           config_source(c, reachable), reachable, c->data);
  return false;
}

// --------------------------------------------------------------------------------------------------------------- parts

// Many results of which no row knows: somebody has put back an older copy of the database, or cut its log. Going on
// would make the newer rows' loss final, so that is for the operator to say.
static bool check_rows(const app *a, const config *c, char message[APP_MESSAGE_SIZE]) {
  int64_t files, unknown;
  if (c->accept_lost_rows || store_result_count_unknown(a->service.store, &files, &unknown) != STORE_OK) return true;
  if (unknown <= LOST_ROWS_MOST || unknown <= files / LOST_ROWS_SHARE) return true;
  snprintf(message, APP_MESSAGE_SIZE,
           "%lld of the %lld results in %.150s/results have no job in %s: is it an older copy? Put the newer one "
           "back, or say --accept-lost-rows (they are kept in lost+found)",
           (long long)unknown, (long long)files, *c->results ? c->results : c->data,
           *c->store ? "the database" : "tendril.db");
  return false;
}

static bool check_prepare(const config *c, char message[APP_MESSAGE_SIZE]) {
  if (strcmp(c->store_prepare, "on") == 0 || strcmp(c->store_prepare, "off") == 0) return true;
  snprintf(message, APP_MESSAGE_SIZE, "%s is \"%.80s\", not on or off", config_source(c, c->store_prepare),
           c->store_prepare);
  return false;
}

static bool open_store(app *a, const config *c, char message[APP_MESSAGE_SIZE]) {
  if (!check_prepare(c, message)) return false;
  char reason[STORE_MESSAGE_SIZE] = "";
  a->service.store = store_open_at(&(store_where){.folder = c->data,
                                                  .rows = *c->store ? c->store : NULL,
                                                  .direct = *c->store_direct ? c->store_direct : NULL,
                                                  .plain = strcmp(c->store_prepare, "off") == 0,
                                                  .results = *c->results ? c->results : NULL,
                                                  .connections = c->store_connections,
                                                  .anyway = c->accept_lost_rows,
                                                  .node = c->node,
                                                  .slots = c->workers > 0 ? c->workers : cores(1)},
                                   reason);
  if (!a->service.store) return snprintf(message, APP_MESSAGE_SIZE, "%s", reason), false;
  return check_rows(a, c, message);
}

static bool repair_store(app *a, char message[APP_MESSAGE_SIZE]) {
  int requeued = 0;
  keeper_adopt_results(a->service.store);
  if (store_job_requeue_running(a->service.store, &requeued) != STORE_OK)
    return snprintf(message, APP_MESSAGE_SIZE, "the jobs of the last run cannot be queued again"), false;
  store_part_sweep(a->service.store);
  if (store_model_forget(a->service.store) != STORE_OK)
    log_write(LOG_LEVEL_WARNING, "revisions_not_removed",
              LOG_S("detail", "those of deleted models, at the next start"));
  if (requeued > 0) log_write(LOG_LEVEL_INFO, "jobs_requeued", LOG_I("count", requeued));
  return true;
}

// Half, when nobody said otherwise; where all see everything nothing is anybody's own.
static int64_t quota_of_owner(const config *c) {
  int64_t quota = (int64_t)c->results_quota_mb << 20;
  if (c->shared) return 0;
  return c->results_quota_each_mb >= 0 ? (int64_t)c->results_quota_each_mb << 20 : (quota + 1) / 2;
}

static bool start_keeper(app *a, const config *c, char message[APP_MESSAGE_SIZE]) {
  int days = c->retention_days, at_least = c->retention_min_days;
  keeper_options options = {.retention_days = days,
                            .retention_min_days = days > 0 && days < at_least ? days : at_least,
                            .quota_bytes = (int64_t)c->results_quota_mb << 20,
                            .owner_bytes = quota_of_owner(c),
                            .one_owner = c->shared};
  a->service.keeper = keeper_start(a->service.store, &options);
  return a->service.keeper || (snprintf(message, APP_MESSAGE_SIZE, "threads or memory are short"), false);
}

static bool start_work(app *a, const config *c, const char *worker, char message[APP_MESSAGE_SIZE]) {
  queue_options options = {.workers = c->workers > 0 ? c->workers : cores(1),
                           .program = worker,
                           .memory_mb = c->worker_memory_mb,
                           .nice = c->worker_nice,
                           .parked = parked_of(c),
                           .slice_s = c->slice_s,
                           .wall_s = c->wall_s};
  a->service.cache = cache_create();
  a->service.stopwatch = stopwatch_start();
  a->service.watch = watch_start(a->service.store);
  a->service.preparing =
      pool_start(&(pool_options){.threads = cores(2), .spare = PREPARING_SPARE, .share = (cores(2) + 1) / 2}, NULL);
  bool ready = a->service.cache && a->service.stopwatch && a->service.watch && a->service.preparing;
  a->service.queue = ready ? queue_start(a->service.store, &options) : NULL;
  if (a->service.queue) return true;
  return snprintf(message, APP_MESSAGE_SIZE, "threads or memory are short"), false;
}

// A quarter of the disk, when nobody said otherwise.
static store_keep keep_of(const app *a, const config *c) {
  enum { PART = 4, MIB_SHIFT = 20, NAMES = 10000 };
  int64_t bytes = c->documents_each_mb >= 0 ? (int64_t)c->documents_each_mb << MIB_SHIFT
                                            : store_disk_bytes(a->service.store) / PART;
  return (store_keep){.most = {[STORE_KEPT_JOBS] = c->jobs_each,
                               [STORE_KEPT_SWEEPS] = c->sweeps_each,
                               [STORE_KEPT_MODELS] = c->models_each,
                               [STORE_KEPT_KEYS] = c->keys_each,
                               [STORE_KEPT_BYTES] = bytes,
                               [STORE_KEPT_REVISIONS] = c->revisions_each},
                      .names = NAMES};
}

static bool start_seats(app *a, const config *c, char message[APP_MESSAGE_SIZE]) {
  service *s = &a->service;
  s->results = seats_create(LIMIT_STREAMS, c->results_each);
  s->downloads = seats_create(LIMIT_CONNECTIONS, c->downloads_each);
  s->watchers = seats_create(LIMIT_WATCHERS, c->watchers_each);
  s->max_wall_s = c->wall_s;
  s->max_steps = c->steps;
  s->keep = keep_of(a, c);
  s->tokens_each = c->tokens_each;
  s->room =
      (store_room){.all = LIMIT_JOBS_QUEUED, .each = c->queued_each, .each_bytes = (int64_t)c->queued_mb_each << 20};
  return (s->results && s->downloads && s->watchers) ||
         (snprintf(message, APP_MESSAGE_SIZE, "not enough memory"), false);
}

static bool start_http(app *a, const config *c, char message[APP_MESSAGE_SIZE]) {
  char reason[HTTP_MESSAGE_SIZE] = "";
  http_options options = {.listen = c->http,
                          .threads = c->threads > 0 ? c->threads : cores(2),
                          .connections = affordable_connections(c),
                          .loopback_too = c->connections_per_address > 0,
                          .tls = &a->tls};
  options.connections_per_address = connections_of_address(c, options.connections);
  options.handshakes = c->handshakes >= 0 ? c->handshakes : HANDSHAKES_OF_CORE * cores(1);
  options.handshakes_loopback_too = c->handshakes > 0;
  options.connections_per_caller = connections_of_caller(c, options.connections);
  options.waiting_per_caller = c->waiting_each;
  a->service.limits.connections_each = options.connections_per_caller;
  a->service.limits.waiting_each = c->waiting_each;
  a->service.limits.calls_each = c->calls_each;
  a->service.limits.connections = options.connections;
  a->service.limits.connections_per_address = options.connections_per_address;
  a->service.limits.evaluate_s = c->evaluate_s;
  a->service.limits.rate = c->rate;
  a->service.limits.burst = c->burst > 0 ? c->burst : c->rate;
  a->http = http_start(&a->service, &options, reason);
  return a->http || (snprintf(message, APP_MESSAGE_SIZE, "%s", reason), false);
}

static bool http_wanted(const config *c) { return strcmp(c->http, "none") != 0; }
static bool grpc_wanted(const config *c) { return strcmp(c->grpc, "none") != 0 && *c->grpc; }

// All that is wrong with the configuration shows here.
static bool prepare(app *a, const config *c, char worker[4096], char message[APP_MESSAGE_SIZE]) {
  const char *reachable = NULL;
  return (!http_wanted(c) || check_listen(c, c->http, &reachable, message)) && check_node(c, message) &&
         (!grpc_wanted(c) || check_listen(c, c->grpc, &reachable, message)) && check_hosts(c, message) &&
         set_log_level(c, message) && read_tls(a, c, message) && find_worker(c, worker, message) &&
         open_store(a, c, message) && start_auth(a, c, reachable, message) && repair_store(a, message);
}

// A taken port is an error when somebody chose it. The default one may belong to another server of this machine: then
// this one serves without, and says so.
static bool start_grpc(app *a, const config *c, char message[APP_MESSAGE_SIZE]) {
  char reason[RPC_MESSAGE_SIZE] = "";
  if (!grpc_wanted(c)) return true;
  rpc_options options = {.methods = rpc_methods,
                         .method_count = rpc_method_count,
                         .listen = c->grpc,
                         .threads = c->threads > 0 ? c->threads : cores(2),
                         .connections = affordable_connections(c),
                         .calls_each = c->calls_each,
                         .loopback_too = c->connections_per_address > 0,
                         .tls = &a->tls};
  options.connections_per_address = connections_of_address(c, options.connections);
  options.handshakes = c->handshakes >= 0 ? c->handshakes : HANDSHAKES_OF_CORE * cores(1);
  options.handshakes_loopback_too = c->handshakes > 0;
  a->grpc = rpc_start(&a->service, &options, reason);
  if (a->grpc) return true;
  if (strcmp(config_source(c, c->grpc), "grpc") == 0)
    return log_write(LOG_LEVEL_WARNING, "no_grpc", LOG_S("detail", reason)), true;
  return snprintf(message, APP_MESSAGE_SIZE, "%s", reason), false;
}

static uint64_t budget_of(const config *c) {
  enum { MIB_SHIFT = 20 };
  uint64_t mb = c->memory_mb > 0 ? (uint64_t)c->memory_mb : (budget_machine_bytes("") >> MIB_SHIFT) / 2;
  return (mb > BUDGET_LEAST_MB ? mb : BUDGET_LEAST_MB) << MIB_SHIFT;
}

app *app_start(const config *c, char message[APP_MESSAGE_SIZE], int *exit_code) {
  char worker[4096];
  *exit_code = 2;
  budget_set(budget_of(c));
  json_memory_watch();
  app *a = calloc(1, sizeof *a);
  if (!a) return snprintf(message, APP_MESSAGE_SIZE, "not enough memory"), NULL;
  allow_files();
  metrics_name_build(td_version(), td_cpu_level());
  bool prepared = prepare(a, c, worker, message);
  if (prepared) *exit_code = 1; // the configuration was good
  if (prepared && start_keeper(a, c, message) && start_work(a, c, worker, message) && start_seats(a, c, message) &&
      (!http_wanted(c) || start_http(a, c, message)) && start_grpc(a, c, message))
    return a;
  app_stop(a);
  return NULL;
}

bool app_is_encrypted(const app *a) { return a->tls.certificate != NULL; }

const char *app_http_address(const app *a) { return a->http ? http_address(a->http) : NULL; }
double app_idle_s(const app *a) { return queue_idle_s(a->service.queue); }
const char *app_grpc_address(const app *a) { return a->grpc ? rpc_address(a->grpc) : NULL; }

static void renew_certificate(app *a, const config *c) {
  char reason[TLS_MESSAGE_SIZE] = "";
  tls_files fresh;
  bool read = tls_read(c->tls_cert, c->tls_key, clock_now_ms() / 1000, &fresh, reason);
  if (read && (!a->http || http_renew_certificate(a->http, &fresh)) &&
      (!a->grpc || rpc_renew_certificate(a->grpc, &fresh)))
    log_write(LOG_LEVEL_INFO, "certificate_renewed", LOG_S("file", c->tls_cert));
  else
    log_write(LOG_LEVEL_ERROR, "certificate_not_renewed", LOG_S("file", c->tls_cert), LOG_S("detail", reason));
  if (read) tls_fini(&fresh);
}

void app_reload(app *a, const config *c) {
  if (*c->log_file && !log_to_file(c->log_file))
    log_write(LOG_LEVEL_ERROR, "log_not_reopened", LOG_S("file", c->log_file), LOG_S("detail", strerror(errno)));
  log_write(LOG_LEVEL_INFO, "reloading", LOG_S("log_file", c->log_file));
  if (app_is_encrypted(a)) renew_certificate(a, c);
}

void app_stop(app *a) {
  if (a->http) http_drain(a->http);
  if (a->grpc) rpc_drain(a->grpc);
  queue_stop(a->service.queue);
  rpc_stop(a->grpc);
  if (a->http) http_stop(a->http);
  queue_destroy(a->service.queue);
  stopwatch_stop(a->service.stopwatch);
  watch_destroy(a->service.watch);
  pool_stop(a->service.preparing);
  cache_destroy(a->service.cache);
  keeper_stop(a->service.keeper);
  seats_destroy(a->service.results);
  seats_destroy(a->service.downloads);
  seats_destroy(a->service.watchers);
  auth_destroy(a->service.auth);
  store_close(a->service.store);
  tls_fini(&a->tls);
  free(a);
}
