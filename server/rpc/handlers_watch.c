// Jobs.Watch: the log of a job, page by page, then event by event.
//
// A page is read from the store, kept as JSON and sent one event at a time; when it is used up the next is read; when there is none
// the call sleeps until the store has news. No wake-up is lost: one that comes before the call sleeps makes it read again.
#include "base/limits.h"
#include "codec/json/memory.h"
#include "codec/wire/message.h"
#include "rpc/methods.h"
#include "rpc/watch.h"
#include "tendril/v1/jobs.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct watching {
  watch_entry entry;
  int64_t after;
  json_t *page; // array of events
  size_t sent;  // of them
  bool ended;   // nothing comes after the page
} watching;

static bool begin(rpc_call *c, const Tendril__V1__WatchRequest *m, fault *f) {
  if (m->since < 0)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/since", "since is %lld, not the number of an event",
                     (long long)m->since);
  if (!jobs_exists(rpc_service(c), rpc_caller(c), m->id, f)) return false;
  if (!rpc_seat(c, rpc_service(c)->watchers, "watchers of events", "watchers-per-caller", f)) return false;
  watching *w = calloc(1, sizeof *w);
  if (!w) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "memory is short");
  w->after = m->since;
  w->entry.call = c;
  snprintf(w->entry.job, sizeof w->entry.job, "%s", m->id);
  watch_list_enter(server_watchers(rpc_server_of(c)), &w->entry);
  rpc_set_state(c, w);
  return true;
}

static bool read_page(rpc_call *c, watching *w, fault *f) {
  events_page page;
  codec_buffer text;
  codec_buffer_init(&text, 0);
  codec_buffer_text(&text, "[");
  bool read = events_read(rpc_service(c), w->entry.job, w->after, false, &text, &page, f);
  if (!read && f->code == PROBLEM_NOT_FOUND) read = page.ended = true; // deleted meanwhile
  codec_buffer_text(&text, "]");
  json_decref(w->page);
  w->page = read && !text.failed ? json_loadb(text.data, text.size, 0, NULL) : NULL;
  if (read && !w->page) read = fault_set(f, PROBLEM_UNAVAILABLE, NULL, "memory is short");
  codec_buffer_fini(&text);
  w->sent = 0;
  w->ended = page.ended;
  w->after = page.next;
  return read;
}

static void send_event(rpc_call *c, const json_t *event) {
  fault f;
  arena *a = arena_create();
  char *data = json_memory_text(event, JSON_COMPACT);
  Tendril__V1__Event message = TENDRIL__V1__EVENT__INIT;
  if (a && data && codec_message_fill(event, a, &message.base)) {
    message.data = data;
    rpc_send(c, &message.base);
  } else
    fault_set(&f, PROBLEM_UNAVAILABLE, NULL, "memory is short"), rpc_fail(c, &f);
  free(data);
  arena_destroy(a);
}

static void go_on(rpc_call *c, watching *w) {
  fault f;
  bool read = w->sent < json_array_size(w->page) || w->ended || read_page(c, w, &f);
  if (!read)
    rpc_fail(c, &f);
  else if (w->sent < json_array_size(w->page))
    send_event(c, json_array_get(w->page, w->sent++));
  else if (w->ended)
    rpc_finish(c);
  else if (rpc_is_stopping(c))
    fault_set(&f, PROBLEM_UNAVAILABLE, NULL, "the server is stopping"), rpc_fail(c, &f);
  else
    rpc_sleep(c);
}

void rpc_jobs_watch(rpc_call *c, const ProtobufCMessage *message) {
  fault f;
  if (!rpc_state(c) && !begin(c, (const void *)message, &f))
    rpc_fail(c, &f);
  else
    go_on(c, rpc_state(c));
}

void rpc_jobs_watch_end(rpc_call *c) {
  watching *w = rpc_state(c);
  if (!w) return;
  watch_list_leave(server_watchers(rpc_server_of(c)), &w->entry);
  json_decref(w->page);
  free(w);
  rpc_set_state(c, NULL);
}
