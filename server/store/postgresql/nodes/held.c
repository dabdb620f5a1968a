// Attempts that this process knows to be its own, compared with what the rows say, both ways.
//
// A claim whose answer was lost with the connection may have been committed: its row says that this node runs the job,
// and nobody here does. Some seconds after such a loss what the rows say is compared with what is held here, and the
// rest waits again. And what is held here, but is another node's by the rows (its lease had run out while this process
// stood still), is given up.
#include "base/clock.h"
#include "store/postgresql/jobs/jobs.h"
#include "store/postgresql/nodes/nodes.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SETTLED_S = 12; // after a lost claim: none that was under way then is under way any more

typedef struct held_attempt {
  char id[ID_SIZE];
  int attempt;
  double since_s;
} held_attempt;

struct pg_held {
  pthread_mutex_t lock;
  held_attempt *list;
  size_t count, capacity;
  double lost_s; // when a claim's answer was lost last; 0: none
};

pg_held *pg_held_make(void) {
  pg_held *h = calloc(1, sizeof *h);
  if (h) pthread_mutex_init(&h->lock, NULL);
  return h;
}

void pg_held_free(pg_held *h) {
  if (!h) return;
  pthread_mutex_destroy(&h->lock);
  free(h->list);
  free(h);
}

static bool has_room(pg_held *h) {
  if (h->count < h->capacity) return true;
  size_t capacity = h->capacity ? 2 * h->capacity : 64;
  void *more = realloc(h->list, capacity * sizeof *h->list);
  if (more) h->list = more, h->capacity = capacity;
  return more != NULL;
}

bool pg_held_add(store *s, const char *id, int attempt) {
  pg_held *h = postgresql_of(s)->held;
  pthread_mutex_lock(&h->lock);
  bool room = has_room(h);
  if (room) {
    held_attempt *a = &h->list[h->count++];
    *a = (held_attempt){.attempt = attempt, .since_s = clock_monotonic_s()};
    memcpy(a->id, id, ID_SIZE);
  }
  pthread_mutex_unlock(&h->lock);
  return room;
}

void pg_held_remove(store *s, const char *id, int attempt) {
  pg_held *h = postgresql_of(s)->held;
  pthread_mutex_lock(&h->lock);
  for (size_t i = 0; i < h->count; i++)
    if (h->list[i].attempt == attempt && strcmp(h->list[i].id, id) == 0) {
      h->list[i] = h->list[--h->count];
      break;
    }
  pthread_mutex_unlock(&h->lock);
}

bool pg_held_has(store *s, const char *id) {
  pg_held *h = postgresql_of(s)->held;
  bool found = false;
  pthread_mutex_lock(&h->lock);
  for (size_t i = 0; i < h->count && !found; i++) found = strcmp(h->list[i].id, id) == 0;
  pthread_mutex_unlock(&h->lock);
  return found;
}

void pg_held_doubt(store *s) {
  pg_held *h = postgresql_of(s)->held;
  pthread_mutex_lock(&h->lock);
  h->lost_s = clock_monotonic_s();
  pthread_mutex_unlock(&h->lock);
}

char *pg_held_list(store *s) {
  pg_held *h = postgresql_of(s)->held;
  json_t *list = NULL;
  pthread_mutex_lock(&h->lock);
  if (h->lost_s > 0 && clock_monotonic_s() > h->lost_s + SETTLED_S) {
    list = json_array();
    for (size_t i = 0; i < h->count; i++) json_array_append_new(list, json_string(h->list[i].id));
    h->lost_s = 0;
  }
  pthread_mutex_unlock(&h->lock);
  char *text = list ? store_json_text(list) : NULL;
  json_decref(list);
  return text;
}

static bool is_in(const char *rows, const held_attempt *a) {
  char wanted[ID_SIZE + 16];
  int size = snprintf(wanted, sizeof wanted, "%s %d ", a->id, a->attempt);
  for (const char *at = rows; at && (at = strstr(at, wanted)); at += size)
    if (at == rows || at[-1] == ' ') return true;
  return false;
}

int pg_held_lost(store *s, double asked_s, const char *rows, pg_lost lost[PG_LOST_MAX]) {
  pg_held *h = postgresql_of(s)->held;
  int count = 0;
  pthread_mutex_lock(&h->lock);
  for (size_t i = 0; i < h->count && count < PG_LOST_MAX;) {
    held_attempt *a = &h->list[i];
    if (a->since_s >= asked_s || is_in(rows, a)) {
      i++;
      continue;
    }
    lost[count].attempt = a->attempt;
    memcpy(lost[count++].id, a->id, ID_SIZE);
    *a = h->list[--h->count];
  }
  pthread_mutex_unlock(&h->lock);
  return count;
}
