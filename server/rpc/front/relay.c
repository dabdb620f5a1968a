// All connections: how they come, which of them goes when there is no place, what calls say of theirs, and time.
#include "base/limits.h"
#include "rpc/front/relay_internal.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

enum { CUT_IN_A_TURN = 8, MESSAGE_PREFIX = 5 }; // of the length, in HTTP/2's data
static const double GREETING_S = 10, STUCK_S = LIMIT_IDLE_S, TICK_S = 1;

// ----------------------------------------------------------------------------------------------------------
// connections

bool relay_adopt(relay *r, wire *w, const char *peer, double allowance, void *ticket, int (*crowd)(void *ticket)) {
  relay_connection *c = calloc(1, sizeof *c);
  if (c) {
    c->client.fire = relay_on_client;
    c->core.fire = relay_on_core;
    c->relay = r;
    c->wire = *w;
    c->core_fd = -1;
    c->police.most = allowance;
    c->ticket = ticket;
    c->crowd = crowd;
    snprintf(c->peer, sizeof c->peer, "%s", peer);
    c->going.preface = FRAME_PREFACE_SIZE;
    c->born_s = c->heard_s = c->moved_s = loop_now(r->loop);
    c->client_watched = EPOLLIN;
    if (loop_watch(r->loop, w->fd, EPOLLIN, &c->client)) {
      c->next = r->connections;
      if (c->next) c->next->previous = c;
      r->connections = c;
      r->unread = r->unread || wire_has_more(w);
      loop_tick_at(r->loop, c->born_s + TICK_S);
      return true;
    }
    free(c);
  }
  wire_close(w);
  return false;
}

bool relay_drop_idlest(relay *r) {
  relay_connection *found = NULL;
  int found_crowd = 0;
  for (relay_connection *c = r->connections; c; c = c->next) {
    if (c->calls > 0) continue;
    int crowd = c->crowd(c->ticket);
    bool worse = !found || crowd > found_crowd || (crowd == found_crowd && c->heard_s < found->heard_s);
    if (worse) found = c, found_crowd = crowd;
  }
  if (!found) return false;
  if (!found->leaving) relay_say_goodbye(found, 0);
  relay_push_out(found);
  relay_drop(found);
  return true;
}

relay_connection *relay_enter(relay *r, const char *core_peer) {
  int number = -1;
  if (sscanf(core_peer, "fd:%d", &number) != 1 || number < 0 || number >= r->numbers || !r->by_number[number])
    return NULL;
  r->by_number[number]->calls++;
  return r->by_number[number];
}

static void settle_account(relay_connection *c) {
  size_t needed = c->unfinished > RELAY_STEP ? c->unfinished : 0;
  if (c->taken > needed + RELAY_STEP || (needed == 0 && c->taken > 0)) relay_give_back(c, c->taken - needed);
}

void relay_received(relay_connection *c, size_t bytes) {
  if (!c) return;
  bytes += MESSAGE_PREFIX;
  relay_hold(c, c->unfinished - (bytes < c->unfinished ? bytes : c->unfinished));
  settle_account(c);
}

void relay_leave(relay_connection *c) {
  if (!c) return;
  c->calls--;
  if (c->calls == 0) relay_hold(c, 0), settle_account(c);
  c->heard_s = loop_now(c->relay->loop); // idle from now on
}

const char *relay_peer(const relay_connection *c) { return c ? c->peer : NULL; }

void relay_message(relay_connection *c) {
  if (c) police_message(&c->police);
}

void relay_awaits(relay_connection *c, double now_s) {
  if (!c) return;
  if (c->awaited_s != now_s) c->awaited = 0;
  c->awaited_s = now_s;
  c->awaited++;
}

bool relay_brings(const relay_connection *c, double bytes) { return c && (double)c->unfinished >= bytes * c->awaited; }

void relay_trust(relay_connection *c) {
  if (c) c->police.trusted = true;
}

void relay_stranger(relay_connection *c) {
  if (!c || police_stranger(&c->police, loop_now(c->relay->loop))) return;
  c->abused = c->relay->abused = true; // at the end of the turn: the core is in the middle of a call
}

// ----------------------------------------------------------------------------------------------------------- time,
// turns

double relay_tick(relay *r, double now_s) {
  for (relay_connection *c = r->connections, *next; c; c = next) {
    next = c->next;
    bool late = c->core_fd < 0 && !c->leaving && now_s - c->born_s > GREETING_S;
    bool stuck = c->out.size > 0 && now_s - c->moved_s > STUCK_S;
    bool left = c->leaving && now_s - c->left_s > RELAY_LEAVING_S;
    if (late || stuck || left) relay_drop(c);
  }
  return r->connections ? now_s + TICK_S : INFINITY;
}

// What TLS holds is nothing that epoll tells.
static void read_unread(relay *r) {
  r->unread = false;
  for (relay_connection *c = r->connections, *next; c; c = next) {
    next = c->next;
    if (wire_has_more(&c->wire) && (c->client_watched & EPOLLIN)) relay_on_client(&c->client, EPOLLIN);
  }
}

static void throw_out_abusers(relay *r) {
  r->abused = false;
  for (relay_connection *c = r->connections, *next; c; c = next) {
    next = c->next;
    if (c->abused) relay_throw_out(c);
  }
}

static void on_again(loop_post *post) { ((relay *)((char *)post - offsetof(relay, again)))->posted = false; }

// When the core gets goes at all they are enough for what was left for later, too: which socket it notices first is its
// own affair.
int relay_take_given(relay *r) {
  if (r->given == 0) return 0;
  int goes = r->given + r->later;
  r->given = r->later = 0;
  r->edges++;
  return goes;
}

bool relay_is_quiet(const relay *r, bool sends) { return r->holding == 0 && !r->odd && !(r->window && sends); }
void relay_noticed(relay *r) { r->odd = r->window = false; }

// Of whom it took notice is not known, so nobody's is forgotten with the bytes that he gets next.
void relay_spare_go(relay *r) {
  if (r->later == 0) return;
  r->later--;
  r->edges++;
}

static void take_answer(relay_connection *c) {
  if (c->dead || c->core_fd < 0 || c->out.size > 0) return;
  relay_read_core(c, true);
  relay_watch(c);
}

void relay_answered(relay_connection *c) {
  if (c) c->relay->answered = c;
}

void relay_take_answer(relay *r) {
  relay_connection *c = r->answered;
  r->answered = NULL;
  if (!c) return;
  c->answered = c->fed; // relay_take_answers need not look again
  take_answer(c);
}

void relay_take_answers(relay *r) {
  while (r->fed) {
    relay_connection *c = r->fed;
    r->fed = c->next_fed;
    c->fed = false;
    if (!c->answered) take_answer(c);
    c->answered = false;
  }
}

// Frees the dead that no call and no list names. The core is told of some in a turn only: what it does then takes its
// time. True: there are more.
static bool bury(relay *r) {
  int cut = 0;
  for (relay_connection **at = &r->dead; *at;) {
    relay_connection *c = *at;
    if (c->core_fd >= 0 && cut < CUT_IN_A_TURN) relay_cut_core(c), cut++;
    if (c->core_fd >= 0 || c->calls > 0 || c->fed) { // who was fed is still to be looked at (relay_take_answers)
      at = &c->next;
      continue;
    }
    *at = c->next;
    relay_hold(c, 0);
    relay_let_go(&c->in);
    relay_let_go(&c->out);
    free(c);
  }
  return cut == CUT_IN_A_TURN;
}

void relay_settle(relay *r) {
  relay_take_answers(r);
  if (r->abused) throw_out_abusers(r);
  if (r->unread) read_unread(r);
  bool more = bury(r);
  r->met = 0;
  if ((r->unread || more) && !r->posted) { // the next turn does not sleep
    r->posted = true;
    loop_run_soon(r->loop, &r->again);
  }
}

relay *relay_create(const relay_events *events) {
  relay *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->events = *events;
  r->again.run = on_again;
  r->edges = 1;
  return r;
}

void relay_set_loop(relay *r, rpc_loop *loop) { r->loop = loop; }

void relay_close(relay *r) {
  while (r->connections) relay_drop(r->connections);
}

void relay_destroy(relay *r) {
  if (!r) return;
  free(r->by_number);
  free(r);
}
