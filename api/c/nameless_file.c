// O_TMPFILE, and where a file system has none: a name that is taken away at once.
#include "api/c/nameless_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *nameless_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

int nameless_file(const char *folder) {
  if (!folder) folder = nameless_folder();
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/tendril-XXXXXX", folder) >= (int)sizeof path) return errno = ENAMETOOLONG, -1;
  fd = mkostemp(path, O_CLOEXEC);
  if (fd >= 0) unlink(path);
  return fd;
}
