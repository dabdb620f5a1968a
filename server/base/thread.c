// A shorter slice: Linux lets a thread that wakes take over from one of longer slices at once (sched(7), EEVDF). Five
// steps of niceness are a third of the weight. By sched_setattr, as the service's unit allows that call and not
// setpriority.
#include "base/thread.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLICE_NS = 100000 }; // the shortest that Linux takes
enum { NICE_COMPUTING = 5, NICE_MOST = 19 };

// struct sched_attr, which the headers of Debian 12 have for the kernel only.
typedef struct attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
} attributes;

static _Thread_local bool done;

// Those of the main thread, as a thread may have been started by one that was told something else. False: it is not
// shared in the ordinary way, or this one was told before.
static bool read_main(attributes *a) {
  if (done) return false;
  done = true;
  *a = (attributes){.size = sizeof *a};
  if (syscall(SYS_sched_getattr, getpid(), a, sizeof *a, 0) != 0 || a->policy != SCHED_OTHER) return false;
  a->size = sizeof *a;
  return true;
}

void thread_answers(void) {
  attributes a;
  if (!read_main(&a)) return;
  a.runtime = SLICE_NS;
  syscall(SYS_sched_setattr, 0, &a, 0);
}

static void stand_back(int steps) {
  attributes a;
  if (!read_main(&a)) return;
  a.nice = a.nice + steps < NICE_MOST ? a.nice + steps : NICE_MOST;
  syscall(SYS_sched_setattr, 0, &a, 0);
}

void thread_computes(void) { stand_back(NICE_COMPUTING); }
void thread_works_behind(int steps) { stand_back(steps); }
