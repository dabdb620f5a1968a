// The worker of a slot. A process that ended its job with Done takes the next one, if it is alive and silent; any other
// end of a job, a word out of turn, or its own word that it has had enough is its end. It lives as long as the slot's
// thread, its parent (PDEATHSIG).
#include "base/limits.h"
#include "base/log/log.h"
#include "queue/slot.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { LEAVE_GRACE_MS = 10000 }; // for a worker that has nothing to do

// A dead one shows as the end of its stream.
static bool waits(const slot_worker *w) {
  struct pollfd heard = {.fd = w->process.fd, .events = POLLIN};
  return w->in.used == 0 && poll(&heard, 1, 0) == 0;
}

void slot_worker_end(slot *s, bool politely, char how[WORKER_WORDS_SIZE]) {
  slot_worker *w = &s->worker;
  struct pollfd leaving = {.fd = w->process.pidfd, .events = POLLIN};
  if (w->process.pid == 0) return;
  shutdown(w->process.fd, SHUT_WR); // no more jobs
  if (politely) poll(&leaving, 1, LEAVE_GRACE_MS);
  worker_kill(&w->process, SIGKILL); // one that crashed by itself still tells the first cause of its death
  int status = worker_reap(&w->process);
  w->out_of_time = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
  worker_describe(status, how, WORKER_WORDS_SIZE);
  channel_fini(&w->in);
  w->process.pid = 0;
}

static int start(slot *s) {
  slot_worker *w = &s->worker;
  *w = (slot_worker){.turn = 0};
  const queue_options *o = &s->q->options;
  int error = worker_spawn(s->q->program, store_tmp_folder(s->q->store), o->memory_mb, o->nice, &w->process);
  if (error) return w->process.pid = 0, error;
  metrics_add(METRIC_WORKER_STARTS, 0, 1);
  channel_init(&w->in, w->process.fd, LIMIT_FRAME_BYTES);
  return 0;
}

int slot_worker_get(slot *s) {
  char how[WORKER_WORDS_SIZE];
  if (s->worker.process.pid != 0 && waits(&s->worker)) return s->worker.turn++, 0;
  if (s->worker.process.pid != 0) {
    slot_worker_end(s, false, how);
    log_write(LOG_LEVEL_WARNING, "idle_worker_lost", LOG_S("detail", how));
  }
  return start(s);
}
