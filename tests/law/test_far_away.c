// What distance does to forward dynamics. A robot whose document or state puts it far from the world's origin is the
// same
// machine: the engine keeps its origin at the root body, so that no R p^2 is ever added to an inertia.
//
// One thing is left, and is measured here. A free joint's coordinates are the twist xi of exp(xi), and T(xi) mixes
// rotation rates into translation rates by v/2: M = T^T M_0 T has a condition number that grows with v^2, and fd loses
// as many digits.
#include "lie/vec3.h"
#include "support/model_file.h"
#include "support/suite.h"
#include "support/tree_state.h"
#include "tendril/tendril.h"
#include <math.h>
#include <string.h>

typedef double vector[STATE_MAX];

// A hull that floats, with a soft tail and a fin on a hinge.
static void open_floating(tree_state *s, double metres) {
  static tree t;
  tree_init(&t);
  td_link_spec *hull = tree_link(&t, "hull", "world", TD_JOINT_FREE);
  tree_rigid(hull, 2);
  memset(hull->joint.stiffness, 0, sizeof hull->joint.stiffness);
  memset(hull->joint.damping, 0, sizeof hull->joint.damping);
  hull->pose.p[0] += metres, hull->pose.p[1] -= 2 * metres, hull->pose.p[2] += 0.5 * metres;
  tree_rod(tree_link(&t, "tail", "hull", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, (const int[6]){-1, 2, 2, -1, -1, -1});
  tree_rigid(tree_link(&t, "fin", "hull", TD_JOINT_REVOLUTE), 0.3);
  tree_state_of(s, &t, "floating", 0.5);
}

START_TEST(a_free_joint_mounted_far_away_costs_fd_no_digits) {
  tree_state near, far;
  vector here, there;
  open_floating(&near, 0);
  tree_fd(&near, here);
  for (double metres = 1e3; metres <= 1e6; metres *= 10) {
    open_floating(&far, metres);
    tree_fd(&far, there);
    tree_same(&far, "fd", near.n, 1, there, here, 0, 2e-12); // measured 2e-13
    tree_state_close(&far);
  }
  tree_state_close(&near);
}
END_TEST

// The hull's acceleration from its coordinates at w = 0, w' = 0:  p = v + w x v / 2 + …, so p'' = v'' - v x w'' / 2.
static void accelerations(tree_state *s, const double v[3], vector out) {
  double turn[3];
  memcpy(s->q + 3, v, 3 * sizeof *v);
  tree_fd(s, out);
  td_vec3_cross(v, out, turn);
  for (int i = 0; i < 3; i++) out[3 + i] -= turn[i] / 2;
}

START_TEST(a_body_that_has_travelled_accelerates_as_it_did_at_home) {
  const double home[3] = {0};
  tree_state s;
  vector here, there;
  open_floating(&s, 0);
  for (int i = 0; i < 3; i++) s.q[i] = s.qd[i] = 0;
  accelerations(&s, home, here);
  for (double metres = 1; metres <= 1e3; metres *= 10) {
    const double v[3] = {metres, -0.3 * metres, 0.5 * metres};
    accelerations(&s, v, there);
    tree_same(&s, "acceleration", s.n, 1, there, here, 0, 1e-12 + 2e-13 * metres * metres);
  }
  tree_state_close(&s);
}
END_TEST

// A rigid body that spins at 1e6 m of its joint's frame has no fast modes; what makes its steps small is rounding, and
// `pose` helps.
START_TEST(a_run_that_rounding_stops_far_away_does_not_blame_modes) {
  static const double q[6] = {0, 0, 0, 1e6, 0, 0}, qd[6] = {1, 2, 30, 0, 0, 0};
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"b\", \"joint\": {\"type\":"
      " \"free\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.01, 0.02, 0.03]}}]}");
  td_dynamics_spec spec = {.t_end = 10, .initial = TD_INITIAL_ARRAY, .q = q, .q_count = 6, .qd = qd, .qd_count = 6};
  td_integrator_defaults(&spec.integrator);
  spec.output_dt = 10;
  td_run_statistics statistics;
  td_error err = {0};
  ck_assert_int_eq(td_dynamics_run(model, &spec, NULL, NULL, 0, &statistics, &err), TD_STEP_TOO_SMALL);
  ck_assert_msg(!strstr(err.message, "modes at"), "%s", err.message);
  ck_assert_msg(strstr(err.message, "rounding alone") && strstr(err.message, "`pose`"), "%s", err.message);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("far_away", a_free_joint_mounted_far_away_costs_fd_no_digits,
          a_body_that_has_travelled_accelerates_as_it_did_at_home,
          a_run_that_rounding_stops_far_away_does_not_blame_modes)
