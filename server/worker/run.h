// One job, from its documents to a result archive. No server, no store, no socket here: `tendril-worker` calls it for the
// server (served.c) and for a person (local.c).
#ifndef SERVER_WORKER_RUN_H
#define SERVER_WORKER_RUN_H

#include "codec/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct run_request {
  const char *model; ///< tendril.model/1 JSON text; NULL: inside the job document
  size_t model_size;
  const char *job; ///< JSON text
  size_t job_size;
  const char *model_name; ///< for the summary; NULL or "": inline
  int64_t model_revision;
  const char *model_sha256; ///< NULL: not known
  int attempt;
} run_request;

typedef struct run_observer {
  void *context;
  /// At step boundaries, at most about ten times a second, and once at the end. Return false to cancel.
  bool (*progress)(void *context, double fraction, double t, double t_end);
} run_observer;

/// Runs a job and writes its archive to `fd` (seekable, empty).
///
/// Members of dynamics: t [T], one per output field [T, …]; of statics: u, q, converged, stable, iterations, residual
/// [S, …]; both: `summary`, JSON bytes.
/// @return TD_OK; TD_CANCELLED; otherwise `err` says why, with a pointer into the job (or "/model…")
TD_NODISCARD td_status run_job(const run_request *request, const run_observer *observer, int fd, uint64_t *size,
                               td_error *err);

#endif
