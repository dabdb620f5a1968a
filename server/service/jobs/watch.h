// Who waits for news of a job, over either face.
//
// A watcher is a part of what a face keeps of such a caller. It is woken after each commit about its job, when its time
// has come, and when the watch ends; what it does then (resume a connection, queue a step) is the face's. It reads the
// log itself.
#ifndef SERVER_SERVICE_WATCH_H
#define SERVER_SERVICE_WATCH_H

#include "store/store.h"

typedef struct watch watch;

typedef struct watch_entry {
  char job[ID_SIZE];
  /// From any thread and under the lock of the watch: it must be quick, and neither enter nor leave.
  void (*wake)(struct watch_entry *w);
  /// It is woken after this time of the monotonic clock, within a second, until it is moved; INFINITY: never.
  _Atomic double due_s;
  struct watch_entry *next, *previous; ///< of the watch
} watch_entry;

/// Listens to the store and keeps the time. NULL when there are no threads or not enough memory.
watch *watch_start(store *s);
/// From here on the watcher is woken.
void watch_enter(watch *all, watch_entry *w);
/// When it returns the watcher is woken no more.
void watch_leave(watch *all, watch_entry *w);
/// Nobody shall wait any more: wakes all, who find watch_is_ending.
void watch_end(watch *all);
bool watch_is_ending(const watch *all);
/// When all have left. NULL is allowed.
void watch_destroy(watch *all);

#endif
