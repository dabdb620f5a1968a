// What a worker may still do once it has its socket: compute, and read and write what it is handed.
//
// A worker runs documents of strangers through a large library. Were one to take it over, it would find no privileges,
// no files but temporary ones of its own, no network, no other process, and no program to start.
#ifndef SERVER_WORKER_CONFINE_H
#define SERVER_WORKER_CONFINE_H

#include <stdbool.h>

typedef struct confinement {
  int landlock; ///< version of the kernel's, 0: none
  bool filter;  ///< of system calls
} confinement;

/// For good, and for all that follows: no new privileges, no capabilities, first to go when there is not enough memory,
/// files of at most LIMIT_RESULT_BYTES, no core dumps; system calls by a list (others fail with EPERM); files below
/// `tmp` only
/// (NULL: none), no TCP. Whatever the kernel lacks is left out. Sanitized builds keep their system calls and files:
/// their runtime needs them.
/// @param nice  steps of niceness more than it was started with, 0: none
confinement worker_confine(const char *tmp, int nice);
/// What worker_confine would do here, without doing it.
confinement worker_confinement(void);

#endif
