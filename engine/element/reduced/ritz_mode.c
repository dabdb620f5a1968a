// Sums of terms c x^i y^j z^k, differentiated term by term.
#include "element/reduced/ritz_mode.h"
#include <assert.h>

static double power(double x, double k) {
  double out = 1;
  for (int i = 0; i < (int)k; i++) out *= x;
  return out;
}

double td_ritz_mode_at(const td_ritz_mode_spec *mode, int c, const double X[3], int derivative) {
  assert(c >= 0 && c < 3 && derivative >= -1 && derivative < 3);
  double sum = 0;
  for (size_t t = 0; t < mode->count[c]; t++) {
    const double *term = mode->terms[c][t];
    double value = term[0];
    for (int i = 0; i < 3; i++) {
      double k = term[1 + i];
      value *= i != derivative ? power(X[i], k) : k > 0 ? k * power(X[i], k - 1) : 0;
    }
    sum += value;
  }
  return sum;
}
