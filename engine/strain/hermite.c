// Cubic Hermite elements: `order` equal elements on [0, 1], two coordinates per node, value then slope (d/dt, t in [0,
// 1] local). All elements are equally long, so a node's slope serves both neighbours and the strain is C1.
//
//   t^2 (2 t - 3) + 1,   t (t - 1)^2   at the left node;   t^2 (3 - 2 t),   t^2 (t - 1)   at the right one
#include "strain/family.h"
#include <string.h>

static int count(int order) { return 2 * (order + 1); }
static int points(int order) {
  (void)order;
  return 5;
}

static void eval(const td_component *component, double s, double *value) {
  double t;
  int e = td_element_of(component->order, s, &t);
  memset(value, 0, (size_t)component->count * sizeof *value);
  value[2 * e] = t * t * (2 * t - 3) + 1;
  value[2 * e + 1] = t * (t - 1) * (t - 1);
  value[2 * e + 2] = t * t * (3 - 2 * t);
  value[2 * e + 3] = t * t * (t - 1);
}

static int cubic(int order) { return order > 0 ? 3 : 0; }

const td_basis_family td_family_hermite = {.name = "hermite",
                                           .elements = true,
                                           .lowest_order = 1,
                                           .count = count,
                                           .default_points = points,
                                           .eval = eval,
                                           .degree = cubic,
                                           .joined = 2};
