// Every limit of the service in one table; /v1/limits reports it, the code enforces it, the documentation cites it.
// Limits of model documents are the engine's (tendril/spec.h); those of JSON text, jobs and evaluate requests the
// codec's (codec/json/text.h, job.h, evaluate.h).
#ifndef SERVER_BASE_LIMITS_H
#define SERVER_BASE_LIMITS_H

#include <stdint.h>

enum {
  LIMIT_BODY_BYTES = 64 << 20,   ///< request body
  LIMIT_DRAIN_BYTES = 256 << 20, ///< an oversized body is read (and dropped) up to here so that the client sees the 413
  LIMIT_DRAIN_STRANGER_BYTES = 1 << 20, ///< the same of a caller who was refused
  LIMIT_JOBS_QUEUED = 100000,           ///< jobs waiting
  LIMIT_STREAMS = 64,                   ///< results being streamed at once
  LIMIT_CONNECTIONS = 2048,             ///< open HTTP connections; beyond, clients wait in the backlog
  LIMIT_WATCHERS = 1000,                ///< connections that wait for events of jobs
  LIMIT_CALLS = 4096,                   ///< gRPC calls at once, streams included
  LIMIT_MESSAGE_S = 10,                 ///< from the begin of a call that is no stream to its message; then as a body
  LIMIT_CONNECTION_CALLS = 1024,        ///< and on one connection
  LIMIT_WAIT_S = 60,                    ///< patience of one long poll
  LIMIT_EVENTS_PAGE = 200,              ///< events of one reply of a long poll
  LIMIT_PARAMETERS = 64,                // of an address
  LIMIT_REQUEST_HEADER_BYTES = 32 << 10,
  LIMIT_IDLE_S = 60,                ///< an idle or stalled HTTP connection is closed
  LIMIT_HEADER_S = 15,              ///< from the first byte of a request to the end of its headers
  LIMIT_BODY_S = 900,               ///< from there to the end of its body
  LIMIT_BODY_GRACE_S = 15,          ///< after which a body comes at
  LIMIT_BODY_RATE = 8 << 10,        ///< so many bytes a second on average
  LIMIT_REPLY_RATE = 1 << 10,       ///< what waits to be sent is taken at, bytes a second,
  LIMIT_REPLY_WINDOW_S = 60,        ///< over so long
  LIMIT_REPLY_HELD_RATE = 64 << 10, ///< and what lies in memory at
  LIMIT_READ_S = 10,                ///< one read of the store: it keeps the write-ahead log from starting anew
  LIMIT_LIST = 1000,                ///< rows of one list page
  LIMIT_LIST_DEFAULT = 100,
  LIMIT_SWEEP_BYTES = 256 << 20, ///< documents of the jobs of one sweep
  LIMIT_ATTEMPTS = 3,            ///< crashes of workers after which a job fails
  LIMIT_LEASE_S = 12,            ///< a worker that neither speaks nor computes for this long is replaced
  LIMIT_DRAIN_S = 8,             ///< SIGTERM waits this long for running jobs to reach a checkpoint
  LIMIT_WORKERS = 256,
  LIMIT_TOKENS = 1000,           ///< that hold at the same time; each request is compared with all of them
  LIMIT_FRAME_BYTES = 128 << 20, ///< one message between server and worker (a job with its documents)
};

/// Bytes of one evaluate reply and of one job's result.
static const uint64_t LIMIT_REPLY_BYTES = UINT64_C(1) << 30;
/// Of the derivatives that a fit holds.
static const uint64_t LIMIT_FIT_BYTES = UINT64_C(256) << 20;
static const uint64_t LIMIT_RESULT_BYTES = UINT64_C(8) << 30;
/// Of the models that a job is differentiated around, and of the derivatives of one of its rows.
static const uint64_t LIMIT_NEIGHBOUR_BYTES = UINT64_C(1) << 30;
static const uint64_t LIMIT_ROW_BYTES = UINT64_C(64) << 20;

#endif
