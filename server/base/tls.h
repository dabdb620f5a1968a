// Certificate and key of the server, checked before anything listens, so that a wrong file is one clear line at the
// start and not a handshake that fails later.
#ifndef SERVER_BASE_TLS_H
#define SERVER_BASE_TLS_H

#include <gnutls/abstract.h>
#include <stdbool.h>

enum { TLS_MESSAGE_SIZE = 512 };

typedef struct tls_files { ///< PEM text as libmicrohttpd and gRPC take it
  char *certificate;       ///< the server's own first, then those that lead to a root
  char *key;               ///< unencrypted; wiped by tls_fini
} tls_files;

/// Reads both files and checks that they are certificates and a key, that the key belongs to the first certificate, and
/// that every certificate is valid now.
/// @param now_s  seconds since the epoch
/// @return false with one sentence in `message` that names the file
bool tls_read(const char *certificate_path, const char *key_path, long long now_s, tls_files *files,
              char message[TLS_MESSAGE_SIZE]);
/// True when other users than the owner may read the file: worth a warning.
bool tls_key_is_exposed(const char *key_path);
void tls_fini(tls_files *files);

/// What handshakes take their certificate from; it may be renewed while they go on.
typedef struct tls_holder tls_holder;
/// NULL when there is not enough memory or the pair cannot be used.
tls_holder *tls_holder_create(const tls_files *files);
/// Handshakes from now on take this pair. What the earlier ones took lives as long as the holder.
bool tls_holder_renew(tls_holder *h, const tls_files *files);
void tls_holder_destroy(tls_holder *h);
/// The present certificate chain and key, borrowed.
void tls_holder_current(tls_holder *h, gnutls_pcert_st **chain, unsigned *length, gnutls_privkey_t *key);

#endif
