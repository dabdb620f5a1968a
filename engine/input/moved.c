// A state off the loops is no state of the robot, and the run starts at the nearest that is: perhaps not the one that
// was meant.
#include "input/moved.h"
#include "create/robot_size.h"
#include "input/odd_inputs.h"
#include "pass/kinematics.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RATE = 1e-2;                                             // of the largest velocity of the kind
static const double PART = 1e-3, ROUGH = 0.1, LEAST_ANGLE = 1, LEAST = 1e-2; // of the coordinate; rad; m, strains
static const double OPEN = 1e-2, STRAINED = 0.2, SAME_ANGLE = 1e-2;          // of the reach, rad; rad

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

// ------------------------------------------------------------------------------------------------ loops that are open
// at q = 0

typedef struct opening {
  int loop;               // the one that is open by most, -1: none is
  double distance, angle; // m, rad
} opening;

static opening widest(const td_model *m, const double *e, double size) {
  opening worst = {.loop = -1};
  double most = 0;
  for (int l = 0; l < m->loop_count; l++) {
    const td_loop *loop = &m->loop[l];
    double place = 0, turn = 0;
    for (int i = 0; i < loop->rows; i++) *(loop->component[i] < 3 ? &turn : &place) += pow(e[loop->first + i], 2);
    double distance = sqrt(place), angle = sqrt(turn), part = distance / size + angle;
    if (distance > OPEN * size || angle > OPEN)
      if (part > most) most = part, worst = (opening){l, distance, angle};
  }
  return worst;
}

// Frames that meet and are turned by a right angle or two: an arch whose ends point elsewhere by design is open in
// place, too.
static bool is_turned(const opening *open, double size) {
  double angle = open->angle;
  return open->distance < OPEN * size && (fabs(angle - M_PI / 2) < SAME_ANGLE || fabs(angle - M_PI) < SAME_ANGLE);
}

// Largest |stretch - rest| of the rods at q.
static double strained(const td_model *m, const double *q) {
  double most = 0;
  for (int r = 0; r < m->rod_count; r++) {
    const td_axial *a = m->rod[r].axial;
    const double *coordinates = a ? q + m->element[m->rod[r].element].coordinate + a->first : NULL;
    for (int k = 0; a && k < m->rod[r].point_count; k++) {
      double strain = 0;
      for (int c = 0; c < a->count; c++) strain += a->phi[k * a->count + c] * coordinates[c];
      most = fmax(most, fabs(strain));
    }
  }
  return most;
}

// How far closing the loops moved a point of the robot, whose prescribed joints stand as in `to`; *size: its reach at q
// = 0.
static double farthest_point(const td_model *m, td_workspace *ws, const double *to, double *q, td_se3 *pose) {
  double most = 0;
  memset(q, 0, (size_t)m->n * sizeof *q);
  for (int p = 0; p < m->prescribed_count; p++) q[m->prescribed[p].coordinate] = to[m->prescribed[p].coordinate];
  td_kinematics(m, ws, q, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  memcpy(pose, ws->pose, (size_t)m->node_count * sizeof *pose);
  td_kinematics(m, ws, to, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  for (int i = 0; i < m->node_count; i++) {
    const double *a = pose[i].p, *b = ws->pose[i].p;
    most = fmax(most, sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2)));
  }
  return most;
}

static void judge_opening(const td_model *m, td_workspace *ws, const double *to, double *q, double *e, td_se3 *pose,
                          td_warnings *warnings) {
  char at[48];
  td_kinematics(m, ws, ws->zero, NULL, NULL, m->gravity, TD_LEVEL_POSE);
  double size = td_robot_size(m, ws);
  if (!(size > 0) || td_loop_error(m, ws, ws->zero, e, NULL)) return;
  opening open = widest(m, e, size);
  if (open.loop < 0) return;
  double moved = farthest_point(m, ws, to, q, pose), strain = strained(m, to);
  if (!(strain > STRAINED || is_turned(&open, size))) return;
  snprintf(at, sizeof at, "/model/loops/%d", open.loop);
  td_warn(
      warnings, "initial_moved", at,
      "the loop \"%.63s\" is open at q = 0, where the job starts: its frames are %.3g m and %.4g degrees apart. The "
      "loops were closed by moving points of the robot by up to %.3g m (it reaches %.3g m) and straining rods along "
      "their axis by up to %.2g. If it should be closed there, look at the poses of its frames; else give an "
      "`initial` q that closes it as you mean",
      td_model_loop_name(m, open.loop, &(int){0}, &(int){0}), open.distance, open.angle * 180 / M_PI, moved, size,
      strain);
}

void td_moved_tell_open(const td_model *model, const double *to, td_warnings *warnings) {
  size_t n = (size_t)model->n, nodes = (size_t)model->node_count;
  td_workspace *ws = NULL;
  if (model->loop_count == 0) return;
  double *q = calloc(n + (size_t)model->loop_rows + 1, sizeof *q);
  td_se3 *pose = calloc(nodes + 1, sizeof *pose);
  if (q && pose && !td_workspace_create(model, &ws)) judge_opening(model, ws, to, q, q + n, pose, warnings);
  td_workspace_destroy(ws);
  free(pose);
  free(q);
}
