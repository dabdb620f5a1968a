// Inside the queue only: a slot, its worker, what its attempt needs, and what is left to do when the worker is done.
#ifndef SERVER_QUEUE_SLOT_H
#define SERVER_QUEUE_SLOT_H

#include "base/log/metrics.h"
#include "base/share/pool.h"
#include "queue/queue.h"
#include "worker/channel.h"
#include "worker/spawn.h"

#include <pthread.h>

enum { QUEUE_ENDINGS = 16 }; ///< results that are made durable at a time: their syncs share the disk's work

typedef struct slot_moment {
  double at_s, processor_s; ///< monotonic; that the worker had used then
} slot_moment;

typedef struct slot_use {      ///< of a processor
  slot_moment from, mid, last; ///< mid takes the place of from when it is old enough
} slot_use;

typedef struct slot_job { ///< a job whose attempt is under way, as others may ask for it; under q->lock
  char id[ID_SIZE];       ///< "" when there is none
  char parent[ID_SIZE];   ///< the sweep of that job, "": none
  int attempt;
  queue_progress progress;
  bool reported;
  bool settling; ///< its row is being written: its sweep counts it by that
  bool no_room;  ///< its attempt ended for want of room on the disk, and there is not even any to say so
  char queue[STORE_NAME_SIZE];
  int priority;
  int64_t key_ms; ///< its place in the queue
  double began_s; ///< its attempt
  slot_use use;
} slot_job;

typedef struct slot_glance { ///< rows that may be read though no checkpoint has them; under q->lock
  void *state;               ///< NULL: there are none
  size_t size;
  uint64_t rows; ///< bytes
  int fd;        ///< of the attempt's part, where they lie
} slot_glance;

typedef struct slot_worker { ///< a process that takes one job after the other
  worker_process process;    ///< pid 0: there is none
  bool greeted;              ///< it has said that it is of this version
  bool out_of_time;          ///< it ended because its processor time was up (RLIMIT_CPU)
  channel in;
  uint64_t turn; ///< jobs it had before the present one
} slot_worker;

typedef struct slot {
  queue *q;
  pthread_t thread;
  int wake_fd; ///< eventfd: `cancel` or the queue's `stopping` changed
  slot_worker worker;
  int faults; ///< attempts in a row that could not begin: it rests before the next one
  // under q->lock:
  slot_job now;
  bool cancel;
  bool lost;       ///< somebody else has the job, or may have it: nothing of it is to go on here
  bool yields;     ///< the job goes back into its queue at its next checkpoint, or stops where it is when none comes
  bool keeps;      ///< it can do neither now
  bool permit;     ///< to compute (turns.c)
  bool for_others; ///< it yields to a job of another queue
  bool parked;     ///< its worker is stopped, since
  double parked_s; ///< then
  uint64_t parked_bytes; ///< and has so much memory
  bool evicted;          ///< it was stopped, and is to end: its memory or its place is wanted
  slot_glance glance;
} slot;

typedef enum attempt_end {
  ATTEMPT_SUCCEEDED, ///< the worker is done with the result
  ATTEMPT_FAILED,    ///< the worker said why
  ATTEMPT_CANCELLED,
  ATTEMPT_CRASHED,   ///< the worker ended or spoke nonsense
  ATTEMPT_STOPPED,   ///< the server stops: at a checkpoint, or ended because none came in time
  ATTEMPT_NOT_BEGUN, ///< no worker, descriptor or memory was available, or it is another program's: not counted
} attempt_end;

enum { ATTEMPT_SOLVER_COUNTS = METRIC_SOLVER_FAILURES - METRIC_SOLVER_STEPS + 1 };

typedef struct attempt_report {
  attempt_end end;
  char error[2048]; ///< FAILED: JSON {code, detail, pointer}; CRASHED: a sentence
  char *warnings;   ///< JSON array of {code, detail, pointer}, owned; NULL: none
  bool told;        ///< the worker had its last word: its warnings are all there are
  bool disk;        ///< CRASHED because the disk is full or fails: not counted
  bool parts;       ///< the job has rows or checkpoints that its end makes useless
  int file;         ///< SUCCEEDED: the result, to read, which nobody writes any more; else -1
  int64_t result_size;
  char result_sha256[DIGEST_HEX_SIZE];
  double t_end;                           ///< last told by the worker's progress; 0: nothing was
  uint64_t solver[ATTEMPT_SOLVER_COUNTS]; ///< work since the job began, in the order of METRIC_SOLVER_STEPS …
} attempt_report;

typedef struct ending { ///< a job whose result is being kept while its slot goes on
  pool_task task;
  queue *q;
  slot_job now; ///< under q->lock
  store_job job;
  attempt_report report;
} ending;

struct queue {
  store *store;
  queue_options options;
  char program[4096];
  pthread_mutex_t lock;
  pthread_cond_t work, ended, stops, permitted;
  uint64_t told, cancels; ///< how often there was work, and how many cancels
  bool stopping;
  bool draining; ///< no new claims
  double busy_s; ///< monotonic: when a job was had here last
  bool sliced;   ///< the thread of slices.c runs
  pthread_t slicer;
  pool *pool; ///< of endings
  ending endings[QUEUE_ENDINGS];
  int permits, parked; ///< to compute, that nobody has; slots whose worker is stopped
  int slot_count;
  slot slots[];
};

// attempt.c
/// Runs one attempt of a claimed job in the slot's worker and waits for its end.
void attempt_run(slot *s, const store_job *job, const char *model_document, attempt_report *report);

// slices.c
/// The thread that makes room for who waits; true without slices.
bool queue_start_slices(queue *q);

// turns.c
/// Permits that nobody has and those of slots are as many as workers, and no stopped slot has one; under q->lock.
bool queue_permits_add_up(const queue *q);
/// Waits until the slot may compute. False: the server stops.
bool slot_take_permit(slot *s);
typedef enum park_answer {
  PARK_STOPS,   ///< its worker is to be stopped, and the permit is somebody else's
  PARK_GOES_ON, ///< to its next checkpoint
  PARK_ENDS,    ///< there is no memory to keep it in: it goes back into its queue
} park_answer;
/// The slot's job yields and reaches no checkpoint; its worker has so many bytes. Others that are stopped may have to
/// end for it.
park_answer slot_park(slot *s, uint64_t bytes);
/// It was stopped, and is to end.
bool slot_is_evicted(slot *s);
/// False from when it may go on.
bool slot_is_parked(slot *s);
/// Counts what the slot's job has computed since it was asked last; under q->lock.
void slot_account(slot *s);
/// It goes on without a permit, to its end.
void slot_leave_park(slot *s);
/// Before a claim, or when there is nothing to claim (`idle`): gives the permit to a stopped job whose turn it is.
/// False: there is none.
bool slot_hands_on(slot *s, bool idle);
/// Jobs of a queue that compute; under q->lock.
int slot_running_of(const queue *q, const char *name);

// slot_worker.c
/// A worker that waits for a job: the one that did the last one, or a new process. 0 or an errno.
int slot_worker_get(slot *s);
/// Ends the slot's worker, if there is one: at once, or, `politely`, after it had time to leave by itself. `how`: in
/// words.
enum { WORKER_WORDS_SIZE = 128 };
void slot_worker_end(slot *s, bool politely, char how[WORKER_WORDS_SIZE]);

// settle.c
/// Writes the outcome of an attempt into the store, as often as it takes, and counts it; frees what the report owns.
void queue_settle(queue *q, const store_job *job, attempt_report *report);
/// Keeps the result of a job and settles it, in another thread; waits while all of them are busy. Takes the job over.
void queue_end_later(slot *s, store_job *job, const attempt_report *report);
/// Starts the threads for that; false when they are short.
bool queue_start_endings(queue *q);

// slot.c
/// True (under the lock inside) when the slot's job should be cancelled, or the server stops.
bool slot_cancelled(slot *s);
/// True when its job is not this process's any more.
bool slot_lost(slot *s);
/// No job is to be claimed.
bool queue_draining(queue *q);
bool queue_stopping(queue *q);
/// Others wait: its job is to stop at its next checkpoint.
bool slot_yields(slot *s);
/// Makes the slot's attempt look at these.
void slot_wake(slot *s);
/// Its worker has used so much of a processor now; `anew`: what was before does not count.
void slot_note_processor(slot *s, slot_moment now, bool anew);
void slot_set_progress(slot *s, const queue_progress *progress);
/// The first `rows` bytes of `fd` may be read with `state` (copied) until slot_end_glance.
void slot_set_glance(slot *s, int fd, uint64_t rows, const void *state, size_t size);
/// Forgets it, before its descriptor is closed.
void slot_end_glance(slot *s);

// sweeps.c
/// Adds an event about the progress of the sweep that a running job belongs to.
void queue_tell_sweep(queue *q, const char *id);

#endif
