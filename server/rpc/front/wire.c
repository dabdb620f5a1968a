// Plain sockets, or GnuTLS on them.
#include "rpc/front/wire.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// As HTTP's: no RSA key exchange and no CBC.
static const char versions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-AES-256-CBC:-AES-128-CBC";

struct wire_identity {
  _Atomic int refs;
  gnutls_certificate_credentials_t credentials;
  gnutls_priority_t priorities;
};

wire_identity *wire_identity_create(const tls_files *files) {
  wire_identity *identity = calloc(1, sizeof *identity);
  if (!identity) return NULL;
  identity->refs = 1;
  gnutls_datum_t certificate = {(unsigned char *)files->certificate, (unsigned)strlen(files->certificate)};
  gnutls_datum_t key = {(unsigned char *)files->key, (unsigned)strlen(files->key)};
  if (gnutls_certificate_allocate_credentials(&identity->credentials) >= 0 &&
      gnutls_certificate_set_x509_key_mem2(identity->credentials, &certificate, &key, GNUTLS_X509_FMT_PEM, NULL, 0) >=
          0 &&
      gnutls_priority_init(&identity->priorities, versions, NULL) >= 0)
    return identity;
  wire_identity_release(identity);
  return NULL;
}

void wire_identity_release(wire_identity *identity) {
  if (!identity || atomic_fetch_sub(&identity->refs, 1) > 1) return;
  if (identity->credentials) gnutls_certificate_free_credentials(identity->credentials);
  if (identity->priorities) gnutls_priority_deinit(identity->priorities);
  free(identity);
}

static bool begin_tls(wire *w, wire_identity *identity) {
  static unsigned char h2[] = "h2";
  atomic_fetch_add(&identity->refs, 1);
  w->identity = identity;
  if (gnutls_init(&w->session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL | GNUTLS_NO_TICKETS) < 0)
    return false;
  gnutls_transport_set_int(w->session, w->fd);
  return gnutls_priority_set(w->session, identity->priorities) >= 0 &&
         gnutls_credentials_set(w->session, GNUTLS_CRD_CERTIFICATE, identity->credentials) >= 0 &&
         gnutls_alpn_set_protocols(w->session, &(gnutls_datum_t){h2, 2}, 1, GNUTLS_ALPN_MANDATORY) >= 0;
}

bool wire_open(wire *w, int fd, wire_identity *identity) {
  *w = (wire){.fd = fd};
  if (!identity || begin_tls(w, identity)) return true;
  wire_close(w);
  return false;
}

void wire_close(wire *w) {
  if (w->session) gnutls_deinit(w->session);
  wire_identity_release(w->identity);
  if (w->fd >= 0) close(w->fd);
  *w = (wire){.fd = -1};
}

wire_state wire_handshake(wire *w) {
  if (!w->session) return WIRE_DONE;
  int code = gnutls_handshake(w->session);
  if (code == GNUTLS_E_SUCCESS) return WIRE_DONE;
  if (gnutls_error_is_fatal(code)) return WIRE_BROKEN;
  return gnutls_record_get_direction(w->session) ? WIRE_WANTS_WRITE : WIRE_WANTS_READ;
}

static bool is_transient(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

ssize_t wire_read(wire *w, uint8_t *bytes, size_t size) {
  if (!w->session) {
    ssize_t count = recv(w->fd, bytes, size, 0);
    return count > 0 ? count : count < 0 && is_transient(errno) ? 0 : -1;
  }
  ssize_t count = gnutls_record_recv(w->session, bytes, size);
  if (count > 0) return count;
  return count == GNUTLS_E_AGAIN || count == GNUTLS_E_INTERRUPTED ? 0 : -1; // a renegotiation is an error, too
}

bool wire_has_more(const wire *w) { return w->session && gnutls_record_check_pending(w->session) > 0; }

ssize_t wire_write(wire *w, const uint8_t *bytes, size_t size) {
  if (!w->session) {
    ssize_t count = send(w->fd, bytes, size, MSG_NOSIGNAL);
    return count >= 0 ? count : is_transient(errno) ? 0 : -1;
  }
  ssize_t count = gnutls_record_send(w->session, w->resume ? NULL : bytes, w->resume ? 0 : size);
  w->resume = count == GNUTLS_E_AGAIN || count == GNUTLS_E_INTERRUPTED;
  return count > 0 ? count : w->resume ? 0 : -1;
}
