// Routing: a linear walk over the table, each template matched in one pass. A template that fits with another method
// makes the answer 405 with Allow; HEAD is GET without the body (libmicrohttpd drops it).
#include "http/routes.h"
#include "base/log/metrics.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const route http_routes[] = {
#define LINE(method, path, ID, name, flags, query)                                                                     \
  {method, path, &operations[OPERATION_##ID], handle_##name, flags, query},
    HTTP_ROUTES(LINE)
#undef LINE
};
const int http_route_count = sizeof http_routes / sizeof *http_routes;

static bool (*const short_enough[OPERATION_COUNT])(exchange *x) = {[OPERATION_EVALUATE] = evaluate_may_run_inline};

static size_t number_of(const operation *o) {
  assert(o >= operations && o < operations + OPERATION_COUNT);
  return (size_t)(o - operations);
}

bool routes_are_short(const route *r) { return short_enough[number_of(r->operation)] != NULL; }

bool routes_may_run_inline(exchange *x) {
  return routes_are_short(x->route) && short_enough[number_of(x->route->operation)](x);
}

void routes_name_metrics(void) {
  for (int i = 0; i < http_route_count; i++)
    metrics_name_route(routes_series(&http_routes[i]), http_routes[i].method, http_routes[i].path);
  metrics_name_route(routes_series(NULL), "", "");
}

int routes_series(const route *r) { return operation_series(OPERATION_OVER_HTTP, r ? r->operation : NULL); }

// One of the words of `names`.
static bool is_among(const char *names, const char *name) {
  size_t length = strlen(name);
  for (const char *word = names; word; word = strchr(word, ' ') ? strchr(word, ' ') + 1 : NULL)
    if (strcspn(word, " ") == length && strncmp(word, name, length) == 0) return true;
  return false;
}

typedef struct query_check {
  exchange *x;
  bool good;
} query_check;

typedef struct counting {
  const char *name;
  int count;
} counting;

static enum MHD_Result count_name(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
  counting *c = context;
  (void)kind, (void)value;
  c->count += strcmp(name, c->name) == 0;
  return MHD_YES;
}

static bool comes_once(exchange *x, const char *name) {
  counting c = {.name = name};
  MHD_get_connection_values(x->connection, MHD_GET_ARGUMENT_KIND, count_name, &c);
  return c.count == 1 || fault_set(&x->fault, PROBLEM_INVALID_ARGUMENT, NULL,
                                   "the address has the parameter \"%s\" %d times", name, c.count);
}

static enum MHD_Result check_name(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
  query_check *check = context;
  const char *known = check->x->route->query;
  (void)kind, (void)value;
  check->good = is_among(known, name);
  if (!check->good)
    fault_set(&check->x->fault, PROBLEM_INVALID_ARGUMENT, NULL, "\"%.60s\" is not a parameter of this address, %s%s",
              name, known ? "only: " : "which has none", known ? known : "");
  check->good = check->good && comes_once(check->x, name);
  return check->good ? MHD_YES : MHD_NO;
}

bool routes_check_query(exchange *x) {
  query_check check = {.x = x, .good = true};
  assert(x->route);
  if (x->route->operation->scope != AUTH_PUBLIC)
    MHD_get_connection_values(x->connection, MHD_GET_ARGUMENT_KIND, check_name, &check);
  return check.good;
}

static int hex_digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

size_t routes_unescape(char *text) {
  char *out = text;
  for (const char *in = text; *in;) {
    int high = *in == '%' ? hex_digit(in[1]) : -1, low = high >= 0 ? hex_digit(in[2]) : -1;
    bool escape = low >= 0 && high + low > 0;
    *out++ = escape ? (char)(16 * high + low) : *in;
    in += escape ? 3 : 1;
  }
  *out = '\0';
  return (size_t)(out - text);
}

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

// Whether the path with a colon for its last slash is one: /v1/models/arm/evaluate for /v1/models/arm:evaluate.
static bool lacks_colon(const char *path) {
  char colon[256], ignored[EXCHANGE_PARAMETERS][EXCHANGE_PARAMETER_SIZE];
  size_t length = strlen(path);
  if (length >= sizeof colon) return false;
  memcpy(colon, path, length + 1);
  char *last = strrchr(colon, '/');
  if (!last) return false;
  *last = ':';
  for (int i = 0; i < http_route_count; i++)
    if (strchr(http_routes[i].path, ':') && matches(http_routes[i].path, colon, ignored)) return true;
  return false;
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
    fault_set(&x->fault, PROBLEM_NOT_FOUND, NULL, "there is nothing at %.180s%s", path,
              lacks_colon(path) ? ": an action follows a colon, not a slash" : "");
  return NULL;
}
