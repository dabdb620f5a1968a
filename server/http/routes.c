// Routing: a linear walk over the table, each template matched in one pass. A template that fits with another method
// makes the answer 405 with Allow; HEAD is GET without the body (libmicrohttpd drops it).
#include "http/routes.h"

#include <stdio.h>
#include <string.h>

const route http_routes[] = {
    {"POST", "/v1/models", handle_models_create, ROUTE_BODY | ROUTE_BLOCKS | ROUTE_WORK, NULL},
    {"GET", "/v1/models", handle_models_list, ROUTE_QUIET, NULL},
    {"GET", "/v1/models/{name}", handle_models_get, ROUTE_BLOCKS | ROUTE_QUIET, NULL},
    {"PUT", "/v1/models/{name}", handle_models_put, ROUTE_BODY | ROUTE_BLOCKS | ROUTE_WORK, NULL},
    {"DELETE", "/v1/models/{name}", handle_models_delete, ROUTE_BLOCKS | ROUTE_WORK, NULL},
    {"GET", "/v1/models/{name}/revisions", handle_models_revisions, ROUTE_QUIET, NULL},
    {"GET", "/v1/models/{name}/revisions/{n}", handle_models_revision, ROUTE_BLOCKS | ROUTE_QUIET, NULL},
    {"POST", "/v1/models/{name}:evaluate", handle_evaluate,
     ROUTE_BODY | ROUTE_BLOCKS | ROUTE_QUIET | ROUTE_ANY_TYPE | ROUTE_WORK, evaluate_may_run_inline},
    {"POST", "/v1/evaluate", handle_evaluate_inline,
     ROUTE_BODY | ROUTE_BLOCKS | ROUTE_QUIET | ROUTE_ANY_TYPE | ROUTE_WORK, NULL},
    {"POST", "/v1/jobs", handle_jobs_submit, ROUTE_BODY | ROUTE_BLOCKS | ROUTE_WORK, NULL},
    {"GET", "/v1/jobs", handle_jobs_list, ROUTE_BLOCKS | ROUTE_QUIET, NULL},
    {"GET", "/v1/jobs/{id}", handle_jobs_get, ROUTE_QUIET, NULL},
    {"POST", "/v1/jobs/{id}:cancel", handle_jobs_cancel, ROUTE_BLOCKS, NULL},
    {"POST", "/v1/jobs/{id}:retry", handle_jobs_retry, ROUTE_BLOCKS | ROUTE_WORK, NULL},
    {"DELETE", "/v1/jobs/{id}", handle_jobs_delete, ROUTE_BLOCKS | ROUTE_WORK, NULL},
    {"GET", "/v1/jobs/{id}/events", handle_jobs_events, ROUTE_QUIET | ROUTE_EVENTS, NULL},
    {"GET", "/v1/jobs/{id}/result", handle_jobs_result, ROUTE_BLOCKS | ROUTE_QUIET | ROUTE_ANY_TYPE, NULL},
    {"GET", "/v1/examples", handle_examples_list, ROUTE_QUIET, NULL},
    {"GET", "/v1/examples/{name}", handle_examples_get, ROUTE_QUIET, NULL},
    {"GET", "/healthz", handle_health, ROUTE_QUIET, NULL},
    {"GET", "/readyz", handle_ready, ROUTE_QUIET, NULL},
    {"GET", "/v1/limits", handle_limits, ROUTE_QUIET, NULL},
    {"GET", "/v1/version", handle_version, ROUTE_QUIET, NULL},
    {"GET", "/openapi.json", handle_contract, ROUTE_QUIET, NULL},
};
const int http_route_count = sizeof http_routes / sizeof *http_routes;

// Copies the text that {…} stands for; false when it is empty or too long to name anything here.
static bool capture(const char **path, char out[EXCHANGE_PARAMETER_SIZE]) {
  size_t length = strcspn(*path, "/:");
  if (length == 0 || length >= EXCHANGE_PARAMETER_SIZE) return false;
  memcpy(out, *path, length);
  out[length] = '\0';
  *path += length;
  return true;
}

static bool matches(const char *template, const char *path, char parameter[][EXCHANGE_PARAMETER_SIZE]) {
  for (int count = 0; *template;) {
    if (*template == '{') {
      if (count == EXCHANGE_PARAMETERS || !capture(&path, parameter[count++])) return false;
      template = strchr(template, '}') + 1;
    } else if (*template ++ != *path++)
      return false;
  }
  return *path == '\0';
}

static const char *allow_of(const char *path) {
  static _Thread_local char allow[64];
  char ignored[EXCHANGE_PARAMETERS][EXCHANGE_PARAMETER_SIZE];
  size_t used = 0;
  allow[0] = '\0';
  for (int i = 0; i < http_route_count; i++)
    if (matches(http_routes[i].path, path, ignored) && used + 16 < sizeof allow)
      used += (size_t)snprintf(allow + used, sizeof allow - used, "%s%s%s", used ? ", " : "", http_routes[i].method,
                               strcmp(http_routes[i].method, "GET") == 0 ? ", HEAD" : "");
  return allow;
}

const route *routes_find(exchange *x, const char *method, const char *path) {
  const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
  for (int i = 0; i < http_route_count; i++)
    if (strcmp(http_routes[i].method, wanted) == 0 && matches(http_routes[i].path, path, x->parameter))
      return &http_routes[i];
  const char *allow = allow_of(path);
  if (*allow) {
    snprintf(x->allow, sizeof x->allow, "%s", allow);
    fault_set(&x->fault, PROBLEM_METHOD_NOT_ALLOWED, NULL, "%.15s is not a method of this address, only %s", method,
              allow);
  } else
    fault_set(&x->fault, PROBLEM_NOT_FOUND, NULL, "there is nothing at %.180s", path);
  return NULL;
}
