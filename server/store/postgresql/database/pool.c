// Connections: a few for each process, opened when they are wanted.
//
// One that was lost is closed when it is given back, and opened anew by whoever takes it next, so that a server heals by
// itself when its database is there again. While it is away only one caller in half a second waits for an attempt to
// reach it; the others are told at once.
#include "base/clock.h"
#include "base/url.h"
#include "store/postgresql/database/database.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

static const double AWAY_S = 0.5, ANSWER_S = 2, PATIENCE_S = 12; // longer than statement_timeout

void pg_pool_init(pg_pool *pool, const char *url, int count, bool plain) {
  assert(count > 0 && count <= PG_CONNECTIONS_MAX);
  *pool = (pg_pool){.count = count, .plain = plain};
  snprintf(pool->url, sizeof pool->url, "%s", url);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->free, NULL);
}

static void close_connection(pg_connection *c) {
  PQfinish(c->pg);
  *c = (pg_connection){.busy = c->busy, .plain = c->plain};
}

void pg_pool_fini(pg_pool *pool) {
  for (int i = 0; i < pool->count; i++) close_connection(&pool->connections[i]);
  pthread_mutex_destroy(&pool->lock);
  pthread_cond_destroy(&pool->free);
}

static void ignore_notice(void *context, const PGresult *result) { (void)context, (void)result; }

// Of several addresses (::1 and 127.0.0.1) libpq says of each why it was none: the last one came furthest as a rule.
static const char *last_failure(const char *said) {
  static const char begin[] = "connection to server";
  const char *last = said;
  for (const char *next = said; (next = strstr(next, begin)); next += sizeof begin - 1) last = next;
  return last;
}

// What libpq quotes of a URL with a password may be a piece of it.
static bool say_why(PGconn *pg, const char *url, char message[STORE_MESSAGE_SIZE]) {
  char words[200];
  const char *hint = "";
  snprintf(words, sizeof words, "%s", last_failure(PQerrorMessage(pg)));
  words[strcspn(words, "\n")] = '\0';
  if (url_has_password(url)) url_blank_quotes(words, url);
  const char *role = strstr(words, "role \""); // a server that asks for passwords does not say so
  if (role && strstr(role, "\" does not exist")) hint = "; deploy/postgresql/roles.sql makes those of nodes";
  if (message) store_say(message, "the database cannot be reached: %s%s", words, hint);
  log_write(LOG_LEVEL_ERROR, "database_away", LOG_S("detail", words));
  return false;
}

// What a server that may not answer says to commands; NULL: nothing, for too long.
static PGresult *ask(PGconn *pg, const char *sql) {
  double until_s = clock_monotonic_s() + ANSWER_S;
  PGresult *last = NULL, *next;
  if (!PQsendQuery(pg, sql)) return NULL;
  do {
    while (PQisBusy(pg)) {
      struct pollfd fd = {.fd = PQsocket(pg), .events = POLLIN};
      double left_s = until_s - clock_monotonic_s();
      if (left_s <= 0) return PQclear(last), NULL;
      if (poll(&fd, 1, (int)(1e3 * left_s) + 1) > 0 && PQconsumeInput(pg) == 0) break;
    }
    if ((next = PQgetResult(pg))) PQclear(last), last = next;
  } while (next);
  return last;
}

// What a session is like whatever the server, the role or the database say. A statement that waits for a lock or reads
// for too long is ended by the server; a network that is cut is noticed within seconds. The rows that a node held when it
// stood still or was cut off are free before its lease is over, or nobody could take its jobs back.
static bool configure(PGconn *pg) {
  static const char session[] =
      "SET client_encoding = 'UTF8'; SET statement_timeout = '10s'; SET lock_timeout = '5s'; SET "
      "idle_in_transaction_session_timeout = '5s'; SET default_transaction_isolation = 'read committed'; SET "
      "extra_float_digits = 1; SET jit = off; SET plan_cache_mode = auto";
  if (PQstatus(pg) != CONNECTION_OK) return false;
  PQsetNoticeReceiver(pg, ignore_notice, NULL);
  PGresult *set = ask(pg, session);
  bool ready = PQresultStatus(set) == PGRES_COMMAND_OK;
  PQclear(set);
  return ready;
}

static PGconn *open_url(const char *url, bool (*prepare)(PGconn *pg), char message[STORE_MESSAGE_SIZE]) {
  const char *const keywords[] = {"dbname",           "connect_timeout",           "keepalives_idle",
                                  "tcp_user_timeout", "fallback_application_name", NULL};
  const char *const values[] = {url, "2", "5", "1500", "tendrild", NULL};
  PGconn *pg = PQconnectdbParams(keywords, values, 1);
  if (prepare(pg)) return pg;
  say_why(pg, url, message);
  PQfinish(pg);
  return NULL;
}

PGconn *pg_open(const char *url, char message[STORE_MESSAGE_SIZE]) { return open_url(url, configure, message); }

// Of a pooler's sessions others have the next transaction: nothing is set that would stay.
static bool leave_as_it_is(PGconn *pg) {
  PQsetNoticeReceiver(pg, ignore_notice, NULL);
  return PQstatus(pg) == CONNECTION_OK;
}

PGconn *pg_open_shared(const char *url, char message[STORE_MESSAGE_SIZE]) {
  return open_url(url, leave_as_it_is, message);
}

bool pg_reopen(pg_connection *c) {
  PQreset(c->pg);
  c->lost = c->plain ? !leave_as_it_is(c->pg) : !configure(c->pg);
  memset(c->sql, 0, sizeof c->sql);
  return !c->lost;
}

static pg_connection *find_free(pg_pool *pool) {
  pg_connection *closed = NULL;
  for (int i = 0; i < pool->count; i++) {
    pg_connection *c = &pool->connections[i];
    if (!c->busy && c->pg) return c;
    if (!c->busy && !closed) closed = c;
  }
  return closed;
}

static pg_connection *open_here(pg_pool *pool, pg_connection *c) {
  c->plain = pool->plain;
  c->pg = pool->plain ? pg_open_shared(pool->url, NULL) : pg_open(pool->url, NULL);
  if (c->pg) return c;
  pg_give(pool, c);
  pthread_mutex_lock(&pool->lock);
  pool->away_until_s = clock_monotonic_s() + AWAY_S;
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

// A server that ended the session while it was idle has left word of it.
static bool is_ended(pg_connection *c) {
  struct pollfd fd = {.fd = PQsocket(c->pg), .events = POLLIN};
  if (poll(&fd, 1, 0) == 0) return false;
  return PQconsumeInput(c->pg) == 0 || PQstatus(c->pg) != CONNECTION_OK || PQisBusy(c->pg) != 0;
}

pg_connection *pg_take(pg_pool *pool) {
  pg_connection *c;
  pthread_mutex_lock(&pool->lock);
  while (!(c = find_free(pool)) && !pool->silent) pthread_cond_wait(&pool->free, &pool->lock);
  if (!c) return pthread_mutex_unlock(&pool->lock), NULL;
  bool away = pool->silent || (!c->pg && clock_monotonic_s() < pool->away_until_s);
  if (!away) c->busy = true;
  if (!away && !c->pg && pool->away_until_s > 0) pool->away_until_s = clock_monotonic_s() + AWAY_S; // this one tries
  pthread_mutex_unlock(&pool->lock);
  if (away) return NULL;
  if (c->pg && is_ended(c)) close_connection(c);
  if (!c->pg && !open_here(pool, c)) return NULL;
  c->again = c->begins = c->inside = false;
  c->patience_s = PATIENCE_S;
  c->silent = &pool->silent;
  return c;
}

void pg_pool_silence(pg_pool *pool, bool silent) {
  pthread_mutex_lock(&pool->lock);
  pool->silent = silent;
  if (silent) pthread_cond_broadcast(&pool->free);
  pthread_mutex_unlock(&pool->lock);
}

void pg_give(pg_pool *pool, pg_connection *c) {
  if (c->pg && (c->lost || PQstatus(c->pg) != CONNECTION_OK)) close_connection(c);
  pthread_mutex_lock(&pool->lock);
  c->busy = false;
  if (c->pg) pool->away_until_s = 0;
  pthread_cond_signal(&pool->free);
  pthread_mutex_unlock(&pool->lock);
}
