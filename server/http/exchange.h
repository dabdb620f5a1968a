// One request and its reply, as handlers see it. Between them and libmicrohttpd stand request.c and handling.c only.
#ifndef SERVER_HTTP_EXCHANGE_H
#define SERVER_HTTP_EXCHANGE_H

#include "base/address.h"
#include "base/share/pool.h"
#include "codec/json/number.h"
#include "http/server.h"
#include "service/models/reference.h"
#include "service/operations.h"

#include <microhttpd.h>

enum { EXCHANGE_PARAMETERS = 2, EXCHANGE_PARAMETER_SIZE = 96, EXCHANGE_REQUEST_ID_SIZE = 65 };

typedef struct exchange exchange;
typedef struct cached_model cached_model; ///< service/models/model_cache.h
typedef struct codec_result codec_result; ///< codec/result/result.h

typedef enum route_flag { ///< what a route takes and gives
  ROUTE_BODY = 1,         ///< takes a body
  ROUTE_ANY_TYPE = 2,     ///< NPZ too, as body and as reply
  ROUTE_EVENTS = 4,       ///< server-sent events too, as reply
  ROUTE_CSV = 8,          ///< CSV too, as reply
  ROUTE_METRICS = 16,     ///< replies with OpenMetrics text, not JSON
  ROUTE_ARCHIVE = 64,     ///< NPZ too, as body
  ROUTE_PAGE = 32,        ///< a file for browsers, whose type is its own whatever Accept says
} route_flag;

typedef struct route {
  const char *method, *path; ///< "/v1/models/{name}:evaluate": {…} is any text without / and :
  const operation *operation;
  void (*handle)(exchange *x);
  unsigned flags;    ///< of route_flag
  const char *query; ///< names of the parameters of its query, NULL: none
} route;

struct exchange {
  pool_task task; ///< first: the pool hands it back
  http_server *server;
  service *service;
  const _Atomic bool *hurrying; ///< set: the server stops and has waited long enough; NULL: it never does
  struct MHD_Connection *connection;
  struct connection_entry *entry;                               ///< of the connection
  const route *route;                                           ///< NULL: none fits
  char parameter[EXCHANGE_PARAMETERS][EXCHANGE_PARAMETER_SIZE]; ///< what the {…} of the path were
  char request_id[EXCHANGE_REQUEST_ID_SIZE];
  char method[16], path[192]; ///< for the log, cut
  double started_s;
  media in, out; ///< of the body and of the reply
  codec_buffer body;
  uint64_t received;
  uint64_t portion; ///< bytes of the body that count in its caller's
  auth_caller caller;
  seats *seat;               ///< one of them is held until the exchange ends; NULL: none
  cached_model *model;       ///< held until it is handled; NULL: none
  model_reference reference; ///< of the model that the address names, once it was read
  bool referred;             ///< it was
  bool encrypted;
  bool begun;     ///< its headers are there
  bool crowded;   ///< it was, in the midst of its body, as its caller's bodies take their share
  bool refused;   ///< `fault` stands; the body is dropped
  bool last;      ///< the connection ends with its reply
  int parameters; ///< of the address; beyond LIMIT_PARAMETERS they were cut off
  fault fault;
  char allow[64]; ///< for 405, "" otherwise
  bool handled, suspended;
  unsigned status;
  uint64_t held; ///< bytes of memory that the reply takes until it is sent
  struct MHD_Response *response;
};

/// Header or query value, NULL when absent.
const char *exchange_header(const exchange *x, const char *name);
const char *exchange_query(const exchange *x, const char *name);
/// The caller's address and port into `text`, which is returned; "" when it is not known.
const char *exchange_peer(const exchange *x, char text[ADDRESS_SIZE]);
span exchange_body(const exchange *x);
/// The client has closed its connection, or its sending half, or the server stops and has waited long enough: nobody
/// waits for the reply. A call of the system.
bool exchange_is_left(const exchange *x);

// Each handler calls exactly one of these.

/// Takes the buffer over. `type` is the media type.
void reply_buffer(exchange *x, unsigned status, const char *type, codec_buffer *buffer);
void reply_empty(exchange *x, unsigned status);
/// True, with the reply 304, when the client has what `tag` (an ETag with quotes) names already (If-None-Match).
bool reply_if_unchanged(exchange *x, const char *tag);
/// Bytes that outlive every reply: `size` of them, not copied. `type` NULL: none.
void reply_constant(exchange *x, unsigned status, const char *type, const void *bytes, size_t size);
/// Which bytes of such a file reply_file and reply_if_unchanged will need.
void reply_file_needs(const exchange *x, int64_t size, const char *tag, int64_t *first, int64_t *count);
/// A file of `size` bytes whose ETag is `tag`, or the part of it that Range asks for (206, 416). Takes the descriptor
/// over.
void reply_file(exchange *x, const char *type, int fd, int64_t size, const char *tag);
/// Room for a reply that the client may take long to read, held until the exchange ends; otherwise false, with the
/// reply 429. Arguments as of seat_take.
bool reply_seat(exchange *x, seats *from, const char *words, const char *option);
/// Text of a result, made while it is sent; takes the result over.
void reply_result(exchange *x, const char *type, codec_result *result, const char *tag);
/// A response that a watcher fills; takes it over.
void reply_stream(exchange *x, const char *type, struct MHD_Response *response);
void reply_fault(exchange *x, const fault *f);
/// After a reply: one more header.
void reply_header(exchange *x, const char *name, const char *value);

/// JSON that was written to `buffer`, which is taken over; 503 or 413 when it has no room in memory.
void reply_written(exchange *x, unsigned status, codec_buffer *buffer);
/// The same of a use case that is done; otherwise its fault.
void reply_use_case(exchange *x, unsigned status, bool done, codec_buffer *buffer, const fault *f);

#endif
