// The turns of queues, as this node gives them: it remembers how much of its workers' time each has had.
//
// A queue's turn rises by the time of workers that its jobs used here and by one for each that is taken; of two queues
// of which as many jobs run, anywhere, the one that used less is next. What it did not use while it had no jobs it has
// no claim to, but for ten seconds. Nodes that each share out their own time fairly share out all of it, so none writes
// what it gave.
#include "store/postgresql/jobs/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t CREDIT_MS = 10000;
enum { TURNS_MAX = 4096 };

typedef struct turn {
  char name[STORE_NAME_SIZE];
  int64_t ms;
  int ending; // jobs whose worker is done, though their rows say that they run
} turn;

struct pg_turns {
  pthread_mutex_t lock;
  turn *of;
  int count, capacity;
};

pg_turns *pg_turns_make(void) {
  pg_turns *t = calloc(1, sizeof *t);
  if (t) pthread_mutex_init(&t->lock, NULL);
  return t;
}

void pg_turns_free(pg_turns *t) {
  if (!t) return;
  pthread_mutex_destroy(&t->lock);
  free(t->of);
  free(t);
}

// NULL: one that is not known here (yet), or more than are remembered.
static turn *find(pg_turns *t, const char *name, bool make) {
  for (int i = 0; i < t->count; i++)
    if (strcmp(t->of[i].name, name) == 0) return &t->of[i];
  if (!make || t->count == TURNS_MAX) return NULL;
  if (t->count == t->capacity) {
    int capacity = t->capacity ? 2 * t->capacity : 16;
    turn *more = realloc(t->of, (size_t)capacity * sizeof *more);
    if (!more) return NULL;
    t->of = more;
    t->capacity = capacity;
  }
  turn *new = &t->of[t->count++];
  *new = (turn){.ms = 0};
  snprintf(new->name, sizeof new->name, "%s", name);
  return new;
}

void postgresql_queue_used(store *s, const char *queue, double used_s) {
  pg_turns *t = postgresql_of(s)->turns;
  pthread_mutex_lock(&t->lock);
  turn *of = find(t, queue, true);
  if (of) of->ms += (int64_t)(1e3 * used_s);
  pthread_mutex_unlock(&t->lock);
}

void postgresql_queue_ends(store *s, const char *queue, bool begins) {
  pg_turns *t = postgresql_of(s)->turns;
  pthread_mutex_lock(&t->lock);
  turn *of = find(t, queue, begins);
  if (of) of->ending += begins ? 1 : of->ending > 0 ? -1 : 0;
  pthread_mutex_unlock(&t->lock);
}

void pg_turn_taken(store *s, const char *queue, const pg_queue *queues, int count) {
  pg_turns *t = postgresql_of(s)->turns;
  int64_t least = INT64_MAX;
  pthread_mutex_lock(&t->lock);
  turn *of = find(t, queue, true);
  for (int i = 0; i < count; i++) {
    const turn *other = strcmp(queues[i].name, queue) == 0 ? NULL : find(t, queues[i].name, true);
    if (other && other->ms < least) least = other->ms;
  }
  of = of ? find(t, queue, false) : NULL; // others may have been made, and the list moved
  if (of && least != INT64_MAX && of->ms < least - CREDIT_MS) of->ms = least - CREDIT_MS;
  if (of) of->ms++;
  pthread_mutex_unlock(&t->lock);
}

static int by_turn(const void *left, const void *right) {
  const pg_queue *a = left, *b = right;
  bool express_a = strcmp(a->name, STORE_EXPRESS) == 0, express_b = strcmp(b->name, STORE_EXPRESS) == 0;
  if (express_a != express_b) return express_a ? -1 : 1;
  if (a->running != b->running) return a->running < b->running ? -1 : 1;
  if (a->turn != b->turn) return a->turn < b->turn ? -1 : 1;
  return strcmp(a->name, b->name);
}

void pg_turns_of(store *s, pg_queue *queues, int count) {
  pg_turns *t = postgresql_of(s)->turns;
  pthread_mutex_lock(&t->lock);
  for (int i = 0; i < count; i++) {
    const turn *of = find(t, queues[i].name, false);
    queues[i].turn = of ? of->ms : 0;
    queues[i].running -= of && of->ending < queues[i].running ? of->ending : of ? queues[i].running : 0;
  }
  pthread_mutex_unlock(&t->lock);
}

void pg_turns_order(pg_queue *queues, int count) {
  if (count > 1) qsort(queues, (size_t)count, sizeof *queues, by_turn);
}

pg_queue *pg_turns_first(pg_queue *queues, int count) {
  pg_queue *first = NULL;
  for (int i = 0; i < count; i++)
    if (!queues[i].dry && (!first || by_turn(&queues[i], first) < 0)) first = &queues[i];
  return first;
}
