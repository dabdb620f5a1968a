// What estimates at states blame, and a run with more functions on more points acquits.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const td_warning *find(const td_warnings *warnings, const char *code) {
  for (int i = 0; i < warnings->count; i++)
    if (!strcmp(warnings->list[i].code, code)) return &warnings->list[i];
  return NULL;
}

/// What a run says, and its last state; frees the model.
static td_warnings run(td_model *model, const td_input_spec *inputs, size_t count, double t_end, double *last) {
  static const char *const fields[] = {"q"};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, t_end, NULL);
  recording r = {0};
  spec.inputs = inputs, spec.input_count = count;
  spec.output_dt = t_end, spec.fields = fields, spec.field_count = 1;
  recording_ok(&r, model, &spec);
  if (last) memcpy(last, recording_last(&r), (size_t)td_model_ndof(model) * sizeof *last);
  td_warnings warnings = r.statistics.warnings;
  recording_free(&r);
  td_model_destroy(model);
  return warnings;
}

// Its hub is turned to and fro: gravity and inertia bend it and hardly twist it. 18 % of its length were blamed on
// torsion of order 1, where order 5 goes the same way to 3e-4.
START_TEST(a_rod_that_is_swung_is_not_blamed_for_its_torsion) {
  td_signal_spec sine = {.type = TD_SIGNAL_SINE, .amplitude = 1, .frequency = 1.5};
  td_input_spec input = {.channel = "motor", .signal = sine};
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"hub\", \"joint\": "
      "{\"type\": \"revolute\", \"axis\": \"z\"}}, {\"name\": \"arm\", \"parent\": \"hub\", \"pose\": "
      "{\"translation\": [0.04, 0, 0]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": "
      "0.25, \"section\": {\"shape\": \"circle\", \"radius\": 0.008}, \"material\": {\"young\": 2e6, \"poisson\": 0.5, "
      "\"density\": 1100, \"viscosity\": 500}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": 1, "
      "\"bending_y\": 4, \"bending_z\": 4, \"elongation\": 4}}, \"quadrature\": {\"points\": 12}}}], \"actuators\": "
      "[{\"name\": \"motor\", \"type\": \"joint\", \"link\": \"hub\", \"mode\": \"position\"}]}");
  td_warnings said = run(model, &input, 1, 0.67, NULL);
  const td_warning *w = find(&said, "coarse_basis");
  ck_assert_msg(!w, "%s: %s", w ? w->pointer : "", w ? w->detail : "");
}
END_TEST

// Simo and Vu-Quoc's rod tumbles as a free body: nothing but its mass holds the shape for a moment, and what its points
// see otherwise of that was said to put its strains off by 28 %.
static td_model *spaghetti(const char *points) {
  char text[1600];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"pose\": {\"translation\": [6, 0, 0], "
           "\"rpy\": [0, 0, 2.214297435588181]}, \"joint\": {\"type\": \"free\"}, \"body\": {\"type\": \"rod\", "
           "\"length\": 10, \"section\": {\"shape\": \"stiffness\", \"EA\": 1e4, \"GA_y\": 1e4, \"GA_z\": 1e4, "
           "\"GJ\": 500, \"EI_y\": 500, \"EI_z\": 500, \"mass_per_length\": 1, \"inertia_per_length\": [10, 10, 10], "
           "\"radius\": 0.05}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 6, "
           "\"bending_z\": 6}}%s}}], \"loads\": [{\"name\": \"push\", \"link\": \"rod\", \"at\": 0, \"channels\": "
           "[null, \"M\", \"N\", \"F\", null, null]}]}",
           points);
  return test_model_from_text(text);
}

START_TEST(points_of_a_rod_that_tumbles_are_not_blamed_for_strains_that_are_right) {
  enum { N = 20 };
  double t[] = {0, 2.5, 5}, value[3][3] = {{0, 20, 0}, {0, -100, 0}, {0, -200, 0}}, own[N], right[N], most = 0;
  const char *const channels[] = {"F", "M", "N"};
  td_input_spec inputs[3];
  for (int i = 0; i < 3; i++)
    inputs[i] = (td_input_spec){.channel = channels[i],
                                .signal = {.type = TD_SIGNAL_TABLE, .t = t, .value = value[i], .count = 3}};
  td_warnings said = run(spaghetti(""), inputs, 3, 9, own);
  run(spaghetti(", \"quadrature\": {\"points\": 18}"), inputs, 3, 9, right);
  for (int i = 6; i < N; i++) most = fmax(most, fabs(own[i] - right[i])); // 1/m, of up to 3 on the way
  ck_assert_msg(most < 0.02, "%g", most);
  const td_warning *w = find(&said, "coarse_quadrature");
  ck_assert_msg(!w, "%s", w ? w->detail : "");
}
END_TEST

// A puck without friction on a turntable of 2 rad/s, at rest in the world but for v m/s outwards.
static td_warnings puck(double v, td_method method, double h, double *off) {
  static const double w = 2, t = 10;
  double turning[] = {0, w}, q[] = {0, 1, 0}, qd[] = {w, v, -w};
  td_input_spec input = {.channel = "w", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = turning, .count = 2}};
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"table\", \"joint\": {\"type\": \"revolute\", "
      "\"axis\": \"z\"}}, {\"name\": \"x\", \"parent\": \"table\", \"joint\": {\"type\": \"prismatic\", \"axis\": "
      "\"x\"}}, {\"name\": \"y\", \"parent\": \"x\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"y\"}, \"body\": "
      "{\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1e-6, 1e-6, 1e-6]}}], \"actuators\": [{\"name\": \"w\", "
      "\"type\": \"joint\", \"link\": \"table\", \"mode\": \"position\"}]}");
  td_dynamics_spec spec = recording_job(model, method, t, q);
  recording r = {0};
  spec.qd = qd, spec.qd_count = 3, spec.inputs = &input, spec.input_count = 1, spec.output_dt = t,
  spec.integrator.h = h;
  recording_ok(&r, model, &spec);
  const double *last = recording_last(&r);
  *off = hypot(last[1] - (1 + v * t) * cos(w * t), last[2] + (1 + v * t) * sin(w * t));
  td_warnings warnings = r.statistics.warnings;
  recording_free(&r);
  td_model_destroy(model);
  return warnings;
}

// Nothing is exchanged, and what energy there is in the world is rounding beside that of rates which cancel. Right to
// 6e-9 was `energy_error`, "1e+02 % of what was exchanged"; equal steps of 0.01 s that are off by 2e-3 were "more than
// all of its speed".
START_TEST(what_rests_on_a_table_that_turns_below_it_is_not_blamed_for_energy_that_it_has_not) {
  static const double speed[] = {0, 1e-3, 1e-2};
  double off;
  for (int i = 0; i < 3; i++) {
    td_warnings said = puck(speed[i], TD_METHOD_AUTOMATIC, 0, &off);
    ck_assert_msg(said.count == 0 && off < 1e-7, "%g m/s: off by %g, %s", speed[i], off, said.list[0].detail);
  }
  td_warnings said = puck(0, TD_METHOD_NEWMARK, 0.01, &off);
  ck_assert_msg(said.count == 0 && off < 2e-3, "off by %g, %s", off, said.list[0].detail);
  said = puck(0, TD_METHOD_NEWMARK, 0.1, &off);
  ck_assert_msg(off > 0.05 && find(&said, "coarse_step"), "off by %g", off);
  said = puck(0, TD_METHOD_EULER_IMPLICIT, 0.01, &off);
  ck_assert_msg(off > 0.1 && find(&said, "energy_error"), "off by %g", off);
}
END_TEST

// A hybrid robot that a motor and a tendon drive. At an instant where its first rod is hardly bent what its points see
// otherwise was 31 % of its strains; a run on twice the points has others by 2 %, and tips that are 0.4 % elsewhere.
START_TEST(points_are_not_blamed_by_an_instant_for_more_than_a_run_on_more_of_them_shows) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"b0\", \"joint\": {\"type\": "
      "\"revolute\", \"axis\": \"y\", \"stiffness\": 3.83, \"damping\": 0.0643}, \"pose\": {\"rpy\": [0, 0.4, 0]}, "
      "\"body\": {\"type\": \"rod\", \"length\": 0.183, \"section\": {\"shape\": \"circle\", \"radius\": 0.00358}, "
      "\"material\": {\"young\": 6.22e8, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 1.5e5}, \"strain\": "
      "{\"basis\": \"legendre\", \"order\": {\"bending_y\": 4}}}}, {\"name\": \"b1\", \"parent\": \"b0\", \"joint\": "
      "{\"type\": \"prismatic\", \"axis\": \"z\", \"stiffness\": 0.369, \"damping\": 0.0177}, \"body\": {\"type\": "
      "\"rigid\", \"mass\": 0.045, \"com\": [0.183, 0, 0], \"inertia\": [2.49e-4, 2.49e-4, 2.49e-4]}}, {\"name\": "
      "\"b2\", \"parent\": \"b1\", \"joint\": {\"type\": \"fixed\"}, \"pose\": {\"rpy\": [0, -0.527, 0]}, \"body\": "
      "{\"type\": \"rod\", \"length\": 0.806, \"section\": {\"shape\": \"circle\", \"radius\": 0.026}, \"material\": "
      "{\"young\": 2.74e8, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 3.11e5}, \"strain\": {\"basis\": "
      "\"legendre\", \"order\": {\"bending_y\": 4}}}}], \"actuators\": [{\"name\": \"t\", \"type\": \"tendon\", "
      "\"link\": \"b2\", \"routing\": {\"type\": \"linear\", \"base\": [0, 0.0182], \"tip\": [0, 0.00911]}}, "
      "{\"name\": "
      "\"m\", \"type\": \"joint\", \"link\": \"b0\", \"mode\": \"position\"}]}");
  td_signal_spec pull = {.type = TD_SIGNAL_SINE, .offset = 24600, .amplitude = 24600, .frequency = 2.68},
                 turn = {.type = TD_SIGNAL_SINE, .amplitude = 0.539, .frequency = 5.12};
  td_input_spec inputs[] = {{.channel = "t", .signal = pull}, {.channel = "m", .signal = turn}};
  td_warnings said = run(model, inputs, 2, 1, NULL);
  const td_warning *w = find(&said, "coarse_quadrature");
  const char *off = w ? strstr(w->detail, "its strains off by ") : NULL;
  double share = 0;
  ck_assert_msg(!off || (sscanf(off, "its strains off by %lf %%", &share) == 1 && share < 5), "%s", w ? w->detail : "");
}
END_TEST

TEST_MAIN("false blame", a_rod_that_is_swung_is_not_blamed_for_its_torsion,
          points_of_a_rod_that_tumbles_are_not_blamed_for_strains_that_are_right,
          what_rests_on_a_table_that_turns_below_it_is_not_blamed_for_energy_that_it_has_not,
          points_are_not_blamed_by_an_instant_for_more_than_a_run_on_more_of_them_shows)
