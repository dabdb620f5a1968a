// Laws of controllers at single states: what they ask makes the outputs accelerate as they should, and its derivatives
// are those that differences show.
#include "control/controller.h"
#include "force/tendon/tendon.h"
#include "support/controlled.h"
#include "support/suite.h"
#include "support/tree_state.h"
#include "tendril/dynamics.h"
#include "tendril/gradient.h"
#include <math.h>
#include <string.h>

enum { N = 9, M = 8 };
static const char *const motor[] = {"motor"}, *const arm[] = {"t1", "t2", "t3"}, *const tail[] = {"t4", "t5", "t6"},
                         *const all[] = {"motor", "t1", "t2", "t3", "t4", "t5"};
static const char *const bends[] = {"arm.bending_y[0]", "arm.bending_z[0]", "arm.elongation[0]"};
static const double knots[] = {0, 1}, rows[] = {0, 0.1, 0.2, 0.05, -0.1, 0.3, 0.4, 0.2, 0.25, 0.15, 0.12, -0.2};

// The rates of lengths are their derivatives along the motion.
static void length_rates(tree_state *s) {
  enum { MOST = 16 };
  static double g[2][MOST * STATE_MAX];
  double motion[MOST][3], length[MOST], q[STATE_MAX], step = 1e-5;
  int tendons = td_model_tendon_count(s->model);
  if (tendons == 0) return;
  ck_assert_int_le(tendons, MOST);
  TREE_OK(td_tendon_motion(s->model, s->ws, s->q, s->qd, s->qdd, motion));
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < s->n; i++) q[i] = s->q[i] + (side ? step : -step) * s->qd[i];
    TREE_OK(td_tendon_lengths(s->model, s->ws, q, length, g[side]));
  }
  for (int t = 0; t < tendons; t++) {
    double rate = 0, bend = 0;
    for (int i = 0; i < s->n; i++) {
      double a = g[0][t * s->n + i], b = g[1][t * s->n + i];
      rate += (a + b) / 2 * s->qd[i];
      bend += (b - a) / (2 * step) * s->qd[i] + (a + b) / 2 * s->qdd[i];
    }
    ck_assert_msg(fabs(motion[t][1] - rate) < 1e-8 * (1 + fabs(rate)), "%s: rate of tendon %d is %.12g, not %.12g",
                  s->name, t, motion[t][1], rate);
    ck_assert_msg(fabs(motion[t][2] - bend) < 1e-7 * (1 + fabs(bend)), "%s: second rate of %d is %.12g, not %.12g",
                  s->name, t, motion[t][2], bend);
  }
}

START_TEST(rates_of_tendon_lengths_are_derivatives_along_the_motion) { tree_state_each(length_rates); }
END_TEST

typedef struct bench {
  td_model *model;
  td_workspace *ws;
  td_inputs *inputs;
  td_control *control;
  double q[N], qd[N], qdd[N], u[M];
  td_control_state at;
  int n, m;
} bench;

static void bench_init(bench *b, td_model *model, const td_controller_spec *laws, size_t count) {
  *b = (bench){.model = model};
  uint64_t seed = tree_seed("controllers");
  b->n = td_model_ndof(b->model), b->m = td_model_channel_count(b->model);
  ck_assert_int_le(b->n, N);
  ck_assert_int_le(b->m, M);
  tree_random_vector(&seed, 0.3, b->n, b->q);
  tree_random_vector(&seed, 1, b->n, b->qd);
  td_dynamics_spec spec = {.t_end = 1, .controllers = laws, .controller_count = count, .controller_list = true};
  td_error err = {0};
  ck_assert_int_eq(td_workspace_create(b->model, &b->ws), TD_OK);
  ck_assert_int_eq(td_inputs_create(b->model, NULL, 0, &b->inputs), TD_OK);
  td_place root = td_place_root(&err);
  ck_assert_msg(td_controllers_check(&root, b->model, &spec) == TD_OK, "%s: %s", err.pointer, err.message);
  ck_assert_msg(td_control_create(b->model, b->ws, b->inputs, &spec, NULL, &b->control, &err) == TD_OK, "%s: %s",
                err.pointer, err.message);
  b->at = (td_control_state){.t = 0.4, .t_side = 0.5, .q = b->q, .qd = b->qd, .qdd = b->qdd};
}

static void bench_fini(bench *b) {
  td_control_destroy(b->control);
  td_inputs_destroy(b->inputs);
  td_workspace_destroy(b->ws);
  td_model_destroy(b->model);
}

static void bench_eval(bench *b, const double *q, const double *qd, double *u) {
  td_control_state at = b->at;
  at.q = q, at.qd = qd;
  for (int i = 0; i < b->m; i++) u[i] = 0;
  ck_assert_int_eq(td_control_eval(b->control, &at, u), TD_OK);
}

// du/dq and du/dqd against central differences, each row measured by its largest entry.
static void check_on(td_model *model, const char *name, const td_controller_spec *laws, size_t count) {
  bench b;
  double slope[2][M * N], x[N], low[M], high[M], step = 1e-6;
  bench_init(&b, model, laws, count);
  bench_eval(&b, b.q, b.qd, b.u);
  ck_assert_int_eq(td_control_derivatives(b.control, &b.at, b.u, slope[0], slope[1]), TD_OK);
  for (int pass = 0; pass < 2; pass++) {
    double most = 0;
    for (int i = 0; i < b.m * b.n; i++) most = fmax(most, fabs(slope[pass][i]));
    ck_assert_msg(most > 0, "%s has no derivatives", name);
    for (int j = 0; j < b.n; j++) {
      memcpy(x, pass ? b.qd : b.q, sizeof x);
      double at = x[j];
      x[j] = at + step;
      bench_eval(&b, pass ? b.q : x, pass ? x : b.qd, high);
      x[j] = at - step;
      bench_eval(&b, pass ? b.q : x, pass ? x : b.qd, low);
      for (int i = 0; i < b.m; i++) {
        double difference = (high[i] - low[i]) / (2 * step), got = slope[pass][i * b.n + j];
        ck_assert_msg(fabs(got - difference) < 2e-6 * most,
                      "%s: du%d/d%s%d is %.10g, differences say %.10g (largest %g)", name, i, pass ? "qd" : "q", j, got,
                      difference, most);
      }
    }
  }
  bench_fini(&b);
}

static void check_derivatives(const char *name, const td_controller_spec *laws, size_t count) {
  check_on(controlled_mixed(), name, laws, count);
}

static td_controller_spec law_of(td_controller_type type, const char *const *channels, size_t count,
                                 td_reference_space space) {
  td_controller_spec law = controlled_law(type, channels, count, space);
  controlled_reference(&law, 2, knots, rows, count);
  return law;
}

START_TEST(what_every_law_asks_has_the_derivatives_that_differences_show) {
  td_controller_spec joint = law_of(TD_CONTROLLER_PD_PLUS, motor, 1, TD_SPACE_JOINT);
  check_derivatives("pd_plus of a motor", &joint, 1);
  td_controller_spec named = law_of(TD_CONTROLLER_PD_PLUS, arm, 3, TD_SPACE_JOINT);
  named.reference.coordinates = bends, named.reference.coordinate_count = 3;
  check_derivatives("pd_plus of tendons by coordinates", &named, 1);
  td_controller_spec lengths = law_of(TD_CONTROLLER_PD_PLUS, arm, 3, TD_SPACE_TENDON);
  check_derivatives("pd_plus of tendon lengths", &lengths, 1);
  lengths.channels = tail;
  check_derivatives("pd_plus of tendons through points", &lengths, 1);
  td_controller_spec torque = law_of(TD_CONTROLLER_COMPUTED_TORQUE, motor, 1, TD_SPACE_JOINT);
  check_derivatives("computed_torque of a motor", &torque, 1);
  torque = law_of(TD_CONTROLLER_COMPUTED_TORQUE, arm, 3, TD_SPACE_JOINT);
  torque.reference.coordinates = bends, torque.reference.coordinate_count = 3;
  check_derivatives("computed_torque by tendons", &torque, 1);
  td_controller_spec partial = law_of(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, arm, 3, TD_SPACE_TENDON);
  check_derivatives("linearisation of tendon lengths", &partial, 1);
  partial.channels = tail;
  check_derivatives("linearisation of tendons through points", &partial, 1);
}
END_TEST

START_TEST(several_controllers_at_once_have_the_derivatives_that_differences_show) {
  td_controller_spec laws[3] = {law_of(TD_CONTROLLER_COMPUTED_TORQUE, motor, 1, TD_SPACE_JOINT),
                                law_of(TD_CONTROLLER_PD_PLUS, arm, 3, TD_SPACE_TENDON),
                                law_of(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, tail, 3, TD_SPACE_TENDON)};
  check_derivatives("three controllers", laws, 3);
}
END_TEST

START_TEST(with_loops_and_prescribed_joints_derivatives_are_those_that_differences_show) {
  static const char *const crank[] = {"crank"};
  td_controller_spec torque = law_of(TD_CONTROLLER_COMPUTED_TORQUE, crank, 1, TD_SPACE_JOINT);
  check_on(controlled_fourbar(), "computed_torque of a crank", &torque, 1);
  torque.type = TD_CONTROLLER_PD_PLUS;
  check_on(controlled_fourbar(), "pd_plus of a crank", &torque, 1);
}
END_TEST

// ------------------------------------------------------------------------------------------------ numbers

typedef struct numbered {
  td_dynamics_spec run;
  bench b;
  double *number[64]; // those that inputs are differentiated by
  size_t count;
} numbered;

// The inputs at the state of the bench, laws made anew: their numbers may have changed.
static void numbered_eval(numbered *k, double *u) {
  td_inputs *inputs;
  td_control *control;
  td_error err = {0};
  ck_assert_int_eq(td_inputs_create(k->b.model, k->run.inputs, k->run.input_count, &inputs), TD_OK);
  ck_assert_int_eq(td_control_create(k->b.model, k->b.ws, inputs, &k->run, NULL, &control, &err), TD_OK);
  td_control_state at = k->b.at;
  at.baumgarte = TD_BAUMGARTE;
  td_inputs_eval(inputs, at.t, at.t_side, u);
  ck_assert_int_eq(td_control_eval(control, &at, u), TD_OK);
  td_control_destroy(control);
  td_inputs_destroy(inputs);
}

static void same_as_laws_made_anew(numbered *k) {
  enum { MOST = 1000 };
  static td_input_slope list[MOST];
  double low[M], high[M];
  td_error err = {0};
  td_law_numbers *numbers;
  ck_assert_msg(td_law_numbers_create(k->b.model, &k->run, NULL, NULL, (const double *const *)k->number, k->count,
                                      &numbers, &err) == TD_OK,
                "%s: %s", err.pointer, err.message);
  ck_assert_uint_le(td_law_numbers_most(numbers), MOST);
  numbered_eval(k, k->b.u);
  td_input_moment at = {k->b.at.t, k->b.at.t_side, k->b.q, k->b.qd, k->b.u};
  size_t count = td_law_numbers_at(numbers, &at, list);
  for (size_t i = 0; i < k->count; i++) {
    double before = *k->number[i], h = 1e-4 * fmax(1, fabs(before)), got[M] = {0}, most = 1e-3;
    for (size_t j = 0; j < count; j++)
      if (list[j].number == i) got[list[j].channel] += list[j].of[0];
    *k->number[i] = before + h;
    numbered_eval(k, high);
    *k->number[i] = before - h;
    numbered_eval(k, low);
    *k->number[i] = before;
    for (int c = 0; c < k->b.m; c++) most = fmax(most, fabs(high[c] - low[c]) / (2 * h));
    for (int c = 0; c < k->b.m; c++)
      ck_assert_msg(fabs(got[c] - (high[c] - low[c]) / (2 * h)) < 1e-6 * most,
                    "number %zu, channel %d: %.10g, not %.10g", i, c, got[c], (high[c] - low[c]) / (2 * h));
  }
  td_law_numbers_destroy(numbers);
}

START_TEST(numbers_of_laws_and_inputs_change_inputs_as_laws_that_are_made_anew_show) {
  static double t[] = {0, 0.3, 0.7, 1}, value[3][12], kp[3][3] = {{30}, {20}, {40, 50, 60}},
                kd[3][3] = {{5}, {4}, {7, 8, 9}};
  td_signal_spec swing = {.type = TD_SIGNAL_SINE, .offset = 2, .amplitude = 1, .frequency = 0.7, .phase = 0.4};
  td_controller_spec laws[3] = {law_of(TD_CONTROLLER_COMPUTED_TORQUE, motor, 1, TD_SPACE_JOINT),
                                law_of(TD_CONTROLLER_PD_PLUS, arm, 3, TD_SPACE_TENDON),
                                law_of(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, tail, 3, TD_SPACE_TENDON)};
  for (int pass = 0; pass < 2; pass++) {
    numbered k = {.count = 0};
    td_input_spec input = {.channel = "motor", .signal = swing};
    k.run = (td_dynamics_spec){.t_end = 1,
                               .controllers = laws + pass,
                               .controller_count = pass ? 2 : 3,
                               .controller_list = true,
                               .inputs = &input,
                               .input_count = (size_t)pass};
    td_integrator_defaults(&k.run.integrator);
    for (int i = 0; i < 3; i++) {
      td_controller_spec *law = &laws[i];
      for (int v = 0; v < 12; v++) value[i][v] = 0.2 + 0.05 * sin(v + i);
      law->kp = kp[i], law->kd = kd[i], law->kp_count = law->kd_count = i == 2 ? 3 : 1;
      controlled_reference(law, 4, t, value[i], law->channel_count);
      law->reference.interpolation = i == 1 ? TD_INTERPOLATION_SPLINE : TD_INTERPOLATION_CUBIC;
      if (i < pass) continue;
      for (size_t v = 0; v < 4 * law->channel_count; v++) k.number[k.count++] = &value[i][v];
      for (size_t v = 0; v < law->kp_count; v++) k.number[k.count++] = &kp[i][v], k.number[k.count++] = &kd[i][v];
    }
    if (pass) k.number[k.count++] = &input.signal.amplitude, k.number[k.count++] = &input.signal.frequency;
    bench_init(&k.b, controlled_mixed(), laws + pass, (size_t)(3 - pass));
    same_as_laws_made_anew(&k);
    bench_fini(&k.b);
  }
}
END_TEST

// y'' = y_ref'' + kd e' + kp e at a random state of the controlled robot.
START_TEST(linearised_outputs_accelerate_exactly_as_asked) {
  td_controller_spec laws[2] = {law_of(TD_CONTROLLER_COMPUTED_TORQUE, all, 1, TD_SPACE_JOINT),
                                law_of(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, all + 1, 5, TD_SPACE_TENDON)};
  bench b;
  double fd[N], motion[M][3];
  bench_init(&b, controlled_mixed(), laws, 2);
  bench_eval(&b, b.q, b.qd, b.u);
  ck_assert_int_eq(td_forward_dynamics(b.model, b.ws, b.q, b.qd, b.u, fd), TD_OK);
  const double *known = td_control_acceleration(b.control);
  ck_assert_msg(known != NULL, "accelerations are solved for twice");
  double most = 0;
  for (int i = 0; i < b.n; i++) most = fmax(most, fabs(fd[i]));
  for (int i = 0; i < b.n; i++) ck_assert_double_eq_tol(known[i], fd[i], 1e-10 * most);
  ck_assert_int_eq(td_tendon_motion(b.model, b.ws, b.q, b.qd, fd, motion), TD_OK);
  for (int i = 0; i < 6; i++) {
    double s = 0.4, from = i ? rows[i - 1] : rows[0], to = i ? rows[5 + i - 1] : rows[1], d = to - from;
    double reference[3] = {from + d * s * s * (3 - 2 * s), d * 6 * s * (1 - s), d * (6 - 12 * s)};
    double y[3] = {b.q[0], b.qd[0], fd[0]};
    if (i > 0) memcpy(y, motion[i - 1], sizeof y);
    double asked = reference[2] + 9 * (reference[1] - y[1]) + 40 * (reference[0] - y[0]);
    ck_assert_msg(fabs(y[2] - asked) < 1e-9 * (1 + fabs(asked)), "output %d accelerates at %.12g, asked %.12g", i, y[2],
                  asked);
  }
  bench_fini(&b);
}
END_TEST

START_TEST(accelerations_are_known_only_where_a_law_solved_for_them) {
  static const char *const crank[] = {"crank"};
  td_controller_spec regulator = law_of(TD_CONTROLLER_PD_PLUS, motor, 1, TD_SPACE_JOINT),
                     torque = law_of(TD_CONTROLLER_COMPUTED_TORQUE, crank, 1, TD_SPACE_JOINT);
  bench b;
  bench_init(&b, controlled_mixed(), &regulator, 1);
  bench_eval(&b, b.q, b.qd, b.u);
  ck_assert_ptr_null(td_control_acceleration(b.control));
  bench_fini(&b);
  bench_init(&b, controlled_fourbar(), &torque, 1); // its multipliers are wanted, too
  bench_eval(&b, b.q, b.qd, b.u);
  ck_assert_ptr_null(td_control_acceleration(b.control));
  bench_fini(&b);
  ck_assert_ptr_null(td_control_acceleration(NULL));
}
END_TEST

TEST_MAIN("controller_laws", rates_of_tendon_lengths_are_derivatives_along_the_motion,
          what_every_law_asks_has_the_derivatives_that_differences_show,
          several_controllers_at_once_have_the_derivatives_that_differences_show,
          with_loops_and_prescribed_joints_derivatives_are_those_that_differences_show,
          numbers_of_laws_and_inputs_change_inputs_as_laws_that_are_made_anew_show,
          linearised_outputs_accelerate_exactly_as_asked, accelerations_are_known_only_where_a_law_solved_for_them)
