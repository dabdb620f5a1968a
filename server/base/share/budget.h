// What the server keeps in memory for its callers, in accounts, and one budget for all of it (--memory).
//
//   switch (budget_take(BUDGET_BODIES, bytes)) {
//   case BUDGET_TAKEN: … budget_give(BUDGET_BODIES, bytes);
//   case BUDGET_FULL:  later there will be room: unavailable
//   case BUDGET_NEVER: more than the account may ever have: too_large
//   }
//
// An account may have a share of the budget, so that no kind of memory leaves nothing to the others, and the last
// eighth of budget and share is for takes of at most BUDGET_SMALL_BYTES: whoever asks for little is served while others
// ask for much. Amounts are those of allocations (or good estimates of them). What the process has besides (the
// program, caches of the database, connections, threads, what is too small to count, what the allocator has not given
// back) is looked at twice a second and belongs to the whole, too, up to half of it: the process stays within its
// budget. Blocks above BUDGET_SMALL_BYTES go back to the system when they are freed.
//
// Without a budget (workers, clients, tests) everything is taken and counted. Any thread may call at any time; nothing
// waits.
#ifndef SERVER_BASE_SHARE_BUDGET_H
#define SERVER_BASE_SHARE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum budget_account {
  BUDGET_BODIES,      ///< of requests, as far as they have come
  BUDGET_PARSING,     ///< trees of JSON documents
  BUDGET_MODELS,      ///< frozen models and their workspaces
  BUDGET_EVALUATIONS, ///< states and numbers of evaluations at work
  BUDGET_REPLIES,     ///< made and not taken yet
  BUDGET_CALLS,       ///< messages of gRPC
  BUDGET_PARKED,      ///< workers that are stopped while others have their turn: of their processes, not of this one
  BUDGET_ACCOUNT_COUNT
} budget_account;

enum { BUDGET_SMALL_BYTES = 256 << 10, BUDGET_LEAST_MB = 64 };

typedef enum budget_answer { BUDGET_TAKEN, BUDGET_FULL, BUDGET_NEVER } budget_answer;

/// Before anything is taken; 0: no budget.
void budget_set(uint64_t bytes);
uint64_t budget_bytes(void);
/// The most that an account gives at once.
uint64_t budget_most(budget_account account);
budget_answer budget_take(budget_account account, uint64_t bytes);
/// The same without anybody asked for room, and nothing is counted as refused.
bool budget_try(budget_account account, uint64_t bytes);
/// What is there already, whether it fits or not; negative: it is no more.
void budget_count(budget_account account, int64_t bytes);
void budget_give(budget_account account, uint64_t bytes);
/// In an account now.
uint64_t budget_used(budget_account account);
/// Times that an account was asked for what it did not have.
uint64_t budget_refused(budget_account account);

/// Asked for room, once, before a take is refused: gives back what it can of what nobody needs now, at least `bytes`
/// when there is so much. May be called by any thread that takes.
typedef void budget_reclaim(void *context, uint64_t bytes);
/// One for all; NULL: none.
void budget_on_full(budget_reclaim *reclaim, void *context);

/// Gives memory that was freed in pieces back to the system, when much was given back since it was last done. Takes
/// milliseconds; called now and then by a thread that has time.
void budget_trim(void);

/// Looks at what the process has besides the accounts. Takes microseconds; called now and then by a thread that has
/// time.
void budget_look(void);
/// The largest of the last looks; old ones fade (half in 11 s of looks twice a second).
uint64_t budget_besides(void);

/// Memory that this process may have: of the machine, or of the strictest of its control groups (versions 1 and 2)
/// below `root` ("" for the system's own files).
uint64_t budget_machine_bytes(const char *root);

#endif
