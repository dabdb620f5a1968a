// Attempts that this process knows to be its own.
//
// A claim whose answer was lost with the connection may have been committed: its row says that this node runs the job,
// and nobody here does. Some seconds after such a loss what the rows say is compared with what is held here, and the
// rest waits again.
#include "base/clock.h"
#include "store/postgresql/jobs/jobs.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const double SETTLED_S = 12; // after a lost claim: none that was under way then is under way any more

struct pg_held {
  pthread_mutex_t lock;
  char (*id)[ID_SIZE];
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
  free(h->id);
  free(h);
}

static bool has_room(pg_held *h) {
  if (h->count < h->capacity) return true;
  size_t capacity = h->capacity ? 2 * h->capacity : 64;
  void *more = realloc(h->id, capacity * sizeof *h->id);
  if (more) h->id = more, h->capacity = capacity;
  return more != NULL;
}

bool pg_held_add(store *s, const char *id) {
  pg_held *h = postgresql_of(s)->held;
  pthread_mutex_lock(&h->lock);
  bool room = has_room(h);
  if (room) memcpy(h->id[h->count++], id, ID_SIZE);
  pthread_mutex_unlock(&h->lock);
  return room;
}

void pg_held_remove(store *s, const char *id) {
  pg_held *h = postgresql_of(s)->held;
  pthread_mutex_lock(&h->lock);
  for (size_t i = 0; i < h->count; i++)
    if (strcmp(h->id[i], id) == 0) {
      memcpy(h->id[i], h->id[--h->count], ID_SIZE);
      break;
    }
  pthread_mutex_unlock(&h->lock);
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
    for (size_t i = 0; i < h->count; i++) json_array_append_new(list, json_string(h->id[i]));
    h->lost_s = 0;
  }
  pthread_mutex_unlock(&h->lock);
  char *text = list ? store_json_text(list) : NULL;
  json_decref(list);
  return text;
}
