// Runs and equilibria that lead through another body are told; who stops at it, or goes past, is not.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include "tendril/dynamics.h"
#include "tendril/run.h"
#include "tendril/statics.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };
typedef struct row {
  int n;
  double q[MOST];
} row;

static bool keep(void *context, size_t index, const double *u, const double *q, const td_statics_result *result,
                 const td_error *failure) {
  (void)index, (void)u, (void)result, (void)failure;
  row *r = context;
  memcpy(r->q, q, (size_t)r->n * sizeof *q);
  return true;
}

static const td_warning *missed(const td_run_statistics *statistics) {
  for (int i = 0; i < statistics->warnings.count; i++)
    if (!strcmp(statistics->warnings.list[i].code, "contact_missed")) return &statistics->warnings.list[i];
  return NULL;
}

// The equilibrium under `force` (0: of weight) of the robot; its warning, NULL.
static const td_warning *solve(const td_model *model, double force, row *r, td_run_statistics *statistics) {
  td_error err = {0};
  td_input_spec input = {.channel = "f", .list = &force, .list_count = 1};
  td_statics_hooks hooks = {.context = r, .solved = keep};
  td_statics_spec spec = {.inputs = &input, .input_count = force != 0};
  r->n = td_model_ndof(model);
  ck_assert_int_le(r->n, MOST);
  td_statics_defaults(&spec.options);
  ck_assert_msg(!td_statics_run(model, &spec, 0, NULL, &hooks, statistics, &err), "%s", err.message);
  return missed(statistics);
}

// A run in which the same force rises slowly says the same, also where it goes on from a checkpoint.
static void runs_through(const td_model *model, size_t which, bool through) {
  double t[2] = {0, 2}, value[2] = {0, 4};
  td_input_spec input = {.channel = "f", .signal = {.type = TD_SIGNAL_RAMP, .t = t, .value = value, .count = 2}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_RADAU, 2.5, NULL);
  recording whole = {.checkpoint_dt = 0.1, .keep_at = 1}, rest = {.checkpoint_dt = 0.1, .keep_at = -1};
  spec.inputs = &input, spec.input_count = 1;
  recording_ok(&whole, model, &spec);
  const td_warning *w = missed(&whole.statistics);
  ck_assert_msg((w != NULL) == through, "run %zu: %s", which, w ? w->detail : "silent");
  if (through) {
    recording_run(&rest, model, &spec, &whole);
    ck_assert(missed(&rest.statistics) != NULL);
    ck_assert_str_eq(missed(&rest.statistics)->detail, w->detail);
    recording_free(&rest);
  }
  recording_free(&whole);
}

#define RIGID(shape) "{\"type\": \"rigid\", \"mass\": 0.1, \"inertia\": [1e-4, 1e-4, 1e-4], \"collision\": " shape "}"
#define BALL "{\"shape\": \"sphere\", \"radius\": 0.05}"
#define BAR "{\"shape\": \"capsule\", \"radius\": 0.02, \"length\": 0.3, \"axis\": \"y\"}"
#define BOX "{\"shape\": \"box\", \"size\": [0.06, 0.08, 0.1]}"

// A body on a slide along x, on a spring of 10 N/m, is pulled by 4 N from -0.2 m past what stands at x = 0: to 0.2 m
// where nothing holds it.
START_TEST(a_body_that_is_pressed_right_through_another_is_told) {
  static const struct {
    const char *moves, *stands; // stands NULL: an obstacle
    double aside, stiffness;
    bool through;
  } cases[] = {{BALL, BALL, 0, 10, true},     {BALL, BALL, 0.03, 10, true},  {BALL, BALL, 0, 1e5, false},
               {BALL, BALL, 0.09, 10, false}, {BALL, BALL, 0.2, 1e5, false}, {BOX, BALL, 0, 10, true},
               {BALL, BOX, 0, 10, true},      {BOX, BOX, 0.01, 10, true},    {BOX, BOX, 0.01, 1e5, false},
               {BAR, BAR, 0, 10, true},       {BAR, BAR, 0, 1e5, false},     {BOX, NULL, 0, 10, true},
               {BOX, NULL, 0, 1e5, false},    {BALL, NULL, 0, 10, true},     {BALL, NULL, 0, 1e5, false},
               {BAR, NULL, 0, 10, true},      {BAR, BOX, 0, 10, true},       {BAR, BOX, 0, 1e5, false},
               {BOX, BAR, 0, 10, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2400], still[600] = "", contact[200];
    if (cases[i].stands)
      snprintf(still, sizeof still,
               ", {\"name\": \"still\", \"joint\": {\"type\": \"fixed\"}, \"pose\": {\"translation\": [0, %g, 0]}, "
               "\"body\": {\"type\": \"rigid\", \"mass\": 1, \"inertia\": [1, 1, 1], \"collision\": %s}}",
               cases[i].aside, cases[i].stands);
    snprintf(contact, sizeof contact,
             cases[i].stands ? "\"type\": \"pair\", \"a\": [\"slide\"], \"b\": [\"still\"]"
                             : "\"type\": \"sphere\", \"name\": \"still\", \"radius\": 0.05, \"links\": [\"slide\"]");
    snprintf(
        text, sizeof text,
        "{\"format\": \"tendril.model/1\", \"links\": [{\"name\": \"slide\", \"pose\": {\"translation\": [-0.2, 0, "
        "0]}, \"joint\": {\"type\": \"prismatic\", \"axis\": \"x\", \"stiffness\": 10, \"damping\": 5}, \"body\": "
        "{\"type\": "
        "\"rigid\", \"mass\": 0.1, \"inertia\": [1, 1, 1], \"collision\": %s}}%s], \"contacts\": [{%s, "
        "\"stiffness\": %g}], \"loads\": [{\"link\": \"slide\", \"channels\": [null, null, null, \"f\", null, "
        "null]}]}",
        cases[i].moves, still, contact, cases[i].stiffness);
    td_model *model = test_model_from_text(text);
    td_run_statistics statistics;
    row r;
    runs_through(model, i, cases[i].through);
    const td_warning *w = solve(model, 4, &r, &statistics);
    bool past = r.q[0] > 0.2;
    ck_assert_msg((w != NULL) == cases[i].through, "%zu: at %g m: %s", i, r.q[0], w ? w->detail : "silent");
    ck_assert_msg(past == (cases[i].through || cases[i].aside > 0.05), "%zu: at %g m", i, r.q[0]);
    if (w) {
      ck_assert_str_eq(w->pointer, "/model/contacts/0");
      ck_assert_msg(strstr(w->detail, "\"slide\"") && strstr(w->detail, "\"still\""), "%s", w->detail);
    }
    td_model_destroy(model);
  }
}
END_TEST

// The whole of its weight at once: a soft rod comes to lie on a bar, or says that it did not.
START_TEST(a_rod_that_sags_onto_a_bar_lies_on_it_or_says_that_it_fell_through) {
  static const struct {
    double x, z, stiffness;
  } cases[] = {{0.15, -0.02, 3e3}, {0.08, -0.04, 3e3}, {0.12, -0.03, 3e3}, {0.2, -0.03, 3e3}, {0.15, -0.03, 3}};
  int through = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2400];
    snprintf(
        text, sizeof text,
        "{\"format\": \"tendril.model/1\", \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"arm\", \"joint\": "
        "{\"type\": \"fixed\"}, \"body\": {\"type\": \"rod\", \"length\": 0.3, \"section\": {\"shape\": "
        "\"circle\", \"radius\": 0.006}, \"material\": {\"young\": 2e6, \"poisson\": 0.45, \"density\": 1100}, "
        "\"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 6}}, \"quadrature\": {\"points\": "
        "12}}}, {\"name\": \"bar\", \"joint\": {\"type\": \"fixed\"}, \"pose\": {\"translation\": [%g, 0, %g]}, "
        "\"body\": " RIGID(
            "{\"shape\": \"capsule\", \"radius\": 0.01, \"length\": 0.2, \"axis\": \"y\"}") "}], "
                                                                                            "\"contacts\": [{\"type\": "
                                                                                            "\"pair\", \"a\": "
                                                                                            "[\"arm\"], \"b\": "
                                                                                            "[\"bar\"], \"stiffness\": "
                                                                                            "%g}]}",
        cases[i].x, cases[i].z, cases[i].stiffness);
    td_model *model = test_model_from_text(text);
    td_run_statistics statistics;
    td_workspace *ws;
    td_se3 tip;
    row r;
    const td_warning *w = solve(model, 0, &r, &statistics);
    ck_assert(!td_workspace_create(model, &ws));
    ck_assert(!td_pose_at(model, ws, r.q, 0, 1, &tip));
    ck_assert_msg((tip.p[2] < -0.23) == (w != NULL), "%zu: tip at %g: %s", i, tip.p[2], w ? w->detail : "silent");
    through += w != NULL;
    td_workspace_destroy(ws);
    td_model_destroy(model);
  }
  ck_assert_int_ge(through, 1); // what hardly pushes holds nothing
  ck_assert_int_lt(through, 3);
}
END_TEST

TEST_MAIN("bodies_in_the_way", a_body_that_is_pressed_right_through_another_is_told,
          a_rod_that_sags_onto_a_bar_lies_on_it_or_says_that_it_fell_through)
