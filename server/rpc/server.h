// The gRPC transport: the gRPC C core, a table of methods, thin handlers over service/.
#ifndef SERVER_RPC_SERVER_H
#define SERVER_RPC_SERVER_H

#include "base/tls.h"
#include "service/service.h"

typedef struct rpc_server rpc_server;

enum { RPC_ADDRESS_SIZE = 80, RPC_MESSAGE_SIZE = 256 };

struct rpc_method;

typedef struct rpc_options {
  const struct rpc_method *methods; ///< the table of what is served (methods.h); outlives the server
  int method_count;
  const char *listen;           ///< "127.0.0.1:8081", "[::1]:0"; port 0 picks one
  int threads;                  ///< that run handlers which compute
  int connections;              ///< open at a time
  int calls_each;               ///< at once of one token, or of one address without; 0: all that there are
  int connections_per_address;  ///< of one address; 0: no such limit
  int handshakes;               ///< of TLS, of one address in a second; 0: no limit
  bool handshakes_loopback_too; ///< of addresses of this machine, too
  bool loopback_too;            ///< it holds for addresses of this machine, too
  const tls_files *tls;         ///< with a certificate: TLS; outlives the start
} rpc_options;

/// Starts serving. NULL with one sentence in `message`.
rpc_server *rpc_start(service *s, const rpc_options *options, char message[RPC_MESSAGE_SIZE]);
/// "127.0.0.1:41213".
const char *rpc_address(const rpc_server *r);
/// Connections from now on show this certificate; open ones keep theirs. False when it cannot be used.
bool rpc_renew_certificate(rpc_server *r, const tls_files *files);
/// From now on calls that would start work end with UNAVAILABLE, and health says NOT_SERVING.
void rpc_drain(rpc_server *r);
/// Takes no new calls, ends streams with UNAVAILABLE, finishes what is being handled (at most some seconds). NULL is
/// allowed.
void rpc_stop(rpc_server *r);

#endif
