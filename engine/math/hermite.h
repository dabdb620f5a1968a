// Cubic Hermite interpolation: through values and rates at both ends.
#ifndef TENDRIL_MATH_HERMITE_H
#define TENDRIL_MATH_HERMITE_H

/// y at t0 + s h from values and rates at t0 and t0 + h; all [count], s in [0, 1].
void td_hermite(int count, double s, double h, const double *y0, const double *dy0, const double *y1, const double *dy1,
                double *y);

#endif
