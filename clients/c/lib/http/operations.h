// Written by api/write_operations.py from api/openapi.yaml: method and path of every operation.
#ifndef TENDRIL_CLIENT_LIB_OPERATIONS_H
#define TENDRIL_CLIENT_LIB_OPERATIONS_H

typedef struct client_operation {
  const char *method, *path;
} client_operation;

#define CLIENT_MODELS_CREATE ((client_operation){"POST", "/v1/models"})
#define CLIENT_MODELS_LIST ((client_operation){"GET", "/v1/models"})
#define CLIENT_MODELS_IMPORT ((client_operation){"POST", "/v1/models:import"})
#define CLIENT_MODELS_GET ((client_operation){"GET", "/v1/models/{name}"})
#define CLIENT_MODELS_PUT ((client_operation){"PUT", "/v1/models/{name}"})
#define CLIENT_MODELS_DELETE ((client_operation){"DELETE", "/v1/models/{name}"})
#define CLIENT_MODELS_REVISIONS ((client_operation){"GET", "/v1/models/{name}/revisions"})
#define CLIENT_MODELS_REVISION ((client_operation){"GET", "/v1/models/{name}/revisions/{n}"})
#define CLIENT_EVALUATE ((client_operation){"POST", "/v1/models/{name}:evaluate"})
#define CLIENT_EVALUATE_INLINE ((client_operation){"POST", "/v1/evaluate"})
#define CLIENT_JOBS_SUBMIT ((client_operation){"POST", "/v1/jobs"})
#define CLIENT_JOBS_LIST ((client_operation){"GET", "/v1/jobs"})
#define CLIENT_JOBS_GET ((client_operation){"GET", "/v1/jobs/{id}"})
#define CLIENT_JOBS_DELETE ((client_operation){"DELETE", "/v1/jobs/{id}"})
#define CLIENT_JOBS_CANCEL ((client_operation){"POST", "/v1/jobs/{id}:cancel"})
#define CLIENT_JOBS_RETRY ((client_operation){"POST", "/v1/jobs/{id}:retry"})
#define CLIENT_JOBS_DOCUMENT ((client_operation){"GET", "/v1/jobs/{id}/document"})
#define CLIENT_JOBS_EVENTS ((client_operation){"GET", "/v1/jobs/{id}/events"})
#define CLIENT_JOBS_RESULT ((client_operation){"GET", "/v1/jobs/{id}/result"})
#define CLIENT_TOKENS_CREATE ((client_operation){"POST", "/v1/tokens"})
#define CLIENT_TOKENS_LIST ((client_operation){"GET", "/v1/tokens"})
#define CLIENT_TOKENS_GET ((client_operation){"GET", "/v1/tokens/{id}"})
#define CLIENT_TOKENS_DELETE ((client_operation){"DELETE", "/v1/tokens/{id}"})
#define CLIENT_NODES_LIST ((client_operation){"GET", "/v1/nodes"})
#define CLIENT_NODES_DRAIN ((client_operation){"POST", "/v1/nodes/{node}/drain"})
#define CLIENT_EXAMPLES_LIST ((client_operation){"GET", "/v1/examples"})
#define CLIENT_EXAMPLES_GET ((client_operation){"GET", "/v1/examples/{name}"})
#define CLIENT_HEALTH ((client_operation){"GET", "/healthz"})
#define CLIENT_READY ((client_operation){"GET", "/readyz"})
#define CLIENT_METRICS ((client_operation){"GET", "/metrics"})
#define CLIENT_LIMITS ((client_operation){"GET", "/v1/limits"})
#define CLIENT_VERSION ((client_operation){"GET", "/v1/version"})

#endif
