// Contacts that begin and end inside a step: no method passes an obstacle unseen, and a robot must not gain what a step
// strides over.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// A stick of 0.25 kg without strains lies across and falls 8 cm on a plane with p = 1.5 in every point.
static td_model *falling_stick(double stiffness) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"slide\", \"joint\":"
      " {\"type\": \"prismatic\", \"axis\": \"z\"}}, {\"name\": \"stick\", \"parent\": \"slide\", \"pose\":"
      " {\"translation\": [0, 0, 0.1]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\":"
      " 0.2, \"section\": {\"shape\": \"circle\", \"radius\": 0.02}, \"material\": {\"young\": 1e7, \"poisson\": 0.5,"
      " \"density\": 1000, \"viscosity\": 0}, \"strain\": {\"basis\": \"legendre\", \"order\": {}}}}],"
      " \"contacts\": [{\"type\": \"plane\", \"stiffness\": %g}]}",
      stiffness);
  return test_model_from_text(text);
}

static const td_method fixed[] = {TD_METHOD_NEWMARK, TD_METHOD_HHT, TD_METHOD_GENERALIZED_ALPHA};

START_TEST(a_stiff_contact_gives_back_what_fell_on_it_at_the_default_step) {
  for (double stiffness = 1e5; stiffness < 1e10; stiffness *= 10) {
    td_model *model = falling_stick(stiffness);
    for (int m = 0; m < 3; m++) {
      td_dynamics_spec spec = recording_job(model, fixed[m], 1, NULL);
      spec.output_dt = 1e-3;
      recording r = {0};
      recording_ok(&r, model, &spec);
      const td_energy_balance *e = &r.statistics.energy;
      ck_assert(e->exchanged > 2);
      ck_assert_msg(fabs(e->error) < 0.01 * e->exchanged, "%s, k = %g: %g J of %g J", td_method_name(fixed[m]),
                    stiffness, e->error, e->exchanged);
      double highest = -1; // after the first impact, at 0.13 s
      for (size_t i = 0; i < r.count; i++)
        if (r.t[i] > 0.14) highest = fmax(highest, r.rows[i * r.row]);
      ck_assert_msg(fabs(highest) < 4e-3, "%s, k = %g: up to %g m above its start", td_method_name(fixed[m]), stiffness,
                    highest);
      ck_assert_uint_lt(r.statistics.steps, 1000);
      recording_free(&r);
    }
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(what_a_fall_loses_in_a_contact_is_the_energy_of_the_contact) {
  td_model *model = falling_stick(1e5);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 0.3, NULL);
  spec.integrator.rtol = 1e-9, spec.integrator.atol = 1e-11;
  spec.fields = (const char *const[]){"energy"}, spec.field_count = 1, spec.output_dt = 1e-4;
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_uint_eq(r.row, 4); // kinetic, elastic, gravitational, contact
  double stored = 0, apart = 0;
  for (size_t i = 0; i < r.count; i++) {
    const double *e = r.rows + 4 * i, *e0 = r.rows;
    stored = fmax(stored, e[3]);
    apart = fmax(apart, fabs(e[0] + e[1] + e[2] + e[3] - e0[0] - e0[1] - e0[2] - e0[3]));
  }
  ck_assert_double_gt(stored, 0.1); // of 0.25 kg from 8 cm
  ck_assert_msg(apart < 1e-5 * stored, "the sum of the energies is off by %g of %g J", apart, stored);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(steps_without_contact_stay_as_many_as_asked_for) {
  td_model *model = falling_stick(1e6);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_NEWMARK, 0.12, NULL); // it has not arrived
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_uint_eq(r.statistics.steps, 60);
  ck_assert_uint_eq(r.statistics.rejected, 0);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_that_goes_on_from_a_checkpoint_strikes_with_the_same_bits) {
  td_model *model = falling_stick(1e6);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_NEWMARK, 0.5, NULL);
  recording_goes_on(model, &spec, 0.1, 0.3);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ nothing is passed
// unseen

static const td_method every[] = {TD_METHOD_AUTOMATIC, TD_METHOD_BDF,  TD_METHOD_DAE,
                                  TD_METHOD_NEWMARK,   TD_METHOD_HHT,  TD_METHOD_GENERALIZED_ALPHA,
                                  TD_METHOD_RADAU,     TD_METHOD_RK45, TD_METHOD_RK4};
enum { METHODS = sizeof every / sizeof *every };

static const char *name_of(int method) { return every[method] < 0 ? "default" : td_method_name(every[method]); }

// A stick of 0.1 m that slides along z towards a ball, its end first to touch.
static td_model *stick_and_ball(double radius, double place, double stiffness) {
  char text[900];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"s\", \"joint\": {\"type\": \"prismatic\","
           " \"axis\": \"z\"}}, {\"name\": \"r\", \"parent\": \"s\", \"joint\": {\"type\": \"fixed\"}, \"body\":"
           " {\"type\": \"rod\", \"length\": 0.1, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\":"
           " {\"young\": 1e9, \"poisson\": 0.3, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", \"order\":"
           " {}}}}], \"contacts\": [{\"type\": \"sphere\", \"radius\": %g, \"stiffness\": %g, \"pose\":"
           " {\"translation\": [0, 0, %g]}}]}",
           radius, stiffness, place);
  return test_model_from_text(text);
}

// From 7.7 m away a default step is a metre long and the ball 0.2 m thick, or 2 mm.
static void bounce(double radius, double stiffness, double speed) {
  td_model *model = stick_and_ball(radius, 7.7, stiffness);
  for (int m = 0; m < METHODS; m++) {
    td_dynamics_spec spec = recording_job(model, every[m], 10 / speed, NULL);
    spec.qd = &speed, spec.qd_count = 1;
    spec.fields = (const char *const[]){"qd"}, spec.field_count = 1;
    recording r = {0};
    recording_ok(&r, model, &spec);
    bool told = every[m] == TD_METHOD_RK4 && r.statistics.warnings.count > 0; // an explicit fixed step may be too long
    ck_assert_msg(told || fabs(recording_last(&r)[0] / speed + 1) < 5e-3, "%s, %g m/s on %g m of %g: %g m/s after it",
                  name_of(m), speed, radius, stiffness, recording_last(&r)[0]);
    ck_assert_msg(told || r.statistics.warnings.count == 0, "%s: %s", name_of(m), r.statistics.warnings.list[0].detail);
    if (m == 0) ck_assert_uint_lt(r.statistics.steps, 200);
    recording_free(&r);
  }
  td_model_destroy(model);
}

// A soft or small ball is gone through by right, when more energy comes than it can hold.
static bool holds(double size, double stiffness, double speed) {
  return stiffness * pow(size, 2.5) / 2.5 > 0.0314 * speed * speed;
}

START_TEST(no_method_passes_a_ball_unseen) {
  static const double radius[] = {0.1, 0.001}, stiffness[] = {1e5, 1e7}, speed[] = {0.5, 1, 10, 50};
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 4; i++)
      if (holds(radius[k % 2] + 0.01, stiffness[k / 2], speed[i])) bounce(radius[k % 2], stiffness[k / 2], speed[i]);
}
END_TEST

// A rod of 1 m falls from the horizontal; a peg of 2 mm stands in the way of its middle, at an angle of pi / 4.
static td_model *pendulum_and_peg(void) {
  return test_model_from_text("{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": "
                              "\"p\", \"joint\": {\"type\":"
                              " \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rod\", \"length\": 1, "
                              "\"section\": {\"shape\": \"circle\","
                              " \"radius\": 0.005}, \"material\": {\"young\": 1e9, \"poisson\": 0.3, \"density\": "
                              "1000}, \"strain\": {\"basis\":"
                              " \"legendre\", \"order\": {}}, \"quadrature\": {\"points\": 5}}}], \"contacts\": "
                              "[{\"type\": \"cylinder_exterior\","
                              " \"radius\": 0.002, \"stiffness\": 1e7, \"axis\": \"y\", \"pose\": {\"translation\": "
                              "[0.35355, 0, -0.35355]}}]}");
}

START_TEST(no_method_lets_a_pendulum_through_a_peg) {
  td_model *model = pendulum_and_peg();
  for (int m = 0; m < METHODS; m++) {
    td_dynamics_spec spec = recording_job(model, every[m], 1.5, NULL);
    spec.output_dt = 0.01;
    recording r = {0};
    recording_ok(&r, model, &spec);
    double furthest = 0;
    for (size_t i = 0; i < r.count; i++) furthest = fmax(furthest, r.rows[i * r.row]);
    ck_assert_msg(furthest > 0.7 && furthest < M_PI / 4, "%s swings to %g rad", name_of(m), furthest);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// The end of a rod that spins at 20 rad/s dips 3 cm into the plane and comes out again within less than a long step.
START_TEST(no_method_dips_through_a_plane_along_a_curve) {
  static const double fast = 20;
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"p\", \"joint\": {\"type\": \"revolute\", \"axis\": "
      "\"y\"},"
      " \"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, "
      "\"material\":"
      " {\"young\": 1e9, \"poisson\": 0.3, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", \"order\": {}}}}],"
      " \"contacts\": [{\"type\": \"plane\", \"stiffness\": 1e7, \"pose\": {\"translation\": [0, 0, -0.98]}}]}");
  for (int m = 0; m < METHODS; m++) {
    td_dynamics_spec spec = recording_job(model, every[m], 10, NULL);
    spec.qd = &fast, spec.qd_count = 1;
    if (every[m] == TD_METHOD_RK4) spec.integrator.h = 1e-4;
    recording r = {0};
    recording_ok(&r, model, &spec);
    double furthest = 0;
    for (size_t i = 0; i < r.count; i++) furthest = fmax(furthest, r.rows[i * r.row]);
    ck_assert_msg(furthest < M_PI / 2, "%s turns to %g rad", name_of(m), furthest);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_that_goes_on_from_a_checkpoint_meets_the_ball_with_the_same_bits) {
  static const double speed = 1;
  td_model *model = stick_and_ball(0.1, 7.7, 1e7);
  for (int m = 0; m < METHODS; m++) {
    td_dynamics_spec spec = recording_job(model, every[m], 10, NULL);
    spec.qd = &speed, spec.qd_count = 1;
    recording_goes_on(model, &spec, 3.7, 7.4);
  }
  td_model_destroy(model);
}
END_TEST

// Driven at 1 m/s the stick goes through the soft ball: the drive does its work, and nothing controls the error of what
// is given.
START_TEST(what_drives_a_robot_through_a_ball_does_the_work_of_it) {
  static const double t[2] = {0, 10}, way[2] = {0, 10};
  td_input_spec input = {.channel = "a", .signal = {.type = TD_SIGNAL_RAMP, .t = t, .value = way, .count = 2}};
  td_model *model = test_model_from_text("{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"s\", \"joint\": "
                                         "{\"type\": \"prismatic\", \"axis\": \"z\"}},"
                                         " {\"name\": \"r\", \"parent\": \"s\", \"joint\": {\"type\": \"fixed\"}, "
                                         "\"body\": {\"type\": \"rod\", \"length\": 0.1,"
                                         " \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": "
                                         "{\"young\": 1e9, \"poisson\": 0.3, \"density\":"
                                         " 1000}, \"strain\": {\"basis\": \"legendre\", \"order\": {}}}}], "
                                         "\"actuators\": [{\"name\": \"a\", \"type\": \"joint\","
                                         " \"link\": \"s\", \"mode\": \"position\"}], \"contacts\": [{\"type\": "
                                         "\"sphere\", \"radius\": 0.1, \"stiffness\": 1e5,"
                                         " \"pose\": {\"translation\": [0, 0, 7.7]}}]}");
  for (int m = 0; m < METHODS; m++) {
    td_dynamics_spec spec = recording_job(model, every[m], 10, NULL);
    spec.inputs = &input, spec.input_count = 1;
    recording r = {0};
    recording_ok(&r, model, &spec);
    const td_energy_balance *e = &r.statistics.energy;
    ck_assert_msg(e->exchanged > 1500, "%s felt %g J", name_of(m), e->exchanged);
    ck_assert_msg(fabs(e->error) < 0.005 * e->exchanged, "%s: %g of %g J", name_of(m), e->error, e->exchanged);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ bounces

// The height of a mass that falls by `fall` on a spring and is thrown back, for ever: parabolas and arcs of sines.
static double bouncing(double t, double fall, double stiffness, double mass) {
  const double g = 9.81, v = sqrt(2 * g * fall), w = sqrt(stiffness / mass), rest = mass * g / stiffness;
  double flight = 2 * v / g, touch = 2 / w * (M_PI / 2 + atan(g / (w * v)));
  double at = fmod(t + v / g, flight + touch);
  if (at < flight) return v * at - 0.5 * g * at * at;
  return -rest - hypot(rest, v / w) * cos(w * (at - flight - touch / 2));
}

// A stick of 1 m and pi / 10 kg on a slider across a plane, let go with its lowest line 0.49 m above it.
static td_model *bouncing_stick(double stiffness) {
  char text[800];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"r\", \"joint\":"
           " {\"type\": \"prismatic\", \"axis\": \"z\"}, \"body\": {\"type\": \"rod\", \"length\": 1, \"section\":"
           " {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": {\"young\": 1e9, \"poisson\": 0.3, \"density\":"
           " 1000}, \"strain\": {\"basis\": \"legendre\", \"order\": {}}}}], \"contacts\": [{\"type\": \"plane\","
           " \"axis\": \"z\", \"stiffness\": %g, \"exponent\": 1, \"per\": \"length\"}]}",
           stiffness);
  return test_model_from_text(text);
}

// A stick of 1 m in a plane: two slides and a turn.
static td_model *tumbling_stick(void) {
  return test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"x\", \"joint\":"
      " {\"type\": \"prismatic\", \"axis\": \"x\"}}, {\"name\": \"z\", \"parent\": \"x\", \"joint\": {\"type\":"
      " \"prismatic\", \"axis\": \"z\"}}, {\"name\": \"r\", \"parent\": \"z\", \"joint\": {\"type\": \"revolute\","
      " \"axis\": \"y\"}, \"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\","
      " \"radius\": 0.01}, \"material\": {\"young\": 1e9, \"poisson\": 0.3, \"density\": 1000}, \"strain\": {\"basis\":"
      " \"legendre\", \"order\": {}}}}], \"contacts\": [{\"type\": \"plane\", \"axis\": \"z\", \"stiffness\": 1e5,"
      " \"exponent\": 1, \"per\": \"length\"}]}");
}

// m, the largest error of all samples, of a run from `above` m over 0.49 m.
static double bounces_off_by(td_method method, double stiffness, double above, double rtol, td_run_statistics *said) {
  double q = 0.5 + above, worst = 0;
  td_model *model = bouncing_stick(stiffness);
  td_dynamics_spec spec = recording_job(model, method, 20, &q);
  spec.integrator.adaptive = true;
  spec.output_dt = 0.01;
  if (rtol > 0) spec.integrator.rtol = rtol, spec.integrator.atol = 1e-3 * rtol;
  recording r = {0};
  recording_ok(&r, model, &spec);
  for (size_t i = 0; i < r.count; i++)
    worst = fmax(worst, fabs(r.rows[i * r.row] - 0.01 - bouncing(r.t[i], 0.49 + above, stiffness, M_PI / 10)));
  *said = r.statistics;
  recording_free(&r);
  td_model_destroy(model);
  return worst;
}

// Of 0.49 m 0.0675 were lost by radau, and nothing was said; by adaptive steps of Newmark's family 0.014 to 0.49, by
// bdf and dae 0.006.
START_TEST(thirty_bounces_are_as_right_as_the_tolerances_say_and_nothing_is_said) {
  static const struct {
    td_method method;
    double stiffest, worst; // N/m^2; m
    unsigned steps;         // 31 bounces; radau took as many before it ended them at contacts, as did the others
  } by[] = {{TD_METHOD_AUTOMATIC, 1e7, 4e-4, 1600}, {TD_METHOD_RADAU, 1e7, 4e-4, 1600},
            {TD_METHOD_RK45, 1e7, 4e-4, 1600},      {TD_METHOD_NEWMARK, 1e6, 5e-4, 9000},
            {TD_METHOD_HHT, 1e5, 1.5e-3, 9000},     {TD_METHOD_GENERALIZED_ALPHA, 1e6, 5e-4, 9000},
            {TD_METHOD_BDF, 1e7, 1.4e-3, 4600},     {TD_METHOD_DAE, 1e7, 1e-3, 5600}};
  for (size_t k = 0; k < 3 * sizeof by / sizeof *by; k++) {
    double stiffness = pow(10, 5 + (double)(k % 3));
    td_method method = by[k / 3].method;
    if (stiffness > 1.1 * by[k / 3].stiffest) continue;
    td_run_statistics run;
    double worst = bounces_off_by(method, stiffness, 0, 0, &run);
    const char *name = method < 0 ? "default" : td_method_name(method);
    ck_assert_msg(worst < by[k / 3].worst, "%s, k = %g: off by %g m of 0.49 m", name, stiffness, worst);
    ck_assert_msg(run.warnings.count == 0, "%s: %s", name, run.warnings.list[0].detail);
    ck_assert_uint_lt(run.steps, by[k / 3].steps);
  }
}
END_TEST

// Steps over contacts ended by an interpolant that was off by several tolerances: of starts 1e-12 m apart bdf ended
// 3e-4 to 5e-3 m away from the truth, on another CPU elsewhere than here.
START_TEST(bounces_do_not_scatter_with_rounding) {
  static const double apart[] = {1e-11, -1e-9, 1e-7};
  static const td_method many_steps[] = {TD_METHOD_BDF, TD_METHOD_DAE};
  td_run_statistics said;
  for (int m = 0; m < 2; m++) {
    double here = bounces_off_by(many_steps[m], 1e6, 0, 0, &said);
    for (int i = 0; i < 3; i++) {
      double there = bounces_off_by(many_steps[m], 1e6, apart[i], 0, &said);
      ck_assert_msg(fabs(there - here) < 1e-4, "%s: %g m off, and %g m when it starts %g m higher",
                    td_method_name(many_steps[m]), here, there, apart[i]);
    }
  }
}
END_TEST

// The second run erred by more than the first: bdf, right to 0.05 %, was said to be off by 0.6 %. Three in a thousand
// are promised, whatever the start.
START_TEST(what_is_right_of_thirty_bounces_is_not_held_against_a_run_that_is_not) {
  static const double above[] = {0, 0.0074, 0.0111, 0.0148, 0.0185};
  int told = 0;
  for (size_t i = 0; i < 2 * sizeof above / sizeof *above; i++) {
    td_run_statistics run;
    const td_warnings *said = &run.warnings;
    bool loose = i % 2;
    double worst = bounces_off_by(TD_METHOD_BDF, loose ? 1e6 : 1e7, above[i / 2], loose ? 1e-4 : 0, &run);
    told += said->count;
    if (said->count > 0) ck_assert_str_eq(said->list[0].code, "accumulated_error");
    ck_assert_msg(said->count == 0 || (loose && worst > 1e-3), "off by %g m: %s", worst, said->list[0].detail);
    ck_assert_msg(said->count > 0 || worst < (loose ? 3e-3 : 1.5e-3), "from %g m: off by %g m, and silent",
                  0.5 + above[i / 2], worst);
  }
  ck_assert_int_gt(told, 1);
}
END_TEST

START_TEST(a_run_that_goes_on_from_a_checkpoint_bounces_with_the_same_bits) {
  static const double q = 0.5;
  static const td_method ends_at_contacts[] = {TD_METHOD_AUTOMATIC, TD_METHOD_BDF, TD_METHOD_DAE,
                                               TD_METHOD_GENERALIZED_ALPHA};
  td_model *model = bouncing_stick(1e6);
  for (int m = 0; m < 4; m++) {
    td_dynamics_spec spec = recording_job(model, ends_at_contacts[m], 3, &q);
    spec.integrator.adaptive = true;
    recording_goes_on(model, &spec, 0.5, 1.5);
  }
  td_model_destroy(model);
}
END_TEST

// A stick that tumbles and strikes the plane with one end and the other: by rk4 it was 4.7 % off at the default step,
// in silence, as if a step across a contact had an order.
START_TEST(equal_steps_say_what_they_lose_where_contacts_set_in) {
  static const double q[3] = {0, 1.2, 1.2}, qd[3] = {0.3, 0, 1};
  static const td_method equal[] = {TD_METHOD_RK4, TD_METHOD_NEWMARK, TD_METHOD_HHT, TD_METHOD_GENERALIZED_ALPHA};
  td_model *model = tumbling_stick();
  for (size_t k = 0; k < sizeof equal / sizeof *equal; k++) {
    td_dynamics_spec spec = recording_job(model, equal[k], 2, q);
    spec.integrator.adaptive = false;
    spec.qd = qd, spec.qd_count = 3;
    recording r = {0};
    recording_ok(&r, model, &spec);
    const td_warnings *said = &r.statistics.warnings;
    ck_assert_msg(said->count > 0, "%s says nothing", td_method_name(equal[k]));
    ck_assert_msg(!strcmp(said->list[0].code, "coarse_step") || !strcmp(said->list[0].code, "sensitive_motion"),
                  "%s: %s", td_method_name(equal[k]), said->list[0].code);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// A soft stick dropped on its two ends, which strike in turn: by adaptive steps of Newmark's family it was off by 9 to
// 17 % in silence, since damping seemed to take away what they leave out.
START_TEST(a_soft_stick_that_chatters_on_its_ends_is_right_or_told) {
  static const double q[5] = {0, 0.1, 0, 0, 0};
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"x\", \"joint\":"
      " {\"type\": \"prismatic\", \"axis\": \"z\"}}, {\"name\": \"r\", \"parent\": \"x\", \"pose\": {\"translation\":"
      " [0, 0, 0.3]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rod\", \"length\":"
      " 0.5, \"section\": {\"shape\": \"stiffness\", \"GJ\": 20, \"EI_y\": 20, \"EI_z\": 20, \"EA\": 1e6, \"GA_y\": "
      "3e5,"
      " \"GA_z\": 3e5, \"mass_per_length\": 0.5, \"inertia_per_length\": [2e-5, 1e-5, 1e-5], \"damping\": [0.01, 0.01,"
      " 0.01, 1, 1, 1], \"radius\": 0.01}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 2}}}}],"
      " \"contacts\": [{\"type\": \"plane\", \"stiffness\": 1e4, \"per\": \"point\", \"exponent\": 1}]}");
  td_dynamics_spec spec = recording_job(model, TD_METHOD_NEWMARK, 0.9, q);
  spec.integrator.adaptive = true;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_warnings *said = &r.statistics.warnings;
  ck_assert_int_eq(said->count, 1);
  ck_assert_msg(!strcmp(said->list[0].code, "accumulated_error") || !strcmp(said->list[0].code, "sensitive_motion"),
                "%s", said->list[0].detail);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("strikes", a_soft_stick_that_chatters_on_its_ends_is_right_or_told,
          equal_steps_say_what_they_lose_where_contacts_set_in,
          thirty_bounces_are_as_right_as_the_tolerances_say_and_nothing_is_said, bounces_do_not_scatter_with_rounding,
          what_is_right_of_thirty_bounces_is_not_held_against_a_run_that_is_not,
          a_run_that_goes_on_from_a_checkpoint_bounces_with_the_same_bits,
          what_drives_a_robot_through_a_ball_does_the_work_of_it, no_method_passes_a_ball_unseen,
          no_method_lets_a_pendulum_through_a_peg, no_method_dips_through_a_plane_along_a_curve,
          a_run_that_goes_on_from_a_checkpoint_meets_the_ball_with_the_same_bits,
          a_stiff_contact_gives_back_what_fell_on_it_at_the_default_step,
          what_a_fall_loses_in_a_contact_is_the_energy_of_the_contact, steps_without_contact_stay_as_many_as_asked_for,
          a_run_that_goes_on_from_a_checkpoint_strikes_with_the_same_bits)
