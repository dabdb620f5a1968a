// What queues have used of the workers' time: by that their turns come (store_job_claim).
#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct usage {
  char queue[STORE_NAME_SIZE];
  int64_t ms;
} usage;

static store_status add_usage(connection *c, void *context) {
  static const char sql[] = "UPDATE queues SET turn = turn + ?2 WHERE name = ?1";
  const usage *x = context;
  return sql_run(c, sql_bind(sql_prepare(c, sql), "ti", x->queue, x->ms));
}

void store_queue_used(store *s, const char *queue, double used_s) {
  usage *x = malloc(sizeof *x);
  if (!x) return; // it is served somewhat earlier
  snprintf(x->queue, sizeof x->queue, "%s", queue);
  x->ms = (int64_t)(1e3 * used_s);
  (void)store_write_later_unsynced(s, add_usage, x);
}

void store_queue_ends(store *s, const char *queue, bool begins) {
  ending_queues *e = &s->ending;
  const char *sought = begins ? "" : queue;
  pthread_mutex_lock(&e->lock);
  int i = 0;
  while (i < STORE_ENDINGS && strcmp(e->queue[i], sought) != 0) i++;
  if (i < STORE_ENDINGS) snprintf(e->queue[i], sizeof e->queue[i], "%s", begins ? queue : "");
  pthread_mutex_unlock(&e->lock);
}

static void count_endings(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  ending_queues *e = sqlite3_user_data(context);
  const char *name = (const char *)sqlite3_value_text(values[0]);
  int found = 0;
  pthread_mutex_lock(&e->lock);
  for (int i = 0; name && i < STORE_ENDINGS; i++) found += *e->queue[i] && strcmp(e->queue[i], name) == 0;
  pthread_mutex_unlock(&e->lock);
  sqlite3_result_int(context, found);
}

bool store_register_ending(store *s, sqlite3 *db) {
  return sqlite3_create_function(db, "ending", 1, SQLITE_UTF8, &s->ending, count_endings, NULL, NULL) == SQLITE_OK;
}
