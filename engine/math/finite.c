// Is every number of an array finite? A NaN or infinity anywhere makes a sum of 0 x not zero: one multiplication and
// one sum each, no branch.
#include "math/finite.h"
#include "math/lanes.h"

td_status td_all_finite(const double *x, int count) {
  td_vec lanes = td_splat(0);
  double sum = 0;
  int i = 0;
  for (; i + TD_LANES <= count; i += TD_LANES) lanes += 0 * *(const td_vecu *)(x + i);
  for (; i < count; i++) sum += 0 * x[i];
  for (int l = 0; l < TD_LANES; l++) sum += lanes[l];
  return sum == 0 ? TD_OK : TD_NONFINITE;
}
