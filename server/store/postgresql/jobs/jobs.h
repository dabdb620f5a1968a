// Inside the room of jobs: what its files share.
#ifndef SERVER_STORE_POSTGRESQL_JOBS_JOBS_H
#define SERVER_STORE_POSTGRESQL_JOBS_JOBS_H

#include "store/postgresql/postgresql.h"

typedef struct pg_queue {
  char name[STORE_NAME_SIZE];
  int64_t running; ///< anywhere; in the order of turns: without those that end here
  int64_t turn;
  int planned; ///< how many of it a claim is about to take
  bool dry;    ///< it gave fewer than that: no more of it is due, or others are taking them
} pg_queue;

typedef struct pg_item { ///< what one caller wants; first member of what says it
  struct pg_item *next;
  bool done;
} pg_item;
/// Returns when `all` was called with a list in which `mine` is, of at most `most` items: one caller calls it for all
/// who came meanwhile.
void pg_gather(pg_gathering *g, store *s, pg_item *mine, int most, void (*all)(store *s, pg_item *list, int count));

/// What queues have had so far.
void pg_turns_of(store *s, pg_queue *queues, int count);
/// Puts them in the order of their turns.
void pg_turns_order(pg_queue *queues, int count);
/// The first in that order of those that are not dry; NULL: all are.
pg_queue *pg_turns_first(pg_queue *queues, int count);
/// A job of a queue was taken; `queues` are all that have jobs that wait.
void pg_turn_taken(store *s, const char *queue, const pg_queue *queues, int count);

/// An attempt of a job is this process's own, and not any more. False without memory.
bool pg_held_add(store *s, const char *id, int attempt);
void pg_held_remove(store *s, const char *id, int attempt);

/// The row that a change with TELL_STATES gave: its parent, then its state. STORE_PRECONDITION when it was not the row
/// that was expected.
store_status pg_moved(pg_rows *rows, store_status status, char parent[ID_SIZE], job_state *state);
#endif
