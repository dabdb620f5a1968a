// What an execution tells on its way: how far it is, that its time is up, that the disk fails.
#include "base/clock.h"
#include "worker/execute/parts.h"

#include <math.h>
#include <time.h>

static const double REPORT_INTERVAL_S = 0.1;
static const double NOTABLE_S = 2, BUSY = 2; // as much longer than it computed is worth a word

double execute_spent_s(const execution *r) {
  const execute_observer *o = r->observer;
  return clock_monotonic_s() - r->started_s - (o->away_s ? o->away_s(o->context) : 0);
}

static bool is_late(const execution *r) { return r->job.max_wall_s > 0 && execute_spent_s(r) > r->job.max_wall_s; }

// The observer hears, while it is told, for how long the process was stopped.
bool execute_report(execution *r, double fraction, double t, double t_end) {
  double now = clock_monotonic_s();
  r->fraction = fmax(r->fraction, fraction);
  r->t = t;
  r->t_end = t_end;
  if (now - r->reported_s < REPORT_INTERVAL_S && !is_late(r)) return true;
  r->reported_s = now;
  execute_progress told = {r->fraction, t, t_end, r->checking};
  bool goes_on = r->observer->progress(r->observer->context, &told);
  r->out_of_time = goes_on && is_late(r);
  return goes_on && !r->out_of_time;
}

bool execute_report_end(execution *r, double done) {
  r->reported_s = 0; // whatever was told when: it is the last word
  return execute_report(r, r->fraction, done, done);
}

bool execute_report_alive(execution *r) { return execute_report(r, r->fraction, r->t, r->t_end); }

td_status execute_stopped(const execution *r, td_status status, double t, td_error *err) {
  if (status != TD_CANCELLED || !r->out_of_time) return status;
  double wall_s = execute_spent_s(r), processor_s = (double)clock() / CLOCKS_PER_SEC - r->started_cpu_s;
  bool whole = !r->request->resume; // else this process knows a part of it only
  if (!whole || wall_s < NOTABLE_S || wall_s < BUSY * processor_s)
    return td_fail(err, TD_LIMIT, "/max_wall_s", "the job's time of %g s was up at t = %g", r->job.max_wall_s, t);
  return td_fail(
      err, TD_LIMIT, "/max_wall_s",
      "the job's time of %g s was up at t = %g; it had %.3g s of a processor in that time, as the machine is "
      "busy with other things: it may have more (jobs retry --max-wall-s)",
      r->job.max_wall_s, t, processor_s);
}

td_status execute_disk_failed(const execution *r, const char *what, td_error *err) {
  if (r->observer->disk_failed) r->observer->disk_failed(r->observer->context);
  return td_fail(err, TD_LIMIT, "", "%s: the disk is full or fails", what);
}
