// The table of routes, in the order of the contract, and how a request finds its row.
#ifndef SERVER_HTTP_ROUTES_H
#define SERVER_HTTP_ROUTES_H

#include "http/exchange.h"

extern const route http_routes[];
extern const int http_route_count;

/// Finds the route of method and path and fills x->parameter. Otherwise NULL, with x->fault (404, or 405 and x->allow).
const route *routes_find(exchange *x, const char *method, const char *path);

// Handlers, by the file that holds them.
void handle_health(exchange *x); // handlers_operations.c
void handle_ready(exchange *x);
void handle_version(exchange *x);
void handle_limits(exchange *x);
void handle_contract(exchange *x);
void handle_examples_list(exchange *x);
void handle_examples_get(exchange *x);
void handle_models_create(exchange *x); // handlers_models.c
void handle_models_list(exchange *x);
void handle_models_get(exchange *x);
void handle_models_put(exchange *x);
void handle_models_delete(exchange *x);
void handle_models_revisions(exchange *x);
void handle_models_revision(exchange *x);
void handle_evaluate(exchange *x); // handlers_evaluate.c
void handle_evaluate_inline(exchange *x);
bool evaluate_may_run_inline(exchange *x);
void handle_jobs_submit(exchange *x); // handlers_jobs.c
void handle_jobs_list(exchange *x);
void handle_jobs_get(exchange *x);
void handle_jobs_cancel(exchange *x);
void handle_jobs_retry(exchange *x);
void handle_jobs_delete(exchange *x);
void handle_jobs_result(exchange *x);
void handle_jobs_events(exchange *x); // handlers_events.c

#endif
