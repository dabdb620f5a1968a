// Host names compared without case; ports must be digits and say nothing.
#include "service/access/hosts.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { HOST_SIZE = 256 };

bool hosts_valid(const char *list) {
  bool in_name = false;
  for (const char *c = list; *c; c++) {
    if (*c == ',' ? !in_name : !isalnum((unsigned char)*c) && !strchr("-._", *c)) return false;
    in_name = *c != ',';
  }
  return in_name || *list == '\0';
}

// The host without brackets and port; false when it has no such form.
static bool split(const char *host, char name[HOST_SIZE], bool *v6) {
  *v6 = *host == '[';
  host += *v6;
  size_t length = strcspn(host, *v6 ? "]" : ":");
  const char *rest = host + length;
  if (length == 0 || length >= HOST_SIZE || (*v6 && *rest++ != ']')) return false;
  memcpy(name, host, length);
  name[length] = '\0';
  return *rest == '\0' || (*rest == ':' && rest[1 + strspn(rest + 1, "0123456789")] == '\0');
}

static bool listed(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; *at; at += *at == ',') {
    size_t own = strcspn(at, ",");
    if (own == length && strncasecmp(at, name, length) == 0) return true;
    at += own;
  }
  return false;
}

bool hosts_accept(const char *list, bool numeric, const char *host) {
  char name[HOST_SIZE];
  bool v6;
  struct in_addr a4;
  struct in6_addr a6;
  if (!split(host, name, &v6)) return false;
  if (v6) return inet_pton(AF_INET6, name, &a6) == 1 && (numeric || IN6_IS_ADDR_LOOPBACK(&a6));
  if (inet_pton(AF_INET, name, &a4) == 1) return numeric || strcmp(name, "127.0.0.1") == 0 || listed(list, name);
  return strcasecmp(name, "localhost") == 0 || listed(list, name);
}
