// «No other error body exists» must hold for requests that libmicrohttpd rejects itself, and it offers no hook for
// their bodies. It does queue them through its own public function, called through the dynamic symbol table, so this
// definition in the program takes precedence there (as a program's malloc does) and hands on to the library's.
// tests/integration/test_raw_http.py holds it to that: a library that called itself directly would fail it.
//
// Invariant: responses of ours always have a Content-Type or no body and a status below 400.
#include "http/own_errors.h"
#include "base/id.h"
#include "codec/wire/problem.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef enum MHD_Result queue_function(struct MHD_Connection *, unsigned int, struct MHD_Response *);
typedef enum MHD_Result lookup_function(struct MHD_Connection *, enum MHD_ValueKind, const char *, size_t,
                                        const char **, size_t *);

// The library's own definition, by way of a pointer to its address: ISO C has no cast from object to function pointers.
static void *library_symbol(void *_Atomic *found, const char *name) {
  if (!*found) *found = dlsym(RTLD_NEXT, name);
  return *found;
}

static queue_function *library_function(void) {
  static void *_Atomic found;
  void *symbol = library_symbol(&found, "MHD_queue_response");
  return *(queue_function **)&symbol;
}

static const struct {
  unsigned status;
  problem_code code;
  const char *detail;
} own_errors[] = {
    {MHD_HTTP_BAD_REQUEST, PROBLEM_INVALID_ARGUMENT, "the request is not well-formed HTTP"},
    {MHD_HTTP_CONTENT_TOO_LARGE, PROBLEM_TOO_LARGE, "the request or its chunks are too large"},
    {MHD_HTTP_URI_TOO_LONG, PROBLEM_TOO_LARGE, "the address of the request is too long"},
    {MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, PROBLEM_TOO_LARGE, "the header section of the request is too long"},
    {MHD_HTTP_NOT_IMPLEMENTED, PROBLEM_INVALID_ARGUMENT, "the request uses a transfer coding that is not supported"},
    // its buffer is full and the body does not go on: what it has is the head of a chunk, the rest is always taken
    {MHD_HTTP_INTERNAL_SERVER_ERROR, PROBLEM_TOO_LARGE, "a line between the chunks of the body is too long"},
    {MHD_HTTP_HTTP_VERSION_NOT_SUPPORTED, PROBLEM_INVALID_ARGUMENT, "the request is not HTTP/1.1 or HTTP/1.0"},
    {0, PROBLEM_INTERNAL, "the request could not be handled"}, // the last row is for every other status
};

typedef struct problem {
  unsigned status;
  char request_id[ID_SIZE];
  char *body; // [size], to be freed; NULL when there is not enough memory
  size_t size;
} problem;

static problem make_problem(unsigned status) {
  problem p = {.body = NULL};
  size_t row = 0;
  while (own_errors[row].status != status && own_errors[row].status != 0) row++;
  id_make(p.request_id);
  p.body = codec_problem_write(own_errors[row].code, own_errors[row].detail, NULL, p.request_id, NULL, &p.size);
  p.status = (unsigned)codec_problem_row(own_errors[row].code)->http;
  return p;
}

static enum MHD_Result queue_problem(struct MHD_Connection *connection, problem *p) {
  struct MHD_Response *response =
      p->body ? MHD_create_response_from_buffer(p->size, p->body, MHD_RESPMEM_MUST_FREE) : NULL;
  if (!response) return free(p->body), MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/problem+json");
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  MHD_add_response_header(response, "X-Request-Id", p->request_id);
  enum MHD_Result result = library_function()(connection, p->status, response);
  MHD_destroy_response(response);
  return result;
}

// True when the library is refusing the request for its Content-Length. Version 0.9.75 then goes on with the request
// after it has written the reply's header, and writes the header again.
static bool length_is_wrong(struct MHD_Connection *connection) {
  const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  if (!value) return false;
  errno = 0;
  unsigned long long length = strtoull(value, NULL, 10);
  return *value == '\0' || value[strspn(value, "0123456789")] != '\0' || (errno == ERANGE && length > 0);
}

// The bytes as they are, or through the TLS session of the connection.
static void send_bytes(struct MHD_Connection *connection, const char *text, size_t size) {
  const union MHD_ConnectionInfo *tls = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  const union MHD_ConnectionInfo *fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  ssize_t sent = tls && tls->tls_session ? gnutls_record_send(tls->tls_session, text, size)
                 : fd                    ? send(fd->connect_fd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT)
                                         : 0;
  (void)sent; // the connection ends in any case
}

// Writes the whole reply to the socket, whose send buffer is empty at this point, and has the library close it.
static enum MHD_Result send_problem(struct MHD_Connection *connection, problem *p) {
  char text[2048];
  int size = snprintf(text, sizeof text,
                      "HTTP/1.1 %u %s\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
                      "X-Request-Id: %s\r\nContent-Length: %zu\r\n\r\n%.*s",
                      p->status, MHD_get_reason_phrase_for(p->status), p->request_id, p->size, (int)p->size,
                      p->body ? p->body : "");
  if (p->body && size < (int)sizeof text) send_bytes(connection, text, (size_t)size);
  free(p->body);
  return MHD_NO;
}

// Version 0.9.75 answers a Cookie that it cannot read (a=") with a refusal and then goes on with the request: two heads
// on the wire, or a crash. Nothing here reads cookies, so it is told that there are none.
enum MHD_Result MHD_lookup_connection_value_n(struct MHD_Connection *connection, enum MHD_ValueKind kind,
                                              const char *key, size_t key_size, const char **value,
                                              size_t *value_size) {
  static void *_Atomic found;
  static const char cookie[] = MHD_HTTP_HEADER_COOKIE;
  if (kind == MHD_HEADER_KIND && key_size == sizeof cookie - 1 && memcmp(key, cookie, key_size) == 0) return MHD_NO;
  void *symbol = library_symbol(&found, "MHD_lookup_connection_value_n");
  return (*(lookup_function **)&symbol)(connection, kind, key, key_size, value, value_size);
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned int status,
                                   struct MHD_Response *response) {
  if (status < 400 || MHD_get_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE))
    return library_function()(connection, status, response);
  problem p = make_problem(status);
  return length_is_wrong(connection) ? send_problem(connection, &p) : queue_problem(connection, &p);
}

void own_errors_say_timeout(int fd, const char *detail) {
  char text[1024], id[ID_SIZE];
  size_t size = 0;
  id_make(id);
  char *body = codec_problem_write(PROBLEM_TIMED_OUT, detail, NULL, id, NULL, &size);
  int length =
      snprintf(text, sizeof text,
               "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
               "X-Request-Id: %s\r\nContent-Length: %zu\r\n\r\n%.*s",
               id, size, (int)size, body ? body : "");
  free(body);
  if (length >= (int)sizeof text) return;
  ssize_t sent = send(fd, text, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
  (void)sent; // the connection ends in any case
}
