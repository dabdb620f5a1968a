// Result files: results/ID.npz, written in tmp/ and renamed when complete.
//
// Order of durability: data (fdatasync), name (rename, fsync of both folders' entries), row (store_job_finish). A reader
// trusts a file only when the row says so. A worker never sees these names: the server writes what the worker sends.
#include "store/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = STORE_PATH_SIZE + 64 };

static void attempt_path(const store *s, const char *id, int attempt, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/%s.%d.npz", s->tmp, id, attempt);
}

static void result_path(const store *s, const char *id, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/%s.npz", s->results, id);
}

int store_result_create(store *s, const char *id, int attempt) {
  char path[PATH_SIZE];
  attempt_path(s, id, attempt, path);
  return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static bool sync_folder(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool done = fd >= 0 && fsync(fd) == 0;
  if (fd >= 0) close(fd);
  return done;
}

store_status store_result_commit(store *s, const char *id, int attempt, int fd) {
  char from[PATH_SIZE], to[PATH_SIZE];
  attempt_path(s, id, attempt, from);
  result_path(s, id, to);
  bool done = fdatasync(fd) == 0 && rename(from, to) == 0 && sync_folder(s->results);
  return done ? STORE_OK : STORE_FULL;
}

void store_result_discard(store *s, const char *id, int attempt) {
  char path[PATH_SIZE];
  attempt_path(s, id, attempt, path);
  unlink(path);
}

int store_result_open(store *s, const char *id) {
  char path[PATH_SIZE];
  result_path(s, id, path);
  return open(path, O_RDONLY | O_CLOEXEC);
}

void store_result_remove(store *s, const char *id) {
  char path[PATH_SIZE];
  result_path(s, id, path);
  unlink(path);
}
