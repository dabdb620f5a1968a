// Mechanisms that start or stop in a configuration in which their rows lose rank, and driven ones that pass it.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *said(const recording *r, const char *code, const char *pointer) {
  const td_warnings *w = &r->statistics.warnings;
  for (int i = 0; i < w->count; i++)
    if (strcmp(w->list[i].code, code) == 0 && strcmp(w->list[i].pointer, pointer) == 0) return w->list[i].detail;
  return NULL;
}

// Bars of a, 1, a and 1 m: crank, coupler, rocker, ground; flat where the crank is at 0 or pi.
static td_model *crank_rocker(double a, double rocker, bool driven) {
  char text[4000];
  static const char bar[] = "{\"name\": \"%s\", \"parent\": \"%s\", \"pose\": {\"translation\": [%g, 0, 0]}, "
                            "\"joint\": {\"type\": \"revolute\", "
                            "\"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [%g, 0, 0], "
                            "\"inertia\": [0.001, 0.08, 0.08]}}";
  int used = snprintf(text, sizeof text, "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [");
  used += snprintf(text + used, sizeof text - (size_t)used, bar, "crank", "world", 0., a / 2);
  used += snprintf(text + used, sizeof text - (size_t)used, ", ");
  used += snprintf(text + used, sizeof text - (size_t)used, bar, "coupler", "crank", a, 0.5);
  used += snprintf(text + used, sizeof text - (size_t)used, ", ");
  used += snprintf(text + used, sizeof text - (size_t)used, bar, "rocker", "coupler", 1., rocker / 2);
  snprintf(
      text + used, sizeof text - (size_t)used,
      "], %s \"loops\": [{\"name\": \"foot\", \"a\": {\"link\": \"rocker\", \"pose\": {\"translation\": [%g, 0, 0]}}, "
      "\"b\": {\"link\": \"world\", \"pose\": {\"translation\": [1, 0, 0]}}, \"joint\": {\"type\": \"revolute\", "
      "\"axis\": "
      "\"y\"}}]}",
      driven
          ? "\"actuators\": [{\"name\": \"drive\", \"type\": \"joint\", \"link\": \"crank\", \"mode\": \"position\"}], "
          : "",
      rocker);
  return test_model_from_text(text);
}

START_TEST(a_run_that_starts_in_a_singular_configuration_names_its_loop_and_what_is_free) {
  static const double flat[3] = {0, 0, M_PI}, folded[3] = {0, M_PI, M_PI}, beside[3] = {0.1, -0.1, M_PI + 0.1};
  static const double *const starts[] = {flat, folded, beside};
  for (int i = 0; i < 3; i++)
    for (int m = 0; m < TD_METHOD_COUNT; m++) {
      td_model *model = crank_rocker(1, 1, false);
      td_dynamics_spec spec = recording_job(model, (td_method)m, 0.3, starts[i]);
      recording r = {0};
      recording_run(&r, model, &spec, NULL);
      const char *detail = said(&r, "singular_configuration", "/initial/q");
      ck_assert_int_eq(detail != NULL, i < 2);
      if (detail)
        ck_assert_msg(strstr(detail, "\"foot\"") && strstr(detail, "crank.joint[0]") &&
                          strstr(detail, "coupler.joint[0]"),
                      "%s", detail);
      if (r.status) ck_assert_msg(strstr(r.error.message, "starts in a singular configuration"), "%s", r.error.message);
      recording_free(&r);
      td_model_destroy(model);
    }
}
END_TEST

static td_dynamics_spec turns(const td_model *model, td_method method, const double *q, td_input_spec *drive) {
  td_dynamics_spec spec = recording_job(model, method, 3, q);
  static double t[2] = {0, 3}, value[2];
  value[0] = q[0];
  value[1] = q[0] + 6 * M_PI;
  *drive = (td_input_spec){.channel = "drive", .signal = {.type = TD_SIGNAL_RAMP, .t = t, .value = value, .count = 2}};
  spec.inputs = drive;
  spec.input_count = 1;
  return spec;
}

// Three turns of a crank by a motor: nothing is free, and the motor's work is what the energies change by, whatever the
// steps.
START_TEST(the_work_on_a_crank_that_is_driven_for_full_turns_is_accounted_for_by_every_method) {
  static const double q[3] = {0.5, 0.5, 1.5};
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    td_model *model = crank_rocker(0.3, 0.8, true);
    td_input_spec drive;
    td_dynamics_spec spec = turns(model, (td_method)m, q, &drive);
    recording r = {0};
    recording_ok(&r, model, &spec);
    const td_energy_balance *e = &r.statistics.energy;
    ck_assert_double_gt(e->exchanged, 10);
    ck_assert_msg(fabs(e->error) < (m == TD_METHOD_EULER_IMPLICIT ? 0.05 : 1e-4) * e->exchanged, "%s: %g J of %g J",
                  td_method_name((td_method)m), e->error, e->exchanged);
    if (m != TD_METHOD_EULER_IMPLICIT) { // q is a first guess, and said to be moved
      ck_assert_int_eq(r.statistics.warnings.count, 1);
      ck_assert_str_eq(r.statistics.warnings.list[0].code, "initial_moved");
    }
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// A parallelogram that is driven through its flat positions: right, or ended with that reason.
START_TEST(a_driven_crank_that_passes_singular_positions_is_right_or_says_why_it_stops) {
  static const double q[3] = {1, -1, 1 + M_PI};
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    td_model *model = crank_rocker(0.5, 0.5, true);
    td_input_spec drive;
    td_dynamics_spec spec = turns(model, (td_method)m, q, &drive);
    recording r = {0};
    recording_run(&r, model, &spec, NULL);
    if (r.status)
      ck_assert_msg(strstr(r.error.message, "singular configuration"), "%s", r.error.message);
    else {
      ck_assert_double_eq_tol(recording_last(&r)[1], q[1] - 6 * M_PI, 1e-4);
      ck_assert_ptr_nonnull(said(&r, "singular_configuration", "/model/loops"));
    }
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

TEST_MAIN("singular", a_run_that_starts_in_a_singular_configuration_names_its_loop_and_what_is_free,
          the_work_on_a_crank_that_is_driven_for_full_turns_is_accounted_for_by_every_method,
          a_driven_crank_that_passes_singular_positions_is_right_or_says_why_it_stops)
