// The life of a request, as libmicrohttpd calls for it. `context` is the server.
#ifndef SERVER_HTTP_REQUEST_H
#define SERVER_HTTP_REQUEST_H

#include "http/exchange.h"

/// Its address came: the exchange, NULL without memory.
void *request_begin(void *context, const char *address_text, struct MHD_Connection *connection);
/// Its headers came, then parts of its body, then the end of it, then what a pool has made of it.
enum MHD_Result request_go_on(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *bytes, size_t *size, void **kept);
/// It is over, in whatever way.
void request_end(void *context, struct MHD_Connection *connection, void **kept, enum MHD_RequestTerminationCode how);

#endif
