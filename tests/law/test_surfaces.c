// The recorded surface of reduced bodies: the outline at rest, volume kept by volume-preserving bodies, agreement with
// frames.
#include "support/suite.h"
#include "support/tree.h"
#include "tendril/tendril.h"
#include <math.h>
#include <string.h>

enum { MOST = 32, RINGS = 16 };

typedef double ring[TD_SURFACE_AROUND][3];

typedef struct body {
  td_model *model;
  td_workspace *ws;
  int rings;
  ring surface[RINGS];
} body;

static void make(body *b, td_body_kinematics kinematics) {
  tree t;
  tree_init(&t);
  td_link_spec *link = tree_link(&t, "body", "world", TD_JOINT_FIXED);
  if (kinematics == TD_KINEMATICS_RITZ)
    tree_ritz(link);
  else
    tree_reduced(link, kinematics);
  link->pose = td_se3_identity();
  *b = (body){.model = tree_build(&t)};
  b->rings = td_model_surface_count(b->model, 0);
  ck_assert(b->rings > 2 && b->rings <= RINGS && td_model_ndof(b->model) <= MOST);
  ck_assert_int_eq(td_workspace_create(b->model, &b->ws), TD_OK);
}

static void at_state(body *b, const double *q) {
  ck_assert_int_eq(td_link_surface(b->model, b->ws, q, 0, &b->surface[0][0][0]), TD_OK);
}

static void done(body *b) {
  td_workspace_destroy(b->ws);
  td_model_destroy(b->model);
}

START_TEST(at_rest_the_rings_are_the_outline_from_base_to_tip) {
  for (int k = 0; k < TD_KINEMATICS_RITZ; k++) {
    body b;
    double q[MOST] = {0}, thick = k == TD_KINEMATICS_PCC_VARIABLE_RADIUS ? 0.03 : 0.02;
    make(&b, (td_body_kinematics)k);
    at_state(&b, q);
    for (int i = 0; i < TD_SURFACE_AROUND; i++) {
      const double *base = b.surface[0][i], *tip = b.surface[b.rings - 1][i];
      ck_assert_double_eq_tol(hypot(base[0], base[1]), 0.03, 1e-14);
      ck_assert_double_eq_tol(hypot(tip[0], tip[1]), thick, 1e-14);
      ck_assert_double_eq_tol(base[2], 0, 1e-14);
      ck_assert_double_eq_tol(tip[2], 0.3, 1e-14);
    }
    done(&b);
  }
}
END_TEST

// Six times the volume of the pyramid over a triangle, from the origin.
static double pyramid(const double *a, const double *b, const double *c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static void centre(const ring r, double out[3]) {
  memset(out, 0, 3 * sizeof *out);
  for (int i = 0; i < TD_SURFACE_AROUND; i++)
    for (int d = 0; d < 3; d++) out[d] += r[i][d] / TD_SURFACE_AROUND;
}

static double volume(const body *b) {
  double sum = 0, first[3], last[3];
  centre(b->surface[0], first);
  centre(b->surface[b->rings - 1], last);
  for (int i = 0; i < TD_SURFACE_AROUND; i++) {
    int n = (i + 1) % TD_SURFACE_AROUND;
    for (int k = 0; k + 1 < b->rings; k++) {
      const ring *a = &b->surface[k], *c = &b->surface[k + 1];
      sum += pyramid((*a)[i], (*a)[n], (*c)[i]) + pyramid((*a)[n], (*c)[n], (*c)[i]);
    }
    sum += pyramid(first, b->surface[0][n], b->surface[0][i]);
    sum += pyramid(last, b->surface[b->rings - 1][i], b->surface[b->rings - 1][n]);
  }
  return sum / 6;
}

// Coordinates of tree_reduced's LVP body: e, kx, kx, ky, source, kz, sx, sy, ky.
START_TEST(a_volume_preserving_body_keeps_the_volume_in_its_surface_and_a_source_adds_to_it) {
  body b;
  double bent[MOST] = {-0.5, 1.5, 0.5, -1, 0, 0.5, 0.1, 0.1, 0.5}, source[MOST] = {[4] = 5};
  make(&b, TD_KINEMATICS_LVP);
  at_state(&b, (double[MOST]){0});
  double rest = volume(&b);
  ck_assert_double_eq_tol(rest, M_PI * 0.3 * (0.03 * 0.03 + 0.03 * 0.02 + 0.02 * 0.02) / 3, 0.02 * rest);
  at_state(&b, bent);
  ck_assert_msg(fabs(volume(&b) - rest) < 0.01 * rest, "%g m^3 bent, %g m^3 straight", volume(&b), rest);
  at_state(&b, source); // m = 5e-5 s/L: pi times its integral
  ck_assert_double_eq_tol(volume(&b) - rest, M_PI * 5e-5 * 0.5 * 0.3, 0.05 * M_PI * 5e-5 * 0.5 * 0.3);
  done(&b);
}
END_TEST

// tree_ritz's frame of the tip has its second point where the ring at the tip begins.
START_TEST(the_surface_of_a_body_of_modes_moves_with_its_distal_frame) {
  body b;
  td_se3 frame;
  double q[MOST] = {0.3, -0.2, 0.1, 0.2, 0.1}, along[3];
  make(&b, TD_KINEMATICS_RITZ);
  at_state(&b, q);
  ck_assert_int_eq(td_link_poses(b.model, b.ws, q, 0, &frame), TD_OK);
  for (int i = 0; i < 3; i++) {
    along[i] = 0;
    for (int d = 0; d < 3; d++) along[i] += frame.R[3 * d + i] * (b.surface[b.rings - 1][0][d] - frame.p[d]);
  }
  ck_assert_double_gt(along[0], 0.015);
  ck_assert_double_eq_tol(along[1], 0, 1e-14);
  ck_assert_double_eq_tol(along[2], 0, 1e-14);
  done(&b);
}
END_TEST

TEST_MAIN("surfaces", at_rest_the_rings_are_the_outline_from_base_to_tip,
          a_volume_preserving_body_keeps_the_volume_in_its_surface_and_a_source_adds_to_it,
          the_surface_of_a_body_of_modes_moves_with_its_distal_frame)
