// Fourier family: 1, cos 2 pi s, sin 2 pi s, cos 4 pi s, sin 4 pi s, …: 2 order + 1 functions of period 1.
//
// Every angle is evaluated by itself (no recurrence), so that high orders keep their digits.
#include "strain/family.h"
#include <math.h>

static int count(int order) { return 2 * order + 1; }
static int points(int order) { return 4 * order; }

static void eval(const td_component *component, double s, double *value) {
  value[0] = 1;
  for (int k = 1; k <= component->order; k++) {
    value[2 * k - 1] = cos(2 * M_PI * k * s);
    value[2 * k] = sin(2 * M_PI * k * s);
  }
}

static int constant(int order) { return order < 0; }

const td_basis_family td_family_fourier = {
    .name = "fourier", .count = count, .default_points = points, .eval = eval, .degree = constant};
