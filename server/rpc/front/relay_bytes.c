// The bytes of one connection, in both directions, and its end.
//
//   adopted -> greeted (preface and the first head came: the core gets its end) -> leaving (our side is shut down; what
//   still comes is read
//   away, so that the client sees why) -> dead (freed at the end of the turn, when no call names it)
//
// Each direction has at most one piece on its way: a side that does not read stops the other from being read. Of
// somebody who has not shown that he may call little is read in a turn, so that others are not kept waiting for him.
#include "base/log/log.h"
#include "base/log/log_kind.h"
#include "base/share/budget.h"
#include "rpc/front/relay_internal.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MEETINGS_OF_A_TURN = 4 };  // a channel of the core costs as much as some calls
enum { ROOM_OF_CORE = 32 << 10 }; // what it may write and nobody read: a socket of Linux takes 200 KiB
enum { STRANGE_PIECE = 4 << 10, ENHANCE_YOUR_CALM = 11, TELLING_BYTES = 1024 };

// -----------------------------------------------------------------------------------------------------------------
// ends

static void leave_core(relay_connection *c) {
  if (c->core_fd < 0) return;
  loop_unwatch(c->relay->loop, c->core_fd);
  if (c->relay->by_number[c->core_number] == c) c->relay->by_number[c->core_number] = NULL;
}

void relay_cut_core(relay_connection *c) {
  if (c->core_fd < 0) return;
  close(c->core_fd); // the core sees the end, and cancels what it had for this client
  c->relay->given++;
  c->relay->odd = true;
  c->core_fd = -1;
}

void relay_give_back(relay_connection *c, size_t bytes) {
  assert(bytes <= c->taken && "what it took");
  if (bytes > 0) budget_give(BUDGET_BODIES, bytes);
  c->taken -= bytes;
}

void relay_hold(relay_connection *c, size_t bytes) {
  c->relay->holding += (bytes > 0) - (c->unfinished > 0);
  c->unfinished = bytes;
}

void relay_drop(relay_connection *c) {
  relay *r = c->relay;
  if (c->dead) return;
  c->dead = true;
  relay_give_back(c, c->taken);
  leave_core(c); // it is cut when there is time (relay_settle)
  loop_unwatch(r->loop, c->wire.fd);
  wire_close(&c->wire);
  *(c->previous ? &c->previous->next : &r->connections) = c->next;
  if (c->next) c->next->previous = c->previous;
  c->next = r->dead;
  r->dead = c;
  r->events.gone(r->events.context, c->ticket, c->abused);
}

// ---------------------------------------------------------------------------------------------------------------
// pieces

static bool keep(piece *p, const uint8_t *bytes, size_t size) {
  assert(bytes || size == 0);
  if (size == 0) return true;
  p->data = malloc(size);
  if (!p->data) return false;
  memcpy(p->data, bytes, size);
  p->at = 0;
  p->size = size;
  return true;
}

void relay_let_go(piece *p) {
  free(p->data);
  *p = (piece){.data = NULL};
}

// Bytes taken; 0: none now; -1: the core has closed.
static ssize_t write_core(relay_connection *c, const uint8_t *bytes, size_t size) {
  relay *r = c->relay;
  ssize_t count = send(c->core_fd, bytes, size, MSG_NOSIGNAL);
  r->given++;
  if (c->unneeded == r->edges) r->later--; // it is noticed with these
  c->unneeded = 0;
  if (!c->fed) {
    c->fed = true;
    c->next_fed = r->fed;
    r->fed = c;
  }
  return count >= 0 ? count : errno == EAGAIN || errno == EINTR ? 0 : -1;
}

// The core does not take what the client sends.
static bool is_blocked(const relay_connection *c) { return c->core_fd >= 0 && c->in.size > 0; }

void relay_watch(relay_connection *c) {
  rpc_loop *loop = c->relay->loop;
  if (c->dead || c->leaving) return;
  uint32_t client = (!is_blocked(c) ? EPOLLIN : 0) | (c->out.size > 0 ? EPOLLOUT : 0);
  uint32_t core = (c->out.size == 0 ? EPOLLIN : 0) | (c->in.size > 0 ? EPOLLOUT : 0);
  if (client & ~c->client_watched & EPOLLIN) c->relay->unread = true; // what TLS has read already
  if (client != c->client_watched) loop_change(loop, c->wire.fd, client, &c->client);
  if (c->core_fd >= 0 && core != c->core_watched) loop_change(loop, c->core_fd, core, &c->core);
  c->client_watched = client;
  c->core_watched = core;
}

// ------------------------------------------------------------------------------------------------------- to the client

// Answers that bring something let the client say that it has taken them.
static void credit(relay_connection *c, const uint8_t *bytes, size_t size) {
  frame_head head;
  bool wrong;
  while (frames_next(&c->going, &bytes, &size, &head, &wrong))
    if (head.type == FRAME_DATA && head.length >= TELLING_BYTES) police_message(&c->police);
}

// Bytes taken; -1: the client is gone.
static ssize_t write_client(relay_connection *c, const uint8_t *bytes, size_t size) {
  size_t taken = 0;
  while (taken < size) {
    ssize_t count = wire_write(&c->wire, bytes + taken, size - taken);
    if (count < 0) return -1;
    if (count == 0) break;
    taken += (size_t)count;
  }
  if (taken > 0) c->moved_s = loop_now(c->relay->loop);
  return (ssize_t)taken;
}

void relay_push_out(relay_connection *c) {
  if (c->out.size == 0) return;
  ssize_t count = write_client(c, c->out.data + c->out.at, c->out.size - c->out.at);
  if (count < 0) {
    relay_drop(c);
    return;
  }
  c->out.at += (size_t)count;
  if (c->out.at == c->out.size) relay_let_go(&c->out);
}

// ------------------------------------------------------------------------------------------------------------- leaving

static void shut_if_said(relay_connection *c) {
  if (c->out.size > 0) return;
  if (c->wire.session) gnutls_bye(c->wire.session, GNUTLS_SHUT_WR);
  shutdown(c->wire.fd, SHUT_WR);
  c->client_watched = EPOLLIN;
  loop_change(c->relay->loop, c->wire.fd, c->client_watched, &c->client);
}

// What waits for the client may still go.
static void leave(relay_connection *c) {
  if (c->leaving || c->dead) return;
  c->leaving = true;
  c->left_s = loop_now(c->relay->loop);
  leave_core(c);
  relay_cut_core(c);
  relay_push_out(c);
  if (c->dead) return;
  c->client_watched = EPOLLIN | EPOLLOUT;
  loop_change(c->relay->loop, c->wire.fd, c->client_watched, &c->client);
  shut_if_said(c);
  loop_tick_at(c->relay->loop, c->left_s + RELAY_LEAVING_S);
}

static bool add_out(relay_connection *c, const uint8_t *bytes, size_t size) {
  uint8_t *data = realloc(c->out.data, c->out.size + size);
  if (!data) return false;
  memcpy(data + c->out.size, bytes, size);
  c->out.data = data;
  c->out.size += size;
  return true;
}

// The rest of the frame that is under way to the client, as far as the core has written it.
static void end_frame(relay_connection *c) {
  relay *r = c->relay;
  for (int i = 0; i < 3 && c->core_fd >= 0 && !frames_between(&c->going); i++) {
    size_t rest = c->going.left > 0 ? c->going.left : FRAME_HEAD_SIZE - c->going.have;
    ssize_t size = recv(c->core_fd, r->buffer, rest < sizeof r->buffer ? rest : sizeof r->buffer, 0);
    if (size <= 0 || !add_out(c, r->buffer, (size_t)size)) return;
    credit(c, r->buffer, (size_t)size);
  }
}

void relay_say_goodbye(relay_connection *c, uint32_t error) {
  uint8_t goaway[FRAME_GOAWAY_SIZE];
  if (c->core_fd < 0) return;
  end_frame(c);
  frames_goaway(c->last_stream, error, goaway);
  if (frames_between(&c->going)) (void)add_out(c, goaway, sizeof goaway);
}

void relay_throw_out(relay_connection *c) {
  if (c->leaving || c->dead) return;
  c->abused = true;
  if (log_kind_allows(LOG_KIND_THROWN_OUT))
    log_write(LOG_LEVEL_WARNING, "connection_thrown_out", LOG_S("peer", c->peer));
  relay_say_goodbye(c, ENHANCE_YOUR_CALM);
  leave(c);
}

// --------------------------------------------------------------------------------------------------------- to the core

static bool remember_number(relay *r, int number, relay_connection *c) {
  if (number >= r->numbers) {
    int numbers = 2 * number + 64;
    relay_connection **more = realloc(r->by_number, (size_t)numbers * sizeof *more);
    if (!more) return false;
    memset(more + r->numbers, 0, (size_t)(numbers - r->numbers) * sizeof *more);
    r->by_number = more;
    r->numbers = numbers;
  }
  r->by_number[number] = c;
  c->core_number = number;
  return true;
}

static bool meet_core(relay_connection *c) {
  relay *r = c->relay;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0) return false;
  c->core_watched = EPOLLIN;
  if (!remember_number(r, pair[1], c) || !loop_watch(r->loop, pair[0], c->core_watched, &c->core))
    return close(pair[0]), close(pair[1]), false;
  c->core_fd = pair[0];
  r->met++;
  r->given += 2; // it has a new socket, and greets
  r->odd = true;
  r->events.serve(r->events.context, pair[1]);
  return true;
}

// The core keeps a message until it is whole, whatever it grows to: that is counted here, a step at a time.
static void account(relay_connection *c, size_t more) {
  relay_hold(c, c->unfinished + more);
  if (c->unfinished < c->taken + RELAY_STEP) return;
  size_t bytes = c->unfinished - c->taken;
  if (budget_take(BUDGET_BODIES, bytes) == BUDGET_TAKEN) {
    c->taken += bytes;
    return;
  }
  c->relay->events.full(c->relay->events.context, c);
  relay_hold(c, 0);
  relay_give_back(c, c->taken);
}

typedef enum verdict { GOOD, WRONG, TOO_MUCH } verdict;

static void note_kind(relay *r, const frame_head *head) {
  bool message = head->type == FRAME_DATA && !(head->flags & FRAME_END_STREAM);
  if (head->type == FRAME_WINDOW_UPDATE)
    r->window = true;
  else if (!message && head->type != FRAME_PING)
    r->odd = true;
}

// Goes through the heads in what came.
static verdict look(relay_connection *c, const uint8_t *bytes, size_t size) {
  frame_head head;
  bool wrong = false;
  double now = loop_now(c->relay->loop);
  if (!police_bytes(&c->police, size, now)) return TOO_MUCH;
  while (frames_next(&c->coming, &bytes, &size, &head, &wrong)) {
    if (c->core_fd < 0 && head.type != FRAME_SETTINGS) return WRONG; // what a client begins with
    if (c->core_fd < 0 && !meet_core(c)) return WRONG;
    if (head.type == FRAME_HEADERS && head.stream > c->last_stream) c->last_stream = head.stream;
    if (!police_frame(&c->police, &head, now)) return TOO_MUCH;
    if (head.type == FRAME_DATA) account(c, head.length);
    note_kind(c->relay, &head);
  }
  return wrong ? WRONG : GOOD;
}

// The preface waits until the core is there.
static bool pass_in(relay_connection *c, const uint8_t *bytes, size_t size) {
  if (c->core_fd < 0) { // at most the preface and a part of the first head
    uint8_t *data = realloc(c->in.data, c->in.size + size);
    if (!data) return false;
    memcpy(data + c->in.size, bytes, size);
    c->in.data = data;
    c->in.size += size;
    return true;
  }
  if (c->in.size > 0) { // now it goes
    ssize_t count = write_core(c, c->in.data, c->in.size);
    if (count != (ssize_t)c->in.size) return false; // nothing was ever written to it
    relay_let_go(&c->in);
  }
  ssize_t count = write_core(c, bytes, size);
  return count >= 0 && keep(&c->in, bytes + count, size - (size_t)count);
}

// False: nothing more now.
static bool read_client(relay_connection *c) {
  relay *r = c->relay;
  ssize_t size = wire_read(&c->wire, r->buffer, c->police.trusted ? RELAY_PIECE : STRANGE_PIECE);
  if (size == 0) return false;
  if (size < 0) return relay_drop(c), false;
  if (c->leaving) return true; // read away
  c->heard_s = loop_now(r->loop);
  verdict found = look(c, r->buffer, (size_t)size);
  if (found == TOO_MUCH)
    relay_throw_out(c);
  else if (found == WRONG || !pass_in(c, r->buffer, (size_t)size))
    relay_drop(c);
  return !c->dead && !is_blocked(c);
}

static void push_in(relay_connection *c) {
  if (c->core_fd < 0 || c->in.size == 0) return;
  ssize_t count = write_core(c, c->in.data + c->in.at, c->in.size - c->in.at);
  if (count < 0) {
    leave(c);
    return;
  }
  c->in.at += (size_t)count;
  if (c->in.at == c->in.size) relay_let_go(&c->in);
}

// The core hears that there is room again, which it has to know when it waits for that: it had to write much then.
static void tell_of_room(relay_connection *c, bool answer, size_t size) {
  relay *r = c->relay;
  if (!answer || size > ROOM_OF_CORE) {
    r->given++;
    r->odd = true;
  } else if (c->unneeded != r->edges) {
    c->unneeded = r->edges;
    r->later++;
  }
}

void relay_read_core(relay_connection *c, bool answer) {
  relay *r = c->relay;
  ssize_t size = recv(c->core_fd, r->buffer, sizeof r->buffer, 0);
  if (size > 0) tell_of_room(c, answer, (size_t)size);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) { // the core has said all it had to say
    leave(c);
    return;
  }
  credit(c, r->buffer, (size_t)size);
  ssize_t count = write_client(c, r->buffer, (size_t)size);
  if (count < size) c->moved_s = loop_now(r->loop); // from now on it waits
  if (count < 0 || !keep(&c->out, r->buffer + count, (size_t)(size - count))) relay_drop(c);
}

// ---------------------------------------------------------------------------------------------------------------
// events

void relay_on_core(loop_source *source, uint32_t events) {
  relay_connection *c = (relay_connection *)((char *)source - offsetof(relay_connection, core));
  if (c->dead || c->core_fd < 0) return;
  if (events & EPOLLOUT) push_in(c);
  if (c->core_fd >= 0 && c->out.size == 0 && (events & (EPOLLIN | EPOLLHUP | EPOLLERR))) relay_read_core(c, false);
  relay_watch(c);
}

void relay_on_client(loop_source *source, uint32_t events) {
  relay_connection *c = (relay_connection *)source;
  if (c->dead) return;
  if (events & EPOLLOUT) relay_push_out(c);
  if (c->leaving && !c->dead && (c->client_watched & EPOLLOUT)) shut_if_said(c);
  bool broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
  if (!c->dead && c->core_fd < 0 && !c->leaving && c->relay->met >= MEETINGS_OF_A_TURN) { // the next turn
    c->relay->unread = c->relay->unread || wire_has_more(&c->wire);
    return;
  }
  if (!c->dead && broken && is_blocked(c))
    relay_drop(c);
  else if (!c->dead && !is_blocked(c) && (broken || (events & EPOLLIN)))
    if (read_client(c) && wire_has_more(&c->wire)) c->relay->unread = true;
  relay_watch(c);
}
