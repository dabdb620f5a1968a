// Events of a job as text: server-sent events, or elements of a JSON array.
#include "base/limits.h"
#include "codec/json/object.h"
#include "service/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct writing {
  const char *id;
  bool framed;
  codec_buffer *b;
  events_page *page;
} writing;

static void write_head(codec_buffer *b, const store_event *e) {
  char head[64];
  snprintf(head, sizeof head, "id: %" PRId64 "\nevent: %s\ndata: ", e->seq, e->type);
  codec_buffer_text(b, head);
}

static void write_event(void *context, const store_event *e) {
  writing *w = context;
  if (w->framed)
    write_head(w->b, e);
  else
    json_next(w->b);
  codec_buffer_append(w->b, "{", 1);
  json_integer_member(w->b, "seq", e->seq);
  json_string_member(w->b, "event", e->type);
  json_time_member(w->b, "time", e->time_ms);
  json_string_member(w->b, "job", w->id);
  json_integer_member(w->b, "attempt", e->attempt);
  json_next(w->b);
  codec_buffer_text(w->b, e->data + 1); // an object with members: without its brace
  if (w->framed) codec_buffer_text(w->b, "\n\n");
  w->page->next = e->seq;
  w->page->count++;
}

bool events_read(service *s, const char *id, int64_t after, bool framed, codec_buffer *text, events_page *page,
                 fault *f) {
  writing w = {.id = id, .framed = framed, .b = text, .page = page};
  *page = (events_page){.next = after};
  store_visit visit = {.context = &w, .event = write_event};
  store_status status = store_event_list(s->store, id, after, LIMIT_EVENTS_PAGE, &visit, &page->ended);
  page->ended = page->ended && page->count < LIMIT_EVENTS_PAGE;
  char what[64];
  snprintf(what, sizeof what, "job \"%.40s\"", id);
  return status == STORE_OK || fault_from_store(f, status, what);
}
