// Rows of a loop joint: Phi_perp^T, the components of log(g_B^-1 g_A) that stay 0 (Mathew2025 section 4.4, D80).
//
// What a type moves is its line in spec.h; the rest it holds. A helical joint holds one combination of turn and slide,
// v_a - pitch w_a.
#include "element/loop_joint.h"
#include "element/joint_type.h"
#include <math.h>
#include <string.h>

bool td_loop_joint_turns(td_joint_type type) { return td_joint_moves(type) & TD_TURNS; }

// Two rotations make a third one: tilting both ways is a group only together with turning.
bool td_loop_joint_is_group(td_joint_type type) {
  unsigned moves = td_joint_moves(type);
  return !(moves & (TD_TURN_X | TD_TURN_Y)) || moves & TD_TURN_Z;
}

bool td_loop_joint_winds(const td_joint_spec *joint) {
  return td_joint_moves(joint->type) & TD_PITCHED && joint->pitch != 0;
}

int td_principal_axis(const double axis[3]) {
  double norm = hypot(hypot(axis[0], axis[1]), axis[2]);
  for (int i = 0; i < 3; i++)
    if (hypot(axis[(i + 1) % 3], axis[(i + 2) % 3]) <= 1e-9 * norm) return i;
  return -1;
}

int td_loop_joint_rows(const td_joint_spec *joint, double rows[6][6], int component[6]) {
  unsigned moves = td_joint_moves(joint->type);
  int axis = td_joint_has_axis(joint->type) ? td_principal_axis(joint->axis) : 2, count = 0;
  memset(rows, 0, 6 * sizeof *rows);
  for (int c = 0; c < 6; c++) {
    int own = c / 3 * 3 + (c - axis + 5) % 3; // in the joint's frame, whose z is the axis
    if (moves >> own & 1) continue;
    rows[count][c] = 1;
    component[count] = c;
    if (moves & TD_PITCHED && c == 3 + axis) rows[count][axis] = -joint->pitch;
    count++;
  }
  return count;
}
