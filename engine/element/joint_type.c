// What follows from the line of a joint's type in spec.h: components of twists, and directions of them by its axis.
#include "element/joint_type.h"
#include "element/rigid_shape.h"
#include <assert.h>
#include <string.h>

int td_joint_component(td_joint_type type, int c) {
  unsigned moves = td_joint_moves(type);
  assert(c >= 0 && c < td_joint_dof(type));
  for (int component = 0;; component++)
    if (moves >> component & 1 && c-- == 0) return component;
}

// What moves alike in every direction needs no axis to tell one from the others.
bool td_joint_has_axis(td_joint_type type) {
  unsigned turns = td_joint_moves(type) & TD_TURNS, slides = td_joint_moves(type) & TD_SLIDES;
  return (turns != 0 && turns != TD_TURNS) || (slides != 0 && slides != TD_SLIDES);
}

void td_joint_twists(const td_joint_spec *joint, double twist[6][6]) {
  double frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (td_joint_has_axis(joint->type)) td_axis_plane(joint->axis, frame[2], frame[0], frame[1]);
  memset(twist, 0, 6 * sizeof *twist);
  for (int c = 0; c < td_joint_dof(joint->type); c++) {
    int component = td_joint_component(joint->type, c);
    memcpy(twist[c] + component / 3 * 3, frame[component % 3], sizeof frame[0]);
    for (int k = 0; component == 2 && td_joint_moves(joint->type) & TD_PITCHED && k < 3; k++)
      twist[c][3 + k] = joint->pitch * frame[2][k];
  }
}
