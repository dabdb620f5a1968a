// Magnetised rods and bodies in fields: derivatives against differences, forces against the potential, the accounts of
// runs in fields that stand and turn, and what documents may not say. Values from elsewhere:
// published/oracle/magnets_in_a_field.json; a cantilever's closed forms: textbook/magnetic_catheter.py.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "support/tree_state.h"
#include <math.h>
#include <string.h>

typedef double vector[STATE_MAX];
typedef double matrix[STATE_MAX * STATE_MAX];

static matrix analytic, other, third, numeric;

static const int bends[6] = {0, 1, 1, -1, -1, -1}, all[6] = {0, 1, 0, 0, 0, 0};

static void magnetise_rod(td_rod_spec *rod, double x, double y, double z) {
  memcpy(rod->magnetisation, (double[3]){x, y, z}, sizeof rod->magnetisation);
}

static void magnetise(td_link_spec *link, double x, double y, double z) {
  memcpy(link->body.rigid.magnetisation, (double[3]){x, y, z}, sizeof link->body.rigid.magnetisation);
}

static void field(tree *t, const char *name, bool gradient) {
  t->actuators[t->spec.actuator_count++] =
      (td_actuator_spec){.name = name, .type = TD_ACTUATOR_FIELD, .gradient = gradient};
}

// A chain with a child off the tip of a rod, and a body that floats by itself.
static void chain(tree *t, bool gradient) {
  magnetise_rod(tree_rod(tree_link(t, "arm", "world", TD_JOINT_REVOLUTE), TD_BASIS_LEGENDRE, bends), 4e3, -1e3, 2e3);
  td_link_spec *hand = tree_link(t, "hand", "arm", TD_JOINT_SPHERICAL);
  tree_rigid(hand, 0.3);
  magnetise(hand, 0.4, -0.2, 0.9);
  magnetise_rod(tree_rod(tree_link(t, "tail", "hand", TD_JOINT_FIXED), TD_BASIS_LINEAR, (int[6]){-1, 1, 1, -1, -1, -1}),
                0, 3e3, 0);
  td_link_spec *free = tree_link(t, "free", "world", TD_JOINT_FREE);
  tree_rigid(free, 0.5);
  magnetise(free, 1, 0.5, -0.3);
  tree_joint_actuator(t, "motor", "arm");
  field(t, "coil", gradient);
}

static void uniform(tree *t) { chain(t, false); }

static void graded(tree *t) {
  chain(t, true);
  field(t, "earth", false);
  tree_tendon(t, "cable");
  static const td_routing_spec straight = {.base = {0.01, 0}, .tip = {0.01, 0}};
  tree_route(t, &t->actuators[t->spec.actuator_count - 1], "arm", &straight);
}

// Where maps are general for another reason, and springs and reduced bodies stand beside.
static void in_water(tree *t) {
  td_link_spec *root = tree_link(t, "root", "world", TD_JOINT_REVOLUTE);
  tree_rigid(root, 0.4);
  tree_water(root);
  magnetise(root, 0.2, 0.6, -0.1);
  magnetise_rod(tree_rod(tree_link(t, "rod", "root", TD_JOINT_FIXED), TD_BASIS_LEGENDRE, all), 2e3, 0, -3e3);
  tree_reduced(tree_link(t, "finger", "rod", TD_JOINT_FIXED), TD_KINEMATICS_PCC);
  tree_spring(t, "world", 1, "rod", 1, "line");
  field(t, "coil", true);
}

static const struct {
  const char *name;
  void (*make)(tree *t);
} rows[] = {{"uniform", uniform}, {"graded", graded}, {"in_water", in_water}};

static void each(void (*law)(tree_state *s)) {
  static const double scales[2] = {0.5, 1.5};
  static tree t;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int k = 0; k < 2; k++) {
      tree_state s;
      tree_init(&t);
      rows[i].make(&t);
      tree_state_of(&s, &t, rows[i].name, scales[k]);
      law(&s);
      tree_state_close(&s);
    }
}

static void derivatives(tree_state *s) {
  vector fd;
  TREE_OK(td_force_derivatives(s->model, s->ws, s->q, s->qd, s->u, analytic, other, third));
  tree_difference(s, tree_tau, s->q, s->n, s->n, 2e-4, numeric);
  tree_same(s, "dtau_dq", s->n, s->n, analytic, numeric, 1e-7, 1e-8);
  tree_difference(s, tree_tau, s->u, s->m, s->n, 1e-2, numeric);
  tree_same(s, "dtau_du", s->n, s->m, third, numeric, 1e-8, 1e-9);
  TREE_OK(td_fd_derivatives(s->model, s->ws, s->q, s->qd, s->u, fd, analytic, other, third));
  tree_difference(s, tree_fd, s->q, s->n, s->n, 2e-4, numeric);
  tree_same(s, "dfd_dq", s->n, s->n, analytic, numeric, 1e-6, 1e-6);
  tree_difference(s, tree_fd, s->u, s->m, s->n, 1e-2, numeric);
  tree_same(s, "dfd_du", s->n, s->m, third, numeric, 1e-7, 1e-8);
}

START_TEST(derivatives_are_differences_with_and_without_a_gradient) { each(derivatives); }
END_TEST

static double potential(tree_state *s) {
  td_energy e;
  TREE_OK(td_state_energy(s->model, s->ws, &(td_state){.q = s->q, .u = s->u}, &e));
  ck_assert_int_eq(td_energy_kind_of(s->model, td_energy_count(s->model) - 1), TD_ENERGY_MAGNETIC);
  ck_assert_str_eq(td_energy_name(TD_ENERGY_MAGNETIC), "magnetic");
  ck_assert_double_eq(e.of[TD_ENERGY_MAGNETIC], e.magnetic);
  return e.magnetic;
}

static void magnetic_energy(tree_state *s, double *out) { *out = potential(s); }

// tau of the field alone: what its channels add.
static void forces_are_slopes(tree_state *s) {
  vector with, without, kept;
  tree_difference(s, magnetic_energy, s->q, s->n, 1, 2e-4, numeric);
  tree_tau(s, with);
  memcpy(kept, s->u, sizeof kept);
  for (int c = 0; c < s->m; c++)
    if (strchr(td_model_channel_name(s->model, c), '[') && strncmp(td_model_channel_name(s->model, c), "motor", 5))
      s->u[c] = 0;
  ck_assert_double_eq(potential(s), 0);
  tree_tau(s, without);
  for (int i = 0; i < s->n; i++) with[i] -= without[i], numeric[i] = -numeric[i];
  memcpy(s->u, kept, sizeof kept);
  // a spring's rest is no field, so that only the field's part is left
  tree_same(s, "tau", 1, s->n, with, numeric, 1e-7, 1e-8);
}

START_TEST(forces_of_a_field_are_the_slopes_of_its_potential) { each(forces_are_slopes); }
END_TEST

// ------------------------------------------------------------------------------------------------ runs

#define NEEDLE                                                                                                         \
  "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"needle\", \"joint\": {\"type\": \"revolute\", "          \
  "\"axis\": "                                                                                                         \
  "\"z\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.1, \"inertia\": [1e-4, 1e-4, 2e-4], \"magnetisation\": [0.5, "  \
  "0, 0]}}, {\"name\": \"whip\", \"parent\": \"needle\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": "      \
  "\"rod\", \"length\": 0.1, \"section\": {\"shape\": \"circle\", \"radius\": 0.002}, \"material\": {\"young\": 1e6, " \
  "\"poisson\": 0.5, \"density\": 1500, \"viscosity\": 200}, \"strain\": {\"basis\": \"legendre\", \"order\": "        \
  "{\"bending_z\": 1}}, \"magnetisation\": [1e4, 0, 0]}}], \"actuators\": [{\"name\": \"B\", \"type\": \"field\", "    \
  "\"gradient\": true}]}"

static void run(recording *r, const td_model *model, td_signal_spec x, td_signal_spec y) {
  static const double q[3] = {0.7, 0, 0};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RK45, 1, q);
  td_input_spec inputs[3] = {{.channel = "B[x]", .signal = x},
                             {.channel = "B[y]", .signal = y},
                             {.channel = "B[xy]", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 0.2}}};
  spec.inputs = inputs, spec.input_count = 3;
  spec.integrator.rtol = 1e-9, spec.integrator.atol = 1e-11;
  recording_ok(r, model, &spec);
}

// In a field that stands nobody works: what motion gains the potential loses, less what the whip's damping takes.
START_TEST(a_field_that_stands_does_no_work_and_one_that_turns_pays_for_all) {
  td_model *model = test_model_from_text(NEEDLE);
  td_signal_spec steady = {.type = TD_SIGNAL_CONSTANT, .offset = 0.01},
                 sine = {.type = TD_SIGNAL_SINE, .amplitude = 0.01, .frequency = 3},
                 cosine = {.type = TD_SIGNAL_SINE, .amplitude = 0.01, .frequency = 3, .phase = 1.5707963267948966};
  recording r = {0};
  run(&r, model, steady, (td_signal_spec){.type = TD_SIGNAL_CONSTANT});
  const td_energy_balance *e = &r.statistics.energy;
  ck_assert_double_gt(fabs(e->magnetic), 1e-5);
  ck_assert_double_lt(fabs(e->actuation), 1e-7 * e->exchanged);
  ck_assert_double_lt(fabs(e->error), 1e-6 * e->exchanged);
  ck_assert_double_eq_tol(e->kinetic + e->elastic + e->magnetic, -e->dissipation, 1e-6 * e->exchanged);
  recording_free(&r);
  r = (recording){0};
  run(&r, model, cosine, sine);
  e = &r.statistics.energy;
  ck_assert_double_gt(fabs(e->actuation), 1e-5);
  ck_assert_double_lt(fabs(e->error), 1e-6 * e->exchanged);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// I q'' = -m B q about the field: the compass.
START_TEST(a_compass_swings_at_the_square_root_of_moment_times_field_by_inertia) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"needle\", \"joint\": {\"type\": \"revolute\", "
      "\"axis\": \"z\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.1, \"inertia\": [1e-4, 1e-4, 2e-4], "
      "\"magnetisation\": [0.5, 0, 0]}}], \"actuators\": [{\"name\": \"B\", \"type\": \"field\"}]}");
  td_workspace *ws;
  double q = 0, u[3] = {0.01, 0, 0}, dfd_dq, dfd_du[3];
  TREE_OK(td_workspace_create(model, &ws));
  TREE_OK(td_fd_derivatives(model, ws, &q, NULL, u, NULL, &dfd_dq, NULL, dfd_du));
  ck_assert_double_eq_tol(dfd_dq, -0.5 * 0.01 / 2e-4, 1e-12);
  ck_assert_double_eq_tol(dfd_du[1], 0.5 / 2e-4, 1e-9); // B across the needle turns it towards itself
  ck_assert_double_eq_tol(fabs(dfd_du[0]) + fabs(dfd_du[2]), 0, 1e-9);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ documents

static int idle(const char *json) {
  td_model *model = test_model_from_text(json);
  const td_warnings *w = td_model_warnings(model);
  int count = 0;
  for (int i = 0; i < w->count; i++) count += !strcmp(w->list[i].code, "idle_force");
  td_model_destroy(model);
  return count;
}

#define BALL(more)                                                                                                     \
  "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"ball\", \"joint\": {\"type\": \"free\"}, \"body\": "     \
  "{\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1]" more                                                     \
  "}}], \"actuators\": [{\"name\": \"B\", \"type\": \"field\"}]}"

START_TEST(a_field_on_nothing_is_said_and_channels_have_their_names) {
  static const char *const names[8] = {"B[x]", "B[y]", "B[z]", "B[xx]", "B[xy]", "B[xz]", "B[yy]", "B[yz]"};
  ck_assert_int_eq(idle(BALL("")), 1);
  ck_assert_int_eq(idle(BALL(", \"magnetisation\": [0, 0, 1]")), 0);
  td_model *model = test_model_from_text(NEEDLE);
  ck_assert_int_eq(td_model_channel_count(model), 8);
  for (int i = 0; i < 8; i++) ck_assert_str_eq(td_model_channel_name(model, i), names[i]);
  td_model_destroy(model);
  td_error err = {0};
  ck_assert_int_eq(test_model_try(BALL(", \"magnetisation\": [0, 1]"), &model, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/links/0/body/magnetisation");
}
END_TEST

TEST_MAIN("magnetism", derivatives_are_differences_with_and_without_a_gradient,
          forces_of_a_field_are_the_slopes_of_its_potential,
          a_field_that_stands_does_no_work_and_one_that_turns_pays_for_all,
          a_compass_swings_at_the_square_root_of_moment_times_field_by_inertia,
          a_field_on_nothing_is_said_and_channels_have_their_names)
