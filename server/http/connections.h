// Who is connected, how long each of them has kept the server waiting, and who has to go for it.
//
// The library knows one time per connection: of silence. A client that sends a byte now and then is never silent, so a
// thread looks at every connection twice a second:
//
//   head    the whole header section is there LIMIT_HEADER_S after its first byte, and LIMIT_IDLE_S after the last
//   reply
//   body    LIMIT_BODY_GRACE_S, and from then on LIMIT_BODY_RATE on average; LIMIT_BODY_S for all of it
//   reply   what waits in the socket is taken at LIMIT_REPLY_RATE over LIMIT_REPLY_WINDOW_S; a reply that lies in
//   memory as a whole
//           is taken within LIMIT_REPLY_WINDOW_S and a second for each LIMIT_REPLY_HELD_RATE bytes
//
// Whoever fails gets 408 where no reply has begun, and is closed. When connections become few, the slowest go earlier:
// first those that have not asked for anything yet, then those that idle after an answer. Newcomers come into a reserve
// meanwhile; when nobody is slow and all are in use, the reserve serves public operations, loopback and admin tokens
// only.
//
// Time a handler takes is never held against a client. Bytes are counted where the library hands them out (bodies), or
// by the kernel (TCP_INFO, SIOCOUTQ), so that TLS and the library's buffers make no difference.
#ifndef SERVER_HTTP_CONNECTIONS_H
#define SERVER_HTTP_CONNECTIONS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct connections connections;
typedef struct connection_entry connection_entry; ///< of one open connection; NULL is allowed everywhere

typedef enum connection_phase {
  CONNECTION_HEAD,  ///< a request is awaited, or its header section
  CONNECTION_BODY,  ///< its body is
  CONNECTION_WORK,  ///< the client waits for us
  CONNECTION_REPLY, ///< the reply is being sent
} connection_phase;

typedef struct connection_limits {
  int most;                    ///< connections, besides the reserve
  int per_address;             ///< of one address (IPv6: of a /64); 0: no such limit
  int per_caller;              ///< that carry requests of one caller; 0: no such limit
  int handshakes;              ///< TLS: that one address may begin in a second; 0: no such limit
  bool handshakes_loopback;    ///< loopback, too
  bool loopback;               ///< that limit is for loopback, too
  void (*look)(void *context); ///< with each look at the connections; NULL: nobody cares
  void *context;
  bool encrypted; ///< TLS: nothing is said to whom is closed
} connection_limits;

/// Starts the thread. NULL when memory or threads are short.
connections *connections_start(const connection_limits *limits);
/// After the library was stopped. NULL is allowed.
void connections_stop(connections *all);
/// How many the library may have open: the reserve included.
int connections_with_reserve(int most);

// Callbacks of the library, `context` being the connections.
enum MHD_Result connections_admit(void *context, const struct sockaddr *peer, socklen_t size);
void connections_notify(void *context, struct MHD_Connection *connection, void **kept,
                        enum MHD_ConnectionNotificationCode what);

connection_entry *connections_entry(struct MHD_Connection *connection);
/// A phase begins. `held`: bytes of memory that a reply takes until it is sent.
void connections_enter(connection_entry *entry, connection_phase phase, uint64_t held);
/// So many bytes of a body have come.
void connections_count(connection_entry *entry, uint64_t bytes);
/// Bodies fill their memory: those that come slowly, of which much is there already, are given up.
void connections_drop_bodies(connections *all);
/// A request of it was let in that not everybody may ask.
void connections_trust(connection_entry *entry);
/// The connection carries a request of this caller (auth_caller.account; 0: who shares with nobody). False: others
/// carry his already, as many as his share, and none of them idles; the longest idle makes room.
bool connections_carry(connection_entry *entry, uint64_t account);
/// The connection is one of the reserve, every other is in use and nobody is slow; else the slowest has made room for
/// it.
bool connections_is_surplus(connections *all, const connection_entry *entry);

#endif
