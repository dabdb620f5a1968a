// A polynomial of time and its derivatives, to the digits that its coefficients hold.
#ifndef TENDRIL_INPUT_POLYNOMIAL_H
#define TENDRIL_INPUT_POLYNOMIAL_H

#include <stddef.h>

/// p, p' and p'' of p = sum c[i] t^i at t, those below `orders` (1 to 3). Errors: 1e-9 of each, or n 1e-31 of
/// sum |c[i] t^i| (of the derivatives alike), whichever is more. Cost: O(count).
void td_polynomial_eval(size_t count, const double *c, double t, int orders, double *out);

#endif
