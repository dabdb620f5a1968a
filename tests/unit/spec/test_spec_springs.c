// Rules of springs and of how tendons are pulled.
#include "support/spec_rule.h"
#include "support/suite.h"
#include <math.h>

#define BAD TD_INVALID_ARGUMENT

static td_spring_spec springs[2];

// From the arm, a rod, to the flap, a box on a revolute joint at half of the arm.
static td_spring_spec *bow(robot *r) {
  td_se3 here = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  springs[0] = (td_spring_spec){.a = {.link = "arm", .at = 0.8, .pose = here},
                                .b = {.link = "flap", .at = 1, .pose = here},
                                .stiffness = 10,
                                .damping = 1,
                                .rest = NAN};
  springs[1] = springs[0];
  r->spec.springs = springs;
  r->spec.spring_count = 1;
  return springs;
}

static td_actuator_spec *pulled(robot *r) {
  td_actuator_spec *cable = &r->actuators[CABLE];
  cable->mode_length = true;
  cable->stiffness = 100;
  cable->rest = NAN;
  return cable;
}

BREAK(good, bow(r)->name = "bow"; springs[0].channel = "draw")
BREAK(many, bow(r); r->spec.spring_count = TD_MAX_SPRINGS + 1)
BREAK(unknown_a, bow(r)->a.link = "leg")
BREAK(missing_b, bow(r)->b.link = NULL)
BREAK(at_above, bow(r)->a.at = 1.5)
BREAK(pose_nan, bow(r)->b.pose.p[1] = NAN)
BREAK(one_body, bow(r)->a.link = "hand"; springs[0].b.link = "finger")
BREAK(one_world, bow(r)->a.link = "world"; springs[0].b.link = "world")
BREAK(along_one_rod, bow(r)->b.link = "arm"; springs[0].b.at = 0.2)
BREAK(soft, bow(r)->stiffness = -1)
BREAK(driving, bow(r)->damping = -0.5)
BREAK(rest_negative, bow(r)->rest = -0.1)
BREAK(rest_endless, bow(r)->rest = INFINITY)
BREAK(name_twice, bow(r)->name = "bow"; springs[1].name = "bow"; r->spec.spring_count = 2)
BREAK(channel_twice, bow(r)->channel = "cable")
BREAK(channel_empty, bow(r)->channel = "")

static const spec_rule rules[] = {
    {"a spring may have a name and a channel", good, TD_OK, "", ""},
    {"springs are limited", many, BAD, "/springs", "1025"},
    {"an end is on a link", unknown_a, BAD, "/springs/0/a/link", "no link \"leg\""},
    {"an end has a link", missing_b, BAD, "/springs/0/b/link", "world"},
    {"an abscissa ends at 1", at_above, BAD, "/springs/0/a/at", "1.5"},
    {"a place is finite", pose_nan, BAD, "/springs/0/b/pose/translation/1", "nan"},
    {"ends on one body never part", one_body, BAD, "/springs/0", "both ends are on one body"},
    {"nor do those in the world", one_world, BAD, "/springs/0", "both ends are on one body"},
    {"two places of a rod may part", along_one_rod, TD_OK, "", ""},
    {"a stiffness holds", soft, BAD, "/springs/0/stiffness", "-1"},
    {"a damper brakes", driving, BAD, "/springs/0/damping", "-0.5"},
    {"a rest is a distance", rest_negative, BAD, "/springs/0/rest", "-0.1"},
    {"a rest is finite", rest_endless, BAD, "/springs/0/rest", "inf"},
    {"names differ", name_twice, BAD, "/springs/1/name", "spring 0 has this name"},
    {"channels have one name space", channel_twice, BAD, "/springs/0/channel", "cable"},
    {"a channel has a name", channel_empty, BAD, "/springs/0/channel", "empty"},
};

START_TEST(springs_join_what_can_move) { CHECK_RULES(rules); }
END_TEST

BREAK(length, pulled(r))
BREAK(length_soft, pulled(r)->stiffness = 0)
BREAK(length_driving, pulled(r)->damping = -1)
BREAK(length_rest, pulled(r)->rest = -0.2)
BREAK(length_slack, pulled(r)->slack_width = -1e-3)
BREAK(friction, r->actuators[CABLE].friction = -0.1)
BREAK(slip, r->actuators[CABLE].slip_speed = -1)

static const spec_rule pulls[] = {
    {"a tendon may be driven by its length", length, TD_OK, "", ""},
    {"its stiffness is positive", length_soft, BAD, "/actuators/0/stiffness", "0"},
    {"its damping brakes", length_driving, BAD, "/actuators/0/damping", "-1"},
    {"its rest is a length", length_rest, BAD, "/actuators/0/rest", "-0.2"},
    {"its slack width is one", length_slack, BAD, "/actuators/0/slack_width", "-0.001"},
    {"friction brakes", friction, BAD, "/actuators/0/friction", "-0.1"},
    {"a slip speed is one", slip, BAD, "/actuators/0/slip_speed", "-1"},
};

START_TEST(tendons_are_pulled_by_what_holds) { CHECK_RULES(pulls); }
END_TEST

TEST_MAIN("spec_springs", springs_join_what_can_move, tendons_are_pulled_by_what_holds)
