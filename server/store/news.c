// Wake-ups: who is told that the rows of a job have changed, that there is work, or what others want of this process.
// What is told is a hint: whoever hears it reads the rows, or asks for a job.
#include "store/parts.h"

#include <assert.h>

static bool enter(store *s, store_listener listener) {
  assert(listener.context && !!listener.notify + !!listener.work + !!listener.order == 1);
  pthread_mutex_lock(&s->notify_lock);
  int i = 0;
  while (i < STORE_LISTENERS && s->listeners[i].context) i++;
  if (i < STORE_LISTENERS) s->listeners[i] = listener;
  pthread_mutex_unlock(&s->notify_lock);
  return i < STORE_LISTENERS;
}

bool store_listen(store *s, void (*notify)(void *context, const char *id), void *context) {
  return enter(s, (store_listener){.notify = notify, .context = context});
}

bool store_listen_for_work(store *s, void (*work)(void *context, bool many), void *context) {
  return enter(s, (store_listener){.work = work, .context = context});
}

bool store_listen_for_orders(store *s, void (*order)(void *context, store_order what, const char *id, int attempt),
                             void *context) {
  return enter(s, (store_listener){.order = order, .context = context});
}

void store_unlisten(store *s, void *context) {
  pthread_mutex_lock(&s->notify_lock);
  for (int i = 0; i < STORE_LISTENERS; i++)
    if (s->listeners[i].context == context) s->listeners[i] = (store_listener){.context = NULL};
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

void store_order_given(store *s, store_order what, const char *id, int attempt) {
  pthread_mutex_lock(&s->notify_lock);
  for (int i = 0; i < STORE_LISTENERS; i++)
    if (s->listeners[i].order) s->listeners[i].order(s->listeners[i].context, what, id, attempt);
  pthread_mutex_unlock(&s->notify_lock);
}

void store_sweep_changed(store *s, const char *id) { store_notify(s, id); }
