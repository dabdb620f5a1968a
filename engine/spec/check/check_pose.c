// Fixed transforms: of links, contacts, loads, and of what bodies touch with.
#include "spec/check/checks.h"
#include <math.h>

// R^T R = I within what a document written with a few digits may miss, and right-handed.
static bool is_rotation(const double R[9]) {
  const double slack = 1e-6;
  double determinant =
      R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) + R[2] * (R[3] * R[7] - R[4] * R[6]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double dot = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
      if (!(fabs(dot - (i == j)) < slack)) return false;
    }
  return fabs(determinant - 1) < slack;
}

td_status td_check_pose(const td_place *at, const td_se3 *pose) {
  td_place place = td_place_key(at, "pose");
  td_status status = td_check_all_finite(&place, "translation", 3, pose->p);
  if (status) return status;
  if (is_rotation(pose->R)) return TD_OK;
  return td_place_fail(&place, TD_INVALID_ARGUMENT, "its rotation is not an orthonormal, right-handed matrix");
}
