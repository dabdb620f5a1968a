// Points of reduced bodies: defaults integrate what their bodies are, whatever walls, widths and modes these have.
//
// Truth is the same body with as many points as the format takes, compared in the measure of its own energy: with a
// wrong stiffness some motion of the body has another energy.
#include "create/coarse_bodies.h"
#include "element/reduced/mesh.h"
#include "element/reduced/reduced_points.h"
#include "math/relative.h"
#include "support/suite.h"
#include "support/tree.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

typedef struct matrices {
  int n;
  double mass[MOST * MOST], stiffness[MOST * MOST];
} matrices;

// Of a body on a fixed base, at q.
static void measure(const td_reduced_spec *body, const double *q, matrices *out) {
  tree t;
  td_workspace *ws;
  tree_init(&t);
  tree_link(&t, "body", "world", TD_JOINT_FIXED)->body = (td_body_spec){.type = TD_BODY_REDUCED, .reduced = *body};
  td_model *model = tree_build(&t);
  int n = out->n = td_model_ndof(model);
  double rate[MOST * MOST], zero[MOST] = {0};
  ck_assert_int_le(n, MOST);
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_mass_matrix(model, ws, q, out->mass), TD_OK);
  ck_assert_int_eq(td_force_derivatives(model, ws, q, zero, NULL, out->stiffness, rate, NULL), TD_OK);
  for (int i = 0; i < n * n; i++) out->stiffness[i] = -out->stiffness[i];
  td_workspace_destroy(ws);
  td_model_destroy(model);
}

static td_reduced_spec finest(td_reduced_spec body) {
  bool box = body.kinematics == TD_KINEMATICS_RITZ && !body.has_mesh;
  bool lvp = body.kinematics == TD_KINEMATICS_LVP;
  body.s_points = body.has_mesh ? TD_MESH_POINTS_MOST : box || lvp ? 20 : 64;
  body.r_points = box ? 20 : 32, body.angle_points = box ? 20 : lvp ? 12 : 64;
  return body;
}

static void difference(const td_reduced_spec *body, double *mass, double *stiffness) {
  static double work[2 * MOST * MOST + 36 * MOST];
  static matrices own, fine;
  td_reduced_spec more = finest(*body);
  double q[MOST] = {0};
  measure(body, q, &own);
  measure(&more, q, &fine);
  *mass = td_relative_change(own.n, own.n, own.mass, fine.mass, work);
  *stiffness = td_relative_change(own.n, own.n, own.stiffness, fine.stiffness, work);
}

static void expect_right(const td_reduced_spec *body, const char *what) {
  double mass, stiffness;
  difference(body, &mass, &stiffness);
  ck_assert_msg(mass < 1e-3 && stiffness < 1e-3, "%s: mass off by %.2g, stiffness by %.2g", what, mass, stiffness);
}

static td_reduced_spec backbone(td_body_kinematics kinematics) {
  static const double radius[1] = {0.02};
  return (td_reduced_spec){.kinematics = kinematics,
                           .length = 0.2,
                           .radius = {.count = 1, .width = 1, .value = radius},
                           .density = 1000,
                           .young = 1e5,
                           .poisson = 0.5,
                           .width = NAN,
                           .wall = 0.004};
}

// ------------------------------------------------------------------------------------------------ sections

static const double ONE[1] = {1}, AREA[1] = {1e-4}, RISING[5] = {0, 0, 0, 0, 1e-4},
                    STEEP[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
static const td_mode_spec TUBE_MODES[6] = {{TD_FIELD_E, ONE, 1},  {TD_FIELD_SOURCE, AREA, 1},
                                           {TD_FIELD_KX, ONE, 1}, {TD_FIELD_SOURCE, RISING, 5},
                                           {TD_FIELD_KZ, ONE, 1}, {TD_FIELD_KY, STEEP, 9}};

static td_reduced_spec tube(double inner) {
  td_reduced_spec body = backbone(TD_KINEMATICS_LVP);
  body.inner_radius = inner, body.modes = TUBE_MODES, body.mode_count = 6;
  return body;
}

START_TEST(walls_of_any_thickness_are_integrated) {
  static const double inner[] = {0.018, 0.015, 0.01, 0.005, 0.003, 0.002};
  for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
    char what[32];
    td_reduced_spec body = tube(inner[i]);
    snprintf(what, sizeof what, "a bore of %g", inner[i] / 0.02);
    expect_right(&body, what);
  }
}
END_TEST

// Lame's thick tube, incompressible: a bore of radius a takes p b^2/(mu (b^2 - a^2)) more area, for a^2 of source.
START_TEST(a_tube_is_as_stiff_as_lame_says) {
  static const double inner[] = {0.015, 0.01, 0.005, 0.002};
  for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
    double a2 = inner[i] * inner[i], b2 = 4e-4, mu = 1e5 / 3, area[1] = {a2}, q[1] = {0};
    td_mode_spec swell[1] = {{TD_FIELD_SOURCE, area, 1}};
    matrices got;
    td_reduced_spec body = tube(inner[i]);
    body.modes = swell, body.mode_count = 1;
    measure(&body, q, &got);
    double expected = M_PI * a2 * 0.2 * mu * (b2 - a2) / b2; // of p pi a^2 L
    ck_assert_msg(fabs(got.stiffness[0] / expected - 1) < 1e-3, "a/b = %g: %g of Lame's", inner[i] / 0.02,
                  got.stiffness[0] / expected);
  }
}
END_TEST

START_TEST(a_body_that_swells_is_integrated) {
  static const double lengths[] = {0.05, 0.12, 0.2, 0.5};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    double mass, stiffness;
    td_reduced_spec body = backbone(TD_KINEMATICS_PCC_VARIABLE_RADIUS);
    body.length = lengths[i];
    difference(&body, &mass, &stiffness);
    ck_assert_msg(mass < 3e-3 && stiffness < 3e-3, "L %g: mass off by %.2g, stiffness by %.2g", lengths[i], mass,
                  stiffness); // the most that can be said, 64 on the whole turn, is off by 1e-3 itself
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ backbones

START_TEST(a_narrow_bump_of_curvature_has_its_stiffness) {
  static const double widths[] = {NAN, 0.5, 0.3, 0.2, 0.1, 0.066, 0.04, 0.033};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    char what[32];
    td_reduced_spec body = backbone(TD_KINEMATICS_GAUSSIAN_CURVATURE);
    body.width = widths[i] * body.length;
    snprintf(what, sizeof what, "width %g L", widths[i]);
    expect_right(&body, what);
  }
}
END_TEST

START_TEST(curvatures_of_high_order_are_integrated_in_a_cone) {
  static const double cone[2] = {0.02, 0.004};
  td_reduced_spec body = backbone(TD_KINEMATICS_POLYNOMIAL_CURVATURE);
  body.radius = (td_profile){.count = 2, .width = 1, .value = cone}, body.order = 12, body.planar = true;
  body.length = 1; // powers of s in m
  for (body.order = 0; body.order <= 12; body.order++) {
    double mass, stiffness;
    difference(&body, &mass, &stiffness);
    ck_assert_int_gt(td_reduced_s_points(&body), body.order + 2);
    ck_assert_msg(mass < 0.08 && stiffness < 1e-6, "order %d: mass off by %.2g, stiffness by %.2g", body.order, mass,
                  stiffness); // of the fastest motion, by the Magnus steps: they have the fourth order
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ solids

static const double PHI[4][2][4] = {{{1, 0, 0, 2}, {-2, 1, 0, 1}},
                                    {{1, 0, 0, 3}, {-3, 1, 0, 2}},
                                    {{1, 0, 0, 4}, {-4, 1, 0, 3}},
                                    {{1, 0, 0, 8}, {-8, 1, 0, 7}}};

// A block of layers, or a box, that bends by z^2, z^3, z^4 and, of four modes, z^8, with its sections turning.
static td_reduced_spec block(int layers, int modes, td_ritz_mode_spec *mode, double *points, int (*hexahedra)[8]) {
  static const double tip[9] = {0, 0, 1, 0.1, 0, 1, 0, 0.1, 1}, size[3] = {0.1, 0.1, 1};
  static const int around[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  td_reduced_spec body = {.kinematics = TD_KINEMATICS_RITZ, .length = 1, .density = 1000, .young = 1e6, .poisson = 0.3};
  memcpy(body.tip_points, tip, sizeof tip);
  memcpy(body.size, size, sizeof size);
  for (int k = 0; k < modes; k++) mode[k] = (td_ritz_mode_spec){{&PHI[k][0], NULL, &PHI[k][1]}, {1, 0, 1}};
  body.ritz_modes = mode, body.ritz_mode_count = (size_t)modes, body.has_mesh = layers > 0;
  for (int p = 0; p < 4 * (layers + 1); p++) {
    points[3 * p] = 0.05 * around[p % 4][0], points[3 * p + 1] = 0.05 * around[p % 4][1];
    points[3 * p + 2] = p / 4 / fmax(layers, 1);
  }
  for (int k = 0; k < layers; k++)
    for (int c = 0; c < 8; c++) hexahedra[k][c] = 4 * k + c;
  body.mesh = (td_mesh_spec){.points = points,
                             .point_count = 4 * (size_t)(layers + 1),
                             .hexahedra = (const int(*)[8])hexahedra,
                             .hexahedron_count = (size_t)layers};
  return body;
}

START_TEST(solids_are_integrated_as_their_modes_ask) {
  static const struct {
    int layers, modes, most; // points by default
  } cases[] = {{0, 4, 0}, {1, 3, 6}, {2, 3, 5}, {4, 4, 6}, {40, 1, 2}, {40, 4, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static double points[3 * 4 * 41];
    static int hexahedra[40][8];
    char what[64];
    td_ritz_mode_spec mode[4];
    td_reduced_spec body = block(cases[i].layers, cases[i].modes, mode, points, hexahedra);
    int by_default = body.has_mesh ? td_reduced_mesh_points(&body) : 0;
    snprintf(what, sizeof what, "%d layers, %d modes, %d points", cases[i].layers, cases[i].modes, by_default);
    ck_assert_msg(by_default <= cases[i].most, "%s: more than needed", what);
    expect_right(&body, what);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ warnings

static const td_warning *said(const td_warnings *warnings, const char *code) {
  for (int i = 0; i < warnings->count; i++)
    if (!strcmp(warnings->list[i].code, code)) return &warnings->list[i];
  return NULL;
}

// What is said of a body at q, or, where that is NULL, when its model is read.
static td_warnings told(const td_reduced_spec *body, const double *q) {
  tree t;
  td_warnings warnings = {0};
  tree_init(&t);
  tree_link(&t, "body", "world", TD_JOINT_FIXED)->body = (td_body_spec){.type = TD_BODY_REDUCED, .reduced = *body};
  td_model *model = tree_build(&t);
  if (q) {
    td_coarse_bodies *bodies = td_coarse_bodies_create(model);
    ck_assert_ptr_nonnull(bodies);
    td_coarse_bodies_look(bodies, q, "here");
    td_coarse_bodies_tell(bodies, &warnings);
    td_coarse_bodies_destroy(bodies);
  } else {
    warnings = *td_model_warnings(model);
  }
  td_model_destroy(model);
  return warnings;
}

// Too few, as the detail names what would do; and that is enough.
static void expect_told(td_reduced_spec body, const double *q, int *points, const char *key) {
  td_warnings warnings = told(&body, q);
  const td_warning *w = said(&warnings, "coarse_quadrature");
  char pattern[16];
  snprintf(pattern, sizeof pattern, "%s ", key);
  ck_assert_msg(w != NULL, "%d points of %s are not told of", *points, key);
  ck_assert_str_eq(w->pointer, q ? "/model/links/0/body/quadrature" : "/links/0/body/quadrature");
  const char *advice = strstr(w->detail, "; take "), *number = advice ? strstr(advice, pattern) : NULL;
  ck_assert_msg(number != NULL, "no number for %s: %s", key, w->detail);
  *points = atoi(number + strlen(pattern));
}

START_TEST(points_that_are_too_few_are_told_of_with_what_would_do) {
  static const double slight[MOST] = {1e-3, 0.02, 0.01, 0.01, 0.01, 0.01}, rest[MOST] = {0};
  static double points[3 * 4 * 41];
  static int hexahedra[40][8];
  td_ritz_mode_spec mode[4];
  for (int k = 0; k < 2; k++) { // when they are read; at a state
    const double *q = k ? slight : NULL;
    td_reduced_spec thick = tube(0.005), bump = backbone(TD_KINEMATICS_GAUSSIAN_CURVATURE),
                    solid = block(1, 3, mode, points, hexahedra);
    bump.width = 0.1 * bump.length;
    thick.s_points = 7, thick.r_points = 2, bump.s_points = 10, solid.s_points = 2;
    expect_told(thick, q, &thick.r_points, "r");
    expect_told(bump, q, &bump.s_points, "s");
    expect_told(solid, k ? rest : NULL, &solid.s_points, "points");
    const td_reduced_spec *const enough[] = {&thick, &bump, &solid};
    for (int i = 0; i < 3; i++) {
      td_warnings warnings = told(enough[i], i < 2 ? q : k ? rest : NULL);
      ck_assert_msg(!said(&warnings, "coarse_quadrature"), "what would do does not: %s", warnings.list[0].detail);
    }
  }
}
END_TEST

START_TEST(defaults_are_silent_and_say_where_the_format_ends) {
  static const double slight[MOST] = {1e-3, 0.02, 0.01, 0.01, 0.01, 0.01};
  static const double inner[] = {0.015, 0.01, 0.005, 0.002};
  for (int k = 0; k < TD_KINEMATICS_COUNT; k++) {
    if (k == TD_KINEMATICS_LVP || k == TD_KINEMATICS_RITZ) continue;
    td_reduced_spec body = backbone((td_body_kinematics)k);
    td_warnings warnings = told(&body, slight);
    ck_assert_msg(warnings.count == 0, "%s: %s", td_kinematics_name((td_body_kinematics)k), warnings.list[0].detail);
  }
  for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
    td_reduced_spec body = tube(inner[i]);
    td_warnings warnings = told(&body, slight);
    ck_assert_msg(warnings.count == 0, "b/a %g: %s", 0.02 / inner[i], warnings.list[0].detail);
  }
  td_reduced_spec thick = tube(0.0005), narrow = backbone(TD_KINEMATICS_GAUSSIAN_CURVATURE);
  narrow.width = 0.015 * narrow.length;
  const td_reduced_spec *const beyond[] = {&thick, &narrow};
  for (int i = 0; i < 2; i++) {
    td_warnings warnings = told(beyond[i], NULL);
    ck_assert_msg(said(&warnings, "coarse_quadrature") != NULL, "%d: bounds are not told of", i);
  }
}
END_TEST

// A section that is bent as far as it goes is no polynomial: 8 points around see another energy than 16.
START_TEST(bodies_that_are_bent_far_are_judged_there) {
  static const double straight[MOST] = {0, 0, 0.05}, bent[MOST] = {0, 0, 5};
  td_reduced_spec body = tube(0.01);
  body.s_points = 7, body.r_points = 6, body.angle_points = 4;
  td_warnings near = told(&body, straight), far = told(&body, bent);
  const td_warning *w = said(&far, "coarse_quadrature");
  ck_assert_msg(near.count == 0, "%s", near.list[0].detail);
  ck_assert(w != NULL && strstr(w->detail, "(here)") && strstr(w->detail, "angle "));
}
END_TEST

TEST_MAIN("reduced_points", walls_of_any_thickness_are_integrated, a_tube_is_as_stiff_as_lame_says,
          a_body_that_swells_is_integrated, a_narrow_bump_of_curvature_has_its_stiffness,
          curvatures_of_high_order_are_integrated_in_a_cone, solids_are_integrated_as_their_modes_ask,
          points_that_are_too_few_are_told_of_with_what_would_do, defaults_are_silent_and_say_where_the_format_ends,
          bodies_that_are_bent_far_are_judged_there)
