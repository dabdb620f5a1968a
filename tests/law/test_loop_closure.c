// Loops as runs measure them: closed wherever their joint goes, with slopes that are those of the rows A there, exact
// derivatives everywhere, and motions that are those of the same joint in a tree.
#include "constraint/loop_closure.h"
#include "support/closed.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 32 };

// ------------------------------------------------------------------------------------------------ derivatives

static double multipliers[ROWS];

static void terms(tree_state *s, const td_constraint_terms *out) {
  td_state state = closed_state(s);
  ck_assert_int_eq(td_constraint_terms_at(s->model, s->ws, &state, multipliers, out), TD_OK);
}
static void error_of(tree_state *s, double *out) { terms(s, &(td_constraint_terms){.e = out}); }
static void rate_of(tree_state *s, double *out) { terms(s, &(td_constraint_terms){.a = out}); }
static void balance_of(tree_state *s, double *out) { terms(s, &(td_constraint_terms){.residual = out}); }

static void negative(int count, double *x) {
  for (int i = 0; i < count; i++) x[i] = -x[i];
}

static void derivatives_of_a_robot(tree_state *s) {
  static double G[ROWS * STATE_MAX], Cq[ROWS * STATE_MAX], Cv[ROWS * STATE_MAX], K[STATE_MAX * STATE_MAX],
      expected[STATE_MAX * STATE_MAX];
  int r = td_model_loop_row_count(s->model), n = s->n;
  if (r == 0 || n == 0) return;
  s->ws->constraint.closure = true;
  td_loop_follow(s->model, s->ws, s->q, true);
  for (int i = 0; i < closed_multipliers(s); i++) multipliers[i] = sin(3 * i + 1);
  terms(s, &(td_constraint_terms){.G = G, .Cq = Cq, .Cv = Cv, .K = K});
  tree_difference(s, error_of, s->q, n, r, 1e-3, expected);
  tree_same(s, "de/dq", r, n, G, expected, 1e-9, 1e-9);
  tree_difference(s, rate_of, s->q, n, r, 1e-3, expected);
  tree_same(s, "da/dq", r, n, Cq, expected, 1e-8, 1e-8);
  tree_difference(s, rate_of, s->qd, n, r, 1e-2, expected);
  tree_same(s, "da/dqd", r, n, Cv, expected, 1e-8, 1e-8);
  tree_difference(s, balance_of, s->q, n, n, 1e-3, expected);
  negative(n * n, expected);
  tree_same(s, "K", n, n, K, expected, 1e-8, 1e-8);
}

START_TEST(slopes_of_closures_and_of_their_forces_are_exact) { closed_each(derivatives_of_a_robot); }
END_TEST

// ------------------------------------------------------------------------------------------------ free motions

static const char *const joints[] = {"revolute",  "prismatic", "helical",  "cylindrical",
                                     "universal", "planar",    "spherical"};
enum { JOINTS = sizeof joints / sizeof *joints };

// Twists whose exponentials the joint leaves free, of size 1; z is its axis, 0.02 m per rad its pitch.
static void free_twist(int joint, int k, double xi[6]) {
  static const double list[JOINTS][2][6] = {
      {{0, 0, 1, 0, 0, 0}, {0, 0, -1, 0, 0, 0}},
      {{0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, -1}},
      {{0, 0, 1, 0, 0, 0.02}, {0, 0, -1, 0, 0, -0.02}},
      {{0, 0, 1, 0, 0, 0.4}, {0, 0, 0.6, 0, 0, -1}},
      {{0.6, 0.8, 0, 0, 0, 0}, {-0.8, 0.6, 0, 0, 0, 0}},
      {{0, 0, 1, 0.3, -0.2, 0}, {0, 0, -0.5, 1, 0.4, 0}},
      {{0.6, 0, 0.8, 0, 0, 0}, {0.48, -0.6, 0.64, 0, 0, 0}},
  };
  memcpy(xi, list[joint][k], 6 * sizeof *xi);
}

static td_model *held_body(const char *joint) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0.7, 0, -9.81], \"links\": [{\"name\": \"body\", \"joint\": "
      "{\"type\": \"free\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.8, \"com\": [0.05, -0.02, -0.1], "
      "\"inertia\": [0.02, 0.03, 0.025]}}], \"loops\": [{\"joint\": {\"type\": \"%s\"%s%s}, \"a\": {\"link\": "
      "\"body\"}, \"b\": {\"link\": \"world\"}}]}",
      joint, strcmp(joint, "spherical") ? ", \"axis\": \"z\"" : "",
      strcmp(joint, "helical") ? "" : ", \"pitch\": 0.02");
  return test_model_from_text(text);
}

START_TEST(a_loop_is_closed_wherever_its_joint_goes_and_its_slope_is_its_rows) {
  for (int j = 0; j < JOINTS; j++) {
    td_model *model = held_body(joints[j]);
    td_workspace *ws;
    ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
    ws->constraint.closure = true;
    for (int k = 0; k < 2; k++)
      for (double size = 0.1; size < 6.2; size += 0.4) {
        double q[6], e[6], A[36], G[36];
        int r = td_model_loop_row_count(model);
        free_twist(j, k, q);
        for (int i = 0; i < 6; i++) q[i] *= size;
        td_loop_follow(model, ws, q, true);
        td_constraint_terms out = {.e = e, .A = A, .G = G};
        ck_assert_int_eq(td_constraint_terms_at(model, ws, &(td_state){.q = q}, NULL, &out), TD_OK);
        for (int i = 0; i < r; i++) ck_assert_msg(fabs(e[i]) < 1e-14, "%s at %g: e %g", joints[j], size, e[i]);
        for (int i = 0; i < 6 * r; i++)
          ck_assert_msg(fabs(A[i] - G[i]) < 1e-12, "%s at %g: A %g, de/dq %g", joints[j], size, A[i], G[i]);
      }
    td_workspace_destroy(ws);
    td_model_destroy(model);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ motions

// The same body on the joint itself.
static td_model *jointed_body(const char *joint) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0.7, 0, -9.81], \"links\": [{\"name\": \"body\", \"joint\": "
      "{\"type\": \"%s\"%s%s}, \"body\": {\"type\": \"rigid\", \"mass\": 0.8, \"com\": [0.05, -0.02, -0.1], "
      "\"inertia\": [0.02, 0.03, 0.025]}}]}",
      joint, strcmp(joint, "spherical") ? ", \"axis\": \"z\"" : "",
      strcmp(joint, "helical") ? "" : ", \"pitch\": 0.02");
  return test_model_from_text(text);
}

static double furthest(const recording *a, const recording *b) {
  double most = 0;
  ck_assert_uint_eq(a->count, b->count);
  for (size_t i = 0; i < a->count * a->row; i++) most = fmax(most, fabs(a->rows[i] - b->rows[i]));
  return most;
}

// A heavy nut on a steep screw, a body on a universal joint, one on a hinge: by every method and formulation.
START_TEST(a_loop_moves_as_its_joint_does_by_every_method_and_for_many_turns) {
  static const struct {
    const char *joint;
    double qd[6], joint_qd[2], t_end;
  } cases[] = {
      {"helical", {0, 0, 7, 0, 0, 0.14}, {7}, 4},
      {"universal", {2.0, -1.2, 0, 0, 0, 0}, {2.0, -1.2}, 1.2},
      {"revolute", {0, 0, 6, 0, 0, 0}, {6}, 4},
      {"cylindrical", {0, 0, 5, 0, 0, 0.5}, {5, 0.5}, 2},
  };
  static const char *const fields[] = {"poses:body"};
  static const double zero[6] = {0};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    td_model *joint = jointed_body(cases[c].joint), *loop = held_body(cases[c].joint);
    recording exact = {0};
    td_dynamics_spec spec = recording_job(joint, TD_METHOD_RK45, cases[c].t_end, zero);
    spec.qd = cases[c].joint_qd, spec.qd_count = (size_t)td_model_ndof(joint);
    spec.fields = fields, spec.field_count = 1;
    spec.integrator.rtol = spec.integrator.atol = 1e-10;
    recording_ok(&exact, joint, &spec);
    for (int m = 0; m < TD_METHOD_COUNT; m++)
      for (int formulation = 0; formulation < TD_FORMULATION_COUNT; formulation++) {
        bool family = m >= TD_METHOD_NEWMARK && m <= TD_METHOD_GENERALIZED_ALPHA;
        if (formulation && !family) continue;
        recording r = {0};
        spec = recording_job(loop, (td_method)m, cases[c].t_end, zero);
        spec.qd = cases[c].qd, spec.qd_count = 6;
        spec.fields = fields, spec.field_count = 1;
        spec.integrator.rtol = 1e-7;
        spec.integrator.formulation = family ? (td_formulation)formulation : TD_FORMULATION_AUTOMATIC;
        spec.integrator.h = m > TD_METHOD_DAE && m != TD_METHOD_RK45 ? 5e-4 : 0;
        recording_run(&r, loop, &spec, NULL);
        ck_assert_msg(r.status == TD_OK, "%s, %s: %s", cases[c].joint, td_method_name((td_method)m), r.error.message);
        double error = furthest(&r, &exact), most = m == TD_METHOD_EULER_IMPLICIT ? 0.2 : 2e-3;
        ck_assert_msg(error < most, "%s, %s, formulation %d: poses off by %g", cases[c].joint,
                      td_method_name((td_method)m), formulation, error);
        recording_free(&r);
      }
    recording_free(&exact);
    td_model_destroy(joint);
    td_model_destroy(loop);
  }
}
END_TEST

START_TEST(a_resumed_run_counts_the_turns_of_a_screw_on) {
  static const double zero[6] = {0}, qd[6] = {0, 0, 9, 0, 0, 0.18};
  td_model *model = held_body("helical");
  for (int m = 0; m < TD_METHOD_COUNT; m++) {
    td_dynamics_spec spec = recording_job(model, (td_method)m, 3, zero);
    spec.qd = qd, spec.qd_count = 6;
    if (m > TD_METHOD_DAE && m != TD_METHOD_RK45) spec.integrator.h = 1e-3;
    recording whole = {.checkpoint_dt = 0.5, .keep_at = 2}, rest = {.checkpoint_dt = 0.5, .keep_at = -1};
    recording_ok(&whole, model, &spec);
    recording_run(&rest, model, &spec, &whole);
    ck_assert_msg(rest.status == TD_OK, "%s: %s", td_method_name((td_method)m), rest.error.message);
    size_t from = whole.count - rest.count;
    ck_assert_mem_eq(rest.rows, whole.rows + from * whole.row, rest.count * rest.row * sizeof *rest.rows);
    recording_free(&whole);
    recording_free(&rest);
  }
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("loop_closure", slopes_of_closures_and_of_their_forces_are_exact,
          a_loop_is_closed_wherever_its_joint_goes_and_its_slope_is_its_rows,
          a_loop_moves_as_its_joint_does_by_every_method_and_for_many_turns,
          a_resumed_run_counts_the_turns_of_a_screw_on)
