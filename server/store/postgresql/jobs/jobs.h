// Inside the room of jobs: what its files share.
#ifndef SERVER_STORE_POSTGRESQL_JOBS_JOBS_H
#define SERVER_STORE_POSTGRESQL_JOBS_JOBS_H

#include "store/postgresql/postgresql.h"

typedef struct pg_queue {
  char name[STORE_NAME_SIZE];
  int64_t running; ///< anywhere; in the order of turns: without those that end here
  int64_t turn;
} pg_queue;

enum { PG_CLAIMS_MAX = 32 };
typedef struct pg_claimed {
  int wanted, count;
  store_job jobs[PG_CLAIMS_MAX]; ///< [count] to be freed
  int64_t next_due_ms;           ///< when there are fewer than wanted; by this process's clock, 0: none waits
} pg_claimed;
/// Claims up to `wanted` jobs in one change. STORE_NOT_FOUND when there is none.
store_status pg_claim(store *s, pg_claimed *claimed);

/// Puts queues in the order of their turns.
void pg_turns_order(store *s, pg_queue *queues, int count);
/// A job of a queue was taken; `queues` are all that have jobs that wait.
void pg_turn_taken(store *s, const char *queue, const pg_queue *queues, int count);

/// An attempt of a job is this process's own, and not any more. False without memory.
bool pg_held_add(store *s, const char *id, int attempt);
void pg_held_remove(store *s, const char *id, int attempt);

/// The row that a change with TELL_STATES gave: its parent, then its state. STORE_PRECONDITION when it was not the row
/// that was expected.
store_status pg_moved(pg_rows *rows, store_status status, char parent[ID_SIZE], job_state *state);
#endif
