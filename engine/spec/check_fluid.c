// Hydrodynamic coefficients: added mass must be symmetric and positive semidefinite (up to rounding).
//
// Lift coefficients may have any sign, and a rigid body's drag is a general matrix: a fitted one need not take power out in every
// direction, so that is not asked for.
#include "math/cholesky.h"
#include "spec/checks.h"
#include <math.h>
#include <string.h>

enum { SIDE = 6, PADDED = 8 };

static double largest(const double A[36]) {
  double most = 0;
  for (int i = 0; i < 36; i++) most = fmax(most, fabs(A[i]));
  return most;
}

// The symmetric part plus a slack of 1e-6 of its largest entry has a Cholesky factor.
static bool semidefinite(const double A[36], double scale) {
  double S[SIDE * SIDE], U[SIDE * PADDED];
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++)
      S[SIDE * i + j] = 0.5 * (A[SIDE * i + j] + A[SIDE * j + i]) / scale + (i == j ? 1e-6 : 0);
  return td_spd_factor(SIDE, SIDE, S, PADDED, U) == TD_OK;
}

static td_status check_matrix(const td_place *at, const double A[36]) {
  td_status status = TD_OK;
  for (int i = 0; i < 36 && !status; i++) status = td_check_finite(at, NULL, A[i]);
  return status;
}

static td_status check_semidefinite(const td_place *at, const double A[36]) {
  double scale = largest(A);
  if (scale == 0 || semidefinite(A, scale)) return TD_OK;
  return td_place_fail(at, TD_INVALID_ARGUMENT, "must be positive semidefinite");
}

static td_status check_symmetric(const td_place *at, const double A[36]) {
  double scale = largest(A);
  for (int i = 0; i < SIDE; i++)
    for (int j = i + 1; j < SIDE; j++)
      if (!(fabs(A[SIDE * i + j] - A[SIDE * j + i]) <= 1e-9 * scale))
        return td_place_fail(at, TD_INVALID_ARGUMENT, "must be symmetric: entry (%d,%d) is %.15g, (%d,%d) is %.15g", i,
                             j, A[SIDE * i + j], j, i, A[SIDE * j + i]);
  return TD_OK;
}

td_status td_check_rigid_fluid(const td_place *hydrodynamics, const td_rigid_spec *rigid) {
  td_place drag = td_place_key(hydrodynamics, "drag"), added = td_place_key(hydrodynamics, "added_mass");
  td_status status = check_matrix(&drag, rigid->drag);
  if (!status) status = check_matrix(&added, rigid->added_mass);
  if (!status) status = check_semidefinite(&added, rigid->added_mass);
  if (!status) status = check_symmetric(&added, rigid->added_mass);
  return status ? status : td_check_not_negative(hydrodynamics, "body_density", rigid->body_density);
}

td_status td_check_rod_fluid(const td_place *hydrodynamics, const td_rod_spec *rod) {
  static const char *const cd[3] = {"cd_x", "cd_y", "cd_z"}, *const cl[3] = {"cl_x", "cl_y", "cl_z"},
                           *const added[2] = {"added_y", "added_z"};
  td_status status = TD_OK;
  for (int i = 0; i < 3 && !status; i++) {
    status = td_check_not_negative(hydrodynamics, cd[i], rod->cd[i]);
    if (!status) status = td_check_finite(hydrodynamics, cl[i], rod->cl[i]);
  }
  for (int i = 0; i < 2 && !status; i++) status = td_check_not_negative(hydrodynamics, added[i], rod->added[i]);
  return status;
}
