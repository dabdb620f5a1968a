// A connection as bytes, in clear or over TLS: for requests that do not wait for each other's answers.
#ifndef TENDRIL_CLIENT_LIB_LINE_H
#define TENDRIL_CLIENT_LIB_LINE_H

#include "lib/http/client.h"

typedef struct client_line {
  CURL *curl; ///< NULL: not connected
  curl_socket_t socket;
} client_line;

/// Connects to the client's server; nothing is sent.
tendril_status client_line_open(client_line *line, tendril_client *client, tendril_error *err);
/// Sends from out[size] and appends what came to `in`, as soon as one of both is possible; *sent: how much of `out`
/// is gone.
tendril_status client_line_move(client_line *line, tendril_client *client, const char *out, size_t size, size_t *sent,
                                client_buffer *in, tendril_error *err);
void client_line_close(client_line *line);

#endif
