// Copies of results that were written or read here: files without names, so that a large result is not fetched for every
// piece that is asked of it. What is small is fetched in a millisecond.
#include "store/postgresql/blobs/blobs.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int64_t WORTH = 256 << 10, ALL = 2LL << 30;

// The same file with a place to read of its own.
static int open_again(int fd) {
  char path[48];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return open(path, O_RDONLY | O_CLOEXEC);
}

static bool is_named(const pg_copy_of *copy, const store_result_name *name) {
  return copy->fd >= 0 && copy->name.attempt == name->attempt && strcmp(copy->name.id, name->id) == 0 &&
         strcmp(copy->name.node, name->node) == 0;
}

// The functions below: under the lock.

static void close_copy(pg_blobs *b, pg_copy_of *copy) {
  if (copy->fd < 0) return;
  close(copy->fd);
  copy->fd = -1;
  b->copied -= copy->size;
}

static pg_copy_of *find(pg_blobs *b, const store_result_name *name) {
  for (int i = 0; i < PG_COPIES; i++)
    if (is_named(&b->copies[i], name)) return &b->copies[i];
  return NULL;
}

// A free place, or that of the copy that was not used for longest.
static pg_copy_of *oldest(pg_blobs *b) {
  pg_copy_of *best = &b->copies[0];
  for (int i = 1; i < PG_COPIES && best->fd >= 0; i++)
    if (b->copies[i].fd < 0 || b->copies[i].used < best->used) best = &b->copies[i];
  return best;
}

static pg_copy_of *oldest_held(pg_blobs *b) {
  pg_copy_of *best = NULL;
  for (int i = 0; i < PG_COPIES; i++)
    if (b->copies[i].fd >= 0 && (!best || b->copies[i].used < best->used)) best = &b->copies[i];
  return best;
}

void pg_copy_keep(store *s, const store_result_name *name, int fd, int64_t size) {
  pg_blobs *b = pg_blobs_of(s);
  if (size < WORTH || size > ALL / 2 || !store_tmp_room(s, (uint64_t)size)) return;
  int kept = open_again(fd);
  if (kept < 0) return;
  pthread_mutex_lock(&b->lock);
  pg_copy_of *place = find(b, name), *old;
  if (!place) place = oldest(b);
  close_copy(b, place);
  while (b->copied + size > ALL && (old = oldest_held(b))) close_copy(b, old);
  *place = (pg_copy_of){.name = *name, .fd = kept, .size = size, .used = ++b->uses};
  b->copied += size;
  pthread_mutex_unlock(&b->lock);
}

int pg_copy_open(store *s, const store_result_name *name) {
  pg_blobs *b = pg_blobs_of(s);
  pthread_mutex_lock(&b->lock);
  pg_copy_of *copy = find(b, name);
  int fd = copy ? open_again(copy->fd) : -1;
  if (copy) copy->used = ++b->uses;
  pthread_mutex_unlock(&b->lock);
  return fd;
}

void pg_copy_drop(store *s, const store_result_name *name) {
  pg_blobs *b = pg_blobs_of(s);
  pthread_mutex_lock(&b->lock);
  pg_copy_of *copy = find(b, name);
  if (copy) close_copy(b, copy);
  pthread_mutex_unlock(&b->lock);
}
