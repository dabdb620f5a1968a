// What is checked before a handler sees a request: who it is for, where it comes from, what it carries and wants.
#ifndef SERVER_HTTP_GUARD_H
#define SERVER_HTTP_GUARD_H

#include "http/exchange.h"

/// The request has one length and one of each header that decides something (a proxy in front and this server may
/// differ on which of two counts, or on where the next request begins), and not too many bytes of them.
bool guard_headers(exchange *x);
/// An address that begins with a scheme and this server's name is cut down to its path.
bool guard_target(exchange *x, const char **path);
/// Host and Origin name this server (a web page on another site cannot reach us through a rebound DNS name).
bool guard_origin(exchange *x);
/// The caller may use the route; fills x->caller.
bool guard_caller(exchange *x);
/// Content-Length and Content-Type fit the route; fills x->in.
bool guard_body(exchange *x);
/// Accept allows something the route can make; fills x->out.
bool guard_accept(exchange *x);
/// The client's X-Request-Id when it is harmless, else a new one.
void guard_request_id(exchange *x);

#endif
