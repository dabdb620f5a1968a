// Rows of a loop joint: Phi_perp^T, the components of log(g_B^-1 g_A) that stay 0 (Mathew2025 section 4.4, D80).
//
// A type is a row of the table: whether the rotation about its axis, the two normal to it, the slide along the axis and
// the two normal to it are held. A helical joint holds one combination of turn and slide, v_a - pitch w_a.
#include "element/loop_joint.h"
#include <math.h>
#include <string.h>

typedef struct held {
  bool turn, tilt, slide, shift; ///< about the axis, normal to it; along the axis, normal to it
} held;

static const held HELD[TD_JOINT_TYPE_COUNT] = {
    [TD_JOINT_FIXED] = {true, true, true, true},         [TD_JOINT_REVOLUTE] = {false, true, true, true},
    [TD_JOINT_PRISMATIC] = {true, true, false, true},    [TD_JOINT_HELICAL] = {false, true, true, true},
    [TD_JOINT_CYLINDRICAL] = {false, true, false, true}, [TD_JOINT_UNIVERSAL] = {true, false, true, true},
    [TD_JOINT_PLANAR] = {false, true, true, false},      [TD_JOINT_SPHERICAL] = {false, false, true, true},
    [TD_JOINT_FREE] = {false, false, false, false},
};

bool td_joint_has_axis(td_joint_type type) {
  return type != TD_JOINT_FIXED && type != TD_JOINT_SPHERICAL && type != TD_JOINT_FREE;
}

bool td_loop_joint_turns(td_joint_type type) { return !HELD[type].turn || !HELD[type].tilt; }

// Two rotations make a third one: tilting both ways is a group only together with turning.
bool td_loop_joint_is_group(td_joint_type type) { return HELD[type].tilt || !HELD[type].turn; }

bool td_loop_joint_winds(const td_joint_spec *joint) { return joint->type == TD_JOINT_HELICAL && joint->pitch != 0; }

int td_principal_axis(const double axis[3]) {
  double norm = hypot(hypot(axis[0], axis[1]), axis[2]);
  for (int i = 0; i < 3; i++)
    if (hypot(axis[(i + 1) % 3], axis[(i + 2) % 3]) <= 1e-9 * norm) return i;
  return -1;
}

int td_loop_joint_rows(const td_joint_spec *joint, double rows[6][6], int component[6]) {
  held h = HELD[joint->type];
  int axis = td_joint_has_axis(joint->type) ? td_principal_axis(joint->axis) : 2, count = 0;
  memset(rows, 0, 36 * sizeof(double));
  for (int c = 0; c < 6; c++) {
    bool along = c % 3 == axis;
    if (!(c < 3 ? (along ? h.turn : h.tilt) : (along ? h.slide : h.shift))) continue;
    rows[count][c] = 1;
    component[count] = c;
    if (joint->type == TD_JOINT_HELICAL && c == 3 + axis) rows[count][axis] = -joint->pitch;
    count++;
  }
  return count;
}
