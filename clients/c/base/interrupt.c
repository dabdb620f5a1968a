// The handler only sets a flag; the transfers of the library look at it several times a second.
#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t raised;

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
