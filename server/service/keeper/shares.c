#include "service/keeper/shares.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  owner_share share;
  bool left_alone;
} entry;

struct shares {
  int64_t quota, each;
  bool together;
  pthread_mutex_t lock; // of all below
  entry *entries;
  size_t count, room;
  int64_t owners; // that have something, or tokens to make it with
  bool short_of_memory;
};

shares *shares_create(int64_t quota, int64_t each, bool together) {
  shares *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->quota = quota;
  s->together = together;
  s->each = each > 0 && each < quota ? each : quota;
  pthread_mutex_init(&s->lock, NULL);
  return s;
}

void shares_destroy(shares *s) {
  if (!s) return;
  pthread_mutex_destroy(&s->lock);
  free(s->entries);
  free(s);
}

static void add(void *context, const char *owner, int64_t bytes) {
  shares *s = context;
  if (s->together && s->count > 0) {
    s->entries->share.bytes += bytes;
    return;
  }
  if (s->count == s->room) {
    size_t room = s->room ? 2 * s->room : 16;
    entry *more = realloc(s->entries, room * sizeof *more);
    s->short_of_memory = s->short_of_memory || !more;
    if (!more) return;
    s->entries = more;
    s->room = room;
  }
  entry *e = &s->entries[s->count++];
  *e = (entry){.share = {.bytes = bytes, .everybody = s->together}};
  if (!s->together) snprintf(e->share.owner, sizeof e->share.owner, "%s", owner);
}

bool shares_read(shares *s, store *from) {
  shares fresh = {.together = s->together};
  bool done = store_owner_bytes(from, add, &fresh) == STORE_OK && !fresh.short_of_memory;
  fresh.owners = (int64_t)fresh.count;
  if (!done) {
    free(fresh.entries);
    return false;
  }
  pthread_mutex_lock(&s->lock);
  entry *before = s->entries;
  s->entries = fresh.entries;
  s->count = fresh.count;
  s->room = fresh.room;
  s->owners = fresh.owners;
  pthread_mutex_unlock(&s->lock);
  free(before);
  return true;
}

int64_t shares_owners(shares *s) {
  pthread_mutex_lock(&s->lock);
  int64_t owners = s->together ? 1 : s->owners;
  pthread_mutex_unlock(&s->lock);
  return owners;
}

// What one may have while so much is held by all.
static int64_t most_of(const shares *s, int64_t all) {
  if (s->owners <= 1) return s->quota;
  int64_t equal = s->quota / s->owners;
  return all >= s->quota || s->each < equal ? equal : s->each;
}

static entry *find(const shares *s, const char *owner) {
  for (size_t i = 0; i < s->count; i++)
    if (strcmp(s->entries[i].share.owner, owner) == 0) return &s->entries[i];
  return NULL;
}

bool shares_greatest(shares *s, int64_t all, owner_share *found) {
  const entry *greatest = NULL;
  pthread_mutex_lock(&s->lock);
  int64_t most = most_of(s, all);
  for (size_t i = 0; i < s->count; i++) {
    const entry *e = &s->entries[i];
    if (e->left_alone || e->share.bytes < most) continue;
    if (!greatest || e->share.bytes > greatest->share.bytes) greatest = e;
  }
  if (greatest) *found = greatest->share;
  pthread_mutex_unlock(&s->lock);
  return greatest != NULL;
}

void shares_leave_alone(shares *s, const char *owner) {
  pthread_mutex_lock(&s->lock);
  entry *e = find(s, owner);
  if (e) e->left_alone = true;
  pthread_mutex_unlock(&s->lock);
}

void shares_drop(shares *s, const char *owner, int64_t bytes) {
  pthread_mutex_lock(&s->lock);
  entry *e = find(s, owner);
  if (e) e->share.bytes -= bytes;
  pthread_mutex_unlock(&s->lock);
}

bool shares_is_full(shares *s, const char *owner, int64_t all, int64_t besides, int64_t *bytes, bool *several) {
  pthread_mutex_lock(&s->lock);
  const entry *e = find(s, owner);
  *bytes = s->owners <= 1 ? all : besides + (e ? e->share.bytes : 0);
  *several = s->owners > 1;
  bool full = *bytes >= most_of(s, all);
  pthread_mutex_unlock(&s->lock);
  return full;
}
