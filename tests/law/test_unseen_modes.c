// Motion that is little beside the rest of a robot's, and that somebody looks at: by default it is resolved, and what
// cannot be is named with a cutoff that resolves it. Every motion here is known in closed form.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD(g) "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, " g "], \"links\": ["
#define PENDULUM                                                                                                       \
  "{\"name\": \"a\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\","            \
  " \"mass\": 1000, \"com\": [0, 0, -1], \"inertia\": [1, 1, 1]}},"
#define SLIDE(name, axis, stiffness, mass)                                                                             \
  "{\"name\": \"" name "\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"" axis "\", \"stiffness\": " stiffness    \
  "}, \"body\": {\"type\": \"rigid\", \"mass\": " mass ", \"inertia\": [0.1, 0.1, 0.1]}}"
#define ROTOR                                                                                                          \
  ", {\"name\": \"rotor\", \"parent\": \"table\", \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"body\":"     \
  " {\"type\": \"rigid\", \"mass\": 0.1, \"com\": [0.001, 0, 0], \"inertia\": [1e-6, 1e-6, 1e-6]}}],"                  \
  " \"actuators\": [{\"name\": \"m\", \"type\": \"joint\", \"link\": \"rotor\", \"mode\": \"position\"}]}"

static const td_warning *said(const recording *r, const char *code) {
  for (int i = 0; i < r->statistics.warnings.count; i++)
    if (!strcmp(r->statistics.warnings.list[i].code, code)) return &r->statistics.warnings.list[i];
  return NULL;
}

static void silent(const recording *r) {
  const td_warnings *w = &r->statistics.warnings;
  ck_assert_msg(w->count == 0, "cutoff %g: %s", r->statistics.cutoff, w->list[0].detail);
}

// The largest of a coordinate in the last tenth of the samples.
static double swing(const recording *r, size_t coordinate) {
  double most = 0;
  for (size_t i = r->count - r->count / 10; i < r->count; i++)
    most = fmax(most, fabs(r->rows[i * r->row + coordinate]));
  return most;
}

// 50 g on a spring of 2000 rad/s, 1 cm away from its rest, on a pendulum of 1 t: 10 J of 4500.
static td_dynamics_spec small_oscillator(const td_model *model, double t_end) {
  static const double q[2] = {1, 0.01};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, t_end, q);
  spec.output_dt = 0.0037;
  return spec;
}

START_TEST(a_small_fast_oscillator_on_a_heavy_slow_one_keeps_its_amplitude) {
  td_model *model = test_model_from_text(HEAD("-9.81") PENDULUM SLIDE("b", "x", "2e5", "0.05") "]}");
  td_dynamics_spec spec = small_oscillator(model, 5);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_msg(fabs(swing(&r, 1) / 0.01 - 1) < 0.02, "%g m of 0.01 are left", swing(&r, 1));
  silent(&r);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_cutoff_that_stops_one_coordinate_is_told_by_its_name_with_one_that_does_not) {
  td_model *model = test_model_from_text(HEAD("-9.81") PENDULUM SLIDE("b", "x", "2e5", "0.05") "]}");
  td_dynamics_spec spec = small_oscillator(model, 5);
  recording r = {0};
  spec.integrator.method = TD_METHOD_RADAU;
  spec.integrator.cutoff = 128;
  recording_ok(&r, model, &spec);
  ck_assert_double_lt(swing(&r, 1), 1e-3);
  const td_warning *w = said(&r, "unresolved_modes");
  ck_assert_msg(w && strstr(w->detail, "\"b.joint[0]\""), "%s", w ? w->detail : "nothing said");
  const char *advice = strstr(w->detail, "take a `cutoff` of ");
  ck_assert_int_eq(sscanf(advice, "take a `cutoff` of %lf", &spec.integrator.cutoff), 1);
  recording_free(&r);
  recording_ok(&r, model, &spec);
  ck_assert_msg(fabs(swing(&r, 1) / 0.01 - 1) < 0.02, "%g m of 0.01 are left", swing(&r, 1));
  silent(&r);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(an_oscillator_that_no_budget_resolves_is_named) {
  td_model *model = test_model_from_text(HEAD("-9.81") PENDULUM SLIDE("b", "x", "2e7", "0.05") "]}");
  td_dynamics_spec spec = small_oscillator(model, 60);
  spec.q = (const double[]){1, 0.001}; // as 10 J of 4500: energy_error is silent
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_warning *w = said(&r, "unresolved_modes");
  ck_assert_msg(w && strstr(w->detail, "\"b.joint[0]\""), "%s", w ? w->detail : "nothing said");
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// x = A (cos W t - cos w t), A = m e W^2 / (k - M W^2), M = 1 kg with the rotor, m e = 1e-4 kg m.
static double off(const recording *r, double W, double w) {
  double A = 1e-4 * W * W / (w * w - W * W), most = 0, error = 0;
  for (size_t i = 0; i < r->count; i++) {
    double x = A * (cos(W * r->t[i]) - cos(w * r->t[i]));
    error = fmax(error, fabs(r->rows[i * r->row + 1] - x));
    most = fmax(most, fabs(x));
  }
  return error / most;
}

static td_dynamics_spec shaken(const td_model *model, double W, double t_end) {
  static double q[3] = {1, 0, 0}, qd[3], rate[2];
  static td_input_spec input;
  qd[2] = rate[1] = W;
  input = (td_input_spec){.channel = "m", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = rate, .count = 2}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, t_end, q);
  spec.qd = qd, spec.qd_count = 3;
  spec.inputs = &input, spec.input_count = 1;
  spec.output_dt = 0.02006;
  return spec;
}

START_TEST(what_a_motor_shakes_near_resonance_is_resolved) {
  td_model *model = test_model_from_text(HEAD("-9.81") PENDULUM SLIDE("table", "x", "8.41e6", "0.9") ROTOR);
  td_dynamics_spec spec = shaken(model, 3000, 5);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_msg(off(&r, 3000, 2900) < 0.01, "off by %g", off(&r, 3000, 2900));
  silent(&r);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(the_advice_for_a_shaken_table_is_a_cutoff_that_is_right) {
  td_model *model =
      test_model_from_text(HEAD("0") SLIDE("slow", "y", "1", "1") ", " SLIDE("table", "x", "4e6", "0.9") ROTOR);
  td_dynamics_spec spec = shaken(model, 1000, 20);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_msg(off(&r, 1000, 2000) < 0.01, "off by %g", off(&r, 1000, 2000));
  silent(&r);
  recording_free(&r);
  spec.integrator.method = TD_METHOD_RADAU;
  spec.integrator.cutoff = 512;
  recording_ok(&r, model, &spec);
  ck_assert_double_gt(off(&r, 1000, 2000), 0.3);
  const td_warning *w = said(&r, "unresolved_modes");
  ck_assert_msg(w && strstr(w->detail, "table.joint[0]"), "%s", w ? w->detail : "nothing said");
  const char *advice = strstr(w->detail, "take a `cutoff` of ");
  ck_assert_int_eq(sscanf(advice, "take a `cutoff` of %lf", &spec.integrator.cutoff), 1);
  recording_free(&r);
  recording_ok(&r, model, &spec);
  ck_assert_msg(off(&r, 1000, 2000) < 0.01, "with %g off by %g", spec.integrator.cutoff, off(&r, 1000, 2000));
  silent(&r);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// A force of 2000 N from 1 s on: 1 cm to and fro about 1 cm, 10 J of 4500.
START_TEST(what_is_struck_on_the_way_and_stopped_by_the_cutoff_is_told_with_one_that_keeps_it) {
  static const double at[1] = {1.0}, force[1] = {2000}, q[2] = {1, 0};
  td_model *model = test_model_from_text(HEAD("-9.81") PENDULUM SLIDE(
      "b", "x", "2e5", "0.05") "], \"actuators\": [{\"name\": \"m\", \"type\": \"joint\", \"link\": \"b\"}]}");
  td_input_spec input = {.channel = "m", .signal = {.type = TD_SIGNAL_STEPS, .t = at, .value = force, .count = 1}};
  td_dynamics_spec spec = small_oscillator(model, 5);
  spec.q = q;
  spec.inputs = &input, spec.input_count = 1;
  spec.integrator.given |= TD_OPTION_RTOL; // left open, rigid bodies are followed more closely
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_double_lt(swing(&r, 1), 0.018);
  const td_warning *w = said(&r, "unresolved_modes");
  ck_assert_msg(w && strstr(w->detail, "\"b.joint[0]\""), "%s", w ? w->detail : "nothing said");
  const char *advice = strstr(w->detail, "take a `cutoff` of ");
  spec.integrator.method = TD_METHOD_RADAU;
  ck_assert_int_eq(sscanf(advice, "take a `cutoff` of %lf", &spec.integrator.cutoff), 1);
  recording_free(&r);
  recording_ok(&r, model, &spec);
  ck_assert_msg(fabs(swing(&r, 1) / 0.02 - 1) < 0.02, "with %g: %g m of 0.02", spec.integrator.cutoff, swing(&r, 1));
  silent(&r);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// 0.1 kg at 3178 rad/s on a carriage that 1000 N send 200 m to and fro: the ring of 1 mm is 3e-6 of the carriage's
// energy, however late it comes.
START_TEST(what_a_force_strikes_is_looked_at_however_late_and_however_little_it_is_beside_what_carries_it) {
  td_model *model = test_model_from_text(HEAD(
      "0") "{\"name\": \"c\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", \"stiffness\": 10}, \"body\": "
           "{\"type\": \"rigid\", \"mass\": 10, \"inertia\": [1, 1, 1]}}, {\"name\": \"b\", \"parent\": \"c\", "
           "\"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", \"stiffness\": 1e6, \"damping\": 0.01}, \"body\": "
           "{\"type\": \"rigid\", \"mass\": 0.1, \"inertia\": [1, 1, 1]}}], \"loads\": [{\"link\": \"b\", "
           "\"channels\": [null, null, null, \"f\", null, null]}]}");
  for (int late = 0; late < 2; late++) {
    const double at[1] = {5 * late}, force[1] = {1000};
    td_input_spec input = {.channel = "f", .signal = {.type = TD_SIGNAL_STEPS, .t = at, .value = force, .count = 1}};
    td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 15 + 5 * late, NULL);
    spec.inputs = &input, spec.input_count = 1;
    recording r = {0};
    recording_ok(&r, model, &spec);
    const td_warning *w = said(&r, "unresolved_modes");
    ck_assert_msg(w && strstr(w->detail, "\"b.joint[0]\""), "late %d: %s", late, w ? w->detail : "nothing said");
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

#define CART(name, parent, x)                                                                                          \
  "{\"name\": \"" name "\", \"parent\": \"" parent "\", \"pose\": {\"translation\": [" x ", 0, 0]}, \"joint\": "       \
  "{\"type\": \"prismatic\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.1, 0.1, "  \
  "0.1]}}"
#define BETWEEN "], \"springs\": [{\"a\": {\"link\": \"a\"}, \"b\": {\"link\": \"b\"}, \"stiffness\": 50}]}"

// Two carts a metre apart, 10 rad/s by the spring between them, stretched by 2 mm: in the frame of the pair nothing
// else happens.
START_TEST(a_spring_between_what_went_far_is_named_and_as_a_relative_coordinate_it_is_right) {
  td_model *apart = test_model_from_text(HEAD("0") CART("a", "world", "0") ", " CART("b", "world", "1") BETWEEN);
  td_model *chained = test_model_from_text(HEAD("0") CART("a", "world", "0") ", " CART("b", "a", "1") BETWEEN);
  static const double q[2] = {0, 0.002}, qd[2] = {100, 100}, relative[2] = {100, 0};
  td_dynamics_spec spec = recording_job(apart, TD_METHOD_AUTOMATIC, 1000, q);
  spec.qd = qd, spec.qd_count = 2;
  spec.output_dt = 0.997;
  recording r = {0};
  recording_ok(&r, apart, &spec);
  const td_warning *w = said(&r, "small_motion");
  ck_assert_msg(w && !strcmp(w->pointer, "/model/springs/0"), "%s", w ? w->pointer : "nothing said");
  recording_free(&r);
  spec.qd = relative;
  recording_ok(&r, chained, &spec);
  double worst = 0;
  for (size_t i = 0; i < r.count; i++)
    worst = fmax(worst, fabs(r.rows[i * r.row + 1] - 0.002 * cos(10 * r.t[i])) / 0.002);
  ck_assert_msg(worst < 0.02, "off by %g", worst);
  silent(&r);
  recording_free(&r);
  td_model_destroy(chained);
  td_model_destroy(apart);
}
END_TEST

// A stiff spring that hardly stretches between bodies at hand is no reason to warn.
START_TEST(a_stiff_spring_of_a_robot_at_home_is_not_accused) {
  td_model *model = test_model_from_text(HEAD("-9.81") PENDULUM SLIDE(
      "b", "x", "2e3", "50") "], \"springs\": [{\"a\": {\"link\": \"b\"}, \"b\": {\"link\": "
                             "\"a\", \"pose\": {\"translation\": [1, 0, 0]}}, \"stiffness\": 1e7}]}");
  static const double q[2] = {1, 0};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 5, q);
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_warning *w = said(&r, "small_motion");
  ck_assert_msg(!w, "%s", w ? w->detail : "");
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("unseen_modes", a_small_fast_oscillator_on_a_heavy_slow_one_keeps_its_amplitude,
          a_cutoff_that_stops_one_coordinate_is_told_by_its_name_with_one_that_does_not,
          an_oscillator_that_no_budget_resolves_is_named, what_a_motor_shakes_near_resonance_is_resolved,
          what_is_struck_on_the_way_and_stopped_by_the_cutoff_is_told_with_one_that_keeps_it,
          what_a_force_strikes_is_looked_at_however_late_and_however_little_it_is_beside_what_carries_it,
          a_spring_between_what_went_far_is_named_and_as_a_relative_coordinate_it_is_right,
          a_stiff_spring_of_a_robot_at_home_is_not_accused, the_advice_for_a_shaken_table_is_a_cutoff_that_is_right)
