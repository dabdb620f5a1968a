// Stencils: where neighbours of a parameter's value lie.
//
// Affine: f' = (f(p + H) - f(p)) / H. Its rounding error is that of f(p + H) by H, so the further off the better: 2^20
// times the larger of value and scale, where the parameter's own part outweighs whatever else f holds. H is a power of
// two.
// Others: the derivative at p of the polynomial through five points p + k h, h = 2^-10 of the scale: order 4. Central
// where the bounds allow (the point p then counts nothing), else shifted. The error of truncation is h^4 f^(5) / 30,
// 3e-14 for f^(5) = f' / scale^4 (six times that at the end of the window), that of rounding 2e-13 (f / scale) / f'.
// Order 6 with steps of 2^-8 would leave a third of either for half as much again; a contact that is touched by a few
// millimetres bends so that wider steps lose more (1e-7 with six points and 2^-6).
//
// Documents bound numbers by one another (an inertia by the other two moments, a hole by its outline): ways after the
// first go less far.
#include "parameter/stencil.h"
#include <assert.h>
#include <math.h>

enum { HALF = (TD_STENCIL_POINTS - 1) / 2 };

// H by the larger of value and scale; h by scale, as powers of two, and which points must lie beside p.
static const struct {
  int exponent, sign;
} FAR[TD_STENCIL_WAYS] = {{20, 1}, {20, -1}, {3, 1}, {3, -1}, {-5, 1}, {-5, -1}};
static const struct {
  int exponent, below;
} NEAR[TD_STENCIL_WAYS] = {{-10, HALF}, {-13, HALF}, {-10, 0}, {-10, 2 * HALF}, {-13, 0}, {-13, 2 * HALF}};

static double power_of_two_below(double x) {
  int exponent;
  frexp(x, &exponent);
  return ldexp(1, exponent - 1);
}

// Weights of the derivative at `home` of the polynomial through all points: l_k'(p) of Lagrange's polynomials.
static void weigh(td_stencil *s, double p) {
  for (int k = 0; k < s->count; k++) {
    double below = 1, above = 0;
    for (int j = 0; j < s->count; j++)
      if (j != k) below *= s->at[k] - s->at[j];
    for (int i = 0; i < s->count; i++) {
      double product = 1;
      for (int j = 0; j < s->count; j++)
        if (j != k && j != i) product *= p - s->at[j];
      if (i != k) above += product;
    }
    s->weight[k] = above / below;
  }
}

static bool choose_affine(const td_parameter *p, int way, td_stencil *s) {
  double sign = FAR[way].sign, room = sign > 0 ? p->upper - p->value : p->value - p->lower,
         H = ldexp(fmax(fabs(p->value), p->scale), FAR[way].exponent);
  if (!(room > 0)) return false;
  H = power_of_two_below(fmin(H, room));
  *s = (td_stencil){.count = TD_STENCIL_AFFINE, .home = 0, .at = {p->value, p->value + sign * H}};
  weigh(s, p->value);
  return isfinite(s->at[1]) && s->at[1] != p->value;
}

// The point that the parameter's own value is, if it counts; without it where it does not (central formula).
static void drop_home(td_stencil *s, int home) {
  s->home = home;
  if (home != HALF) return;
  for (int k = home + 1; k < s->count; k++) s->at[k - 1] = s->at[k], s->weight[k - 1] = s->weight[k];
  s->count--;
  s->home = -1;
}

// Points below p: as many as wanted, fewer or more where a bound is near; -1: there is no room for the window.
static int points_below(const td_parameter *p, double h, int wanted) {
  double below = floor((p->value - p->lower) / h), above = floor((p->upper - p->value) / h);
  if (below < wanted) wanted = (int)below;
  if (above < 2 * HALF - wanted) wanted = 2 * HALF - (int)above;
  return wanted <= below ? wanted : -1;
}

static bool choose_differences(const td_parameter *p, int way, td_stencil *s) {
  double h = ldexp(power_of_two_below(p->scale), NEAR[way].exponent), room = p->upper - p->lower;
  if (!(room > 0)) return false;
  if (room < 4 * HALF * h) h = power_of_two_below(room / (4 * HALF));
  int below = points_below(p, h, NEAR[way].below);
  if (below < 0) return false;
  *s = (td_stencil){.count = TD_STENCIL_POINTS};
  for (int k = 0; k < s->count; k++) s->at[k] = p->value + (k - below) * h;
  for (int k = 1; k < s->count; k++)
    if (s->at[k] <= s->at[k - 1]) return false;
  weigh(s, p->value);
  drop_home(s, below);
  return true;
}

bool td_stencil_choose(const td_parameter *p, int way, td_stencil *s) {
  assert(p->scale > 0 && isfinite(p->scale) && isfinite(p->value));
  assert(way >= 0 && way < TD_STENCIL_WAYS);
  if (!(p->lower <= p->value && p->value <= p->upper)) return false;
  return (p->linear ? choose_affine : choose_differences)(p, way, s);
}
