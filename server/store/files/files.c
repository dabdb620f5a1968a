// The kind of blobs that are files of a data folder: opening and closing.
#include "store/files/files.h"
#include "store/kinds.h"

#include <stdio.h>
#include <stdlib.h>

static bool open_blobs(store *s, char message[STORE_MESSAGE_SIZE]) {
  file_store *f = calloc(1, sizeof *f);
  if (!f) return store_say(message, "cannot open the store: not enough memory");
  s->blobs_state = f;
  f->home = *s->results ? s->results : s->folder;
  pthread_mutex_init(&f->parts_of.lock, NULL);
  pthread_mutex_init(&f->checks.lock, NULL);
  pthread_mutex_init(&f->results_sync.lock, NULL);
  pthread_cond_init(&f->results_sync.ended, NULL);
  snprintf(f->results, sizeof f->results, "%.4000s/results", f->home);
  snprintf(f->parts, sizeof f->parts, "%.4000s/parts", s->folder);
  return store_make_folder(f->results, message) && store_make_folder(f->parts, message);
}

static void close_blobs(store *s) {
  file_store *f = files_of(s);
  pthread_mutex_destroy(&f->parts_of.lock);
  pthread_mutex_destroy(&f->checks.lock);
  pthread_mutex_destroy(&f->results_sync.lock);
  pthread_cond_destroy(&f->results_sync.ended);
  free(f->parts_of.holder);
  free(f);
  s->blobs_state = NULL;
}

#define FILES_ENTRY(name) .name = files_##name,
const blobs_kind file_blobs = {.open = open_blobs, .close = close_blobs, STORE_BLOBS(FILES_ENTRY)};
