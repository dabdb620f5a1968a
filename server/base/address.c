// Numeric addresses only (and localhost): no resolver is asked.
#include "base/address.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool say(char message[ADDRESS_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(char message[ADDRESS_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, ADDRESS_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

bool address_read(const char *listen, address *a, socklen_t *size, char message[ADDRESS_MESSAGE_SIZE]) {
  const char *colon = strrchr(listen, ':');
  char host[ADDRESS_SIZE] = "", *end = NULL;
  long port = colon ? strtol(colon + 1, &end, 10) : -1;
  if (!colon || end == colon + 1 || *end || port < 0 || port > 65535 || colon - listen >= (long)sizeof host)
    return say(message, "address \"%.80s\" is not ADDR:PORT", listen);
  bool bracketed = *listen == '[' && colon > listen + 1 && colon[-1] == ']';
  snprintf(host, sizeof host, "%.*s", (int)(colon - listen) - 2 * bracketed, listen + bracketed);
  if (strcmp(host, "localhost") == 0) strcpy(host, "127.0.0.1");
  *a = (address){.any = {.sa_family = bracketed ? AF_INET6 : AF_INET}};
  *size = bracketed ? sizeof a->v6 : sizeof a->v4;
  if (inet_pton(a->any.sa_family, host, bracketed ? (void *)&a->v6.sin6_addr : (void *)&a->v4.sin_addr) != 1)
    return say(message, "address \"%.80s\" has no numeric address before its port", listen);
  if (bracketed)
    a->v6.sin6_port = htons((uint16_t)port);
  else
    a->v4.sin_port = htons((uint16_t)port);
  return true;
}

bool address_is_loopback(const address *a) {
  return a->any.sa_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr)
                                      : ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
}

void address_write(const address *a, char text[ADDRESS_SIZE]) {
  char host[INET6_ADDRSTRLEN];
  bool v6 = a->any.sa_family == AF_INET6;
  inet_ntop(a->any.sa_family, v6 ? (const void *)&a->v6.sin6_addr : (const void *)&a->v4.sin_addr, host, sizeof host);
  snprintf(text, ADDRESS_SIZE, v6 ? "[%s]:%d" : "%s:%d", host, ntohs(v6 ? a->v6.sin6_port : a->v4.sin_port));
}
