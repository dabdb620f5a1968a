// Where and when the handler of a request runs.
#ifndef SERVER_HTTP_HANDLING_H
#define SERVER_HTTP_HANDLING_H

#include "http/exchange.h"

/// Handles a request whose body is there, in the event loop or, while its connection sleeps, in a pool.
enum MHD_Result handling_begin(exchange *x);
/// Hands the reply to the library. MHD_NO: there is none for want of memory, and the connection is closed.
enum MHD_Result handling_reply(exchange *x);
void handling_drop_body(exchange *x);

/// Tasks of the pools (pools.h): an exchange each.
void handling_compute(pool_task *task);
void handling_write(pool_task *task);
/// Answers that were held back go out. `context` is the server.
void handling_let_go(void *context);

#endif
