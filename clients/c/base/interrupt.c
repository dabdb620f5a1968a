// The handler only sets a flag; the transfers of the library look at it several times a second, those of several jobs
// in threads of their own: hence an atomic, which is free of locks and so may be set by a handler.
#include "base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int raised;

static void on_signal(int number) {
  (void)number;
  raised = 1;
}

void interrupt_catch(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void *context) {
  (void)context;
  return raised != 0;
}
