// The table of metrics, their values, and their text (OpenMetrics 1.0).
//
// Values are integers: counts, bytes, or nanoseconds where the unit is seconds. Series of routes that nobody used are
// left out; every other series is there from the start, so that rates begin at 0. A histogram's sum and buckets are
// read while they may change: its count is the sum of the buckets that were read, so the text always agrees with
// itself.
#include "base/log/metrics.h"
#include "base/clock.h"

#include <assert.h>
#include <dirent.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef enum kind { GAUGE, COUNTER, HISTOGRAM, INFO } kind;
static const char *const kind_names[] = {"gauge", "counter", "histogram", "info"};

typedef enum label {
  NO_LABEL,
  STATE,
  ENDED_STATE,
  OUTCOME,
  REASON,
  ACTIVITY,
  SLOWNESS,
  ACCOUNT,
  ROUTE,
  ROUTE_AND_CLASS
} label;

static const struct {
  const char *name;
  const char *values[8];
} labels[] = {
    [STATE] = {"state", {"queued", "running", "succeeded", "failed", "cancelled"}},
    [ENDED_STATE] = {"state", {"", "", "succeeded", "failed", "cancelled"}}, // numbered like STATE
    [OUTCOME] = {"outcome", {"succeeded", "failed", "cancelled", "crashed", "stopped", "not_begun"}},
    [REASON] = {"reason", {"age", "quota"}},
    [ACTIVITY] = {"activity", {"busy", "idle"}},
    [ACCOUNT] = {"account", {"bodies", "parsing", "models", "evaluations", "replies", "calls", "parked"}},
    [SLOWNESS] = {"reason", {"header", "body", "reply", "room"}},
};
static const char *const class_names[METRIC_CLASSES] = {"1xx", "2xx", "3xx", "4xx", "5xx"};

static const struct row {
  const char *name; // of the family; samples of counters end in _total
  kind kind;
  const char *unit; // "" or the end of the name
  label label;
  const char *help;
} rows[METRIC_COUNT] = {
    [METRIC_BUILD] = {"tendril_build", INFO, "", NO_LABEL, "Version of the server and CPU level of its kernels."},
    [METRIC_JOBS] = {"tendril_jobs", GAUGE, "", STATE, "Jobs in the store."},
    [METRIC_JOBS_SUBMITTED] = {"tendril_jobs_submitted", COUNTER, "", NO_LABEL, "Jobs accepted, retries included."},
    [METRIC_JOBS_ENDED] = {"tendril_jobs_ended", COUNTER, "", ENDED_STATE, "Jobs that reached a terminal state."},
    [METRIC_JOBS_PRUNED] = {"tendril_jobs_pruned", COUNTER, "", REASON,
                            "Jobs deleted with their results by the server."},
    [METRIC_RESULTS_LOST] = {"tendril_results_lost", COUNTER, "", NO_LABEL, "Results found missing or damaged."},
    [METRIC_RESULTS_REFUSED] = {"tendril_jobs_refused", COUNTER, "", NO_LABEL,
                                "Jobs refused because results fill their quota."},
    [METRIC_ATTEMPTS] = {"tendril_attempts", COUNTER, "", OUTCOME, "Attempts at jobs that ended."},
    [METRIC_LEASES_LOST] = {"tendril_leases_lost", COUNTER, "", NO_LABEL,
                            "Workers killed because they neither spoke nor computed."},
    [METRIC_WORKERS] = {"tendril_workers", GAUGE, "", ACTIVITY, "Slots for worker processes."},
    [METRIC_WORKER_STARTS] = {"tendril_worker_starts", COUNTER, "", NO_LABEL, "Worker processes started."},
    [METRIC_WORKER_RESTARTS] = {"tendril_worker_restarts", COUNTER, "", NO_LABEL,
                                "Worker processes started to go on with a job."},
    [METRIC_REQUESTS] = {"tendril_http_requests", COUNTER, "", ROUTE_AND_CLASS,
                         "Requests by route and class of the status."},
    [METRIC_REQUEST_DURATION] =
        {"tendril_http_request_duration_seconds", HISTOGRAM, "seconds", ROUTE,
         "First byte of the request to last byte of the reply; watchers of events not counted."},
    [METRIC_CONNECTIONS] = {"tendril_http_connections", GAUGE, "", NO_LABEL, "Open connections."},
    [METRIC_CONNECTIONS_DROPPED] =
        {"tendril_http_connections_dropped", COUNTER, "", SLOWNESS,
         "Connections closed because their clients were slow, by what came slowly, or to make "
         "room for others."},
    [METRIC_CONNECTIONS_REFUSED] = {"tendril_http_connections_refused", COUNTER, "", NO_LABEL,
                                    "Connections closed at once because their address has its share."},
    [METRIC_EVALUATED_STATES] = {"tendril_evaluated_states", COUNTER, "", NO_LABEL, "States evaluated for clients."},
    [METRIC_WATCHERS] = {"tendril_event_watchers", GAUGE, "", NO_LABEL, "Connections that wait for events of jobs."},
    [METRIC_RESULT_STREAMS] = {"tendril_result_streams", GAUGE, "", NO_LABEL,
                               "Results being made while they are sent."},
    [METRIC_STORE_UP] = {"tendril_store_up", GAUGE, "", NO_LABEL,
                         "1: the store answers; 0: it does not, and what is told of it is what it said last."},
    [METRIC_DATABASE_BYTES] = {"tendril_store_database_bytes", GAUGE, "bytes", NO_LABEL,
                               "Size of the database without its log."},
    [METRIC_WAL_BYTES] = {"tendril_store_wal_bytes", GAUGE, "bytes", NO_LABEL, "Size of the write-ahead log."},
    [METRIC_RESULT_BYTES] = {"tendril_store_results_bytes", GAUGE, "bytes", NO_LABEL,
                             "Results of the jobs in the store."},
    [METRIC_COMMITS] = {"tendril_store_commits", COUNTER, "", NO_LABEL, "Transactions committed."},
    [METRIC_COMMIT_DURATION] = {"tendril_store_commit_duration_seconds", HISTOGRAM, "seconds", NO_LABEL,
                                "Time of a commit, the disk's included."},
    [METRIC_STATEMENTS] = {"tendril_store_statements", COUNTER, "", NO_LABEL,
                           "Statements sent to the PostgreSQL database."},
    [METRIC_FETCHED_BYTES] = {"tendril_store_fetched_bytes", COUNTER, "bytes", NO_LABEL,
                              "Bytes of results and checkpoints that were read from the PostgreSQL database."},
    [METRIC_SOLVER_STEPS] = {"tendril_solver_steps", COUNTER, "", NO_LABEL,
                             "Accepted steps and solved problems of jobs that ended."},
    [METRIC_SOLVER_REJECTED] = {"tendril_solver_rejected_steps", COUNTER, "", NO_LABEL,
                                "Steps taken back by error control."},
    [METRIC_SOLVER_EVALUATIONS] = {"tendril_solver_evaluations", COUNTER, "", NO_LABEL,
                                   "Evaluations of the right-hand side or the residual."},
    [METRIC_SOLVER_JACOBIANS] = {"tendril_solver_jacobians", COUNTER, "", NO_LABEL, "Evaluations of Jacobians."},
    [METRIC_SOLVER_FACTORISATIONS] = {"tendril_solver_factorisations", COUNTER, "", NO_LABEL,
                                      "Factorisations of iteration matrices."},
    [METRIC_SOLVER_NEWTON] = {"tendril_solver_newton_iterations", COUNTER, "", NO_LABEL, "Newton iterations."},
    [METRIC_SOLVER_FAILURES] = {"tendril_solver_nonlinear_failures", COUNTER, "", NO_LABEL,
                                "Newton iterations that did not converge."},
    [METRIC_MEMORY] = {"tendril_memory_bytes", GAUGE, "bytes", ACCOUNT, "Memory kept for callers."},
    [METRIC_MEMORY_REFUSED] = {"tendril_memory_refused", COUNTER, "", ACCOUNT,
                               "Times that something did not fit into its account of memory."},
    [METRIC_MEMORY_BUDGET] = {"tendril_memory_budget_bytes", GAUGE, "bytes", NO_LABEL,
                              "Memory that may be kept for callers in all."},
    [METRIC_RESIDENT_BYTES] = {"process_resident_memory_bytes", GAUGE, "bytes", NO_LABEL,
                               "Memory of the server, workers not counted."},
    [METRIC_OPEN_FILES] = {"process_open_fds", GAUGE, "", NO_LABEL, "Open descriptors of the server."},
    [METRIC_MAX_FILES] = {"process_max_fds", GAUGE, "", NO_LABEL, "Descriptors that the server may open."},
    [METRIC_PROCESSOR_SECONDS] = {"process_cpu_seconds", COUNTER, "seconds", NO_LABEL,
                                  "Processor time of the server, workers not counted."},
    [METRIC_START_TIME] = {"process_start_time_seconds", GAUGE, "seconds", NO_LABEL,
                           "When the server started, since the epoch."},
};

enum { SERIES = METRIC_ROUTES * METRIC_CLASSES, BUCKETS = 12 };
static const double bounds_s[BUCKETS] = {0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30};
static const char *const bounds_text[BUCKETS] = {"0.0001", "0.0005", "0.001", "0.0025", "0.005", "0.01",
                                                 "0.05",   "0.1",    "0.5",   "1.0",    "5.0",   "30.0"};

typedef struct histogram {
  _Atomic int64_t bucket[BUCKETS + 1], sum_ns;
} histogram;

static _Atomic int64_t values[METRIC_COUNT][SERIES];
static histogram durations[METRIC_ROUTES], commits;
static char routes[METRIC_ROUTES][METRIC_ROUTE_SIZE], build[160];

// ------------------------------------------------------------------------------------------------------------ counting

void metrics_name_route(int route, const char *method, const char *path) {
  if (route >= 0 && route < METRIC_ROUTES)
    snprintf(routes[route], METRIC_ROUTE_SIZE, "method=\"%.16s\",route=\"%.60s\"", method, path);
}

void metrics_name_build(const char *version, const char *cpu_level) {
  snprintf(build, sizeof build, "version=\"%.60s\",cpu_level=\"%.60s\"", version, cpu_level);
  metrics_set(METRIC_BUILD, 0, 1);
  metrics_set_seconds(METRIC_START_TIME, 1e-3 * (double)clock_now_ms());
}

void metrics_add(metric m, int series, int64_t n) {
  assert(m < METRIC_COUNT);
  if (series >= 0 && series < SERIES) atomic_fetch_add_explicit(&values[m][series], n, memory_order_relaxed);
}

void metrics_set(metric m, int series, int64_t value) {
  assert(m < METRIC_COUNT);
  if (series >= 0 && series < SERIES) atomic_store_explicit(&values[m][series], value, memory_order_relaxed);
}

void metrics_set_seconds(metric m, double seconds) { metrics_set(m, 0, (int64_t)(1e9 * seconds)); }

static histogram *histogram_of(metric m, int series) {
  return m == METRIC_COMMIT_DURATION ? &commits : &durations[series];
}

void metrics_observe(metric m, int series, double seconds) {
  if (series < 0 || series >= METRIC_ROUTES) return;
  histogram *h = histogram_of(m, series);
  int i = 0;
  while (i < BUCKETS && seconds > bounds_s[i]) i++;
  atomic_fetch_add_explicit(&h->bucket[i], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&h->sum_ns, (int64_t)(1e9 * seconds), memory_order_relaxed);
}

// ------------------------------------------------------------------------------------------------------------- process

static int64_t resident_bytes(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file) return 0;
  if (fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  fclose(file);
  return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static int64_t open_files(void) {
  int64_t count = -1; // the folder's own descriptor
  DIR *dir = opendir("/proc/self/fd");
  if (!dir) return 0;
  for (struct dirent *entry; (entry = readdir(dir));) count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

void metrics_read_process(void) {
  struct rusage used;
  struct rlimit files;
  metrics_set(METRIC_RESIDENT_BYTES, 0, resident_bytes());
  metrics_set(METRIC_OPEN_FILES, 0, open_files());
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) metrics_set(METRIC_MAX_FILES, 0, (int64_t)files.rlim_cur);
  if (getrusage(RUSAGE_SELF, &used) == 0)
    metrics_set_seconds(METRIC_PROCESSOR_SECONDS, seconds(used.ru_utime) + seconds(used.ru_stime));
}

// ---------------------------------------------------------------------------------------------------------------- text

static int64_t value(metric m, int series) { return atomic_load_explicit(&values[m][series], memory_order_relaxed); }

// Nanoseconds as seconds, exactly.
static void write_number(FILE *out, bool in_seconds, int64_t x) {
  if (in_seconds)
    fprintf(out, "%lld.%09lld\n", (long long)(x / 1000000000), (long long)(x % 1000000000));
  else
    fprintf(out, "%lld\n", (long long)x);
}

static void write_sample(FILE *out, metric m, const char *label_text, int series) {
  static const char *const endings[] = {[GAUGE] = "", [COUNTER] = "_total", [INFO] = "_info"};
  const struct row *row = &rows[m];
  fprintf(out, "%s%s%s%s%s ", row->name, endings[row->kind], *label_text ? "{" : "", label_text,
          *label_text ? "}" : "");
  write_number(out, strcmp(row->unit, "seconds") == 0, value(m, series));
}

static void write_histogram(FILE *out, metric m, const char *label_text, int series) {
  histogram *h = histogram_of(m, series);
  const char *comma = *label_text ? "," : "", *name = rows[m].name;
  char braced[METRIC_ROUTE_SIZE + 2] = "";
  int64_t count = 0;
  for (int i = 0; i <= BUCKETS; i++) {
    count += atomic_load_explicit(&h->bucket[i], memory_order_relaxed);
    fprintf(out, "%s_bucket{%s%sle=\"%s\"} %lld\n", name, label_text, comma, i < BUCKETS ? bounds_text[i] : "+Inf",
            (long long)count);
  }
  if (*label_text) snprintf(braced, sizeof braced, "{%s}", label_text);
  fprintf(out, "%s_count%s %lld\n%s_sum%s ", name, braced, (long long)count, name, braced);
  write_number(out, true, atomic_load_explicit(&h->sum_ns, memory_order_relaxed));
}

static bool was_used(const histogram *h) {
  for (int i = 0; i <= BUCKETS; i++)
    if (atomic_load_explicit(&h->bucket[i], memory_order_relaxed) > 0) return true;
  return false;
}

static void write_requests(FILE *out, metric m) {
  char text[METRIC_ROUTE_SIZE + 16];
  for (int series = 0; series < SERIES; series++) {
    if (value(m, series) == 0) continue;
    snprintf(text, sizeof text, "%s,status=\"%s\"", routes[series / METRIC_CLASSES],
             class_names[series % METRIC_CLASSES]);
    write_sample(out, m, text, series);
  }
}

static void write_values(FILE *out, metric m) {
  char text[64];
  label l = rows[m].label;
  for (int i = 0; i < 8 && labels[l].values[i]; i++) {
    if (!*labels[l].values[i]) continue;
    snprintf(text, sizeof text, "%s=\"%s\"", labels[l].name, labels[l].values[i]);
    write_sample(out, m, text, i);
  }
}

static void write_series(FILE *out, metric m) {
  if (rows[m].label == ROUTE_AND_CLASS)
    write_requests(out, m);
  else if (rows[m].label == ROUTE) {
    for (int i = 0; i < METRIC_ROUTES; i++)
      if (was_used(&durations[i])) write_histogram(out, m, routes[i], i);
  } else if (rows[m].kind == HISTOGRAM)
    write_histogram(out, m, "", 0);
  else if (rows[m].label == NO_LABEL)
    write_sample(out, m, m == METRIC_BUILD ? build : "", 0);
  else
    write_values(out, m);
}

char *metrics_text(size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (!out) return NULL;
  for (int m = 0; m < METRIC_COUNT; m++) {
    fprintf(out, "# TYPE %s %s\n", rows[m].name, kind_names[rows[m].kind]);
    if (*rows[m].unit) fprintf(out, "# UNIT %s %s\n", rows[m].name, rows[m].unit);
    fprintf(out, "# HELP %s %s\n", rows[m].name, rows[m].help);
    write_series(out, (metric)m);
  }
  fputs("# EOF\n", out);
  bool written = !ferror(out);
  if (fclose(out) == 0 && written) return text;
  free(text);
  return NULL;
}
