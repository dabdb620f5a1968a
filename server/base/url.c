// URLs of databases without their passwords. What a mistyped URL means is not guessed: all from the first colon of the
// part before the path to its last @ goes, and whatever a library quotes of such a URL.
#include "base/url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool url_of_database(const char *text) {
  return strncmp(text, "postgresql://", 13) == 0 || strncmp(text, "postgres://", 11) == 0;
}

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

// Behind the first colon (that of a scheme is passed over) to the last @, and from "passw" on, whatever it is spelled like.
void url_mistaken(const char *text, char *out, size_t size) {
  snprintf(out, size, "%s", text);
  char *begin = (char *)authority(out), *at = strrchr(out, '@');
  char *colon = strchr(begin ? begin : out, ':');
  if (colon && at && colon < at) cut(colon, (size_t)(at - colon));
  char *word = out;
  while (*word && strncasecmp(word, "passw", 5) != 0) word++;
  *word = '\0';
}

// A whole word of the URL without its password.
static bool is_word(const char *clean, const char *text, size_t size) {
  static const char between[] = ":/?@&=,";
  for (const char *at = clean; size > 0 && *at; at += strcspn(at, between), at += *at != '\0')
    if (strcspn(at, between) == size && memcmp(at, text, size) == 0) return true;
  return false;
}

// The path of a socket in the folder that the URL names.
static bool is_socket(const char *clean, const char *text, size_t size) {
  const char *folder = strstr(clean, "host=/");
  size_t length = folder ? strcspn(folder + 5, "&") : 0;
  return folder && length < size && memcmp(folder + 5, text, length) == 0 && memchr(text + length, '/', size - length);
}

void url_blank_quotes(char *message, const char *url) {
  char clean[2048];
  url_without_password(url, clean, sizeof clean);
  for (char *open = strchr(message, '"'); open;) {
    char *close = strchr(open + 1, '"');
    if (!close) {
      open[1] = '\0';
      return;
    }
    size_t size = (size_t)(close - open - 1);
    if (!is_word(clean, open + 1, size) && !is_socket(clean, open + 1, size)) cut(open + 1, size), close -= size;
    open = strchr(close + 1, '"');
  }
}
