// Problem documents for the errors that libmicrohttpd answers by itself.
#ifndef SERVER_HTTP_OWN_ERRORS_H
#define SERVER_HTTP_OWN_ERRORS_H

#include "tendril/status.h"
#include <microhttpd.h>

/// Stands in front of libmicrohttpd's function of this name: the library calls it, too, for the requests that it
/// refuses before a handler sees them (malformed request lines and chunks, header sections that are too long), with a
/// body of HTML. Such a response is replaced by a problem document; every other one passes untouched.
TD_API enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned int status,
                                          struct MHD_Response *response);

/// 408 on a socket on which no reply has begun, as far as the kernel takes it at once; the connection is to be closed.
void own_errors_say_timeout(int fd, const char *detail);

#endif
