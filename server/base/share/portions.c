// A list of the callers who hold something; whoever gave the last byte back leaves it.
#include "base/share/portions.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct holder {
  uint64_t caller, bytes;
} holder;

struct portions {
  pthread_mutex_t lock;
  uint64_t each;
  holder *holders;
  int count, room;
};

portions *portions_create(uint64_t each) {
  portions *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->each = each;
  pthread_mutex_init(&p->lock, NULL);
  return p;
}

void portions_destroy(portions *p) {
  if (!p) return;
  pthread_mutex_destroy(&p->lock);
  free(p->holders);
  free(p);
}

static holder *find(const portions *p, uint64_t caller) {
  for (int i = 0; i < p->count; i++)
    if (p->holders[i].caller == caller) return &p->holders[i];
  return NULL;
}

static holder *add(portions *p, uint64_t caller) {
  if (p->count == p->room) {
    int room = 2 * p->room + 16;
    holder *more = realloc(p->holders, (size_t)room * sizeof *more);
    if (!more) return NULL;
    p->holders = more;
    p->room = room;
  }
  p->holders[p->count] = (holder){.caller = caller};
  return &p->holders[p->count++];
}

bool portions_take(portions *p, uint64_t caller, uint64_t held, uint64_t bytes) {
  if (caller == 0) return true;
  pthread_mutex_lock(&p->lock);
  holder *h = find(p, caller);
  bool fits = !h || h->bytes == held || h->bytes + bytes <= p->each;
  if (fits && !h) h = add(p, caller);
  if (fits && h) h->bytes += bytes;
  pthread_mutex_unlock(&p->lock);
  return fits && h;
}

void portions_give(portions *p, uint64_t caller, uint64_t bytes) {
  if (caller == 0 || bytes == 0) return;
  pthread_mutex_lock(&p->lock);
  holder *h = find(p, caller);
  assert(h && h->bytes >= bytes);
  h->bytes -= bytes;
  if (h->bytes == 0) *h = p->holders[--p->count];
  pthread_mutex_unlock(&p->lock);
}

uint64_t portions_each(const portions *p) { return p->each; }
