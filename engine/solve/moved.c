// A state off the loops is no state of the robot, and the run starts at the nearest that is: perhaps not the one that was meant.
#include "solve/moved.h"
#include "solve/odd_inputs.h"
#include <math.h>
#include <stdlib.h>

static const double PART = 1e-3, LEAST_ANGLE = 1, LEAST = 1e-2; // of the coordinate; rad; m, strains

void td_moved_tell(const td_model *model, const double *from, const double *to, td_warnings *warnings) {
  int n = td_model_ndof(model), worst = -1;
  char *kind = calloc((size_t)n + 1, 1);
  if (!kind) return;
  double most = PART;
  td_mark_angles(model, kind);
  for (int i = 0; i < n; i++) {
    double scale = fmax(kind[i] ? LEAST_ANGLE : LEAST, fmax(fabs(from[i]), fabs(to[i]))),
           part = fabs(to[i] - from[i]) / scale;
    if (part > most) most = part, worst = i;
  }
  free(kind);
  if (worst < 0) return;
  td_warn(
      warnings, "initial_moved", "/initial/q",
      "the loops are open at the state that was given: the run starts at the nearest one that closes them, where %s is "
      "%.6g instead of %.6g, and the others have moved less. Give a state that closes the loops",
      td_model_coordinate_name(model, worst), to[worst], from[worst]);
}
