// Watchers of jobs: replies that wait for events, as a stream or as one long poll.
#ifndef SERVER_HTTP_WATCH_H
#define SERVER_HTTP_WATCH_H

#include "service/service.h"

#include <microhttpd.h>

typedef struct watch_hub watch_hub;

typedef struct watch_request {
  char id[ID_SIZE];   ///< of a job that exists
  int64_t after;      ///< last event that the client has
  bool framed;        ///< server-sent events until the job has ended; else {"events", "next"} as soon as there is one
  int wait_s;         ///< patience of a long poll
  auth_caller caller; ///< a stream ends when its token is deleted
} watch_request;

/// Starts listening to the store and the thread that keeps time. NULL when memory or threads are short.
watch_hub *watch_start(service *s);
/// A response that is filled as events come; NULL when memory is short.
struct MHD_Response *watch_response(watch_hub *hub, struct MHD_Connection *connection, const watch_request *request);
/// Ends every watcher and takes no more; to be called before the daemon is stopped.
void watch_end(watch_hub *hub);
/// Frees the hub after the daemon was stopped. NULL is allowed.
void watch_destroy(watch_hub *hub);

#endif
