// What a confined worker cannot do any more, tried in a process of its own; sanitized builds are confined by their
// limits only.
#include "support/suite.h"
#include "worker/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

// Runs `attempt` in a confined child; true when it returned true there.
static bool confined(bool (*attempt)(void)) {
  snprintf(folder, sizeof folder, "/tmp/tendril-confine-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  pid_t pid = fork();
  ck_assert_int_ge(pid, 0);
  if (pid == 0) {
    worker_confine(folder, 0);
    _exit(attempt() ? 0 : 1);
  }
  int status = 0;
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  rmdir(folder);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool reads_a_file(void) { return open("/etc/passwd", O_RDONLY) >= 0; }
static bool writes_elsewhere(void) { return open("/tmp/tendril-elsewhere", O_WRONLY | O_CREAT, 0600) >= 0; }
static bool makes_a_socket(void) { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }
static bool signals_its_parent(void) { return kill(getppid(), 0) == 0; }
static bool makes_a_process(void) { return fork() >= 0; }
static bool starts_a_program(void) {
  execl("/bin/true", "true", (char *)NULL);
  return false; // a program that started would have ended with 0
}

static bool has_a_temporary_file(void) {
  int fd = open(folder, O_TMPFILE | O_RDWR, 0600);
  char text[4] = "";
  return fd >= 0 && write(fd, "abc", 3) == 3 && ftruncate(fd, 2) == 0 && pread(fd, text, 3, 0) == 2;
}

static bool computes(void) {
  char *block = calloc(1, 64 << 20);
  bool good = block && snprintf(block, 32, "%g", 0.1 * getpid()) > 0;
  free(block);
  return good;
}

static bool has_limits(void) {
  struct rlimit core, file;
  return getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0 && getrlimit(RLIMIT_FSIZE, &file) == 0 &&
         file.rlim_max != RLIM_INFINITY;
}

START_TEST(it_computes_and_has_its_temporary_files) {
  ck_assert(confined(computes));
  ck_assert(confined(has_a_temporary_file));
  ck_assert(confined(has_limits));
}
END_TEST

START_TEST(it_makes_no_socket_no_process_and_reaches_no_other) {
  if (!worker_confinement().filter) return;
  ck_assert(!confined(makes_a_socket));
  ck_assert(!confined(makes_a_process));
  ck_assert(!confined(starts_a_program));
  ck_assert(!confined(signals_its_parent));
}
END_TEST

START_TEST(it_opens_no_file_of_others) {
  if (worker_confinement().landlock == 0) return;
  ck_assert(!confined(reads_a_file));
  ck_assert(!confined(writes_elsewhere));
}
END_TEST

TEST_MAIN("confine", it_computes_and_has_its_temporary_files, it_makes_no_socket_no_process_and_reaches_no_other,
          it_opens_no_file_of_others)
