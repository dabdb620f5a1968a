// Runs that are gone through once more, with more functions or on more points, and what that says of them.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 201 };

static const td_warning *find(const td_warnings *warnings, const char *code) {
  for (int i = 0; i < warnings->count; i++)
    if (!strcmp(warnings->list[i].code, code)) return &warnings->list[i];
  return NULL;
}

// ------------------------------------------------------------------------------------------------ robots

#define FORMAT "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": ["
#define BENDS "\"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": %s"

static const char finger[] = FORMAT
    "{\"name\": \"finger\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.12, "
    "\"section\": {\"shape\": \"circle\", \"radius\": [0.008, 0.005]}, \"material\": {\"young\": 1e6, \"poisson\": "
    "0.5, \"density\": 1100, \"viscosity\": 200}, " BENDS "}}], \"actuators\": [{\"name\": \"drive\", \"type\": "
    "\"tendon\", \"link\": \"finger\", \"routing\": {\"type\": \"linear\", \"base\": [0, -0.006], \"tip\": [0, "
    "-0.0035]}}], \"contacts\": [{\"type\": \"sphere\", \"radius\": 0.03, \"stiffness\": 2000, \"per\": \"length\", "
    "\"exponent\": 1.5, \"pose\": {\"translation\": [0.085, 0, -0.042]}}]}";

/// Crank, soft coupler and rocker.
#define FOUR_BAR(damping, viscosity)                                                                                   \
  FORMAT                                                                                                               \
  "{\"name\": \"crank\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"damping\": " damping                   \
  "}, \"body\": {\"type\": \"rigid\", \"mass\": 0.1, \"com\": [0.05, 0, 0], \"inertia\": [1e-6, 8.4e-5, 8.4e-5]}}, "   \
  "{\"name\": \"coupler\", \"parent\": \"crank\", \"pose\": {\"translation\": [0.1, 0, 0], \"rpy\": [0, "              \
  "-0.7029120343988765, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rod\", "     \
  "\"length\": 0.3, \"section\": {\"shape\": \"circle\", \"radius\": 0.004}, \"material\": {\"young\": 5e7, "          \
  "\"poisson\": 0.5, \"density\": 1200, \"viscosity\": " viscosity "}, " BENDS                                         \
  ", \"elongation\": 0}}}}, {\"name\": \"rocker\", \"pose\": {\"translation\": [0.28, 0, 0], \"rpy\": [0, "            \
  "-1.3238496122344638, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"damping\": " damping               \
  "}, \"body\": {\"type\": \"rigid\", \"mass\": 0.15, \"com\": [0.1, 0, 0], \"inertia\": [1e-6, 5e-4, 5e-4]}}], "      \
  "\"actuators\": [{\"name\": \"drive\", \"type\": \"joint\", \"link\": \"crank\", \"mode\": \"force\"}], "            \
  "\"loops\": [{\"a\": {\"link\": \"coupler\"}, \"b\": {\"link\": \"rocker\", \"pose\": {\"translation\": [0.2, 0, "   \
  "0]}}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}}]}"

static const char damped_bars[] = FOUR_BAR("0.002", "2e4"), free_bars[] = FOUR_BAR("0", "0");

/// A soft rod that a tendon would bend, its end guided along its axis.
static const char guided[] = FORMAT
    "{\"name\": \"rod\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": "
    "{\"shape\": \"circle\", \"radius\": 0.006}, \"material\": {\"young\": 2e6, \"poisson\": 0.45, \"density\": 1000, "
    "\"viscosity\": 2000}, " BENDS ", \"elongation\": 1}}, \"quadrature\": {\"points\": 8}}}], \"actuators\": "
    "[{\"name\": \"drive\", \"type\": \"tendon\", \"link\": \"rod\", \"mode\": \"length\", \"stiffness\": 2000, "
    "\"damping\": 2, \"friction\": 0.1, \"slack_width\": 1e-6, \"routing\": {\"type\": \"linear\", \"base\": [0, "
    "0.005]}}], \"loops\": [{\"a\": {\"link\": \"rod\"}, \"b\": {\"link\": \"world\", \"pose\": {\"translation\": "
    "[0.5, 0, 0]}}, \"joint\": {\"type\": \"cylindrical\", \"axis\": \"x\"}}]}";

#define SLENDER(viscosity)                                                                                             \
  "\"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\", \"radius\": 0.005}, "             \
  "\"material\": {\"young\": 2e9, \"poisson\": 0.3, \"density\": 1000, \"viscosity\": " viscosity "}, " BENDS "}}}}"

/// Its base is shaken.
static const char shaken[] =
    FORMAT "{\"name\": \"rod\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"z\"}, \"body\": {\"type\": \"rod\", "
           "\"length\": 0.5, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, \"material\": {\"young\": 1e6, "
           "\"poisson\": 0.5, \"density\": 1000, \"viscosity\": 200}, " BENDS
           "}}}}], \"actuators\": [{\"name\": \"drive\", \"type\": \"joint\", \"link\": \"rod\", \"mode\": "
           "\"position\"}]}";

/// Clamped and free, a little force aside; Euler's load is 2.4224 N.
#define COLUMN(viscosity)                                                                                              \
  "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"fixed\"}, " SLENDER(      \
      viscosity) "], \"loads\": [{\"link\": \"rod\", \"wrench\": [0, 0, 0, 0, 0, 1e-4]}, {\"link\": \"rod\", "         \
                 "\"channels\": [null, null, null, \"drive\", null, null]}]}"

static const char column[] = COLUMN("2e4"), free_column[] = COLUMN("0");

/// Held by hinges, one of which slides; Euler's load is 9.690 N.
static const char held_column[] =
    "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": \"revolute\", \"axis\": "
    "\"y\"}, " SLENDER(
        "2e4") ", {\"name\": \"slide\", \"pose\": {\"translation\": [1, 0, 0]}, \"joint\": {\"type\": "
               "\"prismatic\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.05, \"com\": [0, 0, 0], "
               "\"inertia\": [0.001, 0.001, 0.001]}}], \"loops\": [{\"a\": {\"link\": \"rod\"}, \"b\": {\"link\": "
               "\"slide\"}, "
               "\"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}}], \"loads\": [{\"link\": \"slide\", "
               "\"channels\": [null, "
               "null, null, \"drive\", null, null]}, {\"link\": \"rod\", \"at\": 0.5, \"wrench\": [0, 0, 0, 0, 0, "
               "0.001]}]}";

// ------------------------------------------------------------------------------------------------ runs

typedef struct way {
  double at[SAMPLES][3]; // m
  td_warnings warnings;
} way;

/// A run: the robot with some orders of bending, and the point of a rod that is looked at.
typedef struct job {
  const char *form, *order;
  int link;
  double s;
  td_signal_spec drive;
  double t_end;
  td_method method;
  double h;
} job;

static void go(const job *j, way *out) {
  static const char *const fields[] = {"q"};
  char text[4096];
  td_workspace *ws;
  td_se3 g;
  snprintf(text, sizeof text, j->form, j->order);
  td_model *model = test_model_from_text(text);
  td_input_spec input = {.channel = "drive", .signal = j->drive};
  td_dynamics_spec spec = recording_job(model, j->method, j->t_end, NULL);
  recording r = {0};
  spec.integrator.h = j->h;
  spec.inputs = &input, spec.input_count = 1;
  spec.output_dt = j->t_end / (SAMPLES - 1), spec.fields = fields, spec.field_count = 1;
  recording_ok(&r, model, &spec);
  ck_assert(!td_workspace_create(model, &ws));
  for (size_t i = 0; i < SAMPLES && i < r.count; i++) {
    ck_assert(!td_pose_at(model, ws, r.rows + i * r.row, j->link, j->s, &g));
    memcpy(out->at[i], g.p, sizeof out->at[i]);
  }
  out->warnings = r.statistics.warnings;
  td_workspace_destroy(ws);
  recording_free(&r);
  td_model_destroy(model);
}

static double apart(const way *a, const way *b) {
  double most = 0;
  for (int i = 0; i < SAMPLES; i++) {
    const double *x = a->at[i], *y = b->at[i];
    most = fmax(most, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
  }
  return most;
}

/// A run that says in `code` that its functions of bending are too few, or its points.
static void tells(const job *j, const char *code, way *out) {
  const char *part = strcmp(code, "coarse_basis") ? "quadrature/points" : "strain/order/bending_y";
  char pointer[96];
  go(j, out);
  const td_warning *w = find(&out->warnings, code);
  snprintf(pointer, sizeof pointer, "/model/links/%d/body/%s", j->link, part);
  ck_assert_msg(w && !strcmp(w->pointer, pointer), "%s", w ? w->pointer : "silent");
}

/// And it is off by more than `least` metres against one with functions of `order`, which does not.
static void is_told(const job *j, const char *order, double least, const char *code) {
  static way coarse, right;
  job more = *j;
  more.order = order, more.method = TD_METHOD_AUTOMATIC, more.h = 0;
  tells(j, code, &coarse);
  go(&more, &right);
  const td_warning *other = find(&right.warnings, code);
  double wrong = apart(&coarse, &right);
  ck_assert_msg(wrong > least && !other, "%g m, %s", wrong, other ? other->detail : "");
}

#define CONSTANT(value) ((td_signal_spec){.type = TD_SIGNAL_CONSTANT, .offset = (value)})

// ------------------------------------------------------------------------------------------------ what is met on the
// way

// Drawn over a ball, seven points feel it elsewhere than thirty do, and without it they are right.
START_TEST(a_finger_whose_points_meet_a_ball_elsewhere_is_told_by_a_run_on_more_points) {
  double t[] = {0, 0.2}, value[] = {0, 4};
  td_signal_spec pull = {.type = TD_SIGNAL_RAMP, .t = t, .value = value, .count = 2};
  is_told(&(job){finger, "4}}", 0, 1, pull, 0.5, TD_METHOD_AUTOMATIC, 0}, "4}}, \"quadrature\": {\"points\": 30}",
          0.0018, "coarse_quadrature");
}
END_TEST

// Estimates at a few states see nothing of what its coupler is bent by while the crank goes round.
START_TEST(a_soft_coupler_of_a_four_bar_that_goes_far_is_told_by_a_run_with_more_functions) {
  is_told(&(job){damped_bars, "3", 1, 0.5, CONSTANT(0.03), 0.7, TD_METHOD_AUTOMATIC, 0}, "8", 0.006, "coarse_basis");
}
END_TEST

// Undamped, it takes thousands of steps; that is no reason not to look. It is off by 12 mm, 4 % of its length,
// 2.5 % by functions; seen from its base, whose hinge turns with what it bends by, that would be 10 %.
START_TEST(a_run_that_is_doubted_is_gone_through_again_though_that_takes_longer_than_the_run) {
  static way coarse;
  td_signal_spec torque = {.type = TD_SIGNAL_SINE, .amplitude = 0.02, .frequency = 0.5};
  tells(&(job){free_bars, "3", 1, 0.5, torque, 0.6, TD_METHOD_AUTOMATIC, 0}, "coarse_basis", &coarse);
  const char *detail = find(&coarse.warnings, "coarse_basis")->detail, *said = strstr(detail, "seen from its base, ");
  double percent = 0;
  ck_assert_msg(said && sscanf(said, "seen from its base, %lf %% of its length", &percent) == 1, "%s", detail);
  ck_assert_msg(percent > 1.5 && percent < 3.5, "%s", detail);
}
END_TEST

/// On a hinge, a heavy ball at its end.
static const char pendulum[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -0.2], \"links\": [{\"name\": \"rod\", \"joint\": "
    "{\"type\": "
    "\"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\", "
    "\"radius\": 0.02}, \"material\": {\"young\": 4.3e7, \"poisson\": 0.45, \"density\": 1100}, " BENDS
    "}}}}, {\"name\": \"ball\", \"parent\": \"rod\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rigid\", "
    "\"mass\": 6.9, \"com\": [0, 0, 0], \"inertia\": [0.0028, 0.0028, 0.0028]}}], \"loads\": [{\"link\": \"rod\", "
    "\"channels\": [null, \"drive\", null, null, null, null]}]}";

// It bends by less than a thousandth of its length while it swings by more than that: an estimate is off by a twelfth
// of next to nothing, and 1e-5 is true.
START_TEST(a_stiff_pendulum_is_not_blamed_for_how_it_bends) {
  static way out;
  go(&(job){pendulum, "2", 0, 1, CONSTANT(0), 4.37, TD_METHOD_RK45, 0}, &out);
  const td_warning *w = find(&out.warnings, "coarse_basis");
  ck_assert_msg(!w, "%s", w ? w->detail : "");
}
END_TEST

/// A crank at 23 rad/s, a rod that nothing damps, a light slider.
static const char slider_crank[] =
    FORMAT "{\"name\": \"crank\", \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": "
           "\"rigid\", \"mass\": "
           "0.05, \"com\": [0.05, 0, 0], \"inertia\": [1e-5, 1e-5, 1e-5]}}, {\"name\": \"rod\", \"parent\": \"crank\", "
           "\"pose\": "
           "{\"translation\": [0.1, 0, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": "
           "\"rod\", "
           "\"length\": 0.3, \"section\": {\"shape\": \"circle\", \"radius\": 0.003}, \"material\": {\"young\": 2.6e8, "
           "\"poisson\": "
           "0.45, \"density\": 1200}, " BENDS
           ", \"elongation\": 0}}}}, {\"name\": \"slider\", \"pose\": {\"translation\": [0.4, "
           "0, 0]}, \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}, \"body\": {\"type\": \"rigid\", \"mass\": "
           "0.003, \"com\": "
           "[0, 0, 0], \"inertia\": [1e-5, 1e-5, 1e-5]}}], \"actuators\": [{\"name\": \"drive\", \"type\": \"joint\", "
           "\"link\": "
           "\"crank\", \"mode\": \"position\"}], \"loops\": [{\"a\": {\"link\": \"rod\"}, \"b\": {\"link\": "
           "\"slider\"}, \"joint\": "
           "{\"type\": \"revolute\", \"axis\": \"y\"}}]}";

// An estimate about its start is off by three quarters of how far it bends; a run with functions that can be afforded
// says that next to nothing is.
START_TEST(an_undamped_connecting_rod_is_not_blamed_for_want_of_a_second_run) {
  static way out;
  double turns[] = {0, 23};
  td_signal_spec speed = {.type = TD_SIGNAL_POLYNOMIAL, .value = turns, .count = 2};
  go(&(job){slider_crank, "2", 1, 1, speed, 0.3, TD_METHOD_AUTOMATIC, 0}, &out);
  const td_warning *w = find(&out.warnings, "coarse_basis");
  ck_assert_msg(!w, "%s", w ? w->detail : "");
}
END_TEST

// ------------------------------------------------------------------------------------------------ explicit methods

static const double begins_ends[] = {0.1, 0.4}, pulled[] = {0, 0.004};
static const td_signal_spec pull = {.type = TD_SIGNAL_RAMP, .t = begins_ends, .value = pulled, .count = 2};

// More functions are so stiff that an explicit method comes to no end with them,
START_TEST(explicit_methods_tell_of_too_few_functions_as_others_do) {
  is_told(&(job){guided, "1", 0, 0.5, pull, 0.6, TD_METHOD_RK45, 0}, "5", 0.05, "coarse_basis");
}
END_TEST

// or its steps are so many that it seems not worth it.
START_TEST(small_steps_are_no_reason_not_to_tell) {
  static way coarse;
  tells(&(job){guided, "1", 0, 0.5, pull, 0.6, TD_METHOD_RK4, 4e-5}, "coarse_basis", &coarse);
}
END_TEST

// ------------------------------------------------------------------------------------------------ what buckles

// Order 1 grows 6 % too slowly beyond Euler's load, from next to nothing.
START_TEST(a_column_that_buckles_too_late_for_want_of_functions_says_so) {
  is_told(&(job){column, "1", 0, 1, CONSTANT(-1.1 * 2.4224), 2, TD_METHOD_AUTOMATIC, 0}, "5", 0.05, "coarse_basis");
  is_told(&(job){column, "1", 0, 1, CONSTANT(-1.5 * 2.4224), 1.2, TD_METHOD_AUTOMATIC, 0}, "5", 0.05, "coarse_basis");
}
END_TEST

// With more functions it goes on to vibrate in all of them, and a run that resolves them takes too long.
START_TEST(a_column_that_nothing_damps_says_so_too) {
  is_told(&(job){free_column, "1", 0, 1, CONSTANT(-1.1 * 2.4224), 3, TD_METHOD_AUTOMATIC, 0}, "3", 0.05,
          "coarse_basis");
}
END_TEST

// It buckles at 12 EI/L^2 with two functions, at pi^2 with all; between them it stays straight.
START_TEST(a_column_that_stays_straight_for_want_of_functions_says_so) {
  is_told(&(job){held_column, "1", 0, 0.5, CONSTANT(-1.2 * 9.690), 1.5, TD_METHOD_AUTOMATIC, 0}, "5", 0.3,
          "coarse_basis");
}
END_TEST

// ------------------------------------------------------------------------------------------------ what is not exact

// Half a per cent is what steps add up to, and nearly the whole way what functions do: the first must not hide the
// second; nor must it where neighbouring motions part after a while.
START_TEST(errors_of_steps_do_not_hide_those_of_functions) {
  static way coarse;
  td_signal_spec shake = {.type = TD_SIGNAL_SINE, .amplitude = 0.02, .frequency = 10};
  tells(&(job){shaken, "2", 0, 0.5, shake, 2, TD_METHOD_AUTOMATIC, 0}, "coarse_basis", &coarse);
  ck_assert(find(&coarse.warnings, "accumulated_error") != NULL);
  shake.amplitude = 0.05, shake.frequency = 6;
  tells(&(job){shaken, "2", 0, 0.5, shake, 3, TD_METHOD_AUTOMATIC, 0}, "coarse_basis", &coarse);
  ck_assert(find(&coarse.warnings, "sensitive_motion") != NULL);
}
END_TEST

TEST_MAIN("gone through again", errors_of_steps_do_not_hide_those_of_functions,
          a_finger_whose_points_meet_a_ball_elsewhere_is_told_by_a_run_on_more_points,
          a_soft_coupler_of_a_four_bar_that_goes_far_is_told_by_a_run_with_more_functions,
          a_run_that_is_doubted_is_gone_through_again_though_that_takes_longer_than_the_run,
          an_undamped_connecting_rod_is_not_blamed_for_want_of_a_second_run,
          a_stiff_pendulum_is_not_blamed_for_how_it_bends, explicit_methods_tell_of_too_few_functions_as_others_do,
          small_steps_are_no_reason_not_to_tell, a_column_that_buckles_too_late_for_want_of_functions_says_so,
          a_column_that_nothing_damps_says_so_too, a_column_that_stays_straight_for_want_of_functions_says_so)
