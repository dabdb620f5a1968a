// Jobs.Watch: the log of a job, page by page, then event by event.
//
// A page is read from the store, kept as messages and sent one at a time; when it is used up the next is read; when
// there is none the call sleeps until the store has news (service/jobs/watch.h). No wake-up is lost: one that comes
// before the call sleeps makes it read again.
#include "service/jobs/watch.h"
#include "codec/view/event.h"
#include "rpc/methods.h"
#include "service/jobs/jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct watching {
  watch_entry entry; // first: the watch hands it back
  rpc_call *call;
  int64_t after;
  message_list page; // of events, in memory of its own
  size_t sent;       // of them
  bool ended;        // nothing comes after the page
} watching;

static void wake(watch_entry *w) { rpc_wake(((watching *)w)->call); }

static bool begin(rpc_call *c, const Tendril__V1__WatchRequest *m, fault *f) {
  if (m->since < 0)
    return fault_set(f, PROBLEM_INVALID_ARGUMENT, "/since", "since is %lld, not the number of an event",
                     (long long)m->since);
  if (!jobs_exists(rpc_service(c), rpc_caller(c), m->id, f)) return false;
  if (!rpc_seat(c, rpc_service(c)->watchers, "watchers of events", "watchers-per-caller", f)) return false;
  watching *w = calloc(1, sizeof *w);
  if (!w) return fault_set(f, PROBLEM_UNAVAILABLE, NULL, "there is not enough memory for one more watcher");
  w->after = m->since;
  w->call = c;
  w->entry.wake = wake;
  w->entry.due_s = INFINITY;
  snprintf(w->entry.job, sizeof w->entry.job, "%s", m->id);
  watch_enter(rpc_service(c)->watch, &w->entry);
  rpc_set_state(c, w);
  return true;
}

static void drop_page(watching *w) {
  arena_destroy(w->page.memory);
  w->page = (message_list){.memory = NULL};
  w->sent = 0;
}

static void add_event(void *context, const store_event *event) {
  watching *w = context;
  message_list *page = &w->page;
  Tendril__V1__Event *m = (Tendril__V1__Event *)message_list_add(page, &tendril__v1__event__descriptor);
  page->failed = !m || !codec_event_message(w->entry.job, event, page->memory, m);
}

static bool read_page(rpc_call *c, watching *w, fault *f) {
  events_page page;
  drop_page(w);
  w->page.memory = arena_create();
  if (!w->page.memory) return rpc_no_memory(f);
  bool read = events_read(rpc_service(c), w->entry.job, w->after, add_event, w, &page, f);
  if (!read && f->code == PROBLEM_NOT_FOUND) read = page.ended = true; // deleted meanwhile
  if (read && w->page.failed) read = rpc_no_memory(f);
  w->ended = page.ended;
  w->after = page.next;
  return read;
}

static void go_on(rpc_call *c, watching *w) {
  fault f;
  bool read = w->sent < w->page.count || w->ended || read_page(c, w, &f);
  if (!read)
    rpc_fail(c, &f);
  else if (w->sent < w->page.count)
    rpc_send(c, w->page.items[w->sent++]); // packed before it returns
  else if (w->ended)
    rpc_finish(c);
  else if (rpc_is_stopping(c))
    fault_set(&f, PROBLEM_UNAVAILABLE, NULL, "the server is stopping"), rpc_fail(c, &f);
  else {
    drop_page(w);
    rpc_sleep(c);
  }
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
  watch_leave(rpc_service(c)->watch, &w->entry);
  drop_page(w);
  free(w);
  rpc_set_state(c, NULL);
}
