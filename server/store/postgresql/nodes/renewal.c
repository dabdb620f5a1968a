// This process among the nodes: its lease, what it finds out by the rows each second, and its end when it cannot renew.
//
// One statement renews the lease of all of its attempts, on a connection of its own, so that no storm of callers and no
// long statement stands before it; only the database's clock counts. Others know of a node's end by its lease, and by
// nothing else. A node whose last renewal that was answered was sent FENCE_S ago, by a clock that goes on while the
// machine sleeps, ends its workers (a second thread keeps that time, whatever the first one waits for): until then
// nobody else may have its jobs. One that had no answer for so long judges nobody until it has renewed its own lease as
// long as one lasts: after an outage those who may still renew do so first. A single slow answer is no outage.
#include "base/clock.h"
#include "base/thread.h"
#include "store/postgresql/nodes/nodes.h"
#include "tendril/dynamics.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LEASE_MS = 12000, LOOK_MS = 1000, KEPT_MS = 3600000 };
static const double RENEWAL_S = 3, FENCE_S = 8, PATIENCE_S = 2;

struct pg_node {
  store *s;
  pthread_t thread, watcher;
  bool started, watched;
  pthread_mutex_t lock;
  pthread_cond_t stop, look;
  bool stopping, looks;  // under the lock
  double sent_s;         // under the lock: boot time at which the last renewal that was answered was sent
  bool fenced;           // under the lock: its workers were ended since
  pg_connection c;       // all below: of the thread
  double steady_since_s; // since then no renewal came so late that workers had to end
  bool draining;
};

static double boot_s(void) { return 1e-3 * (double)clock_boot_ms(); }

// ------------------------------------------------------------------------------------------------------------- fence

static void *watch_lease(void *context) {
  pg_node *n = context;
  thread_answers();
  pthread_mutex_lock(&n->lock);
  while (!n->stopping) {
    double left_s = n->sent_s + FENCE_S - boot_s();
    bool over = left_s <= 0 && !n->fenced;
    if (over) {
      n->fenced = true;
      pthread_mutex_unlock(&n->lock);
      log_write(LOG_LEVEL_ERROR, "node_fenced", LOG_F("after_s", FENCE_S - left_s),
                LOG_S("detail", "the database did not answer in time: the workers of this node end, and their jobs go "
                                "on from their checkpoints, here or elsewhere"));
      store_order_given(n->s, STORE_ORDER_LEAVE, NULL, 0);
      pthread_mutex_lock(&n->lock);
      continue;
    }
    struct timespec when = clock_monotonic_after(left_s > 1 || left_s <= 0 ? 1 : left_s);
    pthread_cond_timedwait(&n->stop, &n->lock, &when);
  }
  pthread_mutex_unlock(&n->lock);
  return NULL;
}

static void was_renewed(pg_node *n, double sent_s) {
  pthread_mutex_lock(&n->lock);
  if (n->fenced || sent_s - n->sent_s >= FENCE_S) n->steady_since_s = clock_monotonic_s();
  n->sent_s = sent_s;
  bool again = n->fenced;
  n->fenced = false;
  pthread_mutex_unlock(&n->lock);
  if (again) log_write(LOG_LEVEL_INFO, "node_back", LOG_S("node", n->s->node_name));
}

// ------------------------------------------------------------------------------------------------------------ leases

static bool connect(pg_node *n) {
  if (n->c.pg && !n->c.lost) return true;
  PQfinish(n->c.pg);
  n->c = (pg_connection){.pg = pg_open(n->s->direct, NULL), .patience_s = PATIENCE_S, .busy = true};
  // what a crash of the database forgets of a lease makes it end sooner, and after a crash nobody is judged for as long
  return n->c.pg && pg_command(&n->c, "SET synchronous_commit = off") == STORE_OK;
}

static store_status renew(pg_node *n, bool *draining) {
  static const char sql[] =
      "INSERT INTO nodes AS n (id, name, host, version, cpu_level, slots, started_ms, heartbeat_ms, lease_ms) VALUES "
      "($1, $2, $3, $4, $5, $6, now_ms(), now_ms(), now_ms() + $7::bigint) ON CONFLICT (id) DO UPDATE SET heartbeat_ms "
      "= now_ms(), lease_ms = now_ms() + $7::bigint RETURNING draining";
  char host[64] = "";
  pg_rows rows;
  gethostname(host, sizeof host - 1);
  store_status status = pg_run(&n->c, &rows, sql, "tttttii", pg_node_id(n->s), n->s->node_name, host, td_version(),
                               td_cpu_level(), (int64_t)n->s->slots, (int64_t)LEASE_MS);
  if (status == STORE_OK && pg_next(&rows)) *draining = pg_true(&rows, 0), pg_end(&rows);
  return status;
}

// Rows of nodes that went long ago, one an hour or so: nobody's jobs are theirs any more.
static store_status forget_others(pg_node *n) {
  static const char sql[] = "DELETE FROM nodes AS n WHERE lease_ms < now_ms() - $1::bigint AND NOT EXISTS (SELECT 1 "
                            "FROM jobs AS j WHERE j.node = n.id AND j.state = 'running' AND j.kind <> 'sweep')";
  return pg_run(&n->c, NULL, sql, "i", (int64_t)KEPT_MS);
}

static bool is_renewed(pg_node *n) {
  double sent_s = boot_s();
  bool due, draining = false;
  pthread_mutex_lock(&n->lock);
  due = n->fenced || sent_s - n->sent_s >= RENEWAL_S;
  pthread_mutex_unlock(&n->lock);
  if (!due) return true;
  if (!connect(n) || renew(n, &draining) != STORE_OK) {
    pg_held_doubt(n->s);
    return false;
  }
  was_renewed(n, sent_s);
  if (forget_others(n) != STORE_OK) log_write(LOG_LEVEL_WARNING, "nodes_not_forgotten", LOG_S("node", n->s->node_name));
  return true;
}

// -------------------------------------------------------------------------------------------------------- each second

// "id attempt cancel id attempt cancel …": cancels that were asked for at other nodes.
static void pass_cancels(pg_node *n, const char *rows) {
  char id[ID_SIZE];
  int attempt, cancel, used;
  for (; rows && sscanf(rows, "%26s %d %d %n", id, &attempt, &cancel, &used) == 3; rows += used)
    if (cancel) store_order_given(n->s, STORE_ORDER_CANCEL, id, attempt);
}

static void leave_lost(pg_node *n, double asked_s, const char *rows) {
  pg_lost lost[PG_LOST_MAX];
  int count = pg_held_lost(n->s, asked_s, rows, lost);
  for (int i = 0; i < count; i++) store_order_given(n->s, STORE_ORDER_LEAVE, lost[i].id, lost[i].attempt);
}

static void note_draining(pg_node *n, bool draining) {
  if (draining == n->draining) return;
  n->draining = draining;
  store_order_given(n->s, draining ? STORE_ORDER_DRAIN : STORE_ORDER_RESUME, NULL, 0);
}

// "those that take jobs, those that live".
static void note_takers(pg_node *n, const char *counts) {
  char *rest;
  bool some = strtol(counts, &rest, 10) > 0, alive = strtol(rest, NULL, 10) > 0;
  n->s->takers = some ? STORE_TAKERS_SOME : alive ? STORE_TAKERS_DRAINED : STORE_TAKERS_NONE;
}

static store_status look(pg_node *n, int64_t *orphans) {
  static const char sql[] =
      "SELECT n.draining, (SELECT count(*) FROM nodes AS o WHERE o.id <> n.id AND o.lease_ms > now_ms()), (SELECT "
      "count(*) FROM jobs AS j WHERE j.state = 'running' AND j.kind <> 'sweep' AND j.node <> n.id AND NOT EXISTS "
      "(SELECT 1 FROM nodes AS o WHERE o.id = j.node AND o.lease_ms > now_ms())), (SELECT string_agg(concat_ws(' ', "
      "j.id, j.attempt, j.cancel::integer), ' ') || ' ' FROM jobs AS j WHERE j.state = 'running' AND j.kind <> 'sweep' "
      "AND j.node = n.id), (SELECT count(*) FILTER (WHERE NOT o.draining) || ' ' || count(*) FROM nodes AS o WHERE "
      "o.slots > 0 AND o.lease_ms > now_ms()) FROM nodes AS n WHERE n.id = $1";
  double asked_s = clock_monotonic_s();
  pg_rows rows;
  if (!connect(n)) return STORE_AWAY;
  store_status status = pg_run(&n->c, &rows, sql, "t", pg_node_id(n->s));
  if (status != STORE_OK || !pg_next(&rows)) return status == STORE_OK ? STORE_NOT_FOUND : status;
  pg_news_others(postgresql_of(n->s)->news, pg_integer(&rows, 1));
  *orphans = pg_integer(&rows, 2);
  leave_lost(n, asked_s, pg_text(&rows, 3));
  pass_cancels(n, pg_text(&rows, 3));
  note_draining(n, pg_true(&rows, 0));
  note_takers(n, pg_text(&rows, 4));
  pg_end(&rows);
  return STORE_OK;
}

static void reap_lost(pg_node *n) {
  char *held = pg_held_list(n->s);
  if (held && pg_reap_lost(n->s, held) != STORE_OK) pg_held_doubt(n->s); // again, then
  free(held);
}

static void keep(pg_node *n) {
  int64_t orphans = 0;
  int count = 0;
  bool answers = is_renewed(n) && look(n, &orphans) == STORE_OK;
  pg_pool_silence(&postgresql_of(n->s)->pool, !answers && (!n->c.pg || n->c.lost));
  if (!answers) {
    pg_held_doubt(n->s);
    return;
  }
  reap_lost(n);
  if (orphans == 0 || clock_monotonic_s() - n->steady_since_s < LEASE_MS / 1e3) return;
  store_status status = pg_reap(n->s, NULL, &count);
  (void)status; // again in a second
}

static void *run(void *context) {
  pg_node *n = context;
  thread_answers();
  pthread_mutex_lock(&n->lock);
  while (!n->stopping) {
    struct timespec when = clock_monotonic_after(LOOK_MS / 1e3);
    int error = 0;
    while (!n->stopping && !n->looks && error != ETIMEDOUT) error = pthread_cond_timedwait(&n->look, &n->lock, &when);
    n->looks = false;
    pthread_mutex_unlock(&n->lock);
    if (!n->stopping) keep(n);
    pthread_mutex_lock(&n->lock);
  }
  pthread_mutex_unlock(&n->lock);
  return NULL;
}

// Others have changed a job that is held here: it is looked at now.
static void on_order(void *context, store_order what, const char *id, int attempt) {
  pg_node *n = context;
  (void)attempt;
  if (what != STORE_ORDER_LOOK || !pg_held_has(n->s, id)) return;
  pthread_mutex_lock(&n->lock);
  n->looks = true;
  pthread_cond_signal(&n->look);
  pthread_mutex_unlock(&n->lock);
}

// ----------------------------------------------------------------------------------------------------- start and stop

// One of its name that lives, or did so a moment ago: this is HOST-2, then, and the log says why.
static bool is_taken(pg_node *n, const char *name) {
  static const char sql[] = "SELECT id, host FROM nodes WHERE name = $1 AND lease_ms > now_ms() LIMIT 1";
  pg_rows rows;
  bool taken = pg_run(&n->c, &rows, sql, "t", name) == STORE_OK && pg_next(&rows);
  if (!taken) return false;
  log_write(LOG_LEVEL_WARNING, "node_name_taken", LOG_S("name", name), LOG_S("by", pg_text(&rows, 0)),
            LOG_S("host", pg_text(&rows, 1)),
            LOG_S("detail",
                  "a node of this name works with the database, or was killed less than 12 s ago: this one is "
                  "called otherwise; names are given by --node"));
  pg_end(&rows);
  return true;
}

static void choose_name(pg_node *n) {
  enum { MOST = 1000, WIDTH = 48 };
  char wanted[STORE_NODE_SIZE];
  memcpy(wanted, n->s->node_name, sizeof wanted);
  for (int i = 2; i < MOST && is_taken(n, n->s->node_name); i++)
    snprintf(n->s->node_name, sizeof n->s->node_name, "%.*s-%d", WIDTH, wanted, i);
  if (strcmp(wanted, n->s->node_name) != 0)
    log_write(LOG_LEVEL_WARNING, "node_called", LOG_S("name", n->s->node_name), LOG_S("wanted", wanted));
}

// The last life of this folder is over: its name is not taken, and its jobs wait again.
static bool enter(pg_node *n, char message[STORE_MESSAGE_SIZE]) {
  postgresql_store *d = postgresql_of(n->s);
  bool draining;
  if (!connect(n)) return store_say(message, "the database cannot be reached: the log says why");
  store_status status = pg_run(&n->c, NULL, "DELETE FROM nodes WHERE id = $1", "t", d->node_before);
  if (status == STORE_OK) choose_name(n);
  n->sent_s = boot_s();
  if (status == STORE_OK) status = renew(n, &draining);
  n->steady_since_s = clock_monotonic_s();
  if (status == STORE_OK) return true;
  return n->c.denied ? store_say(message,
                                 "the role %s may not work with the tables of that database: run "
                                 "deploy/postgresql/roles.sql there, as its owner, and again after each migration",
                                 PQuser(n->c.pg))
                     : store_say(message, "the database does not take this node: the log says why");
}

static void init_times(pg_node *n) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&n->lock, NULL);
  pthread_cond_init(&n->stop, &monotonic);
  pthread_cond_init(&n->look, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

pg_node *pg_node_start(store *s, char message[STORE_MESSAGE_SIZE]) {
  postgresql_store *d = postgresql_of(s);
  pg_node *n = calloc(1, sizeof *n);
  if (!n) return store_say(message, "cannot open the store: not enough memory"), NULL;
  n->s = s;
  init_times(n);
  bool entered = pg_node_rename(s, d->node_id, d->node_before, message) && enter(n, message);
  n->started = entered && pthread_create(&n->thread, NULL, run, n) == 0;
  if (n->started && !store_listen_for_orders(s, on_order, n))
    log_write(LOG_LEVEL_WARNING, "orders_not_heard", LOG_S("node", s->node_name));
  n->watched = n->started && pthread_create(&n->watcher, NULL, watch_lease, n) == 0;
  if (n->watched) return n;
  if (entered) store_say(message, "cannot open the store: a thread could not be started");
  pg_node_stop(n);
  return NULL;
}

void pg_node_stop(pg_node *n) {
  if (!n) return;
  store_unlisten(n->s, n);
  pthread_mutex_lock(&n->lock);
  n->stopping = true;
  pthread_cond_signal(&n->stop);
  pthread_cond_signal(&n->look);
  pthread_mutex_unlock(&n->lock);
  if (n->watched) pthread_join(n->watcher, NULL);
  if (n->started) pthread_join(n->thread, NULL);
  if (n->started && connect(n))
    (void)!pg_run(&n->c, NULL, "DELETE FROM nodes WHERE id = $1", "t", pg_node_id(n->s)); // or its lease ends
  PQfinish(n->c.pg);
  pthread_mutex_destroy(&n->lock);
  pthread_cond_destroy(&n->stop);
  pthread_cond_destroy(&n->look);
  free(n);
}
