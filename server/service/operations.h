// The table of operations: what the server offers, once for both faces.
//
// A route of HTTP (the contract) and a method of gRPC (rpc/methods.h) each point at the row of what they do, and take
// from it who may call, in which threads it runs, whether it is refused while the server stops, and how loud its
// success is. So the two cannot differ in that. An operation has one route and one method at the most; the names are
// the operationIds of api/openapi.yaml.
#ifndef SERVER_SERVICE_OPERATIONS_H
#define SERVER_SERVICE_OPERATIONS_H

#include "service/access/auth.h"

/// A line per operation: name (the operationId of the contract), who may call, in which threads it runs, what it does
/// to the server's work.
#define OPERATIONS(LINE)                                                                                               \
  LINE(MODELS_CREATE, models_create, RUN, WRITES, CHANGES)                                                             \
  LINE(MODELS_LIST, models_list, READ, READS, LOOKS)                                                                   \
  LINE(MODELS_GET, models_get, READ, COMPUTES, LOOKS)                                                                  \
  LINE(MODELS_PUT, models_put, RUN, WRITES, CHANGES)                                                                   \
  LINE(MODELS_DELETE, models_delete, RUN, WRITES, CHANGES)                                                             \
  LINE(MODELS_REVISIONS, models_revisions, READ, WAITS, LOOKS)                                                         \
  LINE(MODELS_IMPORT, models_import, RUN, COMPUTES, EVALUATES)                                                         \
  LINE(MODELS_REVISION, models_revision, READ, COMPUTES, LOOKS)                                                        \
  LINE(EVALUATE, evaluate, RUN, COMPUTES, EVALUATES)                                                                   \
  LINE(EVALUATE_INLINE, evaluate_inline, RUN, COMPUTES, EVALUATES)                                                     \
  LINE(EVALUATE_STREAM, evaluate_stream, RUN, COMPUTES, EVALUATES)                                                     \
  LINE(JOBS_SUBMIT, jobs_submit, RUN, WRITES, CHANGES)                                                                 \
  LINE(JOBS_LIST, jobs_list, READ, WAITS, LOOKS)                                                                       \
  LINE(JOBS_GET, jobs_get, READ, READS, LOOKS)                                                                         \
  LINE(JOBS_CANCEL, jobs_cancel, RUN, WRITES, ENDS)                                                                    \
  LINE(JOBS_RETRY, jobs_retry, RUN, WRITES, CHANGES)                                                                   \
  LINE(JOBS_DELETE, jobs_delete, RUN, WRITES, CHANGES)                                                                 \
  LINE(JOBS_DOCUMENT, jobs_document, READ, WAITS, LOOKS)                                                               \
  LINE(JOBS_EVENTS, jobs_events, READ, READS, LOOKS)                                                                   \
  LINE(JOBS_RESULT, jobs_result, READ, COMPUTES, LOOKS)                                                                \
  LINE(TOKENS_CREATE, tokens_create, ADMIN, WRITES, CHANGES)                                                           \
  LINE(TOKENS_LIST, tokens_list, ADMIN, READS, LOOKS)                                                                  \
  LINE(TOKENS_GET, tokens_get, ADMIN, READS, LOOKS)                                                                    \
  LINE(TOKENS_DELETE, tokens_delete, ADMIN, WRITES, CHANGES)                                                           \
  LINE(NODES_LIST, nodes_list, READ, READS, LOOKS)                                                                     \
  LINE(NODES_DRAIN, nodes_drain, RUN, WRITES, CHANGES)                                                                 \
  LINE(EXAMPLES_LIST, examples_list, READ, HERE, LOOKS)                                                                \
  LINE(EXAMPLES_GET, examples_get, READ, HERE, LOOKS)                                                                  \
  LINE(HEALTH, health, PUBLIC, HERE, LOOKS)                                                                            \
  LINE(HEALTH_WATCH, health_watch, PUBLIC, HERE, LOOKS)                                                                \
  LINE(READY, ready, PUBLIC, READS, LOOKS)                                                                             \
  LINE(METRICS, metrics, READ, WAITS, LOOKS)                                                                           \
  LINE(LIMITS, limits, READ, HERE, LOOKS)                                                                              \
  LINE(VERSION, version, PUBLIC, HERE, LOOKS)                                                                          \
  LINE(CONTRACT, contract, PUBLIC, HERE, LOOKS)                                                                        \
  LINE(REFLECTION, reflection, PUBLIC, HERE, LOOKS)                                                                    \
  LINE(REFLECTION_ALPHA, reflection_alpha, PUBLIC, HERE, LOOKS)                                                        \
  LINE(DASHBOARD, dashboard, PUBLIC, HERE, LOOKS)                                                                      \
  LINE(DOCS, docs, PUBLIC, HERE, LOOKS)                                                                                \
  LINE(DASHBOARD_ASSET, dashboard_asset, PUBLIC, HERE, LOOKS)

typedef enum operation_id {
#define LINE(ID, name, scope, pool, work) OPERATION_##ID,
  OPERATIONS(LINE)
#undef LINE
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
