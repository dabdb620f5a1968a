// Any bytes as a configuration file, and as flags, one per line: settings, or one line that says what is wrong.
#include "base/config.h"
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FLAGS = 16 };

static void check(config_result result, const config *c, const char *message) {
  if (result == CONFIG_WRONG) assert(*message && !strchr(message, '\n'));
  if (result == CONFIG_READY) assert(c->workers >= 0 && memchr(c->data, 0, sizeof c->data));
}

static void read_as_file(const uint8_t *data, size_t size) {
  config c;
  char path[32], message[CONFIG_MESSAGE_SIZE] = "";
  int fd = memfd_create("config", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  check(config_read(3, (char *[]){"tendrild", "--config", path, NULL}, &c, message), &c, message);
  close(fd);
}

static void read_as_flags(const uint8_t *data, size_t size) {
  config c;
  char message[CONFIG_MESSAGE_SIZE] = "", *argv[FLAGS + 1] = {"tendrild"}, *text = strndup((const char *)data, size);
  int argc = 1;
  for (char *rest = text, *flag; argc < FLAGS && (flag = strsep(&rest, "\n"));) argv[argc++] = flag;
  check(config_read(argc, argv, &c, message), &c, message);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_as_file(data, size);
  read_as_flags(data, size);
  return 0;
}
