// Inside the queue only: a slot and what its attempt needs.
#ifndef SERVER_QUEUE_SLOT_H
#define SERVER_QUEUE_SLOT_H

#include "queue/queue.h"

#include <pthread.h>

typedef struct slot {
  queue *q;
  pthread_t thread;
  int wake_fd; ///< eventfd: `cancel` or the queue's `stopping` changed
  // under q->lock:
  char id[ID_SIZE]; ///< "" when idle
  queue_progress progress;
  bool reported, cancel;
} slot;

struct queue {
  store *store;
  queue_options options;
  char program[4096];
  pthread_mutex_t lock;
  pthread_cond_t submitted;
  uint64_t submissions;
  bool stopping;
  int slot_count;
  slot slots[];
};

typedef enum attempt_end {
  ATTEMPT_SUCCEEDED, ///< the result is complete and verified
  ATTEMPT_FAILED,    ///< the worker said why
  ATTEMPT_CANCELLED,
  ATTEMPT_CRASHED, ///< the worker ended or spoke nonsense
  ATTEMPT_STOPPED, ///< the server stops: at a checkpoint, or ended because none came in time
} attempt_end;

typedef struct attempt_report {
  attempt_end end;
  char error[2048]; ///< FAILED: JSON {code, detail, pointer}; CRASHED: a sentence
  int64_t result_size;
  char result_sha256[DIGEST_HEX_SIZE];
} attempt_report;

/// Runs one attempt of a claimed job in a worker process and waits for its end. On ATTEMPT_SUCCEEDED the result file has
/// its final name.
void attempt_run(slot *s, const store_job *job, const char *model_document, attempt_report *report);
/// True (under the lock inside) when the slot's job should be cancelled, or the server stops.
bool slot_cancelled(slot *s);
bool slot_stopping(slot *s);
void slot_set_progress(slot *s, const queue_progress *progress);

#endif
