// Following a job: a stream of events, taken up again behind the last one that was told whenever it ends before the
// job has. What a breaking stream said half is said again, because only whole events move `last`.
#include "lib/http/client.h"

#include "lib/http/sse.h"
#include "lib/reply/documents.h"
#include <stdlib.h>

typedef struct watch {
  tendril_client *client;
  bool (*on_event)(void *context, const tendril_event *event);
  void *context;
  int64_t last;
  bool broken; ///< DISCONNECTED was told, CONNECTED not yet
  bool ended, stopped, garbled;
  double away_since_s; ///< 0: it is there
  int attempt;
} watch;

static bool tell(watch *w, const tendril_event *event) {
  if (!w->stopped && !w->on_event(w->context, event)) w->stopped = true;
  return !w->stopped;
}

static bool tell_connection(watch *w, tendril_event_kind kind) {
  if (w->broken == (kind == TENDRIL_EVENT_DISCONNECTED)) return true;
  w->broken = !w->broken;
  return tell(w, &(tendril_event){.kind = kind, .state = TENDRIL_UNKNOWN, .json = ""});
}

// False ends the stream.
static bool on_event(void *context, const client_sse_event *raw) {
  watch *w = context;
  tendril_event event;
  if (!client_read_event(raw->type, raw->data, raw->size, &event)) return w->garbled = true, false;
  if (event.seq > 0 && event.seq <= w->last) return true; // known already
  if (event.seq > w->last) w->last = event.seq;
  w->attempt = 0;
  w->ended = event.kind == TENDRIL_EVENT_STATE && tendril_state_ended(event.state);
  return tell(w, &event) && !w->ended;
}

typedef struct reading {
  watch *w;
  client_sse sse;
} reading;

static bool on_bytes(void *context, const char *bytes, size_t size) {
  reading *r = context;
  r->w->away_since_s = 0;
  if (!tell_connection(r->w, TENDRIL_EVENT_CONNECTED)) return false;
  if (client_sse_feed(&r->sse, bytes, size)) return true;
  if (!r->w->ended && !r->w->stopped) r->w->garbled = true;
  return false;
}

// A stream that ended although nothing was terminal: the job had ended before `last`, or the server stopped.
static tendril_status look(watch *w, const char *id, tendril_error *err) {
  tendril_job job;
  tendril_status status = tendril_job_get(w->client, id, &job, err);
  if (status == TENDRIL_OK && tendril_state_ended(job.state)) w->ended = true;
  return status;
}

static tendril_status read_once(watch *w, const client_path *path, const char *id, tendril_error *err) {
  reading r = {.w = w, .sse = {.on_event = on_event}};
  r.sse.context = w;
  bool lasting = false;
  int64_t before = w->last;
  tendril_status status = client_stream(w->client, path, w->last, on_bytes, &r, &lasting, err);
  client_sse_free(&r.sse);
  if (w->garbled)
    return client_fail(err, TENDRIL_BAD_REPLY, "the stream of job %.60s holds something that is not an event", id);
  if (w->ended || w->stopped || status != TENDRIL_OK) return status;
  return lasting && w->last == before ? look(w, id, err) : TENDRIL_OK;
}

static tendril_status follow(watch *w, const client_path *path, const char *id, tendril_error *err) {
  for (;;) {
    tendril_status status = read_once(w, path, id, err);
    if (w->ended) return TENDRIL_OK;
    if (w->stopped) return client_fail(err, TENDRIL_STOPPED, "the callback asked for the end");
    // A stream that ended by itself is not news: the server may be going down, the next try tells.
    if (status != TENDRIL_OK && !client_may_heal(w->client, err)) return status;
    if (status != TENDRIL_OK && !tell_connection(w, TENDRIL_EVENT_DISCONNECTED)) continue;
    if (client_pause(w->client, &w->away_since_s, w->attempt++, 0)) continue;
    if (client_stopped(w->client)) return client_fail(err, TENDRIL_STOPPED, "stopped by the caller");
    return status != TENDRIL_OK ? status
                                : client_fail(err, TENDRIL_UNREACHABLE, "the stream of job %.60s keeps ending", id);
  }
}

tendril_status tendril_job_watch(tendril_client *c, const char *id, int64_t after,
                                 bool (*callback)(void *context, const tendril_event *event), void *context,
                                 tendril_error *err) {
  tendril_error own;
  if (!err) err = &own;
  if (!*id) return client_fail(err, TENDRIL_INVALID, "the job's id is empty");
  if (c->watching) return client_fail(err, TENDRIL_INVALID, "this client follows a job already; open a second one");
  client_path path = client_path_to(CLIENT_JOBS_EVENTS, id, NULL);
  if (path.too_long) return client_fail(err, TENDRIL_INVALID, "the job's id is too long");
  watch w = {.client = c, .on_event = callback, .context = context, .last = after};
  c->watching = true;
  tendril_status status = follow(&w, &path, id, err);
  c->watching = false;
  return status;
}

// ------------------------------------------------------------------------------------------------ wait

typedef struct deadline {
  double at_s; ///< 0: none
  bool passed;
  bool (*stop)(void *context); ///< the user's
  void *context;
} deadline;

static bool is_late(void *context) {
  deadline *d = context;
  d->passed = d->at_s > 0 && client_now_s() >= d->at_s;
  return d->passed || (d->stop && d->stop(d->context));
}

static bool keep_waiting(void *context, const tendril_event *event) {
  (void)context, (void)event;
  return true;
}

tendril_status tendril_job_wait(tendril_client *c, const char *id, double timeout_s, tendril_job *job,
                                tendril_error *err) {
  deadline d = {
      .at_s = timeout_s > 0 ? client_now_s() + timeout_s : 0, .stop = c->options.stop, .context = c->options.context};
  c->options.stop = is_late; // for the time of this watch
  c->options.context = &d;
  tendril_status status = tendril_job_watch(c, id, 0, keep_waiting, NULL, err);
  c->options.stop = d.stop;
  c->options.context = d.context;
  if (status == TENDRIL_STOPPED && d.passed)
    return client_fail(err, TENDRIL_TIMEOUT, "job %.60s has not ended within %g s", id, timeout_s);
  return status == TENDRIL_OK ? tendril_job_get(c, id, job, err) : status;
}
