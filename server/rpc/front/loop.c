// A turn: wait -> events -> posts -> settle -> tick when it is time. A loop that is asked again soon looks for a while
// before it sleeps, since waking a thread costs more than a short answer.
#include "rpc/front/loop.h"
#include "base/clock.h"
#include "base/thread.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { EVENTS = 64 };
static const double ACCOUNT_S = 2e-3, WAITING_SHARE = 0.1, LONGEST_SLEEP_S = 60;

struct rpc_loop {
  loop_hooks hooks;
  int epoll_fd, bell_fd; // the bell wakes it for posts
  loop_source bell;
  pthread_t thread;
  _Atomic(loop_post *) posts; // newest first
  _Atomic bool asleep, stopping;
  // of the loop's thread only:
  double now_s, tick_s;
  double since_s, waited_s; // the account: when it began, and how much of that was waiting
  bool crowded, active;
};

// -------------------------------------------------------------------------------------------------------------- posts

void loop_run_soon(rpc_loop *loop, loop_post *post) {
  post->next = atomic_load(&loop->posts);
  while (!atomic_compare_exchange_weak(&loop->posts, &post->next, post)) {
  }
  loop_ring(loop);
}

void loop_ring(rpc_loop *loop) {
  if (!atomic_exchange(&loop->asleep, false)) return;
  ssize_t n = write(loop->bell_fd, &(uint64_t){1}, sizeof(uint64_t));
  (void)n;
}

static void on_bell(loop_source *source, uint32_t events) {
  (void)events;
  rpc_loop *loop = (rpc_loop *)((char *)source - offsetof(rpc_loop, bell));
  uint64_t count;
  ssize_t n = read(loop->bell_fd, &count, sizeof count);
  (void)n;
}

static void run_posts(rpc_loop *loop) {
  loop_post *newest = atomic_exchange(&loop->posts, NULL), *oldest = NULL;
  while (newest) {
    loop_post *next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest) {
    loop_post *next = oldest->next; // it may be posted again while it runs
    oldest->run(oldest);
    oldest = next;
  }
}

// --------------------------------------------------------------------------------------------------------------- turns

static bool has_posts(rpc_loop *loop) { return atomic_load(&loop->posts) != NULL; }

static bool has_news(rpc_loop *loop) {
  return has_posts(loop) || (loop->hooks.look && loop->hooks.look(loop->hooks.context, loop->now_s));
}

// Whoever rings after `asleep` was set is heard, and what came before is looked for once more.
static int sleep_for_events(rpc_loop *loop, struct epoll_event events[EVENTS]) {
  double left = loop->tick_s - clock_monotonic_s(),
         nap = loop->hooks.nap ? loop->hooks.nap(loop->hooks.context) : INFINITY;
  left = left < nap ? left : nap;
  int ms = left > LONGEST_SLEEP_S ? 1000 * (int)LONGEST_SLEEP_S : left > 0 ? (int)(1000 * left) + 1 : 0;
  atomic_store(&loop->asleep, true);
  int count = has_news(loop) || atomic_load(&loop->stopping) ? 0 : epoll_wait(loop->epoll_fd, events, EVENTS, ms);
  atomic_store(&loop->asleep, false);
  return count;
}

static int wait_for_events(rpc_loop *loop, struct epoll_event events[EVENTS]) {
  double since = clock_monotonic_s();
  int count = 0;
  bool news = false;
  if (loop->active && loop->hooks.linger_s > 0) do {
      count = epoll_wait(loop->epoll_fd, events, EVENTS, 0);
      news = count == 0 && has_news(loop);
    } while (count == 0 && !news && clock_monotonic_s() - since < loop->hooks.linger_s);
  if (count == 0 && !news) count = sleep_for_events(loop, events);
  double now = loop->now_s = clock_monotonic_s(), period = now - loop->since_s;
  loop->waited_s += now - since;
  if (period < ACCOUNT_S) return count;
  loop->crowded = loop->waited_s < WAITING_SHARE * period;
  loop->since_s = now;
  loop->waited_s = 0;
  return count;
}

static void take_turn(rpc_loop *loop) {
  struct epoll_event events[EVENTS];
  int count = wait_for_events(loop, events);
  loop->active = count > 0 || has_news(loop);
  for (int i = 0; i < count; i++) {
    loop_source *source = events[i].data.ptr;
    source->fire(source, events[i].events);
  }
  run_posts(loop);
  if (loop->hooks.settle) loop->hooks.settle(loop->hooks.context, loop->now_s);
  if (loop->now_s < loop->tick_s) return;
  loop->tick_s = loop->hooks.tick(loop->hooks.context, loop->now_s);
  if (loop->hooks.settle) loop->hooks.settle(loop->hooks.context, loop->now_s);
}

static _Thread_local const rpc_loop *current;

static void *run(void *context) {
  rpc_loop *loop = context;
  current = loop;
  thread_answers();
  while (!atomic_load(&loop->stopping)) take_turn(loop);
  while (has_posts(loop)) {
    run_posts(loop);
    if (loop->hooks.settle) loop->hooks.settle(loop->hooks.context, loop->now_s);
  }
  return NULL;
}

// --------------------------------------------------------------------------------------------------------- start, stop

static void release(rpc_loop *loop) {
  if (loop->epoll_fd >= 0) close(loop->epoll_fd);
  if (loop->bell_fd >= 0) close(loop->bell_fd);
  free(loop);
}

rpc_loop *loop_start(const loop_hooks *hooks) {
  rpc_loop *loop = calloc(1, sizeof *loop);
  if (!loop) return NULL;
  loop->hooks = *hooks;
  loop->bell.fire = on_bell;
  loop->tick_s = INFINITY;
  loop->now_s = loop->since_s = clock_monotonic_s();
  loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  loop->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bool ready = loop->epoll_fd >= 0 && loop->bell_fd >= 0 && loop_watch(loop, loop->bell_fd, EPOLLIN, &loop->bell);
  if (ready && pthread_create(&loop->thread, NULL, run, loop) == 0) return loop;
  release(loop);
  return NULL;
}

void loop_stop(rpc_loop *loop) {
  if (!loop) return;
  atomic_store(&loop->stopping, true);
  ssize_t n = write(loop->bell_fd, &(uint64_t){1}, sizeof(uint64_t));
  (void)n;
  pthread_join(loop->thread, NULL);
  release(loop);
}

bool loop_is_mine(const rpc_loop *loop) { return current == loop; }

bool loop_watch(rpc_loop *loop, int fd, uint32_t events, loop_source *source) {
  return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = events, .data.ptr = source}) == 0;
}

void loop_change(rpc_loop *loop, int fd, uint32_t events, loop_source *source) {
  (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, fd, &(struct epoll_event){.events = events, .data.ptr = source});
}

void loop_unwatch(rpc_loop *loop, int fd) { (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, fd, NULL); }

void loop_tick_at(rpc_loop *loop, double at_s) {
  if (at_s < loop->tick_s) loop->tick_s = at_s;
}

double loop_now(const rpc_loop *loop) { return loop->now_s; }
bool loop_is_crowded(const rpc_loop *loop) { return loop->crowded; }
