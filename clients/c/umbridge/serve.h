// UM-Bridge's protocol, version 1.0, over HTTP.
#ifndef TENDRIL_CLIENT_UMBRIDGE_SERVE_H
#define TENDRIL_CLIENT_UMBRIDGE_SERVE_H

#include "umbridge/model.h"

typedef struct um_server {
  const um_model *models; ///< [count]
  size_t count;
  const tendril_options *wishes; ///< a client for each request is opened with
} um_server;

/// Serves until SIGINT or SIGTERM came, a thread per connection. Says its address on stdout once it listens.
/// @param address  IPv4, "127.0.0.1"
/// @param port     0: any that is free
/// @return false after a line that says why
bool um_serve(um_server *server, const char *address, unsigned short port);

#endif
