// What relay.c and relay_bytes.c share.
#ifndef SERVER_RPC_RELAY_INTERNAL_H
#define SERVER_RPC_RELAY_INTERNAL_H

#include "base/address.h"
#include "rpc/front/police.h"
#include "rpc/front/relay.h"

enum { RELAY_PIECE = 64 << 10, RELAY_STEP = 1 << 20, RELAY_LEAVING_S = 1 };

typedef struct piece { // bytes that the other side has not taken yet
  uint8_t *data;
  size_t at, size;
} piece;

struct relay_connection {
  loop_source client, core; // client first
  relay *relay;
  wire wire;
  int core_fd;     // our end of the pair; -1: the core knows nothing of it yet
  int core_number; // the core's end, by whose number it names its peer
  void *ticket;
  int (*crowd)(void *ticket);
  char peer[ADDRESS_SIZE];
  relay_connection *next, *previous; // of the relay, or of the dead
  relay_connection *next_fed;        // of those whose core end got bytes in this turn
  uint64_t unneeded;                 // the count of edges (relay.edges) in which one of its core end was left for later
  piece in, out;                     // to the core, to the client
  frame_scan coming, going;
  police police;
  uint32_t last_stream;
  int calls;
  int awaited;      // of them wait for their message,
  double awaited_s; // as it was told then
  // Bytes of data that went to the core, less those of whole messages; what it drops is in it until no call is left.
  size_t unfinished;
  size_t taken; // of the budget, for them
  double born_s, heard_s, moved_s, left_s;
  uint32_t client_watched, core_watched;
  bool fed, answered, abused, leaving, dead;
};

struct relay {
  relay_events events;
  rpc_loop *loop;
  relay_connection *connections, *dead, *fed;
  relay_connection *answered;   // a call of it has just sent something
  relay_connection **by_number; // of the core's end
  int numbers;
  bool unread; // some TLS session holds bytes
  bool abused; // some connection is to be thrown out
  loop_post again;
  bool posted;
  int holding;    // connections of whose messages the core has some bytes
  bool odd;       // something came that is no message, and of which a call may begin, go on or end
  bool window;    // room came for what calls send
  int met;        // clients that the core got in this turn
  int given;      // things that the core has to notice
  int later;      // things that it will notice, but has not to
  uint64_t edges; // since when those are counted
  uint8_t buffer[RELAY_PIECE];
};

// relay_bytes.c
void relay_on_client(loop_source *source, uint32_t events);
void relay_on_core(loop_source *source, uint32_t events);
/// Passes on what the core has written. `answer`: it is asked for without a sign from epoll.
void relay_read_core(relay_connection *c, bool answer);
void relay_push_out(relay_connection *c);
void relay_watch(relay_connection *c);
void relay_let_go(piece *p);
/// Of the budget.
void relay_give_back(relay_connection *c, size_t bytes);
/// So many bytes of its messages lie in the core.
void relay_hold(relay_connection *c, size_t bytes);
/// GOAWAY behind what waits for the client.
void relay_say_goodbye(relay_connection *c, uint32_t error);
void relay_throw_out(relay_connection *c);
void relay_drop(relay_connection *c);
/// Of one that is dead or leaves.
void relay_cut_core(relay_connection *c);

#endif
