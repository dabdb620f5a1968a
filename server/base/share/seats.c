// A list of the callers who have places; whoever gave the last one back leaves it.
#include "base/share/seats.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct holder {
  uint64_t caller;
  int count;
} holder;

struct seats {
  pthread_mutex_t lock;
  int all, each, taken, holders;
  holder holder[];
};

seats *seats_create(int all, int each) {
  assert(all > 0 && each >= 0);
  seats *s = calloc(1, sizeof *s + (size_t)all * sizeof s->holder[0]);
  if (!s) return NULL;
  s->all = all;
  s->each = each > 0 && each < all ? each : all;
  pthread_mutex_init(&s->lock, NULL);
  return s;
}

void seats_destroy(seats *s) {
  if (!s) return;
  pthread_mutex_destroy(&s->lock);
  free(s);
}

static holder *find(seats *s, uint64_t caller) {
  for (int i = 0; i < s->holders; i++)
    if (s->holder[i].caller == caller) return &s->holder[i];
  return NULL;
}

seats_answer seats_take(seats *s, uint64_t caller) {
  if (!s) return SEATS_TAKEN;
  pthread_mutex_lock(&s->lock);
  holder *h = find(s, caller);
  seats_answer answer = caller != 0 && h && h->count >= s->each ? SEATS_SHARE
                        : s->taken == s->all                    ? SEATS_ALL
                                                                : SEATS_TAKEN;
  if (answer == SEATS_TAKEN) {
    if (!h) h = &s->holder[s->holders++], *h = (holder){.caller = caller};
    h->count++;
    s->taken++;
    assert(s->taken <= s->all && s->holders <= s->taken);
  }
  pthread_mutex_unlock(&s->lock);
  return answer;
}

void seats_give(seats *s, uint64_t caller) {
  if (!s) return;
  pthread_mutex_lock(&s->lock);
  holder *h = find(s, caller);
  assert(h && h->count > 0);
  s->taken--;
  if (--h->count == 0) *h = s->holder[--s->holders];
  assert(s->taken >= s->holders);
  pthread_mutex_unlock(&s->lock);
}

int seats_all(const seats *s) { return s->all; }
int seats_each(const seats *s) { return s->each; }
