// URLs of databases without their passwords. What a mistyped URL means is not guessed: all from the first colon of the
// part before the path to its last @ goes, and whatever a library quotes of such a URL.
#include "base/url.h"

#include <stdio.h>
#include <string.h>

static const char *authority(const char *url) {
  const char *found = strstr(url, "://");
  return found ? found + 3 : NULL;
}

// From the colon before a password to the @ behind it; false without one.
static bool find_password(const char *url, const char **colon, const char **at) {
  const char *begin = authority(url);
  if (!begin) return false;
  size_t length = strcspn(begin, "?");
  *at = NULL;
  for (size_t i = 0; i < length; i++)
    if (begin[i] == '@') *at = begin + i;
  *colon = *at ? memchr(begin, ':', (size_t)(*at - begin)) : NULL;
  return *colon != NULL;
}

static const char *find_parameter(const char *url) {
  const char *found = strchr(url, '?');
  return found ? strstr(found, "password=") : NULL;
}

bool url_has_password(const char *url) {
  const char *colon, *at;
  return find_password(url, &colon, &at) || find_parameter(url);
}

// The rest of what is left is shifted to the front, so `text` only gets shorter.
static void cut(char *from, size_t length) { memmove(from, from + length, strlen(from + length) + 1); }

void url_without_password(const char *url, char *out, size_t size) {
  const char *colon, *at;
  snprintf(out, size, "%s", url);
  if (find_password(out, &colon, &at)) cut(out + (colon - out), (size_t)(at - colon));
  for (char *found; (found = (char *)find_parameter(out));) {
    char *begin = found;
    while (begin[-1] != '?' && begin[-1] != '&') begin--; // sslpassword=
    size_t length = strcspn(begin, "&");
    cut(begin, length + (begin[length] == '&'));
  }
  size_t end = strlen(out);
  if (strchr(out, '?') && end > 0 && (out[end - 1] == '?' || out[end - 1] == '&')) out[end - 1] = '\0';
}

void url_blank_quotes(char *message) {
  for (char *open = strchr(message, '"'); open;) {
    char *close = strchr(open + 1, '"');
    if (!close) {
      open[1] = '\0';
      return;
    }
    cut(open + 1, (size_t)(close - open - 1));
    open = strchr(open + 2, '"');
  }
}
