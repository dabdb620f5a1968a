// Server-sent events (WHATWG HTML, 9.2): bytes in pieces of any size to events.
#ifndef TENDRIL_CLIENT_LIB_SSE_H
#define TENDRIL_CLIENT_LIB_SSE_H

#include "lib/http/client.h"

enum { CLIENT_SSE_LIMIT = 1 << 20, CLIENT_SSE_WORD = 64 };

typedef struct client_sse_event {
  const char *type; ///< "" when not named
  const char *id;   ///< of this event or the last one that had one
  const char *data; ///< terminated; lines joined by \n
  size_t size;
} client_sse_event;

typedef struct client_sse {
  client_buffer line, data;
  char type[CLIENT_SSE_WORD], id[CLIENT_SSE_WORD];
  bool has_data, after_return, begun;
  /// Returns false to stop.
  bool (*on_event)(void *context, const client_sse_event *event);
  void *context;
} client_sse;

/// Reads on. False when on_event stopped it, a line or an event is larger than CLIENT_SSE_LIMIT, or there is not enough
/// memory.
bool client_sse_feed(client_sse *sse, const char *bytes, size_t size);
void client_sse_free(client_sse *sse);

#endif
