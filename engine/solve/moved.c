// A state off the loops is no state of the robot, and the run starts at the nearest that is: perhaps not the one that was meant.
#include "solve/moved.h"
#include "solve/odd_inputs.h"
#include <math.h>
#include <stdlib.h>

static const double RATE = 1e-2;                                             // of the largest velocity of the kind
static const double PART = 1e-3, ROUGH = 0.1, LEAST_ANGLE = 1, LEAST = 1e-2; // of the coordinate; rad; m, strains

// The coordinate that moved by most of itself, -1 where none did by more than `most`.
static int farthest(const td_model *model, const double *from, const double *to, double most) {
  int n = td_model_ndof(model), worst = -1;
  char *kind = calloc((size_t)n + 1, 1);
  if (!kind) return -1;
  td_mark_angles(model, kind);
  for (int i = 0; i < n; i++) {
    double scale = fmax(kind[i] ? LEAST_ANGLE : LEAST, fmax(fabs(from[i]), fabs(to[i]))),
           part = fabs(to[i] - from[i]) / scale;
    if (part > most) most = part, worst = i;
  }
  free(kind);
  return worst;
}

void td_moved_tell(const td_model *model, const double *from, const double *to, td_warnings *warnings) {
  int worst = farthest(model, from, to, PART);
  if (worst < 0) return;
  td_warn(
      warnings, "initial_moved", "/initial/q",
      "the loops are open at the state that was given: the run starts at the nearest one that closes them, where %s is "
      "%.6g instead of %.6g, and the others have moved less. Give a state that closes the loops",
      td_model_coordinate_name(model, worst), to[worst], from[worst]);
}

void td_moved_tell_guess(const td_model *model, const double *from, const double *to, td_warnings *warnings) {
  int worst = farthest(model, from, to, ROUGH);
  if (worst < 0) return;
  td_warn(warnings, "initial_moved", "/initial/q",
          "the loops are open at the first guess that was given: the search starts at the nearest state that closes "
          "them, where %s is %.6g instead of %.6g, and may end at another equilibrium than the one meant. Give a state "
          "that closes the loops",
          td_model_coordinate_name(model, worst), to[worst], from[worst]);
}

void td_moved_tell_rates(const td_model *model, const double *from, const double *to, td_warnings *warnings) {
  int n = td_model_ndof(model), worst = -1;
  char *kind = calloc((size_t)n + 1, 1);
  if (!kind) return;
  td_mark_angles(model, kind);
  double largest[2] = {0}, most = RATE, given = 0;
  for (int i = 0; i < n; i++) given = fmax(given, fabs(from[i]));
  for (int i = 0; i < n; i++) largest[kind[i] != 0] = fmax(largest[kind[i] != 0], fmax(fabs(from[i]), fabs(to[i])));
  for (int i = 0; i < n; i++) {
    double scale = largest[kind[i] != 0], part = scale > 0 ? fabs(to[i] - from[i]) / scale : 0;
    if (given > 0 && part > most) most = part, worst = i; // zeros say nothing but rest
  }
  free(kind);
  if (worst < 0) return;
  td_warn(warnings, "initial_moved", "/initial/qd",
          "the loops do not allow the velocities that were given: the run starts with the nearest that they do, where "
          "%s has %.6g instead of %.6g, and the others have changed less. Velocities of loops go together: give those "
          "of all "
          "joints, or take them from a run that moves there",
          td_model_coordinate_name(model, worst), to[worst], from[worst]);
}
