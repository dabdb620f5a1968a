// How much parts take: what the database says, asked once in a second at most, and rows that wait here for a checkpoint.
#include "base/clock.h"
#include "store/postgresql/blobs/blobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LOOK_S = 1;

// Under the lock; NULL: not enough memory.
static pg_part_holder *find(pg_blobs *b, const char *owner) {
  for (size_t i = 0; i < b->count; i++)
    if (strcmp(b->holders[i].owner, owner) == 0) return &b->holders[i];
  if (b->count == b->room) {
    size_t room = 2 * b->room + 16;
    pg_part_holder *more = realloc(b->holders, room * sizeof *more);
    if (!more) return NULL;
    b->holders = more;
    b->room = room;
  }
  pg_part_holder *h = &b->holders[b->count++];
  *h = (pg_part_holder){.here = 0};
  snprintf(h->owner, sizeof h->owner, "%s", owner);
  return h;
}

void pg_part_count(store *s, const char *owner, int64_t here, int64_t stored) {
  pg_blobs *b = pg_blobs_of(s);
  pthread_mutex_lock(&b->lock);
  pg_part_holder *h = find(b, owner);
  if (h) h->here += here, h->stored += stored;
  if (here == 0 && stored == 0) b->looked_s = 0; // nobody knows how much: it is asked for
  pthread_mutex_unlock(&b->lock);
}

static bool is_stale(pg_blobs *b) {
  double now_s = clock_monotonic_s();
  pthread_mutex_lock(&b->lock);
  bool stale = b->looked_s == 0 || now_s - b->looked_s > LOOK_S;
  if (stale) b->looked_s = now_s;
  pthread_mutex_unlock(&b->lock);
  return stale;
}

static void look(store *s) {
  pg_blobs *b = pg_blobs_of(s);
  pg_rows rows;
  if (!is_stale(b)) return;
  pg_connection *c = pg_read(s);
  store_status status =
      c ? pg_run(c, &rows, "SELECT owner, sum(bytes)::bigint FROM parts GROUP BY owner", "") : STORE_AWAY;
  pthread_mutex_lock(&b->lock);
  for (size_t i = 0; status == STORE_OK && i < b->count; i++) b->holders[i].stored = 0;
  while (status == STORE_OK && pg_next(&rows)) {
    pg_part_holder *h = find(b, pg_text(&rows, 0));
    if (h) h->stored = pg_integer(&rows, 1);
  }
  pthread_mutex_unlock(&b->lock);
  pg_read_end(s, c);
}

// Of an owner; NULL: of all.
static int64_t sum(store *s, const char *owner) {
  pg_blobs *b = pg_blobs_of(s);
  int64_t bytes = 0;
  look(s);
  pthread_mutex_lock(&b->lock);
  for (size_t i = 0; i < b->count; i++)
    if (!owner || strcmp(b->holders[i].owner, owner) == 0) bytes += b->holders[i].stored + b->holders[i].here;
  pthread_mutex_unlock(&b->lock);
  return bytes;
}

int64_t database_part_bytes(store *s) { return sum(s, NULL); }
int64_t database_part_bytes_of(store *s, const char *owner) { return sum(s, owner); }

void database_part_limit(store *s, const store_part_limits *limits) {
  pthread_mutex_lock(&pg_blobs_of(s)->lock);
  pg_blobs_of(s)->limits = *limits;
  pthread_mutex_unlock(&pg_blobs_of(s)->lock);
}

store_part_limits database_part_limits_now(store *s) {
  pthread_mutex_lock(&pg_blobs_of(s)->lock);
  store_part_limits limits = pg_blobs_of(s)->limits;
  pthread_mutex_unlock(&pg_blobs_of(s)->lock);
  return limits;
}

store_old_part *database_part_ended(store *s, size_t *count) {
  static const char sql[] = "SELECT p.job, p.owner FROM parts AS p JOIN jobs AS j ON j.id = p.job WHERE j.state IN "
                            "('failed', 'cancelled') ORDER BY p.touched_ms LIMIT 10000";
  store_old_part *list = NULL;
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "") : STORE_AWAY;
  *count = 0;
  if (status == STORE_OK) list = calloc((size_t)PQntuples(rows.result) + 1, sizeof *list);
  while (status == STORE_OK && pg_next(&rows)) {
    if (!list) continue;
    pg_copy(&rows, 0, list[*count].id, ID_SIZE);
    pg_copy(&rows, 1, list[*count].owner, STORE_NAME_SIZE);
    list[(*count)++].ended = true;
  }
  pg_read_end(s, c);
  return list;
}
