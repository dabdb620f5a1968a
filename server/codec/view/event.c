// Events for callers. The data of an event is an object with members, which stand behind those of every event.
#include "codec/view/event.h"
#include "codec/json/object.h"

#include <inttypes.h>
#include <stdio.h>

void codec_event_json(codec_buffer *b, const char *job, const store_event *e) {
  json_begin(b);
  json_integer_member(b, "seq", e->seq);
  json_string_member(b, "event", e->type);
  json_time_member(b, "time", e->time_ms);
  json_string_member(b, "job", job);
  json_integer_member(b, "attempt", e->attempt);
  json_next(b);
  codec_buffer_text(b, e->data + 1); // without its brace
}

void codec_event_frame(codec_buffer *b, const char *job, const store_event *e) {
  char head[64];
  snprintf(head, sizeof head, "id: %" PRId64 "\nevent: %s\ndata: ", e->seq, e->type);
  codec_buffer_text(b, head);
  codec_event_json(b, job, e);
  codec_buffer_text(b, "\n\n");
}

bool codec_event_message(const char *job, const store_event *e, arena *a, Tendril__V1__Event *m) {
  codec_buffer data;
  tendril__v1__event__init(m);
  m->seq = e->seq;
  m->attempt = (uint32_t)e->attempt;
  codec_buffer_init(&data, 0);
  codec_event_json(&data, job, e);
  m->data = data.failed ? NULL : arena_strndup(a, data.data, data.size);
  codec_buffer_fini(&data);
  return m->data && message_text(a, e->type, &m->event) && message_time(a, e->time_ms, &m->time) &&
         message_text(a, job, &m->job);
}
