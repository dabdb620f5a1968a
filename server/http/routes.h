// The table of routes, in the order of the contract, and how a request finds its row.
#ifndef SERVER_HTTP_ROUTES_H
#define SERVER_HTTP_ROUTES_H

#include "http/exchange.h"

extern const route http_routes[];
extern const int http_route_count;

/// Finds the route of method and path and fills x->parameter. Otherwise NULL, with x->fault (404, or 405 and x->allow).
const route *routes_find(exchange *x, const char *method, const char *path);
/// True when the route has all the parameters of the query; otherwise false, with x->fault. Public routes take any.
bool routes_check_query(exchange *x);

/// The number of a route's series of metrics; NULL: that of requests without a route.
int routes_series(const route *r);
/// Names those series.
void routes_name_metrics(void);
/// Percent-decoding in place; returns the new length. %00 stays: a NUL would cut the path short and make two addresses
/// one.
size_t routes_unescape(char *text);

// Handlers, by the file that holds them.
void handle_health(exchange *x); // handlers/about.c
void handle_ready(exchange *x);
void handle_version(exchange *x);
void handle_limits(exchange *x);
void handle_contract(exchange *x);
void handle_metrics(exchange *x);
void handle_examples_list(exchange *x);
void handle_examples_get(exchange *x);
void handle_models_create(exchange *x); // handlers/models.c
void handle_models_list(exchange *x);
void handle_models_get(exchange *x);
void handle_models_put(exchange *x);
void handle_models_delete(exchange *x);
void handle_models_revisions(exchange *x);
void handle_models_revision(exchange *x);
void handle_evaluate(exchange *x); // handlers/evaluate.c
void handle_evaluate_inline(exchange *x);
bool evaluate_may_run_inline(exchange *x);
void handle_jobs_submit(exchange *x); // handlers/jobs.c
void handle_jobs_list(exchange *x);
void handle_jobs_get(exchange *x);
void handle_jobs_cancel(exchange *x);
void handle_jobs_retry(exchange *x);
void handle_jobs_delete(exchange *x);
void handle_jobs_document(exchange *x);
void handle_jobs_result(exchange *x);   // handlers/results.c
void handle_jobs_events(exchange *x);   // handlers/events.c
void handle_tokens_create(exchange *x); // handlers/tokens.c
void handle_tokens_list(exchange *x);
void handle_tokens_get(exchange *x);
void handle_tokens_delete(exchange *x);

void handle_dashboard(exchange *x); // handlers/dashboard.c
void handle_dashboard_asset(exchange *x);

#endif
