#include "worker/confine.h"
#include "base/limits.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
static const char OOM_SCORE[] = "500\n"; // the server has 0: a worker is what the kernel ends first
enum { FILE_SLACK = 64 << 20 };

// ------------------------------------------------------------------------------------------- privileges and resources

static void give_up_privileges(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
  memset(none, 0, sizeof none);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  syscall(SYS_capset, &header, none);
}

static void limit_resources(int nice) {
  thread_works_behind(nice);
  rlim_t bytes = (rlim_t)LIMIT_RESULT_BYTES + FILE_SLACK;
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = bytes, .rlim_max = bytes});
  setrlimit(RLIMIT_CORE, &(struct rlimit){.rlim_cur = 0, .rlim_max = 0});
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = write(fd, OOM_SCORE, sizeof OOM_SCORE - 1);
  (void)n; // best effort
  close(fd);
}

// --------------------------------------------------------------------------------------------------------------- files

// Debian 12's headers know the first version of Landlock; these are of later ones.
enum {
  ACCESS_REFER = 1 << 13,
  ACCESS_TRUNCATE = 1 << 14,
  ACCESS_IOCTL_DEV = 1 << 15,
  NET_BIND = 1 << 0,
  NET_CONNECT = 1 << 1
};

typedef struct ruleset { // struct landlock_ruleset_attr of version 4
  uint64_t files, network;
} ruleset;

static int landlock_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

static uint64_t files_known(int version) {
  uint64_t all = (1 << 13) - 1; // version 1
  if (version >= 2) all |= ACCESS_REFER;
  if (version >= 3) all |= ACCESS_TRUNCATE;
  if (version >= 5) all |= ACCESS_IOCTL_DEV;
  return all;
}

static void allow_folder(int rules, const char *folder, uint64_t known) {
  uint64_t wanted = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                    LANDLOCK_ACCESS_FS_MAKE_REG | ACCESS_TRUNCATE;
  int fd = folder ? open(folder, O_PATH | O_CLOEXEC) : -1;
  struct landlock_path_beneath_attr below = {.allowed_access = wanted & known, .parent_fd = fd};
  if (fd < 0) return;
  syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
  close(fd);
}

static void restrict_files(const char *tmp) {
  int version = landlock_version();
  ruleset r = {.files = files_known(version), .network = NET_BIND | NET_CONNECT};
  size_t size = version >= 4 ? sizeof r : offsetof(ruleset, network);
  int rules = version > 0 ? (int)syscall(SYS_landlock_create_ruleset, &r, size, 0) : -1;
  if (rules < 0) return;
  allow_folder(rules, tmp, r.files);
  syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
}

// -------------------------------------------------------------------------------------------------------- system calls

// Memory, time, its socket and files, its own end. No program, no socket of its own, no other process, no thread.
static const char *const calls[] = {
    "read",
    "write",
    "readv",
    "writev",
    "pread64",
    "pwrite64",
    "preadv",
    "pwritev",
    "lseek",
    "close",
    "fstat",
    "newfstatat",
    "fcntl",
    "dup",
    "ftruncate",
    "fallocate",
    "fsync",
    "fdatasync",
    "copy_file_range",
    "sendfile",
    "openat",
    "open",
    "unlink",
    "unlinkat",
    "poll",
    "ppoll",
    "recvmsg",
    "recvfrom",
    "sendmsg",
    "sendto",
    "shutdown",
    "brk",
    "mmap",
    "munmap",
    "mremap",
    "mprotect",
    "madvise",
    "mbind",
    "futex",
    "sched_yield",
    "sched_getaffinity",
    "clock_gettime",
    "clock_nanosleep",
    "nanosleep",
    "gettimeofday",
    "times",
    "getrusage",
    "getrandom",
    "getpid",
    "gettid",
    "getppid",
    "prlimit64",
    "setrlimit",
    "getrlimit",
    "sysinfo",
    "uname",
    "rseq",
    "set_robust_list",
    "membarrier",
    "restart_syscall",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sigaltstack",
    "exit",
    "exit_group",
};

static void *make_filter(void) {
  void *filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  bool good = filter != NULL;
  for (size_t i = 0; good && i < sizeof calls / sizeof *calls; i++) {
    int number = seccomp_syscall_resolve_name(calls[i]);
    if (number != __NR_SCMP_ERROR) good = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0) == 0;
  }
  // An abort is a signal to oneself.
  int tgkill = seccomp_syscall_resolve_name("tgkill");
  struct scmp_arg_cmp own = {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = (scmp_datum_t)getpid(), .datum_b = 0};
  good = good && seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, tgkill, 1, &own) == 0;
  if (good) return filter;
  seccomp_release(filter);
  return NULL;
}

static bool filter_calls(void) {
  void *filter = make_filter();
  bool loaded = filter && seccomp_load(filter) == 0;
  seccomp_release(filter);
  return loaded;
}

// ----------------------------------------------------------------------------------------------------------------- all

confinement worker_confinement(void) {
  if (SANITIZED) return (confinement){.landlock = 0};
  return (confinement){.landlock = landlock_version(), .filter = prctl(PR_GET_SECCOMP) >= 0};
}

confinement worker_confine(const char *tmp, int nice) {
  limit_resources(nice);
  give_up_privileges();
  confinement done = {.landlock = SANITIZED ? 0 : landlock_version()};
  if (SANITIZED) return done;
  restrict_files(tmp);
  done.filter = filter_calls();
  return done;
}
