// posix_spawn of tendril-worker. Never fork: the server has threads, and a child of fork shares their locks.
//
// The child starts with default signals and an empty mask, /dev/null as stdin and stdout, stderr shared for its log
// lines, and no other descriptor than its socket, over which those of its jobs come. It is its own process group, so
// that Ctrl-C on a terminal reaches the server only, which then decides what becomes of its jobs.
#include "worker/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_SIZE = 4200, SEND_TIMEOUT_S = 30, ENVIRONMENT_LIMIT = 512 };

static int set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setpgroup(attributes, 0);
  return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int set_descriptors(posix_spawn_file_actions_t *actions, int socket) {
  posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(actions, socket, WORKER_SOCKET);
  return posix_spawn_file_actions_addclosefrom_np(actions, WORKER_SOCKET + 1);
}

// What a worker has no use for or has its own of, and what it must not know: how to reach the database, and tokens.
static bool is_kept(const char *variable) {
  static const char *const left_out[] = {"TMPDIR=", "OPENBLAS_NUM_THREADS=", "PG", "TENDRIL_STORE", "TENDRIL_TOKEN="};
  for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
    if (strncmp(variable, left_out[i], strlen(left_out[i])) == 0) return false;
  return true;
}

// Our environment with TMPDIR and the BLAS threads of a worker in place of ours.
static void make_environment(const char *tmp, char text[TEXT_SIZE], const char *list[ENVIRONMENT_LIMIT]) {
  size_t count = 0;
  for (char **e = environ; *e && count < ENVIRONMENT_LIMIT - 3; e++)
    if (is_kept(*e)) list[count++] = *e;
  snprintf(text, TEXT_SIZE, "TMPDIR=%s", tmp);
  list[count++] = text;
  list[count++] = "OPENBLAS_NUM_THREADS=1";
  list[count] = NULL;
}

static int spawn_with(const char *program, const char *tmp, int memory_mb, int nice, int socket, pid_t *pid) {
  char parent[16], memory[16], steps[16], tmpdir[TEXT_SIZE];
  const char *environment[ENVIRONMENT_LIMIT];
  snprintf(parent, sizeof parent, "%d", getpid());
  snprintf(memory, sizeof memory, "%d", memory_mb);
  snprintf(steps, sizeof steps, "%d", nice);
  make_environment(tmp, tmpdir, environment);
  const char *arguments[] = {"tendril-worker", "--serve", parent, memory, steps, NULL};
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_init(&actions);
  int error = set_attributes(&attributes);
  if (!error) error = set_descriptors(&actions, socket);
  if (!error)
    error = posix_spawn(pid, program, &actions, &attributes, (char *const *)arguments, (char *const *)environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

int worker_spawn(const char *program, const char *tmp, int memory_mb, int nice, worker_process *worker) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return errno;
  struct timeval timeout = {.tv_sec = SEND_TIMEOUT_S}; // a worker that never reads its job must not hold us
  setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  *worker = (worker_process){.fd = pair[0], .pidfd = -1};
  int error = spawn_with(program, tmp, memory_mb, nice, pair[1], &worker->pid);
  close(pair[1]);
  if (error) return close(pair[0]), error;
  worker->pidfd = pidfd_open(worker->pid, 0);
  if (worker->pidfd >= 0) return 0;
  error = errno;
  worker_kill(worker, SIGKILL);
  worker_reap(worker);
  return error;
}

uint64_t worker_memory(const worker_process *worker) {
  char path[32], line[128];
  unsigned long long resident = 0, shared = 0;
  snprintf(path, sizeof path, "/proc/%d/statm", (int)worker->pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
  if (fd >= 0) close(fd);
  line[n > 0 ? n : 0] = '\0';
  if (sscanf(line, "%*u %llu %llu", &resident, &shared) != 2 || shared > resident) return 0;
  return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void worker_kill(const worker_process *worker, int signal) { kill(worker->pid, signal); }

int worker_reap(worker_process *worker) {
  int status = 0;
  while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR) {
  }
  close(worker->fd);
  if (worker->pidfd >= 0) close(worker->pidfd);
  return status;
}

void worker_describe(int wait_status, char *text, unsigned long size) {
  if (WIFSIGNALED(wait_status))
    snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
  else
    snprintf(text, size, "exited with status %d", WEXITSTATUS(wait_status));
}
