// Connections that read. A reader that takes longer than LIMIT_READ_S is interrupted, so none holds back the
// write-ahead log for long.
#include "base/clock.h"
#include "store/sqlite/database/database.h"

static connection *take_reader(store *s, int count) {
  pthread_mutex_lock(&sqlite_of(s)->reader_lock);
  int i = 0;
  for (;;) {
    for (i = 0; i < count && sqlite_of(s)->readers[i].busy; i++) {
    }
    if (i < count) break;
    pthread_cond_wait(&sqlite_of(s)->reader_free, &sqlite_of(s)->reader_lock);
  }
  sqlite_of(s)->readers[i].busy = true;
  sqlite_of(s)->readers[i].until_s = clock_monotonic_s() + sqlite_of(s)->read_limit_s;
  pthread_mutex_unlock(&sqlite_of(s)->reader_lock);
  return &sqlite_of(s)->readers[i];
}

connection *sqlite_read(store *s) { return take_reader(s, SQLITE_READERS); }
connection *sqlite_read_many(store *s) { return take_reader(s, SQLITE_READERS_OF_MANY); }

void sqlite_read_end(store *s, connection *c) {
  pthread_mutex_lock(&sqlite_of(s)->reader_lock);
  c->busy = false;
  pthread_cond_broadcast(&sqlite_of(s)->reader_free); // the first that wakes may want another one
  pthread_mutex_unlock(&sqlite_of(s)->reader_lock);
}
