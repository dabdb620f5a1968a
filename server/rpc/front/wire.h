// The bytes of one connection: a socket, and TLS on it where there is a certificate. Never waits.
#ifndef SERVER_RPC_WIRE_H
#define SERVER_RPC_WIRE_H

#include "base/tls.h"

#include <gnutls/gnutls.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Certificate and key as the handshake takes them; shared by connections, which keep it alive.
typedef struct wire_identity wire_identity;
/// NULL when the files are not taken or there is not enough memory. One reference, of the caller.
wire_identity *wire_identity_create(const tls_files *files);
/// NULL is allowed.
void wire_identity_release(wire_identity *identity);

typedef struct wire {
  int fd;                   ///< not blocking
  gnutls_session_t session; ///< NULL: plain text
  wire_identity *identity;
  bool resume; ///< the last record was not taken whole by the kernel: the next write goes on with it
} wire;

/// Takes the descriptor in any case. `identity` NULL: plain text.
bool wire_open(wire *w, int fd, wire_identity *identity);
void wire_close(wire *w);

typedef enum wire_state { WIRE_DONE, WIRE_WANTS_READ, WIRE_WANTS_WRITE, WIRE_BROKEN } wire_state;
/// One go at the handshake. WIRE_DONE at once for plain text.
wire_state wire_handshake(wire *w);

/// Bytes read; 0: none now; -1: the end, or an error.
ssize_t wire_read(wire *w, uint8_t *bytes, size_t size);
/// Bytes were read from the kernel that the next wire_read has without its help.
bool wire_has_more(const wire *w);
/// Bytes taken; 0: none now; -1: an error. After 0 the next call must offer the same bytes.
ssize_t wire_write(wire *w, const uint8_t *bytes, size_t size);

#endif
