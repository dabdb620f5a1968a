// The kinds of blobs beside rows in PostgreSQL: all in the database, and results in a folder that all nodes share with
// what survives attempts in the database, where it is fenced. And what dead nodes left of them.
#include "store/kinds.h"
#include "store/postgresql/blobs/blobs.h"

#include <stdlib.h>
#include <unistd.h>

pg_blobs *pg_blobs_make(void) {
  pg_blobs *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  pthread_mutex_init(&b->lock, NULL);
  for (int i = 0; i < PG_COPIES; i++) b->copies[i].fd = -1;
  return b;
}

void pg_blobs_free(pg_blobs *b) {
  if (!b) return;
  for (int i = 0; i < PG_COPIES; i++)
    if (b->copies[i].fd >= 0) close(b->copies[i].fd), free(b->copies[i].chunks);
  pthread_mutex_destroy(&b->lock);
  free(b->holders);
  free(b);
}

// ---------------------------------------------------------------------------------------------------------- leftovers

enum { LOOKED_AT = 5000 };

// Of a window of blobs, those that no row wants. Whoever has just begun to write is left alone; so is an attempt that
// runs.
static store_status read_unwanted(store *s, int64_t after, int64_t upto, int64_t *blobs, int *count) {
  static const char sql[] =
      "SELECT r.blob FROM results AS r WHERE r.blob > $1 AND r.blob <= $2 AND r.touched_ms < now_ms() - $3::bigint AND "
      "(NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.id = r.job AND j.attempt = r.attempt AND (j.state = 'running' OR "
      "(j.state = 'succeeded' AND j.result_node = r.node AND r.size IS NOT NULL))) OR EXISTS (SELECT 1 FROM results AS "
      "n "
      "WHERE n.job = r.job AND n.attempt = r.attempt AND n.node = r.node AND n.size IS NOT NULL AND n.blob > r.blob)) "
      "AND NOT EXISTS (SELECT 1 FROM parts AS p WHERE p.blob = r.blob)";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status = c ? pg_run(c, &rows, sql, "iii", after, upto, PG_GRACE_MS) : STORE_AWAY;
  for (*count = 0; status == STORE_OK && pg_next(&rows);) blobs[(*count)++] = pg_integer(&rows, 0);
  pg_read_end(s, c);
  return status;
}

static store_status end_of_window(store *s, int64_t after, int64_t *upto) {
  static const char sql[] =
      "SELECT coalesce(max(blob), 0) FROM (SELECT blob FROM results WHERE blob > $1 ORDER BY blob "
      "LIMIT $2) AS x";
  pg_rows rows;
  pg_connection *c = pg_read(s);
  store_status status =
      c ? pg_integer_of(&rows, pg_run(c, &rows, sql, "ii", after, (int64_t)LOOKED_AT), upto) : STORE_AWAY;
  pg_read_end(s, c);
  return status;
}

static void sweep_results(store *s) {
  int64_t *blobs = malloc(LOOKED_AT * sizeof *blobs), after = 0, upto = 0;
  store_status status = blobs ? end_of_window(s, after, &upto) : STORE_FULL;
  while (status == STORE_OK && upto > 0) {
    int count = 0;
    status = read_unwanted(s, after, upto, blobs, &count);
    for (int i = 0; i < count && status == STORE_OK; i++) status = pg_blob_remove(s, blobs[i]);
    if (count > 0) log_write(LOG_LEVEL_INFO, "blobs_swept", LOG_I("count", count));
    after = upto;
    if (status == STORE_OK) status = end_of_window(s, after, &upto);
  }
  free(blobs);
}

// Parts of jobs that succeeded or are gone come to be nobody's, and go with the rest.
static store_status give_up_parts(pg_connection *c, void *context) {
  static const char sql[] =
      "WITH gone AS (DELETE FROM parts AS p WHERE p.touched_ms < now_ms() - $1::bigint AND NOT EXISTS (SELECT 1 FROM "
      "jobs AS j WHERE j.id = p.job AND j.state <> 'succeeded') RETURNING p.blob, p.job) INSERT INTO results (blob, "
      "job, "
      "attempt, node, touched_ms) SELECT blob, job, 0, '', 0 FROM gone";
  return pg_run(c, NULL, sql, "i", *(const int64_t *)context);
}

void database_blobs_sweep(store *s) {
  if (pg_change(s, give_up_parts, (void *)&PG_GRACE_MS, NULL) == STORE_OK) sweep_results(s);
}

// What a dead node left waits for the others' leader.
void database_part_sweep(store *s) { (void)s; }

// -------------------------------------------------------------------------------------------------------------- kinds

static bool open_blobs(store *s, char message[STORE_MESSAGE_SIZE]) {
  (void)message;
  s->blobs_state = s; // it is with the rows
  return true;
}

static bool check(store *s, char message[STORE_MESSAGE_SIZE]) {
  bool fresh;
  return pg_place_check(s, &fresh, message);
}

static void close_blobs(store *s) { s->blobs_state = NULL; }

#define DATABASE_ENTRY(name) .name = database_##name,
const blobs_kind database_blobs = {
    .open = open_blobs, .check = check, .close = close_blobs, STORE_BLOBS(DATABASE_ENTRY)};
