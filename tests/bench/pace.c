// The machine's own pace: what every time can be divided by before it is compared with another day's.
//
// Eight independent chains of multiplications and additions in vectors of four, all in registers: nothing but the clock
// of the core and other programs on it can slow them down.
#include "bench/bench.h"

#include <math.h>

enum { CHAINS = 8, LANES = 4, ROUNDS = 10000 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

#if defined __x86_64__
#define EVERY_LEVEL __attribute__((target_clones("default", "arch=haswell", "arch=skylake-avx512")))
#else
#define EVERY_LEVEL
#endif

EVERY_LEVEL static double multiply_and_add(double start, double factor) {
  lanes a = {start, 2, 3, 4}, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;
  for (int r = 0; r < ROUNDS; r++) {
    a = a * factor + 1, b = b * factor + 1, c = c * factor + 1, d = d * factor + 1;
    e = e * factor + 1, f = f * factor + 1, g = g * factor + 1, h = h * factor + 1;
  }
  a += b + c + d + e + f + g + h;
  return a[0] + a[1] + a[2] + a[3];
}

static bool call_pace(void *factor) { return isfinite(multiply_and_add(1, *(volatile double *)factor)); }

double bench_pace(void) {
  double factor = 0.5;
  bench_figure figure = {0};
  bench_measure(&(bench_plan){.call = call_pace, .context = &factor, .items = 2e-3 * CHAINS * LANES * ROUNDS}, &figure);
  return figure.min * 1e9;
}
