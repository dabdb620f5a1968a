// Cores: those of the machine are not all this process's own. In a container, a job of Slurm or under taskset it may
// run on some of them (sched_getaffinity); a control group may bound its time on all of them (cpu.max,
// cpu.cfs_quota_us).
#include "base/share/cores.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 4096, PATH_SIZE = 3 * TEXT_SIZE };

static bool read_text(const char *path, char text[TEXT_SIZE]) {
  FILE *file = fopen(path, "re");
  size_t size = file ? fread(text, 1, TEXT_SIZE - 1, file) : 0;
  if (file) fclose(file);
  text[size] = '\0';
  return size > 0;
}

// "QUOTA PERIOD" in microseconds; "max" and -1 are no bound.
static double ratio(const char *quota, const char *period) {
  double most = strtod(quota, NULL), each = strtod(period, NULL);
  return most > 0 && each > 0 ? most / each : INFINITY;
}

static bool read_file(const char *folder, const char *name, char text[TEXT_SIZE]) {
  char path[PATH_SIZE];
  int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  return length < (int)sizeof path && read_text(path, text);
}

static double bound_of_v2(const char *folder) {
  char text[TEXT_SIZE];
  return read_file(folder, "cpu.max", text) ? ratio(text, text + strcspn(text, " ")) : INFINITY;
}

static double bound_of_v1(const char *folder) {
  char quota[TEXT_SIZE], period[TEXT_SIZE];
  bool both = read_file(folder, "cpu.cfs_quota_us", quota) && read_file(folder, "cpu.cfs_period_us", period);
  return both ? ratio(quota, period) : INFINITY;
}

// The least of a group and of those that it is in. Seen from inside a container its own is the first.
static double least_of(const char *mount, const char *group, double (*bound)(const char *folder)) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s%s", mount, group);
  size_t first = strlen(mount);
  double least = bound(path);
  for (char *end; (end = strrchr(path + first, '/')); least = fmin(least, bound(path))) *end = '\0';
  return least;
}

// A line of /proc/self/cgroup: "0::/GROUP", or "N:CONTROLLER,CONTROLLER:/GROUP".
static double bound_of_line(char *line, const char *mount) {
  char folder[TEXT_SIZE], *rest = NULL;
  char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!group) return INFINITY;
  *group++ = '\0';
  if (*++controllers == '\0') return least_of(mount, group, bound_of_v2);
  for (char *name = strtok_r(controllers, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    if (strcmp(name, "cpu") != 0) continue;
    snprintf(folder, sizeof folder, "%s/cpu", mount);
    return least_of(folder, group, bound_of_v1);
  }
  return INFINITY;
}

double cores_of_groups(const char *groups, const char *mount) {
  char text[TEXT_SIZE], *rest = NULL;
  double least = INFINITY;
  snprintf(text, sizeof text, "%s", groups);
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    least = fmin(least, bound_of_line(line, mount));
  return least;
}

// Of a machine with more cores than a cpu_set_t holds the kernel wants a larger one.
static int allowed(void) {
  enum { MOST = 1 << 16 };
  long all = sysconf(_SC_NPROCESSORS_ONLN);
  for (int room = CPU_SETSIZE; room <= MOST; room *= 4) {
    cpu_set_t *set = CPU_ALLOC(room);
    size_t size = CPU_ALLOC_SIZE(room);
    int count = set && sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return all > 1 ? (int)all : 1;
}

static int here;

static void look(void) {
  char groups[TEXT_SIZE];
  int cores = allowed();
  double most = read_text("/proc/self/cgroup", groups) ? cores_of_groups(groups, "/sys/fs/cgroup") : INFINITY;
  here = ceil(most) < cores ? (int)ceil(most) : cores;
}

int cores_here(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  return here;
}
