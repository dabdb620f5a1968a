// What the process counts, for GET /metrics: one table of metrics (metrics.c) and their values.
//
//   metrics_add(METRIC_ATTEMPTS, ATTEMPT_CRASHED, 1);
//   metrics_observe(METRIC_REQUEST_DURATION, route, seconds);
//
// A metric has one series, or one per value of its label. Values are process-wide atomics, so that every part may count
// without knowing who reads. Adding a metric is adding a row.
#ifndef SERVER_BASE_LOG_METRICS_H
#define SERVER_BASE_LOG_METRICS_H

#include <stddef.h>
#include <stdint.h>

typedef enum metric {
  METRIC_BUILD,
  METRIC_JOBS,           ///< by job_state
  METRIC_JOBS_SUBMITTED, //
  METRIC_JOBS_ENDED,     ///< by job_state
  METRIC_JOBS_PRUNED,    ///< by metric_prune
  METRIC_RESULTS_LOST,
  METRIC_RESULTS_REFUSED,
  METRIC_ATTEMPTS, ///< by attempt_end
  METRIC_LEASES_LOST,
  METRIC_WORKERS, ///< by metric_activity
  METRIC_WORKER_STARTS,
  METRIC_WORKER_RESTARTS,
  METRIC_REQUESTS,         ///< by route * METRIC_CLASSES + class
  METRIC_REQUEST_DURATION, ///< by route
  METRIC_CONNECTIONS,
  METRIC_CONNECTIONS_DROPPED, ///< by reason: header, body, reply, room
  METRIC_CONNECTIONS_REFUSED,
  METRIC_EVALUATED_STATES,
  METRIC_WATCHERS,
  METRIC_RESULT_STREAMS,
  METRIC_STORE_UP,
  METRIC_DATABASE_BYTES,
  METRIC_WAL_BYTES,
  METRIC_RESULT_BYTES,
  METRIC_COMMITS,
  METRIC_COMMIT_DURATION,
  METRIC_STATEMENTS,
  METRIC_FETCHED_BYTES,
  METRIC_SOLVER_STEPS,
  METRIC_SOLVER_REJECTED,
  METRIC_SOLVER_EVALUATIONS,
  METRIC_SOLVER_JACOBIANS,
  METRIC_SOLVER_FACTORISATIONS,
  METRIC_SOLVER_NEWTON,
  METRIC_SOLVER_FAILURES,
  METRIC_MEMORY,         ///< by budget_account
  METRIC_MEMORY_REFUSED, ///< by budget_account
  METRIC_MEMORY_BUDGET,
  METRIC_RESIDENT_BYTES,
  METRIC_OPEN_FILES,
  METRIC_MAX_FILES,
  METRIC_PROCESSOR_SECONDS,
  METRIC_START_TIME,
  METRIC_COUNT
} metric;

typedef enum metric_prune { METRIC_PRUNED_AGE, METRIC_PRUNED_QUOTA } metric_prune;
typedef enum metric_activity { METRIC_BUSY, METRIC_IDLE } metric_activity;

enum { METRIC_CLASSES = 5, METRIC_ROUTES = 96, METRIC_ROUTE_SIZE = 96 };

/// The labels of series number `route`, and of no route (the one after the last). Called while nobody counts yet.
void metrics_name_route(int route, const char *method, const char *path);
/// Labels of METRIC_BUILD.
void metrics_name_build(const char *version, const char *cpu_level);

/// Counters, and gauges that rise and fall. A series beyond the label's values is ignored.
void metrics_add(metric m, int series, int64_t n);
/// Gauges, and counters that somebody else keeps.
void metrics_set(metric m, int series, int64_t value);
/// The same in seconds, for metrics whose unit that is.
void metrics_set_seconds(metric m, double seconds);
/// Histograms.
void metrics_observe(metric m, int series, double seconds);

/// Fills the process's own gauges: memory, descriptors, processor time.
void metrics_read_process(void);
/// OpenMetrics text 1.0 of everything, to be freed; NULL when there is not enough memory.
char *metrics_text(size_t *size);

#endif
