// A mass matrix that is singular is said to be, with the coordinates that move nothing and the reason: by the model, at
// a state, and by runs. Rounding must not decide it.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// A rod on a hub of 0.1 kg.
static td_model *rod(const char *joint, const char *basis, const char *order, const char *points) {
  char text[2048];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"hub\", \"joint\": {\"type\": \"%s\"}, \"body\":"
           " {\"type\": \"rigid\", \"mass\": 0.1, \"inertia\": [1e-4, 1e-4, 1e-4]}}, {\"name\": \"rod\", \"parent\": "
           "\"hub\","
           " \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\":"
           " \"circle\", \"radius\": 0.02}, \"material\": {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000,"
           " \"viscosity\": 1000}, \"strain\": {\"basis\": \"%s\", \"order\": %s}%s}}]}",
           joint, basis, order, points);
  return test_model_from_text(text);
}

#define SIX(k)                                                                                                         \
  "{\"torsion\": " #k ", \"bending_y\": " #k ", \"bending_z\": " #k ", \"elongation\": " #k ", \"shear_y\": " #k ", "  \
  "\"shear_z\": " #k "}"

// The detail of the model's warning of a singular mass matrix, NULL when there is none.
static const td_warning *warning_of(const td_model *model) {
  const td_warnings *w = td_model_warnings(model);
  for (int i = 0; i < w->count; i++)
    if (!strcmp(w->list[i].code, "singular_mass_matrix")) return &w->list[i];
  return NULL;
}

static td_status accelerations(const td_model *model, td_error *err) {
  td_workspace *ws;
  double q[64], fd[64], *out[1] = {fd};
  int want = td_quantity_find("fd"), n = td_model_ndof(model);
  ck_assert_int_le(n, 64);
  for (int i = 0; i < n; i++) q[i] = 0.2 * cos(1.7 * i);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  td_status status = td_evaluate(model, ws, &(td_state){.q = q}, &want, 1, out, err);
  td_workspace_destroy(ws);
  return status;
}

START_TEST(as_many_points_as_coefficients_are_enough_where_the_base_has_inertia_or_stands) {
  static const char *const joints[] = {"free", "spherical", "fixed"};
  for (int i = 0; i < 3; i++) {
    td_model *model = rod(joints[i], "legendre", SIX(4), ", \"quadrature\": {\"points\": 5}");
    td_error err = {0};
    ck_assert_ptr_null(warning_of(model));
    ck_assert_int_eq(accelerations(model, &err), TD_OK);
    td_model_destroy(model);
  }
}
END_TEST

static td_model *floating(const char *basis, const char *order, const char *points) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"free\"}, \"body\":"
      " {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": \"circle\", \"radius\": 0.02}, \"material\":"
      " {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 1000}, \"strain\": {\"basis\": \"%s\","
      " \"order\": %s}%s}}]}",
      basis, order, points);
  return test_model_from_text(text);
}

START_TEST(a_floating_rod_with_as_many_points_as_coefficients_is_singular_by_six) {
  td_model *model = floating("legendre", SIX(4), ", \"quadrature\": {\"points\": 5}");
  const td_warning *w = warning_of(model);
  ck_assert_ptr_nonnull(w);
  ck_assert_str_eq(w->pointer, "/links/0/body/quadrature/points");
  ck_assert_msg(strstr(w->detail, "6 of 36") && strstr(w->detail, "rod.joint[") && strstr(w->detail, "needs 7 points"),
                "%s", w->detail);
  td_error err = {0};
  ck_assert_int_eq(accelerations(model, &err), TD_SINGULAR);
  ck_assert_msg(strstr(err.message, "6 of 36") && strstr(err.message, "raise quadrature.points"), "%s", err.message);
  td_model_destroy(model);
}
END_TEST

START_TEST(one_point_more_or_the_default_makes_it_regular) {
  static const char *const points[] = {", \"quadrature\": {\"points\": 6}", ""};
  for (int i = 0; i < 2; i++) {
    td_model *model = floating("legendre", SIX(4), points[i]);
    td_error err = {0};
    ck_assert_ptr_null(warning_of(model));
    ck_assert_int_eq(accelerations(model, &err), TD_OK);
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(a_basis_whose_functions_depend_on_each_other_is_the_reason) {
  td_model *model = rod("fixed", "monomial", "{\"bending_y\": 14}", "");
  const td_warning *w = warning_of(model);
  ck_assert_ptr_nonnull(w);
  ck_assert_str_eq(w->pointer, "/links/1/body/strain");
  ck_assert_msg(strstr(w->detail, "rod.bending_y[") && strstr(w->detail, "another basis"), "%s", w->detail);
  td_model_destroy(model);
  model = rod("fixed", "legendre", "{\"bending_y\": 14}", "");
  ck_assert_ptr_null(warning_of(model));
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_that_needs_accelerations_says_which_coordinates_have_none) {
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_DAE, TD_METHOD_RK45, TD_METHOD_GENERALIZED_ALPHA};
  td_model *model = floating("legendre", SIX(4), ", \"quadrature\": {\"points\": 5}");
  for (int i = 0; i < 4; i++) {
    td_dynamics_spec spec = recording_job(model, methods[i], 0.1, NULL);
    recording r = {0};
    recording_run(&r, model, &spec, NULL);
    ck_assert_msg(r.status != TD_OK, "%s", td_method_name(methods[i]));
    ck_assert_msg(strstr(r.error.message, "6 of 36") != NULL, "%s: %s", td_method_name(methods[i]), r.error.message);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// A hub of 0.1 kg, a rod with `points`, and a lever with a slider behind a hinge, all lengths times `length`, all
// masses times `mass`.
static td_model *scaled(const char *joint, const char *order, int points, double length, double mass) {
  char text[4096];
  double volume = length * length * length, inertia = mass * length * length;
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": "
      "\"%s\"}, \"body\": {\"type\": \"rod\", \"length\": %g, \"section\": {\"shape\": \"circle\", \"radius\": %g}, "
      "\"material\": {\"young\": %g, \"poisson\": 0.5, \"density\": %g, \"viscosity\": %g}, \"strain\": {\"basis\": "
      "\"legendre\", \"order\": %s}, \"quadrature\": {\"points\": %d}}}, {\"name\": \"lever\", \"joint\": {\"type\": "
      "\"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": %g, \"com\": [%g, 0, 0], \"inertia\": "
      "[%g, %g, %g]}}, {\"name\": \"slider\", \"parent\": \"lever\", \"joint\": {\"type\": \"prismatic\", \"axis\": "
      "\"z\"}, \"body\": {\"type\": \"rigid\", \"mass\": %g, \"inertia\": [%g, %g, %g]}}]}",
      joint, 0.5 * length, 0.02 * length, 1e6 * mass / length, 1000 * mass / volume, 1000 * mass / length, order,
      points, 0.3 * mass, 0.1 * length, 1e-3 * inertia, 1e-3 * inertia, 1e-3 * inertia, 0.2 * mass, 1e-4 * inertia,
      1e-4 * inertia, 1e-4 * inertia);
  return test_model_from_text(text);
}

START_TEST(the_size_and_the_weight_of_a_robot_make_nothing_singular_and_nothing_regular) {
  static const double lengths[] = {1, 1e-5, 1e-3, 100, 1e4}, masses[] = {1, 1e-12, 1e-6, 1e6, 3e8, 1e12};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 6; k++)
      for (int bad = 0; bad < 2; bad++) {
        td_model *model = scaled(bad ? "free" : "fixed", SIX(4), bad ? 5 : 7, lengths[i], masses[k]);
        td_error err = {0};
        td_status status = accelerations(model, &err);
        ck_assert_msg(status == (bad ? TD_SINGULAR : TD_OK), "length %g, mass %g: %s %s", lengths[i], masses[k],
                      td_status_name(status), err.message);
        ck_assert_msg((warning_of(model) != NULL) == bad, "length %g, mass %g", lengths[i], masses[k]);
        td_model_destroy(model);
      }
}
END_TEST

START_TEST(heavy_bodies_on_joints_accelerate) {
  static const char *const joints[] = {"revolute", "prismatic", "universal", "free"};
  for (int i = 0; i < 4; i++)
    for (double mass = 1e-12; mass < 2e12; mass *= 1e6) {
      char text[1024];
      snprintf(text, sizeof text,
               "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"hull\", \"joint\": {\"type\": \"%s\"%s}, "
               "\"body\": {\"type\": \"rigid\", \"mass\": %g, \"com\": [0, 0, -5], \"inertia\": [%g, %g, %g]}}]}",
               joints[i], i < 3 ? ", \"axis\": \"y\"" : "", mass, 100 * mass, 100 * mass, 100 * mass);
      td_model *model = test_model_from_text(text);
      td_error err = {0};
      ck_assert_msg(accelerations(model, &err) == TD_OK, "%s, %g kg: %s", joints[i], mass, err.message);
      td_model_destroy(model);
    }
}
END_TEST

TEST_MAIN("mass_rank", as_many_points_as_coefficients_are_enough_where_the_base_has_inertia_or_stands,
          a_floating_rod_with_as_many_points_as_coefficients_is_singular_by_six,
          one_point_more_or_the_default_makes_it_regular, a_basis_whose_functions_depend_on_each_other_is_the_reason,
          a_run_that_needs_accelerations_says_which_coordinates_have_none,
          the_size_and_the_weight_of_a_robot_make_nothing_singular_and_nothing_regular,
          heavy_bodies_on_joints_accelerate)
