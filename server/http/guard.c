// Checks on headers only. The first that fails decides; nothing of the body has been read then.
#include "http/guard.h"
#include "base/limits.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
  const char *name;
  unsigned body, reply; // flags of routes that take it, that give it
} media_types[MEDIA_COUNT] = {[MEDIA_JSON] = {"application/json", ~0U, ~0U},
                              [MEDIA_NPZ] = {"application/x-npz", ROUTE_ANY_TYPE, ROUTE_ANY_TYPE},
                              [MEDIA_EVENTS] = {"text/event-stream", 0, ROUTE_EVENTS}};

// ---------------------------------------------------------------------------------------------------- Host and Origin

// "localhost", "127.0.0.1:8080", "[::1]:8080": a loopback name or address, then nothing or a port.
static bool is_loopback(const char *host) {
  static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i]);
    if (strncasecmp(host, names[i], length) != 0) continue;
    if (host[length] == '\0') return true;
    if (host[length] == ':' && strspn(host + length + 1, "0123456789") == strlen(host + length + 1)) return true;
  }
  return false;
}

static bool is_loopback_origin(const char *origin) {
  if (strncasecmp(origin, "http://", 7) == 0) return is_loopback(origin + 7);
  return strncasecmp(origin, "https://", 8) == 0 && is_loopback(origin + 8);
}

bool guard_origin(exchange *x) {
  const char *host = exchange_header(x, MHD_HTTP_HEADER_HOST), *origin = exchange_header(x, MHD_HTTP_HEADER_ORIGIN);
  if (!host) return fault_set(&x->fault, PROBLEM_INVALID_ARGUMENT, NULL, "the request has no Host header");
  if (!is_loopback(host))
    return fault_set(&x->fault, PROBLEM_PERMISSION_DENIED, NULL,
                     "Host is \"%.80s\"; this server answers to localhost only", host);
  return !origin || is_loopback_origin(origin) ||
         fault_set(&x->fault, PROBLEM_PERMISSION_DENIED, NULL, "Origin is \"%.80s\"; pages of other sites may not call",
                   origin);
}

// --------------------------------------------------------------------------------------------------------------- body

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
  x->in = MEDIA_JSON;
  if (!(x->route->flags & ROUTE_BODY) || !type || read_type(type, x->route->flags, &x->in)) return true;
  bool any = x->route->flags & ROUTE_ANY_TYPE;
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

bool guard_accept(exchange *x) {
  const char *accept = exchange_header(x, MHD_HTTP_HEADER_ACCEPT);
  char offered[128] = "";
  x->out = MEDIA_JSON;
  if (!accept || !*accept) return true;
  double best = 0;
  for (int i = 0; i < MEDIA_COUNT; i++) {
    if (!(media_types[i].reply & x->route->flags)) continue;
    double q = acceptance(accept, media_types[i].name);
    if (q > best) best = q, x->out = (media)i;
    strcat(strcat(offered, *offered ? ", " : ""), media_types[i].name);
  }
  return best > 0 ||
         fault_set(&x->fault, PROBLEM_NOT_ACCEPTABLE, NULL, "Accept is \"%.80s\"; to be had: %s", accept, offered);
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
