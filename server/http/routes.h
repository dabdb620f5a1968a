// The table of routes, and how a request finds its row. The table is the contract's: routes.py writes it from
// api/openapi.yaml when the server is built, and an operation that has no handler does not link.
#ifndef SERVER_HTTP_ROUTES_H
#define SERVER_HTTP_ROUTES_H

#include "http/exchange.h"
#include "http/routes_table.h" // made at build time

extern const route http_routes[];
extern const int http_route_count;

/// Finds the route of method and path and fills x->parameter. Otherwise NULL, with x->fault (404, or 405 and x->allow).
const route *routes_find(exchange *x, const char *method, const char *path);
/// True when the route has all the parameters of the query; otherwise false, with x->fault. Public routes take any.
bool routes_check_query(exchange *x);

/// Of an exchange that computes: true when this very request is sure to be short and may run in the event loop.
bool routes_may_run_inline(exchange *x);
/// Whether some requests of the route may.
bool routes_are_short(const route *r);

/// The number of a route's series of metrics; NULL: that of requests without a route.
int routes_series(const route *r);
/// Names those series.
void routes_name_metrics(void);
/// Percent-decoding in place; returns the new length. %00 stays: a NUL would cut the path short and make two addresses
/// one.
size_t routes_unescape(char *text);

// The handlers, handle_<operation>; they stand in handlers/, in a file per room of the service.
#define LINE(method, path, ID, name, flags, query) void handle_##name(exchange *x);
HTTP_ROUTES(LINE)
#undef LINE
bool evaluate_may_run_inline(exchange *x); // handlers/evaluate.c

#endif
