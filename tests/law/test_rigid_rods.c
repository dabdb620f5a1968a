// Rods that do not bend, and rods that are carried by joints: their points weigh them, feel the flow and float, and
// joints feel the sum. Where these are too few runs and equilibria say so; a reference that bends has as many as its
// shape needs, when the document gives none.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 4096, NDOF = 16 };

#define MATERIAL "\"material\": {\"young\": 1e10, \"poisson\": 0.3, \"density\": 600}"

// ------------------------------------------------------------------------------------------------ robots

static const char *points_text(int points) {
  static char text[64];
  text[0] = 0;
  if (points) snprintf(text, sizeof text, ", \"quadrature\": {\"points\": %d}", points);
  return text;
}

/// A wire of 1 m on a hinge with a spring of 50 N m/rad about y, bent by 90 degrees within 0.2 m of its middle part.
static td_model *bent_wire(const char *order, int points) {
  char text[TEXT];
  double k = M_PI / 2 / 0.1;
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"wire\", \"joint\": {\"type\": \"revolute\", "
           "\"axis\": \"y\", \"stiffness\": 50}, \"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": "
           "\"circle\", \"radius\": 0.01}, " MATERIAL ", \"strain\": {\"basis\": \"legendre\", \"order\": {%s}, "
           "\"reference\": {\"s\": [0, 0.3, 0.35, 0.4, 0.45, 0.5, 1], \"value\": [[0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, "
           "0], [0, 0, %g, 1, 0, 0], [0, 0, %g, 1, 0, 0], [0, 0, %g, 1, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, "
           "0]]}}%s}}]}",
           order, k / 2, k, k / 2, points_text(points));
  return test_model_from_text(text);
}

/// A pole of 1 m that stands on a spring along x; water flows by it between two heights around the middle.
static td_model *pole_in_a_layer(const char *order, double half, int points) {
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"slide\", \"joint\": {\"type\": \"prismatic\", "
      "\"axis\": \"x\", \"stiffness\": 5000, \"damping\": 20}}, {\"name\": \"pole\", \"parent\": \"slide\", "
      "\"pose\": {\"rpy\": [0, -1.5707963267948966, 0]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": "
      "\"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, " MATERIAL
      ", \"strain\": {\"basis\": \"legendre\", \"order\": {%s}}, \"hydrodynamics\": {\"cd_y\": 1, \"cd_z\": 1}%s}}], "
      "\"fluid\": {\"density\": 1000, \"velocity\": {\"z\": [0, %g, %g, %g, %g, 1], \"velocity\": [[0, 0, 0], [0, "
      "0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]]}}}",
      order, points_text(points), 0.49 - half, 0.5 - half, 0.5 + half, 0.51 + half);
  return test_model_from_text(text);
}

/// A spar of 2 m that floats upright, its base `base` above the frame of its slide.
static td_model *spar(const char *order, double width, double base, int points) {
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"heave\", \"pose\": {\"translation\": [0, 0, %g]}, "
      "\"joint\": {\"type\": \"prismatic\", \"axis\": \"z\", \"damping\": 5}}, {\"name\": \"spar\", \"parent\": "
      "\"heave\", \"pose\": {\"rpy\": [0, -1.5707963267948966, 0]}, \"joint\": {\"type\": \"fixed\"}, \"body\": "
      "{\"type\": \"rod\", \"length\": 2, \"section\": {\"shape\": \"circle\", \"radius\": 0.05}, " MATERIAL
      ", \"strain\": {\"basis\": \"legendre\", \"order\": {%s}}%s}}], \"gravity\": [0, 0, -9.81], \"fluid\": "
      "{\"density\": 1000, \"surface\": {\"z\": 0, \"width\": %g}}}",
      base, order, points_text(points), width);
  return test_model_from_text(text);
}

// ------------------------------------------------------------------------------------------------ what they say

typedef struct answer {
  double q[NDOF];
  int n;
  td_warnings warnings;
} answer;

static bool on_solved(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                      const td_error *failure) {
  (void)index, (void)u, (void)result;
  answer *a = context;
  ck_assert_msg(!failure, "%s", failure ? failure->message : "");
  memcpy(a->q, q, (size_t)a->n * sizeof *q);
  return true;
}

static answer equilibrium(const td_model *model, double guess) {
  answer a = {.n = td_model_ndof(model)};
  const double q[NDOF] = {guess};
  td_statics_spec spec = {.initial = TD_INITIAL_ARRAY, .q = q, .q_count = (size_t)a.n};
  td_statics_hooks hooks = {.context = &a, .solved = on_solved};
  td_run_statistics statistics;
  td_error err = {0};
  ck_assert_int_le(a.n, NDOF);
  td_statics_defaults(&spec.options);
  ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, &hooks, &statistics, &err), "%s", err.message);
  a.warnings = statistics.warnings;
  return a;
}

static td_warnings run(const td_model *model, double start, double t_end) {
  const double q[NDOF] = {start};
  recording r = {0};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, t_end, q);
  recording_ok(&r, model, &spec);
  td_warnings warnings = r.statistics.warnings;
  recording_free(&r);
  return warnings;
}

static const td_warning *told(const td_warnings *warnings) {
  for (int i = 0; i < warnings->count; i++)
    if (!strcmp(warnings->list[i].code, "coarse_quadrature")) return &warnings->list[i];
  return NULL;
}

static void says(const td_warnings *warnings, const char *pointer, const char *part) {
  const td_warning *w = told(warnings);
  ck_assert_msg(w != NULL, "nothing is said (%s)", part);
  ck_assert_str_eq(w->pointer, pointer);
  ck_assert_msg(strstr(w->detail, part) != NULL, "%s: no \"%s\"", w->detail, part);
}

static void is_silent(const td_warnings *warnings, const char *what) {
  const td_warning *w = told(warnings);
  ck_assert_msg(!w, "%s: %s", what, w ? w->detail : "");
}

static const char *const orders[] = {"", "\"bending_y\": 2"};

// ------------------------------------------------------------------------------------------------ shapes at rest

// By a natural cubic spline through the table and the curvature's integral in 20000 steps, made elsewhere.
static const double right_tip[2] = {0.31575184, -0.36846193}, right_inertia = 2.387684183e-2;

/// How far the tip of the wire lies from there, m, and its inertia about the hinge, by the right one.
static double wrong_by(const td_model *wire, double *inertia) {
  static double M[NDOF * NDOF];
  const double q[NDOF] = {0};
  td_workspace *ws;
  td_se3 tip;
  ck_assert(!td_workspace_create(wire, &ws));
  ck_assert(!td_pose_at(wire, ws, q, 0, 1, &tip) && !td_mass_matrix(wire, ws, q, M));
  td_workspace_destroy(ws);
  *inertia = M[0] / right_inertia - 1;
  return hypot(tip.p[0] - right_tip[0], tip.p[1] - right_tip[1]);
}

START_TEST(a_rod_with_a_bend_in_its_reference_lies_and_weighs_by_default_where_the_bend_puts_it) {
  static const char *const all[] = {"", "\"bending_z\": 2", "\"torsion\": 0, \"bending_y\": 8"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    double inertia;
    td_model *wire = bent_wire(all[i], 0);
    ck_assert_double_le(wrong_by(wire, &inertia), 1e-4);
    ck_assert_double_le(fabs(inertia), 1e-3);
    td_model_destroy(wire);
  }
}
END_TEST

START_TEST(a_rod_whose_document_says_its_points_has_these) {
  double inertia;
  td_model *wire = bent_wire("", 5), *straight = pole_in_a_layer("", 0.2, 0);
  ck_assert_int_eq(td_model_link_point_count(wire, 0), 7);
  ck_assert_int_eq(td_model_link_point_count(straight, 1), 7);
  ck_assert_double_ge(wrong_by(wire, &inertia), 0.05);
  td_model_destroy(wire);
  td_model_destroy(straight);
}
END_TEST

START_TEST(a_bend_that_falls_between_the_points_is_said_of_rods_without_strains) {
  td_model *coarse = bent_wire("", 5), *right = bent_wire("", 0);
  td_warnings swings = run(coarse, 0.1, 0.4), good = run(right, 0.1, 0.4);
  answer still = equilibrium(coarse, 0), fine = equilibrium(right, 0);
  says(&still.warnings, "/model/links/0/body/quadrature/points", "of its length");
  says(&swings, "/model/links/0/body/quadrature/points", "\"wire\" are too few");
  is_silent(&good, "the default, in a run");
  is_silent(&fine.warnings, "the default, at rest");
  td_model_destroy(coarse);
  td_model_destroy(right);
}
END_TEST

// ------------------------------------------------------------------------------------------------ what joints feel

START_TEST(a_layer_of_water_that_points_see_too_much_of_is_said_whether_the_rod_bends_or_not) {
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    td_model *coarse = pole_in_a_layer(orders[i], 0.1, 0), *fine = pole_in_a_layer(orders[i], 0.1, 200);
    answer a = equilibrium(coarse, 0), b = equilibrium(fine, 0);
    td_warnings moves = run(coarse, 0, 1), smooth = run(fine, 0, 1);
    ck_assert_double_ge(a.q[0], 1.3 * b.q[0]); // a fifth of the pole for less
    says(&a.warnings, "/model/links/1/body/quadrature/points", "what they see of the flow");
    says(&moves, "/model/links/1/body/quadrature/points", "\"pole\" are too few");
    is_silent(&b.warnings, "200 points");
    is_silent(&smooth, "200 points, in a run");
    td_model_destroy(coarse);
    td_model_destroy(fine);
  }
}
END_TEST

// The part of a spar that is under water weighs as much as the water there, 1.2 m of it; the frame's height says
// nothing of that.
START_TEST(a_draught_that_points_put_off_is_said_wherever_the_frame_is) {
  static const double bases[] = {0, -1.2};
  for (size_t i = 0; i < 4; i++) {
    double base = bases[i % 2];
    td_model *coarse = spar(orders[i / 2], 0.6, base, 0), *fine = spar(orders[i / 2], 0.6, base, 16);
    answer a = equilibrium(coarse, -1.1 - base), b = equilibrium(fine, -1.1 - base);
    ck_assert_double_ge(a.q[0] + base, -1.17);
    ck_assert_double_eq_tol(b.q[0] + base, -1.2, 6e-3);
    says(&a.warnings, "/model/links/1/body/quadrature/points", "buoyancy at the surface");
    is_silent(&b.warnings, "16 points");
    td_model_destroy(coarse);
    td_model_destroy(fine);
  }
}
END_TEST

START_TEST(a_spar_that_heaves_says_so_too) {
  td_model *coarse = spar("", 0.6, 0, 0), *fine = spar("", 0.6, 0, 16);
  td_warnings heaves = run(coarse, -0.6, 4), right = run(fine, -0.6, 4);
  says(&heaves, "/model/links/1/body/quadrature/points", "its points are elsewhere by up to 3.2 %");
  is_silent(&right, "16 points");
  td_model_destroy(coarse);
  td_model_destroy(fine);
}
END_TEST

TEST_MAIN("rigid_rods", a_rod_with_a_bend_in_its_reference_lies_and_weighs_by_default_where_the_bend_puts_it,
          a_rod_whose_document_says_its_points_has_these,
          a_bend_that_falls_between_the_points_is_said_of_rods_without_strains,
          a_layer_of_water_that_points_see_too_much_of_is_said_whether_the_rod_bends_or_not,
          a_draught_that_points_put_off_is_said_wherever_the_frame_is, a_spar_that_heaves_says_so_too)
