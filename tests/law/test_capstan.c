// A rope around a pole, an obstacle or a body, against the capstan's law.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/run.h"
#include <math.h>
#include <stdio.h>

// A rope that lies around a pole by `angle` (rad), pulled by 1 N at one end and by so much more at the other. How fast it
// slides at the end, m/s. body: the pole is one, which the rope touches by capsules.
static double around_a_pole(double mu, double angle, double pull, bool body) {
  const double R = 0.1, r = 1e-3, turn = R + r - 6e-5; // pressed on from the start
  char text[2600], pole[400] = "";
  double ramp_t[] = {0, 0.05}, ramp[] = {1, pull};
  if (body)
    snprintf(pole, sizeof pole,
             ", {\"name\": \"pole\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, "
             "\"inertia\": [1, 1, 1], \"collision\": {\"shape\": \"capsule\", \"radius\": %g, \"length\": 0.4}}}",
             R);
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rope\", \"joint\": {\"type\": \"planar\"}, \"pose\": "
      "{\"translation\": [%.17g, 0, 0], \"rpy\": [0, 0, %.17g]}, \"body\": {\"type\": \"rod\", \"length\": %.17g, "
      "\"section\": {\"shape\": \"circle\", \"radius\": %g}, \"material\": {\"young\": 1e8, \"poisson\": 0.5, "
      "\"density\": 1e4, \"viscosity\": 1e4}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_z\": 3, "
      "\"elongation\": 2}, \"reference\": [0, 0, %.17g, 1, 0, 0]}, \"quadrature\": {\"points\": 14}}}%s], "
      "\"contacts\": "
      "[{%s, \"damping\": 5, \"friction\": %g}], \"loads\": [{\"link\": \"rope\", \"at\": 0, "
      "\"frame\": \"body\", \"wrench\": [0, 0, 0, -1, 0, 0]}, {\"link\": \"rope\", \"at\": 1, \"frame\": \"body\", "
      "\"channels\": [null, null, null, \"pull\", null, null]}]}",
      turn, 0.5 * M_PI, angle * turn, r, 1 / turn, pole,
      body ? "\"type\": \"pair\", \"a\": [\"rope\"], \"b\": [\"pole\"], \"stiffness\": 3e5"
           : "\"type\": \"cylinder_exterior\", \"radius\": 0.1, \"per\": \"length\", \"stiffness\": 1e7",
      mu);
  td_model *model = test_model_from_text(text);
  td_input_spec input = {.channel = "pull", .signal = {.type = TD_SIGNAL_RAMP, .t = ramp_t, .value = ramp, .count = 2}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_GENERALIZED_ALPHA, 0.08, NULL);
  spec.integrator.h = 2e-4;
  recording rec = {0};
  spec.inputs = &input, spec.input_count = 1;
  recording_ok(&rec, model, &spec);
  const double *qd = recording_last(&rec) + td_model_ndof(model);
  double speed = hypot(qd[1], qd[2]); // of its base
  recording_free(&rec);
  td_model_destroy(model);
  return speed;
}

// Euler and Eytelwein: it holds up to exp(mu angle), which is found within 3 %. What
// holds creeps: friction is that of Coulomb but for v / sqrt(v^2 + v_s^2).
START_TEST(a_rope_around_a_pole_holds_up_to_what_the_capstan_says) {
  static const struct {
    double mu, angle;
    bool body;
  } cases[] = {{0.6, 1.5, false}, {0.4, 1.5, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double most = exp(cases[i].mu * cases[i].angle),
           below = around_a_pole(cases[i].mu, cases[i].angle, 0.97 * most, cases[i].body),
           above = around_a_pole(cases[i].mu, cases[i].angle, 1.03 * most, cases[i].body);
    ck_assert_msg(below < 0.02, "%zu: %g m/s below", i, below);
    ck_assert_msg(above > 0.1, "%zu: %g m/s above", i, above);
  }
}
END_TEST

TEST_MAIN("capstan", a_rope_around_a_pole_holds_up_to_what_the_capstan_says)
