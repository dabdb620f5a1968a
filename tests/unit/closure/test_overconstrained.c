// Linkages that move although a count of their rows says that they cannot: Bennett's, Goldberg's, a spherical one,
// three parallel cranks in frames askew. Rows depend on each other when they are closed, and nowhere else; in documents
// whose numbers are rounded not even there.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <string.h>

static const char file[] = "unit/closure/overconstrained.json";

static json_t *rounded(const json_t *value, int digits) {
  const char *key;
  json_t *member, *copy;
  size_t i;
  if (json_is_real(value)) {
    double unit = pow(10, -digits);
    return json_real(digits > 15 ? json_real_value(value) : unit * nearbyint(json_real_value(value) / unit));
  }
  if (json_is_array(value)) {
    copy = json_array();
    json_array_foreach(value, i, member) json_array_append_new(copy, rounded(member, digits));
    return copy;
  }
  if (!json_is_object(value)) return json_deep_copy(value);
  copy = json_object();
  json_object_foreach((json_t *)value, key, member) json_object_set_new(copy, key, rounded(member, digits));
  return copy;
}

// The linkage `name` with numbers of `digits` decimals, and a closed state, likewise.
static td_model *linkage(const char *name, int digits, double *q) {
  char member[64];
  json_t *all = test_json_from_file(file), *model = rounded(json_object_get(all, name), digits);
  char *text = json_dumps(model, JSON_REAL_PRECISION(17));
  td_model *made = test_model_from_text(text);
  snprintf(member, sizeof member, "%s_q", name);
  size_t count;
  json_t *state = rounded(json_object_get(all, member), digits);
  double *numbers = test_numbers(state, &count);
  memcpy(q, numbers, count * sizeof *q);
  free(numbers);
  free(text);
  json_decref(state);
  json_decref(model);
  json_decref(all);
  return made;
}

static const char *const names[] = {"bennett", "goldberg", "spherical", "three_cranks"};

START_TEST(linkages_whose_rows_depend_on_each_other_move_alike_by_every_method_however_their_numbers_are_rounded) {
  static const int digits[] = {16, 10, 9, 7, 5};
  for (int k = 0; k < 4; k++) {
    double q[8];
    td_model *whole = linkage(names[k], 16, q);
    td_dynamics_spec spec = recording_job(whole, TD_METHOD_RK45, 3, q);
    spec.integrator.rtol = spec.integrator.atol = 1e-10;
    recording exact = {0};
    recording_ok(&exact, whole, &spec);
    ck_assert_double_gt(fabs(recording_last(&exact)[0] - q[0]), 0.3);
    for (int d = 0; d < 5; d++)
      for (int m = 0; m < TD_METHOD_COUNT; m++)
        for (int way = 0; way < 3; way++) { // as it comes, adaptive, index 1
          bool in_family = m >= TD_METHOD_NEWMARK && m <= TD_METHOD_GENERALIZED_ALPHA;
          if ((way && !in_family) || m == TD_METHOD_EULER_IMPLICIT) continue;
          td_model *model = linkage(names[k], digits[d], q);
          td_dynamics_spec job = recording_job(model, (td_method)m, 3, q);
          if (m == TD_METHOD_RK4) job.integrator.h = 2e-3;
          job.integrator.adaptive = way == 1;
          if (way == 2) job.integrator.formulation = TD_FORMULATION_INDEX1;
          recording r = {0};
          recording_run(&r, model, &job, NULL);
          ck_assert_msg(r.status == TD_OK, "%s, %d digits, %s: %s", names[k], digits[d], td_method_name((td_method)m),
                        r.error.message);
          for (int i = 0; i < td_model_ndof(model); i++) {
            double error = fabs(recording_last(&r)[i] - recording_last(&exact)[i]);
            ck_assert_msg(error < 5e-3, "%s, %d digits, %s, way %d: coordinate %d is %g rad off", names[k], digits[d],
                          td_method_name((td_method)m), way, i, error);
          }
          const td_energy_balance *e = &r.statistics.energy;
          ck_assert_msg(fabs(e->error) + fabs(e->loops) < 1e-3 * e->exchanged, "%s, %d digits, %s: %g J of %g J",
                        names[k], digits[d], td_method_name((td_method)m), e->error, e->exchanged);
          ck_assert_msg(r.statistics.steps < 20000, "%s, %d digits, %s: %d steps", names[k], digits[d],
                        td_method_name((td_method)m), (int)r.statistics.steps);
          recording_free(&r);
          td_model_destroy(model);
        }
    recording_free(&exact);
    td_model_destroy(whole);
  }
}
END_TEST

// tan(q0 / 2) tan(q1 / 2) = sin((b + a) / 2) / sin((b - a) / 2), q2 = -q0, q3 = -q1 with the twists a = 40 and b = 75
// degrees.
START_TEST(bennetts_angles_keep_their_product) {
  double q[4], a = 40 * M_PI / 180, b = 75 * M_PI / 180, product = sin((b + a) / 2) / sin((b - a) / 2);
  td_model *model = linkage("bennett", 16, q);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 5, q);
  recording r = {0};
  recording_ok(&r, model, &spec);
  for (size_t i = 0; i < r.count; i++) {
    const double *x = r.rows + i * r.row;
    ck_assert_double_eq_tol(x[2], -x[0], 1e-9);
    ck_assert_double_eq_tol(x[3], -x[1], 1e-9);
    ck_assert_double_eq_tol(tan(x[0] / 2) * tan(x[1] / 2) / product, 1, 1e-8);
  }
  ck_assert_int_eq(r.statistics.warnings.count, 0);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(numbers_that_contradict_each_other_by_rounding_are_warned_of_and_too_many_missing_digits_refused) {
  double q[4];
  td_model *model = linkage("bennett", 6, q);
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 1, q);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_int_eq(r.statistics.warnings.count, 1);
  ck_assert_str_eq(r.statistics.warnings.list[0].code, "loop_misfit");
  recording_free(&r);
  td_model_destroy(model);
  model = linkage("bennett", 4, q);
  spec = recording_job(model, TD_METHOD_AUTOMATIC, 1, q);
  recording_run(&r, model, &spec, NULL);
  ck_assert_int_eq(r.status, TD_NOT_CONVERGED);
  ck_assert_msg(strstr(r.error.message, "more digits"), "%s", r.error.message);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("overconstrained", bennetts_angles_keep_their_product,
          linkages_whose_rows_depend_on_each_other_move_alike_by_every_method_however_their_numbers_are_rounded,
          numbers_that_contradict_each_other_by_rounding_are_warned_of_and_too_many_missing_digits_refused)
