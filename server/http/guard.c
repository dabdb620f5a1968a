// Checks on headers only. The first that fails decides; nothing of the body has been read then.
#include "http/guard.h"
#include "base/limits.h"
#include "http/routes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
  const char *name;
  unsigned body, reply; // flags of routes that take it, that give it besides JSON
} media_types[MEDIA_COUNT] = {[MEDIA_JSON] = {"application/json", ~0U, 0},
                              [MEDIA_NPZ] = {"application/x-npz", ROUTE_ANY_TYPE | ROUTE_ARCHIVE, ROUTE_ANY_TYPE},
                              [MEDIA_CSV] = {"text/csv", 0, ROUTE_CSV},
                              [MEDIA_EVENTS] = {"text/event-stream", 0, ROUTE_EVENTS},
                              [MEDIA_METRICS] = {"application/openmetrics-text", 0, ROUTE_METRICS}};

static bool gives(unsigned flags, media type) {
  return type == MEDIA_JSON ? !(flags & ROUTE_METRICS) : (media_types[type].reply & flags) != 0;
}

// --------------------------------------------------------------------------------------------------------- who calls

// The address of a request may be whole, as proxies get it: http://HOST/PATH. Then HOST counts (RFC 9112, 3.2.2).
bool guard_target(exchange *x, const char **path) {
  size_t scheme = strncasecmp(*path, "http://", 7) == 0 ? 7 : strncasecmp(*path, "https://", 8) == 0 ? 8 : 0;
  if (scheme == 0) return true;
  const char *authority = *path + scheme;
  size_t length = strcspn(authority, "/");
  char host[256];
  if (length >= sizeof host)
    return fault_set(&x->fault, PROBLEM_INVALID_ARGUMENT, NULL, "the host of the address has %zu bytes", length);
  snprintf(host, sizeof host, "%.*s", (int)length, authority);
  *path = authority[length] ? authority + length : "/";
  return auth_check_host(x->service->auth, host, &x->fault);
}

bool guard_origin(exchange *x) {
  const char *host = exchange_header(x, MHD_HTTP_HEADER_HOST), *origin = exchange_header(x, MHD_HTTP_HEADER_ORIGIN);
  const auth *a = x->service->auth;
  return auth_check_host(a, host, &x->fault) && auth_check_origin(a, origin, host, &x->fault);
}

bool guard_caller(exchange *x) {
  char peer[ADDRESS_SIZE];
  exchange_peer(x, peer);
  return auth_check(x->service->auth, *peer ? peer : NULL, exchange_header(x, MHD_HTTP_HEADER_AUTHORIZATION),
                    x->route->operation->scope, &x->caller, &x->fault);
}

// --------------------------------------------------------------------------------------------------------------- body

// What may stand in a request once: where two say different things, whoever forwards it may have read the other.
static const char *const single[] = {MHD_HTTP_HEADER_HOST, MHD_HTTP_HEADER_ORIGIN, MHD_HTTP_HEADER_AUTHORIZATION,
                                     MHD_HTTP_HEADER_CONTENT_TYPE, "Idempotency-Key"};
enum { SINGLE_COUNT = sizeof single / sizeof *single };

typedef struct header_count {
  int lengths, times[SINGLE_COUNT];
  size_t bytes;
  bool ambiguous;   // others may read other headers
  const char *last; // value
} header_count;

// "Content-Length : 40" has a length for some readers and none for others (RFC 9112, 5.1).
static bool has_blank(const char *name) { return !*name || strpbrk(name, " \t\r\n") != NULL; }

// A line that begins with a blank continues the one before it for some readers, and begins another for others (RFC
// 9112, 5.2). The library joins such lines somewhere else; a value of one line lies behind its name, where it was
// received.
static bool is_folded(const char *name, const char *value) {
  const char *behind = name + strlen(name) + 1;
  return value && (value < behind || value > behind + LIMIT_REQUEST_HEADER_BYTES ||
                   (*value && strspn(behind, " \t") < (size_t)(value - behind)));
}

// The library takes a CR or an LF alone for the end of a line, others for a part of it (RFC 9112, 2.2). It writes a
// zero over each byte of an end where it was received: a line that another one precedes has two in front of it.
static bool follows_whole_end(const char *name) { return name[-1] == '\0' && name[-2] == '\0'; }

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
  header_count *c = context;
  (void)kind;
  c->bytes += strlen(name) + (value ? strlen(value) : 0) + 4; // ": ", CR LF
  c->lengths +=
      strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0 || strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
  for (int i = 0; i < SINGLE_COUNT; i++) c->times[i] += strcasecmp(name, single[i]) == 0;
  c->ambiguous = c->ambiguous || has_blank(name) || is_folded(name, value) || !follows_whole_end(name);
  c->last = value;
  return MHD_YES;
}

// Where the body ends is sure: otherwise nothing after the headers is read.
static bool check_length(exchange *x, const header_count *c) {
  const char *coding = exchange_header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING);
  x->last = c->lengths > 1 || (coding && strcasecmp(coding, "chunked") != 0);
  if (!x->last) return true;
  if (c->lengths > 1)
    return fault_set(&x->fault, PROBLEM_INVALID_ARGUMENT, NULL,
                     "the request gives its length %d times (Content-Length, Transfer-Encoding)", c->lengths);
  return fault_set(&x->fault, PROBLEM_INVALID_ARGUMENT, NULL, "Transfer-Encoding is \"%.60s\", not chunked", coding);
}

// The last line and the empty one behind it.
static bool ends_whole(const char *value) {
  const char *end = value + strlen(value);
  return end[1] == '\0' && end[2] == '\0' && end[3] == '\0';
}

bool guard_headers(exchange *x) {
  header_count c = {.lengths = 0};
  MHD_get_connection_values(x->connection, MHD_HEADER_KIND, count_header, &c);
  c.ambiguous = c.ambiguous || (c.last && !ends_whole(c.last));
  x->last = c.ambiguous || x->parameters > LIMIT_PARAMETERS;
  if (c.ambiguous)
    return fault_set(
        &x->fault, PROBLEM_INVALID_ARGUMENT, NULL,
        "a line of the headers begins with a blank, a header's name has one, or a line does not end with CR LF");
  if (x->parameters > LIMIT_PARAMETERS)
    return fault_set(&x->fault, PROBLEM_INVALID_ARGUMENT, NULL, "the address has %d parameters, at most %d are taken",
                     x->parameters, LIMIT_PARAMETERS);
  if (!check_length(x, &c)) return false;
  for (int i = 0; i < SINGLE_COUNT; i++)
    if (c.times[i] > 1)
      return fault_set(&x->fault, PROBLEM_INVALID_ARGUMENT, NULL, "the request has the header %s %d times", single[i],
                       c.times[i]);
  return c.bytes <= LIMIT_REQUEST_HEADER_BYTES ||
         fault_set(&x->fault, PROBLEM_TOO_LARGE, NULL, "the headers have %zu bytes, at most %d are taken", c.bytes,
                   LIMIT_REQUEST_HEADER_BYTES);
}

// The media type of a Content-Type header without its parameters; false when the route does not take it.
static bool read_type(const char *value, unsigned flags, media *type) {
  size_t length = strcspn(value, "; \t");
  for (int i = 0; i < MEDIA_COUNT; i++)
    if ((media_types[i].body & flags) && strlen(media_types[i].name) == length &&
        strncasecmp(value, media_types[i].name, length) == 0)
      return *type = (media)i, true;
  return false;
}

bool guard_body(exchange *x) {
  const char *length = exchange_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);
  const char *type = exchange_header(x, MHD_HTTP_HEADER_CONTENT_TYPE);
  errno = 0;
  if (length && (strtoull(length, NULL, 10) > LIMIT_BODY_BYTES || errno == ERANGE))
    return fault_set(&x->fault, PROBLEM_TOO_LARGE, NULL, "the body has %.20s bytes, at most %d are taken", length,
                     LIMIT_BODY_BYTES);
  const char *coding = exchange_header(x, MHD_HTTP_HEADER_CONTENT_ENCODING);
  if (coding && strcasecmp(coding, "identity") != 0)
    return fault_set(&x->fault, PROBLEM_UNSUPPORTED_MEDIA, NULL,
                     "Content-Encoding is \"%.60s\"; bodies come as they are", coding);
  x->in = MEDIA_JSON;
  if (!(x->route->flags & ROUTE_BODY) || !type || read_type(type, x->route->flags, &x->in)) return true;
  bool any = x->route->flags & (ROUTE_ANY_TYPE | ROUTE_ARCHIVE);
  return fault_set(&x->fault, PROBLEM_UNSUPPORTED_MEDIA, NULL, "Content-Type is \"%.60s\", not application/json%s",
                   type, any ? " or application/x-npz" : "");
}

// ------------------------------------------------------------------------------------------------------------- Accept

// The quality that one range of Accept ("application/*;q=0.5", ended by `end`) gives to a type: how specific it is in
// *rank (-1: it does not match).
static double quality(const char *range, const char *end, const char *type, int *rank) {
  size_t length = strcspn(range, ";, \t");
  size_t major = (size_t)(strchr(type, '/') - type) + 1;
  *rank = -1;
  if (length == 3 && strncmp(range, "*/*", 3) == 0)
    *rank = 0;
  else if (length == major + 1 && strncasecmp(range, type, major) == 0 && range[major] == '*')
    *rank = 1;
  else if (length == strlen(type) && strncasecmp(range, type, length) == 0)
    *rank = 2;
  for (const char *p = range + length; p < end; p++)
    if (*p == ';') {
      const char *name = p + 1 + strspn(p + 1, " \t");
      if ((*name == 'q' || *name == 'Q') && name[1] == '=') return strtod(name + 2, NULL);
    }
  return 1;
}

// The most specific range decides for a type (RFC 9110, 12.5.1).
static double acceptance(const char *accept, const char *type) {
  double best = 0;
  int best_rank = -1;
  for (const char *range = accept; *range;) {
    range += strspn(range, ", \t");
    const char *end = range + strcspn(range, ",");
    int rank;
    double q = quality(range, end, type, &rank);
    if (rank > best_rank) best_rank = rank, best = q;
    range = end;
  }
  return best;
}

// What a client gets that has no preference: events as a stream, unless the query asks for a long poll.
static media default_type(const exchange *x) {
  bool polls = exchange_query(x, "since") || exchange_query(x, "wait");
  if (x->route->flags & ROUTE_METRICS) return MEDIA_METRICS;
  return (x->route->flags & ROUTE_EVENTS) && !polls ? MEDIA_EVENTS : MEDIA_JSON;
}

bool guard_accept(exchange *x) {
  const char *accept = exchange_header(x, MHD_HTTP_HEADER_ACCEPT);
  char offered[128] = "";
  media usual = default_type(x);
  x->out = usual;
  if (!accept || !*accept || (x->route->flags & ROUTE_PAGE)) return true;
  double best = 0;
  for (int i = 0; i < MEDIA_COUNT; i++) {
    if (!gives(x->route->flags, (media)i)) continue;
    double q = acceptance(accept, media_types[i].name);
    if (q > best || (q == best && (media)i == usual && q > 0)) best = q, x->out = (media)i;
    strcat(strcat(offered, *offered ? ", " : ""), media_types[i].name);
  }
  return best > 0 || fault_set(&x->fault, PROBLEM_NOT_ACCEPTABLE, NULL, "Accept is \"%.80s\"; this address offers %s",
                               accept, offered);
}

void guard_request_id(exchange *x) {
  const char *given = exchange_header(x, "X-Request-Id");
  size_t length = given ? strlen(given) : 0, good = 0;
  while (good < length && (isalnum((unsigned char)given[good]) || strchr("._-", given[good]))) good++;
  if (length > 0 && good == length && length < sizeof x->request_id)
    memcpy(x->request_id, given, length + 1);
  else
    id_make(x->request_id);
}
