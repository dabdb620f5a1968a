// Table family: each function is the natural cubic spline through the document's values at its knots.
#include "math/spline.h"
#include "strain/family.h"

static int points(int order) {
  (void)order; // the number of columns decides, strain/points.c
  return 0;
}

static void eval(const td_component *component, double s, double *value) {
  size_t knots = component->knots;
  for (size_t i = 0; i < (size_t)component->count; i++)
    td_spline_eval(knots, component->s, component->y + i * knots, 1, component->m + i * knots, s, &value[i], NULL);
}

const td_basis_family td_family_table = {.name = "table", .default_points = points, .eval = eval};
