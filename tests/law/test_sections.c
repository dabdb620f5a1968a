// Sections against beams known exactly: Saint-Venant's strip, hollow tubes, Timoshenko's frequencies, a cantilever
// whose bending and twist are coupled; and the same rod said in two ways.
#include "support/model_file.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 128 };

extern void dsygv_(const int *type, const char *job, const char *part, const int *n, double *A, const int *lda,
                   double *B, const int *ldb, double *w, double *work, const int *room, int *info);

typedef struct subject {
  td_model *model;
  td_workspace *ws;
  int n;
  double q[MOST];
} subject;

// A clamped rod along x; `body` holds section, material and strain, `more` what follows the links.
static subject clamped(double length, const char *body, const char *more) {
  char text[4096];
  subject s = {0};
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"fixed\"}, \"body\":"
      " {\"type\": \"rod\", \"length\": %.17g, %s}}]%s}",
      length, body, more);
  s.model = test_model_from_text(text);
  s.n = td_model_ndof(s.model);
  ck_assert_int_le(s.n, MOST);
  ck_assert_int_eq(td_workspace_create(s.model, &s.ws), TD_OK);
  return s;
}

static void drop(subject *s) {
  td_workspace_destroy(s->ws);
  td_model_destroy(s->model);
}

static void rest(subject *s, const double *u) {
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  td_statics_defaults(&options);
  ck_assert_msg(!td_statics_solve(s->model, s->ws, u, &options, s->q, &result, &err), "%s", err.message);
}

// Frequencies at rest, rad/s, rising: w [n].
static void frequencies(subject *s, double *w) {
  static double K[MOST * MOST], M[MOST * MOST], work[64 * MOST];
  static const int room = 64 * MOST, type = 1;
  double q[MOST] = {0};
  int info;
  ck_assert_int_eq(td_residual_derivatives(s->model, s->ws, q, NULL, NULL, NULL, NULL, K, NULL, M), TD_OK);
  dsygv_(&type, "N", "U", &s->n, K, &s->n, M, &s->n, w, work, &room, &info);
  ck_assert_int_eq(info, 0);
  for (int i = 0; i < s->n; i++) w[i] = sqrt(w[i]);
}

#define STEEL "\"material\": {\"young\": 2e11, \"shear\": 8e10, \"density\": 7800}"
#define MOMENTS                                                                                                        \
  ", \"loads\": [{\"link\": \"rod\", \"frame\": \"body\", \"channels\": [\"mx\", \"my\", \"mz\", null, null, null]}]"

// A strip of 2 x 20 mm: J = b t^3 (1/3 - 0.21 t/b) of Roark, against (b^3 t + b t^3)/12 without a torsion constant.
START_TEST(a_strip_twists_by_its_saint_venant_constant) {
  const double b = 0.02, t = 0.002, L = 0.5, J = b * t * t * t * (1. / 3 - 0.21 * t / b), torque[3] = {0.05, 0, 0};
  char body[512];
  for (int given = 0; given < 2; given++) {
    snprintf(body, sizeof body,
             "\"section\": {\"shape\": \"rectangle\", \"height\": 0.002, \"width\": 0.02%s%.17g}, " STEEL
             ", \"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": 2, \"bending_y\": 1}}",
             given ? ", \"torsion_constant\": " : ", \"shear_correction\": ", given ? J : 0.8);
    subject s = clamped(L, body, MOMENTS);
    rest(&s, torque);
    td_se3 g;
    ck_assert_int_eq(td_pose_at(s.model, s.ws, s.q, 0, 1, &g), TD_OK);
    double used = given ? J : (b * b * b * t + b * t * t * t) / 12;
    ck_assert_double_eq_tol(atan2(g.R[7], g.R[4]), torque[0] * L / (8e10 * used), 1e-12);
    drop(&s);
  }
}
END_TEST

// Bending of an Euler-Bernoulli cantilever, (1.8751, 4.6941)^2 sqrt(E I / (rho A L^4)); rotary inertia lowers it by
// less than 1e-4.
START_TEST(a_hollow_tube_has_the_frequencies_of_its_ring) {
  const double L = 2, r = 0.01, a = 0.008, EI = 2e11 * M_PI / 4 * (pow(r, 4) - pow(a, 4)),
               line = 7800 * M_PI * (r * r - a * a), betas[2] = {1.8751040687, 4.6940911330};
  double w[MOST];
  subject s = clamped(L,
                      "\"section\": {\"shape\": \"circle\", \"radius\": 0.01, \"inner_radius\": 0.008}, " STEEL
                      ", \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 8}}",
                      "");
  frequencies(&s, w);
  for (int i = 0; i < 2; i++) {
    double exact = betas[i] * betas[i] * sqrt(EI / line) / (L * L);
    ck_assert_msg(fabs(w[i] / exact - 1) < 3e-4, "mode %d: %.9g of %.9g rad/s", i, w[i], exact);
  }
  drop(&s);
}
END_TEST

static const char hollow[] =
    "\"section\": {\"shape\": \"ellipse\", \"semi_y\": 0.03, \"semi_z\": 0.02, \"inner_semi_y\": 0.02, "
    "\"inner_semi_z\":"
    " 0.015, \"torsion_constant\": 2e-7, \"shear_correction\": 0.6, \"damping\": [1, 2, 3, 4, 5, 6]}, \"material\":"
    " {\"young\": 1e6, \"shear\": 4e5, \"density\": 1100, \"viscosity\": 2000}";

// The same section by its numbers.
static void numbers_of_hollow(char *text, size_t size) {
  const double a = 0.03, b = 0.02, c = 0.02, d = 0.015, A = M_PI * (a * b - c * d),
               Iy = M_PI / 4 * (a * b * b * b - c * d * d * d), Iz = M_PI / 4 * (a * a * a * b - c * c * c * d);
  snprintf(
      text, size,
      "\"section\": {\"shape\": \"stiffness\", \"GJ\": %.17g, \"EI_y\": %.17g, \"EI_z\": %.17g, \"EA\": %.17g,"
      " \"GA_y\": %.17g, \"GA_z\": %.17g, \"mass_per_length\": %.17g, \"inertia_per_length\": [%.17g, %.17g, %.17g],"
      " \"damping\": [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}",
      4e5 * 2e-7, 1e6 * Iy, 1e6 * Iz, 1e6 * A, 0.6 * 4e5 * A, 0.6 * 4e5 * A, 1100 * A, 1100 * (Iy + Iz), 1100 * Iy,
      1100 * Iz, 1 + 2000 * (Iy + Iz), 2 + 6000 * Iy, 3 + 6000 * Iz, 4 + 6000 * A, 5 + 2000 * A, 6 + 2000 * A);
}

START_TEST(a_section_of_numbers_is_the_shape_with_these_numbers) {
  static const char strain[] = ", \"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": 2, \"bending_y\": 2,"
                               " \"bending_z\": 1, \"elongation\": 1, \"shear_y\": 0, \"shear_z\": 1}}";
  char numbers[1024], body[2][2048];
  subject s[2];
  double out[2][4][MOST], q[MOST], qd[MOST], qdd[MOST];
  numbers_of_hollow(numbers, sizeof numbers);
  for (int i = 0; i < MOST; i++) q[i] = 0.3 * sin(1 + i), qd[i] = cos(2 * i), qdd[i] = sin(3 * i);
  for (int k = 0; k < 2; k++) {
    snprintf(body[k], sizeof body[k], "%s%s", k ? numbers : hollow, strain);
    s[k] = clamped(0.4, body[k], "");
    ck_assert_int_eq(td_inverse_dynamics(s[k].model, s[k].ws, q, qd, qdd, NULL, out[k][0]), TD_OK);
    ck_assert_int_eq(td_generalized_force(s[k].model, s[k].ws, q, qd, NULL, out[k][1]), TD_OK);
    ck_assert_int_eq(td_forward_dynamics(s[k].model, s[k].ws, q, qd, NULL, out[k][2]), TD_OK);
    td_energy energy;
    ck_assert_int_eq(td_energy_at(s[k].model, s[k].ws, q, qd, &energy), TD_OK);
    memset(out[k][3], 0, sizeof out[k][3]);
    out[k][3][0] = energy.elastic, out[k][3][1] = energy.kinetic;
  }
  for (int f = 0; f < 4; f++)
    for (int i = 0; i < s[0].n; i++)
      ck_assert_msg(fabs(out[0][f][i] - out[1][f][i]) <= 1e-10 * (1e-6 + fabs(out[0][f][i])), "%d [%d]: %.17g, %.17g",
                    f, i, out[0][f][i], out[1][f][i]);
  drop(&s[0]);
  drop(&s[1]);
}
END_TEST

// ------------------------------------------------------------------------------------------------ Timoshenko

// x' = A(w) x of (w, psi, M, V), harmonic with frequency f; exp(A L) by its series after halving.
static void transfer(double f, double L, double EI, double kGA, double line, double rotary, double T[16]) {
  enum { HALVINGS = 10 };
  double h = L / (1 << HALVINGS), A[16] = {0}, term[16] = {0}, next[16];
  A[1] = -1, A[3] = 1 / kGA;                // w' = V / kGA - psi
  A[4 + 2] = 1 / EI;                        // psi' = M / EI
  A[8 + 1] = -rotary * f * f, A[8 + 3] = 1; // M' = V - rho I f^2 psi
  A[12 + 0] = -line * f * f;                // V' = -rho A f^2 w
  for (int i = 0; i < 16; i++) term[i] = T[i] = i % 5 == 0;
  for (int k = 1; k < 20; k++) {
    for (int i = 0; i < 16; i++) {
      next[i] = 0;
      for (int j = 0; j < 4; j++) next[i] += term[4 * (i / 4) + j] * A[4 * j + i % 4] * h / k;
    }
    for (int i = 0; i < 16; i++) T[i] += term[i] = next[i];
  }
  for (int n = 0; n < HALVINGS; n++) {
    for (int i = 0; i < 16; i++) {
      next[i] = 0;
      for (int j = 0; j < 4; j++) next[i] += T[4 * (i / 4) + j] * T[4 * j + i % 4];
    }
    memcpy(T, next, sizeof next);
  }
}

// Free end: M = V = 0 from (0, 0, M0, V0).
static double determinant(double f, double L, double EI, double kGA, double line, double rotary) {
  double T[16];
  transfer(f, L, EI, kGA, line, rotary, T);
  return T[10] * T[15] - T[11] * T[14];
}

// A stubby cantilever: shear and rotary inertia lower its third frequency by more than a quarter.
START_TEST(a_cantilever_with_a_shear_correction_has_timoshenkos_frequencies) {
  const double L = 1, h = 0.2, b = 0.1, E = 2e11, G = 8e10, rho = 7800, k = 5. / 6, EI = E * b * h * h * h / 12,
               kGA = k * G * b * h, line = rho * b * h, rotary = rho * b * h * h * h / 12;
  double w[MOST], f = 1;
  subject s = clamped(L,
                      "\"section\": {\"shape\": \"rectangle\", \"height\": 0.1, \"width\": 0.2, \"shear_correction\":"
                      " 0.83333333333333333}, " STEEL
                      ", \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 10, \"shear_z\": 10}},"
                      " \"quadrature\": {\"points\": 24}",
                      "");
  frequencies(&s, w);
  for (int mode = 0; mode < 3; mode++) {
    double step = 20;
    while (determinant(f, L, EI, kGA, line, rotary) * determinant(f + step, L, EI, kGA, line, rotary) > 0) f += step;
    double low = f, high = f + step, sign = determinant(low, L, EI, kGA, line, rotary);
    for (int i = 0; i < 60; i++) {
      double middle = (low + high) / 2;
      *(determinant(middle, L, EI, kGA, line, rotary) * sign > 0 ? &low : &high) = middle;
    }
    ck_assert_msg(fabs(w[mode] / low - 1) < 1e-5, "mode %d: %.9g, exact %.9g rad/s", mode, w[mode], low);
    f = high + 1;
  }
  ck_assert_double_lt(w[2], 0.72 * 61.6972 * sqrt(EI / line)); // 7.8548^2 of Euler and Bernoulli
  drop(&s);
}
END_TEST

// ------------------------------------------------------------------------------------------------ coupling

#define COUPLED(c)                                                                                                     \
  "\"section\": {\"shape\": \"stiffness\", \"GJ\": 2, \"EI_y\": 3, \"EI_z\": 5, \"mass_per_length\": 0.5,"             \
  " \"inertia_per_length\": [1e-3, 5e-4, 5e-4], \"coupling\": [[0, " #c ", 0, 0, 0, 0], [" #c ", 0, 0, 0, 0, 0],"      \
  " [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}, \"strain\": {\"basis\":"         \
  " \"legendre\", \"order\": {\"torsion\": 3, \"bending_y\": 3, \"bending_z\": 2}}"

// [GJ, c; c, EI] (torsion, curvature) = (torque, 0): a torque bends.
START_TEST(a_small_torque_bends_a_coupled_cantilever) {
  const double c = 1.2, u[3] = {1e-5, 0, 0}, det = 2 * 3 - c * c;
  subject s = clamped(0.7, COUPLED(1.2), MOMENTS);
  double xi[6];
  rest(&s, u);
  for (int i = 0; i <= 10; i++) {
    td_strain_at(s.model, s.q, 0, i / 10., xi);
    ck_assert_double_eq_tol(xi[0], 3 / det * u[0], 1e-9 * u[0]);
    ck_assert_double_eq_tol(xi[1], -c / det * u[0], 1e-9 * u[0]);
  }
  drop(&s);
}
END_TEST

// A moment along an eigenvector of the stiffness stays parallel to the strain it makes, which is then the same all
// along, however large: the rod turns about the moment, g = exp(s (moment / eigenvalue)).
START_TEST(a_large_moment_along_an_eigenvector_winds_a_coupled_rod_to_a_helix) {
  const double c = 1.2, mean = 2.5, half = sqrt(0.25 + c * c), L = 0.7;
  for (int k = 0; k < 2; k++) {
    double value = mean + (k ? half : -half), v[2] = {c, value - 2}, norm = hypot(v[0], v[1]), turn = 4;
    double strain[2] = {turn / L * v[0] / norm, turn / L * v[1] / norm},
           u[3] = {value * strain[0], value * strain[1], 0};
    subject s = clamped(L, COUPLED(1.2), MOMENTS);
    rest(&s, u);
    td_se3 g, exact;
    double xi[6] = {L * strain[0], L * strain[1], 0, L, 0, 0};
    td_se3_exp(xi, &exact);
    ck_assert_int_eq(td_pose_at(s.model, s.ws, s.q, 0, 1, &g), TD_OK);
    for (int i = 0; i < 9; i++) ck_assert_double_eq_tol(g.R[i], exact.R[i], 1e-9);
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(g.p[i], exact.p[i], 1e-9 * L);
    td_energy energy;
    ck_assert_int_eq(td_energy_at(s.model, s.ws, s.q, NULL, &energy), TD_OK);
    ck_assert_double_eq_tol(energy.elastic, value * turn * turn / L / 2, 1e-9 * energy.elastic);
    drop(&s);
  }
}
END_TEST

// Neither a material that is not there nor an outline that is not given is found odd; an inertia of no plane is.
START_TEST(numbers_are_judged_as_numbers) {
  static const char *const inertias[] = {"[3e-4, 2e-4, 1e-4]", "[3e-4, 2e-4, 2e-4]"};
  for (int i = 0; i < 2; i++) {
    char body[512];
    snprintf(body, sizeof body,
             "\"section\": {\"shape\": \"stiffness\", \"EI_y\": 2, \"mass_per_length\": 1, \"inertia_per_length\": "
             "%s}, \"strain\":"
             " {\"basis\": \"legendre\", \"order\": {\"bending_y\": 2}}",
             inertias[i]);
    subject s = clamped(
        1, body,
        ", \"actuators\": [{\"name\": \"cable\", \"type\": \"tendon\", \"link\": \"rod\", \"routing\": {\"type\":"
        " \"linear\", \"base\": [0, 0.01]}}]");
    const td_warnings *w = td_model_warnings(s.model);
    ck_assert_int_eq(w->count, i);
    if (i) ck_assert_str_eq(w->list[0].code, "odd_inertia");
    if (i) ck_assert_str_eq(w->list[0].pointer, "/links/0/body/section/inertia_per_length");
    drop(&s);
  }
}
END_TEST

START_TEST(a_stiffness_without_the_diagonal_of_its_coupling_is_refused) {
  static const char *const couplings[] = {"3", "2.4495"};
  for (int i = 0; i < 2; i++) {
    char text[1536];
    td_model *model;
    td_error err = {0};
    snprintf(text, sizeof text,
             "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"fixed\"}, "
             "\"body\": {\"type\":"
             " \"rod\", \"length\": 1, \"section\": {\"shape\": \"stiffness\", \"GJ\": 2, \"EI_y\": 3, "
             "\"mass_per_length\": 1,"
             " \"coupling\": [[0, %s, 0, 0, 0, 0], [%s, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],"
             " [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}, \"strain\": {\"basis\": \"legendre\", \"order\": "
             "{\"torsion\": 1}}}}]}",
             couplings[i], couplings[i]);
    ck_assert_int_eq(test_model_try(text, &model, &err), TD_INVALID_ARGUMENT);
    ck_assert_str_eq(err.pointer, "/links/0/body/section/coupling");
    ck_assert_ptr_nonnull(strstr(err.message, "positive definite"));
  }
}
END_TEST

TEST_MAIN("sections", a_strip_twists_by_its_saint_venant_constant, a_hollow_tube_has_the_frequencies_of_its_ring,
          a_section_of_numbers_is_the_shape_with_these_numbers,
          a_cantilever_with_a_shear_correction_has_timoshenkos_frequencies, a_small_torque_bends_a_coupled_cantilever,
          a_large_moment_along_an_eigenvector_winds_a_coupled_rod_to_a_helix, numbers_are_judged_as_numbers,
          a_stiffness_without_the_diagonal_of_its_coupling_is_refused)
