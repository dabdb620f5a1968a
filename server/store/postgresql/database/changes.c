// Changes: each a transaction of its own, in the thread of whoever asks for it. The commits of several connections share
// the database's wait for its disk.
//
// READ COMMITTED, so every statement sees what was committed before it, and rows that decide are locked by the
// statements that change them. Where two changes get in each other's way (a deadlock, the same key, a row that went
// while it came to be needed), the database ends one of them, and it is run again from its beginning.
#include "base/clock.h"
#include "base/log/metrics.h"
#include "store/postgresql/postgresql.h"

#include <time.h>

enum { TIMES = 8 };

static void pause_ms(int ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL); }

static store_status commit(pg_connection *c) {
  double began_s = clock_monotonic_s();
  store_status status = pg_command(c, "COMMIT");
  metrics_add(METRIC_COMMITS, 0, status == STORE_OK);
  metrics_observe(METRIC_COMMIT_DURATION, 0, clock_monotonic_s() - began_s);
  return status;
}

// Of a commit whose answer was lost nobody knows.
static store_status run(pg_connection *c, pg_step step, void *context) {
  c->begins = true;
  store_status status = step(c, context);
  if (!c->inside) return c->again = c->again || c->lost, status;
  if (status == STORE_OK) return commit(c);
  bool again = c->again || c->lost; // nothing was done then, and another connection may do it
  store_status undone = c->lost ? STORE_OK : pg_command(c, "ROLLBACK");
  (void)undone; // the connection is closed then
  c->again = again;
  return status;
}

store_status pg_change(store *s, pg_step step, void *context, const char *notify) {
  store_status status = STORE_AWAY;
  bool again = true;
  for (int i = 0; again && i < TIMES; i++) {
    if (i > 0) pause_ms(1 << i);
    pg_connection *c = pg_take(&postgresql_of(s)->pool);
    if (!c) return STORE_AWAY;
    status = run(c, step, context);
    again = status != STORE_OK && c->again;
    pg_give(&postgresql_of(s)->pool, c);
  }
  if (again) log_write(LOG_LEVEL_ERROR, "store", LOG_S("detail", "a change was in the way of others again and again"));
  if (status == STORE_OK && notify) pg_tell(s, notify);
  return status;
}

pg_connection *pg_read(store *s) { return pg_take(&postgresql_of(s)->pool); }
void pg_read_end(store *s, pg_connection *c) {
  if (c) pg_give(&postgresql_of(s)->pool, c);
}

void pg_tell(store *s, const char *id) {
  store_notify(s, id);
  pg_news_tell(postgresql_of(s)->news, id);
}

void pg_tell_work(store *s, bool many) {
  store_notify_work(s, many);
  pg_news_tell(postgresql_of(s)->news, NULL);
}
