// From queued jobs to worker processes: N slots, each a thread that claims a job, runs one attempt of it, settles it.
#ifndef SERVER_QUEUE_QUEUE_H
#define SERVER_QUEUE_QUEUE_H

#include "store/store.h"

typedef struct queue queue;

typedef struct queue_options {
  int workers;         ///< slots, so worker processes at a time
  const char *program; ///< path of tendril-worker
  int memory_mb;       ///< address space of a worker, 0: no limit
  int nice;            ///< steps of niceness that a worker has more than the server
  int parked;          ///< jobs whose workers are stopped while others have their turn, at most
  int slice_s;         ///< a job that ran so long makes room for who is served less, 0: never
  int wall_s;          ///< max_wall_s of jobs that say none, 0: no bound
} queue_options;

typedef struct queue_progress {
  double fraction, t, t_end;
  bool checking; ///< the run is over, a second one measures its errors
} queue_progress;

/// Starts the slots, which look for jobs whenever the store says that there is work. NULL when memory or threads are
/// short.
queue *queue_start(store *s, const queue_options *options);
/// Asks the worker of a running job to stop at its next step. Nothing happens when no slot runs it.
void queue_cancel(queue *q, const char *id);
/// Progress of a running attempt. False when no slot runs it (or nothing was reported yet).
bool queue_find_progress(queue *q, const char *id, queue_progress *progress);
/// Rows that a running attempt here has shown since its last checkpoint, as a part to be read and closed
/// (store_part_close). False: there are none.
bool queue_open_glance(queue *q, const char *id, store_part *part);
/// Processor time that its worker had in the last of_s seconds, about half a minute. False: no slot runs it, or since
/// too short a time.
bool queue_find_processor(queue *q, const char *id, double *computed_s, double *of_s);
/// Whether its worker is stopped here while others have their turn.
bool queue_is_parked(queue *q, const char *id);
/// True while an attempt has ended for want of room on the disk and its row cannot even be changed.
bool queue_waits_for_room(queue *q, const char *id);
/// Progress of a sweep, in jobs: those that ended, and the fractions of those that run.
queue_progress queue_sweep_progress(queue *q, const store_job *sweep);
/// Jobs that compute, and how many may.
int queue_running(queue *q);
int queue_slots(const queue *q);
/// Seconds since it had a job last, or since it began; 0 while it has one.
double queue_idle_s(queue *q);
/// No new claims; running workers are ended and their jobs queued again; returns when all slots have ended. The other
/// functions may still be called, until queue_destroy.
void queue_stop(queue *q);
/// Frees a stopped queue. NULL is allowed.
void queue_destroy(queue *q);

#endif
