// A shorter slice: Linux lets a thread that wakes take over from one of longer slices at once (sched(7), EEVDF).
#include "base/thread.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLICE_NS = 100000 }; // the shortest that Linux takes

// struct sched_attr, which the headers of Debian 12 have for the kernel only.
typedef struct attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
} attributes;

void thread_answers(void) {
  static _Thread_local bool done;
  if (done) return;
  done = true;
  attributes a = {.size = sizeof a};
  if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) != 0 || a.policy != SCHED_OTHER) return;
  a.size = sizeof a;
  a.runtime = SLICE_NS;
  syscall(SYS_sched_setattr, 0, &a, 0);
}
