// Replies. Every one carries Content-Type, X-Request-Id and nosniff; a reply that cannot be built for lack of memory
// leaves `response` NULL and the connection is closed.
#include "http/exchange.h"
#include "base/limits.h"
#include "base/log/metrics.h"
#include "codec/result/result.h"
#include "http/range.h"
#include "service/access/seat.h"

#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STREAM_BLOCK = 64 << 10 };

const char *exchange_header(const exchange *x, const char *name) {
  return MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
}

const char *exchange_query(const exchange *x, const char *name) {
  return MHD_lookup_connection_value(x->connection, MHD_GET_ARGUMENT_KIND, name);
}

const char *exchange_peer(const exchange *x, char text[ADDRESS_SIZE]) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  *text = '\0';
  if (info && info->client_addr) address_write((const address *)info->client_addr, text);
  return text;
}

bool exchange_is_left(const exchange *x) {
  if (x->hurrying && atomic_load(x->hurrying)) return true;
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  struct pollfd end = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};
  return poll(&end, 1, 0) == 1 && (end.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

span exchange_body(const exchange *x) { return (span){x->body.data ? x->body.data : "", x->body.size}; }

void reply_header(exchange *x, const char *name, const char *value) {
  if (x->response) MHD_add_response_header(x->response, name, value);
}

static void reply(exchange *x, unsigned status, const char *type, struct MHD_Response *response) {
  assert(!x->response && status >= 200 && status < 600); // one reply to each request
  x->status = status;
  x->response = response;
  if (type) reply_header(x, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  reply_header(x, "X-Request-Id", x->request_id);
  reply_header(x, "X-Content-Type-Options", "nosniff");
  if (x->encrypted) reply_header(x, "Strict-Transport-Security", "max-age=31536000");
}

// A reply that lies in memory until the client has taken it.
typedef struct held_reply {
  char *bytes;
  size_t size;
} held_reply;

static void free_held(void *context) {
  held_reply *held = context;
  budget_give(BUDGET_REPLIES, held->size);
  free(held->bytes);
  free(held);
}

static struct MHD_Response *hold(char *bytes, size_t size) {
  char *shrunk = realloc(bytes, size); // buffers grow to twice what is needed
  held_reply *held = malloc(sizeof *held);
  if (!held) return NULL;
  *held = (held_reply){shrunk ? shrunk : bytes, size};
  struct MHD_Response *response =
      MHD_create_response_from_buffer_with_free_callback_cls(size, held->bytes, free_held, held);
  if (response)
    budget_count(BUDGET_REPLIES, (int64_t)size);
  else
    free(held);
  return response;
}

static void reply_memory(exchange *x, unsigned status, const char *type, char *bytes, size_t size) {
  struct MHD_Response *response = !bytes ? NULL
                                  : size > CODEC_BUFFER_COUNTED
                                      ? hold(bytes, size)
                                      : MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
  if (bytes && !response) free(bytes);
  x->held = size;
  reply(x, status, type, response);
}

void reply_buffer(exchange *x, unsigned status, const char *type, codec_buffer *buffer) {
  size_t size = 0;
  char *bytes = codec_buffer_take(buffer, &size);
  codec_buffer_fini(buffer);
  reply_memory(x, status, type, bytes, size);
}

void reply_empty(exchange *x, unsigned status) {
  reply(x, status, NULL, MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT));
}

void reply_constant(exchange *x, unsigned status, const char *type, const void *bytes, size_t size) {
  reply(x, status, type, MHD_create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_PERSISTENT));
}

// True when a list of tags names this one, or any.
static bool has_tag(const char *list, const char *tag) {
  return list && (strcmp(list, "*") == 0 || strstr(list, tag) != NULL);
}

bool reply_if_unchanged(exchange *x, const char *tag) {
  if (!has_tag(exchange_header(x, MHD_HTTP_HEADER_IF_NONE_MATCH), tag)) return false;
  reply(x, MHD_HTTP_NOT_MODIFIED, NULL, MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT));
  reply_header(x, MHD_HTTP_HEADER_ETAG, tag);
  return true;
}

// Of a GET only (RFC 9110, 14.2).
static range_kind wanted_range(const exchange *x, int64_t size, const char *tag, int64_t *first, int64_t *count) {
  if (strcmp(x->method, MHD_HTTP_METHOD_GET) != 0) return RANGE_WHOLE;
  const char *unchanged = exchange_header(x, MHD_HTTP_HEADER_IF_RANGE);
  if (unchanged && strcmp(unchanged, tag) != 0) return RANGE_WHOLE;
  return range_read(exchange_header(x, MHD_HTTP_HEADER_RANGE), size, first, count);
}

void reply_file_needs(const exchange *x, int64_t size, const char *tag, int64_t *first, int64_t *count) {
  range_kind kind = wanted_range(x, size, tag, first, count);
  bool none = kind == RANGE_OUTSIDE || strcmp(x->method, MHD_HTTP_METHOD_HEAD) == 0 ||
              has_tag(exchange_header(x, MHD_HTTP_HEADER_IF_NONE_MATCH), tag);
  if (kind != RANGE_PART) *first = 0;
  if (kind == RANGE_WHOLE) *count = size;
  if (none) *count = 0;
}

static void reply_outside(exchange *x, int64_t size) {
  fault f;
  char range[40];
  fault_set(&f, PROBLEM_RANGE_NOT_SATISFIABLE, NULL, "Range is \"%.60s\", the file has %lld bytes",
            exchange_header(x, MHD_HTTP_HEADER_RANGE), (long long)size);
  reply_fault(x, &f);
  snprintf(range, sizeof range, "bytes */%lld", (long long)size);
  reply_header(x, MHD_HTTP_HEADER_CONTENT_RANGE, range);
}

void reply_file(exchange *x, const char *type, int fd, int64_t size, const char *tag) {
  int64_t first = 0, count = size;
  char range[80];
  range_kind kind = wanted_range(x, size, tag, &first, &count);
  if (kind == RANGE_OUTSIDE) {
    close(fd);
    reply_outside(x, size);
    return;
  }
  if (kind == RANGE_WHOLE) first = 0, count = size;
  posix_fadvise(fd, first, count, POSIX_FADV_SEQUENTIAL); // the kernel reads further ahead
  struct MHD_Response *response = MHD_create_response_from_fd_at_offset64((uint64_t)count, fd, (uint64_t)first);
  if (!response) close(fd);
  reply(x, kind == RANGE_PART ? MHD_HTTP_PARTIAL_CONTENT : MHD_HTTP_OK, type, response);
  reply_header(x, MHD_HTTP_HEADER_ETAG, tag);
  reply_header(x, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
  if (kind != RANGE_PART) return;
  snprintf(range, sizeof range, "bytes %lld-%lld/%lld", (long long)first, (long long)(first + count - 1),
           (long long)size);
  reply_header(x, MHD_HTTP_HEADER_CONTENT_RANGE, range);
}

// A reply of unknown length comes in chunks. To HEAD the library would write the last one after the head, where no
// client looks for any: there it does without, and the connection ends.
static void reply_in_chunks(exchange *x, const char *type, struct MHD_Response *response) {
  bool bare = strcmp(x->method, MHD_HTTP_METHOD_HEAD) == 0;
  if (response && bare) MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
  reply(x, MHD_HTTP_OK, type, response);
}

static ssize_t read_stream(void *context, uint64_t position, char *out, size_t capacity) {
  (void)position;
  long n = codec_result_read(context, out, capacity);
  return n > 0 ? n : n == 0 ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void close_stream(void *context) {
  codec_result_close(context);
  metrics_add(METRIC_RESULT_STREAMS, 0, -1);
}

bool reply_seat(exchange *x, seats *from, const char *words, const char *option) {
  fault f;
  if (seat_take(from, &x->caller, words, option, &f)) return x->seat = from, true;
  reply_fault(x, &f);
  return false;
}

void reply_result(exchange *x, const char *type, codec_result *result, const char *tag) {
  struct MHD_Response *response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, result, close_stream);
  metrics_add(METRIC_RESULT_STREAMS, 0, 1);
  if (!response) close_stream(result);
  reply_in_chunks(x, type, response);
  reply_header(x, MHD_HTTP_HEADER_ETAG, tag);
  reply_header(x, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
}

void reply_stream(exchange *x, const char *type, struct MHD_Response *response) {
  reply_in_chunks(x, type, response);
  reply_header(x, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
}

void reply_fault(exchange *x, const fault *f) {
  size_t size = 0;
  if (f != &x->fault) x->fault = *f; // for the log
  char *bytes =
      codec_problem_write(f->code, f->detail, f->has_pointer ? f->pointer : NULL, x->request_id, &f->all, &size);
  reply_memory(x, (unsigned)codec_problem_row(f->code)->http, "application/problem+json", bytes, size);
  if (f->code == PROBLEM_METHOD_NOT_ALLOWED && *x->allow) reply_header(x, MHD_HTTP_HEADER_ALLOW, x->allow);
  if (f->code == PROBLEM_RATE_LIMITED || f->code == PROBLEM_UNAVAILABLE) {
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%d", f->retry_after_s > 0 ? f->retry_after_s : 1);
    reply_header(x, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
  }
  if (f->code == PROBLEM_UNAUTHENTICATED) // RFC 6750, 3: why, only when a token was shown
    reply_header(x, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
                 exchange_header(x, MHD_HTTP_HEADER_AUTHORIZATION) ? "Bearer realm=\"tendril\", error=\"invalid_token\""
                                                                   : "Bearer realm=\"tendril\"");
}

void reply_written(exchange *x, unsigned status, codec_buffer *buffer) {
  fault f;
  bool never = buffer->refusal == BUDGET_NEVER;
  if (!buffer->failed) {
    reply_buffer(x, status, "application/json", buffer);
    return;
  }
  fault_set(&f, never ? PROBLEM_TOO_LARGE : PROBLEM_UNAVAILABLE, NULL,
            never ? "the reply is larger than this server can hold (memory): ask for less"
                  : "the server has no memory for the reply now: try again later");
  codec_buffer_fini(buffer);
  reply_fault(x, &f);
}

void reply_use_case(exchange *x, unsigned status, bool done, codec_buffer *buffer, const fault *f) {
  if (done) {
    reply_written(x, status, buffer);
    return;
  }
  codec_buffer_fini(buffer);
  reply_fault(x, f);
}
