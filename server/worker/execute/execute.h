// One job, from its documents to a result archive. No server, no store, no socket here: `tendril-worker` calls it for
// the server (served.c) and for a person (local.c).
#ifndef SERVER_WORKER_EXECUTE_H
#define SERVER_WORKER_EXECUTE_H

#include "codec/document/job/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct execute_request {
  const char *model; ///< tendril.model/1 JSON text; NULL: inside the job document
  size_t model_size;
  const char *job; ///< JSON text
  size_t job_size;
  const char *model_name; ///< for the summary; of a model that is stored
  int64_t model_revision;
  const char *model_sha256; ///< NULL: not known
  int attempt;
  const void *resume; ///< state of an earlier attempt's checkpoint, NULL: from the start; of another build: ignored
  size_t resume_size;
  int resume_fd;        ///< its rows, from byte 0
  uint64_t resume_rows; ///< their bytes
  double wall_s;        ///< max_wall_s, unless the document has one; 0: no bound
} execute_request;

typedef struct execute_progress {
  double fraction; ///< of the work, never less than it was
  double t, t_end;
  bool checking; ///< the run is over, a second one measures its errors
} execute_progress;

typedef struct execute_observer {
  void *context;
  /// At step boundaries, at most about ten times a second. Return false to cancel.
  bool (*progress)(void *context, const execute_progress *now);
  /// Once, at the end, whatever it is: what the solver did since the job began, and the warnings. NULL: nobody asks.
  void (*finished)(void *context, const td_run_statistics *statistics, const td_warnings *warnings);
  /// For how long the process was stopped while others had their turn: that time is not the job's. NULL: never.
  double (*away_s)(void *context);
  /// The job may run for so many more seconds. NULL: nobody asks.
  void (*bounded)(void *context, double wall_s);
  /// Before a failure that is not the job's: temporary files could not be written or read. NULL: nobody asks.
  void (*disk_failed)(void *context);
  // Checkpoints; NULL, all six: none are kept. The run passes its checkpoints whether or not they are kept.
  /// Is this one wanted?
  bool (*wants_checkpoint)(void *context);
  /// Are the rows wanted meanwhile that no checkpoint has yet, to be read?
  bool (*wants_glance)(void *context);
  /// The job ends before its end, by a cancel or for want of time: are the rows wanted that no checkpoint has?
  bool (*wants_rest)(void *context);
  /// Rows since the last one that was wanted, at `offset` bytes of all. False: stop.
  bool (*rows)(void *context, uint64_t offset, const void *bytes, size_t size);
  /// The first `samples` rows, up to byte `rows`, and `state` are all that another attempt needs. False: stop.
  bool (*checkpoint)(void *context, uint64_t samples, uint64_t rows, const void *state, size_t size);
  /// The first `samples` rows may be read with `state`; nothing goes on from them. False: stop.
  bool (*glance)(void *context, uint64_t samples, uint64_t rows, const void *state, size_t size);
} execute_observer;

/// Runs a job and writes its archive to `fd` (seekable, empty).
///
/// Members of dynamics: t [T], one per output field [T, …]; of statics: u, q, converged, stable, iterations, residual
/// [S, …], NaN in rows of problems without a solution; of linearize: t, q, qd, u, A, B [K, …]; all: `summary`, JSON
/// bytes. A job that came to its end although what it says cannot be trusted (TD_INCONSISTENT) or is not all that was
/// asked for (TD_UNCONVERGED) has a whole archive: *size > 0. Its last checkpoint holds all rows and this verdict.
/// @return TD_OK; TD_CANCELLED; otherwise `err` says why, with a pointer into the job (or "/model…")
TD_NODISCARD td_status execute_job(const execute_request *request, const execute_observer *observer, int fd,
                                   uint64_t *size, td_error *err);

/// Writes the archive of the rows that the request's checkpoint holds, without running anything. Its summary says
/// `partial` and has no times: the same checkpoint gives the same bytes.
TD_NODISCARD td_status execute_assemble(const execute_request *request, int fd, uint64_t *size, td_error *err);

#endif
