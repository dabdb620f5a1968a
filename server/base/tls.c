// By GnuTLS, the library that serves HTTPS. Files are read whole, at most MAX_BYTES.
#include "base/tls.h"
#include "base/clock.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BYTES = 1 << 20 };

static bool say(char message[TLS_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(char message[TLS_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, TLS_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

static bool read_file(const char *path, char **text, char message[TLS_MESSAGE_SIZE]) {
  FILE *file = fopen(path, "rbe");
  char *bytes = file ? calloc(1, MAX_BYTES + 1) : NULL;
  errno = file && !bytes ? ENOMEM : errno;
  size_t size = bytes ? fread(bytes, 1, MAX_BYTES, file) : 0;
  bool good = bytes && !ferror(file) && size < MAX_BYTES;
  if (!good) say(message, "%.200s cannot be read: %s", path, size == MAX_BYTES ? "it is too large" : strerror(errno));
  if (file) fclose(file);
  if (good) return *text = bytes, true;
  free(bytes);
  return false;
}

static gnutls_datum_t datum(char *text) { return (gnutls_datum_t){(unsigned char *)text, (unsigned)strlen(text)}; }

static bool is_valid_now(gnutls_x509_crt_t certificate, const char *path, long long now_s,
                         char message[TLS_MESSAGE_SIZE]) {
  char day[CLOCK_TEXT_SIZE];
  long long from = gnutls_x509_crt_get_activation_time(certificate);
  long long until = gnutls_x509_crt_get_expiration_time(certificate);
  bool early = now_s<from, late = now_s> until;
  clock_format(1000 * (int64_t)(early ? from : until), day);
  day[strcspn(day, ".")] = '\0';
  return !(early || late) ||
         say(message, "%.200s: the certificate %s %sZ", path, early ? "is not valid before" : "expired at", day);
}

static bool check_certificates(const char *text, const char *path, long long now_s, char message[TLS_MESSAGE_SIZE]) {
  gnutls_x509_crt_t *list = NULL;
  unsigned count = 0;
  gnutls_datum_t pem = datum((char *)text);
  int code = gnutls_x509_crt_list_import2(&list, &count, &pem, GNUTLS_X509_FMT_PEM, 0);
  if (code < 0 || count == 0)
    return say(message, "%.200s is not a certificate in PEM: %s", path, gnutls_strerror(code));
  bool good = true;
  for (unsigned i = 0; i < count; i++) {
    good = good && is_valid_now(list[i], path, now_s, message);
    gnutls_x509_crt_deinit(list[i]);
  }
  gnutls_free(list);
  return good;
}

static bool check_key(const char *text, const char *path, char message[TLS_MESSAGE_SIZE]) {
  gnutls_x509_privkey_t key;
  gnutls_datum_t pem = datum((char *)text);
  if (gnutls_x509_privkey_init(&key) < 0) return say(message, "not enough memory");
  int code = gnutls_x509_privkey_import2(key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0);
  gnutls_x509_privkey_deinit(key);
  if (code >= 0) return true;
  bool locked = code == GNUTLS_E_DECRYPTION_FAILED || strstr(text, "ENCRYPTED");
  return say(message, "%.200s is not a private key in PEM%s: %s", path, locked ? " without a password" : "",
             gnutls_strerror(code));
}

static bool check_pair(const tls_files *files, const char *certificate_path, const char *key_path,
                       char message[TLS_MESSAGE_SIZE]) {
  gnutls_certificate_credentials_t both;
  gnutls_datum_t certificate = datum(files->certificate), key = datum(files->key);
  if (gnutls_certificate_allocate_credentials(&both) < 0) return say(message, "not enough memory");
  int code = gnutls_certificate_set_x509_key_mem2(both, &certificate, &key, GNUTLS_X509_FMT_PEM, NULL, 0);
  gnutls_certificate_free_credentials(both);
  if (code == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
    return say(message, "the key %.150s does not belong to the certificate %.150s", key_path, certificate_path);
  return code >= 0 ||
         say(message, "%.150s and %.150s cannot be used: %s", certificate_path, key_path, gnutls_strerror(code));
}

bool tls_read(const char *certificate_path, const char *key_path, long long now_s, tls_files *files,
              char message[TLS_MESSAGE_SIZE]) {
  *files = (tls_files){NULL, NULL};
  if (read_file(certificate_path, &files->certificate, message) && read_file(key_path, &files->key, message) &&
      check_certificates(files->certificate, certificate_path, now_s, message) &&
      check_key(files->key, key_path, message) && check_pair(files, certificate_path, key_path, message))
    return true;
  tls_fini(files);
  return false;
}

bool tls_key_is_exposed(const char *key_path) {
  struct stat key;
  return stat(key_path, &key) == 0 && (key.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

void tls_fini(tls_files *files) {
  if (files->key) explicit_bzero(files->key, strlen(files->key));
  free(files->key);
  free(files->certificate);
  *files = (tls_files){NULL, NULL};
}

// ------------------------------------------------------------------------------------------------------------- renewal

enum { CHAIN_MAX = 16 };
typedef struct pair {
  struct pair *before; // what handshakes took that are still under way
  gnutls_pcert_st chain[CHAIN_MAX];
  unsigned length;
  gnutls_privkey_t key;
} pair;

struct tls_holder {
  _Atomic(pair *) now;
};

static void pair_free(pair *p) {
  for (unsigned i = 0; i < p->length; i++) gnutls_pcert_deinit(&p->chain[i]);
  if (p->key) gnutls_privkey_deinit(p->key);
  free(p);
}

static pair *pair_make(const tls_files *files) {
  pair *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  gnutls_datum_t certificate = datum(files->certificate), key = datum(files->key);
  unsigned length = CHAIN_MAX;
  bool good = gnutls_pcert_list_import_x509_raw(p->chain, &length, &certificate, GNUTLS_X509_FMT_PEM, 0) >= 0;
  p->length = good ? length : 0;
  good = good && gnutls_privkey_init(&p->key) >= 0 &&
         gnutls_privkey_import_x509_raw(p->key, &key, GNUTLS_X509_FMT_PEM, NULL, 0) >= 0;
  if (good) return p;
  pair_free(p);
  return NULL;
}

bool tls_holder_renew(tls_holder *h, const tls_files *files) {
  pair *p = pair_make(files);
  if (!p) return false;
  p->before = atomic_load(&h->now);
  atomic_store(&h->now, p);
  return true;
}

tls_holder *tls_holder_create(const tls_files *files) {
  tls_holder *h = calloc(1, sizeof *h);
  if (h && tls_holder_renew(h, files)) return h;
  free(h);
  return NULL;
}

void tls_holder_destroy(tls_holder *h) {
  if (!h) return;
  for (pair *p = atomic_load(&h->now), *before; p; p = before) {
    before = p->before;
    pair_free(p);
  }
  free(h);
}

void tls_holder_current(tls_holder *h, gnutls_pcert_st **chain, unsigned *length, gnutls_privkey_t *key) {
  pair *p = atomic_load(&h->now);
  *chain = p->chain;
  *length = p->length;
  *key = p->key;
}
