// Terms of a high degree are much larger than their sum: those of (4 t (1 - t))^20 reach 1e18 at t = 1, and Horner's
// rule leaves 100 times the peak there. Where terms cancel by more than ten thousand the rule is gone through again in
// numbers of two parts (Dekker 1971; Ogita, Rump, Oishi 2005), exact to about 32 digits of the largest term. Where
// they do not, bits are those of the plain rule.
#include "input/polynomial.h"
#include <assert.h>
#include <math.h>

enum { ORDERS = 3 };
static const double CANCELS = 1e4;

typedef struct pair {
  double high, low;
} pair;

// Both are without rounding. What is volatile is not drawn together with what comes next.
static pair sum(double a, double b) {
  volatile double s = a + b, from_b = s - a, from_a = s - from_b;
  return (pair){s, (a - from_a) + (b - from_b)};
}

static pair product(double a, double b) {
  volatile double p = a * b;
  return (pair){p, fma(a, b, -p)};
}

static pair add(pair a, pair b) {
  pair high = sum(a.high, b.high), low = sum(a.low, b.low);
  high = sum(high.high, high.low + low.high);
  return sum(high.high, high.low + low.low);
}

static pair times(pair a, double b) {
  pair p = product(a.high, b);
  return sum(p.high, fma(a.low, b, p.low));
}

static void plain(size_t count, const double *c, double t, int orders, double *out) {
  double f[ORDERS] = {0};
  for (size_t i = count; i-- > 0;) {
    if (orders > 2) f[2] = f[2] * t + 2 * f[1];
    if (orders > 1) f[1] = f[1] * t + f[0];
    f[0] = f[0] * t + c[i];
  }
  for (int k = 0; k < orders; k++) out[k] = f[k];
}

// The same of |c| and |t|: what the terms are together.
static void size_of_terms(size_t count, const double *c, double t, int orders, double *out) {
  double f[ORDERS] = {0};
  for (size_t i = count; i-- > 0;) {
    if (orders > 2) f[2] = f[2] * fabs(t) + 2 * f[1];
    if (orders > 1) f[1] = f[1] * fabs(t) + f[0];
    f[0] = f[0] * fabs(t) + fabs(c[i]);
  }
  for (int k = 0; k < orders; k++) out[k] = f[k];
}

static void in_pairs(size_t count, const double *c, double t, int orders, double *out) {
  pair f[ORDERS] = {{0, 0}};
  for (size_t i = count; i-- > 0;) {
    if (orders > 2) f[2] = add(times(f[2], t), (pair){2 * f[1].high, 2 * f[1].low});
    if (orders > 1) f[1] = add(times(f[1], t), f[0]);
    f[0] = add(times(f[0], t), (pair){c[i], 0});
  }
  for (int k = 0; k < orders; k++) out[k] = f[k].high + f[k].low;
}

void td_polynomial_eval(size_t count, const double *c, double t, int orders, double *out) {
  assert(orders > 0 && orders <= ORDERS && (c || count == 0));
  double size[ORDERS];
  plain(count, c, t, orders, out);
  size_of_terms(count, c, t, orders, size);
  for (int k = 0; k < orders; k++)
    if (size[k] > CANCELS * fabs(out[k]) && isfinite(size[k])) {
      in_pairs(count, c, t, orders, out);
      return;
    }
}
