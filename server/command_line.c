// Words of tendrild's commands, and their lines.
#include "command_line.h"
#include "base/clock.h"
#include "codec/json/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool command_flag(char **argv, int argc, int *i, const char *flag, const char **value) {
  size_t length = strlen(flag);
  if (strncmp(argv[*i], flag, length) != 0) return false;
  if (argv[*i][length] == '=') return *value = argv[*i] + length + 1, true;
  if (argv[*i][length] != '\0' || *i + 1 == argc) return false;
  return *value = argv[++*i], true;
}

void command_printable(char *text) {
  bool valid = codec_utf8_valid(text, strlen(text));
  for (unsigned char *c = (unsigned char *)text; *c; c++)
    if (*c < ' ' || *c == 0x7f || (*c > 0x7f && !valid)) *c = '?';
}

void command_progress(const char *what, int64_t done, int64_t total) {
  static double shown_s;
  double now = clock_monotonic_s();
  if (shown_s <= 0) shown_s = now;
  if (now < shown_s + 1) return;
  shown_s = now;
  const char *end = isatty(STDERR_FILENO) ? "   \r" : "\n";
  if (total > 0)
    fprintf(stderr, "%s: %" PRId64 " of %" PRId64 "%s", what, done, total, end);
  else
    fprintf(stderr, "%s: %" PRId64 "%s", what, done, end);
}

void command_finding(const char *place, const char *what) {
  char line[6000];
  snprintf(line, sizeof line, "%s: %s", place, what);
  command_printable(line);
  puts(line);
}

bool command_asks_for_help(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  return false;
}
