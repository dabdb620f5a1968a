// Polynomial families on the whole rod, by their recurrences; x = 2 s - 1.
//
//   legendre   (k+1) P_{k+1} = (2k+1) x P_k - k P_{k-1}
//   chebyshev  T_{k+1} = 2 x T_k - T_{k-1}
//   monomial   s^k
// k = 0 … order.  Source: Abramowitz & Stegun 22.7.
#include "strain/family.h"

static void legendre(const td_component *component, double s, double *value) {
  double x = 2 * s - 1;
  for (int k = 0; k <= component->order; k++)
    value[k] = k == 0 ? 1 : k == 1 ? x : ((2 * k - 1) * x * value[k - 1] - (k - 1) * value[k - 2]) / k;
}

static void chebyshev(const td_component *component, double s, double *value) {
  double x = 2 * s - 1;
  for (int k = 0; k <= component->order; k++) value[k] = k == 0 ? 1 : k == 1 ? x : 2 * x * value[k - 1] - value[k - 2];
}

static void monomial(const td_component *component, double s, double *value) {
  for (int k = 0; k <= component->order; k++) value[k] = k == 0 ? 1 : s * value[k - 1];
}

const td_basis_family td_family_legendre = {.name = "legendre",
                                            .count = td_order_plus_one,
                                            .default_points = td_order_plus_three,
                                            .eval = legendre,
                                            .degree = td_order_itself};
const td_basis_family td_family_chebyshev = {.name = "chebyshev",
                                             .count = td_order_plus_one,
                                             .default_points = td_order_plus_three,
                                             .eval = chebyshev,
                                             .degree = td_order_itself};
const td_basis_family td_family_monomial = {.name = "monomial",
                                            .count = td_order_plus_one,
                                            .default_points = td_order_plus_three,
                                            .eval = monomial,
                                            .degree = td_order_itself};
