// Radial families: bumps of width w = 1/order centred at k w, k = 0 … order. Order 0 is the constant.
//
//   gaussian               exp(-4 ln2 (s - k w)^2 / w^2)       (full width at half height = w)
//   inverse_multiquadric   1 / sqrt(1 + 12 (s - k w)^2 / w^2)  (the same width)
#include "strain/family.h"
#include <math.h>

static double gaussian(double r2) { return exp(-4 * M_LN2 * r2); }
static double inverse_multiquadric(double r2) { return 1 / sqrt(1 + 12 * r2); }

// r = (s - k w) / w = s order - k
static void radial(const td_component *component, double s, double *value, double (*bump)(double)) {
  for (int k = 0; k <= component->order; k++) {
    double r = s * component->order - k;
    value[k] = bump(r * r);
  }
}

static void eval_gaussian(const td_component *component, double s, double *value) {
  radial(component, s, value, gaussian);
}

static void eval_inverse_multiquadric(const td_component *component, double s, double *value) {
  radial(component, s, value, inverse_multiquadric);
}

// Bells are no polynomials: with order + 3 points rods of order 10 would have 16 times their highest frequency.
static int points(int order) { return order + 4 > 2 * order ? order + 4 : 2 * order; }

const td_basis_family td_family_gaussian = {
    .name = "gaussian", .count = td_order_plus_one, .default_points = points, .eval = eval_gaussian};
const td_basis_family td_family_inverse_multiquadric = {.name = "inverse_multiquadric",
                                                        .count = td_order_plus_one,
                                                        .default_points = points,
                                                        .eval = eval_inverse_multiquadric};
