// Who gets through a ball or a bar that gives way is told; who goes around it, or lies in it from the start, is not.
#include "support/model_file.h"
#include "support/recording.h"
#include "support/suite.h"
#include <stdio.h>
#include <string.h>

typedef struct obstacle {
  const char *type; // and its axis
  double at[3], stiffness;
} obstacle;

#define BAR "\"cylinder_exterior\", \"axis\": \"y\""
#define BALL "\"sphere\""

// `mount`: a fixed joint, or a slide with a body; the rod lies along x, its radius is 5 mm, that of the obstacle 10 mm.
static td_model *rod_before(const char *mount, const char *rest, double stiff, const obstacle *o) {
  char text[2400];
  snprintf(text, sizeof text,
           "{\"format\": \"tendril.model/1\", \"links\": [%s{\"name\": \"r\", %s \"body\":"
           " {\"type\": \"rod\", \"length\": 0.5, \"section\": {\"shape\": \"stiffness\", \"GJ\": 0.01, \"EI_y\": %g,"
           " \"EI_z\": 0.02, \"EA\": 1000, \"GA_y\": 333, \"GA_z\": 333, \"mass_per_length\": 0.05,"
           " \"inertia_per_length\": [2e-6, 1e-6, 1e-6], \"damping\": [0.001, 0.002, 0.002, 0.1, 0.1, 0.1], \"radius\":"
           " 0.005}, \"strain\": {\"basis\": \"legendre\", \"order\": {\"bending_y\": 6}}, \"quadrature\": {\"points\":"
           " 64}}}], \"contacts\": [{\"name\": \"post\", \"type\": %s, \"radius\": 0.01, \"stiffness\": %g, \"per\": "
           "\"length\", \"pose\": {\"translation\": [%g, %g, %g]}}], %s}",
           mount, *mount ? "\"parent\": \"s\", \"joint\": {\"type\": \"fixed\"}," : "\"joint\": {\"type\": \"fixed\"},",
           stiff, o->type, o->stiffness, o->at[0], o->at[1], o->at[2], rest);
  return test_model_from_text(text);
}

#define SLIDE(axis)                                                                                                    \
  "{\"name\": \"s\", \"joint\": {\"type\": \"prismatic\", \"axis\": \"" axis "\"}, \"body\": {\"type\": \"rigid\", "   \
  "\"mass\": 0.05, \"inertia\": [1e-4, 1e-4, 1e-4]}}, "
static const char by_its_tip[] = "\"loads\": [{\"link\": \"r\", \"at\": 1, \"wrench\": [0, 0, 0, 0, 0, 0], "
                                 "\"channels\": [null, null, null, null, null, \"f\"]}]",
                  driven[] = "\"actuators\": [{\"name\": \"f\", \"type\": \"joint\", \"link\": \"s\", \"mode\": "
                             "\"position\"}]",
                  free_of_all[] = "\"actuators\": []";

// A ramp to `last` at t = end.
static td_dynamics_spec ramp_job(const td_model *model, double end, const double last[2], td_input_spec *input) {
  static double t[2];
  t[1] = end;
  *input = (td_input_spec){.channel = "f", .signal = {.type = TD_SIGNAL_RAMP, .t = t, .value = last, .count = 2}};
  td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, end, NULL);
  spec.inputs = input, spec.input_count = 1;
  return spec;
}

static const td_warning *missed(const recording *r) {
  for (int i = 0; i < r->statistics.warnings.count; i++)
    if (!strcmp(r->statistics.warnings.list[i].code, "contact_missed")) return &r->statistics.warnings.list[i];
  return NULL;
}

// `words` NULL: nothing is said.
static void check(td_model *model, const td_dynamics_spec *spec, const char *words) {
  recording r = {0};
  recording_ok(&r, model, spec);
  const td_warning *said = missed(&r);
  ck_assert_msg(!said == !words, "said: %s; to be said: %s", said ? said->detail : "nothing",
                words ? words : "nothing");
  if (said) ck_assert_str_eq(said->pointer, "/model/contacts/0");
  if (said) ck_assert_msg(strstr(said->detail, words) != NULL, "%s", said->detail);
  recording_free(&r);
}

// The rod is pressed down on it by its tip. A bar was gone right through in silence, and then a ball was; a ball holds
// at a thousand times the stiffness. The tip bends down beside what stands far out.
START_TEST(a_rod_that_is_pressed_right_through_is_told) {
  static const struct {
    obstacle o;
    const char *words;
  } cases[] = {{{BAR, {0.25, 0, -0.03}, 1e5}, "\"r\" is pressed right through the obstacle \"post\": its axis gets"},
               {{BALL, {0.25, 0.003, -0.03}, 1e5}, "across the middle"},
               {{BALL, {0.25, 0, -0.03}, 1e8}, NULL},
               {{BALL, {0.25, 0.012, -0.03}, 1e4}, NULL}}; // it passes by, 3 mm deep in its side
  static const double force[2] = {0, -1.3333};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_model *model = rod_before("", by_its_tip, 0.02, &cases[i].o);
    td_input_spec input;
    td_dynamics_spec spec = ramp_job(model, 2, force, &input);
    check(model, &spec, cases[i].words);
    td_model_destroy(model);
  }
}
END_TEST

// Pushed ahead by 8 cm onto what stands 4 cm before it.
START_TEST(a_tip_that_is_pushed_right_through_is_told) {
  static const struct {
    obstacle o;
    const char *words;
  } cases[] = {{{BALL, {0.54, 0, -0.003}, 1e3}, "the tip of \"r\" is pressed right through"},
               {{BAR, {0.54, 0, -0.003}, 1e3}, "it went deep in on one side and is on the other"},
               {{BALL, {0.54, 0, -0.012}, 1e6}, NULL}}; // turned aside
  static const double ahead[2] = {0, 0.08};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_model *model = rod_before(SLIDE("x"), driven, 0.2, &cases[i].o);
    td_input_spec input;
    td_dynamics_spec spec = ramp_job(model, 0.3, ahead, &input);
    check(model, &spec, cases[i].words);
    td_model_destroy(model);
  }
}
END_TEST

// A step of it is as long as the ball where the ball holds next to nothing of its energy.
START_TEST(what_flies_through_is_told_at_any_speed) {
  static const double speed[] = {1, 100}, stiffness[] = {1, 1e4};
  for (int i = 0; i < 4; i++) {
    obstacle o = {BALL, {0.25, 0, 0.3}, stiffness[i / 2]};
    double qd[8] = {speed[i % 2]};
    td_model *model = rod_before(SLIDE("z"), free_of_all, 0.2, &o);
    td_dynamics_spec spec = recording_job(model, TD_METHOD_AUTOMATIC, 0.6 / speed[i % 2], NULL);
    spec.qd = qd, spec.qd_count = 8;
    check(model, &spec, "\"r\" is pressed right through");
    td_model_destroy(model);
  }
}
END_TEST

// Its base stands in the middle of the obstacle, and its tip is pushed aside.
START_TEST(a_rod_that_is_mounted_inside_is_not_told) {
  static const double force[2] = {0, 0.2};
  for (int bar = 0; bar < 2; bar++) {
    obstacle o = {bar ? BAR : BALL, {0.002, 0, -0.001}, 100};
    td_model *model = rod_before("", by_its_tip, 0.02, &o);
    td_input_spec input;
    td_dynamics_spec spec = ramp_job(model, 0.3, force, &input);
    check(model, &spec, NULL);
    td_model_destroy(model);
  }
}
END_TEST

// It stands deep in the ball when it goes on, and must know from which side it came.
START_TEST(a_run_that_goes_on_from_within_a_ball_knows_where_it_came_in) {
  static const double force[2] = {0, -1.3333};
  obstacle o = {BALL, {0.25, 0, -0.03}, 1e5};
  td_model *model = rod_before("", by_its_tip, 0.02, &o);
  td_input_spec input;
  td_dynamics_spec spec = ramp_job(model, 2, force, &input);
  recording whole = {.checkpoint_dt = 0.1, .keep_at = 1.6}, rest = {.checkpoint_dt = 0.1, .keep_at = -1};
  recording_ok(&whole, model, &spec);
  recording_run(&rest, model, &spec, &whole);
  const td_warning *first = missed(&whole), *then = missed(&rest);
  ck_assert(first && then);
  double t;
  ck_assert_int_eq(sscanf(first->detail, "at t = %lf", &t), 1);
  ck_assert_msg(t > whole.keep_at && t < whole.keep_at + 0.3, "%s", first->detail);
  ck_assert_str_eq(first->detail, then->detail);
  recording_free(&whole);
  recording_free(&rest);
  td_model_destroy(model);
}
END_TEST

TEST_MAIN("passages", a_rod_that_is_pressed_right_through_is_told, a_tip_that_is_pushed_right_through_is_told,
          what_flies_through_is_told_at_any_speed, a_rod_that_is_mounted_inside_is_not_told,
          a_run_that_goes_on_from_within_a_ball_knows_where_it_came_in)
