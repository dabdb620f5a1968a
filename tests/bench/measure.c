// Measuring: samples of a call, and their median and minimum.
//
// Method: short calls are repeated within a sample until it lasts about 5 ms, so that reading the clock does not count;
// long ones are a sample each, and a very long one is not even warmed up. Many short samples rather than few long ones:
// on a machine that others use too, the minimum then comes from an undisturbed stretch.
#include "bench/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_SAMPLES = 1 << 14, MIN_SAMPLES = 7 };
static const double sample_s = 5e-3, warm_up_s = 20e-3, enough_s = 0.2, long_s = 5;

double bench_now(bench_clock clock) {
  struct timespec t;
  clock_gettime(clock == BENCH_CPU ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_note(bench_figure *figure, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(figure->note, sizeof figure->note, format, values);
  va_end(values);
}

void bench_fail(bench_figure *figure, const char *format, ...) {
  if (figure->failed) return;
  va_list values;
  va_start(values, format);
  vsnprintf(figure->note, sizeof figure->note, format, values);
  va_end(values);
  figure->median = figure->min = NAN;
  figure->failed = true;
}

// Seconds of `count` calls; negative when one failed.
static double time_calls(const bench_plan *plan, size_t count) {
  double start = bench_now(plan->clock);
  for (size_t i = 0; i < count; i++)
    if (!plan->call(plan->context)) return -1;
  return bench_now(plan->clock) - start;
}

// Calls that fill one sample, found while warming up; *took is the last trial. 0: a call failed.
static size_t warm_up(const bench_plan *plan, double *took) {
  size_t count = 1;
  for (double spent = 0;; count *= 2) {
    *took = time_calls(plan, count);
    if (*took < 0) return 0;
    spent += *took;
    if (*took >= sample_s || (plan->each_call && spent >= warm_up_s)) break;
  }
  return plan->each_call ? 1 : count;
}

static int rising(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void bench_summarise(double *samples, size_t count, double items, bench_figure *figure) {
  qsort(samples, count, sizeof *samples, rising);
  figure->min = samples[0] / items;
  figure->median = (samples[(count - 1) / 2] + samples[count / 2]) / 2 / items;
}

void bench_measure(const bench_plan *plan, bench_figure *figure) {
  static double samples[MAX_SAMPLES];
  double took, spent = 0;
  size_t batch = warm_up(plan, &took), count = 0;
  if (batch == 1 && took >= long_s) samples[count++] = spent = took;
  while (batch && count < MAX_SAMPLES && (count < MIN_SAMPLES || spent < enough_s) && spent < long_s) {
    took = time_calls(plan, batch);
    if (took < 0)
      batch = 0;
    else
      samples[count++] = took, spent += took;
  }
  if (batch)
    bench_summarise(samples, count, (plan->items > 0 ? plan->items : 1) * (double)batch, figure);
  else
    bench_fail(figure, "a call failed");
}
