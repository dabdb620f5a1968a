// The names under which this server may be called. A web page cannot forge Host and Origin: a rebound DNS name or a
// foreign page shows itself in them.
#ifndef SERVER_SERVICE_HOSTS_H
#define SERVER_SERVICE_HOSTS_H

#include <stdbool.h>

/// True when "NAME,NAME" is a list of host names (without ports); "" is the empty list.
bool hosts_valid(const char *list);
/// True when `host` ("NAME", "NAME:PORT", "[V6]:PORT") is a loopback name or address, one of `list`, or, with
/// `numeric`, any address in digits: nobody can rebind those.
bool hosts_accept(const char *list, bool numeric, const char *host);

#endif
