// Equilibria of robots whose prescribed joints turn: runs that start there stay there, turn after turn, and where none
// lasts it is said.
#include "support/controlled.h"
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 4096 };
static const double G = 9.81;

#define HEAD "{\"format\": \"tendril.model/1\", \"gravity\": %s, \"links\": ["
// A hub about z, and what sets it in motion.
#define HUB                                                                                                            \
  "{\"name\": \"hub\", \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"body\": {\"type\": \"rigid\", "         \
  "\"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}}"
#define TURN "{\"name\": \"h\", \"type\": \"joint\", \"link\": \"hub\", \"mode\": \"position\"}"
// A point mass of 1 kg on 0.3 m, `at` from the hub's axis, that swings in the plane of the axis; at q = 0 it hangs.
#define BOB(at)                                                                                                        \
  "{\"name\": \"bob\", \"parent\": \"hub\", \"pose\": {\"translation\": [" at ", 0, 0]}, \"joint\": {\"type\": "       \
  "\"revolute\", \"axis\": \"-y\", \"damping\": 0.01}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, 0, "  \
  "-0.3], \"inertia\": [0, 0, 0]}}"
#define DOWN "[0, 0, -9.81]"

static const char PENDULUM[] = HEAD HUB ", " BOB("0.1") "], \"actuators\": [" TURN "]}";
static const char IN_THE_AXIS[] = HEAD HUB ", " BOB("0") "], \"actuators\": [" TURN "]}";

static td_model *robot(const char *form, const char *gravity) {
  char text[MOST];
  ck_assert_int_lt(snprintf(text, sizeof text, form, gravity), MOST);
  return test_model_from_text(text);
}

static td_signal_spec turning(const double c[2]) {
  return (td_signal_spec){.type = TD_SIGNAL_POLYNOMIAL, .value = c, .count = 2};
}

static td_dynamics_spec job_for(const td_model *model, double t_end, const td_input_spec *inputs, size_t count) {
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, t_end, NULL);
  spec.initial = TD_INITIAL_EQUILIBRIUM;
  spec.inputs = inputs, spec.input_count = count;
  return spec;
}

static int said(const td_warnings *w, const char *code, const char *pointer) {
  int count = 0;
  for (int i = 0; i < w->count; i++)
    count += !strcmp(w->list[i].code, code) && (!pointer || !strcmp(w->list[i].pointer, pointer));
  return count;
}

static void silent(const td_warnings *w) {
  for (int i = 0; i < w->count; i++) ck_abort_msg("%s: %s", w->list[i].code, w->list[i].detail);
}

// All samples of q [n] have the free coordinates of the first one; `driven` are the first ones. qd, if it is there,
// follows q.
static void stays(const recording *r, size_t driven, size_t n, double most) {
  for (size_t i = 0; i < r->count; i++)
    for (size_t k = driven; k < n; k++)
      ck_assert_msg(fabs(r->rows[i * r->row + k] - r->rows[k]) < most, "t = %g: coordinate %zu is %.12g, was %.12g",
                    r->t[i], k, r->rows[i * r->row + k], r->rows[k]);
}

// ------------------------------------------------------------------------------------------------ it lasts

// tan(a) g = w^2 (R + l sin a)
static double conical(double w, double radius, double length) {
  double low = 0, high = M_PI / 2;
  for (int i = 0; i < 60; i++) {
    double a = 0.5 * (low + high);
    if (tan(a) * G < w * w * (radius + length * sin(a)))
      low = a;
    else
      high = a;
  }
  return low;
}

START_TEST(a_run_from_the_equilibrium_of_a_hub_that_turns_stays_there) {
  static const double c[] = {0.4, 7};
  static const double ramp_t[] = {0, 9}, ramp_value[] = {0.4, 0.4 + 63};
  const td_signal_spec signals[] = {turning(c), {.type = TD_SIGNAL_RAMP, .t = ramp_t, .value = ramp_value, .count = 2}};
  td_model *model = robot(PENDULUM, DOWN);
  for (int i = 0; i < 2; i++) {
    const td_input_spec turn = {.channel = "h", .signal = signals[i]};
    td_dynamics_spec spec = job_for(model, 4, &turn, 1);
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_double_eq_tol(r.rows[1], conical(7, 0.1, 0.3), 1e-9);
    ck_assert_double_eq_tol(recording_last(&r)[0], 0.4 + 4 * 7, 1e-9);
    stays(&r, 1, 2, 1e-7);
    silent(&r.statistics.warnings);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// tests/textbook/turning_hubs.py: distance from the axis and depth of the tip, m.
static const char BLADE[] = HEAD HUB
    ", {\"name\": \"blade\", \"parent\": \"hub\", \"pose\": {\"translation\": [0.1, 0, 0], \"rpy\": [0, "
    "1.5707963267948966, 0]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.6, "
    "\"section\": {\"shape\": \"circle\","
    " \"radius\": 0.004}, \"material\": {\"young\": 1e8, \"poisson\": 0.5, \"density\": 1100, \"viscosity\": 1e5},"
    " \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 9}}}}, {\"name\": \"tip\", \"parent\":"
    " \"blade\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.02, \"inertia\": [0, 0, "
    "0]}}], \"actuators\": [" TURN "]}";

// An arm on a motor about a horizontal axis: nothing is free, and steps may be as long as they like. What the motor
// takes goes up and down with each turn.
START_TEST(what_a_motor_takes_over_steps_of_many_turns_is_accounted_for) {
  static const char arm[] =
      HEAD "{\"name\": \"hub\", \"joint\": {\"type\": \"revolute\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", "
           "\"mass\": 1, \"com\": [0, 0, -0.3], \"inertia\": [0.01, 0.01, 0.01]}}], \"actuators\": [" TURN "]}";
  td_model *model = robot(arm, DOWN);
  static const double rate[2] = {0, 8};
  td_input_spec inputs[1] = {{.channel = "h", .signal = turning(rate)}};
  for (int m = TD_METHOD_AUTOMATIC; m < TD_METHOD_COUNT; m++) {
    if (m == TD_METHOD_EULER_IMPLICIT) continue;
    td_dynamics_spec spec = job_for(model, 30, inputs, 1);
    spec.initial = TD_INITIAL_ZERO;
    spec.integrator.method = (td_method)m;
    spec.integrator.adaptive = m >= TD_METHOD_NEWMARK && m <= TD_METHOD_GENERALIZED_ALPHA;
    recording r = {0};
    recording_ok(&r, model, &spec);
    silent(&r.statistics.warnings);
    double work = G * 0.3 * (1 - cos(240)), found = r.statistics.energy.prescribed;
    ck_assert_msg(fabs(found - work) < (spec.integrator.adaptive ? 0.5 : 1e-3), "%s: %g J of %g",
                  m < 0 ? "default" : td_method_name((td_method)m), found, work);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_blade_has_the_shape_that_finite_differences_have) {
  static const double speed[] = {4, 8}, tip[][2] = {{0.21697727, 0.58681287}, {0.58862558, 0.29365478}};
  static const char *const fields[] = {"q", "poses:blade@1"};
  td_model *model = robot(BLADE, DOWN);
  for (int i = 0; i < 2; i++) {
    const double c[] = {0, speed[i]};
    const td_input_spec turn = {.channel = "h", .signal = turning(c)};
    td_dynamics_spec spec = job_for(model, 3, &turn, 1);
    spec.fields = fields;
    spec.field_count = 2;
    recording r = {0};
    recording_ok(&r, model, &spec);
    size_t n = (size_t)td_model_ndof(model);
    for (size_t k = 0; k < r.count; k++) {
      const double *pose = r.rows + k * r.row + n;
      ck_assert_double_eq_tol(hypot(pose[3], pose[7]), tip[i][0], 1e-5);
      ck_assert_double_eq_tol(-pose[11], tip[i][1], 1e-5);
    }
    stays(&r, 1, n, 1e-6);
    silent(&r.statistics.warnings);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// Watt's governor, one side of it: a ball of 1 kg on an arm of 0.4 m, a light link of 0.4 m from it to a collar of 0.5
// kg on the axis. At q = 0 the arm is at 60 degrees. cos(a) = (m + 2 M) g / (m w^2 l).
static const char GOVERNOR[] = HEAD HUB
    ", {\"name\": \"arm\", \"parent\": \"hub\", \"pose\": {\"rpy\": [0, 0.5235987755982988, 0]}, \"joint\": {\"type\": "
    "\"revolute\", \"axis\": \"y\", \"damping\": 0.01}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0.4, 0, "
    "0],"
    " \"inertia\": [0, 0, 0]}}, {\"name\": \"link\", \"parent\": \"arm\", \"pose\": {\"translation\": [0.4, 0, 0], "
    "\"rpy\": "
    "[0, 2.0943951023931953, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": "
    "\"rigid\", "
    "\"mass\": 1e-7, \"com\": [0.2, 0, 0], \"inertia\": [1e-9, 1e-9, 1e-9]}}, {\"name\": \"collar\", \"parent\": "
    "\"hub\", "
    "\"pose\": {\"translation\": [0, 0, -0.4]}, \"joint\": {\"type\": \"prismatic\", \"axis\": \"z\"}, \"body\": "
    "{\"type\": "
    "\"rigid\", \"mass\": 0.5, \"inertia\": [1e-4, 1e-4, 1e-4]}}], \"loops\": [{\"name\": \"pin\", \"a\": {\"link\": "
    "\"link\", \"pose\": {\"translation\": [0.4, 0, 0]}}, \"b\": {\"link\": \"collar\"}, \"joint\": {\"type\": "
    "\"%s\"%s}}], "
    "\"actuators\": [" TURN "]}";

static td_model *governor(bool universal) {
  char text[MOST];
  snprintf(text, sizeof text, GOVERNOR, DOWN, universal ? "universal" : "revolute",
           universal ? ", \"axis\": \"x\"" : ", \"axis\": \"y\"");
  return test_model_from_text(text);
}

START_TEST(loops_that_turn_with_the_hub_are_in_equilibrium_with_it) {
  static const double w = 9, c[] = {0, 9};
  const td_input_spec turn = {.channel = "h", .signal = turning(c)};
  for (int universal = 0; universal < 2; universal++) {
    td_model *model = governor(universal);
    td_dynamics_spec spec = job_for(model, 2, &turn, 1);
    recording r = {0};
    recording_ok(&r, model, &spec);
    double a = acos((1 + 2 * 0.5) * G / (w * w * 0.4)); // from the vertical; q counts from 60 degrees, downwards
    ck_assert_double_eq_tol(r.rows[1], M_PI / 3 - a, 1e-6);
    ck_assert_double_eq_tol(r.rows[3], 0.4 - 0.8 * cos(a), 1e-6);
    stays(&r, 1, 4, 1e-6);
    silent(&r.statistics.warnings);
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// A motor on the tip of a rod that sticks out level, with a disc that is in balance, and with a screw in it.
static const char MOTOR[] = HEAD
    "{\"name\": \"rod\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.4, \"section\": "
    "{\"shape\": \"circle\", "
    "\"radius\": "
    "0.005}, \"material\": {\"young\": 1e8, \"poisson\": 0.4, \"density\": 1100, \"viscosity\": 1e5}, \"strain\": "
    "{\"basis\": \"legendre\", \"order\": {\"bending_y\": 3, \"bending_z\": 3}}}}, {\"name\": \"disc\", \"parent\": "
    "\"rod\", \"joint\": {\"type\": \"revolute\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.1, "
    "\"com\": "
    "[0, 0, %s], \"inertia\": [1e-4, 5e-5, 5e-5]}}], \"actuators\": [{\"name\": \"h\", \"type\": \"joint\", \"link\": "
    "\"disc\", \"mode\": \"position\"}]}";

START_TEST(a_disc_in_balance_turns_at_the_tip_of_a_rod_and_one_with_a_screw_shakes_it) {
  static const double c[] = {0, 40};
  const td_input_spec turn = {.channel = "h", .signal = turning(c)};
  for (int screw = 0; screw < 2; screw++) {
    char text[MOST];
    snprintf(text, sizeof text, MOTOR, DOWN, screw ? "0.001" : "0");
    td_model *model = test_model_from_text(text);
    td_dynamics_spec spec = job_for(model, 0.5, &turn, 1);
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_int_eq(said(&r.statistics.warnings, "passing_equilibrium", "/inputs/h"), screw);
    if (!screw) {
      silent(&r.statistics.warnings);
      for (size_t i = 0; i < r.count; i++) ck_assert_double_lt(fabs(r.rows[i * r.row] - r.rows[0]), 1e-7);
    }
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// ------------------------------------------------------------------------------------------------ it does not

typedef struct unlasting {
  const char *form, *gravity;
  td_signal_spec signal;
  const char *code; // NULL: nothing is said
} unlasting;

START_TEST(equilibria_that_do_not_last_are_named) {
  static const double steady[] = {0, 7}, rising[] = {0, 7, 0.5}, late[] = {0, 0, 2}, creeping[] = {0, 0.01};
  const td_signal_spec to_and_fro = {.type = TD_SIGNAL_SINE, .amplitude = 0.5, .frequency = 2},
                       from_rest = {.type = TD_SIGNAL_SINE, .amplitude = 0.5, .frequency = 2, .phase = M_PI / 2},
                       slow = {.type = TD_SIGNAL_SINE, .amplitude = 0.1, .frequency = 0.01},
                       spin_up = {.type = TD_SIGNAL_POLYNOMIAL, .value = rising, .count = 3},
                       start = {.type = TD_SIGNAL_POLYNOMIAL, .value = late, .count = 3};
  const unlasting cases[] = {{PENDULUM, "[0, 1, -9.7]", turning(steady), "passing_equilibrium"},
                             {PENDULUM, "[0, 1, -9.7]", turning(creeping), NULL}, // begins as that of a hub that stands
                             {PENDULUM, "[3.6e-5, 0, -9.81]", turning(steady), NULL}, // as of an axis turned by 1.5708
                             {PENDULUM, DOWN, spin_up, "passing_equilibrium"},
                             {PENDULUM, DOWN, to_and_fro, "rates_left_out"},
                             {PENDULUM, DOWN, from_rest, NULL},
                             {PENDULUM, DOWN, slow, NULL},
                             {PENDULUM, DOWN, start, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static const char *const codes[] = {"passing_equilibrium", "rates_left_out"};
    const td_input_spec turn = {.channel = "h", .signal = cases[i].signal};
    td_model *model = robot(cases[i].form, cases[i].gravity);
    td_dynamics_spec spec = job_for(model, 0.2, &turn, 1);
    recording r = {0};
    recording_ok(&r, model, &spec);
    for (int k = 0; k < 2; k++) {
      int want = cases[i].code && !strcmp(cases[i].code, codes[k]);
      ck_assert_msg(said(&r.statistics.warnings, codes[k], "/inputs/h") == want, "case %zu: %s", i, codes[k]);
    }
    if (cases[i].code && *cases[i].code == 'p') // balanced at t = 0: accelerations grow from 0
      ck_assert_double_lt(fabs(r.rows[r.row + 1] - r.rows[1]), 2e-3);
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// Water that flows along the axis flows past a hub that turns as it does past one that stands; across it, it does not.
static const char WET[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"fluid\": {\"density\": 1000, \"velocity\": %s}, "
    "\"links\": [" HUB
    ", {\"name\": \"bob\", \"parent\": \"hub\", \"pose\": {\"translation\": [0.1, 0, 0]}, \"joint\": "
    "{\"type\": \"universal\", \"axis\": \"z\", \"stiffness\": 0.5, \"damping\": 0.05}, \"body\": {\"type\": "
    "\"rigid\", "
    "\"mass\": 1, \"com\": [0, 0, -0.3], \"inertia\": [1e-3, 1e-3, 1e-3], \"hydrodynamics\": {\"drag\": [0, 0, 0, 2, "
    "2, 2], "
    "\"added_mass\": [0, 0, 0, 0.3, 0.3, 0.3], \"body_density\": 4000}}}], \"actuators\": [" TURN "]}";
// Two hubs, and what hangs from the second one.
static const char TWO[] = HEAD HUB
    ", {\"name\": \"second\", \"parent\": \"hub\", \"joint\": {\"type\": \"revolute\", \"axis\": \"%s\"}, \"body\": "
    "{\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}}, {\"name\": \"bob\", \"parent\": \"second\", "
    "\"pose\": {\"translation\": [0.1, 0, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"-y\", \"damping\": "
    "0.01}, "
    "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, 0, -0.3], \"inertia\": [0, 0, 0]}}], \"actuators\": "
    "[" TURN ", {\"name\": \"k\", \"type\": \"joint\", \"link\": \"second\", \"mode\": \"position\"}]}";

START_TEST(a_current_and_a_second_hub_are_looked_at_all_the_way_round) {
  static const double hub[] = {0, 3}, second[] = {0, 4};
  const td_input_spec turns[] = {{.channel = "h", .signal = turning(hub)}, {.channel = "k", .signal = turning(second)}};
  for (int i = 0; i < 4; i++) {
    bool wet = i < 2, lasts = i % 2 == 0;
    char text[MOST];
    if (wet)
      snprintf(text, sizeof text, WET, lasts ? "[0, 0, 0.4]" : "[0.4, 0, 0]");
    else
      snprintf(text, sizeof text, TWO, DOWN, lasts ? "z" : "x");
    td_model *model = test_model_from_text(text);
    td_dynamics_spec spec = job_for(model, 2, turns, wet ? 1 : 2);
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_msg(said(&r.statistics.warnings, "passing_equilibrium", "/inputs/h") == !lasts, "case %d", i);
    if (lasts) stays(&r, wet ? 1 : 2, (size_t)td_model_ndof(model), 1e-7);
    if (i == 2) ck_assert_double_eq_tol(r.rows[2], conical(7, 0.1, 0.3), 1e-9);
    if (i == 0) ck_assert_double_gt(fabs(r.rows[1]), 1e-3); // the drag holds it back
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

// Beyond w^2 = g / l what hangs in the axis swings out at the least push.
START_TEST(what_only_symmetry_keeps_in_the_axis_of_a_hub_is_not_left_silently) {
  static const double speed[] = {4, 8};
  td_model *model = robot(IN_THE_AXIS, DOWN);
  for (int fast = 0; fast < 2; fast++)
    for (int given = 0; given < 2; given++) {
      const double c[] = {0, speed[fast]};
      const td_input_spec turn = {.channel = "h", .signal = turning(c)};
      td_dynamics_spec spec = job_for(model, 3, &turn, 1);
      if (given) spec.initial = TD_INITIAL_ZERO;
      recording r = {0};
      recording_ok(&r, model, &spec);
      ck_assert_int_eq(said(&r.statistics.warnings, "unstable", "/initial/q"), fast);
      recording_free(&r);
    }
  td_model_destroy(model);
}
END_TEST

// A column on a joint that slows down and stands at the end.
START_TEST(what_only_symmetry_keeps_upright_on_a_joint_that_has_come_to_rest_is_not_left_silently) {
  static const double slowing[] = {0, 3, -0.5};
  const td_input_spec turn = {.channel = "h", .signal = {.type = TD_SIGNAL_POLYNOMIAL, .value = slowing, .count = 3}};
  td_model *model = robot(IN_THE_AXIS, "[0, 0, 9.81]");
  td_dynamics_spec spec = job_for(model, 3, &turn, 1);
  spec.initial = TD_INITIAL_ZERO;
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_int_eq(said(&r.statistics.warnings, "unstable", "/initial/q"), 1);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ linearisations

typedef struct linear {
  double q[9], qd[9], A[18 * 18];
  int n;
} linear;

static bool keep(void *context, size_t index, double t, const double *q, const double *qd, const double *u,
                 const double *A, const double *B) {
  linear *l = context;
  (void)index, (void)t, (void)u, (void)B;
  memcpy(l->q, q, (size_t)l->n * sizeof *q);
  memcpy(l->qd, qd, (size_t)l->n * sizeof *qd);
  memcpy(l->A, A, 4 * (size_t)(l->n * l->n) * sizeof *A);
  return true;
}

static linear linearised(const td_model *model, const td_input_spec *input, td_run_statistics *statistics) {
  linear l = {.n = td_model_ndof(model)};
  td_linearize_spec spec = {.at = TD_AT_EQUILIBRIUM, .run = {.inputs = input, .input_count = input != NULL}};
  td_integrator_defaults(&spec.run.integrator);
  td_linearize_hooks hooks = {.context = &l, .point = keep};
  td_error err = {0};
  ck_assert_msg(td_linearize_run(model, &spec, &hooks, statistics, &err) == TD_OK, "%s", err.message);
  return l;
}

// Lagrange's equation in a: w^2 sin^2(a) m / (m + 4 M sin^2(a)) is the square of the frequency; the arm's damping acts
// in all coordinates.
START_TEST(small_motions_of_a_governor_have_its_frequency) {
  static const double w = 9, c[] = {0, 9};
  const td_input_spec turn = {.channel = "h", .signal = turning(c)};
  for (int universal = 0; universal < 2; universal++) {
    td_run_statistics statistics;
    td_model *model = governor(universal);
    linear l = linearised(model, &turn, &statistics);
    double a = acos((1 + 2 * 0.5) * G / (w * w * 0.4)), s2 = sin(a) * sin(a), square = w * w * s2 / (1 + 2 * s2);
    const double way[] = {0, -1, 2, 0.8 * sin(a)};
    ck_assert_double_eq(l.qd[0], w);
    ck_assert_double_eq_tol(l.q[1], M_PI / 3 - a, 1e-6);
    for (int i = 0; i < 4; i++) {
      double sum = 0;
      for (int j = 0; j < 4; j++) sum += l.A[(4 + i) * 8 + j] * way[j];
      ck_assert_double_eq_tol(sum, -square * way[i], 1e-4 * square);
    }
    silent(&statistics.warnings);
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(a_ramp_that_begins_at_the_start_turns_from_there_on) {
  static const double t[] = {0, 10}, value[] = {0, 70};
  const td_input_spec turn = {.channel = "h", .signal = {.type = TD_SIGNAL_RAMP, .t = t, .value = value, .count = 2}};
  td_run_statistics statistics;
  td_model *model = robot(PENDULUM, DOWN);
  linear l = linearised(model, &turn, &statistics);
  ck_assert_double_eq_tol(l.qd[0], 7, 1e-12);
  ck_assert_double_eq_tol(l.q[1], conical(7, 0.1, 0.3), 1e-9);
  silent(&statistics.warnings);
  td_model_destroy(model);
}
END_TEST

// A wire of EA 1e7 to 1e8 N beside EI 0.01 to 10 N m^2 and 0.5 kg, out from a hub: where gravity goes round it, A
// changes with it in the coordinates that bend, however stiff those that stretch are; along the hub's axis it does not.
START_TEST(what_gravity_changes_in_soft_coordinates_is_seen_beside_stiff_ones) {
  static const double w[] = {0, 10}, length = 0.5, mass = 0.5;
  const td_input_spec turn = {.channel = "h", .signal = turning(w)};
  for (int i = 0; i < 16; i++) {
    double EA = i / 8 ? 1e8 : 1e7, EI = 0.01 * pow(10, i / 2 % 4), r = 2 * sqrt(EI / EA), area = M_PI * r * r;
    char text[MOST];
    snprintf(
        text, sizeof text,
        "{\"format\": \"tendril.model/1\", \"gravity\": %s, \"links\": [{\"name\": \"hub\", \"joint\": {\"type\": "
        "\"revolute\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}}, "
        "{\"name\": \"rod\", \"parent\": \"hub\", \"pose\": {\"rpy\": [0, -1.5707963267948966, 0]}, \"joint\": "
        "{\"type\": "
        "\"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": %g, \"section\": {\"shape\": \"circle\", \"radius\": "
        "%.17g}, "
        "\"material\": {\"young\": %.17g, \"poisson\": 0.3, \"density\": %.17g}, \"strain\": {\"basis\": \"legendre\", "
        "\"order\": {\"bending_y\": 2, \"bending_z\": 2, \"elongation\": 1}}}}], \"actuators\": [" TURN "]}",
        i % 2 ? "[-9.81, 0, 0]" : DOWN, length, r, EA / area, mass / (length * area));
    td_run_statistics statistics;
    td_model *model = test_model_from_text(text);
    (void)linearised(model, &turn, &statistics);
    ck_assert_msg(said(&statistics.warnings, "rates_left_out", "/inputs/h") == !(i % 2), "EA %g, EI %g, %s", EA, EI,
                  i % 2 ? "along the axis" : "across it");
    td_model_destroy(model);
  }
}
END_TEST

// A slide that goes to and fro changes neither equilibrium nor A; a hub that does changes both.
START_TEST(a_slide_that_goes_to_and_fro_leaves_nothing_out) {
  static const char sled[] =
      HEAD "{\"name\": \"hub\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", "
           "\"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}}, " BOB("0.1") "], \"actuators\": [" TURN "]}";
  const td_input_spec shake = {.channel = "h", .signal = {.type = TD_SIGNAL_SINE, .amplitude = 0.1, .frequency = 5}};
  for (int hub = 0; hub < 2; hub++) {
    td_run_statistics statistics;
    td_model *model = robot(hub ? PENDULUM : sled, DOWN);
    (void)linearised(model, &shake, &statistics);
    ck_assert_int_eq(said(&statistics.warnings, "rates_left_out", "/inputs/h"), hub);
    td_model_destroy(model);
  }
}
END_TEST

// What hangs in the axis of a hub, as a state that is given: A has w^2 - g / l there.
START_TEST(a_state_given_at_rest_in_a_hub_that_turns_too_fast_is_called_unstable) {
  static const double speed[] = {4, 8};
  td_model *model = robot(IN_THE_AXIS, DOWN);
  for (int fast = 0; fast < 2; fast++) {
    const double q[2] = {0, 0}, qd[2] = {speed[fast], 0};
    td_linearize_spec spec = {.at = TD_AT_STATE, .q = q, .q_count = 2, .qd = qd, .qd_count = 2};
    td_integrator_defaults(&spec.run.integrator);
    td_run_statistics statistics;
    td_error err = {0};
    ck_assert_msg(td_linearize_run(model, &spec, NULL, &statistics, &err) == TD_OK, "%s", err.message);
    ck_assert_int_eq(said(&statistics.warnings, "unstable", "/at"), fast);
  }
  td_model_destroy(model);
}
END_TEST

// A joint that moves to and fro keeps its rate for as long as a run may be short; the start hangs on that of no run.
START_TEST(where_a_run_starts_does_not_hang_on_when_it_ends) {
  const td_input_spec turn = {.channel = "h", .signal = {.type = TD_SIGNAL_SINE, .amplitude = 0.5, .frequency = 2}};
  td_model *model = robot(PENDULUM, DOWN);
  for (double t_end = 1e-4; t_end < 1; t_end *= 10) {
    td_dynamics_spec spec = job_for(model, t_end, &turn, 1);
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_double_eq_tol(r.rows[1], 0, 1e-12);
    ck_assert_int_eq(said(&r.statistics.warnings, "rates_left_out", "/inputs/h"), 1);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// -------------------------------------------------------------------------------------------- coefficients that repeat

// A flap on a rotor whose axis lies level, gravity across it:
//     (I + m l^2) q'' + c q' + (k + m l^2 w^2 + m g l cos(w t)) q = 0.
static const char FLAP[] =
    HEAD "{\"name\": \"hub\", \"joint\": {\"type\": \"revolute\", \"axis\": \"x\"}}, {\"name\": \"blade\", \"parent\": "
         "\"hub\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"stiffness\": 3.68, \"damping\": 0.05}, "
         "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, 0, -0.3], \"inertia\": [0.25, 0.5, 0.25]}}], "
         "\"actuators\": [" TURN "]}";
// 1 kg on slides in a hub, and between springs of the world, of k along x and 100 N/m along y.
#define SPRING(x, y, k)                                                                                                \
  "{\"a\": {\"link\": \"world\", \"pose\": {\"translation\": [" x ", " y ", 0]}}, \"b\": {\"link\": \"y\"}, "          \
  "\"stiffness\": " k ", \"rest\": 5}"
#define ROTOR(k)                                                                                                       \
  HEAD "{\"name\": \"hub\", \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}}, {\"name\": \"x\", \"parent\": "     \
       "\"hub\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", \"damping\": 0.2, \"stiffness\": 10}}, "        \
       "{\"name\": \"y\", \"parent\": \"x\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"y\", \"damping\": 0.2, " \
       "\"stiffness\": 10}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [0.001, 0.001, 0.001]}}], "      \
       "\"springs\": [" SPRING("5", "0", k) ", " SPRING("-5", "0", k) ", " SPRING("0", "5", "50") ", " SPRING(         \
           "0", "-5", "50") "], \"actuators\": [" TURN "]}"
// A plate that is no disc, on a rod that does not turn: its inertia is another one about each of the rod's directions.
#define PLATE(iy)                                                                                                      \
  HEAD "{\"name\": \"stand\", \"joint\": {\"type\": \"universal\", \"axis\": \"z\", \"stiffness\": 2, \"damping\": "   \
       "0.01}}, {\"name\": \"hub\", \"parent\": \"stand\", \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, "     \
       "\"body\": {\"type\": \"rigid\", \"mass\": 0.1, \"inertia\": [0.02, " iy ", 0.03]}}], \"actuators\": [" TURN    \
       "]}"

typedef struct repeating {
  const char *form, *gravity;
  double rate;
  bool varies, unstable; // unstable: as A(0) has it where it is constant
} repeating;

static const repeating REPEATING[] = {
    {FLAP, DOWN, 8, true, false},               // Floquet: grows by 0.2685 1/s
    {FLAP, "[-9.81, 0, 0]", 0.5, false, false}, // along the axis
    {ROTOR("450"), DOWN, 15, true, false},      // Floquet: stable; A(0) grows by 7.15 1/s
    {ROTOR("450"), DOWN, 20, true, false},      // 8.81 1/s
    {ROTOR("450"), DOWN, 5, true, false},       // stable by both
    {ROTOR("50"), DOWN, 5, false, false},       // springs alike to all sides
    {ROTOR("50"), DOWN, 15, false, true},       // beyond the critical speed, dampers turning along: Kimball
    {PLATE("0.02"), DOWN, 5, false, false},
    {PLATE("0.01"), DOWN, 5, true, false}};
enum { REPEATING_COUNT = sizeof REPEATING / sizeof *REPEATING };

START_TEST(an_equilibrium_about_which_not_all_turns_along_is_not_judged_by_A_at_the_start) {
  for (int i = 0; i < REPEATING_COUNT; i++) {
    const repeating *c = &REPEATING[i];
    const double course[] = {0, c->rate};
    const td_input_spec turn = {.channel = "h", .signal = turning(course)};
    td_run_statistics statistics;
    td_model *model = robot(c->form, c->gravity);
    linear l = linearised(model, &turn, &statistics);
    ck_assert_msg(said(&statistics.warnings, "rates_left_out", "/inputs/h") == c->varies, "case %d", i);
    ck_assert_msg(said(&statistics.warnings, "unstable", NULL) == c->unstable, "case %d", i);
    ck_assert_int_eq(statistics.warnings.count, c->varies + c->unstable);
    td_linearize_spec there = {.at = TD_AT_STATE, .q = l.q, .qd = l.qd};
    there.q_count = there.qd_count = (size_t)l.n;
    td_integrator_defaults(&there.run.integrator);
    td_error err = {0};
    ck_assert_msg(!td_linearize_run(model, &there, NULL, &statistics, &err), "%s", err.message);
    ck_assert_msg(said(&statistics.warnings, "unstable", NULL) == c->unstable, "case %d", i);
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(a_run_that_starts_there_says_that_its_stability_is_not_judged) {
  for (int i = 0; i < REPEATING_COUNT; i++) {
    const repeating *c = &REPEATING[i];
    const double course[] = {0, c->rate};
    const td_input_spec turn = {.channel = "h", .signal = turning(course)};
    td_model *model = robot(c->form, c->gravity);
    td_dynamics_spec spec = job_for(model, 2, &turn, 1);
    for (int given = 0; given < 2; given++) {
      spec.initial = given ? TD_INITIAL_ZERO : TD_INITIAL_EQUILIBRIUM;
      recording r = {0};
      recording_ok(&r, model, &spec);
      bool told = c->varies && !given;
      ck_assert_msg(said(&r.statistics.warnings, "passing_equilibrium", "/inputs/h") == told, "case %d, %d", i, given);
      bool unstable =
          c->unstable && !given; // at the end of a run it is told where it would have grown by e^3: after 70 s
      ck_assert_msg((said(&r.statistics.warnings, "unstable", NULL) > 0) == unstable, "case %d, %d", i, given);
      for (int k = 0; k < r.statistics.warnings.count; k++) { // of robots without loads
        const td_warning *w = &r.statistics.warnings.list[k];
        if (!strcmp(w->code, "unstable")) ck_assert_msg(strstr(w->detail, "its own damping") != NULL, "%s", w->detail);
      }
      recording_free(&r);
    }
    td_model_destroy(model);
  }
}
END_TEST

// The least push grows as Floquet's multiplier says, by 0.2685 1/s, though both eigenvalues of A(0) have negative real
// parts.
START_TEST(a_flap_that_A_at_the_start_calls_stable_is_shaken_by_gravity) {
  enum { TURNS = 24 };
  static const double course[] = {0, 8}, q[] = {0, 1e-5}, qd[] = {8, 0};
  const td_input_spec turn = {.channel = "h", .signal = turning(course)};
  double times[TURNS + 1], period = 2 * M_PI / 8;
  for (int i = 0; i <= TURNS; i++) times[i] = i * period;
  td_model *model = robot(FLAP, DOWN);
  td_dynamics_spec spec = job_for(model, times[TURNS], &turn, 1);
  spec.initial = TD_INITIAL_ARRAY, spec.q = q, spec.qd = qd, spec.q_count = spec.qd_count = 2;
  spec.times = times, spec.time_count = TURNS + 1;
  spec.integrator.rtol = 1e-8, spec.integrator.atol = 1e-12;
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_uint_eq(r.count, TURNS + 1);
  double grown = r.rows[TURNS * r.row + 1] / r.rows[TURNS / 2 * r.row + 1]; // the other multiplier has died away
  ck_assert_double_eq_tol(log(fabs(grown)) / (TURNS / 2 * period), 0.2685, 1e-3);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ one list of judges

// A band of EA = 31.4 N under a weight that stretches it fifteenfold.
static const char BAND[] = HEAD
    "{\"name\": \"band\", \"pose\": {\"rpy\": [0, 1.5707963267948966, 0]}, \"joint\": {\"type\": \"fixed\"}, \"body\": "
    "{\"type\": \"rod\", \"length\": 0.1, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": "
    "{\"young\": 1e5, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 3000}, \"strain\": {\"basis\": \"legendre\", "
    "\"order\": {\"elongation\": 0}}}}, {\"name\": \"weight\", \"parent\": \"band\", \"joint\": {\"type\": \"fixed\"}, "
    "\"body\": {\"type\": \"rigid\", \"mass\": 44.8, \"inertia\": [0.1, 0.1, 0.1]}}], \"actuators\": []}";

START_TEST(the_equilibrium_of_a_linearisation_and_of_a_start_is_judged_as_one_of_statics) {
  td_run_statistics statistics;
  td_error err = {0};
  td_model *model = robot(BAND, DOWN);
  td_statics_spec statics = {0};
  td_statics_defaults(&statics.options);
  ck_assert_msg(!td_statics_run(model, &statics, 0, NULL, NULL, &statistics, &err), "%s", err.message);
  ck_assert_int_eq(said(&statistics.warnings, "overstretched", "/model/links/0/body"), 1);
  linear l = linearised(model, NULL, &statistics);
  ck_assert_int_eq(said(&statistics.warnings, "overstretched", "/model/links/0/body"), 1);
  td_linearize_spec there = {.at = TD_AT_STATE, .q = l.q, .q_count = 1};
  td_integrator_defaults(&there.run.integrator);
  ck_assert_msg(!td_linearize_run(model, &there, NULL, &statistics, &err), "%s", err.message);
  ck_assert_int_eq(said(&statistics.warnings, "overstretched", "/model/links/0/body"), 1);
  td_dynamics_spec spec = job_for(model, 0.01, NULL, 0);
  recording r = {0};
  recording_ok(&r, model, &spec);
  ck_assert_int_eq(said(&r.statistics.warnings, "overstretched", "/model/links/0/body"), 1);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// ------------------------------------------------------------------------------------------------ static inversion

// The torque that holds the bob at 0.8 rad in its hub, from m g l sin a - m w^2 (R + l sin a) l cos a.
START_TEST(static_inversion_knows_that_the_hub_turns) {
  static const char form[] =
      HEAD HUB ", " BOB("0.1") "], \"actuators\": [" TURN
                               ", {\"name\": \"m\", \"type\": \"joint\", \"link\": \"bob\", \"mode\": "
                               "\"force\"}]}";
  static const double c[] = {0, 7}, t[] = {0, 1}, held[] = {0.8, 0.8}, q[] = {0, 0.8};
  static const char *const channels[] = {"m"}, *const coordinates[] = {"bob.joint[0]"}, *const fields[] = {"q", "u"};
  const td_input_spec turns[] = {
      {.channel = "h", .signal = turning(c)},
      {.channel = "h", .signal = {.type = TD_SIGNAL_SINE, .amplitude = 0.5, .frequency = 2}}};
  td_controller_spec law = controlled_law(TD_CONTROLLER_FEED_FORWARD, channels, 1, TD_SPACE_JOINT);
  controlled_reference(&law, 2, t, held, 1);
  law.reference.coordinates = coordinates, law.reference.coordinate_count = 1;
  td_model *model = robot(form, DOWN);
  for (int i = 0; i < 2; i++) {
    td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 1, q);
    spec.inputs = &turns[i], spec.input_count = 1;
    spec.controllers = &law, spec.controller_count = 1;
    spec.fields = fields, spec.field_count = 2;
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_int_eq(said(&r.statistics.warnings, "rates_left_out", "/controller/reference/value/0"), i);
    double turned = i ? 0 : 49 * (0.1 + 0.3 * sin(0.8)) * 0.3 * cos(0.8);
    ck_assert_double_eq_tol(recording_last(&r)[3], G * 0.3 * sin(0.8) - turned, 1e-9);
    if (!i) ck_assert_double_eq_tol(recording_last(&r)[1], 0.8, 1e-6);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(statics_that_is_given_a_motion_says_who_finds_the_equilibrium_of_one) {
  static const double c[] = {0, 7};
  const td_input_spec turn = {.channel = "h", .signal = turning(c)};
  td_statics_spec spec = {.inputs = &turn, .input_count = 1};
  td_statics_defaults(&spec.options);
  td_error err = {0};
  td_model *model = robot(PENDULUM, DOWN);
  ck_assert_uint_eq(td_statics_count(model, &spec, &err), 0);
  ck_assert_str_eq(err.pointer, "/inputs/h");
  ck_assert_msg(strstr(err.message, "prescribed joints stand") && strstr(err.message, "equilibrium"), "%s",
                err.message);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("relative rest", a_run_from_the_equilibrium_of_a_hub_that_turns_stays_there,
          what_a_motor_takes_over_steps_of_many_turns_is_accounted_for,
          a_blade_has_the_shape_that_finite_differences_have, loops_that_turn_with_the_hub_are_in_equilibrium_with_it,
          a_disc_in_balance_turns_at_the_tip_of_a_rod_and_one_with_a_screw_shakes_it,
          equilibria_that_do_not_last_are_named, a_current_and_a_second_hub_are_looked_at_all_the_way_round,
          what_only_symmetry_keeps_in_the_axis_of_a_hub_is_not_left_silently,
          what_only_symmetry_keeps_upright_on_a_joint_that_has_come_to_rest_is_not_left_silently,
          small_motions_of_a_governor_have_its_frequency, a_ramp_that_begins_at_the_start_turns_from_there_on,
          a_state_given_at_rest_in_a_hub_that_turns_too_fast_is_called_unstable,
          where_a_run_starts_does_not_hang_on_when_it_ends, a_slide_that_goes_to_and_fro_leaves_nothing_out,
          what_gravity_changes_in_soft_coordinates_is_seen_beside_stiff_ones,
          an_equilibrium_about_which_not_all_turns_along_is_not_judged_by_A_at_the_start,
          a_run_that_starts_there_says_that_its_stability_is_not_judged,
          a_flap_that_A_at_the_start_calls_stable_is_shaken_by_gravity,
          the_equilibrium_of_a_linearisation_and_of_a_start_is_judged_as_one_of_statics,
          static_inversion_knows_that_the_hub_turns,
          statics_that_is_given_a_motion_says_who_finds_the_equilibrium_of_one)
