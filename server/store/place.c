// The data folder: it is made, locked by one server, and what a dead one was writing is removed.
#include "store/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool store_say(char message[STORE_MESSAGE_SIZE], const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, STORE_MESSAGE_SIZE, format, values);
  va_end(values);
  return false;
}

bool store_make_folder(const char *path, char message[STORE_MESSAGE_SIZE]) {
  if (mkdir(path, 0700) == 0 || errno == EEXIST) return true;
  return store_say(message, "cannot create the folder %.180s: %s", path, strerror(errno));
}

static bool take_lock(store *s, char message[STORE_MESSAGE_SIZE]) {
  char path[STORE_PATH_SIZE + 8];
  snprintf(path, sizeof path, "%s/lock", s->folder);
  s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (s->lock_fd < 0) return store_say(message, "cannot open %.180s: %s", path, strerror(errno));
  if (flock(s->lock_fd, LOCK_EX | LOCK_NB) == 0) {
    if (ftruncate(s->lock_fd, 0) == 0) dprintf(s->lock_fd, "%d\n", getpid());
    return true;
  }
  char holder[16] = "unknown";
  ssize_t n = read(s->lock_fd, holder, sizeof holder - 1);
  if (n > 0) holder[n] = '\0', holder[strcspn(holder, "\n")] = '\0';
  return store_say(message, "the data folder %.160s is in use by another server (process %s)", s->folder, holder);
}

static void empty_folder(const char *path) {
  DIR *dir = opendir(path);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));)
    if (entry->d_type == DT_REG) unlinkat(dirfd(dir), entry->d_name, 0);
  closedir(dir);
}

bool store_open_folder(store *s, char message[STORE_MESSAGE_SIZE]) {
  if (!store_make_folder(s->folder, message) || !take_lock(s, message)) return false;
  if (!store_make_folder(s->tmp, message)) return false;
  empty_folder(s->tmp);
  return true;
}
