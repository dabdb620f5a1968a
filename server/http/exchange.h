// One request and its reply, as handlers see it. Between them and libmicrohttpd stands server.c only.
#ifndef SERVER_HTTP_EXCHANGE_H
#define SERVER_HTTP_EXCHANGE_H

#include "http/server.h"

#include <microhttpd.h>

enum { EXCHANGE_PARAMETERS = 2, EXCHANGE_PARAMETER_SIZE = 96, EXCHANGE_REQUEST_ID_SIZE = 65 };

typedef struct exchange exchange;

typedef enum route_flag {
  ROUTE_BODY = 1,     ///< takes a body
  ROUTE_BLOCKS = 2,   ///< may compute long or wait for the disk: runs in the pool
  ROUTE_QUIET = 4,    ///< successes are logged at debug level only
  ROUTE_ANY_TYPE = 8, ///< NPZ too, as body and as reply
  ROUTE_WORK = 16,    ///< starts or changes something: refused while draining
  ROUTE_EVENTS = 32,  ///< server-sent events too, as reply
} route_flag;

typedef struct route {
  const char *method, *path; ///< "/v1/models/{name}:evaluate": {…} is any text without / and :
  void (*handle)(exchange *x);
  unsigned flags; ///< of route_flag
  /// For ROUTE_BLOCKS: true when this very request is sure to be short and may run in the event loop. NULL: never.
  bool (*short_enough)(exchange *x);
} route;

struct exchange {
  http_server *server;
  service *service;
  struct watch_hub *watch;
  struct MHD_Connection *connection;
  const route *route;                                           ///< NULL: none fits
  char parameter[EXCHANGE_PARAMETERS][EXCHANGE_PARAMETER_SIZE]; ///< what the {…} of the path were
  char request_id[EXCHANGE_REQUEST_ID_SIZE];
  char method[16], path[192]; ///< for the log, cut
  double started_s;
  media in, out; ///< of the body and of the reply
  codec_buffer body;
  uint64_t received;
  bool refused; ///< `fault` stands; the body is dropped
  fault fault;
  char allow[64]; ///< for 405, "" otherwise
  bool handled, suspended;
  unsigned status;
  struct MHD_Response *response;
  exchange *next; ///< in the pool's queue
};

/// Header or query value, NULL when absent.
const char *exchange_header(const exchange *x, const char *name);
const char *exchange_query(const exchange *x, const char *name);
span exchange_body(const exchange *x);

// Each handler calls exactly one of these.

/// Takes the buffer over. `type` is the media type.
void reply_buffer(exchange *x, unsigned status, const char *type, codec_buffer *buffer);
void reply_json(exchange *x, unsigned status, codec_buffer *buffer);
void reply_empty(exchange *x, unsigned status);
/// A file of `size` bytes that never changes, or the part of it that Range asks for (206), or nothing when the client has it
/// (If-None-Match, 304); `tag` is its ETag with quotes, NULL for a file that may change: then it is sent whole. Takes the
/// descriptor over.
void reply_file(exchange *x, const char *type, int fd, int64_t size, const char *tag);
/// JSON text of a result archive, made while it is sent; takes the descriptor over.
void reply_result(exchange *x, int fd);
/// A response that a watcher fills; takes it over.
void reply_stream(exchange *x, const char *type, struct MHD_Response *response);
void reply_fault(exchange *x, const fault *f);
/// After a reply: one more header.
void reply_header(exchange *x, const char *name, const char *value);

/// {"done": call} in one line: JSON reply of a use case, or its fault.
void reply_use_case(exchange *x, unsigned status, bool done, codec_buffer *buffer, const fault *f);

#endif
