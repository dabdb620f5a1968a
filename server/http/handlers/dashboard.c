// The dashboard: GET / and the files that it loads. They never change while the server runs, so replies point into the
// binary. Policy of the pages: scripts and styles from this server only, none inline, no request to any other address.
#include "http/dashboard.h"
#include "http/routes.h"

#include <stdlib.h>
#include <string.h>

#define POLICY                                                                                                         \
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "          \
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static const char NOT_BUILT[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Tendril</title>\n"
    "<h1>Tendril</h1>\n<p>This server was built without its dashboard: npm was missing then, or could not fetch "
    "packages. "
    "Install nodejs and npm and build again.</p>\n"
    "<p>Everything else works: see <a href=\"/openapi.json\">/openapi.json</a>.</p>\n";

static const dashboard_file not_built = {"/",
                                         "text/html; charset=utf-8",
                                         "\"not-built\"",
                                         false,
                                         (const unsigned char *)NOT_BUILT,
                                         NULL,
                                         sizeof NOT_BUILT - 1,
                                         0};

static const dashboard_file *find(const char *path) {
  for (const dashboard_file *f = dashboard_files; f->path; f++)
    if (strcmp(f->path, path) == 0) return f;
  return strcmp(path, "/") == 0 ? &not_built : NULL;
}

// "gzip, br", "gzip;q=0.5"; not "gzip;q=0".
static bool takes_gzip(const char *accept) {
  const char *at = accept ? strstr(accept, "gzip") : NULL;
  if (!at) return false;
  const char *weight = at + strlen("gzip");
  weight += strspn(weight, " \t");
  if (*weight != ';') return true;
  weight += 1 + strspn(weight + 1, " \t");
  return strncmp(weight, "q=", 2) != 0 || strtod(weight + 2, NULL) > 0;
}

static void reply_with(exchange *x, const dashboard_file *f) {
  const char *known = exchange_header(x, MHD_HTTP_HEADER_IF_NONE_MATCH);
  bool packed = f->packed && takes_gzip(exchange_header(x, MHD_HTTP_HEADER_ACCEPT_ENCODING));
  if (known && (strcmp(known, "*") == 0 || strstr(known, f->tag)))
    reply_constant(x, MHD_HTTP_NOT_MODIFIED, NULL, "", 0);
  else
    reply_constant(x, MHD_HTTP_OK, f->type, packed ? f->packed : f->plain, packed ? f->packed_size : f->plain_size);
  if (packed && x->status == MHD_HTTP_OK) reply_header(x, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
  reply_header(x, MHD_HTTP_HEADER_ETAG, f->tag);
  reply_header(x, MHD_HTTP_HEADER_VARY, "Accept-Encoding");
  reply_header(x, MHD_HTTP_HEADER_CACHE_CONTROL, f->forever ? "public, max-age=31536000, immutable" : "no-cache");
  reply_header(x, "Content-Security-Policy", POLICY);
  reply_header(x, "Referrer-Policy", "no-referrer");
}

void handle_dashboard(exchange *x) { reply_with(x, find("/")); }

// The documents as one page without scripts, for curl and lynx; the dashboard has them at /#/docs.
void handle_docs(exchange *x) {
  const dashboard_file *page = find("/docs.html");
  reply_with(x, page ? page : find("/"));
}

void handle_dashboard_asset(exchange *x) {
  char path[sizeof "/assets/" + EXCHANGE_PARAMETER_SIZE] = "/assets/";
  const dashboard_file *f = find(strcat(path, x->parameter[0]));
  if (f) {
    reply_with(x, f);
    return;
  }
  fault missing;
  fault_set(&missing, PROBLEM_NOT_FOUND, NULL, "the dashboard has no file %.120s", path);
  reply_fault(x, &missing);
}
