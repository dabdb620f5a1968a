// Any bytes as a request: "METHOD target", headers one per line, an empty line, a body. Through everything that stands
// behind
// libmicrohttpd: decoding of the address, routes, Host and Origin, Accept, Content-Type, queries, and the handlers with
// a real service and store (in memory; jobs are queued and never run). Only its own parsing is left out: the lookup of
// headers and queries is answered from the bytes here.
#include "base/limits.h"
#include "base/log/log.h"
#include "http/guard.h"
#include "http/routes.h"
#include "queue/queue.h"
#include "service/jobs/watch.h"
#include "service/keeper/keeper.h"
#include "service/models/model_cache.h"
#include "support/model_file.h"
#include <assert.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PAIRS = 64 };
typedef struct pairs {
  int count;
  struct {
    char *name, *value;
  } of[PAIRS];
} pairs;
static pairs headers, query; // of the request under test

static const char *find(const pairs *in, const char *name, bool any_case) {
  for (int i = 0; i < in->count; i++)
    if ((any_case ? strcasecmp : strcmp)(in->of[i].name, name) == 0) return in->of[i].value;
  return NULL;
}

// What a request without this header sends.
static char authorization[AUTH_TOKEN_SIZE + 8];

// The program's definitions take precedence over the library's.
const char *MHD_lookup_connection_value(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *key) {
  (void)connection;
  const char *found = find(kind == MHD_HEADER_KIND ? &headers : &query, key, kind == MHD_HEADER_KIND);
  return !found && kind == MHD_HEADER_KIND && strcmp(key, MHD_HTTP_HEADER_AUTHORIZATION) == 0 ? authorization : found;
}

const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *connection,
                                                        enum MHD_ConnectionInfoType type, ...) {
  (void)connection, (void)type;
  return NULL;
}

static void add(pairs *to, char *name, char *value) {
  if (to->count == PAIRS) return;
  to->of[to->count].name = name;
  to->of[to->count++].value = value;
}

static void read_query(char *text) {
  query.count = 0;
  for (char *rest = text, *pair; (pair = strsep(&rest, "&"));) {
    char *value = pair, *name = strsep(&value, "=");
    routes_unescape(name);
    if (value) routes_unescape(value);
    add(&query, name, value);
  }
}

static void read_headers(char **rest) {
  headers.count = 0;
  for (char *line; (line = strsep(rest, "\n")) && *line;) {
    char *value = line, *name = strsep(&value, ":");
    if (value) add(&headers, name, value + strspn(value, " "));
  }
}

static char folder[] = "/dev/shm/tendril-fuzz-XXXXXX";

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
  (void)status, (void)type, (void)place;
  return remove(path);
}

static void remove_folder(void) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static service *served(void) {
  static service s;
  if (s.store) return &s;
  char message[STORE_MESSAGE_SIZE];
  atexit(remove_folder);
  if (!mkdtemp(folder) || !(s.store = store_open(folder, message))) abort();
  s.cache = cache_create();
  s.watch = watch_start(s.store);
  s.queue = queue_start(s.store, &(queue_options){.workers = 0, .program = ""});
  s.room.all = LIMIT_JOBS_QUEUED;
  s.auth = auth_create(s.store, &(auth_options){.hosts = "tendril.example"});
  s.limits.evaluate_s = 10;
  s.keeper = keeper_start(s.store, &(keeper_options){.retention_days = 0});
  log_set_level(LOG_LEVEL_ERROR);
  assert(s.cache && s.watch && s.queue && s.auth && s.keeper);
  return &s;
}

// Requests delete tokens, too: this one is always there.
static void keep_admin(auth *a) {
  fault f;
  auth_caller caller;
  store_token made;
  char token[AUTH_TOKEN_SIZE];
  if (*authorization && auth_check(a, NULL, authorization, AUTH_ADMIN, &caller, &f)) return;
  auth_token_delete(a, "admin", true, &f);
  bool good = auth_token_create(a, "admin", AUTH_ADMIN, NULL, token, &made, &f);
  assert(good);
  snprintf(authorization, sizeof authorization, "Bearer %s", token);
}

static bool admitted(exchange *x, const char *method, const char *path) {
  if (!guard_headers(x) || !guard_target(x, &path) || !guard_origin(x)) return false;
  x->route = routes_find(x, method, path);
  return x->route && guard_caller(x) && guard_accept(x) && guard_body(x);
}

static void respond(exchange *x, const char *method, const char *path, const char *body, size_t body_size) {
  snprintf(x->method, sizeof x->method, "%s", method);
  snprintf(x->path, sizeof x->path, "%s", path);
  codec_buffer_init(&x->body, 0);
  codec_buffer_append(&x->body, body, body_size + 1); // with the NUL behind
  x->body.size--;
  guard_request_id(x);
  if (!admitted(x, method, path))
    reply_fault(x, &x->fault);
  else {
    routes_may_run_inline(x);
    x->route->handle(x);
  }
  assert(x->response && x->status >= 200 && x->status < 600 && x->status != 500);
  MHD_destroy_response(x->response);
  codec_buffer_fini(&x->body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  exchange x = {.service = served()};
  keep_admin(x.service->auth);
  char *text = malloc(size + 1), *rest = text;
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  char *line = strsep(&rest, "\n"), *target = line, *method = strsep(&target, " ");
  if (target) {
    char *arguments = target, *path = strsep(&arguments, "?");
    read_query(arguments);
    routes_unescape(path);
    read_headers(&rest);
    respond(&x, method, path, rest ? rest : "", rest ? size - (size_t)(rest - text) : 0);
  }
  free(text);
  return 0;
}
