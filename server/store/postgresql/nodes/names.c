// The name of a node in the rows: a random one for each life of a process, so that no two that were started from copies of
// one data folder are taken for each other. The folder remembers the last one, which nobody else has any more: one
// process at a time has a folder.
#include "store/postgresql/nodes/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void read_name(int fd, char id[ID_SIZE]) {
  char text[ID_SIZE] = "";
  ssize_t n = read(fd, text, sizeof text - 1);
  bool whole = n == ID_SIZE - 1 && strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz") == ID_SIZE - 1;
  memcpy(id, whole ? text : "", whole ? ID_SIZE : 1);
}

static bool write_name(int fd, char id[ID_SIZE]) {
  id_make(id);
  return ftruncate(fd, 0) == 0 && pwrite(fd, id, ID_SIZE - 1, 0) == ID_SIZE - 1 && fsync(fd) == 0;
}

bool pg_node_rename(const store *s, char id[ID_SIZE], char before[ID_SIZE], char message[STORE_MESSAGE_SIZE]) {
  char path[STORE_PATH_SIZE + 8];
  snprintf(path, sizeof path, "%s/node", s->folder);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) read_name(fd, before);
  bool written = fd >= 0 && write_name(fd, id);
  if (!written) store_say(message, "cannot write %.180s: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return written;
}
