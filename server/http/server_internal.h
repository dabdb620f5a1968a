// What the files around libmicrohttpd know of a server. Internal to http/.
#ifndef SERVER_HTTP_SERVER_INTERNAL_H
#define SERVER_HTTP_SERVER_INTERNAL_H

#include "base/share/portions.h"
#include "http/connections.h"
#include "http/exchange.h"
#include "http/pools.h"
#include "service/access/rate.h"

#include <pthread.h>
#include <stdatomic.h>

struct http_server {
  service *service;
  struct MHD_Daemon *daemon;
  http_pools pools;
  connections *connections;
  int listen_fd;
  bool encrypted;
  int connections_each, waiting_each; // of one caller; 0: any number
  char address[ADDRESS_SIZE];
  rate_limit *refusals; // that are answered at once
  pthread_mutex_t lock;
  portions *bodies;                // of one caller
  pool_task *held;                 // refused exchanges whose answers wait; under the lock
  _Atomic int active;              // exchanges between their first byte and their last
  bool unheld;                     // no answer waits any more; under the lock
  _Atomic bool draining, hurrying; // no new work is taken; what is under way is left
};

#endif
