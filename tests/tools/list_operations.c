// Prints the tables of the program as JSON, for tests that compare them with the contract: {"operations", "routes",
// "methods", "no_operation", "quantities"}.
#include "codec/evaluate/quantity.h"
#include "http/routes.h"
#include "rpc/methods.h"

#include <jansson.h>
#include <stdio.h>

static json_t *list_operations(void) {
  static const char *const pools[] = {[OPERATION_HERE] = "here",
                                      [OPERATION_READS] = "reads",
                                      [OPERATION_WAITS] = "waits",
                                      [OPERATION_WRITES] = "writes",
                                      [OPERATION_COMPUTES] = "computes"};
  static const char *const works[] = {[OPERATION_LOOKS] = "looks",
                                      [OPERATION_EVALUATES] = "evaluates",
                                      [OPERATION_CHANGES] = "changes",
                                      [OPERATION_ENDS] = "ends"};
  json_t *list = json_array();
  for (int i = 0; i < OPERATION_COUNT; i++) {
    const operation *o = &operations[i];
    json_array_append_new(list, json_pack("{s:s?, s:s, s:s, s:s}", "name", o->name, "scope", auth_scope_name(o->scope),
                                          "pool", pools[o->pool], "work", works[o->work]));
  }
  return list;
}

static json_t *list_routes(void) {
  json_t *list = json_array();
  for (int i = 0; i < http_route_count; i++) {
    const route *r = &http_routes[i];
    bool npz = r->flags & ROUTE_ANY_TYPE;
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i, s:s?, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b}",
                                          "method", r->method, "path", r->path, "operation", r->operation->name,
                                          "series", routes_series(r), "query", r->query, "body",
                                          (r->flags & ROUTE_BODY) != 0, "npz", npz, "archive",
                                          (r->flags & ROUTE_ARCHIVE) != 0, "csv", (r->flags & ROUTE_CSV) != 0, "events",
                                          (r->flags & ROUTE_EVENTS) != 0, "metrics", (r->flags & ROUTE_METRICS) != 0,
                                          "page", (r->flags & ROUTE_PAGE) != 0, "short", routes_are_short(r)));
  }
  return list;
}

static json_t *list_methods(void) {
  json_t *list = json_array();
  for (int i = 0; i < rpc_method_count; i++) {
    const rpc_method *m = &rpc_methods[i];
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:i, s:s, s:b, s:b, s:b}", "path", m->path, "operation",
                                    m->operation->name, "series", operation_series(OPERATION_OVER_GRPC, m->operation),
                                    "request", m->request->name, "reads", (m->flags & RPC_READS) != 0, "sends",
                                    (m->flags & RPC_SENDS) != 0, "short", m->short_enough != NULL));
  }
  return list;
}

static json_t *list_quantities(void) {
  json_t *list = json_array();
  for (int i = 0; i < codec_quantity_count(); i++) json_array_append_new(list, json_string(codec_quantity_name(i)));
  return list;
}

int main(void) {
  json_t *all = json_pack("{s:o, s:o, s:o, s:[i,i], s:o}", "operations", list_operations(), "routes", list_routes(),
                          "methods", list_methods(), "no_operation", routes_series(NULL),
                          operation_series(OPERATION_OVER_GRPC, NULL), "quantities", list_quantities());
  if (!all) return 1;
  int failed = json_dumpf(all, stdout, JSON_INDENT(1));
  json_decref(all);
  return failed ? 1 : 0;
}
