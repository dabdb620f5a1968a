#include "math/hermite.h"

void td_hermite(int count, double s, double h, const double *y0, const double *dy0, const double *y1, const double *dy1,
                double *y) {
  double r = 1 - s, a = r * r * (1 + 2 * s), b = s * r * r * h, c = s * s * (3 - 2 * s), d = -s * s * r * h;
  for (int i = 0; i < count; i++) y[i] = a * y0[i] + b * dy0[i] + c * y1[i] + d * dy1[i];
}
