// Nodes: this process among those that run jobs, and what becomes of the attempts of those that are gone.
//
// A node's name stays with its data folder, which one process has at a time: whatever the rows say that it runs, when it
// starts, nobody runs any more. Others know of a node's end by its lease, which it renews by one statement for all of
// its attempts, and by nothing else; only the database's clock counts. A node that could not reach the database itself
// judges nobody until it has renewed its own lease as long as one lasts.
#include "base/clock.h"
#include "base/thread.h"
#include "store/postgresql/postgresql.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LEASE_MS = 12000, RENEWAL_MS = 3000 };

struct pg_node {
  store *s;
  pthread_t thread;
  bool started;
  pthread_mutex_t lock;
  pthread_cond_t stop;
  bool stopping;
  double steady_since_s; // since then every renewal was made in time; 0: not yet
};

// ------------------------------------------------------------------------------------------------------------- names

static bool read_name(int fd, char id[ID_SIZE]) {
  char text[ID_SIZE] = "";
  ssize_t n = read(fd, text, sizeof text - 1);
  if (n != ID_SIZE - 1 || strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz") != ID_SIZE - 1) return false;
  memcpy(id, text, ID_SIZE);
  return true;
}

static bool write_name(int fd, char id[ID_SIZE]) {
  id_make(id);
  return ftruncate(fd, 0) == 0 && pwrite(fd, id, ID_SIZE - 1, 0) == ID_SIZE - 1 && fsync(fd) == 0;
}

static bool find_name(const store *s, char id[ID_SIZE], char message[STORE_MESSAGE_SIZE]) {
  char path[STORE_PATH_SIZE + 8];
  snprintf(path, sizeof path, "%s/node", s->folder);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  bool found = fd >= 0 && (read_name(fd, id) || write_name(fd, id));
  if (!found) store_say(message, "cannot write %.180s: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return found;
}

// ------------------------------------------------------------------------------------------------------------ leases

static store_status renew(pg_connection *c, void *context) {
  static const char sql[] =
      "INSERT INTO nodes AS n (id, host, started_ms, lease_ms) VALUES ($1, $2, now_ms(), now_ms() + $3::bigint) ON "
      "CONFLICT (id) DO UPDATE SET host = excluded.host, lease_ms = excluded.lease_ms";
  static const char others[] = "SELECT count(*) FROM nodes WHERE id <> $1 AND lease_ms > now_ms()";
  pg_node *n = context;
  pg_rows rows;
  char host[64] = "";
  int64_t count = 0;
  gethostname(host, sizeof host - 1);
  store_status status = pg_run(c, NULL, sql, "tti", pg_node_id(n->s), host, (int64_t)LEASE_MS);
  if (status == STORE_OK) status = pg_integer_of(&rows, pg_run(c, &rows, others, "t", pg_node_id(n->s)), &count);
  if (status == STORE_OK) pg_news_others(postgresql_of(n->s)->news, count);
  return status;
}

static void keep(pg_node *n) {
  double now_s = clock_monotonic_s();
  int count = 0;
  if (pg_change(n->s, renew, n, NULL) != STORE_OK) {
    n->steady_since_s = 0;
    pg_held_doubt(n->s);
    return;
  }
  char *held = pg_held_list(n->s);
  if (held && pg_reap_lost(n->s, held) != STORE_OK) pg_held_doubt(n->s); // again, then
  free(held);
  if (n->steady_since_s == 0) n->steady_since_s = now_s;
  if (now_s - n->steady_since_s < LEASE_MS / 1e3) return;
  store_status status = pg_reap(n->s, false, &count);
  (void)status; // again in three seconds
}

static void *run(void *context) {
  pg_node *n = context;
  thread_answers();
  pthread_mutex_lock(&n->lock);
  while (!n->stopping) {
    struct timespec when = clock_monotonic_after(RENEWAL_MS / 1e3);
    pthread_cond_timedwait(&n->stop, &n->lock, &when);
    pthread_mutex_unlock(&n->lock);
    if (!n->stopping) keep(n);
    pthread_mutex_lock(&n->lock);
  }
  pthread_mutex_unlock(&n->lock);
  return NULL;
}

pg_node *pg_node_start(store *s, char message[STORE_MESSAGE_SIZE]) {
  pg_node *n = calloc(1, sizeof *n);
  pthread_condattr_t monotonic;
  if (!n) return store_say(message, "cannot open the store: not enough memory"), NULL;
  n->s = s;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&n->lock, NULL);
  pthread_cond_init(&n->stop, &monotonic);
  pthread_condattr_destroy(&monotonic);
  bool named = find_name(s, postgresql_of(s)->node_id, message);
  if (named && pg_change(s, renew, n, NULL) != STORE_OK)
    named = store_say(message, "the database does not take this node: the log says why");
  n->started = named && pthread_create(&n->thread, NULL, run, n) == 0;
  if (n->started) return n;
  if (named) store_say(message, "cannot open the store: a thread could not be started");
  pg_node_stop(n);
  return NULL;
}

static store_status leave(pg_connection *c, void *context) {
  return pg_run(c, NULL, "UPDATE nodes SET lease_ms = 0 WHERE id = $1", "t", pg_node_id(((pg_node *)context)->s));
}

void pg_node_stop(pg_node *n) {
  if (!n) return;
  pthread_mutex_lock(&n->lock);
  n->stopping = true;
  pthread_cond_signal(&n->stop);
  pthread_mutex_unlock(&n->lock);
  if (n->started) {
    pthread_join(n->thread, NULL);
    store_status left = pg_change(n->s, leave, n, NULL);
    (void)left; // its lease will end
  }
  pthread_mutex_destroy(&n->lock);
  pthread_cond_destroy(&n->stop);
  free(n);
}
