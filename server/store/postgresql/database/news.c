// Hints between nodes: one connection that listens, and says to the others what has changed here.
//
// NOTIFY makes its transaction take a lock that all share, so jobs' transactions never do it: what they have changed is
// gathered for some milliseconds and said at once, and only where other nodes live. A hint may be lost; what it hints
// at stands in the rows, and work is looked for each second in any case.
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

enum { TOLD_MAX = 200, POLL_MS = 1000, GATHER_MS = 5, PAYLOAD = 7900 }; // of 8000 bytes that a notice may have
#define CHANNEL "tendril"
#define WORK "!"

struct pg_news {
  store *s;
  char url[PG_URL_SIZE], node[ID_SIZE];
  PGconn *pg;
  bool lost; // the connection, so that hints may be missed
  pthread_t thread;
  pthread_mutex_t lock; // of all below
  char told[TOLD_MAX][ID_SIZE];
  int count;
  bool work;
  _Atomic int64_t others;
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
  bool first = n->count == 0 && !n->work, known = false;
  for (int i = 0; id && i < n->count && !known; i++) known = strcmp(n->told[i], id) == 0;
  if (!id) n->work = true;
  if (id && !known && n->count < TOLD_MAX) snprintf(n->told[n->count++], ID_SIZE, "%s", id);
  pthread_mutex_unlock(&n->lock);
  if (first) wake(n);
}

// "NODE ID ID … !"; false when there is nothing to say.
static bool gather(pg_news *n, char payload[PAYLOAD]) {
  pthread_mutex_lock(&n->lock);
  bool some = n->count > 0 || n->work;
  int used = snprintf(payload, PAYLOAD, "%s", n->node);
  for (int i = 0; i < n->count; i++) used += snprintf(payload + used, (size_t)(PAYLOAD - used), " %s", n->told[i]);
  if (n->work) snprintf(payload + used, (size_t)(PAYLOAD - used), " " WORK);
  n->count = 0;
  n->work = false;
  pthread_mutex_unlock(&n->lock);
  return some;
}
_Static_assert(ID_SIZE *(TOLD_MAX + 1) + 8 < PAYLOAD, "all fit");

static void say(pg_news *n) {
  char payload[PAYLOAD];
  const char *const values[] = {CHANNEL, payload};
  if (!gather(n, payload)) return;
  PQclear(PQexecParams(n->pg, "SELECT pg_notify($1, $2)", 2, NULL, values, NULL, NULL, 0));
}

static void hear_one(pg_news *n, char *payload) {
  char *rest = NULL, *word = strtok_r(payload, " ", &rest);
  if (!word || strcmp(word, n->node) == 0) return; // what is said here was told here
  while ((word = strtok_r(NULL, " ", &rest)))
    if (strcmp(word, WORK) == 0)
      store_notify_work(n->s, true);
    else
      store_notify(n->s, word);
}

static void hear(pg_news *n) {
  if (PQconsumeInput(n->pg) == 0) return;
  for (PGnotify *notice; (notice = PQnotifies(n->pg)); PQfreemem(notice)) hear_one(n, notice->extra);
}

static bool listen_anew(pg_news *n) {
  if (n->pg && PQstatus(n->pg) == CONNECTION_OK) return true;
  n->lost = n->lost || n->pg;
  PQfinish(n->pg);
  n->pg = pg_open(n->url, NULL);
  if (n->pg) PQclear(PQexec(n->pg, "LISTEN " CHANNEL));
  if (n->pg && n->lost) store_notify_work(n->s, true), n->lost = false; // whatever was missed
  return n->pg != NULL;
}

static void *run(void *context) {
  pg_news *n = context;
  thread_answers();
  while (!n->stopping) {
    bool open = listen_anew(n);
    struct pollfd fds[] = {{.fd = n->wake_fd, .events = POLLIN}, {.fd = open ? PQsocket(n->pg) : -1, .events = POLLIN}};
    int ready = poll(fds, 2, POLL_MS);
    uint64_t ignored;
    if (fds[0].revents && read(n->wake_fd, &ignored, sizeof ignored) > 0 && !n->stopping)
      nanosleep(&(struct timespec){.tv_nsec = GATHER_MS * 1000000L}, NULL);
    if (open) say(n), hear(n);
    if (ready == 0 && n->others > 0) store_notify_work(n->s, true);
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
  PQfinish(n->pg);
  close(n->wake_fd);
  pthread_mutex_destroy(&n->lock);
  free(n);
}
