// The table of operations: what the server offers, once for both faces.
//
// A route of HTTP (http/routes.c) and a method of gRPC (rpc/methods.c) each point at the row of what they do, and take
// from it who may call, in which threads it runs, whether it is refused while the server stops, and how loud its
// success is. So the two cannot differ in that. An operation has one route and one method at the most; the names are
// the operationIds of api/openapi.yaml.
#ifndef SERVER_SERVICE_OPERATIONS_H
#define SERVER_SERVICE_OPERATIONS_H

#include "service/access/auth.h"

/// In the order of the contract.
typedef enum operation_id {
  OPERATION_MODELS_CREATE,
  OPERATION_MODELS_LIST,
  OPERATION_MODELS_GET,
  OPERATION_MODELS_PUT,
  OPERATION_MODELS_DELETE,
  OPERATION_MODELS_REVISIONS,
  OPERATION_MODELS_REVISION,
  OPERATION_EVALUATE,
  OPERATION_EVALUATE_INLINE,
  OPERATION_EVALUATE_STREAM,
  OPERATION_JOBS_SUBMIT,
  OPERATION_JOBS_LIST,
  OPERATION_JOBS_GET,
  OPERATION_JOBS_CANCEL,
  OPERATION_JOBS_RETRY,
  OPERATION_JOBS_DELETE,
  OPERATION_JOBS_DOCUMENT,
  OPERATION_JOBS_EVENTS,
  OPERATION_JOBS_RESULT,
  OPERATION_TOKENS_CREATE,
  OPERATION_TOKENS_LIST,
  OPERATION_TOKENS_GET,
  OPERATION_TOKENS_DELETE,
  OPERATION_EXAMPLES_LIST,
  OPERATION_EXAMPLES_GET,
  OPERATION_HEALTH,
  OPERATION_HEALTH_WATCH,
  OPERATION_READY,
  OPERATION_METRICS,
  OPERATION_LIMITS,
  OPERATION_VERSION,
  OPERATION_CONTRACT,
  OPERATION_REFLECTION,
  OPERATION_REFLECTION_ALPHA,
  OPERATION_DASHBOARD,
  OPERATION_DASHBOARD_ASSET,
  OPERATION_COUNT
} operation_id;

/// The threads in which it runs.
typedef enum operation_pool {
  OPERATION_HERE, ///< the event loop: it is answered from memory, or sleeps
  /// Reads a row or a page of the store by an index: HTTP's event loops. gRPC has only one and takes OPERATION_WAITS.
  OPERATION_READS,
  OPERATION_WAITS, ///< reads much of the store: one of many threads
  /// The same for what waits until the disk has a change, in threads of its own: many of them share a commit.
  OPERATION_WRITES,
  OPERATION_COMPUTES ///< computes, or makes a large reply: one of about a thread per core
} operation_pool;

/// What it does to the server's work: by that it is taken or refused while the server stops, and its success logged.
typedef enum operation_work {
  OPERATION_LOOKS,     ///< changes nothing and costs little
  OPERATION_EVALUATES, ///< changes nothing, but is work: refused while the server stops
  OPERATION_CHANGES,   ///< changes something: refused while the server stops, and logged
  OPERATION_ENDS       ///< makes work end: always taken, and logged
} operation_work;

typedef struct operation {
  const char *name;
  auth_scope scope; ///< what its caller needs
  operation_pool pool;
  operation_work work;
} operation;
extern const operation operations[OPERATION_COUNT];

/// It is refused while the server stops.
bool operation_starts_work(const operation *o);
/// Its successes are logged at debug level only.
bool operation_is_quiet(const operation *o);

typedef enum operation_face { OPERATION_OVER_HTTP, OPERATION_OVER_GRPC, OPERATION_FACE_COUNT } operation_face;
/// The number of its series of metrics; NULL: that of requests for which there is no operation.
int operation_series(operation_face face, const operation *o);

#endif
