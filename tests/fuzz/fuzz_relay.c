// Any bytes as what a gRPC client sends, in pieces of any size, through the relay to a core that only answers: what the
// core gets is what was sent, unchanged and up to some point, whatever the heads of frames say; and heads are the same
// in whatever pieces they come. The first byte says in what pieces, the second what the core does; its answers are the
// same bytes.

#include "base/log/log.h"
#include "base/share/budget.h"
#include "rpc/front/frames.h"
#include "rpc/front/police.h"
#include "rpc/front/relay.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TRUSTS = 1, ANSWERS = 2, LEAVES_EARLY = 4, READ = 4096, SENT_MOST = 1 << 16 };

static struct { // shared with the loop's thread
  pthread_mutex_t lock;
  pthread_cond_t changed;
  rpc_loop *loop;
  relay *relay;
  wire wire;
  int core_fd, mode;
  relay_connection *call;
  bool adopted, gone, left;
  loop_post adopt, leave;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void tell(bool *what) {
  pthread_mutex_lock(&shared.lock);
  *what = true;
  pthread_cond_signal(&shared.changed);
  pthread_mutex_unlock(&shared.lock);
}

static void wait_for(const bool *what) {
  pthread_mutex_lock(&shared.lock);
  while (!*what) pthread_cond_wait(&shared.changed, &shared.lock);
  pthread_mutex_unlock(&shared.lock);
}

static void serve(void *context, int fd) {
  (void)context;
  char name[16];
  snprintf(name, sizeof name, "fd:%d", fd);
  shared.call = relay_enter(shared.relay, name);
  assert(shared.call && relay_peer(shared.call));
  if (shared.mode & TRUSTS) relay_trust(shared.call);
  pthread_mutex_lock(&shared.lock);
  shared.core_fd = fd;
  pthread_mutex_unlock(&shared.lock);
}

static void full(void *context, const relay_connection *c) { (void)context, (void)c; }
static void gone(void *context, void *ticket, bool abused) {
  (void)context, (void)abused;
  tell(ticket);
}
static int crowd(void *ticket) { return ticket != NULL; }
static void settle(void *context, double now_s) { (void)now_s, relay_settle(context); }
static double tick(void *context, double now_s) { return relay_tick(context, now_s); }

static void adopt(loop_post *post) {
  (void)post;
  if (!relay_adopt(shared.relay, &shared.wire, "fuzz", POLICE_MOST, &shared.gone, crowd)) abort();
  tell(&shared.adopted);
}

static void leave(loop_post *post) {
  (void)post;
  relay_received(shared.call, 100);
  relay_message(shared.call);
  relay_leave(shared.call);
  shared.call = NULL;
  tell(&shared.left);
}

static void start(void) {
  log_set_level(LOG_LEVEL_ERROR);
  budget_set(UINT64_C(1) << 30);
  shared.relay = relay_create(&(relay_events){.serve = serve, .full = full, .gone = gone});
  shared.loop = loop_start(&(loop_hooks){.context = shared.relay, .settle = settle, .tick = tick});
  assert(shared.relay && shared.loop);
  relay_set_loop(shared.relay, shared.loop);
  shared.adopt.run = adopt;
  shared.leave.run = leave;
}

static int core_of_now(void) {
  pthread_mutex_lock(&shared.lock);
  int fd = shared.core_fd;
  pthread_mutex_unlock(&shared.lock);
  return fd;
}

// The core's side: what came is what was sent.
static size_t take_at_core(const uint8_t *sent, size_t at, size_t size) {
  uint8_t got[READ];
  int fd = core_of_now();
  for (ssize_t n; fd >= 0 && (n = recv(fd, got, sizeof got, MSG_DONTWAIT)) > 0; at += (size_t)n)
    assert(at + (size_t)n <= size && memcmp(got, sent + at, (size_t)n) == 0);
  return at;
}

static void read_away(int fd) {
  uint8_t got[READ];
  while (recv(fd, got, sizeof got, MSG_DONTWAIT) > 0) continue;
}

static void pass(const uint8_t *bytes, size_t size, size_t piece) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0 || !wire_open(&shared.wire, ends[1], NULL))
    abort();
  shared.core_fd = -1;
  shared.adopted = shared.gone = shared.left = false;
  loop_run_soon(shared.loop, &shared.adopt);
  wait_for(&shared.adopted);
  size_t at = 0;
  for (size_t sent = 0, now; sent < size; sent += now) {
    now = size - sent < piece ? size - sent : piece;
    if (send(ends[0], bytes + sent, now, MSG_NOSIGNAL) != (ssize_t)now) break;
    at = take_at_core(bytes, at, size);
    int core = core_of_now();
    if (core >= 0 && shared.mode & ANSWERS) (void)!send(core, bytes + sent, now, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (!(shared.mode & LEAVES_EARLY)) read_away(ends[0]);
  }
  shutdown(ends[0], SHUT_RDWR);
  close(ends[0]);
  wait_for(&shared.gone);
  take_at_core(bytes, at, size);
  if (core_of_now() < 0) return;
  close(shared.core_fd);
  loop_run_soon(shared.loop, &shared.leave);
  wait_for(&shared.left);
}

// Heads of frames, and what the police says of them; a hash.
static uint64_t look(const uint8_t *bytes, size_t size, size_t piece) {
  frame_scan scan = {.have = 0};
  police p = {.most = POLICE_MOST};
  uint64_t hash = 14695981039346656037u;
  bool wrong = false, good = true;
  for (size_t at = 0; at < size && !wrong && good;) {
    const uint8_t *next = bytes + at;
    size_t left = size - at < piece ? size - at : piece;
    at += left;
    for (frame_head head; good && frames_next(&scan, &next, &left, &head, &wrong);) {
      assert(head.length < 1u << 24 && head.stream < 1u << 31);
      good = police_frame(&p, &head, 0);
      hash = (hash ^ head.length ^ head.stream ^ head.type ^ head.flags ^ good) * 1099511628211u;
    }
    assert(wrong || !good || left == 0);
  }
  return hash ^ wrong;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!shared.relay) start();
  if (size < 2 || size > SENT_MOST) return 0;
  size_t piece = 1 + 5u * data[0];
  shared.mode = data[1];
  uint64_t whole = look(data + 2, size - 2, size), cut = look(data + 2, size - 2, piece);
  assert(whole == cut);
  pass(data + 2, size - 2, piece);
  return 0;
}
