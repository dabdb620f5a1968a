// Wall and CPU time of a run, for its statistics only: no result depends on it.
#ifndef TENDRIL_BASE_STOPWATCH_H
#define TENDRIL_BASE_STOPWATCH_H

#include <time.h>

typedef struct td_stopwatch {
  struct timespec wall, cpu;
} td_stopwatch;

static inline td_stopwatch td_stopwatch_start(void) {
  td_stopwatch w;
  clock_gettime(CLOCK_MONOTONIC, &w.wall);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &w.cpu);
  return w;
}

static inline double td_seconds_since(clockid_t clock, const struct timespec *from) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)(now.tv_sec - from->tv_sec) + 1e-9 * (double)(now.tv_nsec - from->tv_nsec);
}

static inline void td_stopwatch_read(const td_stopwatch *w, double *wall_s, double *cpu_s) {
  *wall_s = td_seconds_since(CLOCK_MONOTONIC, &w->wall);
  *cpu_s = td_seconds_since(CLOCK_THREAD_CPUTIME_ID, &w->cpu);
}

#endif
