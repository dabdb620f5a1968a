// A place per open connection with a lock of its own: the event loops enter phases, the watching thread reads them.
//
// Invariants: an entry's socket is open while its `fd` is not -1 (the library tells its end before it closes): what is
// shut down under the entry's lock is that connection and no later one with the same number. `address` has a key for
// every open connection, 0 elsewhere; it is read without locks where a number that is off by one does no harm.
#include "http/connections.h"
#include "base/address.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/log.h"
#include "base/log/log_kind.h"
#include "base/log/metrics.h"
#include "base/share/budget.h"
#include "base/thread.h"
#include "http/own_errors.h"
#include "service/access/rate.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { HANDSHAKE_BURST_S = 4 };
enum { LARGE_BODY = 64 << 10 };
enum { RESERVE_MOST = 64, RESERVE_LEAST = 4, RESERVE_PART = 16, VICTIMS = 64 };
static const double LOOK_S = 0.5, IDLE_S = 5, BREATH_S = 0.02; // between looks; without connections; at least
// From when on a client counts as slow where there is too little room; at these rates nobody does, bytes/s.
static const double SLOW_S = 1, SLOW_IDLE_S = 5, SLOW_RATE = 64 << 10;

struct connection_entry {
  pthread_mutex_t lock;
  struct connections *all;
  int fd; // -1: the entry is free
  int next_free;
  address peer;
  connection_phase phase;
  bool answered;       // a request of it was
  bool trusted;        // it has shown that it may do more than what everybody may
  bool surplus, ended; // it came when all places were taken; it was shut down
  double since_s;      // when the phase began
  double mark_s;       // head: first byte seen, 0: none; reply: begin of the window
  uint64_t mark;     // bytes that the kernel had counted at the first look of the phase, or at the begin of the window
  bool marked, left; // it was looked at in this phase, and had been left by its client
  double opened_s;
  uint64_t held;
  double waited_s; // for the client, at the last look
  _Atomic uint64_t received;
};

struct connections {
  connection_limits limits;
  int size;
  rate_limit *handshakes; // NULL: no limit
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wanted; // room is
  bool stopping, room_wanted;
  int first_free;
  _Atomic int open;
  _Atomic int ending;         // of them were shut down
  _Atomic uint64_t *address;  // [size] whose connection it is, 0: free
  _Atomic uint64_t *caller;   // [size] whose requests it carries, 0: nobody's who has a share
  connection_entry entries[]; // [size]
};

typedef enum drop_reason { DROP_HEAD, DROP_BODY, DROP_REPLY, DROP_ROOM } drop_reason;
static const char *const reason_names[] = {"header", "body", "reply", "room"};

static int reserve_of(int most) {
  int part = most / RESERVE_PART;
  return part < RESERVE_LEAST ? RESERVE_LEAST : part > RESERVE_MOST ? RESERVE_MOST : part;
}

int connections_with_reserve(int most) { return most + reserve_of(most); }

// ---------------------------------------------------------------------------------------------------------- addresses

// An IPv6 host has a whole /64. FNV-1a over the bytes that count; never 0.
static uint64_t key_of(const address *a) {
  bool v6 = a->any.sa_family == AF_INET6;
  const unsigned char *bytes = v6 ? a->v6.sin6_addr.s6_addr : (const unsigned char *)&a->v4.sin_addr;
  size_t size = v6 ? 8 : 4;
  if (v6 && IN6_IS_ADDR_V4MAPPED(&a->v6.sin6_addr)) bytes += 12, size = 4;
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < size; i++) h = (h ^ bytes[i]) * UINT64_C(1099511628211);
  return h ? h : 1;
}

static int count_of(const _Atomic uint64_t *keys, int size, uint64_t key) {
  int count = 0;
  for (int i = 0; i < size; i++) count += atomic_load_explicit(&keys[i], memory_order_relaxed) == key;
  return count;
}

// ----------------------------------------------------------------------------------------- ending; under the entry's
// lock

static void close_down(connection_entry *s) {
  shutdown(s->fd, SHUT_RDWR);
  s->ended = true;
  atomic_fetch_add(&s->all->ending, 1);
}

static const char *const details[] = {"the header section did not come in time", "the body comes too slowly", "",
                                      "the server is full, and this request comes too slowly"};

static void end(connection_entry *s, drop_reason why) {
  bool begun = s->phase == CONNECTION_BODY || (s->phase == CONNECTION_HEAD && s->mark_s > 0);
  if (begun && !s->all->limits.encrypted) own_errors_say_timeout(s->fd, details[why]);
  close_down(s);
  metrics_add(METRIC_CONNECTIONS_DROPPED, (int)why, 1);
  char peer[ADDRESS_SIZE];
  address_write(&s->peer, peer);
  if (log_kind_allows(LOG_KIND_SLOW_CLIENT))
    log_write(LOG_LEVEL_INFO, "slow_client", LOG_S("reason", reason_names[why]), LOG_S("peer", peer),
              LOG_F("waited_s", s->waited_s), LOG_I("received", atomic_load(&s->received)));
}

// ---------------------------------------------------------------------------------------- looking; under the entry's
// lock

// What the kernel has counted; 0 when it does not.
static bool read_counts(const connection_entry *s, uint64_t *received, uint64_t *acknowledged) {
  struct tcp_info info;
  socklen_t size = sizeof info;
  memset(&info, 0, sizeof info);
  bool known = getsockopt(s->fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
               size >= offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
  *received = known ? info.tcpi_bytes_received : 0;
  *acknowledged = known ? info.tcpi_bytes_acked : 0;
  return known;
}

// A client that sends the beginning of a request is held to its end; one that is silent is the library's.
static bool head_is_late(connection_entry *s, double now) {
  uint64_t received = 0, acknowledged;
  if (s->mark_s == 0) read_counts(s, &received, &acknowledged);
  if (!s->marked && s->answered) s->mark = received; // of a new connection all bytes are of this request
  s->marked = true;
  if (s->mark_s == 0 && received > s->mark) s->mark_s = now;
  s->waited_s = now - s->since_s;
  return (s->mark_s > 0 && now - s->mark_s > LIMIT_HEADER_S) || s->waited_s > LIMIT_IDLE_S + 1;
}

static bool body_is_late(connection_entry *s, double now) {
  double taken = now - s->since_s, received = (double)atomic_load(&s->received);
  s->waited_s = taken - received / SLOW_RATE;
  return taken > LIMIT_BODY_S || taken > LIMIT_BODY_GRACE_S + received / LIMIT_BODY_RATE;
}

// Nothing is held against a client for whom nothing waits in the socket.
static bool reply_is_late(connection_entry *s, double now) {
  int waiting = 0;
  uint64_t received, taken = 0;
  bool waits = ioctl(s->fd, SIOCOUTQ, &waiting) == 0 && waiting > 0 && read_counts(s, &received, &taken);
  bool judged = waits && s->marked && now - s->mark_s >= LIMIT_REPLY_WINDOW_S;
  bool late = judged && (double)(taken - s->mark) < LIMIT_REPLY_RATE * (now - s->mark_s);
  if (!waits || !s->marked || judged) s->mark_s = now, s->mark = taken;
  s->marked = true;
  s->waited_s = waits ? now - s->mark_s - (double)(taken - s->mark) / SLOW_RATE : 0;
  double allowed = LIMIT_REPLY_WINDOW_S + (double)s->held / LIMIT_REPLY_HELD_RATE;
  return late || (waits && s->held > 0 && now - s->since_s > allowed);
}

// The client has ended its side, all it sent was read, and the request is not there. The library may not notice (its
// epoll tells of changes only): seen twice, the connection ends.
static bool is_left(connection_entry *s) {
  struct pollfd end_of = {.fd = s->fd, .events = POLLRDHUP};
  int unread = 0;
  bool was_left = s->left;
  s->left = (s->phase == CONNECTION_HEAD || s->phase == CONNECTION_BODY) && poll(&end_of, 1, 0) == 1 &&
            (end_of.revents & (POLLRDHUP | POLLHUP | POLLERR)) && ioctl(s->fd, FIONREAD, &unread) == 0 && unread == 0;
  return s->left && was_left;
}

static void look(connection_entry *s, double now) {
  if (s->fd < 0 || s->ended) return;
  if (is_left(s)) {
    close_down(s);
    return;
  }
  if (s->phase == CONNECTION_HEAD && head_is_late(s, now)) end(s, DROP_HEAD);
  if (s->phase == CONNECTION_BODY && body_is_late(s, now)) end(s, DROP_BODY);
  if (s->phase == CONNECTION_REPLY && reply_is_late(s, now)) end(s, DROP_REPLY);
}

// ------------------------------------------------------------------------------------------------------ making room

// How readily a connection is given up: seconds that the client has kept us waiting; those in the midst of something
// before those that idle after an answer. When all places are taken, who has only asked for what everybody may ask goes
// whatever the pace. 0: not at all.
static double readiness(const connection_entry *s, bool full) {
  if (s->fd < 0 || s->ended || s->phase == CONNECTION_WORK) return 0;
  bool idles = s->phase == CONNECTION_HEAD && s->answered && s->mark_s == 0;
  double age = clock_monotonic_s() - s->opened_s;
  if (!idles) return s->waited_s > SLOW_S ? s->waited_s + 2 * LIMIT_IDLE_S : 0;
  if (!s->trusted) return full && age > SLOW_S ? s->waited_s + LIMIT_IDLE_S : 0;
  return full && s->waited_s > SLOW_IDLE_S ? s->waited_s : 0;
}

// Ends the slowest, `count` of them at the most, of one address when `key` is not 0.
static int drop_slowest(connections *all, int count, uint64_t key, bool full) {
  struct {
    double readiness;
    int entry;
  } victims[VICTIMS];
  int found = 0;
  if (count > VICTIMS) count = VICTIMS;
  for (int i = 0; i < all->size && count > 0; i++) {
    uint64_t address_key = atomic_load_explicit(&all->address[i], memory_order_relaxed);
    if (address_key == 0 || (key != 0 && address_key != key)) continue;
    pthread_mutex_lock(&all->entries[i].lock);
    double r = readiness(&all->entries[i], full);
    pthread_mutex_unlock(&all->entries[i].lock);
    if (r <= 0 || (found == count && r <= victims[found - 1].readiness)) continue;
    int at = found < count ? found++ : found - 1; // sorted, the readiest first
    for (; at > 0 && victims[at - 1].readiness < r; at--) victims[at] = victims[at - 1];
    victims[at].readiness = r, victims[at].entry = i;
  }
  int dropped = 0;
  for (int v = 0; v < found; v++) {
    connection_entry *s = &all->entries[victims[v].entry];
    pthread_mutex_lock(&s->lock);
    if (readiness(s, full) > 0) end(s, DROP_ROOM), dropped++;
    pthread_mutex_unlock(&s->lock);
  }
  return dropped;
}

// Connections that stay if nobody else goes.
static int staying(const connections *all) { return atomic_load(&all->open) - atomic_load(&all->ending); }

// The last places are kept free as long as somebody is slow.
static void make_room(connections *all) {
  int count = staying(all), wanted = count - (all->limits.most - reserve_of(all->limits.most));
  if (wanted > 0) drop_slowest(all, wanted, 0, count > all->limits.most);
}

static void *watch(void *context) {
  connections *all = context;
  double next_s = 0;
  pthread_mutex_lock(&all->lock);
  while (!all->stopping) {
    all->room_wanted = false;
    pthread_mutex_unlock(&all->lock);
    double now = clock_monotonic_s();
    for (int i = 0; now >= next_s && i < all->size; i++) {
      if (atomic_load_explicit(&all->address[i], memory_order_relaxed) == 0) continue;
      pthread_mutex_lock(&all->entries[i].lock);
      look(&all->entries[i], now);
      pthread_mutex_unlock(&all->entries[i].lock);
    }
    if (now >= next_s && all->limits.look) all->limits.look(all->limits.context);
    if (now >= next_s) next_s = now + LOOK_S;
    make_room(all);
    budget_trim();
    budget_look();
    bool idle = atomic_load(&all->open) == 0;
    struct timespec breath = {.tv_nsec = (long)(1e9 * BREATH_S)}, until = clock_monotonic_after(idle ? IDLE_S : LOOK_S);
    if (!idle) nanosleep(&breath, NULL);
    pthread_mutex_lock(&all->lock);
    while (!all->stopping && !all->room_wanted && pthread_cond_timedwait(&all->wanted, &all->lock, &until) == 0)
      continue;
  }
  pthread_mutex_unlock(&all->lock);
  return NULL;
}

// ------------------------------------------------------------------------------------------------- the library's
// callbacks

// A handshake costs as much as some evaluations, and is done in an event loop.
static bool may_shake_hands(connections *all, const address *a) {
  char peer[ADDRESS_SIZE], key[RATE_KEY_SIZE];
  if (!all->handshakes || (address_is_loopback(a) && !all->limits.handshakes_loopback)) return true;
  address_write(a, peer);
  rate_key_of_peer(peer, key);
  return rate_take(all->handshakes, key, clock_monotonic_s()) == 0;
}

enum MHD_Result connections_admit(void *context, const struct sockaddr *peer, socklen_t size) {
  connections *all = context;
  address a = {.any = {.sa_family = AF_UNSPEC}};
  memcpy(&a, peer, size < sizeof a ? size : sizeof a);
  if (!may_shake_hands(all, &a)) {
    metrics_add(METRIC_CONNECTIONS_REFUSED, 0, 1);
    return MHD_NO;
  }
  if (all->limits.per_address == 0 || (address_is_loopback(&a) && !all->limits.loopback)) return MHD_YES;
  uint64_t key = key_of(&a);
  bool room = count_of(all->address, all->size, key) < all->limits.per_address || drop_slowest(all, 1, key, false) > 0;
  if (!room) metrics_add(METRIC_CONNECTIONS_REFUSED, 0, 1);
  return room ? MHD_YES : MHD_NO;
}

static void fill(connection_entry *s, struct MHD_Connection *connection, bool surplus) {
  const union MHD_ConnectionInfo *fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  const union MHD_ConnectionInfo *peer = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  s->fd = fd ? fd->connect_fd : -1;
  s->peer = (address){.any = {.sa_family = AF_INET}};
  if (peer && peer->client_addr)
    memcpy(&s->peer, peer->client_addr,
           peer->client_addr->sa_family == AF_INET6 ? sizeof s->peer.v6 : sizeof s->peer.v4);
  s->phase = CONNECTION_HEAD;
  s->answered = s->trusted = s->ended = s->marked = s->left = false;
  s->surplus = surplus;
  s->since_s = s->opened_s = clock_monotonic_s();
  s->mark_s = s->waited_s = 0;
  s->mark = s->held = 0;
  atomic_store(&s->received, 0);
}

static connection_entry *take_entry(connections *all, bool *surplus) {
  pthread_mutex_lock(&all->lock);
  int i = all->first_free;
  if (i >= 0) {
    all->first_free = all->entries[i].next_free;
    int open = atomic_fetch_add(&all->open, 1) + 1;
    *surplus = open > all->limits.most;
    if (open == 1 || open > all->limits.most - reserve_of(all->limits.most)) {
      all->room_wanted = true;
      pthread_cond_signal(&all->wanted);
    }
  }
  pthread_mutex_unlock(&all->lock);
  return i >= 0 ? &all->entries[i] : NULL;
}

static void give_entry(connections *all, connection_entry *s) {
  int i = (int)(s - all->entries);
  pthread_mutex_lock(&s->lock);
  s->fd = -1;
  if (s->ended) atomic_fetch_sub(&all->ending, 1);
  pthread_mutex_unlock(&s->lock);
  atomic_store(&all->address[i], 0);
  atomic_store(&all->caller[i], 0);
  pthread_mutex_lock(&all->lock);
  s->next_free = all->first_free;
  all->first_free = i;
  atomic_fetch_sub(&all->open, 1);
  pthread_mutex_unlock(&all->lock);
}

void connections_notify(void *context, struct MHD_Connection *connection, void **kept,
                        enum MHD_ConnectionNotificationCode what) {
  connections *all = context;
  bool surplus = false;
  thread_answers(); // the event loop's
  connection_entry *s = what == MHD_CONNECTION_NOTIFY_STARTED ? take_entry(all, &surplus) : *kept;
  if (!s) return;
  metrics_add(METRIC_CONNECTIONS, 0, what == MHD_CONNECTION_NOTIFY_STARTED ? 1 : -1);
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    pthread_mutex_lock(&s->lock);
    fill(s, connection, surplus);
    atomic_store(&all->address[s - all->entries], key_of(&s->peer));
    pthread_mutex_unlock(&s->lock);
  } else
    give_entry(all, s);
  *kept = what == MHD_CONNECTION_NOTIFY_STARTED ? s : NULL;
}

connection_entry *connections_entry(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

void connections_enter(connection_entry *s, connection_phase phase, uint64_t held) {
  if (!s) return;
  double now = clock_monotonic_s();
  pthread_mutex_lock(&s->lock);
  s->answered = s->answered || (s->phase == CONNECTION_REPLY && phase == CONNECTION_HEAD);
  s->phase = phase;
  s->since_s = now;
  s->mark_s = s->waited_s = 0;
  s->mark = 0;
  s->marked = s->left = false;
  s->held = held;
  if (phase == CONNECTION_BODY) atomic_store(&s->received, 0);
  pthread_mutex_unlock(&s->lock);
}

void connections_count(connection_entry *s, uint64_t bytes) {
  if (s) atomic_fetch_add_explicit(&s->received, bytes, memory_order_relaxed);
}

void connections_trust(connection_entry *s) {
  if (!s) return;
  pthread_mutex_lock(&s->lock);
  s->trusted = true;
  pthread_mutex_unlock(&s->lock);
}

static bool idles(const connection_entry *s) {
  return s->fd >= 0 && !s->ended && s->phase == CONNECTION_HEAD && s->answered && s->mark_s == 0;
}

// Ends the longest idle of those that carry this caller's requests.
static bool drop_idlest(connections *all, uint64_t caller, double now) {
  connection_entry *found = NULL;
  double since_s = now - SLOW_S;
  for (int i = 0; i < all->size; i++) {
    if (atomic_load_explicit(&all->caller[i], memory_order_relaxed) != caller) continue;
    pthread_mutex_lock(&all->entries[i].lock);
    if (idles(&all->entries[i]) && all->entries[i].since_s < since_s)
      found = &all->entries[i], since_s = found->since_s;
    pthread_mutex_unlock(&all->entries[i].lock);
  }
  if (!found) return false;
  pthread_mutex_lock(&found->lock);
  bool still = idles(found) && found->since_s == since_s;
  if (still) end(found, DROP_ROOM);
  pthread_mutex_unlock(&found->lock);
  return still;
}

bool connections_carry(connection_entry *s, uint64_t account) {
  if (!s) return true;
  connections *all = s->all;
  _Atomic uint64_t *caller = &all->caller[s - all->entries];
  if (atomic_load_explicit(caller, memory_order_relaxed) == account) return true;
  bool bounded = all->limits.per_caller > 0 && account != 0;
  if (bounded && count_of(all->caller, all->size, account) >= all->limits.per_caller &&
      !drop_idlest(all, account, clock_monotonic_s()))
    return false;
  atomic_store_explicit(caller, account, memory_order_relaxed);
  return true;
}

void connections_drop_bodies(connections *all) {
  for (int i = 0; i < all->size; i++) {
    if (atomic_load_explicit(&all->address[i], memory_order_relaxed) == 0) continue;
    connection_entry *s = &all->entries[i];
    pthread_mutex_lock(&s->lock);
    bool large = s->phase == CONNECTION_BODY && atomic_load(&s->received) > LARGE_BODY;
    if (large && readiness(s, false) > 0) end(s, DROP_ROOM);
    pthread_mutex_unlock(&s->lock);
  }
}

bool connections_is_surplus(connections *all, const connection_entry *s) {
  if (!s || !s->surplus || address_is_loopback(&s->peer) || staying(all) <= all->limits.most) return false;
  return drop_slowest(all, 1, 0, true) == 0;
}

// ------------------------------------------------------------------------------------------------------ start and stop

static void release(connections *all) {
  if (!all) return;
  free(all->address);
  free(all->caller);
  rate_destroy(all->handshakes);
  free(all);
}

connections *connections_start(const connection_limits *limits) {
  int size = connections_with_reserve(limits->most);
  connections *all = calloc(1, sizeof *all + (size_t)size * sizeof all->entries[0]);
  if (all) all->address = calloc((size_t)size, sizeof all->address[0]);
  if (all) all->caller = calloc((size_t)size, sizeof all->caller[0]);
  if (all && limits->handshakes > 0)
    all->handshakes = rate_create(limits->handshakes, HANDSHAKE_BURST_S * limits->handshakes);
  if (!all || !all->address || !all->caller || (limits->handshakes > 0 && !all->handshakes)) return release(all), NULL;
  all->limits = *limits;
  all->size = size;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&all->wanted, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&all->lock, NULL);
  for (int i = 0; i < size; i++) {
    pthread_mutex_init(&all->entries[i].lock, NULL);
    all->entries[i].all = all;
    all->entries[i].fd = -1;
    all->entries[i].next_free = i + 1 < size ? i + 1 : -1;
  }
  if (pthread_create(&all->thread, NULL, watch, all) == 0) return all;
  release(all);
  return NULL;
}

void connections_stop(connections *all) {
  if (!all) return;
  pthread_mutex_lock(&all->lock);
  all->stopping = true;
  pthread_cond_signal(&all->wanted);
  pthread_mutex_unlock(&all->lock);
  pthread_join(all->thread, NULL);
  for (int i = 0; i < all->size; i++) pthread_mutex_destroy(&all->entries[i].lock);
  pthread_cond_destroy(&all->wanted);
  pthread_mutex_destroy(&all->lock);
  release(all);
}
