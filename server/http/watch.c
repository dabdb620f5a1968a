// A watcher is a content reader that reads the log of its job when it is woken, and suspends its connection when there is
// nothing to send. It is woken by the store (after a commit about its job), by the clock (heartbeat of a stream, patience of
// a long poll) and by the end of the server.
//
// No wake-up is lost: `pending` is cleared before the log is read and looked at under the lock before the connection is
// suspended. Resume happens under the same lock, only for what is suspended, so it never meets a closed connection.
#include "http/watch.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/metrics.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double HEARTBEAT_S = 15;
enum { WATCH_BLOCK = 4 << 10 };

typedef struct watcher {
  watch_hub *hub;
  struct MHD_Connection *connection;
  watch_request request;
  codec_buffer text; // not sent yet from `sent` on
  size_t sent;
  bool last; // nothing comes after `text`
  struct watcher *next, *previous;
  // under the hub's lock:
  double due_s; // heartbeat, or end of patience
  bool pending, suspended;
} watcher;

struct watch_hub {
  service *service;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool ending;
  watcher *first;
};

// ------------------------------------------------------------------------------------------------------------- waking

static void wake(watcher *w) {
  w->pending = true;
  if (w->suspended) MHD_resume_connection(w->connection);
  w->suspended = false;
}

static void on_event(void *context, const char *id) {
  watch_hub *hub = context;
  pthread_mutex_lock(&hub->lock);
  for (watcher *w = hub->first; w; w = w->next)
    if (strcmp(w->request.id, id) == 0) wake(w);
  pthread_mutex_unlock(&hub->lock);
}

static void wait_a_second(watch_hub *hub) {
  struct timespec when;
  clock_gettime(CLOCK_MONOTONIC, &when);
  when.tv_sec++;
  if (hub->first)
    pthread_cond_timedwait(&hub->changed, &hub->lock, &when);
  else
    pthread_cond_wait(&hub->changed, &hub->lock);
}

static void *keep_time(void *context) {
  watch_hub *hub = context;
  pthread_mutex_lock(&hub->lock);
  while (!hub->ending) {
    wait_a_second(hub);
    double now = clock_monotonic_s();
    for (watcher *w = hub->first; w; w = w->next)
      if (w->suspended && now >= w->due_s) wake(w);
  }
  pthread_mutex_unlock(&hub->lock);
  return NULL;
}

// ------------------------------------------------------------------------------------------------------------ reading

typedef struct reason { ///< why a watcher that found no event may have to answer all the same
  bool due, ending;
} reason;

static reason start_reading(watcher *w) {
  double now = clock_monotonic_s();
  pthread_mutex_lock(&w->hub->lock);
  reason why = {.due = now >= w->due_s, .ending = w->hub->ending};
  w->pending = false;
  if (why.due) w->due_s = now + HEARTBEAT_S;
  pthread_mutex_unlock(&w->hub->lock);
  return why;
}

// Nothing to send: sleeps unless something happened since the log was read.
static bool sleep_now(watcher *w) {
  pthread_mutex_lock(&w->hub->lock);
  w->suspended = !w->pending && !w->hub->ending;
  bool asleep = w->suspended;
  if (asleep) MHD_suspend_connection(w->connection);
  pthread_mutex_unlock(&w->hub->lock);
  return asleep;
}

static void write_stream(watcher *w, const events_page *page, reason why) {
  if (page->count == 0 && why.due) codec_buffer_text(&w->text, ": heartbeat\n\n");
  w->last = page->ended || (why.ending && page->count == 0);
}

// The whole body of a long poll, or nothing yet.
static void write_poll(watcher *w, const events_page *page, reason why) {
  char tail[48];
  w->last = page->count > 0 || page->ended || why.due || why.ending;
  snprintf(tail, sizeof tail, "],\"next\":%lld}", (long long)page->next);
  if (w->last)
    codec_buffer_text(&w->text, tail);
  else
    w->text.size = 0;
}

// False when the log cannot be read.
static bool refill(watcher *w) {
  fault f;
  events_page page;
  reason why = start_reading(w);
  w->text.size = w->sent = 0;
  if (w->request.framed && !auth_holds(w->hub->service->auth, &w->request.caller)) return w->last = true;
  if (!w->request.framed) codec_buffer_text(&w->text, "{\"events\":[");
  bool read = events_read(w->hub->service, w->request.id, w->request.after, w->request.framed, &w->text, &page, &f);
  if (!read && f.code == PROBLEM_NOT_FOUND) read = page.ended = true; // deleted meanwhile
  if (w->request.framed)
    write_stream(w, &page, why);
  else
    write_poll(w, &page, why);
  w->request.after = page.next;
  return read && !w->text.failed;
}

static ssize_t read_events(void *context, uint64_t position, char *out, size_t capacity) {
  (void)position;
  watcher *w = context;
  while (w->sent == w->text.size) {
    if (w->last) return MHD_CONTENT_READER_END_OF_STREAM;
    if (!refill(w)) return MHD_CONTENT_READER_END_WITH_ERROR;
    if (w->text.size == 0 && !w->last && sleep_now(w)) return 0;
  }
  size_t left = w->text.size - w->sent, size = left < capacity ? left : capacity;
  memcpy(out, w->text.data + w->sent, size);
  w->sent += size;
  return (ssize_t)size;
}

// --------------------------------------------------------------------------------------------------- a watcher's life

static void enter(watcher *w) {
  watch_hub *hub = w->hub;
  pthread_mutex_lock(&hub->lock);
  metrics_add(METRIC_WATCHERS, 0, 1);
  w->next = hub->first;
  if (w->next) w->next->previous = w;
  hub->first = w;
  pthread_cond_signal(&hub->changed);
  pthread_mutex_unlock(&hub->lock);
}

static void leave(void *context) {
  watcher *w = context;
  watch_hub *hub = w->hub;
  pthread_mutex_lock(&hub->lock);
  metrics_add(METRIC_WATCHERS, 0, -1);
  *(w->previous ? &w->previous->next : &hub->first) = w->next;
  if (w->next) w->next->previous = w->previous;
  pthread_mutex_unlock(&hub->lock);
  codec_buffer_fini(&w->text);
  free(w);
}

struct MHD_Response *watch_response(watch_hub *hub, struct MHD_Connection *connection, const watch_request *request) {
  watcher *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  *w = (watcher){.hub = hub, .connection = connection, .request = *request};
  w->due_s = clock_monotonic_s() + (request->framed ? HEARTBEAT_S : request->wait_s);
  codec_buffer_init(&w->text, 0);
  enter(w);
  struct MHD_Response *response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, WATCH_BLOCK, read_events, w, leave);
  if (!response) leave(w);
  return response;
}

// -------------------------------------------------------------------------------------------------------- start and end

watch_hub *watch_start(service *s) {
  watch_hub *hub = calloc(1, sizeof *hub);
  if (!hub) return NULL;
  hub->service = s;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&hub->lock, NULL);
  pthread_cond_init(&hub->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  if (store_listen(s->store, on_event, hub)) {
    if (pthread_create(&hub->thread, NULL, keep_time, hub) == 0) return hub;
    store_unlisten(s->store, hub);
  }
  free(hub);
  return NULL;
}

void watch_end(watch_hub *hub) {
  pthread_mutex_lock(&hub->lock);
  hub->ending = true;
  for (watcher *w = hub->first; w; w = w->next) wake(w);
  pthread_cond_signal(&hub->changed);
  pthread_mutex_unlock(&hub->lock);
}

void watch_destroy(watch_hub *hub) {
  if (!hub) return;
  watch_end(hub);
  store_unlisten(hub->service->store, hub);
  pthread_join(hub->thread, NULL);
  pthread_mutex_destroy(&hub->lock);
  pthread_cond_destroy(&hub->changed);
  free(hub);
}
