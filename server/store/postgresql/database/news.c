// Hints between nodes: one connection that listens, and says to the others what has changed here.
//
// NOTIFY makes its transaction take a lock that all share, so jobs' transactions never do it: what they have changed is
// gathered for some milliseconds and said at once, and only where other nodes live. A hint may be lost; what it hints
// at stands in the rows, and each second work, what is watched, and tokens are looked for in any case. So nothing waits
// long for a database that does not answer, and nothing at all when this process ends.
#include "base/clock.h"
#include "base/thread.h"
#include "store/postgresql/postgresql.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
  TOLD_MAX = 200,
  POLL_MS = 1000,
  TOKENS_EACH = 2,
  GATHER_MS = 5,
  PAYLOAD = 7900
}; // of 8000 bytes that a notice may have
static const double PATIENCE_S = 2;
#define CHANNEL "tendril"
#define WORK "!"
#define TOKENS "@"
#define ALL "*"

struct pg_news {
  store *s;
  char url[PG_URL_SIZE], node[ID_SIZE];
  pg_connection c;
  bool lost; // the connection, so that hints may be missed
  pthread_t thread;
  pthread_mutex_t lock; // of all below
  char told[TOLD_MAX][ID_SIZE];
  int count;
  bool work, tokens, all; // all: more has changed than can be named
  _Atomic int64_t others;
  int looks;
  _Atomic bool stopping;
  int wake_fd;
};

static void wake(pg_news *n) {
  uint64_t one = 1;
  ssize_t written = write(n->wake_fd, &one, sizeof one);
  (void)written;
}

void pg_news_others(pg_news *n, int64_t count) {
  if (n) n->others = count;
}

void pg_news_tell(pg_news *n, const char *id) {
  if (!n || n->others == 0) return;
  pthread_mutex_lock(&n->lock);
  bool first = n->count == 0 && !n->work && !n->tokens, known = false;
  for (int i = 0; id && i < n->count && !known; i++) known = strcmp(n->told[i], id) == 0;
  if (!id) n->work = true;
  if (id && !known && n->count < TOLD_MAX)
    snprintf(n->told[n->count++], ID_SIZE, "%s", id);
  else if (id && !known)
    n->all = true;
  pthread_mutex_unlock(&n->lock);
  if (first) wake(n);
}

void pg_news_tell_tokens(pg_news *n) {
  if (!n || n->others == 0) return;
  pthread_mutex_lock(&n->lock);
  n->tokens = true;
  pthread_mutex_unlock(&n->lock);
  wake(n);
}

// "NODE ID ID … ! @ *"; false when there is nothing to say.
static bool gather(pg_news *n, char payload[PAYLOAD]) {
  pthread_mutex_lock(&n->lock);
  bool some = n->count > 0 || n->work || n->tokens;
  int used = snprintf(payload, PAYLOAD, "%s", n->node);
  for (int i = 0; i < n->count; i++) used += snprintf(payload + used, (size_t)(PAYLOAD - used), " %s", n->told[i]);
  snprintf(payload + used, (size_t)(PAYLOAD - used), "%s%s%s", n->work ? " " WORK : "", n->tokens ? " " TOKENS : "",
           n->all ? " " ALL : "");
  n->count = 0;
  n->work = n->tokens = n->all = false;
  pthread_mutex_unlock(&n->lock);
  return some;
}
_Static_assert(ID_SIZE *(TOLD_MAX + 1) + 8 < PAYLOAD, "all fit");

static void say(pg_news *n) {
  char payload[PAYLOAD];
  if (!gather(n, payload)) return;
  store_status said = pg_run_once(&n->c, NULL, "SELECT pg_notify($1, $2)", "tt", CHANNEL, payload);
  (void)said; // they look each second
}

// What runs here may have been cancelled, or taken for lost: who holds it looks.
static void hear_of_job(pg_news *n, const char *id) {
  store_notify(n->s, id);
  if (id) store_order_given(n->s, STORE_ORDER_LOOK, id, 0);
}

static void hear_one(pg_news *n, char *payload) {
  char *rest = NULL, *word = strtok_r(payload, " ", &rest);
  if (!word || strcmp(word, n->node) == 0) return; // what is said here was told here
  while ((word = strtok_r(NULL, " ", &rest)))
    if (strcmp(word, WORK) == 0)
      store_notify_work(n->s, true);
    else if (strcmp(word, TOKENS) == 0)
      store_order_given(n->s, STORE_ORDER_TOKENS, NULL, 0);
    else
      hear_of_job(n, strcmp(word, ALL) == 0 ? NULL : word);
}

// What others do each second in any case, whether a hint of it was lost or not.
static void look(pg_news *n) {
  if (n->looks++ % TOKENS_EACH == 0) store_order_given(n->s, STORE_ORDER_TOKENS, NULL, 0);
  if (n->others == 0) return;
  store_notify_work(n->s, true);
  store_notify(n->s, NULL);
}

static void hear(pg_news *n) {
  if (n->c.lost || PQconsumeInput(n->c.pg) == 0) return;
  for (PGnotify *notice; (notice = PQnotifies(n->c.pg)); PQfreemem(notice)) hear_one(n, notice->extra);
}

static bool listen_anew(pg_news *n) {
  if (n->c.pg && !n->c.lost && PQstatus(n->c.pg) == CONNECTION_OK) return true;
  n->lost = n->lost || n->c.pg;
  PQfinish(n->c.pg);
  n->c = (pg_connection){
      .pg = pg_open(n->url, NULL), .patience_s = PATIENCE_S, .silent = &n->stopping, .alone = true, .busy = true};
  bool listens = n->c.pg && pg_command(&n->c, "LISTEN " CHANNEL) == STORE_OK;
  if (n->c.pg && !listens) n->c.lost = true;
  if (listens && n->lost) store_notify_work(n->s, true), store_notify(n->s, NULL), n->lost = false; // what was missed
  return listens;
}

static void *run(void *context) {
  pg_news *n = context;
  thread_answers();
  double look_s = 0;
  while (!n->stopping) {
    bool open = listen_anew(n);
    struct pollfd fds[] = {{.fd = n->wake_fd, .events = POLLIN},
                           {.fd = open ? PQsocket(n->c.pg) : -1, .events = POLLIN}};
    (void)poll(fds, 2, POLL_MS);
    uint64_t ignored;
    if (fds[0].revents && read(n->wake_fd, &ignored, sizeof ignored) > 0 && !n->stopping)
      nanosleep(&(struct timespec){.tv_nsec = GATHER_MS * 1000000L}, NULL);
    if (open) say(n), hear(n);
    if (clock_monotonic_s() >= look_s) look(n), look_s = clock_monotonic_s() + POLL_MS / 1e3;
  }
  return NULL;
}

pg_news *pg_news_start(store *s, const char *url, const char *node) {
  pg_news *n = calloc(1, sizeof *n);
  if (!n) return NULL;
  n->s = s;
  snprintf(n->url, sizeof n->url, "%s", url);
  snprintf(n->node, sizeof n->node, "%s", node);
  pthread_mutex_init(&n->lock, NULL);
  n->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (n->wake_fd >= 0 && pthread_create(&n->thread, NULL, run, n) == 0) return n;
  if (n->wake_fd >= 0) close(n->wake_fd);
  free(n);
  return NULL;
}

void pg_news_stop(pg_news *n) {
  if (!n) return;
  n->stopping = true;
  wake(n);
  pthread_join(n->thread, NULL);
  PQfinish(n->c.pg);
}

void pg_news_free(pg_news *n) {
  if (!n) return;
  close(n->wake_fd);
  pthread_mutex_destroy(&n->lock);
  free(n);
}
