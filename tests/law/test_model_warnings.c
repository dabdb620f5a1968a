// What a model computes as it was told, although it was hardly meant: the model says so, with the numbers and a way out
// that works.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32 };

static const td_warning *warning_of(const td_model *model, const char *code) {
  const td_warnings *w = td_model_warnings(model);
  for (int i = 0; i < w->count; i++)
    if (!strcmp(w->list[i].code, code)) return &w->list[i];
  return NULL;
}

#define BENDING "\"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 1, \"bending_z\": 1}}"
#define CIRCLE "\"section\": {\"shape\": \"circle\", \"radius\": 0.012}"
#define SILICONE "\"material\": {\"young\": 1e6, \"poisson\": 0.5, \"density\": 1000}"

// A clamped rod of 0.4 m; `more` follows its link.
static td_model *arm(const char *body, const char *more) {
  char text[4096];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"arm\", \"joint\": {\"type\": \"fixed\"}, \"body\":"
      " {\"type\": \"rod\", \"length\": 0.4, %s}}]%s}",
      body, more);
  return test_model_from_text(text);
}

// ---- slack tension

static td_model *pulled(double stiffness, const char *more) {
  char text[512];
  snprintf(
      text, sizeof text,
      ", \"actuators\": [{\"name\": \"pull\", \"type\": \"tendon\", \"mode\": \"length\", \"stiffness\": %g, \"link\": "
      "\"arm\", \"routing\": {\"type\": \"linear\", \"base\": [0, 0.01]}%s}]",
      stiffness, more);
  return arm(CIRCLE ", " SILICONE ", " BENDING, text);
}

// How far the tip is from the straight arm's, with nothing pulled and no gravity.
static double deflection(const td_model *model) {
  td_workspace *ws;
  td_statics_options options;
  td_statics_result result;
  td_error err = {0};
  double q[MOST] = {0}, u[1] = {0};
  td_se3 g;
  ck_assert_int_eq(td_workspace_create(model, &ws), TD_OK);
  td_statics_defaults(&options);
  ck_assert_msg(!td_statics_solve(model, ws, u, &options, q, &result, &err), "%s", err.message);
  ck_assert_int_eq(td_pose_at(model, ws, q, 0, 1, &g), TD_OK);
  td_workspace_destroy(ws);
  return hypot(g.p[0] - 0.4, hypot(g.p[1], g.p[2]));
}

START_TEST(a_tendon_that_bends_the_arm_while_nobody_pulls_is_warned_of_and_the_advice_leaves_it_straight) {
  td_model *model = pulled(2.5e5, "");
  const td_warning *w = warning_of(model, "slack_tension");
  ck_assert_double_gt(deflection(model), 1e-2);
  ck_assert_ptr_nonnull(w);
  ck_assert_str_eq(w->pointer, "/actuators/0/slack_width");
  ck_assert_msg(strstr(w->detail, "12.5 N"), "%s", w->detail);
  const char *advice = strstr(w->detail, "give slack_width ");
  ck_assert_ptr_nonnull(advice);
  char width[64];
  snprintf(width, sizeof width, ", \"slack_width\": %.3g", strtod(advice + strlen("give slack_width "), NULL));
  td_model_destroy(model);
  model = pulled(2.5e5, width);
  ck_assert_ptr_null(warning_of(model, "slack_tension"));
  ck_assert_double_lt(deflection(model), 1e-3 * 0.4);
  td_model_destroy(model);
}
END_TEST

// Tendons at the angles `at` around the rod, driven by length.
static td_model *pulled_from(const double at[], int count) {
  char text[2048];
  size_t used = (size_t)snprintf(text, sizeof text, ", \"actuators\": [");
  for (int i = 0; i < count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "%s{\"name\": \"t%d\", \"type\": \"tendon\", \"mode\": \"length\", \"stiffness\": 2.5e5, "
                             "\"link\": \"arm\", \"routing\": {\"type\": \"linear\", \"base\": [%.17g, %.17g]}}",
                             i ? ", " : "", i, 0.01 * sin(at[i]), 0.01 * cos(at[i]));
  snprintf(text + used, sizeof text - used, "]");
  return arm(CIRCLE ", " SILICONE ", " BENDING, text);
}

START_TEST(tendons_that_balance_are_not_warned_of_and_those_that_do_not_are_once) {
  const double third = 2 * acos(-1) / 3, around[] = {0, third, 2 * third}, aside[] = {0, 0.2, -0.2, 0.1};
  td_model *balanced = pulled_from(around, 3), *bent = pulled_from(aside, 4);
  ck_assert_msg(!warning_of(balanced, "slack_tension"), "%s", warning_of(balanced, "slack_tension")->detail);
  const td_warnings *w = td_model_warnings(bent);
  int told = 0;
  for (int i = 0; i < w->count; i++) told += !strcmp(w->list[i].code, "slack_tension");
  ck_assert_int_eq(told, 1);
  const td_warning *one = warning_of(bent, "slack_tension");
  ck_assert_msg(one->more == 0 && strstr(one->detail, "the most of 4 such tendons"), "%s", one->detail);
  td_model_destroy(balanced);
  td_model_destroy(bent);
}
END_TEST

START_TEST(a_tendon_that_is_loose_or_taut_by_its_rest_or_weak_is_not_warned_of) {
  static const char *const more[] = {", \"rest\": 0.41", ", \"rest\": 0.39", ", \"slack_width\": 1e-9"};
  for (int i = 0; i < 3; i++) {
    td_model *model = pulled(1000, more[i]);
    ck_assert_msg(!warning_of(model, "slack_tension"), "%s: %s", more[i], warning_of(model, "slack_tension")->detail);
    td_model_destroy(model);
  }
}
END_TEST

// ---- inertia

#define NUMBERS(more)                                                                                                  \
  "\"section\": {\"shape\": \"stiffness\", \"GJ\": 0.1, \"EI_y\": 0.1, \"EI_z\": 0.1, \"mass_per_length\": 0.5, "      \
  "\"damping\": [1e-3, 1e-3, 1e-3, 0, 0, 0]" more "}, "
#define TWISTING                                                                                                       \
  "\"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": 1, \"bending_y\": 1, \"bending_z\": 1}}"

START_TEST(torsion_that_moves_no_mass_is_warned_of_where_its_inertia_would_stand) {
  static const char *const none[] = {NUMBERS("") TWISTING,
                                     NUMBERS(", \"inertia_per_length\": [0, 1e-5, 1e-5]") TWISTING};
  static const char *const fine[] = {NUMBERS(", \"inertia_per_length\": [2e-5, 1e-5, 1e-5]") TWISTING,
                                     NUMBERS("") BENDING};
  for (int i = 0; i < 2; i++) {
    td_model *model = arm(none[i], ""), *good = arm(fine[i], "");
    const td_warning *w = warning_of(model, "no_inertia");
    ck_assert_ptr_nonnull(w);
    ck_assert_str_eq(w->pointer, "/links/0/body/section");
    ck_assert_msg(strstr(w->detail, "inertia_per_length") != NULL, "%s", w->detail);
    ck_assert_ptr_null(warning_of(good, "no_inertia"));
    td_model_destroy(model);
    td_model_destroy(good);
  }
}
END_TEST

START_TEST(a_run_of_it_fails_with_a_sentence_that_has_its_end) {
  td_model *model = arm(NUMBERS("") TWISTING, ", \"gravity\": [0, 0, -9.81]");
  static const td_method methods[] = {TD_METHOD_BDF, TD_METHOD_RK45};
  for (int i = 0; i < 2; i++) {
    td_dynamics_spec spec = recording_job(model, methods[i], 0.1, NULL);
    recording r = {0};
    recording_run(&r, model, &spec, NULL);
    const char *message = r.error.message;
    ck_assert_msg(r.status == TD_SINGULAR, "%s: %s", td_status_name(r.status), message);
    ck_assert_msg(strstr(message, "arm.torsion[0]") && !strstr(message, "residual") && !strchr(message, '('), "%s",
                  message);
    ck_assert_msg(message[strlen(message) - 1] == ']', "%s", message);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

// ---- torsion

#define TORSION "\"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": 1}}"

// The constants stand in tables: J = 0.312 b t^3 at b = 10 t (Timoshenko and Goodier, article 109), of an ellipse pi
// a^3 b^3 / (a^2 + b^2).
START_TEST(a_strip_that_is_too_stiff_in_torsion_is_warned_of_with_its_constant) {
  static const char *const sections[] = {"\"shape\": \"rectangle\", \"height\": 0.002, \"width\": 0.02",
                                         "\"shape\": \"rectangle\", \"height\": 0.02, \"width\": [0.01, 0.002]",
                                         "\"shape\": \"ellipse\", \"semi_y\": 0.001, \"semi_z\": 0.01"};
  const double J[] = {0.3123 * 0.02 * 8e-9, 0.3123 * 0.02 * 8e-9, M_PI * 1e-9 * 1e-6 / (1e-6 + 1e-4)};
  for (int i = 0; i < 3; i++) {
    char body[512];
    for (int given = 0; given < 3; given++) {
      snprintf(body, sizeof body, "\"section\": {%s%s}, " SILICONE ", %s", sections[i],
               given == 1 ? ", \"torsion_constant\": 5e-11" : "", given == 2 ? BENDING : TORSION);
      td_model *model = arm(body, "");
      const td_warning *w = warning_of(model, "torsion_constant");
      ck_assert_int_eq(w != NULL, given == 0);
      if (w) {
        ck_assert_str_eq(w->pointer, "/links/0/body/section");
        const char *said = strstr(w->detail, " is ");
        ck_assert_double_eq_tol(strtod(said + strlen(" is "), NULL), J[i], 1e-3 * J[i]);
        ck_assert_msg(strstr(w->detail, "give `torsion_constant`") != NULL, "%s", w->detail);
      }
      td_model_destroy(model);
    }
  }
}
END_TEST

START_TEST(stout_sections_and_tubes_are_not_warned_of) {
  static const char *const sections[] = {
      "\"shape\": \"rectangle\", \"height\": 0.02, \"width\": 0.02",
      "\"shape\": \"rectangle\", \"height\": 0.02, \"width\": 0.05", "\"shape\": \"circle\", \"radius\": 0.01",
      "\"shape\": \"ellipse\", \"semi_y\": 0.01, \"semi_z\": 0.02",
      "\"shape\": \"rectangle\", \"height\": 0.02, \"width\": 0.1, \"inner_height\": 0.01, \"inner_width\": 0.09"};
  for (int i = 0; i < 5; i++) {
    char body[512];
    snprintf(body, sizeof body, "\"section\": {%s}, " SILICONE ", " TORSION, sections[i]);
    td_model *model = arm(body, "");
    ck_assert_msg(!warning_of(model, "torsion_constant"), "%s", sections[i]);
    td_model_destroy(model);
  }
}
END_TEST

// ---- options

START_TEST(options_that_are_not_used_are_said) {
  static const struct {
    const char *more, *pointer; // NULL: all are used
  } cases[] = {
      {"\"actuators\": [{\"name\": \"a\", \"type\": \"tendon\", \"link\": \"arm\", \"slip_speed\": 0.01, \"routing\": "
       "{\"type\": \"linear\", \"base\": [0, 0.01]}}]",
       "/actuators/0/slip_speed"},
      {"\"actuators\": [{\"name\": \"a\", \"type\": \"tendon\", \"slip_speed\": 0.01, \"segments\": [{\"link\": "
       "\"arm\", "
       "\"routing\": {\"type\": \"linear\", \"base\": [0, 0.01]}}]}]",
       "/actuators/0/slip_speed"},
      {"\"actuators\": [{\"name\": \"a\", \"type\": \"tendon\", \"link\": \"arm\", \"slip_speed\": 0.01, \"friction\": "
       "0.1, "
       "\"routing\": {\"type\": \"linear\", \"base\": [0, 0.01]}}]",
       NULL},
      {"\"loads\": [{\"link\": \"arm\", \"wrench\": [0, 0, 0, 0, 0, 1], \"channels\": [null, null, null, null, null, "
       "\"fz\"]}]",
       "/loads/0/wrench"},
      {"\"loads\": [{\"link\": \"arm\", \"channels\": [null, null, null, null, null, \"fz\"]}]", NULL},
      {"\"loads\": [{\"link\": \"arm\", \"wrench\": [0, 0, 0, 0, 0, 1]}]", NULL},
      {"\"loads\": [{\"link\": \"arm\", \"wrench\": [0, 0, 0, 0, 0, 0], \"channels\": [null, null, null, null, null, "
       "\"fz\"]}]",
       NULL}, // what is written out in full, as tools do
      {"\"contacts\": [{\"type\": \"plane\", \"stiffness\": 1e5, \"slip_speed\": 0.01}]", "/contacts/0/slip_speed"},
      {"\"contacts\": [{\"type\": \"plane\", \"stiffness\": 1e5, \"anisotropy\": [1, 2]}]", "/contacts/0/anisotropy"},
      {"\"contacts\": [{\"type\": \"plane\", \"stiffness\": 1e5, \"friction\": 1, \"slip_speed\": 0.01}]", NULL},
  };
  for (int i = 0; i < 10; i++) {
    char more[512];
    snprintf(more, sizeof more, ", %s", cases[i].more);
    td_model *model = arm(CIRCLE ", " SILICONE ", " BENDING, more);
    const td_warning *w = warning_of(model, "unused_option");
    ck_assert_msg((w != NULL) == (cases[i].pointer != NULL), "%s", more);
    if (w) ck_assert_str_eq(w->pointer, cases[i].pointer);
    td_model_destroy(model);
  }
}
END_TEST

// ---- contacts

static td_model *arm_with_points(int points, const char *obstacle) {
  char body[512], more[512];
  snprintf(body, sizeof body, CIRCLE ", " SILICONE ", " BENDING ", \"quadrature\": {\"points\": %d}", points);
  snprintf(more, sizeof more, ", \"contacts\": [{\"type\": \"plane\", \"stiffness\": 1e5}, {%s, \"stiffness\": 1e5}]",
           obstacle);
  return arm(body, more);
}

START_TEST(an_obstacle_that_slips_between_the_points_of_a_rod_is_warned_of_and_the_points_advised_hold_it) {
  static const char *const obstacles[] = {"\"type\": \"cylinder_exterior\", \"radius\": 0.002",
                                          "\"type\": \"sphere\", \"radius\": 0.05",
                                          "\"type\": \"box\", \"size\": [0.3, 0.004, 0.2]"},
                           *const says[] = {"passes unfelt", "sinks in",
                                            "the box, at its thinnest 0.004 m passes unfelt"};
  for (int i = 0; i < 3; i++) {
    td_model *model = arm_with_points(5, obstacles[i]);
    const td_warning *w = warning_of(model, "coarse_contact");
    ck_assert_ptr_nonnull(w);
    ck_assert_str_eq(w->pointer, "/contacts/1");
    ck_assert_msg(strstr(w->detail, says[i]), "%s", w->detail);
    int points = 0;
    ck_assert_int_eq(sscanf(strstr(w->detail, "take about "), "take about %d", &points), 1);
    td_model *better = arm_with_points(points, obstacles[i]);
    ck_assert_msg(!warning_of(better, "coarse_contact"), "%d points: %s", points,
                  warning_of(better, "coarse_contact")->detail);
    td_model_destroy(better);
    td_model_destroy(model);
  }
}
END_TEST

// A rod along x on a spring along z, which a tenth of a newton presses down by 10 mm, and a bar there.
static td_model *pressed(const char *bar) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"beam\", \"joint\": {\"type\": \"prismatic\", "
      "\"axis\": \"z\", "
      "\"stiffness\": 10, \"damping\": 20}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": "
      "\"circle\", \"radius\": 0.004}, \"material\": {\"young\": 2e11, \"poisson\": 0.4, \"density\": 1000, "
      "\"viscosity\": "
      "1e8}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 1}}, \"quadrature\": {\"points\": 5}}}], "
      "\"loads\": [{\"link\": \"beam\", \"at\": 0.5, \"wrench\": [0, 0, 0, 0, 0, -0.1]}], \"contacts\": [{%s, "
      "\"stiffness\": "
      "1e6}]}",
      bar);
  return test_model_from_text(text);
}

static bool is_missed(const td_warnings *w) {
  for (int i = 0; i < w->count; i++)
    if (!strcmp(w->list[i].code, "contact_missed") && !strcmp(w->list[i].pointer, "/model/contacts/0")) return true;
  return false;
}

START_TEST(a_bar_between_the_points_of_a_rod_is_said_where_it_lies_and_one_along_it_is_not_doubted) {
  static const struct {
    const char *bar;
    bool coarse, missed;
  } cases[] = {
      {"\"type\": \"cylinder_exterior\", \"radius\": 0.002, \"axis\": \"y\", \"pose\": {\"translation\": [0.18, 0, "
       "-0.01]}",
       true, true},
      {"\"type\": \"sphere\", \"radius\": 0.002, \"pose\": {\"translation\": [0.18, 0, -0.01]}", true, true},
      {"\"type\": \"cylinder_exterior\", \"radius\": 0.002, \"axis\": \"y\", \"pose\": {\"translation\": [0.18, 0, "
       "-0.05]}",
       true, false},
      {"\"type\": \"cylinder_exterior\", \"radius\": 0.002, \"axis\": \"x\", \"pose\": {\"translation\": [0, 0, "
       "-0.03]}",
       false, false},
      {"\"type\": \"cylinder_exterior\", \"radius\": 0.002, \"axis\": \"x\", \"pose\": {\"translation\": [0, 0, "
       "-0.012]}",
       false, false}, // it rests on that one with all its points
      {"\"type\": \"cylinder_exterior\", \"radius\": 0.002, \"axis\": [1, 1, 0], \"pose\": {\"translation\": [0, 0, "
       "-0.05]}",
       true, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_model *model = pressed(cases[i].bar);
    td_statics_spec still = {.initial = TD_INITIAL_ZERO};
    td_run_statistics statistics;
    td_error error = {0};
    ck_assert_msg((warning_of(model, "coarse_contact") != NULL) == cases[i].coarse, "%s", cases[i].bar);
    td_statics_defaults(&still.options);
    ck_assert_msg(!td_statics_run(model, &still, 0, NULL, NULL, &statistics, &error), "%s: %s", cases[i].bar,
                  error.message);
    ck_assert_msg(is_missed(&statistics.warnings) == cases[i].missed, "statics: %s", cases[i].bar);
    td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 20, NULL);
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_msg(is_missed(&r.statistics.warnings) == cases[i].missed, "run: %s", cases[i].bar);
    recording_free(&r);
    td_model_destroy(model);
  }
}
END_TEST

#define STRIP(HEIGHT, WIDTH) "\"section\": {\"shape\": \"rectangle\", \"height\": " HEIGHT ", \"width\": " WIDTH "}"

START_TEST(strips_that_touch_say_how_far_off_they_touch_and_others_do_not) {
  static const struct {
    const char *section, *contacts;
    bool flat;
  } cases[] = {{STRIP("0.0015", "0.02"), "[{\"type\": \"plane\", \"stiffness\": 1e5}]", true},
               {STRIP("[0.02, 0.003]", "[0.02, 0.02]"), "[{\"type\": \"plane\", \"stiffness\": 1e5}]", true},
               {"\"section\": {\"shape\": \"ellipse\", \"semi_y\": 0.01, \"semi_z\": 0.001}",
                "[{\"type\": \"plane\", \"stiffness\": 1e5}]", true},
               {STRIP("0.02", "0.011"), "[{\"type\": \"plane\", \"stiffness\": 1e5}]", false},
               {CIRCLE, "[{\"type\": \"plane\", \"stiffness\": 1e5}]", false},
               {STRIP("0.0015", "0.02"), "[]", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[512], more[256];
    snprintf(body, sizeof body, "%s, " SILICONE ", " BENDING, cases[i].section);
    snprintf(more, sizeof more, ", \"contacts\": %s", cases[i].contacts);
    td_model *model = arm(body, more);
    const td_warning *w = warning_of(model, "flat_contact");
    ck_assert_msg((w != NULL) == cases[i].flat, "%s %s", cases[i].section, w ? w->detail : "silent");
    if (w) ck_assert_str_eq(w->pointer, "/links/0/body/section");
    if (w && i == 0) ck_assert_msg(strstr(w->detail, "0.00274 m: 0.00199 m too early"), "%s", w->detail);
    td_model_destroy(model);
  }
}
END_TEST

// An arm of a rod on a foot that flies or stands, a ball, a floor.
static td_model *with_ball(const char *foot, const char *ball, const char *more) {
  char text[2048];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"foot\", \"joint\": {\"type\": \"%s\"}, "
           "\"body\": {\"type\": "
           "\"rigid\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.03}, \"density\": 1000}}, {\"name\": \"arm\", "
           "\"parent\": "
           "\"foot\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.3, " CIRCLE
           ", " SILICONE ", " BENDING "}}, {\"name\": \"ball\", \"pose\": {\"translation\": [0.1, 0.1, 0]}, \"joint\": "
           "{\"type\": \"%s\"}, \"body\": {\"type\": "
           "\"rigid\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.02}, \"density\": 1000}}]%s}",
           foot, ball, more);
  return test_model_from_text(text);
}

START_TEST(a_ball_that_falls_through_the_floor_says_so_and_what_rods_carry_does_not) {
#define ON_FLOOR                                                                                                       \
  ", \"contacts\": [{\"type\": \"plane\", \"stiffness\": 1e5, \"pose\": {\"translation\": [0, 0, -0.1]}}]"
  static const struct {
    const char *foot, *ball, *more, *pointer;
  } cases[] = {
      {"fixed", "free", ON_FLOOR, "/links/2/body"},
      {"free", "prismatic", ON_FLOOR, "/links/2/body"},
      {"free", "fixed", ON_FLOOR, NULL},     // the foot hangs on a rod that touches
      {"fixed", "revolute", ON_FLOOR, NULL}, // a pendulum
      {"fixed", "free", "", NULL},
      {"fixed", "free",
       ON_FLOOR ", \"springs\": [{\"a\": {\"link\": \"arm\"}, \"b\": {\"link\": \"ball\"}, \"stiffness\": 10}]", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_model *model = with_ball(cases[i].foot, cases[i].ball, cases[i].more);
    const td_warning *w = warning_of(model, "no_contact");
    ck_assert_msg((w != NULL) == (cases[i].pointer != NULL), "%zu: %s", i, w ? w->detail : "silent");
    if (w) ck_assert_str_eq(w->pointer, cases[i].pointer);
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(planes_tubes_and_wide_obstacles_let_nothing_slip_between_points) {
  static const char *const obstacles[] = {"\"type\": \"plane\"", "\"type\": \"cylinder_interior\", \"radius\": 0.05",
                                          "\"type\": \"sphere\", \"radius\": 0.5"};
  for (int i = 0; i < 3; i++) {
    td_model *model = arm_with_points(5, obstacles[i]);
    ck_assert_msg(!warning_of(model, "coarse_contact"), "%s", obstacles[i]);
    td_model_destroy(model);
  }
}
END_TEST

TEST_MAIN("model_warnings", strips_that_touch_say_how_far_off_they_touch_and_others_do_not,
          a_ball_that_falls_through_the_floor_says_so_and_what_rods_carry_does_not,
          a_bar_between_the_points_of_a_rod_is_said_where_it_lies_and_one_along_it_is_not_doubted,
          an_obstacle_that_slips_between_the_points_of_a_rod_is_warned_of_and_the_points_advised_hold_it,
          planes_tubes_and_wide_obstacles_let_nothing_slip_between_points,
          a_tendon_that_bends_the_arm_while_nobody_pulls_is_warned_of_and_the_advice_leaves_it_straight,
          tendons_that_balance_are_not_warned_of_and_those_that_do_not_are_once,
          a_tendon_that_is_loose_or_taut_by_its_rest_or_weak_is_not_warned_of,
          torsion_that_moves_no_mass_is_warned_of_where_its_inertia_would_stand,
          a_run_of_it_fails_with_a_sentence_that_has_its_end,
          a_strip_that_is_too_stiff_in_torsion_is_warned_of_with_its_constant,
          stout_sections_and_tubes_are_not_warned_of, options_that_are_not_used_are_said)
