// Sums of products in lanes: as many sums side by side as a register holds, added up at the end. One sum after the other
// waits for each of its additions.
#ifndef TENDRIL_MATH_DOT_H
#define TENDRIL_MATH_DOT_H

#include "math/lanes.h"

/// sum of a[i] b[i]
TD_INLINE double td_dot(int n, const double *a, const double *b) {
  td_vec even = td_splat(0), odd = td_splat(0);
  double rest = 0;
  int i = 0;
  for (; i + 2 * TD_LANES <= n; i += 2 * TD_LANES) {
    even += *(const td_vecu *)(a + i) * *(const td_vecu *)(b + i);
    odd += *(const td_vecu *)(a + i + TD_LANES) * *(const td_vecu *)(b + i + TD_LANES);
  }
  if (i + TD_LANES <= n) even += *(const td_vecu *)(a + i) * *(const td_vecu *)(b + i), i += TD_LANES;
  for (; i < n; i++) rest += a[i] * b[i];
  return n < TD_LANES ? rest : td_total(even + odd) + rest;
}

#endif
