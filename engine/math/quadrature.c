// Gauss-Legendre and Gauss-Jacobi nodes and weights by Newton's method on the three-term recurrence of P_n.
//
// First guesses cos(pi (i + 3/4) / (n + 1/2)) lie within the basin of Newton for every n; three to five iterations in
// extended precision leave an error below one unit in the last place of a double. Weights are 2 / ((1 - z^2)
// P_n'(z)^2),
// halved for [0, 1].  Source: Abramowitz & Stegun 25.4.29; the recurrence is 8.914.
//
// Jacobi's (a, 0) likewise, from cos(pi (i + 3/4 + a/2) / (n + 1/2 + a/2)).
//
// Invariants: nodes rise; Legendre's mirror each other, x[i] + x[n-1-i] = 1 and w[i] = w[n-1-i], to rounding.
#include "math/quadrature.h"
#include <assert.h>
#include <math.h>

static const long double pi = 3.14159265358979323846264338327950288L;

// P_n and its derivative at z, |z| < 1.
static void legendre(int n, long double z, long double *value, long double *slope) {
  long double p = 1, previous = 0;
  for (int k = 1; k <= n; k++) {
    long double next = ((2 * k - 1) * z * p - (k - 1) * previous) / k;
    previous = p;
    p = next;
  }
  *value = p;
  *slope = n * (previous - z * p) / (1 - z * z);
}

// The i-th root from the right and P_n' there. The cap only guards against an endless flip of the last bit.
static long double root(int n, int i, long double *slope) {
  long double z = cosl(pi * (i + 0.75L) / (n + 0.5L)), value;
  for (int k = 0; k < 10; k++) {
    legendre(n, z, &value, slope);
    long double step = value / *slope;
    z -= step;
    if (fabsl(step) < 1e-18L) break;
  }
  legendre(n, z, &value, slope);
  return z;
}

void td_gauss_legendre(int n, double *x, double *w) {
  assert(n >= 1);
  for (int i = 0; i < (n + 1) / 2; i++) {
    long double slope, z = root(n, i, &slope);
    if (2 * i + 1 == n) z = 0; // the middle root is exact
    long double weight = 1 / ((1 - z * z) * slope * slope);
    x[i] = (double)((1 - z) / 2);
    x[n - 1 - i] = (double)((1 + z) / 2);
    w[i] = w[n - 1 - i] = (double)weight;
  }
}

// P_n^(a,0) and its derivative at z, |z| < 1: Abramowitz & Stegun 22.7.1, 22.8.1.
static void jacobi(int n, int a, long double z, long double *value, long double *slope) {
  long double previous = 1, p = (a + (a + 2) * z) / 2;
  for (int k = 2; k <= n; k++) {
    long double c = 2 * k + a,
                next = (c - 1) * (c * (c - 2) * z + a * a) * p - 2 * (k + a - 1) * (k - 1) * c * previous;
    previous = p;
    p = next / (2 * k * (k + a) * (c - 2));
  }
  *value = p;
  *slope = (n * (a - (2 * n + a) * z) * p + 2 * n * (n + a) * previous) / ((2 * n + a) * (1 - z * z));
}

void td_gauss_jacobi(int n, int power, double *x, double *w) {
  assert(n >= 1 && power >= 0 && power <= 2);
  for (int i = 0; i < n; i++) {
    long double z = cosl(pi * (i + 0.75L + 0.5L * power) / (n + 0.5L + 0.5L * power)), value, slope;
    for (int k = 0; k < 10; k++) {
      jacobi(n, power, z, &value, &slope);
      z -= value / slope;
    }
    jacobi(n, power, z, &value, &slope);
    x[n - 1 - i] = (double)((1 + z) / 2);
    w[n - 1 - i] = (double)(1 / ((1 - z * z) * slope * slope));
  }
}
