// Where to listen: "ADDR:PORT" as a socket address.
#ifndef SERVER_BASE_ADDRESS_H
#define SERVER_BASE_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>

enum { ADDRESS_SIZE = 80, ADDRESS_MESSAGE_SIZE = 256 };

typedef union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
} address;

/// "127.0.0.1:8080", "localhost:8080" or "[::1]:8080". False with one sentence in `message`.
bool address_read(const char *listen, address *a, socklen_t *size, char message[ADDRESS_MESSAGE_SIZE]);
/// Nobody but this machine can reach it.
bool address_is_loopback(const address *a);
/// "127.0.0.1:41213", "[::1]:41213"
void address_write(const address *a, char text[ADDRESS_SIZE]);

#endif
