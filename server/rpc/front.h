// The door: listens, accepts, does the handshakes, and counts connections by address, in a thread of its own, so that whoever opens
// connections or is slow with his handshake holds up nobody who is served.
//
// There are `connections` at most. When all are taken the oldest handshake goes, or the connection that is idle longest, of the address
// that has most of them. An address whose connection was thrown out (police.h) gets no new one for some seconds, more each time.
#ifndef SERVER_RPC_FRONT_H
#define SERVER_RPC_FRONT_H

#include "base/address.h"
#include "rpc/relay.h"

typedef struct front front;

enum { FRONT_MESSAGE_SIZE = 256 };

typedef struct front_options {
  const char *listen;
  int connections, per_address; ///< 0: no limit for one address
  bool loopback_too;            ///< per_address holds for addresses of this machine, too
  const tls_files *tls;         ///< without a certificate: plain text
} front_options;

/// Listens, and accepts nothing yet. NULL with one sentence in `message`.
front *front_open(const front_options *options, char message[FRONT_MESSAGE_SIZE]);
/// "127.0.0.1:41213"
const char *front_address(const front *f);
/// Hands connections to `to`, whose loop is `served`. False when threads or memory are short.
bool front_start(front *f, relay *to, rpc_loop *served);
/// Handshakes that begin from now on show this certificate. False when it cannot be used. Any thread.
bool front_renew_certificate(front *f, const tls_files *files);
/// Takes no more. What was handed on stays.
void front_stop(front *f);
/// When no connection is left. NULL is allowed.
void front_close(front *f);

/// Of relay_events.gone. Any thread.
void front_release(front *f, void *ticket, bool abused);

#endif
