// Gauss-Legendre quadrature on [0, 1].
#ifndef TENDRIL_MATH_QUADRATURE_H
#define TENDRIL_MATH_QUADRATURE_H

/// Nodes x [n] in (0, 1), rising, and weights w [n] with sum 1: exact for polynomials of degree 2 n - 1, to full double
/// accuracy for n up to 1024 and beyond.  n >= 1.  Cost: O(n^2), no allocation.
void td_gauss_legendre(int n, double *x, double *w);

#endif
