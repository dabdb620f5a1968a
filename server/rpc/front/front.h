// The door: listens, accepts, does the handshakes, and counts connections by address, in a thread of its own, so that
// whoever opens connections or is slow with his handshake holds up nobody who is served.
//
// There are `connections` at most. When all are taken the oldest handshake goes, or the connection that is idle
// longest, of the address that has most of them.
//
// An abuser is thrown out alone (police.h): others share his address, behind a proxy or on this machine. After each of
// his connections what new ones of that address may ask for at once is halved, which nobody notices who behaves, and
// they come one after the other; both is forgotten with time. Handshakes of one address have a rate, too: whoever wants
// more waits.
#ifndef SERVER_RPC_FRONT_H
#define SERVER_RPC_FRONT_H

#include "base/address.h"
#include "rpc/front/relay.h"

typedef struct front front;

enum { FRONT_MESSAGE_SIZE = 256 };

typedef struct front_options {
  const char *listen;
  int connections, per_address; ///< 0: no limit for one address
  int handshakes;               ///< of one address in a second; 0: no limit
  bool loopback_too;            ///< per_address holds for addresses of this machine, too
  bool handshakes_loopback_too; ///< handshakes does
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
