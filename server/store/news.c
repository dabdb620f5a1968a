// Wake-ups: who is told that the rows of a job have changed, or that there is work. What is told is a hint: whoever
// hears it reads the rows, or asks for a job.
#include "store/parts.h"

#include <assert.h>

static bool enter(store *s, void (*notify)(void *context, const char *id), void (*work)(void *context, bool many),
                  void *context) {
  assert(context && !notify != !work);
  pthread_mutex_lock(&s->notify_lock);
  int i = 0;
  while (i < STORE_LISTENERS && s->listeners[i].context) i++;
  if (i < STORE_LISTENERS)
    s->listeners[i].notify = notify, s->listeners[i].work = work, s->listeners[i].context = context;
  pthread_mutex_unlock(&s->notify_lock);
  return i < STORE_LISTENERS;
}

bool store_listen(store *s, void (*notify)(void *context, const char *id), void *context) {
  return enter(s, notify, NULL, context);
}

bool store_listen_for_work(store *s, void (*work)(void *context, bool many), void *context) {
  return enter(s, NULL, work, context);
}

void store_unlisten(store *s, void *context) {
  pthread_mutex_lock(&s->notify_lock);
  for (int i = 0; i < STORE_LISTENERS; i++)
    if (s->listeners[i].context == context)
      s->listeners[i].notify = NULL, s->listeners[i].work = NULL, s->listeners[i].context = NULL;
  pthread_mutex_unlock(&s->notify_lock);
}

void store_notify(store *s, const char *id) {
  pthread_mutex_lock(&s->notify_lock);
  for (int i = 0; i < STORE_LISTENERS; i++)
    if (s->listeners[i].notify) s->listeners[i].notify(s->listeners[i].context, id);
  pthread_mutex_unlock(&s->notify_lock);
}

void store_notify_work(store *s, bool many) {
  pthread_mutex_lock(&s->notify_lock);
  for (int i = 0; i < STORE_LISTENERS; i++)
    if (s->listeners[i].work) s->listeners[i].work(s->listeners[i].context, many);
  pthread_mutex_unlock(&s->notify_lock);
}

void store_sweep_changed(store *s, const char *id) { store_notify(s, id); }
