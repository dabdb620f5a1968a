// Rows of loop joints: what a joint holds is what its own motion never reaches.
#include "element/loop_joint.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

// rows as text, "wx wy vx" …; "vz-p" marks the helical combination.
static void words(td_joint_type type, double x, double y, double z, char *out) {
  static const char *const names[6] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  td_joint_spec joint = {.type = type, .axis = {x, y, z}, .pitch = 0.25};
  double rows[6][6];
  int component[6], count = td_loop_joint_rows(&joint, rows, component);
  ck_assert_int_eq(count, 6 - td_joint_dof(type));
  out[0] = 0;
  for (int i = 0; i < count; i++) {
    ck_assert_double_eq(rows[i][component[i]], 1);
    for (int c = 0; c < 6; c++) {
      if (rows[i][c] == 1) strcat(strcat(out, out[0] ? " " : ""), names[c]);
      if (rows[i][c] == -0.25) strcat(strcat(strcat(out, out[0] ? " " : ""), names[c]), "-p");
      ck_assert(rows[i][c] == 0 || rows[i][c] == 1 || rows[i][c] == -0.25);
    }
  }
}

START_TEST(rows_stand_in_the_order_of_the_contract) {
  static const struct {
    td_joint_type type;
    double axis[3];
    const char *rows;
  } cases[] = {
      {TD_JOINT_FIXED, {0, 0, 1}, "wx wy wz vx vy vz"},
      {TD_JOINT_REVOLUTE, {0, 0, 1}, "wx wy vx vy vz"},
      {TD_JOINT_REVOLUTE, {0, -3, 0}, "wx wz vx vy vz"},
      {TD_JOINT_PRISMATIC, {1, 0, 0}, "wx wy wz vy vz"},
      {TD_JOINT_CYLINDRICAL, {0, 1, 0}, "wx wz vx vz"},
      {TD_JOINT_UNIVERSAL, {0, 0, 1}, "wz vx vy vz"},
      {TD_JOINT_PLANAR, {1, 0, 0}, "wy wz vx"},
      {TD_JOINT_SPHERICAL, {0.3, 0.4, 0.5}, "vx vy vz"},
      {TD_JOINT_HELICAL, {0, 0, 2}, "wx wy vx vy wz-p vz"},
      {TD_JOINT_HELICAL, {-1, 0, 0}, "wy wz wx-p vx vy vz"},
      {TD_JOINT_FREE, {0, 0, 1}, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char got[64];
    words(cases[i].type, cases[i].axis[0], cases[i].axis[1], cases[i].axis[2], got);
    ck_assert_str_eq(got, cases[i].rows);
  }
}
END_TEST

START_TEST(only_coordinate_axes_are_principal) {
  ck_assert_int_eq(td_principal_axis((double[3]){0, 0, 1}), 2);
  ck_assert_int_eq(td_principal_axis((double[3]){0, -1e-3, 0}), 1);
  ck_assert_int_eq(td_principal_axis((double[3]){1, 1e-12, 0}), 0); // a rounded rotation of x
  ck_assert_int_eq(td_principal_axis((double[3]){1, 1e-6, 0}), -1);
  ck_assert_int_eq(td_principal_axis((double[3]){1, 1, 0}), -1);
}
END_TEST

START_TEST(joints_that_turn_are_known) {
  static const bool turns[TD_JOINT_TYPE_COUNT] = {
      [TD_JOINT_REVOLUTE] = true,  [TD_JOINT_HELICAL] = true, [TD_JOINT_CYLINDRICAL] = true,
      [TD_JOINT_UNIVERSAL] = true, [TD_JOINT_PLANAR] = true,  [TD_JOINT_SPHERICAL] = true,
      [TD_JOINT_FREE] = true};
  for (int type = 0; type < TD_JOINT_TYPE_COUNT; type++) ck_assert(td_loop_joint_turns(type) == turns[type]);
}
END_TEST

TEST_MAIN("loop_joint", rows_stand_in_the_order_of_the_contract, only_coordinate_axes_are_principal,
          joints_that_turn_are_known)
