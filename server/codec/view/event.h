// An event of a job's log, as JSON (REST) and as a message (gRPC).
#ifndef SERVER_CODEC_VIEW_EVENT_H
#define SERVER_CODEC_VIEW_EVENT_H

#include "codec/json/number.h"
#include "codec/view/message_list.h"
#include "store/store.h"
#include "tendril/v1/jobs.pb-c.h"

/// {seq, event, time, job, attempt, …}: what all events have, then the members of its data.
void codec_event_json(codec_buffer *b, const char *job, const store_event *event);
/// The same framed as a server-sent event.
void codec_event_frame(codec_buffer *b, const char *job, const store_event *event);
/// A message whose `data` is the event as JSON; its texts lie in `a`. False when there is not enough memory.
bool codec_event_message(const char *job, const store_event *event, arena *a, Tendril__V1__Event *message);

#endif
