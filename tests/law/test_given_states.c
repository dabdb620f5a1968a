// What was given and what was asked for: a run that starts elsewhere says so, an open state is not linearised at, and a
// list of equilibria does not climb; no answer is that of a rod turned inside out.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/tendril.h"
#include <math.h>
#include <string.h>

// A four-bar linkage, a robot's joint that one tendon pulls over, and a finger of two phalanges and a soft pad.
static const char FOUR_BAR[] =
    "{\"format\": \"tendril.model/1\", \"name\": \"free4\", \"gravity\": [0, -9.81, 0], \"links"
    "\": [{\"name\": \"crank\", \"parent\": \"world\", \"pose\": {\"translation\": [0, 0, 0]}, "
    "\"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"body\": {\"type\": \"rigid\", \"ma"
    "ss\": 0.1, \"com\": [0.05, 0, 0], \"inertia\": [1e-05, 8.333333333333336e-05, 8.3333333333"
    "33336e-05]}}, {\"name\": \"coupler\", \"parent\": \"crank\", \"pose\": {\"translation\": ["
    "0.1, 0, 0]}, \"joint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"body\": {\"type\": \""
    "rigid\", \"mass\": 0.3, \"com\": [0.15, 0, 0], \"inertia\": [1e-05, 0.00225, 0.00225]}}, {"
    "\"name\": \"rocker\", \"parent\": \"world\", \"pose\": {\"translation\": [0.3, 0, 0]}, \"j"
    "oint\": {\"type\": \"revolute\", \"axis\": \"z\"}, \"body\": {\"type\": \"rigid\", \"mass\""
    ": 0.25, \"com\": [0.125, 0, 0], \"inertia\": [1e-05, 0.0013020833333333333, 0.001302083333"
    "3333333]}}], \"loops\": [{\"name\": \"pin\", \"a\": {\"link\": \"coupler\", \"pose\": {\"t"
    "ranslation\": [0.3, 0, 0]}}, \"b\": {\"link\": \"rocker\", \"pose\": {\"translation\": [0."
    "25, 0, 0]}}, \"joint\": {\"type\": \"revolute\"}}], \"actuators\": []}";
static const char CUSP[] = "{\"format\": \"tendril.model/1\", \"name\": \"cusp\", \"links\": [{\"name\": \"base\", \"j"
                           "oint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rigid\", \"mass\": 0.1, \"inertia\":"
                           " [0.0001, 0.0001, 0.0001]}}, {\"name\": \"a\", \"parent\": \"base\", \"joint\": {\"type\":"
                           " \"revolute\", \"axis\": \"y\", \"damping\": 0.001}, \"body\": {\"type\": \"rigid\", \"mas"
                           "s\": 0.1, \"com\": [0.02, 0, 0], \"inertia\": [1e-05, 1e-05, 1e-05]}}], \"actuators\": [{\""
                           "name\": \"t\", \"type\": \"tendon\", \"segments\": [{\"link\": \"base\", \"points\": [[-0."
                           "02, 0, -0.008]]}, {\"link\": \"a\", \"points\": [[0.02, 0, -0.008]]}]}]}";
static const char FINGER[] =
    "{\"format\": \"tendril.model/1\", \"name\": \"finger\", \"gravity\": [0, 0, -9.81], \"link"
    "s\": [{\"name\": \"palm\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rigid\""
    ", \"shape\": {\"type\": \"box\", \"size\": [0.02, 0.03, 0.03]}, \"density\": 1200, \"com\""
    ": [-0.01, 0, 0]}}, {\"name\": \"p1\", \"parent\": \"palm\", \"joint\": {\"type\": \"revolu"
    "te\", \"axis\": \"y\", \"damping\": 0.001}, \"body\": {\"type\": \"rigid\", \"shape\": {\""
    "type\": \"box\", \"size\": [0.04, 0.01, 0.01]}, \"density\": 1200, \"com\": [0.02, 0, 0]}}"
    ", {\"name\": \"p2\", \"parent\": \"p1\", \"pose\": {\"translation\": [0.04, 0, 0]}, \"join"
    "t\": {\"type\": \"revolute\", \"axis\": \"y\", \"damping\": 0.001}, \"body\": {\"type\": \""
    "rigid\", \"shape\": {\"type\": \"box\", \"size\": [0.04, 0.01, 0.01]}, \"density\": 1200, "
    "\"com\": [0.02, 0, 0]}}, {\"name\": \"pad\", \"parent\": \"p2\", \"pose\": {\"translation\""
    ": [0.04, 0, 0]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\""
    ": 0.05, \"section\": {\"shape\": \"rectangle\", \"height\": 0.01, \"width\": 0.004, \"tors"
    "ion_constant\": 1.9e-10}, \"material\": {\"young\": 2000000.0, \"poisson\": 0.45, \"densit"
    "y\": 1100, \"viscosity\": 2000.0}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"ben"
    "ding_y\": 3, \"elongation\": 0}}}}], \"springs\": [{\"name\": \"s1\", \"a\": {\"link\": \""
    "palm\", \"pose\": {\"translation\": [-0.005, 0, 0.01]}}, \"b\": {\"link\": \"p1\", \"pose\""
    ": {\"translation\": [0.02, 0, 0.01]}}, \"stiffness\": 300, \"damping\": 0.5}, {\"name\": \""
    "s2\", \"a\": {\"link\": \"p1\", \"pose\": {\"translation\": [0.02, 0, 0.01]}}, \"b\": {\"l"
    "ink\": \"p2\", \"pose\": {\"translation\": [0.02, 0, 0.01]}}, \"stiffness\": 200, \"dampin"
    "g\": 0.5}], \"actuators\": [{\"name\": \"flex\", \"type\": \"tendon\", \"segments\": [{\"l"
    "ink\": \"palm\", \"points\": [[-0.01, 0, -0.012]]}, {\"link\": \"p1\", \"points\": [[0.01,"
    " 0, -0.008], [0.03, 0, -0.008]]}, {\"link\": \"p2\", \"points\": [[0.01, 0, -0.008], [0.03"
    "5, 0, -0.008]]}]}], \"contacts\": [{\"type\": \"sphere\", \"name\": \"ball\", \"radius\": "
    "0.03, \"stiffness\": 200000.0, \"pose\": {\"translation\": [0.075, 0, -0.055]}, \"links\":"
    " [\"pad\"]}]}";

static const td_warning *moved_of(const recording *r) {
  for (int i = 0; i < r->statistics.warnings.count; i++)
    if (!strcmp(r->statistics.warnings.list[i].code, "initial_moved")) return &r->statistics.warnings.list[i];
  return NULL;
}

START_TEST(a_given_state_that_opens_the_loops_is_not_left_silently) {
  td_model *model = test_model_from_text(FOUR_BAR);
  double open[3] = {0.5, 0.6, 1.9}, closed[3];
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.01, open);
  recording r = {0}, again = {0}, plain = {0};
  recording_ok(&r, model, &spec);
  const td_warning *w = moved_of(&r);
  ck_assert_ptr_nonnull(w);
  ck_assert_str_eq(w->pointer, "/initial/q");
  ck_assert_msg(strstr(w->detail, "instead of") != NULL, "%s", w->detail);
  memcpy(closed, r.rows, sizeof closed);
  spec.q = closed;
  recording_ok(&again, model, &spec);
  ck_assert_ptr_null(moved_of(&again));
  spec = recording_job(model, TD_METHOD_BDF, 0.01, NULL); // zero is a default, which nobody gave
  recording_run(&plain, model, &spec, NULL);
  ck_assert_ptr_null(moved_of(&plain));
  recording_free(&r), recording_free(&again), recording_free(&plain);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_state_with_open_loops_is_not_linearised_at) {
  td_model *model = test_model_from_text(FOUR_BAR);
  double open[3] = {0.5, 0.6, 1.9};
  td_linearize_spec spec = {.at = TD_AT_STATE, .q = open, .q_count = 3};
  td_error err = {0};
  ck_assert_int_eq(td_linearize_run(model, &spec, NULL, NULL, &err), TD_INVALID_ARGUMENT);
  ck_assert_str_eq(err.pointer, "/at/q");
  ck_assert_msg(strstr(err.message, "is open by") != NULL, "%s", err.message);
  td_model_destroy(model);
}
END_TEST

typedef struct answers {
  int count, failed;
  td_error first;
} answers;

static bool keep(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                 const td_error *failure) {
  answers *a = context;
  (void)index, (void)u, (void)q, (void)result;
  if (failure && a->failed++ == 0) a->first = *failure;
  a->count++;
  return true;
}

START_TEST(a_list_does_not_climb_where_a_tendon_has_pulled_its_points_together) {
  td_model *model = test_model_from_text(FINGER);
  const double tension[3] = {0, 1, 2};
  td_input_spec input = {.channel = "flex", .list = tension, .list_count = 3};
  td_statics_spec spec = {.inputs = &input, .input_count = 1};
  answers a = {0};
  td_error err = {0};
  td_statics_defaults(&spec.options);
  ck_assert_int_eq(
      td_statics_run(model, &spec, 0, NULL, &(td_statics_hooks){.context = &a, .solved = keep}, NULL, &err), TD_OK);
  ck_assert_int_eq(a.count, 3);
  ck_assert_int_ge(a.failed, 1);
  ck_assert_msg(strstr(a.first.message, "tendon \"flex\" has no length left between its points on \"p1\" and \"p2\"") !=
                    NULL,
                "%s", a.first.message);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_that_ends_there_names_the_tendon) {
  td_model *model = test_model_from_text(CUSP);
  td_input_spec input = {.channel = "t", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 1}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 2, NULL);
  spec.inputs = &input, spec.input_count = 1;
  recording r = {0};
  recording_run(&r, model, &spec, NULL);
  ck_assert_msg(r.status == TD_STEP_TOO_SMALL || r.status == TD_NOT_CONVERGED, "%s", td_status_name(r.status));
  ck_assert_msg(strstr(r.error.message, "tendon \"t\" has no length left between") != NULL, "%s", r.error.message);
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

START_TEST(points_that_a_tendon_has_pulled_together_are_no_equilibrium) {
  td_model *model = test_model_from_text(CUSP);
  const double tension[3] = {0.1, 1, 0};
  td_input_spec input = {.channel = "t", .list = tension, .list_count = 3};
  td_statics_spec spec = {.inputs = &input, .input_count = 1};
  answers a = {0};
  td_error err = {0};
  td_statics_defaults(&spec.options);
  ck_assert_int_eq(
      td_statics_run(model, &spec, 0, NULL, &(td_statics_hooks){.context = &a, .solved = keep}, NULL, &err), TD_OK);
  ck_assert_int_eq(a.count, 3);
  ck_assert_int_ge(a.failed, 2);
  ck_assert_msg(strstr(a.first.message, "has no length left between its points on \"base\" and \"a\"") != NULL, "%s",
                a.first.message);
  td_model_destroy(model);
}
END_TEST

// ---- inside out

// A ram of EA = 3142 N.
static const char RAM[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"ram\", \"joint\": "
    "{\"type\": "
    "\"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 1, \"section\": {\"shape\": \"circle\", \"radius\": 0.01}, "
    "\"material\": {\"young\": 1e7, \"poisson\": 0.3, \"density\": 1000}, \"strain\": {\"basis\": "
    "\"legendre\", \"order\": {\"elongation\": 2}}}}], \"loads\": [{\"name\": \"P\", \"link\": \"ram\", \"channels\": "
    "[null, null, null, \"X\", null, null]}]}";

static const td_warning *warning_of(const td_run_statistics *s, const char *code) {
  for (int i = 0; i < s->warnings.count; i++)
    if (!strcmp(s->warnings.list[i].code, code)) return &s->warnings.list[i];
  return NULL;
}

static void names_the_ram(const char *text) {
  ck_assert_msg(strstr(text, "rod \"ram\" is turned inside out") && strstr(text, "EA of 3.14e+03 N"), "%s", text);
}

START_TEST(a_rod_pushed_by_more_than_its_stiffness_has_no_equilibrium) {
  td_model *model = test_model_from_text(RAM);
  const double push[4] = {-3000, -3300, -4712, 3300};
  td_input_spec input = {.channel = "X", .list = push, .list_count = 4};
  td_statics_spec spec = {.inputs = &input, .input_count = 1};
  td_run_statistics statistics;
  answers a = {0};
  td_error err = {0};
  td_statics_defaults(&spec.options);
  td_statics_hooks hooks = {.context = &a, .solved = keep};
  ck_assert_int_eq(td_statics_run(model, &spec, 0, NULL, &hooks, &statistics, &err), TD_OK);
  ck_assert_int_eq(a.count, 4);
  ck_assert_int_eq(a.failed, 2);
  names_the_ram(a.first.message);
  const td_warning *w = warning_of(&statistics, "inside_out");
  ck_assert_ptr_nonnull(w);
  ck_assert_str_eq(w->pointer, "/model/links/0/body");
  ck_assert_int_eq(td_warning_rank_of(w->code), TD_RANK_FALSE);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_path_ends_where_a_rod_would_turn_inside_out) {
  td_model *model = test_model_from_text(RAM);
  td_statics_spec spec = {.continuation = {.channel = "X", .steps = 40, .bounded = true, .to = -5000, .ds = 0.2}};
  answers a = {0};
  td_error err = {0};
  td_statics_defaults(&spec.options);
  td_statics_hooks hooks = {.context = &a, .solved = keep};
  ck_assert_int_eq(td_statics_run(model, &spec, 0, NULL, &hooks, NULL, &err), TD_OK);
  ck_assert_int_gt(a.count, 4);
  ck_assert_int_eq(a.failed, 1);
  names_the_ram(a.first.message);
  td_model_destroy(model);
}
END_TEST

// It says so first, before what was odd from the start, and fails by that where it shall.
START_TEST(a_run_in_which_a_rod_turns_inside_out_is_inconsistent) {
  td_model *model = test_model_from_text(RAM);
  td_input_spec input = {.channel = "X", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = -1000}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.02, NULL);
  spec.inputs = &input, spec.input_count = 1;
  recording still = {0}, r = {0}, failed = {0};
  recording_run(&still, model, &spec, NULL);
  ck_assert_ptr_null(warning_of(&still.statistics, "inside_out"));
  input.signal.offset = -4000;
  recording_ok(&r, model, &spec);
  const td_warning *w = &r.statistics.warnings.list[0];
  ck_assert_ptr_nonnull(warning_of(&r.statistics, "undamped"));
  ck_assert_str_eq(w->code, "inside_out");
  names_the_ram(w->detail);
  spec.fail_on_inconsistency = true;
  recording_run(&failed, model, &spec, NULL);
  ck_assert_int_eq(failed.status, TD_INCONSISTENT);
  names_the_ram(failed.error.message);
  recording_free(&still), recording_free(&r), recording_free(&failed);
  td_model_destroy(model);
}
END_TEST

START_TEST(no_job_starts_from_a_rod_that_is_inside_out) {
  td_model *model = test_model_from_text(RAM);
  double inside[3] = {-1.2, 0, 0}, only_at_its_base[3] = {0, 1.1, 0}, thin[3] = {-0.95, 0, 0},
         *bad[] = {inside, only_at_its_base};
  td_error err = {0};
  size_t count;
  for (int i = 0; i < 2; i++) {
    td_dynamics_spec run = recording_job(model, TD_METHOD_BDF, 0.1, bad[i]);
    td_statics_spec statics = {.initial = TD_INITIAL_ARRAY, .q = bad[i], .q_count = 3};
    td_linearize_spec linear = {.at = TD_AT_STATE, .q = bad[i], .q_count = 3};
    ck_assert_int_eq(td_dynamics_check(model, &run, NULL, &err), TD_INVALID_ARGUMENT);
    ck_assert_str_eq(err.pointer, "/initial/q");
    names_the_ram(err.message);
    ck_assert_int_eq(td_statics_check(model, &statics, &count, NULL, &err), TD_INVALID_ARGUMENT);
    ck_assert_str_eq(err.pointer, "/initial/q");
    ck_assert_int_eq(td_linearize_count(model, &linear, &err), 0);
    ck_assert_str_eq(err.pointer, "/at/q");
  }
  td_dynamics_spec run = recording_job(model, TD_METHOD_BDF, 0.1, thin);
  ck_assert_int_eq(td_dynamics_check(model, &run, NULL, &err), TD_OK);
  td_model_destroy(model);
}
END_TEST

// ---- bent tighter than its section

// EI = 7.854e-4 N m^2 and r = 0.01 m: a moment of 0.07854 N m bends it to its own radius.
static const char BENT[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"reed\", \"joint\": "
    "{\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.1, \"section\": {\"shape\": \"circle\", "
    "\"radius\": 0.01}, \"material\": {\"young\": 1e5, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 3000}, "
    "\"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 0}}}}], \"loads\": [{\"name\": \"M\", \"link\": "
    "\"reed\", \"channels\": [null, \"M\", null, null, null, null]}]}";

static void names_the_reed(const td_warning *w, const char *radius) {
  ck_assert_ptr_nonnull(w);
  ck_assert_str_eq(w->pointer, "/model/links/0/body");
  ck_assert_int_eq(td_warning_rank_of(w->code), TD_RANK_DOUBTFUL);
  ck_assert_msg(strstr(w->detail, "\"reed\" is bent tighter") && strstr(w->detail, radius), "%s", w->detail);
}

START_TEST(an_equilibrium_bent_tighter_than_the_section_is_not_left_silently) {
  td_model *model = test_model_from_text(BENT);
  const double moment[4] = {0.07, 0.078, 0.0793, 0.09};
  td_run_statistics statistics;
  td_error err = {0};
  for (int i = 0; i < 4; i++) {
    td_input_spec input = {.channel = "M", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = moment[i]}};
    td_statics_spec spec = {.inputs = &input, .input_count = 1};
    td_statics_defaults(&spec.options);
    ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, NULL, &statistics, &err), "%s", err.message);
    const td_warning *w = warning_of(&statistics, "folded_section");
    ck_assert_msg((w != NULL) == (i > 1), "%g N m", moment[i]);
    if (i == 3) names_the_reed(w, "is 0.00873 m");
  }
  td_statics_spec path = {.continuation = {.channel = "M", .steps = 60, .bounded = true, .to = 0.09, .ds = 0.5}};
  td_statics_defaults(&path.options);
  ck_assert_msg(!td_statics_run(model, &path, 0, NULL, NULL, &statistics, &err), "%s", err.message);
  names_the_reed(warning_of(&statistics, "folded_section"), "m from the axis");
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_through_shapes_bent_tighter_than_the_section_says_from_when_on) {
  td_model *model = test_model_from_text(BENT);
  td_input_spec input = {.channel = "M", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 0.06}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 2, NULL);
  spec.inputs = &input, spec.input_count = 1;
  recording fine = {0}, bent = {0};
  recording_ok(&fine, model, &spec);
  ck_assert_ptr_null(warning_of(&fine.statistics, "folded_section"));
  input.signal.offset = 0.09;
  recording_ok(&bent, model, &spec);
  const td_warning *w = warning_of(&bent.statistics, "folded_section");
  names_the_reed(w, "from t = ");
  recording_free(&fine), recording_free(&bent);
  td_model_destroy(model);
}
END_TEST

// ---- stretched beyond what rods stand

// EA = 31.4 N: 62.8 N pull it to three times its length, where the answer is still one of the linear law alone.
static const char PULLED[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"band\", \"joint\": "
    "{\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.1, \"section\": {\"shape\": \"circle\", "
    "\"radius\": 0.01}, \"material\": {\"young\": 1e5, \"poisson\": 0.5, \"density\": 1000, \"viscosity\": 3000}, "
    "\"strain\": {\"basis\": \"legendre\", \"order\": {\"elongation\": 0}}}}], \"loads\": [{\"name\": \"F\", \"link\": "
    "\"band\", \"channels\": [null, null, null, \"F\", null, null]}]}";

static void names_the_band(const td_warning *w, const char *words) {
  ck_assert_ptr_nonnull(w);
  ck_assert_str_eq(w->pointer, "/model/links/0/body");
  ck_assert_int_eq(td_warning_rank_of(w->code), TD_RANK_DOUBTFUL);
  ck_assert_msg(strstr(w->detail, "\"band\" is stretched to ") && strstr(w->detail, words), "%s", w->detail);
}

START_TEST(a_rod_stretched_beyond_three_times_its_length_is_not_left_silently) {
  td_model *model = test_model_from_text(PULLED);
  const double pull[3] = {30, 62, 1539.38};
  td_run_statistics statistics;
  td_error err = {0};
  for (int i = 0; i < 3; i++) {
    td_input_spec input = {.channel = "F", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = pull[i]}};
    td_statics_spec spec = {.inputs = &input, .input_count = 1};
    td_statics_defaults(&spec.options);
    ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, NULL, &statistics, &err), "%s", err.message);
    const td_warning *w = warning_of(&statistics, "overstretched");
    ck_assert_msg((w != NULL) == (i == 2), "%g N", pull[i]);
    if (w) names_the_band(w, "to 50 times its length");
  }
  td_statics_spec path = {.continuation = {.channel = "F", .steps = 60, .bounded = true, .to = 80, .ds = 10}};
  td_statics_defaults(&path.options);
  ck_assert_msg(!td_statics_run(model, &path, 0, NULL, NULL, &statistics, &err), "%s", err.message);
  names_the_band(warning_of(&statistics, "overstretched"), "EA of 31.4 N");
  td_input_spec input = {.channel = "F", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 60}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 2, NULL);
  spec.inputs = &input, spec.input_count = 1;
  recording fine = {0}, torn = {0};
  recording_ok(&fine, model, &spec);
  ck_assert_ptr_null(warning_of(&fine.statistics, "overstretched"));
  input.signal.offset = 90;
  recording_ok(&torn, model, &spec);
  names_the_band(warning_of(&torn.statistics, "overstretched"), "from t = ");
  recording_free(&fine), recording_free(&torn);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_first_guess_that_is_far_from_closed_is_not_left_silently) {
  td_model *model = test_model_from_text(FOUR_BAR);
  double q[3] = {0.5, 0.6, 1.9};
  td_statics_spec spec = {.initial = TD_INITIAL_ARRAY, .q = q, .q_count = 3};
  td_run_statistics statistics;
  td_error err = {0};
  td_statics_defaults(&spec.options);
  for (int again = 0; again < 2; again++) {
    ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, NULL, &statistics, &err), "%s", err.message);
    const td_warning *w = warning_of(&statistics, "initial_moved");
    ck_assert_int_eq(w != NULL, !again);
    if (w) ck_assert_msg(strstr(w->detail, "first guess") && !strcmp(w->pointer, "/initial/q"), "%s", w->detail);
    recording closed = {0};
    td_dynamics_spec run = recording_job(model, TD_METHOD_BDF, 0.001, q);
    recording_ok(&closed, model, &run);
    q[0] = closed.rows[0] + 0.01, q[1] = closed.rows[1], q[2] = closed.rows[2]; // a rough guess will do
    recording_free(&closed);
  }
  td_model_destroy(model);
}
END_TEST

// ---- starts that nobody gave

// Two rods welded at their tips by a loop whose frame is turned by `TURN`.
static const char WELDED[] =
    "{\"format\": \"tendril.model/1\", \"name\": \"two\", \"gravity\": [0, 0, -9.81], \"links\": [{"
    "\"name\": \"a\", \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0."
    "3, \"section\": {\"shape\": \"circle\", \"radius\": 0.005}, \"material\": {\"young\": 10000000."
    "0, \"poisson\": 0.45, \"density\": 1100, \"viscosity\": 2000.0}, \"strain\": {\"basis\": \"lege"
    "ndre\", \"order\": {\"torsion\": 1, \"bending_y\": 2, \"bending_z\": 2, \"elongation\": 0}}}, "
    "\"pose\": {\"rpy\": [0, -1.5707963267948966, 0]}}, {\"name\": \"b\", \"joint\": {\"type\": \"fi"
    "xed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": {\"shape\": \"circle\", \"r"
    "adius\": 0.005}, \"material\": {\"young\": 10000000.0, \"poisson\": 0.45, \"density\": 1100, \""
    "viscosity\": 2000.0}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": 1, \"bendi"
    "ng_y\": 2, \"bending_z\": 2, \"elongation\": 0}}}, \"pose\": {\"translation\": [0, 0.05, 0], \""
    "rpy\": [0, -1.5707963267948966, 0]}}], \"loops\": [{\"name\": \"weld\", \"a\": {\"link\": \"b\""
    "}, \"b\": {\"link\": \"a\", \"pose\": {\"translation\": [0, 0.05, 0], \"rpy\": [1.5707963267948"
    "966, 0, 0]}}, \"joint\": {\"type\": \"fixed\"}}]}";

static td_model *welded(double turn, double beside) {
  char text[sizeof WELDED + 128], number[96];
  snprintf(number, sizeof number, "[0, %.17g, 0], \"rpy\": [%.17g, 0, 0]", 0.05 + beside, turn);
  const char *first = strstr(WELDED, "\"loops\""), *at = strstr(strstr(first, "translation"), "[0, 0.05"),
             *after = strstr(strstr(at, "rpy"), "]") + 1;
  ck_assert_ptr_nonnull(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - WELDED), WELDED, number, after);
  return test_model_from_text(text);
}

static void welded_says(double turn, double beside, const char *what) {
  td_model *model = welded(turn, beside);
  td_statics_spec statics = {.initial = TD_INITIAL_ZERO};
  td_run_statistics statistics;
  td_error err = {0};
  td_statics_defaults(&statics.options);
  ck_assert_msg(!td_statics_run(model, &statics, 0, NULL, NULL, &statistics, &err), "%s", err.message);
  recording run = {0};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 1e-4, NULL);
  recording_ok(&run, model, &spec);
  const td_warning *both[2] = {warning_of(&statistics, "initial_moved"), moved_of(&run)};
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(both[i] != NULL, what != NULL);
    if (!what) continue;
    ck_assert_str_eq(both[i]->pointer, "/model/loops/0");
    ck_assert_msg(strstr(both[i]->detail, what) && strstr(both[i]->detail, "\"weld\""), "%s", both[i]->detail);
  }
  recording_free(&run);
  td_model_destroy(model);
}

START_TEST(a_loop_whose_frame_was_forgotten_is_named_though_no_state_was_given) {
  welded_says(M_PI / 2, 0, "90 degrees apart");
  welded_says(0, 0.1, "0.1 m"); // and rods are stretched by that
  welded_says(0, 0, NULL);
  welded_says(0.6, 0.01, NULL); // closes by bending and twisting
}
END_TEST

// A rod on a joint of mode position, 0.1 m inside of a plane.
static const char SUNK[] =
    "{\"format\": \"tendril.model/1\", \"name\": \"r\", \"gravity\": [0, 0, -9.81], \"links\": [{\"n"
    "ame\": \"s\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\"}}, {\"name\": \"arm\", \"joi"
    "nt\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": {\"sha"
    "pe\": \"circle\", \"radius\": 0.005}, \"material\": {\"young\": 1000000.0, \"poisson\": 0.45, "
    "\"density\": 1100, \"viscosity\": 2000.0}, \"strain\": {\"basis\": \"legendre\", \"order\": {\""
    "bending_y\": 4, \"bending_z\": 4}}}, \"parent\": \"s\"}], \"contacts\": [{\"type\": \"plane\", "
    "\"axis\": \"z\", \"stiffness\": 10000.0, \"pose\": {\"translation\": [0, 0, 0.1]}}], \"actuator"
    "s\": [{\"name\": \"p\", \"type\": \"joint\", \"link\": \"s\", \"mode\": \"position\"}]}";

// Two boxes of one size that lie nearly in each other: their corners are not deep in either. Two of them twice as far
// apart as they are wide are not told.
START_TEST(boxes_that_start_in_each_other_are_told_though_their_corners_are_not_deep) {
  static const char BOX[] =
      "\"joint\": {\"type\": \"free\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": "
      "[1, 1, 1], \"collision\": {\"shape\": \"box\", \"size\": [0.1, 0.1, 0.1]}}";
  char text[2048];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", %s}, {\"name\": \"b\", %s}], "
           "\"contacts\": [{\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"b\"], \"stiffness\": 10}]}",
           BOX, BOX);
  td_model *model = test_model_from_text(text);
  for (int apart = 0; apart < 2; apart++) {
    double q[12] = {[9] = apart ? 0.2 : 1e-3};
    td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 1e-4, q);
    recording run = {0};
    recording_ok(&run, model, &spec);
    const td_warning *w = warning_of(&run.statistics, "starts_inside");
    ck_assert(apart ? !w : w && !strcmp(w->pointer, "/model/contacts/0"));
    recording_free(&run);
  }
  td_model_destroy(model);
}
END_TEST

static const td_warning *of_model(const td_model *model, const char *code) {
  const td_warnings *all = td_model_warnings(model);
  for (int i = 0; i < all->count; i++)
    if (!strcmp(all->list[i].code, code)) return &all->list[i];
  return NULL;
}

START_TEST(a_pair_that_touches_by_two_contacts_and_one_that_cannot_move_are_told_with_their_place) {
  static const char LAW[] = "\"stiffness\": 10";
  static const char BALL[] = "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1], \"collision\": "
                             "{\"shape\": \"sphere\", \"radius\": 0.1}}";
  static const char *const joints[] = {"free", "fixed"};
  for (int fixed = 0; fixed < 2; fixed++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"a\", \"joint\": {\"type\": \"%s\"}, %s}, "
             "{\"name\": \"b\", \"joint\": {\"type\": \"fixed\"}, %s}, {\"name\": \"c\", \"joint\": {\"type\": "
             "\"free\"}, %s}], \"contacts\": [{\"type\": \"pair\", \"a\": [\"a\"], \"b\": [\"c\"], %s}, {\"type\": "
             "\"pair\", \"a\": [\"b\"], \"b\": [\"%s\"], %s}, {\"type\": \"pair\", \"a\": [\"c\"], \"b\": [\"%s\"], "
             "%s}]}",
             joints[fixed], BALL, BALL, BALL, LAW, "a", LAW, fixed ? "b" : "a", LAW);
    td_model *model = test_model_from_text(text);
    const td_warning *twice = of_model(model, "counted_twice"), *idle = of_model(model, "idle_force");
    ck_assert(fixed ? !twice : twice && !strcmp(twice->pointer, "/contacts/2"));
    ck_assert(fixed ? idle && !strcmp(idle->pointer, "/contacts/1") : !idle);
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(a_robot_on_prescribed_joints_that_starts_inside_of_a_plane_is_told_without_an_initial_state) {
  td_model *model = test_model_from_text(SUNK);
  td_input_spec input = {.channel = "p", .signal = {.type = TD_SIGNAL_CONSTANT}};
  td_statics_spec statics = {.initial = TD_INITIAL_ZERO, .inputs = &input, .input_count = 1};
  td_run_statistics statistics;
  td_error err = {0};
  td_statics_defaults(&statics.options);
  (void)!td_statics_run(model, &statics, 0, NULL, NULL, &statistics, &err);
  const td_warning *w = warning_of(&statistics, "starts_inside");
  ck_assert_ptr_nonnull(w);
  ck_assert_str_eq(w->pointer, "/model/contacts/0");
  recording run = {0};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 1e-4, NULL);
  spec.inputs = &input, spec.input_count = 1;
  recording_ok(&run, model, &spec);
  ck_assert_ptr_nonnull(warning_of(&run.statistics, "starts_inside"));
  recording_free(&run);
  td_model_destroy(model);
}
END_TEST

// ---- twisted between clamps

// phi turns the base; the other end slides. Greenhill: it buckles at a torque of 8.987 EI/L, which is a twist of 13.48
// rad.
static const char TWISTED[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"rod\", \"joint\": {\"type\": "
    "\"revolute\", \"axis\": \"x\"}, \"body\": {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": "
    "\"circle\", "
    "\"radius\": 0.005}, \"material\": {\"young\": 1e7, \"poisson\": 0.5, \"density\": 1000}, \"strain\": {\"basis\": "
    "\"legendre\", \"order\": {\"torsion\": 2, \"bending_y\": 5, \"bending_z\": 5}}}}], \"actuators\": [{\"name\": "
    "\"phi\", \"type\": \"joint\", \"link\": \"rod\", \"mode\": \"position\"}], \"loops\": [{\"name\": \"end\", \"a\": "
    "{\"link\": \"rod\", \"at\": 1}, \"b\": {\"link\": \"world\", \"pose\": {\"translation\": [0.5, 0, 0]}}, "
    "\"joint\": "
    "{\"type\": \"prismatic\", \"axis\": \"x\"}}]}";

typedef struct twisted {
  double torsion;
  bool stable;
} twisted;

static bool keep_twist(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                       const td_error *failure) {
  (void)index, (void)u;
  ck_assert_msg(!failure, "%s", failure->message);
  *(twisted *)context = (twisted){q[1], result->stable};
  return true;
}

static twisted twist(td_model *model, double phi, td_run_statistics *statistics) {
  td_input_spec input = {.channel = "phi", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = phi}};
  td_statics_spec spec = {.inputs = &input, .input_count = 1};
  twisted found = {0};
  td_error err = {0};
  td_statics_defaults(&spec.options);
  td_statics_hooks hooks = {.context = &found, .solved = keep_twist};
  ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, &hooks, statistics, &err), "%s", err.message);
  return found;
}

START_TEST(a_joint_that_turns_by_more_than_half_a_turn_twists_the_rod_by_all_of_it) {
  td_model *model = test_model_from_text(TWISTED);
  td_run_statistics statistics;
  const double turned[3] = {3.5, -6.7, 12};
  for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(twist(model, turned[i], &statistics).torsion, -turned[i], 1e-9);
  td_model_destroy(model);
}
END_TEST

START_TEST(a_run_starts_with_its_loops_turned_along_with_a_joint) {
  td_model *model = test_model_from_text(TWISTED);
  const double turned[3] = {3.5, -6.7, 12};
  for (int i = 0; i < 3; i++) {
    td_input_spec input = {.channel = "phi", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = turned[i]}};
    td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 1e-3, NULL);
    spec.inputs = &input, spec.input_count = 1;
    recording r = {0};
    recording_ok(&r, model, &spec);
    ck_assert_double_eq_tol(r.rows[1], -turned[i], 1e-6);
    recording_free(&r);
  }
  td_model_destroy(model);
}
END_TEST

START_TEST(a_twisted_rod_that_only_lacks_the_functions_to_buckle_is_not_called_stable_silently) {
  td_model *model = test_model_from_text(TWISTED);
  td_run_statistics statistics;
  static const struct {
    double phi;
    bool buckles;
  } cases[] = {{12.8, false}, {14.1, true}, {15.5, true}, {20, true}, {27, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    twisted found = twist(model, cases[i].phi, &statistics);
    const td_warning *w = warning_of(&statistics, "coarse_basis");
    bool said = w && strstr(w->detail, "unstable with more");
    ck_assert_msg((said || !found.stable) == cases[i].buckles, "%g rad: stable %d, %s", cases[i].phi, found.stable,
                  w ? w->detail : "silent");
  }
  // where something else begins there
  td_input_spec input = {.channel = "phi", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = 14.1}};
  td_linearize_spec linear = {.at = TD_AT_EQUILIBRIUM, .run = {.inputs = &input, .input_count = 1}};
  td_error err = {0};
  ck_assert_msg(!td_linearize_run(model, &linear, NULL, &statistics, &err), "%s", err.message);
  const td_warning *linearised = warning_of(&statistics, "coarse_basis");
  ck_assert_msg(linearised && strstr(linearised->detail, "unstable with more"), "%s",
                linearised ? linearised->detail : "silent");
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 1e-3, NULL);
  spec.inputs = &input, spec.input_count = 1, spec.initial = TD_INITIAL_EQUILIBRIUM;
  recording r = {0};
  recording_ok(&r, model, &spec);
  const td_warning *begun = warning_of(&r.statistics, "coarse_basis");
  ck_assert_msg(begun && strstr(begun->detail, "unstable with more"), "%s", begun ? begun->detail : "silent");
  recording_free(&r);
  td_model_destroy(model);
}
END_TEST

// ---- through an obstacle

// A finger above a bar of 1 cm across its way, 4 cm below it at X = 0.25 m.
static const char OVER_A_BAR[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"finger\", \"joint\": "
    "{\"type\": "
    "\"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": {\"shape\": \"circle\", \"radius\": "
    "0.005}, "
    "\"material\": {\"young\": 1.6e8, \"poisson\": 0.4, \"density\": 1000}, \"strain\": {\"basis\": \"legendre\", "
    "\"order\": "
    "{\"bending_y\": 6}}, \"quadrature\": {\"points\": 60}}}], \"contacts\": [{\"name\": \"bar\", \"type\": "
    "\"cylinder_exterior\", \"axis\": \"y\", \"radius\": 0.01, \"stiffness\": 1e5, \"per\": \"length\", \"pose\": "
    "{\"translation\": [0.25, 0, -0.05]}}], \"loads\": [{\"name\": \"P\", \"link\": \"finger\", \"channels\": [null, "
    "null, "
    "null, null, null, \"Z\"]}]}";

enum { MOST_ROW = 32 };
typedef struct last_row {
  int n;
  double q[MOST_ROW];
} last_row;

static bool keep_last_row(void *context, size_t index, const double *u, const double *q,
                          const td_statics_result *result, const td_error *failure) {
  (void)index, (void)u, (void)result, (void)failure;
  last_row *row = context;
  memcpy(row->q, q, (size_t)row->n * sizeof *q);
  return true;
}

// Equilibria of a list of problems; the last one in `row`.
static void solve_list(const td_model *model, const td_input_spec *input, last_row *row,
                       td_run_statistics *statistics) {
  td_error err = {0};
  td_statics_hooks hooks = {.context = row, .solved = keep_last_row};
  td_statics_spec spec = {.inputs = input, .input_count = input ? 1 : 0};
  row->n = td_model_ndof(model);
  ck_assert_int_le(row->n, MOST_ROW);
  td_statics_defaults(&spec.options);
  ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, &hooks, statistics, &err), "%s", err.message);
}

START_TEST(a_load_at_once_lays_a_finger_on_the_bar_that_it_comes_to_lie_on_slowly) {
  td_model *model = test_model_from_text(OVER_A_BAR);
  static const double loads[] = {-0.1, -0.3, 1, -1};
  double slowly[26];
  for (int i = 0; i < 26; i++) slowly[i] = -0.04 * i;
  td_run_statistics statistics;
  td_error err = {0};
  last_row at_once, in_parts;
  for (int i = 0; i < 4; i++) {
    td_input_spec input = {.channel = "Z", .list = &loads[i], .list_count = 1};
    solve_list(model, &input, &at_once, &statistics);
    ck_assert_ptr_null(warning_of(&statistics, "contact_missed"));
  }
  td_input_spec input = {.channel = "Z", .list = slowly, .list_count = 26};
  solve_list(model, &input, &in_parts, &statistics);
  ck_assert_ptr_null(warning_of(&statistics, "contact_missed"));
  for (int i = 0; i < in_parts.n; i++) ck_assert_double_eq_tol(at_once.q[i], in_parts.q[i], 1e-7);
  for (int i = 1; i < 4; i += 2) {
    td_input_spec held = {.channel = "Z", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = loads[i]}};
    td_statics_spec path = {
        .inputs = &held, .input_count = 1, .continuation = {.channel = "Z", .steps = 1, .ds = 0.01}};
    td_statics_defaults(&path.options);
    ck_assert_msg(!td_statics_run(model, &path, 0, NULL, NULL, &statistics, &err), "%s", err.message);
    ck_assert_ptr_null(warning_of(&statistics, "contact_missed"));
    td_dynamics_spec run = recording_job(model, TD_METHOD_BDF, 1e-4, NULL);
    run.inputs = &held, run.input_count = 1, run.initial = TD_INITIAL_EQUILIBRIUM;
    recording r = {0};
    recording_ok(&r, model, &run);
    ck_assert_ptr_null(warning_of(&r.statistics, "contact_missed"));
    recording_free(&r);
    td_linearize_spec linear = {.at = TD_AT_EQUILIBRIUM, .run = {.inputs = &held, .input_count = 1}};
    ck_assert_msg(!td_linearize_run(model, &linear, NULL, &statistics, &err), "%s", err.message);
    ck_assert_ptr_null(warning_of(&statistics, "contact_missed"));
  }
  td_model_destroy(model);
}
END_TEST

// A soft rod of 0.3 m that sags onto a post across its way.
static td_model *over_a_post(int points, double x, double z, double radius) {
  char text[1200];
  snprintf(
      text, sizeof text,
      "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"arm\", \"joint\": "
      "{\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": {\"shape\": \"circle\", "
      "\"radius\": 0.006}, \"material\": {\"young\": 2e6, \"poisson\": 0.45, \"density\": 1100, \"viscosity\": 2000}, "
      "\"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 6}}, \"quadrature\": {\"points\": %d}}}], "
      "\"contacts\": [{\"name\": \"post\", \"type\": \"cylinder_exterior\", \"axis\": \"y\", \"radius\": %g, "
      "\"stiffness\": 3000, \"exponent\": 1.5, \"pose\": {\"translation\": [%g, 0, %g]}}]}",
      points, radius, x, z);
  return test_model_from_text(text);
}

// The whole of its weight at once: runs that fall slowly come to lie on the post, or slip through between two points,
// just so.
START_TEST(a_rod_that_sags_onto_a_post_lies_on_it_or_says_that_it_fell_through) {
  static const struct {
    int points;
    double x, z, radius;
    bool through, coarse;
  } cases[] = {{20, 0.15, -0.02, 0.01, false, true},  {24, 0.15, -0.02, 0.01, false, true},
               {40, 0.15, -0.02, 0.01, false, false}, {40, 0.08, -0.04, 0.008, false, false},
               {9, 0.12, -0.02, 0.01, true, true},    {16, 0.12, -0.03, 0.01, true, true},
               {20, 0.08, -0.02, 0.008, true, true},  {20, 0.12, -0.04, 0.008, true, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_model *model = over_a_post(cases[i].points, cases[i].x, cases[i].z, cases[i].radius);
    td_run_statistics statistics;
    td_workspace *ws;
    last_row row;
    solve_list(model, NULL, &row, &statistics);
    ck_assert(!td_workspace_create(model, &ws));
    td_se3 tip;
    ck_assert(!td_pose_at(model, ws, row.q, 0, 1, &tip));
    const td_warning *w = warning_of(&statistics, "contact_missed");
    ck_assert_msg((w != NULL) == cases[i].through, "%d points, post at %g: %s", cases[i].points, cases[i].x,
                  w ? w->detail : "silent");
    ck_assert_msg((tip.p[2] < -0.23) == cases[i].through, "%d points, post at %g: tip at %g", cases[i].points,
                  cases[i].x, tip.p[2]);
    if (w)
      ck_assert_msg(strstr(w->detail, "obstacle \"post\"") && !strcmp(w->pointer, "/model/contacts/0"), "%s",
                    w->detail);
    bool coarse = false;
    for (int k = 0; k < td_model_warnings(model)->count; k++)
      coarse |= !strcmp(td_model_warnings(model)->list[k].code, "coarse_contact");
    ck_assert_int_eq(coarse, cases[i].coarse);
    td_workspace_destroy(ws);
    td_model_destroy(model);
  }
}
END_TEST

#define FINGER(NAME, Y)                                                                                                \
  "{\"name\": \"" NAME "\", \"pose\": {\"translation\": [0, " Y ", 0]}, \"joint\": {\"type\": \"fixed\"}, \"body\": "  \
  "{\"type\": \"rod\", \"length\": 0.08, \"section\": {\"shape\": \"circle\", \"radius\": 0.005}, \"material\": "      \
  "{\"young\": "                                                                                                       \
  "5e5, \"poisson\": 0.48, \"density\": 1100}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"torsion\": 1, "     \
  "\"bending_y\": 4, \"bending_z\": 4, \"elongation\": 1}}, \"quadrature\": {\"points\": 40}}}"
#define TENDON(NAME, LINK, Y)                                                                                          \
  "{\"name\": \"" NAME "\", \"type\": \"tendon\", \"link\": \"" LINK                                                   \
  "\", \"routing\": {\"type\": \"linear\", \"base\": [" Y ", 0]}}"

// Two fingers squeeze a ball until they slip off it sideways, where they fork: no branch ends, whatever the steps of
// the list.
START_TEST(fingers_that_slip_off_a_ball_sideways_do_so_in_any_list_and_are_not_said_to_have_gone_through_it) {
  td_model *model = test_model_from_text(
      "{\"format\": \"tendril.model/1\", \"gravity\": [9.81, 0, 0], \"links\": [" FINGER("a", "0.028") ", " FINGER(
          "b",
          "-0.028") "], \"actuators\": [" TENDON("ta", "a",
                                                 "-0.004") ", " TENDON("tb", "b",
                                                                       "0.004") "], "
                                                                                "\"contacts\": [{\"type\": \"sphere\", "
                                                                                "\"radius\": 0.02, \"stiffness\": "
                                                                                "2000, \"pose\": {\"translation\": "
                                                                                "[0.055, 0, 0]}}]}");
  static const double coarse[] = {0, 1, 2, 3}, fine[] = {0, 0.5, 1, 1.5, 2, 3};
  td_se3 tip[2];
  td_workspace *ws;
  ck_assert(!td_workspace_create(model, &ws));
  for (int i = 0; i < 2; i++) {
    const double *list = i ? fine : coarse;
    size_t count = i ? 6 : 4;
    td_input_spec inputs[] = {{.channel = "ta", .list = list, .list_count = count},
                              {.channel = "tb", .list = list, .list_count = count}};
    td_statics_spec spec = {.inputs = inputs, .input_count = 2};
    td_run_statistics statistics;
    td_error err = {0};
    last_row row;
    td_statics_hooks hooks = {.context = &row, .solved = keep_last_row};
    row.n = td_model_ndof(model);
    ck_assert_int_le(row.n, MOST_ROW);
    td_statics_defaults(&spec.options);
    ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, &hooks, &statistics, &err), "%s", err.message);
    ck_assert_msg(!warning_of(&statistics, "contact_missed") && !warning_of(&statistics, "snapped"), "%zu problems",
                  count);
    ck_assert(!td_pose_at(model, ws, row.q, 0, 1, &tip[i]));
  }
  ck_assert_double_lt(tip[0].p[0], 0); // round the ball and back
  for (int k = 0; k < 2; k++) ck_assert_double_eq_tol(tip[0].p[k], tip[1].p[k], 1e-6);
  td_workspace_destroy(ws);
  td_model_destroy(model);
}
END_TEST

// ---- linearised where nothing holds it

// m g c / I = 9.81 / s^2: the least push grows by e in 0.3193 s at the top.
static const char UPRIGHT[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"arm\", \"joint\": "
    "{\"type\": \"revolute\", \"axis\": \"y\"}, \"body\": {\"type\": \"rigid\", \"mass\": 1, \"com\": [0, 0, -1], "
    "\"inertia\": [1e-12, 1e-12, 1e-12]}}]}";

// Two equal links under a follower force at the tip (Ziegler): flutter at 2.086 k/l, and no eigenvalue is real.
static const char ZIEGLER[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"a\", \"joint\": {\"type\": "
    "\"revolute\", \"axis\": \"y\", \"stiffness\": 1}, \"body\": {\"type\": \"rigid\", \"mass\": 2, \"com\": [1, 0, "
    "0], "
    "\"inertia\": [1e-12, 1e-12, 1e-12]}}, {\"name\": \"b\", \"parent\": \"a\", \"pose\": {\"translation\": [1, 0, "
    "0]}, "
    "\"joint\": {\"type\": \"revolute\", \"axis\": \"y\", \"stiffness\": 1}, \"body\": {\"type\": \"rigid\", \"mass\": "
    "1, "
    "\"com\": [1, 0, 0], \"inertia\": [1e-12, 1e-12, 1e-12]}}], \"loads\": [{\"name\": \"P\", \"link\": \"b\", "
    "\"pose\": "
    "{\"translation\": [1, 0, 0]}, \"frame\": \"body\", \"channels\": [null, null, null, \"P\", null, null]}]}";

static void linearised(const char *text, double *q, size_t n, double load, td_run_statistics *statistics) {
  td_model *model = test_model_from_text(text);
  td_input_spec input = {.channel = "P", .signal = {.type = TD_SIGNAL_CONSTANT, .offset = load}};
  td_linearize_spec spec = {.at = q ? TD_AT_STATE : TD_AT_EQUILIBRIUM, .q = q, .q_count = q ? n : 0};
  if (load != 0) spec.run.inputs = &input, spec.run.input_count = 1;
  td_error err = {0};
  ck_assert_msg(!td_linearize_run(model, &spec, NULL, statistics, &err), "%s", err.message);
  td_model_destroy(model);
}

START_TEST(an_unstable_equilibrium_is_not_linearised_at_silently) {
  td_run_statistics s;
  double top[1] = {3.14159}, aside[1] = {2.9}, bottom[1] = {0};
  linearised(UPRIGHT, top, 1, 0, &s);
  const td_warning *w = warning_of(&s, "unstable");
  ck_assert_ptr_nonnull(w);
  ck_assert_str_eq(w->pointer, "/at");
  ck_assert_msg(strstr(w->detail, "eigenvalue 3.13209 1/s") != NULL, "%s", w->detail);
  linearised(UPRIGHT, aside, 1, 0, &s); // no equilibrium: it falls whatever the linearisation says
  ck_assert_ptr_null(warning_of(&s, "unstable"));
  linearised(UPRIGHT, bottom, 1, 0, &s);
  ck_assert_ptr_null(warning_of(&s, "unstable"));
  linearised(UPRIGHT, NULL, 0, 0, &s);
  ck_assert_ptr_null(warning_of(&s, "unstable"));
  linearised(ZIEGLER, NULL, 0, -2.0, &s);
  ck_assert_ptr_null(warning_of(&s, "unstable"));
  linearised(ZIEGLER, NULL, 0, -2.2, &s);
  w = warning_of(&s, "unstable");
  ck_assert_ptr_nonnull(w);
  ck_assert_msg(strstr(w->detail, " +- ") != NULL, "%s", w->detail);
}
END_TEST

// ---- a kink

static const char LANDED[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"z\", \"pose\": "
    "{\"translation\": "
    "[0, 0, 1]}, \"joint\": {\"type\": \"prismatic\", \"axis\": \"z\", \"stiffness\": 100}, \"body\": {\"type\": "
    "\"rod\", "
    "\"length\": 0.02, \"section\": {\"shape\": \"stiffness\", \"mass_per_length\": 50, \"inertia_per_length\": "
    "[0.002, "
    "0.001, 0.001], \"radius\": 0.01}, \"strain\": {\"basis\": \"legendre\", \"order\": {}}}}], \"contacts\": "
    "[{\"name\": "
    "\"floor\", \"type\": \"plane\", \"stiffness\": 1e4, \"exponent\": 1, \"pose\": {\"translation\": [0, 0, 0.99]}}]}";

START_TEST(no_linearisation_is_given_silently_where_a_point_just_touches) {
  td_model *model = test_model_from_text(LANDED);
  const double height[3] = {0, 1e-6, -1e-6};
  for (int i = 0; i < 3; i++) {
    td_linearize_spec spec = {.at = TD_AT_STATE, .q = &height[i], .q_count = 1};
    td_run_statistics statistics;
    td_error err = {0};
    ck_assert_msg(!td_linearize_run(model, &spec, NULL, &statistics, &err), "%s", err.message);
    const td_warning *w = warning_of(&statistics, "contact_kink");
    ck_assert_int_eq(w != NULL, i == 0);
    if (w) ck_assert_msg(strstr(w->detail, "\"floor\"") && !strcmp(w->pointer, "/model/contacts/0"), "%s", w->detail);
  }
  td_model_destroy(model);
}
END_TEST

static const char BESIDE[] =
    "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"z\", \"joint\": {\"type\": "
    "\"prismatic\", \"axis\": \"z\", \"stiffness\": 100}, \"body\": {\"type\": \"rigid\", \"shape\": {\"type\": "
    "\"sphere\", \"radius\": 0.25}, \"density\": 700}}, {\"name\": \"still\", \"pose\": {\"translation\": [0, 0, "
    "-0.5]}, \"joint\": {\"type\": \"fixed\"}, \"body\": {\"type\": \"rigid\", \"shape\": {\"type\": \"sphere\", "
    "\"radius\": 0.25}, \"density\": 700}}], \"contacts\": [{\"type\": \"pair\", \"a\": [\"z\"], \"b\": [\"still\"], "
    "\"stiffness\": 1e4, \"exponent\": %d}]}";

START_TEST(no_linearisation_is_given_silently_where_two_bodies_just_touch) {
  const double height[3] = {0, 1e-6, -1e-6};
  for (int i = 0; i < 4; i++) {
    char text[1024];
    snprintf(text, sizeof text, BESIDE, i < 3 ? 1 : 2);
    td_model *model = test_model_from_text(text);
    td_linearize_spec spec = {.at = TD_AT_STATE, .q = &height[i % 3], .q_count = 1};
    td_run_statistics statistics;
    td_error err = {0};
    ck_assert_msg(!td_linearize_run(model, &spec, NULL, &statistics, &err), "%s", err.message);
    const td_warning *w = warning_of(&statistics, "contact_kink");
    ck_assert_int_eq(w != NULL, i == 0);
    if (w) ck_assert_msg(strstr(w->detail, "\"z\" just touches \"still\"") != NULL, "%s", w->detail);
    td_model_destroy(model);
  }
}
END_TEST

START_TEST(given_velocities_that_loops_do_not_allow_are_not_left_silently) {
  td_model *model = test_model_from_text(FOUR_BAR);
  double q[3] = {0.5, 0.6, 1.9}, crank_only[3] = {3, 0, 0}, rest[3] = {0}, allowed[3], closed[3];
  td_dynamics_spec spec = recording_job(model, TD_METHOD_BDF, 0.01, q);
  recording first = {0}, moved = {0}, again = {0}, still = {0};
  recording_ok(&first, model, &spec);
  memcpy(closed, first.rows, sizeof closed);
  spec.q = closed, spec.qd = crank_only, spec.qd_count = 3;
  recording_ok(&moved, model, &spec);
  const td_warning *w = moved_of(&moved);
  ck_assert_ptr_nonnull(w);
  ck_assert_str_eq(w->pointer, "/initial/qd");
  memcpy(allowed, moved.rows + 3, sizeof allowed);
  ck_assert_double_gt(fabs(allowed[1]) + fabs(allowed[2]), 0.1); // the others turn with the crank
  spec.qd = allowed;
  recording_ok(&again, model, &spec);
  ck_assert_ptr_null(moved_of(&again));
  spec.qd = rest;
  recording_ok(&still, model, &spec);
  ck_assert_ptr_null(moved_of(&still));
  recording_free(&first), recording_free(&moved), recording_free(&again), recording_free(&still);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("given_states", a_loop_whose_frame_was_forgotten_is_named_though_no_state_was_given,
          a_robot_on_prescribed_joints_that_starts_inside_of_a_plane_is_told_without_an_initial_state,
          boxes_that_start_in_each_other_are_told_though_their_corners_are_not_deep,
          a_pair_that_touches_by_two_contacts_and_one_that_cannot_move_are_told_with_their_place,
          a_first_guess_that_is_far_from_closed_is_not_left_silently,
          a_joint_that_turns_by_more_than_half_a_turn_twists_the_rod_by_all_of_it,
          an_equilibrium_bent_tighter_than_the_section_is_not_left_silently,
          a_run_through_shapes_bent_tighter_than_the_section_says_from_when_on,
          a_rod_stretched_beyond_three_times_its_length_is_not_left_silently,
          a_run_starts_with_its_loops_turned_along_with_a_joint,
          a_twisted_rod_that_only_lacks_the_functions_to_buckle_is_not_called_stable_silently,
          no_linearisation_is_given_silently_where_a_point_just_touches,
          no_linearisation_is_given_silently_where_two_bodies_just_touch,
          a_load_at_once_lays_a_finger_on_the_bar_that_it_comes_to_lie_on_slowly,
          a_rod_that_sags_onto_a_post_lies_on_it_or_says_that_it_fell_through,
          fingers_that_slip_off_a_ball_sideways_do_so_in_any_list_and_are_not_said_to_have_gone_through_it,
          an_unstable_equilibrium_is_not_linearised_at_silently,
          a_rod_pushed_by_more_than_its_stiffness_has_no_equilibrium, a_path_ends_where_a_rod_would_turn_inside_out,
          a_run_in_which_a_rod_turns_inside_out_is_inconsistent, no_job_starts_from_a_rod_that_is_inside_out,
          a_given_state_that_opens_the_loops_is_not_left_silently,
          given_velocities_that_loops_do_not_allow_are_not_left_silently, a_state_with_open_loops_is_not_linearised_at,
          a_list_does_not_climb_where_a_tendon_has_pulled_its_points_together,
          points_that_a_tendon_has_pulled_together_are_no_equilibrium, a_run_that_ends_there_names_the_tendon)
