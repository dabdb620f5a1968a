// Ctrl-C while something is followed: a flag instead of an end.
#ifndef TENDRIL_CLIENT_INTERRUPT_H
#define TENDRIL_CLIENT_INTERRUPT_H

#include <stdbool.h>

/// From now on SIGINT and SIGTERM raise a flag; a second one ends the program at once.
void interrupt_catch(void);
/// Whether one came. Takes a context that it does not read, so that it can be a tendril_options.stop.
bool interrupted(void *context);

#endif
