// Replies that wait for events of a job: a stream of server-sent events, or one long poll.
#ifndef SERVER_HTTP_EVENT_STREAM_H
#define SERVER_HTTP_EVENT_STREAM_H

#include "service/service.h"

#include <microhttpd.h>

typedef struct event_request {
  char id[ID_SIZE];   ///< of a job that exists
  int64_t after;      ///< last event that the client has
  bool framed;        ///< server-sent events until the job has ended; else {"events", "next"} as soon as there is one
  int wait_s;         ///< patience of a long poll
  auth_caller caller; ///< a stream ends when its token is deleted
} event_request;

/// A response that is filled as events come; NULL when there is not enough memory.
struct MHD_Response *event_stream_response(service *s, struct MHD_Connection *connection, const event_request *request);

#endif
