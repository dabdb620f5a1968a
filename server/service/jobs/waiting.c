// Why a job does not run though it could. What the machine lacks comes first (in its row, where it was put back for
// that), then that nobody takes jobs, then its turn: how many jobs of its queue are before it, and who computes.
//
// Queues take turns, so the jobs of others do not stand before it by number: which of them are served meanwhile is not
// known before.
#include "service/jobs/waiting.h"
#include "queue/queue.h"

#include <stdio.h>

// "all 2 places to compute are taken"
static void tell_places(service *s, char *out, size_t size) {
  int places = queue_slots(s->queue);
  if (!*store_only_node(s->store))
    snprintf(out, size, "all places to compute are taken, at every node");
  else if (places == 1)
    snprintf(out, size, "the only place to compute is taken");
  else
    snprintf(out, size, "all %d places to compute are taken", places);
}

static const char *turn_of(service *s, job_view *view, int most) {
  char places[80];
  int64_t before = 0;
  if (*store_only_node(s->store) && queue_running(s->queue) < queue_slots(s->queue)) return NULL; // in a moment
  if (store_job_before(s->store, &view->row, most, &before) != STORE_OK) return NULL;
  tell_places(s, places, sizeof places);
  const char *whose = *view->row.queue && view->row.queue[0] != STORE_EXPRESS[0] ? " of the same owner" : "";
  if (before == 0)
    snprintf(view->waiting_text, sizeof view->waiting_text, "its turn: it is the next%s; %s", whose, places);
  else
    snprintf(view->waiting_text, sizeof view->waiting_text, "its turn: %lld%s job%s%s before it; %s", (long long)before,
             before >= most ? " or more" : "", before == 1 ? "" : "s", whose, places);
  return view->waiting_text;
}

static const char *queued_for(service *s, job_view *view, int most) {
  static const char drained[] = "every node is drained: resume one (tendril nodes resume NAME), or start another";
  static const char alive[] = "no node is alive: one that takes jobs";
  static const char room[] = "room on the disk of the data folder: what it would compute could not be kept";
  if (view->row.waiting) return view->row.waiting;
  store_takers takers = store_node_takers(s->store);
  if (takers == STORE_TAKERS_DRAINED) return drained;
  if (takers == STORE_TAKERS_NONE) return alive;
  if (!store_seems_to_have_room(s->store)) return room;
  return turn_of(s, view, most);
}

static bool is_starved(double computed_s, double of_s) {
  static const double notable_s = 5, most = 2;
  return of_s > notable_s && of_s > most * computed_s;
}

static const char *running_for(service *s, job_view *view) {
  const store_job *job = &view->row;
  static const char room[] = "the disk is full: there is not even room to say in its row that it waits";
  static const char end[] = "its end: it was cancelled, and its worker stops at its next step";
  static const char others[] = "its turn: its worker is stopped in memory while jobs of others compute";
  double computed_s, of_s;
  if (job->cancel) return end;
  if (job_is_sweep(job)) return NULL;
  if (queue_waits_for_room(s->queue, job->id)) return room;
  if (queue_is_parked(s->queue, job->id)) return others;
  if (!queue_find_processor(s->queue, job->id, &computed_s, &of_s) || !is_starved(computed_s, of_s)) return NULL;
  snprintf(view->waiting_text, sizeof view->waiting_text,
           "a processor: it had %.3g s of one in the last %.3g s, as the machine is busy with other things", computed_s,
           of_s);
  return view->waiting_text;
}

void jobs_tell_waiting(service *s, job_view *view, int most) {
  view->waiting_for = view->row.state == JOB_QUEUED    ? queued_for(s, view, most)
                      : view->row.state == JOB_RUNNING ? running_for(s, view)
                                                       : NULL;
}
