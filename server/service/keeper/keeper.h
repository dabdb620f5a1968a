// What keeps the data folder in order while the server runs: results against their rows, age, quota.
#ifndef SERVER_SERVICE_KEEPER_H
#define SERVER_SERVICE_KEEPER_H

#include "service/fault.h"
#include "store/store.h"

typedef struct keeper keeper;

typedef struct keeper_options {
  int retention_days;     ///< jobs that ended are deleted this many days later; 0: never
  int retention_min_days; ///< and never earlier than this, whatever the quota
  int64_t quota_bytes;    ///< of all results and of what is kept of unfinished jobs; 0: none
  int64_t owner_bytes;    ///< of results of one owner, where there are several; 0: as much as of all
  bool one_owner;         ///< what all have made is everybody's
} keeper_options;

/// Starts its thread. NULL when memory or threads are short.
keeper *keeper_start(store *s, const keeper_options *options);
void keeper_stop(keeper *k);
const keeper_options *keeper_get_options(const keeper *k);
/// False, with a fault, while results of this owner ("": nobody) fill their share of the quota and none of them may be
/// deleted yet.
bool keeper_accepts(keeper *k, const char *owner, fault *f);

/// At start, before anything is queued again: results whose rename was the last thing that a dead server did are taken
/// over, by the rules of (job, attempt). Returns how many.
int keeper_adopt_results(store *s);

#endif
