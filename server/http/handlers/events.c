// Events of a job over HTTP: a stream, or a long poll for who asks for one by `since`, `wait` or Accept:
// application/json.
#include "base/limits.h"
#include "http/handlers/event_stream.h"
#include "http/routes.h"
#include "service/jobs/jobs.h"

#include <stdio.h>

static bool read_request(exchange *x, event_request *r, fault *f) {
  int64_t wait;
  const char *last = exchange_header(x, "Last-Event-ID"); // a browser repeats its first query when it comes back
  r->framed = x->out == MEDIA_EVENTS;
  r->caller = x->caller;
  snprintf(r->id, sizeof r->id, "%.*s", ID_SIZE - 1, x->parameter[0]); // a longer one is found missing
  if (!query_integer("since", exchange_query(x, "since"), 0, INT64_MAX, 0, &r->after, f) ||
      !query_integer("wait", exchange_query(x, "wait"), 0, LIMIT_WAIT_S, 0, &wait, f) ||
      (r->framed && !query_integer("Last-Event-ID", last, 0, INT64_MAX, r->after, &r->after, f)))
    return false;
  r->wait_s = (int)wait;
  return true;
}

void handle_jobs_events(exchange *x) {
  fault f;
  event_request request = {.after = 0};
  if (!read_request(x, &request, &f) || !jobs_exists(x->service, &x->caller, x->parameter[0], &f)) {
    reply_fault(x, &f);
    return;
  }
  if (!reply_seat(x, x->service->watchers, "watchers of events", "watchers-per-caller")) return;
  struct MHD_Response *response = event_stream_response(x->service, x->connection, &request);
  if (response)
    reply_stream(x, request.framed ? "text/event-stream" : "application/json", response);
  else {
    fault_set(&f, PROBLEM_UNAVAILABLE, NULL, "not enough memory for one more watcher");
    reply_fault(x, &f);
  }
}
