// Copies of results that were written or read here: files without names, so that a large result is not fetched for every
// piece that is asked of it. What is small is fetched in a millisecond. One of which only pieces were asked for has
// holes in the place of the other chunks.
#include "store/postgresql/blobs/blobs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t WORTH = 256 << 10, ALL = 2LL << 30;

// The same file with a place to read of its own.
static int open_again(int fd, int mode) {
  char path[48];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return open(path, mode | O_CLOEXEC);
}

static bool is_named(const pg_copy_of *copy, const store_result_name *name) {
  return copy->fd >= 0 && copy->name.attempt == name->attempt && strcmp(copy->name.id, name->id) == 0 &&
         strcmp(copy->name.node, name->node) == 0;
}

// The functions below: under the lock.

static void close_copy(pg_blobs *b, pg_copy_of *copy) {
  if (copy->fd < 0) return;
  close(copy->fd);
  free(copy->chunks);
  copy->fd = -1;
  copy->chunks = NULL;
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

// In the place of one of this name; its number.
static uint64_t keep(pg_blobs *b, const store_result_name *name, int fd, int64_t size, unsigned char *chunks) {
  pg_copy_of *place = find(b, name), *old;
  if (!place) place = oldest(b);
  close_copy(b, place);
  while (b->copied + size > ALL && (old = oldest_held(b))) close_copy(b, old);
  uint64_t number = ++b->uses;
  *place = (pg_copy_of){.name = *name, .fd = fd, .size = size, .used = number, .number = number, .chunks = chunks};
  b->copied += size;
  return number;
}

static bool is_worth(store *s, int64_t size) {
  return size >= WORTH && size <= ALL / 2 && store_tmp_room(s, (uint64_t)size);
}

void pg_copy_keep(store *s, const store_result_name *name, int fd, int64_t size) {
  pg_blobs *b = pg_blobs_of(s);
  int kept = is_worth(s, size) ? open_again(fd, O_RDONLY) : -1;
  if (kept < 0) return;
  pthread_mutex_lock(&b->lock);
  keep(b, name, kept, size, NULL);
  pthread_mutex_unlock(&b->lock);
}

int pg_copy_open(store *s, const store_result_name *name) {
  pg_blobs *b = pg_blobs_of(s);
  pthread_mutex_lock(&b->lock);
  pg_copy_of *copy = find(b, name);
  int fd = copy && !copy->chunks ? open_again(copy->fd, O_RDONLY) : -1;
  if (fd >= 0) copy->used = ++b->uses;
  pthread_mutex_unlock(&b->lock);
  return fd;
}

// -------------------------------------------------------------------------------------------------------- with holes

static int64_t chunk_of(int64_t at) { return at / PG_CHUNK; }

static pg_copy_of *find_number(pg_blobs *b, uint64_t number) {
  for (int i = 0; number != 0 && i < PG_COPIES; i++)
    if (b->copies[i].fd >= 0 && b->copies[i].number == number) return &b->copies[i];
  return NULL;
}

static int make_part(store *s, const store_result_name *name, int64_t size, uint64_t *number) {
  pg_blobs *b = pg_blobs_of(s);
  int fd = store_tmp_file(s);
  if (fd < 0 || ftruncate(fd, size) != 0) {
    if (fd >= 0) close(fd);
    return -1;
  }
  unsigned char *chunks = is_worth(s, size) ? calloc((size_t)chunk_of(size) + 1, 1) : NULL;
  int kept = chunks ? open_again(fd, O_RDWR) : -1;
  if (kept < 0) return free(chunks), fd;
  pthread_mutex_lock(&b->lock);
  *number = keep(b, name, kept, size, chunks);
  pthread_mutex_unlock(&b->lock);
  return fd;
}

int pg_copy_open_part(store *s, const store_result_name *name, int64_t size, uint64_t *number) {
  pg_blobs *b = pg_blobs_of(s);
  pthread_mutex_lock(&b->lock);
  pg_copy_of *copy = find(b, name);
  int fd = copy && copy->chunks ? open_again(copy->fd, O_RDWR) : -1;
  *number = fd >= 0 ? copy->number : 0;
  if (fd >= 0) copy->used = ++b->uses;
  pthread_mutex_unlock(&b->lock);
  return fd >= 0 ? fd : make_part(s, name, size, number);
}

bool pg_copy_lacks(store *s, uint64_t number, unsigned char *here, int64_t *first, int64_t *end) {
  pg_blobs *b = pg_blobs_of(s);
  int64_t from = chunk_of(*first), to, all = chunk_of(*end + PG_CHUNK - 1);
  if (*first >= *end) return false;
  pthread_mutex_lock(&b->lock);
  const pg_copy_of *copy = find_number(b, number);
  for (int64_t i = from; copy && i < all; i++) here[i] |= copy->chunks[i];
  pthread_mutex_unlock(&b->lock);
  while (from < all && here[from]) from++;
  for (to = from; to < all && !here[to];) to++;
  *first = from * PG_CHUNK;
  if (to < all) *end = to * PG_CHUNK;
  return from < all;
}

void pg_copy_has(store *s, uint64_t number, unsigned char *here, int64_t first, int64_t end) {
  pg_blobs *b = pg_blobs_of(s);
  pthread_mutex_lock(&b->lock);
  pg_copy_of *copy = find_number(b, number);
  for (int64_t i = chunk_of(first); i < chunk_of(end + PG_CHUNK - 1); i++) {
    here[i] = 1;
    if (copy) copy->chunks[i] = 1;
  }
  pthread_mutex_unlock(&b->lock);
}

// ---------------------------------------------------------------------------------------------------------- dropping

void pg_copy_drop(store *s, const store_result_name *name) {
  pg_blobs *b = pg_blobs_of(s);
  pthread_mutex_lock(&b->lock);
  pg_copy_of *copy = find(b, name);
  if (copy) close_copy(b, copy);
  pthread_mutex_unlock(&b->lock);
}
