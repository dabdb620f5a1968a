// A store: a kind of rows and a kind of blobs at the place that the operator names.
//
// Another kind of rows is a folder beside sqlite/ and a row of `kinds`.
#include "store/store.h"
#include "base/clock.h"
#include "store/files/files.h"
#include "store/kinds.h"
#include "store/parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const rows_kind *rows;
  const blobs_kind *blobs, *in_folder; // where the operator names a folder of results
} kinds[] = {
    {&sqlite_rows, &file_blobs, NULL},
    {&postgresql_rows, &database_blobs, &shared_file_blobs},
};

static bool choose_kind(store *s, const char *place) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !s->rows; i++)
    if (kinds[i].rows->is_place(place))
      s->rows = kinds[i].rows, s->blobs = *s->results ? kinds[i].in_folder : kinds[i].blobs;
  return s->rows && s->blobs;
}

static const char *no_kind(const store *s) {
  return s->rows ? "cannot open the store: a folder of results goes with a database (--store postgresql://…)"
                 : "cannot open the store: no place for one";
}

static bool open_kinds(store *s, bool anyway, char message[STORE_MESSAGE_SIZE]) {
  if (!store_open_folder(s, message) || !s->blobs->open(s, message) || !s->rows->open(s, anyway, message)) return false;
  assert(s->rows_state && s->blobs_state);
  if (store_cursor_key(s, s->cursor_key) != STORE_OK)
    return store_say(message, "the store of %.160s has no key of cursors", s->folder);
  return !s->blobs->check || s->blobs->check(s, message);
}

store *store_open_at(const store_where *where, char message[STORE_MESSAGE_SIZE]) {
  store *s = calloc(1, sizeof *s);
  const char *folder = where->folder, *place = where->rows ? where->rows : folder;
  const char *results = where->results ? where->results : "";
  bool fits = strlen(folder) <= STORE_PATH_SIZE - 16 && strlen(place) <= STORE_PLACE_MAX &&
              strlen(results) < STORE_PATH_SIZE - 16;
  if (s) snprintf(s->results, sizeof s->results, "%s", results);
  if (!s || !fits || !choose_kind(s, place)) {
    store_say(message, "%s", s ? no_kind(s) : "cannot open the store: not enough memory");
    free(s);
    return NULL;
  }
  s->lock_fd = -1;
  pthread_mutex_init(&s->notify_lock, NULL);
  snprintf(s->folder, sizeof s->folder, "%s", folder);
  snprintf(s->tmp, sizeof s->tmp, "%.4000s/tmp", folder);
  snprintf(s->place, sizeof s->place, "%s", place);
  snprintf(s->direct, sizeof s->direct, "%s",
           where->direct && strlen(where->direct) <= STORE_PLACE_MAX ? where->direct : place);
  s->plain = where->plain;
  s->connections = where->connections > 0 ? where->connections : STORE_CONNECTIONS;
  s->slots = where->slots;
  s->as_it_is = where->as_it_is;
  s->any_results = where->any_results;
  s->opened_ms = clock_now_ms();
  id_make(s->only_id);
  if (where->node) snprintf(s->node_name, sizeof s->node_name, "%s", where->node);
  if (!*s->node_name) gethostname(s->node_name, sizeof s->node_name - 1);
  if (open_kinds(s, where->anyway, message)) return s;
  store_close(s);
  return NULL;
}

store_takers store_node_takers(const store *s) { return atomic_load(&s->takers); }

const char *store_only_node(const store *s) { return strcmp(s->place, s->folder) == 0 ? s->node_name : ""; }

store *store_open(const char *folder, char message[STORE_MESSAGE_SIZE]) {
  return store_open_at(&(store_where){.folder = folder}, message);
}

// Rows first: a change that still waits may need what its blobs are.
void store_close(store *s) {
  if (!s) return;
  if (s->rows_state) s->rows->close(s);
  if (s->blobs_state) s->blobs->close(s);
  if (s->lock_fd >= 0) close(s->lock_fd);
  pthread_mutex_destroy(&s->notify_lock);
  free(s);
}
