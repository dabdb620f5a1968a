// Time, from clock_gettime only; formatting is RFC 3339 in UTC.
#include "base/clock.h"

#include <math.h>
#include <stdio.h>

int64_t clock_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t clock_boot_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

double clock_monotonic_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct timespec clock_monotonic_after(double seconds) {
  double whole = floor(seconds);
  struct timespec when;
  clock_gettime(CLOCK_MONOTONIC, &when);
  long ns = when.tv_nsec + (long)(1e9 * (seconds - whole));
  when.tv_sec += (time_t)whole + ns / 1000000000;
  when.tv_nsec = ns % 1000000000;
  return when;
}

void clock_format(int64_t ms, char text[CLOCK_TEXT_SIZE]) {
  time_t seconds = (time_t)(ms / 1000);
  struct tm utc;
  gmtime_r(&seconds, &utc);
  char date[CLOCK_TEXT_SIZE - 8];
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
  snprintf(text, CLOCK_TEXT_SIZE, "%s.%03dZ", date, (int)(ms % 1000));
}
