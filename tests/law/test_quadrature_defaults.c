// What a rod's default quadrature must be good for: a mass matrix that is regular when the base moves freely, the
// constant-moment patch test, Euler's load, and a highest frequency that is the basis', not the quadrature's.
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 420 };

extern void dsyev_(const char *job, const char *part, const int *n, double *A, const int *ld, double *w, double *work,
                   const int *room, int *info);
extern void dsygv_(const int *type, const char *job, const char *part, const int *n, double *A, const int *lda,
                   double *B, const int *ldb, double *w, double *work, const int *room, int *info);

static const double length = 0.5, bending = 1e6 * M_PI * 1.6e-7 / 4; // E I of r 0.02 m, E 1 MPa

typedef struct subject {
  td_model *model;
  td_workspace *ws;
  int n;
} subject;

// A rod whose strains are all of one order; points 0: the default.
static subject rod_of(const char *joint, const char *basis, const char *strains, int order, int points,
                      const char *more) {
  char text[2048], orders[256], quadrature[64] = "";
  int at = 0;
  for (const char *c = strains; *c; c++) {
    static const char *const names = "tbBesS";
    at += snprintf(orders + at, sizeof orders - (size_t)at, "%s\"%s\": %d", at ? ", " : "",
                   td_strain_component_name((int)(strchr(names, *c) - names)), order);
  }
  if (points) snprintf(quadrature, sizeof quadrature, ", \"quadrature\": {\"points\": %d}", points);
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"%s\"}, \"body\":"
      " {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": \"circle\", \"radius\": 0.02}, \"material\":"
      " {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000}, \"strain\": {\"basis\": \"%s\", \"order\": {%s}}%s}}"
      "]%s}",
      joint, basis, orders, quadrature, more);
  subject s = {.model = test_model_from_text(text)};
  s.n = td_model_ndof(s.model);
  ck_assert_int_le(s.n, MOST);
  ck_assert_int_eq(td_workspace_create(s.model, &s.ws), TD_OK);
  return s;
}

static void drop(subject *s) {
  td_workspace_destroy(s->ws);
  td_model_destroy(s->model);
}

static double A[MOST * MOST], B[MOST * MOST], w[MOST], work[64 * MOST];
static const int room = 64 * MOST;

// Largest over smallest eigenvalue of the mass matrix with ones on its diagonal, at a bent shape.
static double condition(const char *basis, int order) {
  subject s = rod_of("free", basis, "tbBesS", order, 0, "");
  double q[MOST];
  for (int i = 0; i < s.n; i++) q[i] = 0.3 * sin(1 + 2.3 * i);
  ck_assert_int_eq(td_mass_matrix(s.model, s.ws, q, A), TD_OK);
  for (int i = 0; i < s.n; i++) w[i] = sqrt(A[i * s.n + i]);
  for (int i = 0; i < s.n * s.n; i++) A[i] /= w[i / s.n] * w[i % s.n];
  int info;
  dsyev_("N", "U", &s.n, A, &s.n, w, work, &room, &info);
  ck_assert_int_eq(info, 0);
  double value = w[0] > 0 ? w[s.n - 1] / w[0] : INFINITY;
  drop(&s);
  return value;
}

// Monomials and bells are nearly dependent by themselves at high order, however many points there are.
START_TEST(a_rod_on_a_moving_base_has_a_regular_mass_matrix_by_default) {
  static const struct {
    const char *basis;
    int from, to;
    double most;
  } cases[] = {{"legendre", 0, 10, 1e7}, {"chebyshev", 0, 8, 1e8}, {"monomial", 0, 4, 1e10},
               {"gaussian", 0, 10, 1e8}, {"fourier", 0, 4, 1e7},   {"inverse_multiquadric", 0, 10, 1e9},
               {"linear", 1, 8, 1e7},    {"quadratic", 1, 6, 1e8}, {"cubic", 1, 5, 1e8},
               {"hermite", 1, 5, 1e9}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int order = cases[i].from; order <= cases[i].to; order++) {
      double value = condition(cases[i].basis, order);
      ck_assert_msg(value < cases[i].most, "%s of order %d: condition %g", cases[i].basis, order, value);
    }
}
END_TEST

// Highest frequency of a clamped rod, rad/s: K x = w^2 M x at rest.
static double highest(const char *basis, int order, int points) {
  subject s = rod_of("fixed", basis, "tbBesS", order, points, "");
  double q[MOST] = {0};
  ck_assert_int_eq(td_residual_derivatives(s.model, s.ws, q, NULL, NULL, NULL, NULL, A, NULL, B), TD_OK);
  int info, type = 1;
  dsygv_(&type, "N", "U", &s.n, A, &s.n, B, &s.n, w, work, &room, &info);
  ck_assert_int_eq(info, 0);
  double value = sqrt(w[s.n - 1]);
  drop(&s);
  return value;
}

// order + 1 points and three per element made it up to 4 times too high, bells 1e5 times.
START_TEST(the_highest_frequency_is_that_of_many_points) {
  static const struct {
    const char *basis;
    int from, to, many;
    double most;
  } cases[] = {{"legendre", 0, 10, 30, 1e-3}, {"chebyshev", 1, 8, 30, 1e-3}, {"monomial", 1, 5, 30, 1e-3},
               {"gaussian", 1, 10, 40, 0.05}, {"fourier", 1, 4, 40, 0.03},   {"inverse_multiquadric", 1, 10, 40, 0.06},
               {"linear", 1, 6, 10, 0.01},    {"quadratic", 1, 6, 10, 0.02}, {"cubic", 1, 5, 10, 0.03},
               {"hermite", 1, 5, 10, 0.03}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int order = cases[i].from; order <= cases[i].to; order++) {
      double few = highest(cases[i].basis, order, 0), many = highest(cases[i].basis, order, cases[i].many);
      ck_assert_msg(fabs(few / many - 1) < cases[i].most, "%s of order %d: %g rad/s, with many points %g",
                    cases[i].basis, order, few, many);
    }
}
END_TEST

static const char moment[] = ", \"loads\": [{\"link\": \"rod\", \"frame\": \"body\", \"channels\": [null, \"my\", null,"
                             " null, null, null]}]";

typedef struct patch {
  double angle, place, curvature; // rad, of the length, of the curvature
} patch;

// Half a circle under an end moment: how far the tip's angle and place and the curvature at 101 abscissas are off.
static patch end_moment(const char *basis, int order) {
  subject s = rod_of("fixed", basis, "tbBesS", order, 0, moment);
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  double q[MOST] = {0}, u = bending * M_PI / length;
  td_statics_defaults(&options);
  ck_assert_msg(!td_statics_solve(s.model, s.ws, &u, &options, q, &result, &err), "%s %d: %s", basis, order,
                err.message);
  td_se3 g;
  ck_assert_int_eq(td_pose_at(s.model, s.ws, q, 0, 1, &g), TD_OK);
  patch p = {fabs(fabs(atan2(-g.R[6], g.R[0])) - M_PI), hypot(g.p[0], g.p[2] + 2 * length / M_PI) / length, 0};
  for (int i = 0; i <= 100; i++) {
    double xi[6];
    td_strain_at(s.model, q, 0, i / 100.0, xi);
    p.curvature = fmax(p.curvature, fabs(xi[1] * length / M_PI - 1));
  }
  drop(&s);
  return p;
}

// A Magnus step integrates strains of degree 3 exactly between computational points: where those meet, the discrete rod
// is a circle to rounding.
START_TEST(a_constant_moment_bends_rods_of_low_order_and_elements_to_a_circle_exactly) {
  static const struct {
    const char *basis;
    int from, to;
  } cases[] = {{"legendre", 0, 3},  {"chebyshev", 0, 3}, {"monomial", 0, 3}, {"linear", 1, 6},
               {"quadratic", 1, 4}, {"cubic", 1, 3},     {"hermite", 1, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int order = cases[i].from; order <= cases[i].to; order++) {
      patch p = end_moment(cases[i].basis, order);
      ck_assert_msg(p.angle < 1e-11 && p.place < 1e-11 && p.curvature < 1e-9, "%s %d: %g %g %g", cases[i].basis, order,
                    p.angle, p.place, p.curvature);
    }
}
END_TEST

// Beyond degree 3 a step's own error, of fourth order in its length, is what remains: with order + 1 points the angle
// was 11, the place 3 times as far off.
START_TEST(a_constant_moment_bends_rods_of_high_order_to_a_circle_but_for_the_magnus_steps) {
  for (int order = 4; order <= 10; order++) {
    patch p = end_moment("legendre", order);
    ck_assert_msg(p.angle < 1e-5 && p.place < 2.5e-5 && p.curvature < 0.02, "order %d: %g %g %g", order, p.angle,
                  p.place, p.curvature);
  }
}
END_TEST

static double smallest(const subject *s, double force) {
  double q[MOST] = {0};
  ck_assert_int_eq(td_residual_derivatives(s->model, s->ws, q, NULL, NULL, &force, NULL, A, NULL, NULL), TD_OK);
  int info, n = s->n;
  dsyev_("N", "U", &n, A, &n, w, work, &room, &info);
  ck_assert_int_eq(info, 0);
  return w[0];
}

// The force at which the straight clamped rod loses its stability, by Euler's pi^2 E I / (4 L^2).
static double euler(int order) {
  subject s = rod_of("fixed", "legendre", "bB", order, 0,
                     ", \"loads\": [{\"link\": \"rod\", \"channels\": [null, null, null, \"fx\", null, null]}]");
  double load = M_PI * M_PI * bending / (4 * length * length), low = 0, high = 2;
  for (int i = 0; i < 50; i++) {
    double middle = (low + high) / 2;
    *(smallest(&s, -middle * load) > 0 ? &low : &high) = middle;
  }
  drop(&s);
  return low;
}

START_TEST(a_column_buckles_at_eulers_load) {
  static const double most[11] = {[3] = 1.2e-4, 7e-5, 4e-5, 2.6e-5, 1.7e-5, 1.1e-5, 8e-6, 6e-6};
  for (int order = 3; order <= 10; order++) {
    double load = euler(order);
    ck_assert_msg(fabs(load - 1) < most[order], "order %d: %.9f of Euler's load", order, load);
  }
}
END_TEST

TEST_MAIN("quadrature_defaults", a_rod_on_a_moving_base_has_a_regular_mass_matrix_by_default,
          the_highest_frequency_is_that_of_many_points,
          a_constant_moment_bends_rods_of_low_order_and_elements_to_a_circle_exactly,
          a_constant_moment_bends_rods_of_high_order_to_a_circle_but_for_the_magnus_steps,
          a_column_buckles_at_eulers_load)
