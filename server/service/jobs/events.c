// Events of a job, a page at a time.
#include "base/limits.h"
#include "service/jobs/jobs.h"

#include <stdio.h>

typedef struct reading {
  event_visit visit;
  void *context;
  events_page *page;
} reading;

static void visit_event(void *context, const store_event *e) {
  reading *r = context;
  r->page->next = e->seq;
  r->page->count++;
  r->visit(r->context, e);
}

bool events_read(service *s, const char *id, int64_t after, event_visit visit, void *context, events_page *page,
                 fault *f) {
  reading r = {.visit = visit, .context = context, .page = page};
  char what[64];
  *page = (events_page){.next = after};
  store_visit rows = {.context = &r, .event = visit_event};
  store_status status = store_event_list(s->store, id, after, LIMIT_EVENTS_PAGE, &rows, &page->ended);
  page->ended = page->ended && page->count < LIMIT_EVENTS_PAGE;
  snprintf(what, sizeof what, "job \"%.40s\"", id);
  return status == STORE_OK || fault_from_store(f, status, what);
}
