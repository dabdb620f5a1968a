// Result files: results/ID.npz, written in tmp/ and renamed when complete.
//
// Order of durability: data (fdatasync), name (rename, fsync of both folders' entries), row (store_job_finish). A reader
// trusts a file only when the row says so. A worker never sees these names: it gets a
// descriptor, and has closed it or ended before the file gets its name.
#include "api/c/nameless_file.h"
#include "store/sqlite/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = STORE_PATH_SIZE + 64, ROOM = 1 << 20 };

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

// The names of all results that were renamed before it began: whoever waits for a sync that somebody else has begun too
// early for him shares the next one with all the others who do.
static bool sync_results(store *s) {
  folder_sync *f = &s->results_sync;
  pthread_mutex_lock(&f->lock);
  uint64_t mine = ++f->asked;
  bool good = true;
  while (good && f->done < mine) {
    if (f->busy) {
      pthread_cond_wait(&f->ended, &f->lock);
      continue;
    }
    uint64_t covered = f->asked;
    f->busy = true;
    pthread_mutex_unlock(&f->lock);
    good = store_sync_folder(s, s->results);
    pthread_mutex_lock(&f->lock);
    f->busy = false;
    if (good) f->done = covered;
    pthread_cond_broadcast(&f->ended); // after a failure each of them tries by itself
  }
  pthread_mutex_unlock(&f->lock);
  return good;
}

store_status store_result_commit(store *s, const char *id, int attempt, int fd) {
  char from[PATH_SIZE], to[PATH_SIZE];
  attempt_path(s, id, attempt, from);
  result_path(s, id, to);
  bool done = store_sync_file(s, fd, from) && rename(from, to) == 0 && sync_results(s);
  if (done) store_result_checked(s, fd); // its bytes were digested as they came
  return done ? STORE_OK : store_is_stopped(s) ? STORE_STOPPED : STORE_FULL;
}

void store_result_discard(store *s, const char *id, int attempt) {
  char path[PATH_SIZE];
  attempt_path(s, id, attempt, path);
  unlink(path);
}

int store_result_find(store *s, const char *id) {
  char path[PATH_SIZE];
  result_path(s, id, path);
  return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

void store_result_remove(store *s, const char *id) {
  char path[PATH_SIZE];
  result_path(s, id, path);
  unlink(path);
}

int store_tmp_file(store *s) { return nameless_file(s->tmp); }

bool store_has_room(const store *s) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/room", s->tmp);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  bool room = fd >= 0 && posix_fallocate(fd, 0, ROOM) == 0; // reserved, or written where that cannot be
  if (fd >= 0) close(fd);
  unlink(path);
  return room;
}
