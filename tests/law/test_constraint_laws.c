// What loops and prescribed joints must keep: their forces do no work, a joint closed by a loop moves as the joint
// itself, index 1 and index 3 meet, and the balance of work and energy closes with all of them at once.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

enum { MOST = 64 };

// ------------------------------------------------------------------------------------- a joint, and a loop in its
// place

/// Shoulder and elbow, and the same arm with the forearm free and held by a loop at the elbow.
static const char by_joint[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0.5, 0, -9.81], \"links\": [{\"name\": \"upper\", "
    "\"parent\": \"world\", \"pose\": {}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, "
    "\"body\": {\"type\": \"rigid\", \"mass\": 0.6, \"com\": [0.15, 0.02, -0.01], \"inertia\": [0.002, "
    "0.006, 0.007]}}, {\"name\": \"fore\", \"parent\": \"upper\", \"pose\": {\"translation\": [0.3, 0, "
    "0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.6, "
    "\"com\": [0.15, 0.02, -0.01], \"inertia\": [0.002, 0.006, 0.007]}}]}";
static const char by_loop[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0.5, 0, -9.81], \"links\": [{\"name\": \"upper\", "
    "\"parent\": \"world\", \"pose\": {}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, "
    "\"body\": {\"type\": \"rigid\", \"mass\": 0.6, \"com\": [0.15, 0.02, -0.01], \"inertia\": [0.002, "
    "0.006, 0.007]}}, {\"name\": \"fore\", \"parent\": \"world\", \"pose\": {\"translation\": [0.3, 0, "
    "0]}, \"joint\": {\"type\": \"free\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.6, \"com\": [0.15, "
    "0.02, -0.01], \"inertia\": [0.002, 0.006, 0.007]}}], \"loops\": [{\"name\": \"elbow\", "
    "\"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"a\": {\"link\": \"fore\"}, "
    "\"b\": {\"link\": \"upper\", \"pose\": {\"translation\": [0.3, 0, 0]}}}]}";

static td_se3 pose_of(const td_model *model, const char *link, const double *q) {
  td_workspace *ws;
  td_se3 pose;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_link_poses(model, ws, q, td_model_link_find(model, link), &pose), TD_OK);
  td_workspace_destroy(ws);
  return pose;
}

static void tight(td_dynamics_spec *spec) { spec->integrator.rtol = 1e-9, spec->integrator.atol = 1e-11; }

static double difference(const td_se3 *a, const td_se3 *b) {
  double worst = 0;
  for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(a->R[i] - b->R[i]));
  for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(a->p[i] - b->p[i]));
  return worst;
}

START_TEST(an_arm_with_a_loop_at_its_elbow_accelerates_as_with_a_joint_there) {
  td_model *joint = test_model_from_text(by_joint), *loop = test_model_from_text(by_loop);
  td_workspace *a, *b;
  double x[2], y[7], zero[7] = {0};
  ck_assert_int_eq(td_workspace_create(joint, &a), TD_OK);
  ck_assert_int_eq(td_workspace_create(loop, &b), TD_OK);
  ck_assert_int_eq(td_forward_dynamics(joint, a, zero, (double[]){0.7, -1.1}, NULL, x), TD_OK);
  // At q = 0 the forearm's twist is that of the hinge at the elbow, carried there by the upper arm: w_y = 0.7 - 1.1,
  // v_z = -0.7 * 0.3.
  double qd[7] = {0.7, 0, 0.7 - 1.1, 0, 0, 0, -0.7 * 0.3};
  ck_assert_int_eq(td_forward_dynamics(loop, b, zero, qd, NULL, y), TD_OK);
  ck_assert_double_eq_tol(y[0], x[0], 1e-11 * fabs(x[0]));
  ck_assert_double_eq_tol(y[2], x[0] + x[1], 1e-11 * (fabs(x[0]) + fabs(x[1])));
  td_workspace_destroy(a);
  td_workspace_destroy(b);
  td_model_destroy(joint);
  td_model_destroy(loop);
}
END_TEST

START_TEST(an_arm_with_a_loop_at_its_elbow_moves_as_with_a_joint_there) {
  td_model *joint = test_model_from_text(by_joint), *loop = test_model_from_text(by_loop);
  td_dynamics_spec spec = recording_job(joint, TD_METHOD_BDF, 1, NULL);
  recording reference = {0}, r = {0};
  tight(&spec);
  recording_ok(&reference, joint, &spec);
  spec = recording_job(loop, TD_METHOD_BDF, 1, NULL);
  tight(&spec);
  recording_ok(&r, loop, &spec);
  for (size_t k = 0; k < r.count; k++) {
    td_se3 want = pose_of(joint, "fore", reference.rows + k * reference.row),
           got = pose_of(loop, "fore", r.rows + k * r.row);
    ck_assert_msg(difference(&want, &got) < 1e-6, "at t = %g the forearm is off by %g", r.t[k],
                  difference(&want, &got));
  }
  ck_assert_double_gt(fabs(recording_last(&reference)[0]), 0.5); // it has fallen
  recording_free(&reference);
  recording_free(&r);
  td_model_destroy(joint);
  td_model_destroy(loop);
}
END_TEST

/// A pendulum on a hinge and one hanging from it on a ball, and the same with the lower one free and held by a loop.
/// Both start bent; the loop's coordinates are those of the same pose.
#define UPPER                                                                                                          \
  "{\"name\": \"upper\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"damping\": 0.01}, " UNEVEN(1) "}"
#define UNEVEN(mass)                                                                                                   \
  "\"body\": {\"type\": \"rigid\", \"mass\": " #mass ", \"com\": [0, 0, -0.3], \"inertia\": [0.02, 0.03, 0.01]}"
static const char ball_joint[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [" UPPER
    ", {\"name\": \"lower\", \"parent\": \"upper\", \"pose\": {\"translation\": [0, 0, -0.6]}, "
    "\"joint\": {\"type\": \"spherical\"}, " UNEVEN(0.7) "}]}";
static const char ball_loop[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [" UPPER
    ", {\"name\": \"lower\", \"joint\": {\"type\": \"free\"}, " UNEVEN(
        0.7) "}], "
             "\"loops\": [{\"joint\": {\"type\": \"spherical\"}, \"a\": {\"link\": \"lower\"}, "
             "\"b\": {\"link\": \"upper\", \"pose\": {\"translation\": [0, 0, -0.6]}}}]}";

// What puts the state back on the loop must not be an error to the integrator, however tight its tolerances.
START_TEST(a_ball_held_by_a_loop_moves_as_a_joint_at_every_tolerance) {
  td_model *joint = test_model_from_text(ball_joint), *loop = test_model_from_text(ball_loop);
  double bent[] = {0.4, 0.5, -0.4, 0.3},
         same[] = {0.40000000000000002,  0.54585258082193533,  -0.0113050570220272, 0.19334586424795214,
                   -0.24092807664970528, -0.12801926878663791, -0.53957739285046458};
  td_dynamics_spec spec = recording_job(joint, TD_METHOD_BDF, 1, bent);
  recording reference = {0};
  tight(&spec);
  recording_ok(&reference, joint, &spec);
  td_se3 want = pose_of(joint, "lower", recording_last(&reference));
  for (double rtol = 1e-4; rtol > 1e-11; rtol /= 100) {
    recording r = {0};
    spec = recording_job(loop, TD_METHOD_BDF, 1, same);
    spec.integrator.rtol = rtol;
    spec.integrator.atol = rtol / 100;
    recording_ok(&r, loop, &spec);
    td_se3 got = pose_of(loop, "lower", recording_last(&r));
    ck_assert_msg(difference(&want, &got) < 20 * rtol + 1e-7, "rtol %g: off by %g", rtol, difference(&want, &got));
    recording_free(&r);
  }
  recording_free(&reference);
  td_model_destroy(joint);
  td_model_destroy(loop);
}
END_TEST

// ------------------------------------------------------------------------------------------------------------- power

/// A closed chain in space: three hinged arms, the last at a right angle, and a ball; a spring at the first; nothing
/// loses energy.
static const char closed[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0.5, 0, -9.81], \"links\": [{\"name\": \"one\", "
    "\"parent\": \"world\", \"pose\": {}, \"joint\": {\"type\": \"revolute\", \"axis\": [0.2, 1, 0.1], "
    "\"stiffness\": 2}, \"body\": {\"type\": \"rigid\", \"mass\": 0.6, \"com\": [0.15, 0.02, -0.01], "
    "\"inertia\": [0.002, 0.006, 0.007]}}, {\"name\": \"two\", \"parent\": \"one\", "
    "\"pose\": {\"translation\": [0.3, 0, 0]}, \"joint\": {\"type\": \"spherical\"}, "
    "\"body\": {\"type\": \"rigid\", \"mass\": 0.6, \"com\": [0.15, 0.02, -0.01], \"inertia\": [0.002, "
    "0.006, 0.007]}}, {\"name\": \"three\", \"parent\": \"two\", \"pose\": {\"translation\": [0.3, 0, "
    "0], \"rpy\": [0, -1.5707963267948966, 0]}, \"joint\": {\"type\": \"universal\", \"axis\": \"x\"}, "
    "\"body\": {\"type\": \"rigid\", \"mass\": 0.6, \"com\": [0.15, 0.02, -0.01], \"inertia\": [0.002, "
    "0.006, 0.007]}}], \"loops\": [{\"joint\": {\"type\": \"spherical\"}, \"a\": {\"link\": \"three\", "
    "\"pose\": {\"translation\": [0.3, 0, 0]}}, \"b\": {\"link\": \"world\", "
    "\"pose\": {\"translation\": [0.6, 0, 0.3]}}}]}";

START_TEST(forces_of_a_loop_do_no_work_on_motions_that_it_allows) {
  td_model *model = test_model_from_text(closed);
  int n = td_model_ndof(model);
  static const char *const fields[] = {"q", "qd", "energy"};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 1, NULL);
  spec.fields = fields;
  spec.field_count = 3;
  tight(&spec);
  recording r = {0};
  recording_ok(&r, model, &spec);
  double kinetic = 0, worst = 0, worst_power = 0, scale = 0;
  td_workspace *ws;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  for (size_t k = 0; k < r.count; k++) {
    const double *row = r.rows + k * r.row, *e = row + 2 * n, *e0 = r.rows + 2 * n;
    double fd[MOST], id[MOST], tau[MOST], power = 0;
    ck_assert_int_eq(td_forward_dynamics(model, ws, row, row + n, NULL, fd), TD_OK);
    ck_assert_int_eq(td_inverse_dynamics(model, ws, row, row + n, fd, NULL, id), TD_OK);
    ck_assert_int_eq(td_generalized_force(model, ws, row, row + n, NULL, tau), TD_OK);
    for (int i = 0; i < n; i++)
      power += row[n + i] * (id[i] - tau[i]), scale = fmax(scale, fabs(row[n + i] * (id[i] - tau[i])));
    worst_power = fmax(worst_power, fabs(power));
    worst = fmax(worst, fabs(e[0] + e[1] + e[2] - e0[0] - e0[1] - e0[2]));
    kinetic = fmax(kinetic, e[0]);
  }
  ck_assert_double_gt(kinetic, 0.1);
  ck_assert_msg(worst < 1e-6 * kinetic, "energy of a lossless closed chain off by %g of %g J", worst, kinetic);
  ck_assert_msg(worst_power < 1e-7 * scale, "the loop's forces have a power of %g W beside %g W", worst_power, scale);
  td_workspace_destroy(ws);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// --------------------------------------------------------------------------------------------------- index 1 and 3

static td_model *four_bar(void) { return test_model_from_file("published/gvs/fourbar_soft_coupler.json", "model"); }

static double furthest(const recording *a, const recording *b, int n) {
  double worst = 0;
  for (size_t k = 0; k < a->count; k++)
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a->rows[k * a->row + i] - b->rows[k * b->row + i]));
  return worst;
}

static double index3_error(const td_model *model, td_method method, double h, const recording *reference) {
  td_dynamics_spec spec = recording_job(model, method, 0.5, NULL);
  spec.integrator.h = h;
  recording r = {0};
  recording_ok(&r, model, &spec);
  double error = furthest(reference, &r, td_model_ndof(model));
  ck_assert_msg(r.statistics.drift < 1e-9, "%s: loop error %g", td_method_name(method), r.statistics.drift);
  recording_free(&r);
  return error;
}

START_TEST(runs_of_index_1_and_index_3_meet) {
  static const td_method methods[] = {TD_METHOD_NEWMARK, TD_METHOD_HHT, TD_METHOD_GENERALIZED_ALPHA};
  td_model *model = four_bar();
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.5, NULL);
  tight(&spec);
  recording reference = {0};
  recording_ok(&reference, model, &spec);
  ck_assert_msg(reference.statistics.drift < 1e-6, "index 1: loop error %g", reference.statistics.drift);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    double coarse = index3_error(model, methods[i], 4e-3, &reference);
    double fine = index3_error(model, methods[i], 1e-3, &reference);
    ck_assert_msg(fine < 2e-4, "%s: off by %g", td_method_name(methods[i]), fine);
    ck_assert_msg(fine < coarse / 8, "%s: off by %g, by %g with a quarter of the step", td_method_name(methods[i]),
                  coarse, fine);
  }
  recording_free(&reference);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------------------ balance

/// A soft rod in water between a driven slide and a ball joint of the world, hanging down onto a floor; closed at
/// q = 0.
static const char between[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"fluid\": {\"density\": 600}, "
    "\"links\": [{\"name\": \"slide\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", "
    "\"damping\": 0.3}, \"body\": {\"type\": \"rigid\", \"mass\": 0.4, \"com\": [0, 0, 0.02], "
    "\"inertia\": [0.001, 0.001, 0.001], \"hydrodynamics\": {\"drag\": [0, 0, 0, 5, 5, 5], "
    "\"added_mass\": [0, 0, 0, 0.2, 0.2, 0.2]}}}, {\"name\": \"rod\", \"parent\": \"slide\", "
    "\"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.4, "
    "\"section\": {\"shape\": \"circle\", \"radius\": 0.015}, \"material\": {\"young\": 300000.0, "
    "\"poisson\": 0.5, \"density\": 1200, \"viscosity\": 2000.0}, \"strain\": {\"basis\": \"legendre\", "
    "\"order\": {\"bending_y\": 2, \"bending_z\": 1, \"elongation\": 0}}, "
    "\"hydrodynamics\": {\"cd_y\": 1.1, \"cd_z\": 1.1, \"added_y\": 0.6, \"added_z\": 0.6}}}], "
    "\"actuators\": [{\"name\": \"drive\", \"type\": \"joint\", \"link\": \"slide\", \"mode\": \"position\"}], "
    "\"loops\": [{\"joint\": {\"type\": \"spherical\"}, \"a\": {\"link\": \"rod\", \"at\": 1}, "
    "\"b\": {\"link\": \"world\", \"pose\": {\"translation\": [0.4, 0, 0]}}}], "
    "\"contacts\": [{\"type\": \"plane\", \"stiffness\": 2000.0, \"exponent\": 1.5, "
    "\"pose\": {\"translation\": [0, 0, -0.04]}}]}";

static recording balanced(const td_model *model, td_method method, double h, double tolerance) {
  td_input_spec drive = {
      .channel = "drive",
      .signal = {
          .type = TD_SIGNAL_SINE, .offset = 0.02, .amplitude = 0.02, .frequency = 1, .phase = -1.5707963267948966}};
  td_dynamics_spec spec = recording_job(model, method, 1.5, NULL);
  spec.inputs = &drive;
  spec.input_count = 1;
  spec.integrator.rtol = 1e-7;
  spec.integrator.atol = 1e-9;
  spec.integrator.h = h;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_msg(fabs(e->error) < tolerance * e->exchanged, "%s: energy off by %g of %g J", td_method_name(method),
                e->error, e->exchanged);
  return r;
}

START_TEST(work_and_energy_balance_with_a_loop_a_prescribed_joint_contact_and_water) {
  td_model *model = test_model_from_text(between);
  recording bdf = balanced(model, TD_METHOD_BDF, 0, 1e-4),
            alpha = balanced(model, TD_METHOD_GENERALIZED_ALPHA, 1e-3, 1e-3);
  const td_energy_balance *e = &bdf.statistics.energy;
  const double part[] = {e->prescribed, e->contact, e->hydrodynamics, e->dissipation}; // each has its share
  for (int i = 0; i < 4; i++)
    ck_assert_msg(fabs(part[i]) > 1e-3 * e->exchanged, "part %d is %g of %g J", i, part[i], e->exchanged);
  ck_assert_msg(fabs(e->loops) < 1e-6 * e->exchanged, "the loop worked %g J", e->loops);
  ck_assert_double_lt(furthest(&bdf, &alpha, td_model_ndof(model)), 1e-2);
  recording_free(&bdf);
  recording_free(&alpha);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("constraint_laws", an_arm_with_a_loop_at_its_elbow_accelerates_as_with_a_joint_there,
          a_ball_held_by_a_loop_moves_as_a_joint_at_every_tolerance,
          an_arm_with_a_loop_at_its_elbow_moves_as_with_a_joint_there,
          forces_of_a_loop_do_no_work_on_motions_that_it_allows, runs_of_index_1_and_index_3_meet,
          work_and_energy_balance_with_a_loop_a_prescribed_joint_contact_and_water)
