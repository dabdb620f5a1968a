// The PostgreSQL kind of rows: a database that one or more nodes share, its functions, opening and closing.
//
// What a change was answered STORE_OK for is committed, with whatever synchronous_commit the operator has set (by
// default it waits for the disk). PostgreSQL's own checksums (initdb --data-checksums) are what tells damage; rows have
// no digests of their own here.
#include "store/postgresql/postgresql.h"
#include "base/url.h"
#include "store/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_place(const char *place) { return url_of_database(place); }

static bool migrate(store *s, char message[STORE_MESSAGE_SIZE]) {
  pg_connection c = {.pg = pg_open(s->direct, message)};
  bool done = c.pg && pg_migrate(&c, s->as_it_is, message);
  PQfinish(c.pg);
  return done;
}

static bool start_threads(store *s, char message[STORE_MESSAGE_SIZE]) {
  postgresql_store *d = postgresql_of(s);
  d->turns = pg_turns_make();
  d->held = pg_held_make();
  d->claims = pg_gathering_make();
  d->ends = pg_gathering_make();
  d->blobs = pg_blobs_make();
  if (d->turns && d->held && d->claims && d->ends && !(d->node = pg_node_start(s, message))) return false;
  memcpy(s->node, d->node_id, sizeof s->node);
  d->news = pg_news_start(s, s->direct, d->node_id);
  d->progress = pg_progress_start(s);
  return (d->node && d->news && d->progress && d->blobs) ||
         store_say(message, "cannot open the store: not enough memory or threads");
}

static bool open_rows(store *s, bool anyway, char message[STORE_MESSAGE_SIZE]) {
  (void)anyway;
  postgresql_store *d = calloc(1, sizeof *d);
  if (!d) return store_say(message, "cannot open the store: not enough memory");
  s->rows_state = d;
  pg_pool_init(&d->pool, s->place, s->connections, s->plain);
  return migrate(s, message) && start_threads(s, message);
}

static void close_rows(store *s) {
  postgresql_store *d = postgresql_of(s);
  pg_progress_stop(d->progress);
  pg_news_stop(d->news);
  pg_node_stop(d->node);
  pg_news_free(d->news);
  pg_turns_free(d->turns);
  pg_held_free(d->held);
  pg_gathering_free(d->claims);
  pg_gathering_free(d->ends);
  pg_blobs_free(d->blobs);
  pg_pool_fini(&d->pool);
  free(d);
  s->rows_state = NULL;
}

store_status postgresql_ping(store *s) {
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, NULL, "SELECT 1 FROM models LIMIT 1", "") : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}

// The database does that itself.
store_status postgresql_shrink(store *s, bool *more) {
  (void)s;
  *more = false;
  return STORE_OK;
}

// So it does this, where its cluster was made with checksums.
store_status postgresql_quick_check(store *s, bool (*go_on)(void *context), void *context) {
  (void)go_on, (void)context;
  return postgresql_ping(s);
}

store_status postgresql_cursor_key(store *s, unsigned char key[STORE_KEY_SIZE]) {
  static const char sql[] = "SELECT encode(value, 'hex') FROM settings WHERE name = 'cursor_key'";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "") : STORE_AWAY;
  bool whole = status == STORE_OK && pg_next(&rows) && strlen(pg_text(&rows, 0)) == 2 * STORE_KEY_SIZE;
  for (int i = 0; whole && i < STORE_KEY_SIZE; i++) {
    unsigned byte = 0;
    whole = sscanf(pg_text(&rows, 0) + 2 * i, "%2x", &byte) == 1;
    key[i] = (unsigned char)byte;
  }
  if (status == STORE_OK) pg_end(&rows);
  pg_read_end(s, c);
  return whole ? STORE_OK : status == STORE_OK ? STORE_NOT_FOUND : status;
}

#define MEMBER(name) .name = postgresql_##name,
const rows_kind postgresql_rows = {.is_place = is_place, .open = open_rows, .close = close_rows, STORE_ROWS(MEMBER)};
