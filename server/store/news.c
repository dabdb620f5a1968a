// Wake-ups: who is told that the rows of a job have changed. What is told is a hint: whoever hears it reads the rows.
#include "store/parts.h"

#include <assert.h>

bool store_listen(store *s, void (*notify)(void *context, const char *id), void *context) {
  assert(notify && context);
  pthread_mutex_lock(&s->notify_lock);
  int i = 0;
  while (i < STORE_LISTENERS && s->listeners[i].notify) i++;
  if (i < STORE_LISTENERS) s->listeners[i].notify = notify, s->listeners[i].context = context;
  pthread_mutex_unlock(&s->notify_lock);
  return i < STORE_LISTENERS;
}

void store_unlisten(store *s, void *context) {
  pthread_mutex_lock(&s->notify_lock);
  for (int i = 0; i < STORE_LISTENERS; i++)
    if (s->listeners[i].context == context) s->listeners[i].notify = NULL, s->listeners[i].context = NULL;
  pthread_mutex_unlock(&s->notify_lock);
}

void store_notify(store *s, const char *id) {
  pthread_mutex_lock(&s->notify_lock);
  for (int i = 0; i < STORE_LISTENERS; i++)
    if (s->listeners[i].notify) s->listeners[i].notify(s->listeners[i].context, id);
  pthread_mutex_unlock(&s->notify_lock);
}

void store_sweep_changed(store *s, const char *id) { store_notify(s, id); }
