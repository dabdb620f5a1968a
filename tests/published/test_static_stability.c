// Stability of equilibria under loads that have no potential, against the classical critical loads.
//
// Beck1952: cantilever under a tangential end force, flutter at P L^2 / EI = 20.05. Ziegler1952: double pendulum under
// a tangential force. Nikolai1928: a cantilever with equal bending stiffnesses under an end twisting moment has no
// stable straight state.
#include "run/judge/guard.h"
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COORDINATES = 64 };

static td_statics_result solve(td_model *model, const double *u, const double *guess) {
  td_workspace *ws;
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  double q[COORDINATES] = {0};
  ck_assert_int_le(td_model_ndof(model), COORDINATES);
  if (guess) memcpy(q, guess, (size_t)td_model_ndof(model) * sizeof *q);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  td_statics_defaults(&options);
  ck_assert_msg(td_statics_solve(model, ws, u, &options, q, &result, &err) == TD_OK, "%s", err.message);
  td_workspace_destroy(ws);
  return result;
}

// ------------------------------------------------------------------------------------------------ columns

static const double EI = 1e9 * M_PI * 1e-12 / 4; // r 1 mm, L 1 m

static td_model *column(const char *order, double viscosity, const char *frame) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"rod\", \"joint\": {\"type\":"
      " \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\", \"radius\": "
      "0.001},"
      " \"material\": {\"young\": 1e9, \"poisson\": 0.3, \"density\": 1000, \"viscosity\": %g}, \"strain\": {\"basis\":"
      " \"legendre\", \"order\": %s}, \"quadrature\": {\"points\": 12}}}], \"loads\": [{\"link\": \"rod\", \"at\": 1,"
      " \"frame\": \"%s\", \"channels\": [\"mx\", null, null, \"fx\", null, null]}]}",
      viscosity, order, frame);
  return test_model_from_text(text);
}

START_TEST(a_follower_force_makes_becks_column_flutter_at_20_05_and_not_before) {
  td_model *model = column("{\"bending_y\": 8}", 0, "body");
  double before[2] = {0, -20.0 * EI}, after[2] = {0, -20.1 * EI};
  td_statics_result r = solve(model, before, NULL);
  ck_assert(r.stable && !r.conservative);
  ck_assert_double_eq(r.growth_rate, 0);
  r = solve(model, after, NULL);
  ck_assert(!r.stable);
  ck_assert_double_gt(r.growth_rate, 0);
  // omega_cr = 11.016 sqrt(EI / (m L^4))
  ck_assert_double_eq_tol(r.growth_frequency / sqrt(EI / (1000 * M_PI * 1e-6)), 11.016, 0.02);
  td_model_destroy(model);
}
END_TEST

START_TEST(the_same_force_in_world_axes_buckles_the_column_at_eulers_load) {
  td_model *model = column("{\"bending_y\": 8}", 0, "world");
  double before[2] = {0, -2.46 * EI}, after[2] = {0, -2.475 * EI}; // pi^2 / 4 = 2.4674
  td_statics_result r = solve(model, before, NULL);
  ck_assert(r.stable && r.conservative && isnan(r.growth_rate));
  r = solve(model, after, NULL);
  ck_assert(!r.stable && r.smallest_eigenvalue < 0);
  td_model_destroy(model);
}
END_TEST

START_TEST(an_end_torque_however_small_makes_nikolais_rod_unstable) {
  static const char *const frames[] = {"body", "world"};
  for (int i = 0; i < 2; i++) {
    td_model *model = column("{\"torsion\": 0, \"bending_y\": 6, \"bending_z\": 6}", 0, frames[i]);
    double none[2] = {0, 0}, small[2] = {0.1 * EI, 0};
    ck_assert(solve(model, none, NULL).stable);
    td_statics_result r = solve(model, small, NULL);
    ck_assert_msg(!r.stable && !r.conservative && r.growth_rate > 0, "%s: growth %g", frames[i], r.growth_rate);
    td_model_destroy(model);
  }
}
END_TEST

// Damping of the material holds what a small torque would let grow.
START_TEST(the_damping_of_the_robot_counts) {
  td_model *model = column("{\"torsion\": 0, \"bending_y\": 6, \"bending_z\": 6}", 1e7, "body");
  double small[2] = {0.001 * EI, 0}, large[2] = {8 * EI, 0};
  td_statics_result r = solve(model, small, NULL);
  ck_assert_msg(r.stable && !r.conservative && !(r.growth_rate >= 0), "growth %g", r.growth_rate);
  ck_assert(!solve(model, large, NULL).stable);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ pendulums

// Ziegler's: point masses 2 m and m on links of 1 m, equal springs of 1 N m/rad.
static td_model *pendulum(double damping) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"a\", \"joint\": {\"type\":"
      " \"revolute\", \"axis\": \"y\", \"stiffness\": 1, \"damping\": %g}, \"body\": {\"type\": \"rigid\", \"mass\": 2,"
      " \"com\": [1, 0, 0], \"inertia\": [1e-9, 1e-9, 1e-9]}}, {\"name\": \"b\", \"parent\": \"a\", \"pose\": "
      "{\"translation\":"
      " [1, 0, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"stiffness\": 1, \"damping\": %g}, \"body\":"
      " {\"type\": \"rigid\", \"mass\": 1, \"com\": [1, 0, 0], \"inertia\": [1e-9, 1e-9, 1e-9]}}], \"loads\": "
      "[{\"link\":"
      " \"b\", \"pose\": {\"translation\": [1, 0, 0]}, \"frame\": \"body\", \"channels\": [null, null, null, \"push\", "
      "null,"
      " null]}]}",
      damping, damping);
  return test_model_from_text(text);
}

static bool holds(const td_model *model, double force) {
  double u[1] = {-force};
  return solve((td_model *)model, u, NULL).stable;
}

START_TEST(zieglers_pendulum_flutters_at_its_load_and_a_little_damping_lowers_that) {
  td_model *free = pendulum(0), *damped = pendulum(1e-3);
  double critical = 3.5 - sqrt(2), with_damping = 41. / 28;
  ck_assert(holds(free, 0.999 * critical) && !holds(free, 1.001 * critical));
  ck_assert(holds(damped, 0.999 * with_damping) && !holds(damped, 1.001 * with_damping));
  td_model_destroy(free);
  td_model_destroy(damped);
}
END_TEST

// The same pendulum as a chain with a sliding carriage that a loop holds at its place, and on a turned, prescribed
// base.
START_TEST(loops_and_prescribed_joints_leave_the_critical_load_as_it_is) {
  static const char *const heads[] = {"{\"name\": \"base\", \"joint\": {\"type\": \"planar\", \"axis\": \"y\"}, "
                                      "\"body\": {\"type\": \"rigid\", \"mass\": 3,"
                                      " \"inertia\": [1, 1, 1]}}",
                                      "{\"name\": \"base\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, "
                                      "\"body\": {\"type\": \"rigid\", \"mass\": 3,"
                                      " \"inertia\": [1, 1, 1]}}"};
  static const char *const tails[] = {
      "\"loops\": [{\"a\": {\"link\": \"base\"}, \"b\": {\"link\": \"world\"}, \"joint\": {\"type\": \"fixed\"}}],",
      "\"actuators\": [{\"name\": \"turn\", \"type\": \"joint\", \"link\": \"base\", \"mode\": \"position\"}],"};
  double critical = 3.5 - sqrt(2);
  for (int i = 0; i < 2; i++) {
    char text[4096];
    snprintf(
        text, sizeof text,
        "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], %s \"links\": [%s, {\"name\": \"a\", \"parent\":"
        " \"base\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"stiffness\": 1}, \"body\": {\"type\":"
        " \"rigid\", \"mass\": 2, \"com\": [1, 0, 0], \"inertia\": [1e-9, 1e-9, 1e-9]}}, {\"name\": \"b\", \"parent\":"
        " \"a\", \"pose\": {\"translation\": [1, 0, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\","
        " \"stiffness\": 1}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [1, 0, 0], \"inertia\": [1e-9, 1e-9,"
        " 1e-9]}}], \"loads\": [{\"link\": \"b\", \"pose\": {\"translation\": [1, 0, 0]}, \"frame\": \"body\","
        " \"channels\": [null, null, null, \"push\", null, null]}]}",
        tails[i], heads[i]);
    td_model *model = test_model_from_text(text);
    for (int above = 0; above < 2; above++) {
      double push = -(above ? 1.001 : 0.999) * critical, u[2] = {i == 0 ? push : 0.7, push};
      ck_assert_msg(solve(model, u, NULL).stable == !above, "%s, above %d", i ? "prescribed" : "loop", above);
    }
    td_model_destroy(model);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ currents

// A plate on a spring slides along n, a little off the flow's normal: drag -10 |v| v_x, 1 kg, 10 N/m, a flow of 1 m/s
// at 45 degrees. By hand
// c = n . (D |U| + D u u^T |U|) n = 10 n_x (n_x + u_x (u . n)).
static td_statics_result plate(double damping, double mirror) {
  char text[2048];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"fluid\": {\"density\": 1000, \"velocity\":"
           " [0.7071067811865476, 0.7071067811865476, 0]}, \"links\": [{\"name\": \"b\", \"joint\": {\"type\":"
           " \"prismatic\", \"axis\": [%.17g, 0.99503719020999, 0], \"stiffness\": 10, \"damping\": %g}, \"body\":"
           " {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"hydrodynamics\": {\"body_density\":"
           " 1000, \"drag\": [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 10, 0, 0],"
           " [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}}}]}",
           mirror * 0.09950371902099893, damping);
  td_model *model = test_model_from_text(text);
  double u[1] = {0};
  td_statics_result r = solve(model, u, NULL);
  td_model_destroy(model);
  return r;
}

START_TEST(a_plate_that_the_current_lets_gallop_is_unstable_though_its_stiffness_is_positive) {
  td_statics_result r = plate(0, -1);
  ck_assert(!r.stable && r.fed && r.conservative && r.smallest_eigenvalue > 9);
  ck_assert_double_eq_tol(r.growth_rate, 0.17327, 1e-4); // -c / 2
  ck_assert_double_eq_tol(r.growth_frequency, sqrt(10 - 0.17327 * 0.17327), 1e-4);
  ck_assert(td_equilibrium_is_unstable(&r));
  r = plate(0.36, -1); // a damper that takes more than the current gives
  ck_assert(r.stable && !r.fed && isnan(r.growth_rate));
  r = plate(0, 1); // and the mirrored one is damped by the current itself
  ck_assert(r.stable && !r.fed);
}
END_TEST

// A round arm that hangs: to turn the way it bends costs nothing, and rounding has either sign.
static const char HANGING[] =
    "{\"format\": \"tendril.model/1\", \"name\": \"pccarm\", \"gravity\": [0, 0, 9.81], \"links\": [{\"na"
    "me\": \"base\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rigid\", \"shape\": {\"type"
    "\": \"box\", \"size\": [0.1, 0.1, 0.05]}, \"density\": 2700}, \"pose\": {\"rpy\": [3.141592653589793"
    ", 0, 0]}}, {\"name\": \"s0\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"reduced\", \""
    "kinematics\": \"pcc\", \"length\": 0.2, \"radius\": 0.02, \"density\": 1070, \"young\": 1000000.0, "
    "\"poisson\": 0.5, \"damping_time\": 0.1}, \"parent\": \"base\"}, {\"name\": \"s1\", \"joint\": {\"ty"
    "pe\": \"fixed\"}, \"body\": {\"type\": \"reduced\", \"kinematics\": \"pcc\", \"length\": 0.2, \"radi"
    "us\": 0.02, \"density\": 1070, \"young\": 1000000.0, \"poisson\": 0.5, \"damping_time\": 0.1}, \"par"
    "ent\": \"s0\"}, {\"name\": \"s2\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"reduced"
    "\", \"kinematics\": \"pcc\", \"length\": 0.2, \"radius\": 0.02, \"density\": 1070, \"young\": 100000"
    "0.0, \"poisson\": 0.5, \"damping_time\": 0.1}, \"parent\": \"s1\"}]}";

START_TEST(a_motion_that_costs_nothing_does_not_make_an_equilibrium_unstable) {
  char text[sizeof HANGING + 16];
  const char *at = strstr(HANGING, "3.141592653589793"), *up = strstr(HANGING, "9.81");
  ck_assert(at && up && up < at);
  for (int turned = 0; turned < 2; turned++) { // the same robot, seen upside down
    if (turned)
      snprintf(text, sizeof text, "%.*s-%.*s0%s", (int)(up - HANGING), HANGING, (int)(at - up), up,
               at + strlen("3.141592653589793"));
    td_model *model = test_model_from_text(turned ? text : HANGING);
    td_statics_result r = solve(model, NULL, NULL);
    ck_assert_msg(r.stable && !td_equilibrium_is_unstable(&r), "turned %d: %g", turned, r.smallest_eigenvalue);
    td_model_destroy(model);
  }
}
END_TEST

TEST_MAIN("static_stability", a_motion_that_costs_nothing_does_not_make_an_equilibrium_unstable,
          a_follower_force_makes_becks_column_flutter_at_20_05_and_not_before,
          the_same_force_in_world_axes_buckles_the_column_at_eulers_load,
          an_end_torque_however_small_makes_nikolais_rod_unstable, the_damping_of_the_robot_counts,
          zieglers_pendulum_flutters_at_its_load_and_a_little_damping_lowers_that,
          loops_and_prescribed_joints_leave_the_critical_load_as_it_is,
          a_plate_that_the_current_lets_gallop_is_unstable_though_its_stiffness_is_positive)
