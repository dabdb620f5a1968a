// Loads per length of a rod against beams known exactly: a uniform load, part of one, a distributed torque, the weight
// that gravity gives, and Leipholz' column (H. Leipholz, Z. angew. Math. Phys. 13, 1962, 581: a cantilever under
// uniform tangential follower forces flutters at q L^3 = 40.05 E I).
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double young = 1e6, length = 0.5, radius = 0.01, poisson = 0.5;

static double bending(void) { return young * M_PI * pow(radius, 4) / 4; }

// A horizontal rod with a strain, gravity and loads; Legendre or another basis.
static td_model *rod(const char *gravity, const char *strain, int points, const char *loads) {
  char text[2048];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"gravity\": %s, \"links\": [{\"name\": \"rod\", \"joint\": {\"type\":"
           " \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": \"circle\","
           " \"radius\": 0.01}, \"material\": {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000}, \"strain\": %s,"
           " \"quadrature\": {\"points\": %d}}}], \"loads\": [%s]}",
           gravity, strain, points, loads);
  return test_model_from_text(text);
}

typedef struct problem {
  td_model *model;
  td_workspace *ws;
  double q[48], u[8];
  td_se3 tip;
} problem;

static void open(problem *p, td_model *model) {
  *p = (problem){.model = model};
  ck_assert_int_eq(td_workspace_create(model, &p->ws), TD_OK);
}

static void close(problem *p) {
  td_workspace_destroy(p->ws);
  td_model_destroy(p->model);
}

static void solve(problem *p) {
  td_statics_options options;
  td_statics_result result;
  td_error error = {0};
  td_statics_defaults(&options);
  td_status status = td_statics_solve(p->model, p->ws, p->u, &options, p->q, &result, &error);
  ck_assert_msg(status == TD_OK && result.converged, "%s", error.message);
  ck_assert_int_eq(td_pose_at(p->model, p->ws, p->q, 0, 1, &p->tip), TD_OK);
}

static void at_tip(problem *p, td_model *model) {
  open(p, model);
  solve(p);
  close(p);
}

// w L^4 / 8 E I: the curvature w (L - X)^2 / 2 E I is a polynomial of degree 2.
START_TEST(a_uniform_load_bends_a_cantilever_as_in_the_textbooks) {
  problem p;
  const double w = 1e-6, deflection = w * pow(length, 4) / (8 * bending());
  at_tip(&p, rod("[0,0,0]", "{\"basis\": \"legendre\", \"order\": {\"bending_y\": 2}}", 6,
                 "{\"link\": \"rod\", \"per_length\": true, \"wrench\": [0,0,0,0,0,1e-6]}"));
  ck_assert_double_eq_tol(p.tip.p[2], deflection, 1e-8 * deflection);
}
END_TEST

// Tip deflection by a unit force's moment: L^2 / E I times the integral of M(s) (1 - s).
static double deflection_of(double from, double to, double w) {
  double sum = 0;
  const int count = 20000;
  for (int i = 0; i < count; i++) {
    double s = (i + 0.5) / count, beyond = fmax(0, to - fmax(s, from)), arm = 0.5 * (fmax(s, from) + to) - s;
    sum += w * length * length * beyond * arm * (1 - s) / count;
  }
  return sum * length * length / bending();
}

// Elements that end where the load does: their curvature is a polynomial in each, and so exact.
START_TEST(a_load_on_a_part_of_a_rod_bends_it_as_that_part_does) {
  static const double from[3] = {0.5, 0, 0.25}, to[3] = {1, 0.5, 0.75};
  for (int i = 0; i < 3; i++) {
    problem p;
    char load[256];
    const double w = 1e-6, expected = deflection_of(from[i], to[i], w);
    snprintf(load, sizeof load,
             "{\"link\": \"rod\", \"per_length\": true, \"from\": %g, \"to\": %g, \"wrench\": [0,0,0,0,0,%g]}", from[i],
             to[i], w);
    at_tip(&p, rod("[0,0,0]", "{\"basis\": \"quadratic\", \"order\": {\"bending_y\": 4}}", 4, load));
    ck_assert_msg(fabs(p.tip.p[2] - expected) < 1e-7 * expected, "[%g, %g]: %.15g, not %.15g", from[i], to[i],
                  p.tip.p[2], expected);
  }
}
END_TEST

START_TEST(a_load_that_ends_anywhere_is_met_by_strains_of_high_order) {
  static const double ends[2][2] = {{0.31, 0.77}, {0.9, 0.93}};
  for (int i = 0; i < 2; i++) {
    problem p;
    char load[256];
    const double w = 1e-6, expected = deflection_of(ends[i][0], ends[i][1], w);
    snprintf(load, sizeof load,
             "{\"link\": \"rod\", \"per_length\": true, \"from\": %g, \"to\": %g, \"wrench\": [0,0,0,0,0,%g]}",
             ends[i][0], ends[i][1], w);
    at_tip(&p, rod("[0,0,0]", "{\"basis\": \"legendre\", \"order\": {\"bending_y\": 8}}", 12, load));
    // a unit tip force's curvature is in the basis, so that its virtual work is exact but for the Magnus steps of order
    // 8
    ck_assert_msg(fabs(p.tip.p[2] - expected) < 1e-5 * expected, "[%g, %g]: %.15g, not %.15g", ends[i][0], ends[i][1],
                  p.tip.p[2], expected);
  }
}
END_TEST

// m L^2 / 2 G J, of any size: the twist per length m (L - X) / G J is linear.
START_TEST(a_distributed_torque_twists_a_shaft_as_in_the_textbooks) {
  problem p;
  const double m = 0.02, twist = m * length * length / 2 / (young / (2 * (1 + poisson)) * M_PI * pow(radius, 4) / 2);
  ck_assert_double_gt(twist, 0.2);
  at_tip(&p, rod("[0,0,0]", "{\"basis\": \"legendre\", \"order\": {\"torsion\": 1}}", 5,
                 "{\"link\": \"rod\", \"per_length\": true, \"frame\": \"body\", \"wrench\": [0.02,0,0,0,0,0]}"));
  ck_assert_double_eq_tol(atan2(p.tip.R[7], p.tip.R[4]), twist, 1e-12);
}
END_TEST

static const char weight[] =
    "{\"link\": \"rod\", \"per_length\": true, \"channels\": [null,null,null,null,null,\"w\"]}";

// rho A g per length is gravity: the same points, so the same to rounding, far from straight, in id and its
// derivatives.
START_TEST(a_load_of_the_rods_weight_per_length_is_gravity) {
  static const char *const strains[] = {
      "{\"basis\": \"legendre\", \"order\": {\"torsion\": 1, \"bending_y\": 3, \"bending_z\": 2, \"elongation\": 1}}",
      "{\"basis\": \"cubic\", \"order\": {\"bending_y\": 2, \"bending_z\": 3}}"};
  for (int k = 0; k < 2; k++) {
    problem by_gravity, by_load;
    static double id[2][48], dq[2][48 * 48];
    open(&by_gravity, rod("[0,0,-9.81]", strains[k], 6, ""));
    open(&by_load, rod("[0,0,0]", strains[k], 6, weight));
    by_load.u[0] = -1000 * M_PI * radius * radius * 9.81;
    int n = td_model_ndof(by_load.model);
    for (int i = 0; i < n; i++) by_gravity.q[i] = by_load.q[i] = 1.5 * sin(1 + 3 * i);
    problem *const both[2] = {&by_gravity, &by_load};
    for (int i = 0; i < 2; i++)
      ck_assert_int_eq(
          td_id_derivatives(both[i]->model, both[i]->ws, both[i]->q, NULL, NULL, both[i]->u, id[i], dq[i], NULL, NULL),
          TD_OK);
    for (int i = 0; i < n; i++) ck_assert_double_eq_tol(id[0][i], id[1][i], 1e-14);
    for (int i = 0; i < n * n; i++) ck_assert_double_eq_tol(dq[0][i], dq[1][i], 1e-13);
    close(&by_gravity), close(&by_load);
  }
}
END_TEST

// One stretch or three: what differs is the error of the rules, also where the rod is a hook.
START_TEST(a_load_cut_into_stretches_is_the_whole_load) {
  problem whole, parts;
  const char strain[] = "{\"basis\": \"legendre\", \"order\": {\"bending_y\": 4, \"bending_z\": 2}}";
  open(&whole, rod("[0,0,0]", strain, 12,
                   "{\"link\": \"rod\", \"per_length\": true, \"frame\": \"body\", \"wrench\": [0.01,0,0,0.1,0,0.3]}"));
  open(&parts,
       rod("[0,0,0]", strain, 12,
           "{\"link\": \"rod\", \"per_length\": true, \"frame\": \"body\", \"to\": 0.3, \"wrench\": "
           "[0.01,0,0,0.1,0,0.3]}, {\"link\": \"rod\", \"per_length\": true, \"frame\": \"body\", \"from\": 0.3, "
           "\"to\": 0.85, \"wrench\": [0.01,0,0,0.1,0,0.3]}, {\"link\": \"rod\", \"per_length\": true, "
           "\"frame\": \"body\", \"from\": 0.85, \"wrench\": [0.01,0,0,0.1,0,0.3]}"));
  double id[2][48], most = 0;
  const double q[8] = {2, 1, -0.5, 0.2, 0.1, 0.5, 0.3, -0.2};
  ck_assert_int_eq(td_inverse_dynamics(whole.model, whole.ws, q, NULL, NULL, NULL, id[0]), TD_OK);
  ck_assert_int_eq(td_inverse_dynamics(parts.model, parts.ws, q, NULL, NULL, NULL, id[1]), TD_OK);
  for (int i = 0; i < 8; i++) most = fmax(most, fabs(id[0][i]));
  for (int i = 0; i < 8; i++) ck_assert_double_eq_tol(id[0][i], id[1][i], 1e-5 * most);
  close(&whole), close(&parts);
}
END_TEST

// Eigenvalues of M^-1 K of the straight column: flutter where two of them meet and turn complex.
extern void dgeev_(const char *, const char *, const int *, double *, const int *, double *, double *, double *,
                   const int *, double *, const int *, double *, const int *, int *);
static bool flutters(problem *p, double q) {
  enum { MOST = 8 };
  double K[MOST * MOST], M[MOST * MOST], A[MOST * MOST], re[MOST], im[MOST], work[64], L[MOST][MOST] = {{0}};
  const int n = td_model_ndof(p->model), lwork = 64, one = 1;
  int info;
  p->u[0] = -q;
  ck_assert_int_eq(td_residual_derivatives(p->model, p->ws, p->q, NULL, NULL, p->u, NULL, K, NULL, M), TD_OK);
  for (int i = 0; i < n; i++) // Cholesky of M
    for (int j = 0; j <= i; j++) {
      double sum = M[i * n + j];
      for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
    }
  for (int c = 0; c < n; c++) { // A = M^-1 K, column by column
    double x[MOST];
    for (int i = 0; i < n; i++) {
      x[i] = K[i * n + c];
      for (int k = 0; k < i; k++) x[i] -= L[i][k] * x[k];
      x[i] /= L[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
      for (int k = i + 1; k < n; k++) x[i] -= L[k][i] * x[k];
      x[i] /= L[i][i];
    }
    for (int i = 0; i < n; i++) A[c * n + i] = x[i];
  }
  dgeev_("N", "N", &n, A, &n, re, im, NULL, &one, NULL, &one, work, &lwork, &info);
  ck_assert_int_eq(info, 0);
  for (int i = 0; i < n; i++)
    if (fabs(im[i]) > 1e-6 * fabs(re[i])) return true;
  return false;
}

START_TEST(leipholz_column_flutters_at_its_critical_load) {
  problem p;
  open(&p, rod("[0,0,0]", "{\"basis\": \"legendre\", \"order\": {\"bending_y\": 5}}", 10,
               "{\"link\": \"rod\", \"per_length\": true, \"frame\": \"body\", \"channels\": "
               "[null,null,null,\"q\",null,null]}"));
  double unit = bending() / pow(length, 3), low = 30 * unit, high = 50 * unit;
  ck_assert(!flutters(&p, low) && flutters(&p, high));
  while (high - low > 1e-4 * unit) {
    double middle = 0.5 * (low + high);
    *(flutters(&p, middle) ? &high : &low) = middle;
  }
  ck_assert_double_eq_tol(low / unit, 40.05, 0.06); // the section's rotary inertia takes 0.1 per cent of it
  close(&p);
}
END_TEST

START_TEST(distributed_loads_keep_the_energy_balance) {
  td_model *model = rod("[0,0,-9.81]",
                        "{\"basis\": \"legendre\", \"order\": {\"torsion\": 1, \"bending_y\": 3, "
                        "\"bending_z\": 2, \"elongation\": 0}}",
                        8,
                        "{\"link\": \"rod\", \"per_length\": true, \"frame\": \"body\", \"from\": 0.4, \"channels\": "
                        "[\"m\",null,null,null,\"f\",null]}, {\"link\": \"rod\", \"per_length\": true, \"to\": 0.7, "
                        "\"wrench\": [0,0,0,0,0.5,2]}");
  const td_input_spec inputs[2] = {
      {.channel = "m", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 0.01}},
      {.channel = "f", .signal = {.type = TD_SIGNAL_SINE, .offset = 0.5, .amplitude = 0.4, .frequency = 3}}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.5, NULL);
  spec.inputs = inputs;
  spec.input_count = 2;
  spec.integrator.rtol = 1e-8;
  spec.integrator.atol = 1e-10;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_gt(fabs(e->loads), 1e-3);
  ck_assert_msg(fabs(e->error) < 1e-6 * e->exchanged, "energy off by %g of %g J", e->error, e->exchanged);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("distributed_loads", a_uniform_load_bends_a_cantilever_as_in_the_textbooks,
          a_load_on_a_part_of_a_rod_bends_it_as_that_part_does,
          a_load_that_ends_anywhere_is_met_by_strains_of_high_order,
          a_distributed_torque_twists_a_shaft_as_in_the_textbooks, a_load_of_the_rods_weight_per_length_is_gravity,
          a_load_cut_into_stretches_is_the_whole_load, leipholz_column_flutters_at_its_critical_load,
          distributed_loads_keep_the_energy_balance)
