// Controlled runs: references are followed, weights held, tendons linearised, by every method, and the books balance.
#include "support/controlled.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/dynamics.h"
#include <math.h>
#include <string.h>

static const char *const motors[] = {"m1", "m2", "m3"}, *const cables[] = {"t1", "t2", "t3"};
static const double q0[3] = {0.3, -0.2, 0.5}, turns[] = {0, 0.4, 1},
                    path[] = {0.3, -0.2, 0.5, 0.9, 0.4, -0.1, 0.2, 0.7, 0.6};
static const char *const fields[] = {"q", "qd", "u", "qdd", "tendons", "poses:tool"};

// A job of 1 s whose rows are q, qd (3 each), then what `count` fields say.
static td_dynamics_spec job(const td_model *model, td_method method, const td_controller_spec *law, size_t count) {
  td_dynamics_spec spec = recording_job(model, method, 1, q0);
  spec.controllers = law;
  spec.controller_count = 1;
  spec.fields = fields;
  spec.field_count = count;
  return spec;
}

// Where the rest-to-rest cubics of `path` are at t.
static double reference_at(int i, double t, double *rate) {
  int k = t < turns[1] ? 0 : 1;
  double h = turns[k + 1] - turns[k], s = (t - turns[k]) / h, d = path[3 * k + 3 + i] - path[3 * k + i];
  *rate = 6 * s * (1 - s) * d / h;
  return path[3 * k + i] + s * s * (3 - 2 * s) * d;
}

START_TEST(a_rigid_arm_under_computed_torque_follows_its_reference_to_rounding) {
  static const td_method methods[] = {TD_METHOD_RK45, TD_METHOD_RK4, TD_METHOD_BDF};
  static const double allowed[] = {1e-11, 1e-8, 1e-6}, rtol[] = {1e-13, 1e-8, 1e-8};
  td_model *model = controlled_arm();
  td_controller_spec law = controlled_law(TD_CONTROLLER_COMPUTED_TORQUE, motors, 3, TD_SPACE_JOINT);
  controlled_reference(&law, 3, turns, path, 3);
  for (int m = 0; m < 3; m++) {
    td_dynamics_spec spec = job(model, methods[m], &law, 2);
    spec.integrator.rtol = rtol[m], spec.integrator.atol = 1e-2 * rtol[m];
    recording r = {0};
    recording_ok(&r, model, &spec);
    for (size_t k = 0; k < r.count; k++)
      for (int i = 0; i < 3; i++) {
        double rate, value = reference_at(i, r.t[k], &rate), off = fabs(r.rows[k * r.row + (size_t)i] - value);
        off = fmax(off, fabs(r.rows[k * r.row + 3 + (size_t)i] - rate));
        ck_assert_msg(off <= allowed[m], "%s: joint %d is off by %g at t = %g", td_method_name(methods[m]), i, off,
                      r.t[k]);
      }
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// e'' + 9 e' + 40 e = 0 from e(0), e'(0) = 0
static double decay(double t) {
  double w = sqrt(40 - 81. / 4);
  return exp(-4.5 * t) * (cos(w * t) + 4.5 / w * sin(w * t));
}

START_TEST(errors_of_linearised_joints_die_as_the_gains_say) {
  static const double zero = 0, goal[3] = {0, 0.2, -0.1};
  td_model *model = controlled_arm();
  td_controller_spec law = controlled_law(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, motors, 3, TD_SPACE_JOINT);
  controlled_reference(&law, 1, &zero, goal, 3);
  td_dynamics_spec spec = job(model, TD_METHOD_RK45, &law, 2);
  spec.integrator.rtol = spec.integrator.atol = 1e-11;
  recording r = {0};
  recording_ok(&r, model, &spec);
  for (size_t k = 0; k < r.count; k++)
    for (size_t i = 0; i < 3; i++)
      ck_assert_double_eq_tol(r.rows[k * r.row + i], goal[i] + (q0[i] - goal[i]) * decay(r.t[k]), 1e-9);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(pd_plus_holds_the_weight_and_u_says_with_what) {
  static const double zero = 0;
  double tau[3];
  td_model *model = controlled_arm();
  td_workspace *ws;
  td_controller_spec law = controlled_law(TD_CONTROLLER_PD_PLUS, motors, 3, TD_SPACE_JOINT);
  controlled_reference(&law, 1, &zero, q0, 3);
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 3);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_inverse_dynamics(model, ws, q0, NULL, NULL, NULL, tau), TD_OK);
  for (size_t i = 0; i < 3; i++) {
    ck_assert_double_eq_tol(recording_last(&r)[i], q0[i], 1e-12);
    ck_assert_double_eq_tol(recording_last(&r)[6 + i], tau[i], 1e-10);
  }
  ck_assert_double_gt(fabs(tau[1]), 1);
  td_workspace_destroy(ws);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(pd_plus_brings_a_soft_body_to_its_goal_against_gravity_and_elasticity) {
  static const double zero = 0, goal[3] = {0.5, -0.3, 0.01}, kp[3] = {20, 20, 2000}, kd[3] = {2, 2, 50};
  static const char *const coordinates[] = {"body.q[0]", "body.q[1]", "body.q[2]"};
  td_model *model = controlled_pcc();
  td_controller_spec law = controlled_law(TD_CONTROLLER_PD_PLUS, cables, 3, TD_SPACE_JOINT);
  law.kp = kp, law.kd = kd, law.kp_count = law.kd_count = 3;
  law.reference.coordinates = coordinates, law.reference.coordinate_count = 3;
  controlled_reference(&law, 1, &zero, goal, 3);
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 2);
  spec.initial = TD_INITIAL_EQUILIBRIUM;
  spec.t_end = 4;
  recording r = {0};
  recording_ok(&r, model, &spec);
  for (size_t i = 0; i < 3; i++) ck_assert_double_eq_tol(recording_last(&r)[i], goal[i], 1e-5);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// Lengths start where the body hangs and obey the gains from there: each with the same decay towards constant goals.
static void tracks_lengths(const char *name, td_model *model) {
  static const double zero = 0, goal[3] = {0.19, 0.203, 0.199};
  td_controller_spec law = controlled_law(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, cables, 3, TD_SPACE_TENDON);
  controlled_reference(&law, 1, &zero, goal, 3);
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 5);
  spec.initial = TD_INITIAL_EQUILIBRIUM;
  spec.integrator.rtol = 1e-8, spec.integrator.atol = 1e-10;
  recording r = {0};
  recording_ok(&r, model, &spec);
  size_t at = r.row - 3;
  for (size_t k = 0; k < r.count; k++)
    for (size_t i = 0; i < 3; i++) {
      double start = r.rows[at + i], expected = goal[i] + (start - goal[i]) * decay(r.t[k]);
      double got = r.rows[k * r.row + at + i];
      ck_assert_msg(fabs(got - expected) < 2e-8, "%s: length %zu is %.10g at %g s, expected %.10g", name, i, got,
                    r.t[k], expected);
    }
  ck_assert_double_gt(fabs(r.rows[at] - goal[0]), 1e-3);
  recording_free(&r);
  td_model_destroy(model);
}

START_TEST(lengths_of_linearised_tendons_obey_the_gains) {
  tracks_lengths("pcc", controlled_pcc());
  tracks_lengths("lvp", controlled_lvp());
}
END_TEST

// Longer than at rest: only pushing does it. Shorter: only pulling.
START_TEST(a_tendon_that_pushes_is_told_with_its_tension_and_time) {
  static const double zero = 0, goals[2][3] = {{0.203, 0.207, 0.203}, {0.19, 0.19, 0.19}};
  for (int pulls = 0; pulls < 2; pulls++) {
    td_model *model = controlled_pcc();
    td_controller_spec law = controlled_law(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, cables, 3, TD_SPACE_TENDON);
    controlled_reference(&law, 1, &zero, goals[pulls], 3);
    td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 3);
    spec.initial = TD_INITIAL_EQUILIBRIUM;
    recording r = {0};
    recording_ok(&r, model, &spec);
    double least = 0;
    for (size_t k = 0; k < r.count; k++)
      for (size_t i = 0; i < 3; i++) least = fmin(least, r.rows[k * r.row + 6 + i]);
    const td_run_statistics *s = &r.statistics;
    if (pulls) {
      ck_assert_double_eq(least, 0);
      ck_assert_double_eq(s->push, 0);
    } else {
      ck_assert_double_lt(least, -0.1);
      ck_assert_double_ge(s->push, 0.9 * -least);
      ck_assert(s->push_t >= 0 && s->push_t <= 1);
      ck_assert_str_eq(td_model_channel_name(model, s->push_channel), "t2");
    }
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(tip_references_become_lengths_and_the_tip_gets_there) {
  static const double t[2] = {0, 0.5}, way[6] = {0, 0, -0.199, 0.03, 0.02, -0.192};
  td_model *model = controlled_pcc();
  static const char *const out[] = {"q", "poses:body@1"};
  td_controller_spec law = controlled_law(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, cables, 3, TD_SPACE_TIP);
  static const double kp = 400, kd = 40;
  law.kp = &kp, law.kd = &kd;
  controlled_reference(&law, 2, t, way, 3);
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 2);
  spec.initial = TD_INITIAL_EQUILIBRIUM;
  spec.fields = out;
  spec.t_end = 2;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const double *pose = recording_last(&r) + 3;
  for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(pose[4 * i + 3], way[3 + i], 1e-6);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(feed_forward_in_tip_space_holds_a_rigid_arm_where_it_should_be) {
  static const double zero = 0, goal[3] = {0.5, 0.1, 0.2};
  td_model *model = controlled_arm();
  static const char *const out[] = {"q", "qd", "u"};
  td_controller_spec law = controlled_law(TD_CONTROLLER_COMPUTED_TORQUE, motors, 3, TD_SPACE_TIP);
  controlled_reference(&law, 1, &zero, goal, 3);
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 3);
  spec.fields = out;
  spec.t_end = 6;
  recording r = {0};
  recording_ok(&r, model, &spec);
  td_controller_spec open = controlled_law(TD_CONTROLLER_FEED_FORWARD, motors, 3, TD_SPACE_TIP);
  controlled_reference(&open, 1, &zero, goal, 3);
  spec.controllers = &open;
  spec.q = recording_last(&r);
  spec.t_end = 0.01;
  recording held = {0};
  recording_ok(&held, model, &spec);
  for (size_t i = 0; i < 3; i++) {
    ck_assert_double_eq_tol(recording_last(&held)[i], recording_last(&r)[i], 1e-6);
    ck_assert_double_eq_tol(recording_last(&held)[6 + i], recording_last(&r)[6 + i], 1e-4);
  }
  recording_free(&held);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// Newton keeps converging with controllers inside: every implicit method arrives where rk45 does, analytic or by
// differences.
START_TEST(every_method_follows_the_same_controlled_motion) {
  static const td_method methods[] = {TD_METHOD_BDF,
                                      TD_METHOD_DAE,
                                      TD_METHOD_NEWMARK,
                                      TD_METHOD_HHT,
                                      TD_METHOD_GENERALIZED_ALPHA,
                                      TD_METHOD_EULER_IMPLICIT,
                                      TD_METHOD_RK4};
  static const double t[2] = {0, 0.5}, lengths[6] = {0.2, 0.2, 0.2, 0.19, 0.203, 0.199};
  td_model *model = controlled_pcc();
  for (int type = 0; type < 2; type++) {
    td_controller_spec law = controlled_law(type ? TD_CONTROLLER_PD_PLUS : TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION,
                                            cables, 3, TD_SPACE_TENDON);
    static const double stiff = 100;
    if (type) law.kp = law.kd = &stiff;
    controlled_reference(&law, 2, t, lengths, 3);
    td_dynamics_spec spec = job(model, TD_METHOD_RK45, &law, 1);
    spec.initial = TD_INITIAL_EQUILIBRIUM;
    spec.integrator.rtol = spec.integrator.atol = 1e-10;
    recording exact = {0};
    recording_ok(&exact, model, &spec);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
      for (int differences = 0; differences < (methods[m] == TD_METHOD_RK4 ? 1 : 2); differences++) {
        spec.integrator.method = methods[m];
        spec.integrator.h = methods[m] <= TD_METHOD_DAE ? 0 : methods[m] == TD_METHOD_RK4 ? 5e-4 : 1e-3;
        spec.integrator.rtol = 1e-7, spec.integrator.atol = 1e-9;
        spec.integrator.finite_difference = differences;
        recording r = {0};
        recording_ok(&r, model, &spec);
        if (methods[m] != TD_METHOD_DAE) ck_assert_uint_eq(r.statistics.nonlinear_failures, 0);
        if (methods[m] > TD_METHOD_DAE && methods[m] != TD_METHOD_RK4)
          ck_assert_uint_lt(r.statistics.newton_iterations, 5 * r.statistics.steps); // to 2e-12 in rates
        for (size_t i = 0; i < 3; i++)
          ck_assert_msg(fabs(recording_last(&r)[i] - recording_last(&exact)[i]) <
                            (methods[m] == TD_METHOD_EULER_IMPLICIT ? 5e-3 : 2e-4),
                        "%s, law %d: q[%zu] %g, not %g", td_method_name(methods[m]), type, i, recording_last(&r)[i],
                        recording_last(&exact)[i]);
        recording_free(&r);
      }
    recording_free(&exact);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(the_crank_of_a_closed_chain_on_a_turning_base_follows_its_reference) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_GENERALIZED_ALPHA, TD_METHOD_RK45};
  static const double closed[4] = {0, 0, M_PI / 2, M_PI / 2}, way[3] = {0, 0.8, -0.3};
  static const char *const crank[] = {"crank"};
  td_model *model = controlled_fourbar();
  td_input_spec spin = {.channel = "spin", .signal = {.type = TD_SIGNAL_SINE, .amplitude = 0.3, .frequency = 0.5}};
  td_controller_spec law = controlled_law(TD_CONTROLLER_COMPUTED_TORQUE, crank, 1, TD_SPACE_JOINT);
  controlled_reference(&law, 3, turns, way, 1);
  for (int m = 0; m < 3; m++) {
    td_dynamics_spec spec = job(model, methods[m], &law, 1);
    spec.q = closed;
    spec.inputs = &spin;
    spec.input_count = 1;
    spec.integrator.h = methods[m] == TD_METHOD_GENERALIZED_ALPHA ? 1e-3 : 0;
    recording r = {0};
    recording_ok(&r, model, &spec);
    for (size_t k = 0; k < r.count; k++) {
      int i = r.t[k] < 0.4 ? 0 : 1;
      double h = turns[i + 1] - turns[i], s = (r.t[k] - turns[i]) / h;
      double expected = way[i] + s * s * (3 - 2 * s) * (way[i + 1] - way[i]);
      ck_assert_msg(fabs(r.rows[k * r.row + 1] - expected) < 2e-5, "%s: crank at %g, should be %g at %g s",
                    td_method_name(methods[m]), r.rows[k * r.row + 1], expected, r.t[k]);
    }
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(the_work_of_controllers_is_actuation_and_the_balance_closes) {
  td_model *model = controlled_arm();
  td_controller_spec law = controlled_law(TD_CONTROLLER_COMPUTED_TORQUE, motors, 3, TD_SPACE_JOINT);
  controlled_reference(&law, 3, turns, path, 3);
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 4);
  spec.integrator.rtol = 1e-8, spec.integrator.atol = 1e-10;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_gt(fabs(e->actuation), 0.1);
  ck_assert_double_lt(fabs(e->error), 1e-6 * e->exchanged);
  td_workspace *ws; // u is what the accelerations of the same sample come from
  double fd[3];
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  const double *row = r.rows + 3 * r.row;
  ck_assert_int_eq(td_forward_dynamics(model, ws, row, row + 3, row + 6, fd), TD_OK);
  for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(fd[i], row[9 + i], 1e-9);
  td_workspace_destroy(ws);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_controlled_run_goes_on_from_a_checkpoint_with_the_same_bits) {
  static const double t[2] = {0, 0.5}, way[6] = {0, 0, -0.199, 0.03, 0.02, -0.192};
  td_model *model = controlled_pcc();
  td_controller_spec law = controlled_law(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, cables, 3, TD_SPACE_TIP);
  controlled_reference(&law, 2, t, way, 3);
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 5);
  spec.initial = TD_INITIAL_EQUILIBRIUM;
  recording whole = {.checkpoint_dt = 0.25, .keep_at = 0.25}, rest = {.checkpoint_dt = 0.25, .keep_at = -1};
  recording_ok(&whole, model, &spec);
  recording_run(&rest, model, &spec, &whole);
  ck_assert_int_eq(rest.status, TD_OK);
  ck_assert(memcmp(recording_last(&whole), recording_last(&rest), whole.row * sizeof(double)) == 0);
  recording_free(&whole);
  recording_free(&rest);
  td_model_destroy(model);
}
END_TEST

START_TEST(outside_its_window_a_controller_asks_nothing) {
  static const double zero = 0;
  td_model *model = controlled_arm();
  td_controller_spec law = controlled_law(TD_CONTROLLER_PD_PLUS, motors, 3, TD_SPACE_JOINT);
  controlled_reference(&law, 1, &zero, q0, 3);
  law.from = 0.2, law.until = 0.75;
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 3);
  recording r = {0};
  recording_ok(&r, model, &spec);
  for (size_t k = 0; k < r.count; k++) {
    bool acts = r.t[k] > 0.19 && r.t[k] < 0.74;
    ck_assert_msg((fabs(r.rows[k * r.row + 7]) > 0.1) == acts, "u is %g at %g s", r.rows[k * r.row + 7], r.t[k]);
  }
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(channels_that_cannot_move_their_outputs_are_a_failure_that_says_so) {
  static const char *const other[] = {"turn.joint[0]", "upper.joint[0]"}, *const two[] = {"m1", "m3"};
  static const double zero = 0, goal[2] = {0, 0}, at[3] = {0, 0, 0};
  td_model *model = controlled_arm();
  td_controller_spec law = controlled_law(TD_CONTROLLER_PD_PLUS, two, 2, TD_SPACE_JOINT);
  law.reference.coordinates = other, law.reference.coordinate_count = 2;
  controlled_reference(&law, 1, &zero, goal, 2);
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_NEWMARK, TD_METHOD_RK45};
  for (int m = 0; m < 3; m++) {
    td_dynamics_spec spec = job(model, methods[m], &law, 1);
    spec.q = at;
    recording r = {0};
    recording_run(&r, model, &spec, NULL);
    ck_assert_int_eq(r.status, TD_SINGULAR);
    ck_assert_msg(strstr(r.error.message, "cannot move its outputs") != NULL, "%s", r.error.message);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// Two tendons along one line, whose places round differently: what tells them apart is rounding, and no input may come
// of that.
START_TEST(channels_that_rounding_alone_tells_apart_are_singular) {
  static const char *const twins[] = {"one", "two"};
  static const double zero = 0, goal[2] = {0.19, 0.19}, bent[3] = {0.3, -0.2, 0.01};
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"body\", \"joint\": "
      "{\"type\":"
      " \"fixed\"}, \"body\": {\"type\": \"reduced\", \"kinematics\": \"pcc\", \"length\": 0.2, \"radius\": 0.02, "
      "\"density\":"
      " 1000, \"young\": 1e5, \"poisson\": 0.45, \"damping_time\": 0.05}}], \"actuators\": [{\"name\": \"one\", "
      "\"type\":"
      " \"tendon\", \"link\": \"body\", \"points\": [[0.0137, 0.0051, 0], [0.0137, 0.0051, 0.2]]}, {\"name\": \"two\", "
      "\"type\":"
      " \"tendon\", \"link\": \"body\", \"points\": [[0.013700000000000001, 0.0051, 0], [0.0137, 0.0051, 0.2]]}]}");
  for (int law_type = 0; law_type < 2; law_type++) {
    td_controller_spec law = controlled_law(
        law_type ? TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION : TD_CONTROLLER_PD_PLUS, twins, 2, TD_SPACE_TENDON);
    controlled_reference(&law, 1, &zero, goal, 2);
    td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 4);
    spec.q = bent;
    recording r = {0};
    recording_run(&r, model, &spec, NULL);
    ck_assert_int_eq(r.status, TD_SINGULAR);
    ck_assert_msg(strstr(r.error.message, "cannot move its outputs") != NULL, "%s", r.error.message);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

static bool never(void *context, double t) {
  (void)t;
  ++*(int *)context;
  return false;
}

START_TEST(a_run_can_be_cancelled_while_its_reference_is_inverted) {
  static const double t[2] = {0, 1}, way[6] = {0.5, 0.1, 0.2, 0.5, 0.2, 0.1};
  td_model *model = controlled_arm();
  td_controller_spec law = controlled_law(TD_CONTROLLER_COMPUTED_TORQUE, motors, 3, TD_SPACE_TIP);
  controlled_reference(&law, 2, t, way, 3);
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 1);
  int asked = 0;
  td_run_hooks hooks = {.context = &asked, .step = never};
  td_error err = {0};
  ck_assert_int_eq(td_dynamics_run(model, &spec, &hooks, NULL, 0, NULL, &err), TD_CANCELLED);
  ck_assert_int_eq(asked, 1);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_tip_out_of_reach_is_named_by_its_knot) {
  static const double t[2] = {0, 1}, way[6] = {0.5, 0.1, 0.2, 3, 0, 0};
  td_model *model = controlled_arm();
  td_controller_spec law = controlled_law(TD_CONTROLLER_COMPUTED_TORQUE, motors, 3, TD_SPACE_TIP);
  controlled_reference(&law, 2, t, way, 3);
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 1);
  recording r = {0};
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_eq(r.status, TD_NOT_CONVERGED);
  ck_assert_str_eq(r.error.pointer, "/controller/reference/value/1");
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// A wire of 0.2 m that its three tendons would have to press through its own base.
static const char WIRE[] =
    "{\"format\": \"tendril.model/1\", \"name\": \"tdcr\", \"gravity\": [0, 0, -9.81], \"links\": [{\"nam"
    "e\": \"bb\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.2, \"sect"
    "ion\": {\"shape\": \"circle\", \"radius\": 0.0005}, \"material\": {\"young\": 60000000000.0, \"poiss"
    "on\": 0.3, \"density\": 6450, \"viscosity\": 1000000.0}, \"strain\": {\"basis\": \"legendre\", \"ord"
    "er\": {\"bending_y\": 2, \"bending_z\": 2, \"torsion\": 0, \"elongation\": 0}}}, \"pose\": {\"rpy\":"
    " [0, -1.5707963267948966, 0]}}], \"actuators\": [{\"name\": \"t0\", \"type\": \"tendon\", \"link\": "
    "\"bb\", \"routing\": {\"type\": \"linear\", \"base\": [0.008, 0.0]}}, {\"name\": \"t1\", \"type\": "
    "\"tendon\", \"link\": \"bb\", \"routing\": {\"type\": \"linear\", \"base\": [-0.0039999999999999975,"
    " 0.0069282032302755096]}}, {\"name\": \"t2\", \"type\": \"tendon\", \"link\": \"bb\", \"routing\": {"
    "\"type\": \"linear\", \"base\": [-0.004000000000000003, -0.006928203230275506]}}]}";

START_TEST(a_tip_that_only_a_rod_turned_inside_out_would_reach_is_out_of_reach) {
  static const double t[2] = {0, 1}, way[6] = {0, 0, 0.2, 0, 0, -0.1};
  static const char *const wires[] = {"t0", "t1", "t2"};
  td_model *model = test_model_from_text(WIRE);
  const td_controller_type types[] = {TD_CONTROLLER_PD_PLUS, TD_CONTROLLER_FEED_FORWARD};
  for (int i = 0; i < 2; i++) {
    static const double kp = 10, kd = 1;
    td_controller_spec law = controlled_law(types[i], wires, 3, TD_SPACE_TIP);
    law.kp = i ? NULL : &kp, law.kd = i ? NULL : &kd;
    controlled_reference(&law, 2, t, way, 3);
    td_dynamics_spec spec = job(model, TD_METHOD_AUTOMATIC, &law, 1);
    spec.initial = TD_INITIAL_ZERO;
    recording r = {0};
    recording_run(&r, model, &spec, NULL);
    ck_assert_msg(r.status == TD_NOT_CONVERGED, "%d %s: %s", r.status, r.error.pointer, r.error.message);
    ck_assert_str_eq(r.error.pointer, "/controller/reference/value/1");
    ck_assert_msg(strstr(r.error.message, "inside out") != NULL, "%s", r.error.message);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ bad documents

typedef struct bad {
  void (*breaks)(td_controller_spec *c);
  const char *pointer, *words;
} bad;

static const char *const nobody[] = {"m1", "m2", "ghost"}, *const twice[] = {"m1", "m2", "m1"},
                         *const links[] = {"tool", "moon"}, *const names[] = {"a", "b", "c"};
static const double falling[] = {0, 2, 1}, huge[] = {0, 0, INFINITY, 0, 0, 0, 0, 0, 0}, minus[] = {1, 2, -3};
static void ghost(td_controller_spec *c) { c->channels = nobody; }
static void doubled(td_controller_spec *c) { c->channels = twice; }
static void none(td_controller_spec *c) { c->channel_count = 0; }
static void no_gain(td_controller_spec *c) { c->kp_count = 0; }
static void two_gains(td_controller_spec *c) { c->kp = minus, c->kp_count = 2; }
static void negative(td_controller_spec *c) { c->kd = minus, c->kd_count = 3; }
static void infinite_gain(td_controller_spec *c) { c->kp = &huge[2]; }
static void backwards(td_controller_spec *c) { c->from = 2, c->until = 1; }
static void lengths(td_controller_spec *c) { c->reference.space = TD_SPACE_TENDON; }
static void partial_lengths(td_controller_spec *c) {
  c->type = TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION;
  c->reference.space = TD_SPACE_TENDON;
}
static void no_space(td_controller_spec *c) { c->reference.space = TD_SPACE_INPUT; }
static void linear(td_controller_spec *c) { c->reference.interpolation = TD_INTERPOLATION_LINEAR; }
static void times_fall(td_controller_spec *c) { c->reference.t = falling; }
static void no_times(td_controller_spec *c) { c->reference.knots = 0; }
static void missing_row(td_controller_spec *c) { c->reference.rows = 2; }
static void narrow(td_controller_spec *c) { c->reference.width = 2; }
static void unbounded(td_controller_spec *c) { c->reference.value = huge; }
static void strange(td_controller_spec *c) { c->reference.coordinates = names, c->reference.coordinate_count = 3; }
static void few(td_controller_spec *c) { c->reference.coordinates = names, c->reference.coordinate_count = 2; }
static void tips_of_joints(td_controller_spec *c) { c->reference.tips = links, c->reference.tip_count = 2; }
static void moon(td_controller_spec *c) { tips_of_joints(c), c->reference.space = TD_SPACE_TIP; }
static void two_tips(td_controller_spec *c) {
  static const char *const pair[] = {"tool", "lower"};
  c->reference.tips = pair, c->reference.tip_count = 2, c->reference.space = TD_SPACE_TIP;
}
static void gains_of_feed_forward(td_controller_spec *c) { c->type = TD_CONTROLLER_FEED_FORWARD; }

static const bad wrong[] = {
    {ghost, "/controller/channels/2", "no input channel \"ghost\", only "},
    {doubled, "/controller/channels/2", "twice"},
    {none, "/controller/channels", "at least one"},
    {no_gain, "/controller/kp", "required"},
    {two_gains, "/controller/kp", "has 2"},
    {negative, "/controller/kd/2", "-3"},
    {infinite_gain, "/controller/kp/0", "finite"},
    {backwards, "/controller/until", "after from"},
    {lengths, "/controller/reference/space", "computed_torque takes no reference in tendon space"},
    {partial_lengths, "/controller/channels/0", "not a tendon"},
    {no_space, "/controller/reference/space", "required"},
    {linear, "/controller/reference/interpolation", "linear"},
    {times_fall, "/controller/reference/t/2", "1 follows 2"},
    {no_times, "/controller/reference/t", "has 0"},
    {missing_row, "/controller/reference/value", "has 2"},
    {narrow, "/controller/reference/value", "have 2"},
    {unbounded, "/controller/reference/value/0", "not finite"},
    {strange, "/controller/reference/coordinates/0",
     "no coordinate \"a\"; that of \"m1\" is \"turn.joint[0]\"; its coordinates are turn.joint[0] (m1), upper"},
    {few, "/controller/reference/coordinates", "has 2"},
    {tips_of_joints, "/controller/reference/tips", "tip"},
    {moon, "/controller/reference/tips/1", "no link \"moon\""},
    {two_tips, "/controller/channels", "3 channels cannot place 2 tips"},
    {gains_of_feed_forward, "/controller/kp", "no gains"},
};

START_TEST(whatever_is_wrong_with_a_controller_is_named_by_its_place) {
  td_model *model = controlled_arm();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    td_controller_spec law = controlled_law(TD_CONTROLLER_COMPUTED_TORQUE, motors, 3, TD_SPACE_JOINT);
    controlled_reference(&law, 3, turns, path, 3);
    wrong[i].breaks(&law);
    td_dynamics_spec spec = job(model, TD_METHOD_BDF, &law, 1);
    td_error err = {0};
    ck_assert_int_eq(td_dynamics_check(model, &spec, NULL, &err), TD_INVALID_ARGUMENT);
    ck_assert_str_eq(err.pointer, wrong[i].pointer);
    ck_assert_msg(strstr(err.message, wrong[i].words) != NULL, "%s: %s", err.pointer, err.message);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_channel_belongs_to_one_controller_or_input_at_a_time) {
  td_model *model = controlled_arm();
  td_controller_spec laws[2] = {controlled_law(TD_CONTROLLER_COMPUTED_TORQUE, motors, 3, TD_SPACE_JOINT),
                                controlled_law(TD_CONTROLLER_PD_PLUS, motors + 1, 1, TD_SPACE_JOINT)};
  controlled_reference(&laws[0], 3, turns, path, 3);
  controlled_reference(&laws[1], 1, turns, path, 1);
  td_dynamics_spec spec = job(model, TD_METHOD_BDF, laws, 1);
  td_error err = {0};
  spec.controller_count = 2;
  spec.controller_list = true;
  ck_assert_int_eq(td_dynamics_check(model, &spec, NULL, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/controller/1/channels/0");
  laws[0].until = laws[1].from = 0.5;
  ck_assert_int_eq(td_dynamics_check(model, &spec, NULL, &err), TD_OK);
  static const char *const by_motors[] = {"m1", "m2", "lower.joint[0]"};
  laws[0].reference.coordinates = by_motors, laws[0].reference.coordinate_count = 3;
  ck_assert_int_eq(td_dynamics_check(model, &spec, NULL, &err), TD_OK);
  td_input_spec input = {.signal = {.type = TD_SIGNAL_CONSTANT, .offset = 1}};
  spec.inputs = &input;
  spec.input_count = 1;
  static const char *const names_of_one[] = {"m2", "upper.joint[0]"};
  for (int i = 0; i < 2; i++) {
    input.channel = names_of_one[i];
    ck_assert_int_eq(td_dynamics_check(model, &spec, NULL, &err), TD_INVALID_ARGUMENT);
    ck_assert_str_eq(err.pointer, "/controller/0/channels/1");
  }
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("controllers", a_tip_that_only_a_rod_turned_inside_out_would_reach_is_out_of_reach,
          a_rigid_arm_under_computed_torque_follows_its_reference_to_rounding,
          errors_of_linearised_joints_die_as_the_gains_say, pd_plus_holds_the_weight_and_u_says_with_what,
          pd_plus_brings_a_soft_body_to_its_goal_against_gravity_and_elasticity,
          lengths_of_linearised_tendons_obey_the_gains, tip_references_become_lengths_and_the_tip_gets_there,
          feed_forward_in_tip_space_holds_a_rigid_arm_where_it_should_be,
          every_method_follows_the_same_controlled_motion,
          the_crank_of_a_closed_chain_on_a_turning_base_follows_its_reference,
          the_work_of_controllers_is_actuation_and_the_balance_closes,
          a_tendon_that_pushes_is_told_with_its_tension_and_time,
          a_controlled_run_goes_on_from_a_checkpoint_with_the_same_bits, outside_its_window_a_controller_asks_nothing,
          channels_that_cannot_move_their_outputs_are_a_failure_that_says_so,
          channels_that_rounding_alone_tells_apart_are_singular, a_run_can_be_cancelled_while_its_reference_is_inverted,
          a_tip_out_of_reach_is_named_by_its_knot, whatever_is_wrong_with_a_controller_is_named_by_its_place,
          a_channel_belongs_to_one_controller_or_input_at_a_time)
