// Inside the queue only: one attempt of a job, as attempt.c leads it, attempt_hear.c listens and attempt_tell.c speaks.
#ifndef SERVER_QUEUE_ATTEMPT_H
#define SERVER_QUEUE_ATTEMPT_H

#include "queue/slot.h"

typedef struct attempt {
  slot *slot;
  const store_job *job;
  slot_worker *worker;
  int file;                  // for the result, written by the worker
  bool over, last;           // last: the worker takes no other job
  store_part part;           // rows and checkpoint
  double cancel_s;           // when Cancel was sent, 0: not; later while the worker waits for a processor
  double cancel_processor_s; // that the worker had used then
  double next_event_s;       // before it, progress makes no event
  double next_sweep_s;       // the same for the job's sweep
  double drain_s;            // when Drain was sent because the server stops, 0: not
  bool yields;               // it was sent because others wait: there is no hurry
  double park_s;             // when the worker is stopped if it has not yielded before; 0: it is not asked to
  double parked_s;           // since when it is stopped; 0: it is not
  double lease_s;            // when the lease ends
  double processor_s;        // used by the worker when the lease was renewed last
  attempt_report *report;
} attempt;

// attempt_hear.c
/// A frame of the worker: its first word, or any of those about the job.
void attempt_hear(attempt *a, const Tendril__Worker__Frame *f);
/// The attempt is over, and how.
void attempt_end_as(attempt *a, attempt_end how);
/// The worker is lost or spoke nonsense; `detail` says it in words.
void attempt_crash(attempt *a, const char *detail);
/// The disk has failed it, which is not counted.
void attempt_crash_of_disk(attempt *a, const char *what);

// attempt_tell.c: what a dead worker does not hear shows as the end of its stream
/// The job with its files; false when that is not possible.
bool attempt_send_job(attempt *a, const char *model_document);
void attempt_send_cancel(attempt *a);
void attempt_send_drain(attempt *a);
/// It was stopped for so long, and goes on now.
void attempt_send_resumed(attempt *a, double away_s);

#endif
