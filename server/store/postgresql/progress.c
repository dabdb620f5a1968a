// Progress that nobody waits for: gathered for a twentieth of a second, then written in one change for all jobs.
//
// A row of it counts when the attempt that told it owns the job then. What was told of a job is written before its state
// changes (pg_progress_flush). Of progress and samples only what is among the newest STORE_PROGRESS_KEPT events of a job
// remains.
#include "base/clock.h"
#include "base/thread.h"
#include "store/postgresql/postgresql.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAITING_MAX = 10000, AT_ONCE = 256 };
static const double DELAY_S = 0.05;

typedef struct news {
  char id[ID_SIZE];
  int64_t attempt, rows;
  bool samples;
  store_progress at;
  struct news *next;
} news;

struct pg_progress {
  store *s;
  pthread_t thread;
  pthread_mutex_t lock; // of all below
  pthread_cond_t filled, written;
  news *first, **last;
  int waiting;
  const news *writing; // taken from the list, not in the database yet
  bool hurry, stopping;
};

// ------------------------------------------------------------------------------------------------------------ writing

// Of a sweep, whose t and t_end are numbers of jobs: it never falls behind what was told. That of another job may: a new
// attempt begins where its checkpoint is.
#define TOLD(member)                                                                                                   \
  "coalesce((SELECT (e.data::json ->> '" member "')::double precision FROM events AS e WHERE e.job = j.seq AND "       \
  "e.type = 'progress' ORDER BY e.seq DESC LIMIT 1), 0)"
#define SWEEP_PROGRESS(fraction, t, t_end)                                                                             \
  "'{\"fraction\":' || greatest(" fraction                                                                             \
  ", " TOLD("fraction") ") || ',\"t\":' || greatest(" t ", " TOLD("t") ")::bigint || ',\"t_end\":' || (" t_end         \
                                                                       ")::bigint || '}'"
#define NUMBER(column) "coalesce(" column "::text, 'null')"
#define PROGRESS                                                                                                       \
  "'{\"fraction\":' || " NUMBER("x.fraction") " || ',\"t\":' || " NUMBER("x.t") " || ',\"t_end\":' || " NUMBER(        \
      "x.t_end") " || CASE WHEN x.checking THEN ',\"phase\":\"checking\"' ELSE '' END || '}'"
#define NEXT "coalesce((SELECT max(o.seq) FROM events AS o WHERE o.job = j.seq), 0)"

typedef struct batch {
  char *list; // JSON
  char (*id)[ID_SIZE];
  int count; // of jobs that something was added to
} batch;

static store_status prune(pg_connection *c, const char *places) {
  static const char sql[] =
      "DELETE FROM events AS e USING (SELECT o.job, max(o.seq) AS newest FROM events AS o WHERE o.job = ANY "
      "($1::bigint[]) GROUP BY o.job) AS m WHERE e.job = m.job AND e.type IN ('progress', 'samples') AND e.seq <= "
      "m.newest - $2::bigint";
  return pg_run(c, NULL, sql, "ti", places, (int64_t)STORE_PROGRESS_KEPT);
}

// Rows of the list whose attempt owns the job, and the places of those jobs as an array in the database's notation.
static store_status add(pg_connection *c, batch *b, char *places, size_t size) {
  static const char sql[] =
      "WITH x AS MATERIALIZED (SELECT j.seq, j.id, " NEXT " + row_number() OVER (PARTITION BY j.seq ORDER BY x.o) AS "
      "number, j.attempt, CASE WHEN x.rows IS NULL THEN 'progress' ELSE 'samples' END AS type, CASE WHEN x.rows IS NOT "
      "NULL THEN '{\"rows\":' || x.rows || '}' WHEN j.kind = 'sweep' THEN " SWEEP_PROGRESS(
          "x.fraction", "x.t",
          "x.t_end") " ELSE " PROGRESS " END AS data FROM json_to_recordset($1::json) AS x (o bigint, id text, attempt "
                     "integer, rows bigint, fraction "
                     "double precision, t double precision, t_end double precision, checking boolean) JOIN jobs AS j "
                     "ON j.id = x.id AND "
                     "j.attempt = x.attempt AND j.state = 'running'), added AS (INSERT INTO events (job, seq, time_ms, "
                     "attempt, type, "
                     "data) SELECT seq, number, now_ms(), attempt, type, data FROM x) SELECT DISTINCT seq, id FROM x";
  pg_rows rows;
  store_status status = pg_run(c, &rows, sql, "t", b->list);
  if (status != STORE_OK) return status;
  size_t used = (size_t)snprintf(places, size, "{");
  for (b->count = 0; pg_next(&rows) && b->count < AT_ONCE; b->count++) {
    pg_copy(&rows, 1, b->id[b->count], ID_SIZE);
    used += (size_t)snprintf(places + used, size - used, "%s%s", b->count ? "," : "", pg_text(&rows, 0));
  }
  pg_end(&rows);
  snprintf(places + used, size - used, "}");
  return STORE_OK;
}

static store_status write_batch(pg_connection *c, void *context) {
  static const char lock[] =
      "SELECT 1 FROM jobs WHERE id IN (SELECT x.id FROM json_to_recordset($1::json) AS x (id "
      "text)) ORDER BY kind = 'sweep', id FOR NO KEY UPDATE"; // sweeps after jobs, as pg_sweep_follow does
  batch *b = context;
  char places[24 * AT_ONCE];
  store_status status = pg_run(c, NULL, lock, "t", b->list);
  if (status == STORE_OK) status = add(c, b, places, sizeof places);
  return status == STORE_OK && b->count > 0 ? prune(c, places) : status;
}

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *describe(const news *n, int64_t order) {
  json_t *x = json_pack("{s:I, s:s, s:I}", "o", (json_int_t)order, "id", n->id, "attempt", (json_int_t)n->attempt);
  if (n->samples) return json_object_set_new(x, "rows", json_integer(n->rows)), x;
  json_object_set_new(x, "fraction", number(n->at.fraction));
  json_object_set_new(x, "t", number(n->at.t));
  json_object_set_new(x, "t_end", number(n->at.t_end));
  json_object_set_new(x, "checking", json_boolean(n->at.checking));
  return x;
}

static void write_all(store *s, const news *first) {
  char id[AT_ONCE][ID_SIZE];
  json_t *list = json_array();
  int64_t order = 0;
  for (const news *n = first; n; n = n->next) json_array_append_new(list, describe(n, order++));
  batch b = {.list = store_json_text(list), .id = id};
  json_decref(list);
  store_status status = b.list ? pg_change(s, write_batch, &b, NULL) : STORE_FAILED;
  for (int i = 0; status == STORE_OK && i < b.count; i++) pg_tell(s, b.id[i]);
  free(b.list);
}

store_status pg_sweep_progress(pg_connection *c, const char *sweep, const store_progress *at) {
  static const char sql[] =
      "INSERT INTO events (job, seq, time_ms, attempt, type, data) SELECT j.seq, " NEXT " + 1, now_ms(), j.attempt, "
      "'progress', " SWEEP_PROGRESS(
          "$2::double precision", "$3::double precision",
          "$4::double precision") " FROM jobs AS j WHERE j.id = $1 AND j.state = 'running' RETURNING '{' || job || '}'";
  pg_rows rows;
  char place[32] = "";
  store_status status = pg_run(c, &rows, sql, "tddd", sweep, at->fraction, at->t, at->t_end);
  if (status == STORE_OK && pg_next(&rows)) pg_copy(&rows, 0, place, sizeof place), pg_end(&rows);
  return status == STORE_OK && *place ? prune(c, place) : status;
}

// ------------------------------------------------------------------------------------------------------------ waiting

static bool waits_for(const news *first, const char *id) {
  while (first && strcmp(first->id, id) != 0) first = first->next;
  return first != NULL;
}

// Of what waits at most AT_ONCE, as a list of their own.
static news *take(pg_progress *p) {
  news *first = p->first, **end = &first;
  for (int i = 0; i < AT_ONCE && *end; i++) end = &(*end)->next, p->waiting--;
  p->first = *end;
  *end = NULL;
  if (!p->first) p->last = &p->first;
  return first;
}

static void write_next(pg_progress *p) {
  news *first = take(p);
  p->writing = first;
  pthread_mutex_unlock(&p->lock);
  write_all(p->s, first);
  pthread_mutex_lock(&p->lock);
  p->writing = NULL;
  for (news *next; first; first = next) next = first->next, free(first);
  if (!p->first) p->hurry = false;
  pthread_cond_broadcast(&p->written);
}

static void *run(void *context) {
  pg_progress *p = context;
  thread_answers();
  pthread_mutex_lock(&p->lock);
  while (!p->stopping || p->first) {
    while (!p->first && !p->stopping) pthread_cond_wait(&p->filled, &p->lock);
    struct timespec when = clock_monotonic_after(DELAY_S);
    int late = 0;
    while (!p->hurry && !p->stopping && !late) late = pthread_cond_timedwait(&p->filled, &p->lock, &when);
    if (p->first) write_next(p);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

void pg_progress_flush(store *s, const char *id) {
  pg_progress *p = postgresql_of(s)->progress;
  pthread_mutex_lock(&p->lock);
  while (waits_for(p->first, id) || waits_for(p->writing, id)) {
    p->hurry = true;
    pthread_cond_broadcast(&p->filled);
    pthread_cond_wait(&p->written, &p->lock);
  }
  pthread_mutex_unlock(&p->lock);
}

static store_status leave(store *s, const char *id, const news *from) {
  pg_progress *p = postgresql_of(s)->progress;
  news *n = malloc(sizeof *n);
  if (!n) return STORE_FULL;
  *n = *from;
  snprintf(n->id, sizeof n->id, "%s", id);
  pthread_mutex_lock(&p->lock);
  bool room = p->waiting < WAITING_MAX, first = !p->first;
  if (room) *p->last = n, p->last = &n->next, p->waiting++;
  if (room && first) pthread_cond_broadcast(&p->filled);
  pthread_mutex_unlock(&p->lock);
  if (!room) free(n);
  return room ? STORE_OK : STORE_FULL;
}

store_status postgresql_job_progress(store *s, const char *id, int attempt, const store_progress *now) {
  return leave(s, id, &(news){.attempt = attempt, .at = *now});
}

store_status postgresql_job_samples(store *s, const char *id, int attempt, uint64_t rows) {
  return leave(s, id, &(news){.attempt = attempt, .rows = (int64_t)rows, .samples = true});
}

// -------------------------------------------------------------------------------------------------- start and stop

pg_progress *pg_progress_start(store *s) {
  pg_progress *p = calloc(1, sizeof *p);
  pthread_condattr_t monotonic;
  if (!p) return NULL;
  p->s = s;
  p->last = &p->first;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->filled, &monotonic);
  pthread_cond_init(&p->written, NULL);
  pthread_condattr_destroy(&monotonic);
  if (pthread_create(&p->thread, NULL, run, p) == 0) return p;
  free(p);
  return NULL;
}

void pg_progress_stop(pg_progress *p) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->stopping = true;
  pthread_cond_broadcast(&p->filled);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->filled);
  pthread_cond_destroy(&p->written);
  free(p);
}
