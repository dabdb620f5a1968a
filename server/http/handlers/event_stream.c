// A content reader that reads the log of its job when it is woken (service/jobs/watch.h), and suspends its connection
// when there is nothing to send. Its time is that of the next heartbeat of a stream, or the end of the patience of a
// long poll.
//
// No wake-up is lost: `pending` is cleared before the log is read and looked at under the lock before the connection is
// suspended. Resume happens under the same lock, only for what is suspended, so it never meets a closed connection.
#include "http/handlers/event_stream.h"
#include "base/clock.h"
#include "codec/json/object.h"
#include "codec/view/event.h"
#include "service/jobs/jobs.h"
#include "service/jobs/watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double HEARTBEAT_S = 15;
enum { STREAM_BLOCK = 4 << 10 };

typedef struct event_stream {
  watch_entry entry; // first: the watch hands it back
  service *service;
  struct MHD_Connection *connection;
  event_request request;
  codec_buffer text; // not sent yet from `sent` on
  size_t sent;
  bool last; // nothing comes after `text`
  pthread_mutex_t lock;
  bool pending, suspended; // under it
} event_stream;

static void wake(watch_entry *w) {
  event_stream *e = (event_stream *)w;
  pthread_mutex_lock(&e->lock);
  e->pending = true;
  if (e->suspended) MHD_resume_connection(e->connection);
  e->suspended = false;
  pthread_mutex_unlock(&e->lock);
}

// Nothing to send: sleeps unless something happened since the log was read.
static bool sleep_now(event_stream *e) {
  pthread_mutex_lock(&e->lock);
  bool asleep = e->suspended = !e->pending;
  if (asleep) MHD_suspend_connection(e->connection);
  pthread_mutex_unlock(&e->lock);
  return asleep;
}

// ------------------------------------------------------------------------------------------------------------ reading

typedef struct reason { ///< why one that found no event may have to answer all the same
  bool due, ending;
} reason;

static reason start_reading(event_stream *e) {
  double now = clock_monotonic_s();
  pthread_mutex_lock(&e->lock);
  e->pending = false;
  pthread_mutex_unlock(&e->lock);
  reason why = {.due = now >= atomic_load(&e->entry.due_s), .ending = watch_is_ending(e->service->watch)};
  if (why.due) atomic_store(&e->entry.due_s, now + HEARTBEAT_S);
  return why;
}

static void write_stream(event_stream *e, const events_page *page, reason why) {
  if (page->count == 0 && why.due) codec_buffer_text(&e->text, ": heartbeat\n\n");
  e->last = page->ended || (why.ending && page->count == 0);
}

// The whole body of a long poll, or nothing yet.
static void write_poll(event_stream *e, const events_page *page, reason why) {
  char tail[48];
  e->last = page->count > 0 || page->ended || why.due || why.ending;
  snprintf(tail, sizeof tail, "],\"next\":%lld}", (long long)page->next);
  if (e->last)
    codec_buffer_text(&e->text, tail);
  else
    e->text.size = 0;
}

static void write_event(void *context, const store_event *event) {
  event_stream *e = context;
  if (e->request.framed) {
    codec_event_frame(&e->text, e->request.id, event);
    return;
  }
  json_next(&e->text);
  codec_event_json(&e->text, e->request.id, event);
}

// False when the log cannot be read.
static bool refill(event_stream *e) {
  fault f;
  events_page page;
  service *s = e->service;
  reason why = start_reading(e);
  e->text.size = e->sent = 0;
  if (e->request.framed && !auth_holds(s->auth, &e->request.caller)) return e->last = true;
  if (!e->request.framed) codec_buffer_text(&e->text, "{\"events\":[");
  bool read = events_read(s, e->request.id, e->request.after, write_event, e, &page, &f);
  if (!read && f.code == PROBLEM_NOT_FOUND) read = page.ended = true; // deleted meanwhile
  if (e->request.framed)
    write_stream(e, &page, why);
  else
    write_poll(e, &page, why);
  e->request.after = page.next;
  return read && !e->text.failed;
}

static ssize_t read_events(void *context, uint64_t position, char *out, size_t capacity) {
  (void)position;
  event_stream *e = context;
  while (e->sent == e->text.size) {
    if (e->last) return MHD_CONTENT_READER_END_OF_STREAM;
    if (!refill(e)) return MHD_CONTENT_READER_END_WITH_ERROR;
    if (e->text.size == 0 && !e->last && sleep_now(e)) return 0;
  }
  size_t left = e->text.size - e->sent, size = left < capacity ? left : capacity;
  memcpy(out, e->text.data + e->sent, size);
  e->sent += size;
  return (ssize_t)size;
}

// ------------------------------------------------------------------------------------------------------ begin and end

static void leave(void *context) {
  event_stream *e = context;
  watch_leave(e->service->watch, &e->entry);
  pthread_mutex_destroy(&e->lock);
  codec_buffer_fini(&e->text);
  free(e);
}

struct MHD_Response *event_stream_response(service *s, struct MHD_Connection *connection,
                                           const event_request *request) {
  event_stream *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->service = s;
  e->connection = connection;
  e->request = *request;
  memcpy(e->entry.job, request->id, sizeof e->entry.job);
  e->entry.wake = wake;
  e->entry.due_s = clock_monotonic_s() + (request->framed ? HEARTBEAT_S : request->wait_s);
  pthread_mutex_init(&e->lock, NULL);
  codec_buffer_init(&e->text, 0);
  watch_enter(s->watch, &e->entry);
  struct MHD_Response *response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_events, e, leave);
  if (!response) leave(e);
  return response;
}
