// Tokens that hold are a list in memory, read from the store at start and changed after it; where other processes share
// the store, it is read again when they have changed it, and every other second. Callers read it under a lock that only changes take for writing.
#include "service/access/auth.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "codec/document/job/job.h"
#include "service/access/hosts.h"
#include "service/access/rate.h"

#include <math.h>
#include <nettle/memops.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

static const char prefix[] = LOG_SECRET;
enum { SECRET_BYTES = 32 };

struct auth {
  store *store;
  auth_options options;
  rate_limit *rate; // NULL: no limit
  pthread_rwlock_t lock;
  pthread_mutex_t change; // one at a time: store, then list
  pthread_t refresher;
  bool refreshed; // there is that thread
  pthread_mutex_t wake_lock;
  pthread_cond_t wake;
  bool stale, stopping; // under wake_lock
  // under lock:
  bool required;
  int count;
  store_token token[LIMIT_TOKENS];
};

static const char *const scope_names[AUTH_SCOPE_COUNT] = {"public", "read", "run", "admin"};

const char *auth_scope_name(auth_scope scope) { return scope_names[scope]; }

bool auth_scope_find(const char *name, auth_scope *scope) {
  for (int i = AUTH_READ; i < AUTH_SCOPE_COUNT; i++)
    if (strcmp(scope_names[i], name) == 0) return *scope = (auth_scope)i, true;
  return false;
}

// --------------------------------------------------------------------------------------------------- the list in
// memory

static void keep_token(void *context, const store_token *token) {
  auth *a = context;
  if (a->count < LIMIT_TOKENS) a->token[a->count++] = *token;
}

static bool load(auth *a) {
  store_visit visit = {.context = a, .token = keep_token};
  return store_token_list(a->store, &visit, &a->required) == STORE_OK;
}

// Those that other processes may have made or deleted. What cannot be read now is as it was.
static void load_anew(auth *a) {
  auth *fresh = calloc(1, sizeof *fresh);
  if (!fresh) return;
  fresh->store = a->store;
  pthread_mutex_lock(&a->change);
  if (load(fresh)) {
    pthread_rwlock_wrlock(&a->lock);
    a->required = fresh->required;
    a->count = fresh->count;
    memcpy(a->token, fresh->token, (size_t)fresh->count * sizeof a->token[0]);
    pthread_rwlock_unlock(&a->lock);
  }
  pthread_mutex_unlock(&a->change);
  free(fresh);
}

static void on_order(void *context, store_order what, const char *id, int attempt) {
  auth *a = context;
  (void)id, (void)attempt;
  if (what != STORE_ORDER_TOKENS) return;
  pthread_mutex_lock(&a->wake_lock);
  a->stale = true;
  pthread_cond_signal(&a->wake);
  pthread_mutex_unlock(&a->wake_lock);
}

static void *refresh(void *context) {
  auth *a = context;
  pthread_mutex_lock(&a->wake_lock);
  while (!a->stopping) {
    if (!a->stale) pthread_cond_wait(&a->wake, &a->wake_lock);
    if (!a->stale || a->stopping) continue;
    a->stale = false;
    pthread_mutex_unlock(&a->wake_lock);
    load_anew(a);
    pthread_mutex_lock(&a->wake_lock);
  }
  pthread_mutex_unlock(&a->wake_lock);
  return NULL;
}

static bool start_refreshing(auth *a) {
  if (!store_listen_for_orders(a->store, on_order, a)) return false;
  a->refreshed = pthread_create(&a->refresher, NULL, refresh, a) == 0;
  return a->refreshed;
}

static void stop_refreshing(auth *a) {
  store_unlisten(a->store, a);
  pthread_mutex_lock(&a->wake_lock);
  a->stopping = true;
  pthread_cond_signal(&a->wake);
  pthread_mutex_unlock(&a->wake_lock);
  if (a->refreshed) pthread_join(a->refresher, NULL);
}

static void add(auth *a, const store_token *token) {
  pthread_rwlock_wrlock(&a->lock);
  keep_token(a, token);
  a->required = true;
  pthread_rwlock_unlock(&a->lock);
}

static void drop(auth *a, const char *id) {
  pthread_rwlock_wrlock(&a->lock);
  int kept = 0;
  for (int i = 0; i < a->count; i++)
    if (strcmp(a->token[i].id, id) != 0) a->token[kept++] = a->token[i];
  a->count = kept;
  pthread_rwlock_unlock(&a->lock);
}

auth *auth_create(store *s, const auth_options *options) {
  auth *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->store = s;
  a->options = *options;
  pthread_rwlock_init(&a->lock, NULL);
  pthread_mutex_init(&a->change, NULL);
  pthread_mutex_init(&a->wake_lock, NULL);
  pthread_cond_init(&a->wake, NULL);
  int burst = options->burst > 0 ? options->burst : options->rate;
  if (options->rate > 0) a->rate = rate_create(options->rate, burst);
  if ((a->rate || options->rate == 0) && load(a) && start_refreshing(a)) return a;
  auth_destroy(a);
  return NULL;
}

void auth_destroy(auth *a) {
  if (!a) return;
  stop_refreshing(a);
  rate_destroy(a->rate);
  pthread_rwlock_destroy(&a->lock);
  pthread_mutex_destroy(&a->change);
  pthread_mutex_destroy(&a->wake_lock);
  pthread_cond_destroy(&a->wake);
  free(a);
}

bool auth_required(auth *a) {
  pthread_rwlock_rdlock(&a->lock);
  bool required = a->required;
  pthread_rwlock_unlock(&a->lock);
  return required;
}

int auth_count(auth *a) {
  pthread_rwlock_rdlock(&a->lock);
  int count = a->count;
  pthread_rwlock_unlock(&a->lock);
  return count;
}

// ---------------------------------------------------------------------------------------------------------- who calls

const char *auth_sees(const auth_caller *caller) { return caller->sees_all ? NULL : caller->owns; }

bool auth_sees_owner(const auth_caller *caller, const char *owner) {
  return caller->sees_all || strcmp(caller->owns, owner) == 0;
}

static void set_caller(const auth *a, auth_caller *caller, const store_token *t) {
  memcpy(caller->id, t->id, sizeof caller->id);
  memcpy(caller->name, t->name, sizeof caller->name);
  auth_scope_find(t->scope, &caller->scope);
  memcpy(caller->owns, t->owner, sizeof caller->owns);
  if (!a->options.shared) memcpy(caller->space, t->owner, sizeof caller->space);
  caller->sees_all = a->options.shared || caller->scope == AUTH_ADMIN || !*t->owner;
}

// The whole list, whatever is found on the way: the time tells nothing.
static bool find_token(auth *a, const char *secret, auth_caller *caller) {
  char sha256[DIGEST_HEX_SIZE];
  int found = -1;
  digest_of(secret, strlen(secret), sha256);
  pthread_rwlock_rdlock(&a->lock);
  for (int i = 0; i < a->count; i++) {
    int same = memeql_sec(a->token[i].sha256, sha256, sizeof sha256);
    found = same ? i : found;
  }
  if (found >= 0) set_caller(a, caller, &a->token[found]);
  pthread_rwlock_unlock(&a->lock);
  return found >= 0;
}

// "Bearer TOKEN" (RFC 6750, 2.1; the scheme's case does not count).
static const char *bearer(const char *authorization) {
  if (!authorization || strncasecmp(authorization, "Bearer ", 7) != 0) return NULL;
  return authorization + 7 + strspn(authorization + 7, " ");
}

// FNV-1a of the token or of the address, never 0. Two callers with one number would share what one may have, no more.
static uint64_t owner_of(const char *peer, const auth_caller *caller) {
  char address[RATE_KEY_SIZE];
  const char *key = caller->id;
  if (!*key) rate_key_of_peer(peer, address), key = address;
  uint64_t h = UINT64_C(14695981039346656037);
  for (; *key; key++) h = (h ^ (unsigned char)*key) * UINT64_C(1099511628211);
  return h | 1;
}

static bool is_here(const char *peer) {
  char address[RATE_KEY_SIZE];
  rate_key_of_peer(peer, address);
  return strncmp(address, "127.", 4) == 0 || strcmp(address, "unix") == 0 ||
         strcmp(address, "0000:0000:0000:0000::/64") == 0;
}

static bool within_rate(auth *a, const char *peer, const auth_caller *caller, fault *f) {
  char key[RATE_KEY_SIZE];
  if (!a->rate) return true;
  if (*caller->id)
    snprintf(key, sizeof key, "token %s", caller->id);
  else
    rate_key_of_peer(peer, key);
  double wait_s = rate_take(a->rate, key, clock_monotonic_s());
  if (wait_s <= 0) return true;
  fault_set(f, PROBLEM_RATE_LIMITED, NULL, "more than %d requests a second of this %s; the next may come in %.3g s",
            a->options.rate, *caller->id ? "token" : "address", wait_s);
  f->retry_after_s = (int)ceil(wait_s);
  return false;
}

static bool refuse_unknown(const char *authorization, bool required, fault *f) {
  const char *why = !required ? "this needs an admin token, and there is none yet: `tendrild token create --data DIR "
                                "--scope admin --name NAME` makes the first one while the server is stopped"
                    : !authorization         ? "this server wants a token: Authorization: Bearer TOKEN"
                    : !bearer(authorization) ? "the Authorization header is not \"Bearer TOKEN\""
                                             : "the token is not one of this server: mistyped, or deleted";
  return fault_set(f, PROBLEM_UNAUTHENTICATED, NULL, "%s", why);
}

bool auth_check(auth *a, const char *peer, const char *authorization, auth_scope needed, auth_caller *caller,
                fault *f) {
  *caller = (auth_caller){.scope = AUTH_PUBLIC};
  if (needed == AUTH_PUBLIC) return true;
  bool required = auth_required(a);
  const char *secret = required ? bearer(authorization) : NULL;
  bool known = secret && find_token(a, secret, caller);
  caller->owner = owner_of(peer, caller);
  caller->account = required || !is_here(peer) ? caller->owner : 0;
  if (!required) caller->scope = AUTH_RUN, caller->sees_all = true;
  if (!within_rate(a, peer, caller, f)) return false;
  if (caller->scope >= needed) return true;
  if (!known) return refuse_unknown(authorization, required, f);
  return fault_set(f, PROBLEM_PERMISSION_DENIED, NULL, "the token \"%s\" has the scope %s, this needs %s", caller->name,
                   auth_scope_name(caller->scope), auth_scope_name(needed));
}

bool auth_holds(auth *a, const auth_caller *caller) {
  pthread_rwlock_rdlock(&a->lock);
  bool holds = !a->required;
  for (int i = 0; i < a->count; i++) holds |= strcmp(a->token[i].id, caller->id) == 0;
  pthread_rwlock_unlock(&a->lock);
  return holds;
}

// ----------------------------------------------------------------------------------------------------- Host and Origin

bool auth_check_host(const auth *a, const char *host, fault *f) {
  if (!host) return fault_set(f, PROBLEM_INVALID_ARGUMENT, NULL, "the request has no Host header");
  return hosts_accept(a->options.hosts, a->options.reachable, host) ||
         fault_set(f, PROBLEM_PERMISSION_DENIED, NULL,
                   "Host is \"%.80s\"; this server answers to localhost%s%.200s only", host,
                   *a->options.hosts ? "," : "", a->options.hosts);
}

bool auth_check_origin(const auth *a, const char *origin, const char *host, fault *f) {
  if (!origin) return true;
  size_t scheme = strncasecmp(origin, "http://", 7) == 0 ? 7 : strncasecmp(origin, "https://", 8) == 0 ? 8 : 0;
  bool own = scheme && host && strcasecmp(origin + scheme, host) == 0; // a page of this server
  return own || (scheme && hosts_accept(a->options.hosts, false, origin + scheme)) ||
         fault_set(f, PROBLEM_PERMISSION_DENIED, NULL, "Origin is \"%.80s\"; pages of other sites may not call",
                   origin);
}

// ------------------------------------------------------------------------------------------------------ making tokens

static bool make_secret(char token[AUTH_TOKEN_SIZE], fault *f) {
  unsigned char bytes[SECRET_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "random numbers are short");
  memcpy(token, prefix, sizeof prefix);
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(token + sizeof prefix - 1 + 2 * i, 3, "%02x", bytes[i]);
  explicit_bzero(bytes, sizeof bytes);
  return true;
}

static bool insert(auth *a, store_token *made, fault *f) {
  char what[2 * STORE_NAME_SIZE];
  snprintf(what, sizeof what, "token \"%s\"", made->name);
  pthread_mutex_lock(&a->change);
  store_status status = store_token_insert(a->store, made, LIMIT_TOKENS, a->options.tokens_each);
  if (status == STORE_OK) add(a, made);
  pthread_mutex_unlock(&a->change);
  if (status == STORE_PRECONDITION)
    return fault_set(f, PROBLEM_FAILED_PRECONDITION, NULL, "there are %d tokens already, the limit", LIMIT_TOKENS);
  if (status == STORE_SHARE)
    return fault_set(f, PROBLEM_QUOTA_EXCEEDED, NULL,
                     "\"%s\" has %d tokens already, the most of one owner (tokens-per-owner): delete some that are not "
                     "needed any more",
                     made->owner, a->options.tokens_each);
  return status == STORE_OK || fault_from_store(f, status, what);
}

static bool check_name(const char *name, const char *pointer, fault *f) {
  return !name || codec_name_valid(name) ||
         fault_set(f, PROBLEM_INVALID_ARGUMENT, pointer, "\"%.80s\" is not a name: [A-Za-z0-9][A-Za-z0-9_.-]{0,62}",
                   name);
}

bool auth_token_create(auth *a, const char *name, auth_scope scope, const char *owner, char token[AUTH_TOKEN_SIZE],
                       store_token *made, fault *f) {
  if (!check_name(name, "/name", f) || !check_name(owner, "/owner", f)) return false;
  if (!owner && scope != AUTH_READ) owner = name;
  if (owner && strcmp(owner, AUTH_NOBODY) == 0)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/owner", "\"%s\" is the word for nobody, not an owner", owner);
  *made = (store_token){.created_ms = clock_now_ms()};
  if (!make_secret(token, f)) return false;
  id_make(made->id);
  snprintf(made->name, sizeof made->name, "%s", name);
  snprintf(made->scope, sizeof made->scope, "%s", auth_scope_name(scope));
  snprintf(made->owner, sizeof made->owner, "%s", owner ? owner : "");
  digest_of(token, strlen(token), made->sha256);
  if (!insert(a, made, f)) return false;
  log_write(LOG_LEVEL_INFO, "token_created", LOG_S("token", made->name), LOG_S("scope", made->scope),
            LOG_S("owner", made->owner));
  return true;
}

// By its id, or else by its name, as the store finds it. Under `change`, so that the list stays as it is.
static const store_token *find(const auth *a, const char *id_or_name) {
  const store_token *found = NULL;
  for (int i = 0; i < a->count; i++) {
    if (strcmp(a->token[i].id, id_or_name) == 0) return &a->token[i];
    if (strcmp(a->token[i].name, id_or_name) == 0) found = &a->token[i];
  }
  return found;
}

static bool is_last_admin(const auth *a, const char *id_or_name) {
  const char *admin = scope_names[AUTH_ADMIN];
  const store_token *t = find(a, id_or_name);
  int admins = 0;
  for (int i = 0; i < a->count; i++) admins += strcmp(a->token[i].scope, admin) == 0;
  return t && admins == 1 && strcmp(t->scope, admin) == 0;
}

bool auth_token_delete(auth *a, const char *id_or_name, bool force, fault *f) {
  char id[ID_SIZE] = "", what[128];
  snprintf(what, sizeof what, "token \"%.100s\"", id_or_name);
  pthread_mutex_lock(&a->change);
  bool last = !force && is_last_admin(a, id_or_name);
  store_status status = last ? STORE_PRECONDITION : store_token_delete(a->store, id_or_name, id);
  if (status == STORE_OK) drop(a, id);
  pthread_mutex_unlock(&a->change);
  if (last)
    return fault_set(
        f, PROBLEM_FAILED_PRECONDITION, NULL,
        "%s is the last one of scope admin: without it nobody makes or deletes tokens or sees what belongs to "
        "nobody, until `tendrild token create --scope admin` makes one while the server is stopped. Say force "
        "to delete it all the same",
        what);
  if (status != STORE_OK) return fault_from_store(f, status, what);
  log_write(LOG_LEVEL_INFO, "token_deleted", LOG_S("id", id));
  return true;
}
