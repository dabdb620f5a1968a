// The HTTP transport: libmicrohttpd, a table of routes, thin handlers over service/.
#ifndef SERVER_HTTP_SERVER_H
#define SERVER_HTTP_SERVER_H

#include "base/address.h"
#include "base/tls.h"
#include "service/service.h"

typedef struct http_server http_server;

enum { HTTP_MESSAGE_SIZE = ADDRESS_MESSAGE_SIZE };

typedef struct http_options {
  const char *listen;           ///< "127.0.0.1:8080", "[::1]:0"; port 0 picks one
  int threads;                  ///< that run handlers which may block
  int connections;              ///< at a time, besides the reserve; beyond, the slowest make room
  int connections_per_address;  ///< more are closed; 0: no such limit
  int handshakes;               ///< of TLS, of one address in a second; 0: no limit
  bool handshakes_loopback_too; ///< of addresses of this machine, too
  bool loopback_too;            ///< that limit is for loopback, too
  int connections_per_caller;   ///< that carry requests of one token, or of one address without; 0: no such limit
  int waiting_per_caller;       ///< requests of one of them that wait for a thread; 0: no such limit
  const tls_files *tls;         ///< outlives the start; without a certificate: plain HTTP
} http_options;

/// Starts serving. NULL with one sentence in `message`.
http_server *http_start(service *s, const http_options *options, char message[HTTP_MESSAGE_SIZE]);
/// "127.0.0.1:41213".
const char *http_address(const http_server *h);
/// Handshakes from now on show this certificate; connections that are open keep theirs. False when it cannot be used,
/// or when HTTP is served plain.
bool http_renew_certificate(http_server *h, const tls_files *files);
/// From now on requests that would start work get 503.
void http_drain(http_server *h);
/// Takes no new connections, finishes what is being handled (at most some seconds), closes the rest.
void http_stop(http_server *h);

#endif
