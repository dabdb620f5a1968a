// accept -> address counted -> its turn waited for, where there are turns -> handshake, at most HANDSHAKE_S -> handed
// to the loop that serves.
#include "rpc/front/front.h"
#include "base/clock.h"
#include "rpc/front/police.h"
#include "service/access/rate.h"

#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUCKETS = 1024, HANDSHAKES = 256, HANDSHAKES_EACH = 64, ACCEPTED_OF_A_TURN = 64 };
static const double HANDSHAKE_S = 10, TICK_S = 0.5;
// After abuse: at most so many halvings, each forgotten in so long; connections a second. How long one waits for its
// turn at most, and for how much of its rate an address may fall behind before there are turns.
static const double STRIKES_MOST = 5, FORGIVEN_S = 5, STRUCK_RATE = 100, TURN_MOST_S = 2.5, BURST_S = 2;

typedef struct front_place { // of one address
  struct front_place *next;
  char key[RATE_KEY_SIZE];
  front *front;
  int count;                // connections
  int handshakes;           // of them; of the front's own loop only
  double strikes, struck_s; // connections that were thrown out, as of then
  double turn_s;            // when the next one may begin
} front_place;

typedef struct arrival { // a connection on its way
  loop_source source;    // first
  loop_post post;
  front *front;
  wire wire;
  char peer[ADDRESS_SIZE];
  front_place *place;
  double born_s, allowance;
  double due_s;                    // its turn
  int fd;                          // until then
  struct arrival *next, *previous; // of handshakes, newest first; or of those that are over
} arrival;

struct front {
  front_options options;
  char address[ADDRESS_SIZE];
  int listen_fd;
  wire_identity *identity;          // of its own loop
  _Atomic(wire_identity *) renewed; // to be taken by the next handshake; NULL: none
  rpc_loop *own, *served;
  relay *to;
  // of its own loop only:
  loop_source listening;
  bool accepting;
  arrival *newest, *oldest, *over, *waiting_ones;
  int handshakes;
  // under the lock:
  pthread_mutex_t lock;
  front_place *places[BUCKETS];
  int count;
  bool waiting, resuming, making_room, short_of_files, stopped;
  loop_post resume, make_room;
};

// ---------------------------------------------------------------------------------------------------------------
// places

static front_place **bucket_of(front *f, const char *key) {
  uint32_t hash = 2166136261u; // FNV-1a
  for (; *key; key++) hash = (hash ^ (unsigned char)*key) * 16777619u;
  return &f->places[hash % BUCKETS];
}

static double strikes_of(const front_place *p, double now_s) {
  return fmax(0, p->strikes - (now_s - p->struck_s) / FORGIVEN_S);
}

// Also clears away what is past in its bucket.
static front_place *find_place(front *f, const char *key, double now_s) {
  front_place **at = bucket_of(f, key), **bucket = at;
  while (*at) {
    front_place *p = *at;
    if (strcmp(p->key, key) == 0) return p;
    bool past = p->count == 0 && strikes_of(p, now_s) == 0 && p->turn_s <= now_s - BURST_S;
    if (past)
      *at = p->next, free(p);
    else
      at = &p->next;
  }
  front_place *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  snprintf(p->key, sizeof p->key, "%s", key);
  p->front = f;
  p->next = *bucket;
  return *bucket = p;
}

// When the next connection of an address may begin; false: not within the time that it may wait.
static bool take_turn(front *f, front_place *p, bool loopback, double now_s, double *due_s) {
  bool struck = strikes_of(p, now_s) > 0, shakes = f->identity && (f->options.handshakes_loopback_too || !loopback);
  double rate = struck ? STRUCK_RATE : shakes ? f->options.handshakes : 0;
  *due_s = now_s;
  if (rate == 0) return true;
  double next_s = fmax(p->turn_s, struck ? now_s : now_s - BURST_S) + 1 / rate;
  if (next_s > now_s + TURN_MOST_S) return false;
  *due_s = p->turn_s = next_s;
  return true;
}

// NULL: not let in.
static front_place *take_place(front *f, const address *from, const char *peer, double now_s, arrival *a) {
  char key[RATE_KEY_SIZE];
  rate_key_of_peer(peer, key);
  bool bounded = f->options.per_address > 0 && (f->options.loopback_too || !address_is_loopback(from));
  pthread_mutex_lock(&f->lock);
  front_place *p = find_place(f, key, now_s);
  bool room = p && (!bounded || p->count < f->options.per_address) &&
              take_turn(f, p, address_is_loopback(from), now_s, &a->due_s);
  if (room) p->count++, f->count++;
  if (room) a->allowance = POLICE_MOST / exp2(strikes_of(p, now_s));
  pthread_mutex_unlock(&f->lock);
  return room ? p : NULL;
}

static void punish(front_place *p) {
  double now = clock_monotonic_s();
  p->strikes = fmin(strikes_of(p, now) + 1, STRIKES_MOST);
  p->struck_s = now;
}

void front_release(front *f, void *ticket, bool abused) {
  front_place *p = ticket;
  pthread_mutex_lock(&f->lock);
  p->count--;
  f->count--;
  if (abused) punish(p);
  bool resume = f->waiting && !f->resuming && !f->stopped;
  if (resume) f->resuming = true;
  if (resume) loop_run_soon(f->own, &f->resume);
  pthread_mutex_unlock(&f->lock);
}

static int crowd(void *ticket) {
  front_place *p = ticket;
  pthread_mutex_lock(&p->front->lock);
  int count = p->count;
  pthread_mutex_unlock(&p->front->lock);
  return count;
}

// -----------------------------------------------------------------------------------------------------------
// handshakes

static void leave_list(arrival *a) {
  front *f = a->front;
  *(a->previous ? &a->previous->next : &f->newest) = a->next;
  *(a->next ? &a->next->previous : &f->oldest) = a->previous;
  f->handshakes--;
  a->place->handshakes--;
  if (f->own) loop_unwatch(f->own, a->wire.fd);
}

static void give_up(arrival *a) {
  front *f = a->front;
  leave_list(a);
  wire_close(&a->wire);
  front_release(f, a->place, false);
  a->next = f->over; // events of this turn may name it
  f->over = a;
}

static void hand_over(loop_post *post) { // in the loop that serves
  arrival *a = (arrival *)((char *)post - offsetof(arrival, post));
  if (!relay_adopt(a->front->to, &a->wire, a->peer, a->allowance, a->place, crowd))
    front_release(a->front, a->place, false);
  free(a);
}

static void send_on(arrival *a) {
  a->post.run = hand_over;
  loop_run_soon(a->front->served, &a->post);
}

static void on_handshake(loop_source *source, uint32_t events) {
  (void)events;
  arrival *a = (arrival *)source;
  if (a->wire.fd < 0) return; // given up in this turn
  wire_state state = wire_handshake(&a->wire);
  if (state == WIRE_DONE) {
    leave_list(a);
    send_on(a);
  } else if (state == WIRE_BROKEN)
    give_up(a);
  else
    loop_change(a->front->own, a->wire.fd, state == WIRE_WANTS_WRITE ? EPOLLOUT : EPOLLIN, &a->source);
}

static arrival *oldest_of(front *f, const front_place *place) {
  arrival *a = f->oldest;
  while (a->place != place) a = a->previous;
  return a;
}

static bool begin_handshake(arrival *a) {
  front *f = a->front;
  if (a->place->handshakes >= HANDSHAKES_EACH) give_up(oldest_of(f, a->place));
  if (f->handshakes >= HANDSHAKES) give_up(f->oldest);
  if (!loop_watch(f->own, a->wire.fd, EPOLLIN, &a->source)) return false;
  a->next = f->newest;
  *(a->next ? &a->next->previous : &f->oldest) = a;
  f->newest = a;
  f->handshakes++;
  a->place->handshakes++;
  loop_tick_at(f->own, loop_now(f->own) + TICK_S);
  return true;
}

static void on_turn(void *context, double now_s) {
  (void)now_s;
  front *f = context;
  while (f->over) {
    arrival *a = f->over;
    f->over = a->next;
    free(a);
  }
}

// ------------------------------------------------------------------------------------------------------------
// accepting

static void take_renewed(front *f) {
  wire_identity *renewed = atomic_exchange(&f->renewed, NULL);
  if (!renewed) return;
  wire_identity_release(f->identity);
  f->identity = renewed;
}

static void forget(arrival *a) {
  front_release(a->front, a->place, false);
  free(a);
}

// Its turn has come.
static void begin(arrival *a) {
  front *f = a->front;
  a->born_s = loop_now(f->own);
  if (!wire_open(&a->wire, a->fd, f->identity)) {
    forget(a);
    return;
  }
  if (!f->identity) {
    send_on(a);
    return;
  }
  if (begin_handshake(a)) return;
  wire_close(&a->wire);
  forget(a);
}

static void await_turn(arrival *a) {
  front *f = a->front;
  a->next = f->waiting_ones;
  f->waiting_ones = a;
  loop_tick_at(f->own, a->due_s);
}

// Those whose turn has come by then. Returns when the next one has it.
static double begin_due(front *f, double now_s) {
  double next_s = INFINITY;
  for (arrival **at = &f->waiting_ones; *at;) {
    arrival *a = *at;
    if (a->due_s <= now_s) {
      *at = a->next;
      begin(a);
    } else {
      next_s = fmin(next_s, a->due_s);
      at = &a->next;
    }
  }
  return next_s;
}

static void arrive(front *f, int fd, const address *from) {
  take_renewed(f);
  arrival *a = calloc(1, sizeof *a);
  double now = loop_now(f->own);
  int yes = 1;
  if (a) {
    address_write(from, a->peer);
    a->place = take_place(f, from, a->peer, now, a);
  }
  if (!a || !a->place) {
    close(fd);
    free(a);
    return;
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  a->source.fire = on_handshake;
  a->front = f;
  a->fd = fd;
  if (a->due_s > now)
    await_turn(a);
  else
    begin(a);
}

static void stop_accepting(front *f) {
  if (f->accepting) loop_unwatch(f->own, f->listen_fd);
  f->accepting = false;
  loop_tick_at(f->own, loop_now(f->own) + TICK_S);
}

static void make_room_there(loop_post *post) { // in the loop that serves
  front *f = (front *)((char *)post - offsetof(front, make_room));
  pthread_mutex_lock(&f->lock);
  bool still = f->count >= f->options.connections || f->short_of_files;
  f->making_room = f->short_of_files = false;
  pthread_mutex_unlock(&f->lock);
  if (still) relay_drop_idlest(f->to);
}

// Somebody has to go. front_release says when it was done.
static void make_room(front *f, bool short_of_files) {
  pthread_mutex_lock(&f->lock);
  bool ask = !f->oldest && !f->making_room;
  if (ask) f->making_room = true;
  f->short_of_files = f->short_of_files || short_of_files;
  pthread_mutex_unlock(&f->lock);
  if (f->oldest)
    give_up(f->oldest);
  else if (ask)
    loop_run_soon(f->served, &f->make_room);
}

// All places are taken: from now on front_release rings.
static bool is_full(front *f) {
  pthread_mutex_lock(&f->lock);
  bool full = f->waiting = f->count >= f->options.connections;
  pthread_mutex_unlock(&f->lock);
  return full;
}

static void on_listening(loop_source *source, uint32_t events) {
  (void)events;
  front *f = (front *)((char *)source - offsetof(front, listening));
  for (int i = 0; i < ACCEPTED_OF_A_TURN; i++) {
    if (is_full(f)) {
      stop_accepting(f);
      make_room(f, false);
      return;
    }
    address from;
    socklen_t size = sizeof from;
    int fd = accept4(f->listen_fd, &from.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    bool short_of_files = fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
    if (short_of_files) {
      stop_accepting(f);
      make_room(f, true);
    }
    if (fd < 0) return;
    arrive(f, fd, &from);
  }
}

static void start_accepting(front *f) {
  if (!f->accepting) f->accepting = loop_watch(f->own, f->listen_fd, EPOLLIN, &f->listening);
}

static void on_resume(loop_post *post) {
  front *f = (front *)((char *)post - offsetof(front, resume));
  pthread_mutex_lock(&f->lock);
  f->resuming = false;
  pthread_mutex_unlock(&f->lock);
  start_accepting(f);
}

static double on_tick(void *context, double now_s) {
  front *f = context;
  while (f->oldest && now_s - f->oldest->born_s > HANDSHAKE_S) give_up(f->oldest);
  start_accepting(f);
  double due_s = begin_due(f, now_s);
  return f->oldest || !f->accepting ? fmin(due_s, now_s + TICK_S) : due_s;
}

// --------------------------------------------------------------------------------------------------------- start, stop

static bool say(char message[FRONT_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(char message[FRONT_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, FRONT_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

static bool listen_at(front *f, char message[FRONT_MESSAGE_SIZE]) {
  address a;
  socklen_t size;
  int yes = 1;
  if (!address_read(f->options.listen, &a, &size, message)) return false;
  f->listen_fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (f->listen_fd < 0 || setsockopt(f->listen_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(f->listen_fd, &a.any, size) != 0 || listen(f->listen_fd, SOMAXCONN) != 0 ||
      getsockname(f->listen_fd, &a.any, &size) != 0)
    return say(message, "cannot listen on %.80s for gRPC: %s", f->options.listen, strerror(errno));
  address_write(&a, f->address);
  return true;
}

front *front_open(const front_options *options, char message[FRONT_MESSAGE_SIZE]) {
  front *f = calloc(1, sizeof *f);
  if (!f) return say(message, "not enough memory"), NULL;
  f->options = *options;
  f->listen_fd = -1;
  f->listening.fire = on_listening;
  f->resume.run = on_resume;
  f->make_room.run = make_room_there;
  pthread_mutex_init(&f->lock, NULL);
  bool encrypted = options->tls && options->tls->certificate;
  if (encrypted) f->identity = wire_identity_create(options->tls);
  if (encrypted && !f->identity)
    say(message, "gRPC does not accept the certificate");
  else if (listen_at(f, message))
    return f;
  front_close(f);
  return NULL;
}

bool front_renew_certificate(front *f, const tls_files *files) {
  wire_identity *renewed = f->options.tls ? wire_identity_create(files) : NULL;
  if (!renewed) return false;
  wire_identity_release(atomic_exchange(&f->renewed, renewed));
  return true;
}

const char *front_address(const front *f) { return f->address; }

bool front_start(front *f, relay *to, rpc_loop *served) {
  f->to = to;
  f->served = served;
  f->own = loop_start(&(loop_hooks){.context = f, .settle = on_turn, .tick = on_tick});
  if (!f->own) return false;
  f->resuming = true;
  loop_run_soon(f->own, &f->resume);
  return true;
}

void front_stop(front *f) {
  pthread_mutex_lock(&f->lock);
  f->stopped = true;
  pthread_mutex_unlock(&f->lock);
  loop_stop(f->own);
  f->own = NULL;
  if (f->listen_fd >= 0) close(f->listen_fd);
  f->listen_fd = -1;
  while (f->oldest) give_up(f->oldest);
  on_turn(f, 0);
  while (f->waiting_ones) {
    arrival *a = f->waiting_ones;
    f->waiting_ones = a->next;
    close(a->fd);
    forget(a);
  }
}

void front_close(front *f) {
  if (!f) return;
  front_stop(f);
  for (int i = 0; i < BUCKETS; i++)
    for (front_place *p = f->places[i], *next; p; p = next) {
      next = p->next;
      free(p);
    }
  wire_identity_release(f->identity);
  wire_identity_release(atomic_load(&f->renewed));
  pthread_mutex_destroy(&f->lock);
  free(f);
}
