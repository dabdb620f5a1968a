// What controllers do by numbers of the model: laws weigh the robot, so that with another robot they ask something else.
// Against laws made anew for robots whose numbers are moved.
#include "control/controller.h"
#include "support/controlled.h"
#include "support/model_file.h"
#include "support/suite.h"
#include "support/tree_state.h"
#include "tendril/gradient.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 9, M = 8, NUMBERS = 16, MOST = 4000 };

typedef struct place {
  const char *path;
  bool linear;
} place;

typedef struct weighed {
  json_t *document;
  const place *places;
  size_t count;
  td_model *model;
  td_parameters *numbers;
} weighed;

// The number at a path of keys and indices.
static json_t *find(json_t *at, const char *path) {
  char word[64];
  while (at && *path) {
    size_t length = strcspn(path, "/");
    snprintf(word, sizeof word, "%.*s", (int)length, path);
    at = json_is_array(at) ? json_array_get(at, strtoul(word, NULL, 10)) : json_object_get(at, word);
    path += length + (path[length] == '/');
  }
  ck_assert_msg(json_is_number(at), "no number at %s", path);
  return at;
}

static td_status freeze(void *context, size_t index, double value, td_model **model, td_error *err) {
  weighed *r = context;
  json_t *copy = json_deep_copy(r->document), *number = find(copy, r->places[index].path);
  if (json_is_integer(number)) json_integer_set(number, (json_int_t)value);
  if (json_is_real(number)) json_real_set(number, value);
  char *text = json_dumps(copy, JSON_REAL_PRECISION(17));
  td_status status = test_model_try(text, model, err);
  free(text);
  json_decref(copy);
  return status;
}

static double value_of(const weighed *r, size_t i) { return json_number_value(find(r->document, r->places[i].path)); }

static void robot_init(weighed *r, const char *document, const place *places, size_t count) {
  td_error err = {0};
  td_parameter list[NUMBERS];
  ck_assert_uint_le(count, NUMBERS);
  *r = (weighed){.document = json_loads(document, JSON_DECODE_INT_AS_REAL, NULL), .places = places, .count = count};
  ck_assert_msg(test_model_try(document, &r->model, &err) == TD_OK, "%s %s", err.pointer, err.message);
  for (size_t i = 0; i < count; i++) {
    double value = value_of(r, i);
    list[i] = (td_parameter){places[i].path, value, fabs(value), places[i].linear, -INFINITY, INFINITY};
  }
  ck_assert_msg(td_parameters_create(r->model, list, count, freeze, r, &r->numbers, &err) == TD_OK, "%s %s",
                err.pointer, err.message);
}

static void robot_fini(weighed *r) {
  td_parameters_destroy(r->numbers);
  td_model_destroy(r->model);
  json_decref(r->document);
}

typedef struct state {
  double q[N], qd[N], qdd[N];
  double t, t_side;
} state;

static void state_fill(state *x, const td_model *model, const char *name) {
  uint64_t seed = tree_seed(name);
  *x = (state){.t = 0.4, .t_side = 0.5};
  ck_assert_int_le(td_model_ndof(model), N);
  ck_assert_int_le(td_model_channel_count(model), M);
  tree_random_vector(&seed, 0.3, td_model_ndof(model), x->q);
  tree_random_vector(&seed, 1, td_model_ndof(model), x->qd);
}

static void ask(const td_model *model, const td_dynamics_spec *run, const state *x, double *u) {
  td_workspace *ws;
  td_inputs *inputs;
  td_control *control;
  td_error err = {0};
  double qdd[N] = {0}, motion[3];
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  ck_assert_int_eq(td_inputs_create(model, run->inputs, run->input_count, &inputs), TD_OK);
  ck_assert_int_eq(td_control_create(model, ws, inputs, run, NULL, &control, &err), TD_OK);
  for (int i = 0; i < td_model_prescribed_count(model); i++) {
    int channel, c = td_model_prescribed_coordinate(model, i, &channel);
    td_inputs_motion(inputs, channel, x->t, x->t_side, motion);
    qdd[c] = motion[2];
  }
  td_control_state at = {x->t, x->t_side, x->q, x->qd, qdd, TD_BAUMGARTE};
  td_inputs_eval(inputs, x->t, x->t_side, u);
  ck_assert_int_eq(td_control_eval(control, &at, u), TD_OK);
  td_control_destroy(control);
  td_inputs_destroy(inputs);
  td_workspace_destroy(ws);
}

// du of a number by differences of order 4.
static void differ(weighed *r, size_t i, const td_dynamics_spec *run, const state *x, double *du) {
  static const double weight[] = {1, -8, 8, -1}, at[] = {-2, -1, 1, 2};
  double h = 1e-3 * fabs(value_of(r, i)), u[M];
  memset(du, 0, M * sizeof *du);
  for (int k = 0; k < 4; k++) {
    td_model *model;
    td_error err = {0};
    ck_assert_msg(freeze(r, i, value_of(r, i) + at[k] * h, &model, &err) == TD_OK, "%s", err.message);
    ask(model, run, x, u);
    for (int c = 0; c < td_model_channel_count(model); c++) du[c] += weight[k] * u[c] / (12 * h);
    td_model_destroy(model);
  }
}

static void same_as_laws_for_moved_robots(const char *name, weighed *r, const td_controller_spec *laws, size_t count,
                                          const td_input_spec *inputs, size_t input_count) {
  static td_input_slope list[MOST];
  static const double *none[NUMBERS];
  td_dynamics_spec run = {.t_end = 1, .controllers = laws, .controller_count = count, .controller_list = true};
  state x;
  double u[M], want[M], most_ever = 0;
  td_error err = {0};
  td_law_numbers *numbers;
  td_integrator_defaults(&run.integrator);
  run.inputs = inputs, run.input_count = input_count;
  td_place root = td_place_root(&err);
  ck_assert_msg(td_controllers_check(&root, r->model, &run) == TD_OK, "%s: %s", err.pointer, err.message);
  ck_assert_msg(td_law_numbers_create(r->model, &run, r->numbers, NULL, none, r->count, &numbers, &err) == TD_OK,
                "%s: %s", err.pointer, err.message);
  ck_assert_uint_le(td_law_numbers_most(numbers), MOST);
  state_fill(&x, r->model, name);
  ask(r->model, &run, &x, u);
  td_input_moment at = {x.t, x.t_side, x.q, x.qd, u};
  size_t entries = td_law_numbers_at(numbers, &at, list);
  for (size_t i = 0; i < r->count; i++) {
    double got[M] = {0}, most = 0, rounding = 1e-13 / (1e-3 * fabs(value_of(r, i)));
    for (size_t k = 0; k < entries; k++)
      if (list[k].number == i) got[list[k].channel] += list[k].of[0];
    differ(r, i, &run, &x, want);
    for (int c = 0; c < M; c++) most = fmax(most, fabs(want[c]));
    for (int c = 0; c < M; c++)
      ck_assert_msg(fabs(got[c] - want[c]) <= 1e-7 * most + rounding * (1 + fabs(u[c])),
                    "%s: %s, channel %d: %.12g, not %.12g", name, r->places[i].path, c, got[c], want[c]);
    most_ever = fmax(most_ever, most);
  }
  ck_assert_msg(most_ever > 0, "%s looks at no number", name);
  td_law_numbers_destroy(numbers);
}

// ------------------------------------------------------------------------------------------------ robots and laws

static const place of_mixed[] = {{"gravity/2", true},
                                 {"links/0/body/mass", true},
                                 {"links/0/body/com/0", false},
                                 {"links/1/body/material/young", true},
                                 {"links/1/body/material/density", true},
                                 {"links/1/body/length", false},
                                 {"links/1/pose/translation/0", false},
                                 {"links/2/body/density", true},
                                 {"links/2/body/radius", false},
                                 {"actuators/1/routing/base/0", false},
                                 {"actuators/4/points/1/0", false},
                                 {"actuators/6/segments/0/points/0/2", false}},
                   of_fourbar[] = {{"gravity/2", true},
                                   {"links/1/body/mass", true},
                                   {"links/2/body/com/0", false},
                                   {"links/3/body/inertia/1", true},
                                   {"links/2/pose/translation/0", false},
                                   {"loops/0/b/pose/translation/2", false}};
static const char *const motor[] = {"motor"}, *const arm[] = {"t1", "t2", "t3"}, *const tail[] = {"t4", "t5", "t6"};
static const char *const bends[] = {"arm.bending_y[0]", "arm.bending_z[0]", "arm.elongation[0]"};
static const double knots[] = {0, 1}, rows[] = {0, 0.1, 0.2, 0.05, -0.1, 0.3};

static td_controller_spec law_of(td_controller_type type, const char *const *channels, size_t count,
                                 td_reference_space space) {
  td_controller_spec law = controlled_law(type, channels, count, space);
  controlled_reference(&law, 2, knots, rows, count);
  return law;
}

static td_controller_spec by_bends(td_controller_type type) {
  td_controller_spec law = law_of(type, arm, 3, TD_SPACE_JOINT);
  law.reference.coordinates = bends, law.reference.coordinate_count = 3;
  return law;
}

START_TEST(every_law_does_by_numbers_of_the_robot_what_laws_for_moved_robots_show) {
  struct {
    const char *name;
    td_controller_spec law;
  } cases[] = {
      {"pd_plus of a motor", law_of(TD_CONTROLLER_PD_PLUS, motor, 1, TD_SPACE_JOINT)},
      {"pd_plus of tendons by coordinates", by_bends(TD_CONTROLLER_PD_PLUS)},
      {"pd_plus of tendon lengths", law_of(TD_CONTROLLER_PD_PLUS, arm, 3, TD_SPACE_TENDON)},
      {"pd_plus of tendons through points", law_of(TD_CONTROLLER_PD_PLUS, tail, 3, TD_SPACE_TENDON)},
      {"computed_torque of a motor", law_of(TD_CONTROLLER_COMPUTED_TORQUE, motor, 1, TD_SPACE_JOINT)},
      {"computed_torque by tendons", by_bends(TD_CONTROLLER_COMPUTED_TORQUE)},
      {"linearisation of lengths", law_of(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, tail, 3, TD_SPACE_TENDON)},
  };
  weighed r;
  robot_init(&r, controlled_mixed_document(), of_mixed, sizeof of_mixed / sizeof *of_mixed);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    same_as_laws_for_moved_robots(cases[i].name, &r, &cases[i].law, 1, NULL, 0);
  robot_fini(&r);
}
END_TEST

// Those that linearise see what the others do; a law that gives what is written sees nothing.
START_TEST(several_laws_at_once) {
  td_controller_spec laws[3] = {law_of(TD_CONTROLLER_COMPUTED_TORQUE, motor, 1, TD_SPACE_JOINT),
                                law_of(TD_CONTROLLER_PD_PLUS, arm, 3, TD_SPACE_TENDON),
                                law_of(TD_CONTROLLER_PARTIAL_FEEDBACK_LINEARISATION, tail, 3, TD_SPACE_TENDON)};
  static const double pulls[] = {1, 2, 1.5, 2, 1, 1};
  weighed r;
  robot_init(&r, controlled_mixed_document(), of_mixed, sizeof of_mixed / sizeof *of_mixed);
  same_as_laws_for_moved_robots("three laws", &r, laws, 3, NULL, 0);
  laws[1].type = TD_CONTROLLER_FEED_FORWARD;
  laws[1].reference.space = TD_SPACE_INPUT;
  laws[1].reference.value = pulls;
  laws[1].kp = laws[1].kd = NULL, laws[1].kp_count = laws[1].kd_count = 0;
  same_as_laws_for_moved_robots("two laws and inputs as written", &r, laws, 3, NULL, 0);
  robot_fini(&r);
}
END_TEST

START_TEST(with_loops_and_joints_that_turn_as_prescribed) {
  static const char *const crank[] = {"crank"};
  const td_input_spec spin = {.channel = "spin",
                              .signal = {.type = TD_SIGNAL_SINE, .amplitude = 0.3, .frequency = 0.8}};
  td_controller_spec law = law_of(TD_CONTROLLER_COMPUTED_TORQUE, crank, 1, TD_SPACE_JOINT);
  weighed r;
  robot_init(&r, controlled_fourbar_document(), of_fourbar, sizeof of_fourbar / sizeof *of_fourbar);
  same_as_laws_for_moved_robots("computed_torque of a crank", &r, &law, 1, &spin, 1);
  law.type = TD_CONTROLLER_PD_PLUS;
  same_as_laws_for_moved_robots("pd_plus of a crank", &r, &law, 1, &spin, 1);
  robot_fini(&r);
}
END_TEST

// As many values as channels have one equilibrium near the last one; fewer leave it to the way there which one is found.
START_TEST(inversions_of_fewer_values_than_channels_are_refused) {
  td_controller_spec law = law_of(TD_CONTROLLER_PD_PLUS, arm, 3, TD_SPACE_TIP);
  td_dynamics_spec run = {.t_end = 1, .controllers = &law, .controller_count = 1};
  td_error err = {0};
  law.reference.width = 3;
  ck_assert_int_eq(td_law_numbers_check_model(&run, &err), TD_OK);
  law.reference.width = 2;
  ck_assert_int_eq(td_law_numbers_check_model(&run, &err), TD_UNSUPPORTED);
  ck_assert_str_eq(err.pointer, "/controller/reference/space");
}
END_TEST

TEST_MAIN("weighing_laws", every_law_does_by_numbers_of_the_robot_what_laws_for_moved_robots_show, several_laws_at_once,
          with_loops_and_joints_that_turn_as_prescribed, inversions_of_fewer_values_than_channels_are_refused)
