// A list under one mutex, walked after each commit about a job. Waking only puts a call into a queue, so the store is not held up.
#include "rpc/watch.h"
#include "base/metrics.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct watch_list {
  store *store;
  pthread_mutex_t lock;
  watch_entry *first;
};

static void on_event(void *context, const char *id) {
  watch_list *list = context;
  pthread_mutex_lock(&list->lock);
  for (watch_entry *e = list->first; e; e = e->next)
    if (strcmp(e->job, id) == 0) rpc_wake(e->call);
  pthread_mutex_unlock(&list->lock);
}

watch_list *watch_list_create(store *s) {
  watch_list *list = calloc(1, sizeof *list);
  if (!list) return NULL;
  list->store = s;
  pthread_mutex_init(&list->lock, NULL);
  if (store_listen(s, on_event, list)) return list;
  pthread_mutex_destroy(&list->lock);
  free(list);
  return NULL;
}

void watch_list_destroy(watch_list *list) {
  if (!list) return;
  store_unlisten(list->store, list);
  pthread_mutex_destroy(&list->lock);
  free(list);
}

void watch_list_enter(watch_list *list, watch_entry *entry) {
  pthread_mutex_lock(&list->lock);
  entry->previous = NULL;
  entry->next = list->first;
  if (entry->next) entry->next->previous = entry;
  list->first = entry;
  metrics_add(METRIC_WATCHERS, 0, 1);
  pthread_mutex_unlock(&list->lock);
}

void watch_list_leave(watch_list *list, watch_entry *entry) {
  pthread_mutex_lock(&list->lock);
  *(entry->previous ? &entry->previous->next : &list->first) = entry->next;
  if (entry->next) entry->next->previous = entry->previous;
  metrics_add(METRIC_WATCHERS, 0, -1);
  pthread_mutex_unlock(&list->lock);
}
