// Lagrange elements of degree 1, 2 and 3: `order` equal elements on [0, 1], equidistant nodes, a coordinate per node by
// rising s. Element e of degree p owns the nodes e p … e p + p; its functions vanish outside it.
//
//   l_j(t) = prod_{i != j} (p t - i) / (j - i),  t in [0, 1] local
// Invariants: the values sum to 1; at a node one is 1 and the others 0.
#include "strain/family.h"
#include <string.h>

static double lagrange(int p, int j, double t) {
  double value = 1;
  for (int i = 0; i <= p; i++)
    if (i != j) value *= (p * t - i) / (j - i);
  return value;
}

static void eval(const td_component *component, int p, double s, double *value) {
  double t;
  int e = td_element_of(component->order, s, &t);
  memset(value, 0, (size_t)component->count * sizeof *value);
  for (int j = 0; j <= p; j++) value[e * p + j] = lagrange(p, j, t);
}

static int count_linear(int order) { return order + 1; }
static int count_quadratic(int order) { return 2 * order + 1; }
static int count_cubic(int order) { return 3 * order + 1; }

static void eval_linear(const td_component *component, double s, double *value) { eval(component, 1, s, value); }
static void eval_quadratic(const td_component *component, double s, double *value) { eval(component, 2, s, value); }
static void eval_cubic(const td_component *component, double s, double *value) { eval(component, 3, s, value); }

// Products of two functions and of the inertia's own changes along the element: degree + 2 points.
#define POINTS(degree, count)                                                                                          \
  static int points_##degree(int order) {                                                                              \
    (void)order;                                                                                                       \
    return count;                                                                                                      \
  }
POINTS(linear, 3)
POINTS(quadratic, 4)
POINTS(cubic, 5)

static int one(int order) { return order > 0; }
static int two(int order) { return order > 0 ? 2 : 0; }
static int three(int order) { return order > 0 ? 3 : 0; }

#define ELEMENTS(name_, spans)                                                                                         \
  {                                                                                                                    \
    .name = #name_, .elements = true, .lowest_order = 1, .count = count_##name_, .default_points = points_##name_,     \
    .eval = eval_##name_, .degree = spans, .joined = 1                                                                 \
  }

const td_basis_family td_family_linear = ELEMENTS(linear, one);
const td_basis_family td_family_quadratic = ELEMENTS(quadratic, two);
const td_basis_family td_family_cubic = ELEMENTS(cubic, three);
