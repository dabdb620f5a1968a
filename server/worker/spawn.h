// Starting and ending worker processes.
#ifndef SERVER_WORKER_SPAWN_H
#define SERVER_WORKER_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct worker_process {
  pid_t pid;
  int fd;    ///< our end of the socket pair
  int pidfd; ///< readable when the process has ended
} worker_process;

enum {
  WORKER_SOCKET = 3,   ///< the worker's end, the only descriptor it inherits besides 0, 1, 2
  WORKER_PROTOCOL = 5, ///< of frames.proto; a worker that says another number is not asked for anything
};

/// Starts `program` (tendril-worker) with the socket as descriptor 3.
/// @param tmp        folder for its temporary files
/// @param memory_mb  address space limit, 0: none
/// @param nice       steps of niceness more than ours
/// @return 0 or an errno
///
/// The worker asks to be killed when the thread that called this ends, so call it from a thread that lives as long as
/// the worker should.
int worker_spawn(const char *program, const char *tmp, int memory_mb, int nice, worker_process *worker);
/// Waits for the end; the status is waitpid's. Closes the descriptors.
int worker_reap(worker_process *worker);
/// Memory that the process has for itself, as far as it is resident; 0: it cannot be told.
uint64_t worker_memory(const worker_process *worker);
void worker_kill(const worker_process *worker, int signal);
/// "killed by signal 9 (Killed)", "exited with status 1".
void worker_describe(int wait_status, char *text, unsigned long size);

#endif
