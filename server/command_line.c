#include "command_line.h"
#include "codec/json/text.h"

#include <string.h>

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

bool command_asks_for_help(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  return false;
}
