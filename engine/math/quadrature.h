// Gauss quadrature on [0, 1].
#ifndef TENDRIL_MATH_QUADRATURE_H
#define TENDRIL_MATH_QUADRATURE_H

/// Nodes x [n] in (0, 1), rising, and weights w [n] with sum 1: exact for polynomials of degree 2 n - 1, to full double
/// accuracy for n up to 1024 and beyond.  n >= 1.  Cost: O(n^2), no allocation.
void td_gauss_legendre(int n, double *x, double *w);

/// The same for integrals of (1 - x)^power f(x), power 0, 1 or 2: weights with sum 1/(power + 1), exact for f of degree
/// 2 n - 1,
/// n in [1, 64].  Source: Abramowitz & Stegun 25.4.33.
void td_gauss_jacobi(int n, int power, double *x, double *w);

#endif
