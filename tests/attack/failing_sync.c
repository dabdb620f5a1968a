// Preloaded: once the file named by FAILING_SYNC is there, syncs of files whose name has the word in it fail with EIO,
// once each (as a kernel does: the next one succeeds although the data are gone).
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(int fd) {
  char word[256] = "", link[64], name[4096];
  const char *trigger = getenv("FAILING_SYNC");
  FILE *file = trigger ? fopen(trigger, "re") : NULL;
  if (!file) return 0;
  if (!fgets(word, sizeof word, file)) *word = '\0';
  fclose(file);
  word[strcspn(word, "\n")] = '\0';
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, name, sizeof name - 1);
  if (n <= 0) return 0;
  name[n] = '\0';
  return *word && strstr(name, word) && unlink(trigger) == 0;
}

int fsync(int fd) {
  if (fails(fd)) return errno = EIO, -1;
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
  if (fails(fd)) return errno = EIO, -1;
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
