// Result files: results/ID.npz, written in tmp/ and renamed when complete; in a folder that several processes share
// results/ID.ATTEMPT.NODE.npz, so that none takes the place of another's.
//
// Order of durability: data (fdatasync), name (rename, fsync of both folders' entries), row (store_job_finish). A
// reader trusts a file only when the row says so. A worker never sees these names: it gets a descriptor, and has closed
// it or ended before the file gets its name.
#include "store/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void attempt_path(const store *s, const char *id, int attempt, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/%s.%d.npz", s->tmp, id, attempt);
}

int files_result_create(store *s, const char *id, int attempt) {
  char path[PATH_SIZE];
  attempt_path(s, id, attempt, path);
  return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

// The names of all results that were renamed before it began: whoever waits for a sync that somebody else has begun too
// early for him shares the next one with all the others who do.
static bool sync_results(store *s) {
  folder_sync *f = &files_of(s)->results_sync;
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
    good = store_sync_folder(s, files_of(s)->results);
    pthread_mutex_lock(&f->lock);
    f->busy = false;
    if (good) f->done = covered;
    pthread_cond_broadcast(&f->ended); // after a failure each of them tries by itself
  }
  pthread_mutex_unlock(&f->lock);
  return good;
}

static store_status ended(const store *s, bool done) {
  return done ? STORE_OK : store_is_stopped(s) ? STORE_STOPPED : STORE_FULL;
}

store_status files_result_commit(store *s, const char *id, int attempt, int fd, const char *sha256) {
  char from[PATH_SIZE], to[PATH_SIZE];
  store_result_name name = store_result_named(id, attempt, s->node);
  (void)sha256;
  attempt_path(s, id, attempt, from);
  files_result_path(s, &name, "npz", to);
  bool done = store_sync_file(s, fd, from) && rename(from, to) == 0 && sync_results(s);
  if (done) files_result_checked(s, fd); // its bytes were digested as they came
  return ended(s, done);
}

void files_result_discard(store *s, const char *id, int attempt) {
  char path[PATH_SIZE];
  attempt_path(s, id, attempt, path);
  unlink(path);
}

int files_result_find(store *s, const char *id, int attempt) {
  char path[PATH_SIZE];
  store_result_name name = store_result_named(id, attempt, s->node);
  files_result_path(s, &name, "npz", path);
  return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

bool files_result_remove(store *s, const store_result_name *name) {
  char path[PATH_SIZE];
  files_result_path(s, name, "npz", path);
  return unlink(path) == 0;
}

// Nothing: what a data folder's own process left is known when it starts (part_sweep), or found by names.
void files_blobs_sweep(store *s) { (void)s; }
