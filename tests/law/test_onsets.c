// Forces that act for a short while between two stretches of free motion, which every formula integrates exactly:
// tethers, jets, a dip in water. However long a run is, no step passes them unseen.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>

static const td_method controlled[] = {TD_METHOD_AUTOMATIC, TD_METHOD_BDF,  TD_METHOD_DAE, TD_METHOD_GENERALIZED_ALPHA,
                                       TD_METHOD_RADAU,     TD_METHOD_RK45, TD_METHOD_HHT};
enum { CONTROLLED = sizeof controlled / sizeof *controlled };

static const char *name_of(td_method m) { return m < 0 ? "default" : td_method_name(m); }

#define HEAD "{\"format\": \"tendril.model/1\", "
#define FALLS HEAD "\"gravity\": [0, 0, -9.81], "
#define SLIDE(name, axis) "\"name\": \"" name "\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"" axis "\"}"
#define POINT "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]"
#define BOB "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, 0, -1], \"inertia\": [0, 0, 0]"
#define WORLD "{\"name\": \"w\", \"joint\": {\"type\": \"fixed\"}}"
#define ENDS(a, xyz_a, b, xyz_b)                                                                                       \
  "\"segments\": [{\"link\": \"" a "\", \"points\": [" xyz_a "]}, {\"link\": \"" b "\", \"points\": [" xyz_b "]}]"
#define TETHER "\"actuators\": [{\"name\": \"t\", \"type\": \"tendon\", \"mode\": \"length\", "

static td_dynamics_spec job(const td_model *model, td_method method, double t_end, double dt) {
  td_dynamics_spec spec = recording_job(model, method, t_end, NULL);
  spec.integrator.adaptive = method == TD_METHOD_GENERALIZED_ALPHA || method == TD_METHOD_HHT;
  spec.output_dt = dt;
  return spec;
}

// Coordinate i of the sample next to t.
static double at(const recording *r, int i, double t) {
  size_t best = 0;
  for (size_t k = 0; k < r->count; k++)
    if (fabs(r->t[k] - t) < fabs(r->t[best] - t)) best = k;
  return r->rows[best * r->row + (size_t)i];
}

static void check(const td_model *model, const td_dynamics_spec *spec, td_method method, int i, double t, double right,
                  double allowed) {
  recording r = {0};
  recording_ok(&r, model, spec);
  double found = at(&r, i, t);
  ck_assert_msg(fabs(found - right) < allowed, "%s: %.9g at %g s, right is %.9g", name_of(method), found, t, right);
  recording_free(&r);
}

// A kilogram falls for 2 s through a horizontal jet of 4 cm at 20 m/s, which drags it along: the impulse is the
// integral of the current over the fall (5 m at 9.9 m/s), no matter how fast it is.
START_TEST(a_fall_through_a_jet_is_carried_off_by_it) {
  td_model *model = test_model_from_text(
      FALLS
      "\"fluid\": {\"density\": 1, \"velocity\": {\"z\": [-5.06, -5.03, -5.01, -4.99, -4.97, -4.94], \"velocity\":"
      " [[0, 0, 0], [0, 0, 0], [20, 0, 0], [20, 0, 0], [0, 0, 0], [0, 0, 0]]}}, \"links\": [{" SLIDE(
          "z", "z") "},"
                    " {" SLIDE("x", "x") ", \"parent\": \"z\", " POINT
                                         ", \"hydrodynamics\": {\"added_mass\": [0, 0, 0, 0, 0, 0],"
                                         " \"linear\": [0, 0, 0, 20, 0, 0], \"body_density\": 1e12}}}]}");
  for (int m = 0; m < CONTROLLED; m++) {
    td_dynamics_spec spec = job(model, controlled[m], 2, 0.01);
    check(model, &spec, controlled[m], 1, 2, 0.080771, 5e-6);
  }
  td_model_destroy(model);
}
END_TEST

// Thrown up at a tether of 1 m that it stretches by a centimetre at most, in a run of half a minute.
START_TEST(a_tether_turns_round_what_would_have_come_back_by_itself_a_little_later) {
  double g = 9.81, w = 100, v0 = sqrt(2 * g * 1.01), v1 = sqrt(2 * g * 0.01);
  double taut = 2 / w * atan(v1 * w / g), left = 1 - (v0 - v1) / g - taut; // w^2 s + s'' = -g from and to s = 0
  double right = 1 - v1 * left - 0.5 * g * left * left;
  td_model *model = test_model_from_text(
      FALLS "\"links\": [" WORLD ", {" SLIDE("z", "z") ", " POINT "}}], " TETHER
                                                       "\"stiffness\": 1e4, \"rest\": 1, \"slack_width\": 1e-5, " ENDS(
                                                           "w", "[0, 0, 0]", "z", "[0, 0, 0]") "}]}");
  for (int m = 0; m < CONTROLLED; m++) {
    td_dynamics_spec spec = job(model, controlled[m], 30, 0.1);
    spec.qd = &v0, spec.qd_count = 1;
    check(model, &spec, controlled[m], 0, 1, right, 1e-4);
  }
  td_model_destroy(model);
}
END_TEST

// Turned at 200 rad/s by its drive, the arm draws a slider nearer by a tendon that is taut for a ninth of each turn.
START_TEST(a_pull_in_every_turn_of_a_drive_is_felt_in_every_turn) {
  static const double turns[2] = {M_PI, 200}, q[2] = {M_PI, 0}, qd[2] = {200, 0};
  td_input_spec input = {.channel = "m", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = turns, .count = 2}};
  td_model *model = test_model_from_text(
      HEAD "\"links\": [{\"name\": \"arm\", \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, " POINT
           "}}, {" SLIDE("x", "x") ", \"pose\": {\"translation\": [1, 0, 0]}, " POINT
                                   "}}], \"actuators\": [{\"name\": \"m\", \"type\":"
                                   " \"joint\", \"link\": \"arm\", \"mode\": \"position\"}, {\"name\": \"t\", "
                                   "\"type\": \"tendon\", \"mode\": \"length\","
                                   " \"stiffness\": 1000, \"rest\": 1.19, \"slack_width\": 1e-6, " ENDS(
                                       "arm", "[-0.2, 0, 0]", "x", "[0, 0, 0]") "}]}");
  for (int m = 0; m < CONTROLLED; m++) {
    td_dynamics_spec spec = job(model, controlled[m], 6, 0.1);
    spec.initial = TD_INITIAL_ARRAY, spec.q = q, spec.q_count = 2, spec.qd = qd, spec.qd_count = 2;
    spec.inputs = &input, spec.input_count = 1;
    check(model, &spec, controlled[m], 1, 1, -0.0725708, 3e-5);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_that_goes_on_from_a_checkpoint_meets_the_tether_with_the_same_bits) {
  static const double v = 4.45;
  td_model *model = test_model_from_text(
      FALLS "\"links\": [" WORLD ", {" SLIDE("z", "z") ", " POINT "}}], " TETHER
                                                       "\"stiffness\": 1e4, \"rest\": 1, \"slack_width\": 1e-5, " ENDS(
                                                           "w", "[0, 0, 0]", "z", "[0, 0, 0]") "}]}");
  for (int m = 0; m < CONTROLLED; m++) {
    td_dynamics_spec spec = job(model, controlled[m], 3, 0.1);
    spec.qd = &v, spec.qd_count = 1;
    recording_goes_on(model, &spec, 0.25, 0.25);
  }
  td_model_destroy(model);
}
END_TEST

// References of the pendulums: Dormand and Prince's method of order 8 in steps of 1 ms, from the equation of motion of
// the bob.
START_TEST(a_bob_that_dips_into_water_is_slowed_at_each_passage) {
  static const double q = 1.2;
  td_model *model = test_model_from_text(
      FALLS
      "\"fluid\": {\"density\": 1000, \"surface\": {\"z\": -1.009, \"width\": 0.02}}, \"links\": [{\"name\": \"a\","
      " \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, " BOB ", \"hydrodynamics\": {\"drag\": [0, 0, 0, 50, 50,"
      " 50], \"body_density\": 1e9}}}]}");
  for (int m = 0; m < CONTROLLED; m++) {
    td_dynamics_spec spec = job(model, controlled[m], 60, 0.1);
    spec.initial = TD_INITIAL_ARRAY, spec.q = &q, spec.q_count = 1;
    check(model, &spec, controlled[m], 0, 10, -0.78460926, 2e-3);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_damped_tether_takes_its_share_at_each_passage) {
  static const double q = 1.2;
  td_model *model = test_model_from_text(
      FALLS "\"links\": [" WORLD ", {\"name\": \"a\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, " BOB
            "}}], " TETHER
            "\"stiffness\": 1e4, \"rest\": 1.9993750325514053, \"slack_width\": 1e-9, \"damping\": 1e5, " ENDS(
                "w", "[0, 0, 1]", "a", "[0, 0, -1]") "}]}");
  for (int m = 0; m < CONTROLLED; m++) {
    td_dynamics_spec spec = job(model, controlled[m], 10, 0.1);
    spec.initial = TD_INITIAL_ARRAY, spec.q = &q, spec.q_count = 1;
    check(model, &spec, controlled[m], 0, 1, -0.79756, 1e-3);
    check(model, &spec, controlled[m], 0, 3, -0.11251, 1e-3);
  }
  td_model_destroy(model);
}
END_TEST

// 1 kg hangs by nothing until it has fallen by 0.8 m, and is thrown back. Off by 0.11 m by default, and nothing said;
// generalized_alpha by 0.035.
START_TEST(a_tether_that_throws_a_mass_back_thirty_times_throws_it_as_high_each_time) {
  static const td_method kinked[] = {TD_METHOD_AUTOMATIC, TD_METHOD_RADAU, TD_METHOD_RK45, TD_METHOD_GENERALIZED_ALPHA};
  static const double q = -0.2, g = 9.81, k = 1e5;
  td_model *model = test_model_from_text(
      FALLS "\"links\": [" WORLD ", {\"name\": \"a\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"z\"}, "
            "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1e-3, 1e-3, 1e-3]}}], " TETHER
            "\"stiffness\": 1e5, \"rest\": 1, \"slack_width\": 1e-7, " ENDS("w", "[0, 0, 0]", "a", "[0, 0, 0]") "}]}");
  double v = sqrt(2 * g * 0.8), w = sqrt(k), flight = 2 * v / g, touch = 2 / w * (M_PI / 2 + atan(g / (w * v)));
  for (int m = 0; m < 4; m++) {
    td_dynamics_spec spec = job(model, kinked[m], 20, 0.1);
    spec.initial = TD_INITIAL_ARRAY, spec.q = &q, spec.q_count = 1;
    recording r = {0};
    recording_ok(&r, model, &spec);
    double worst = 0;
    for (size_t i = 0; i < r.count; i++) {
      double at = fmod(r.t[i] + v / g, flight + touch), height = v * at - 0.5 * g * at * at;
      if (at > flight) height = -g / k - hypot(g / k, v / w) * cos(w * (at - flight - touch / 2));
      worst = fmax(worst, fabs(r.rows[i * r.row] + 1 - height));
    }
    ck_assert_msg(worst < 8e-4, "method %d: off by %g m of 0.8 m", m, worst);
    ck_assert_msg(r.statistics.warnings.count == 0, "%s", r.statistics.warnings.list[0].detail);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("onsets", a_tether_that_throws_a_mass_back_thirty_times_throws_it_as_high_each_time,
          a_fall_through_a_jet_is_carried_off_by_it,
          a_tether_turns_round_what_would_have_come_back_by_itself_a_little_later,
          a_pull_in_every_turn_of_a_drive_is_felt_in_every_turn, a_bob_that_dips_into_water_is_slowed_at_each_passage,
          a_run_that_goes_on_from_a_checkpoint_meets_the_tether_with_the_same_bits,
          a_damped_tether_takes_its_share_at_each_passage)
