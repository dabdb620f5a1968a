// Rules of loops.
#include "support/spec_rule.h"
#include "support/suite.h"
#include <math.h>

#define BAD TD_INVALID_ARGUMENT

static td_loop_spec loops[2];

// From the hand (spherical, then the finger on a fixed joint) to the world, about z.
static td_loop_spec *ring(robot *r) {
  td_se3 here = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  loops[0] = (td_loop_spec){.a = {.link = "finger", .at = 1, .pose = here},
                            .b = {.link = "world", .at = 1, .pose = here},
                            .joint = {.type = TD_JOINT_REVOLUTE, .axis = {0, 0, 1}, .pitch = 0.1}};
  loops[1] = loops[0];
  r->spec.loops = loops;
  r->spec.loop_count = 1;
  return loops;
}

BREAK(good, ring(r))
BREAK(many, ring(r); r->spec.loop_count = TD_MAX_LOOPS + 1)
BREAK(unknown_a, ring(r)->a.link = "leg")
BREAK(unknown_b, ring(r)->b.link = "leg")
BREAK(missing_a, ring(r)->a.link = NULL)
BREAK(missing_b, ring(r)->b.link = NULL)
BREAK(at_above, ring(r)->a.at = 1.5)
BREAK(at_nan, ring(r)->b.at = NAN)
BREAK(pose_nan, ring(r)->b.pose.p[1] = NAN)
BREAK(pose_skew, ring(r)->a.pose.R[0] = 2)
BREAK(type_unknown, ring(r)->joint.type = TD_JOINT_TYPE_COUNT)
BREAK(type_free, ring(r)->joint.type = TD_JOINT_FREE)
BREAK(axis_skew, ring(r)->joint.axis[0] = 1)
BREAK(axis_zero, ring(r)->joint.axis[2] = 0)
BREAK(axis_unused, ring(r)->joint.type = TD_JOINT_SPHERICAL; loops[0].joint.axis[0] = 1)
BREAK(pitch_nan, ring(r)->joint.type = TD_JOINT_HELICAL; loops[0].joint.pitch = INFINITY)
BREAK(name_empty, ring(r)->name = "")
BREAK(name_twice, ring(r)->name = "ring"; loops[1].name = "ring"; r->spec.loop_count = 2)
BREAK(second_broken, ring(r); loops[1].b.link = "leg"; r->spec.loop_count = 2)

static const spec_rule ends[] = {
    {"a loop may end in the world", good, TD_OK, "", ""},
    {"loops are limited", many, BAD, "/loops", "257"},
    {"frame a is on a link", unknown_a, BAD, "/loops/0/a/link", "no link \"leg\""},
    {"frame b is on a link", unknown_b, BAD, "/loops/0/b/link", "no link \"leg\""},
    {"frame a has a link", missing_a, BAD, "/loops/0/a/link", "world"},
    {"frame b has a link", missing_b, BAD, "/loops/0/b/link", "world"},
    {"an abscissa ends at 1", at_above, BAD, "/loops/0/a/at", "1.5"},
    {"an abscissa is a number", at_nan, BAD, "/loops/0/b/at", "nan"},
    {"a pose is finite", pose_nan, BAD, "/loops/0/b/pose/translation/1", "nan"},
    {"a pose is a rotation", pose_skew, BAD, "/loops/0/a/pose", "orthonormal"},
    {"a joint type is known", type_unknown, BAD, "/loops/0/joint/type", "unknown"},
    {"a free joint closes nothing", type_free, BAD, "/loops/0/joint/type", "holds nothing"},
    {"an axis is principal", axis_skew, BAD, "/loops/0/joint/axis", "`pose`"},
    {"an axis has a direction", axis_zero, BAD, "/loops/0/joint/axis", "direction"},
    {"a spherical joint has no axis", axis_unused, TD_OK, "", ""},
    {"a pitch is finite", pitch_nan, BAD, "/loops/0/joint/pitch", "inf"},
    {"a name is not empty", name_empty, BAD, "/loops/0/name", "empty"},
    {"names differ", name_twice, BAD, "/loops/1/name", "loop 0 has this name"},
    {"every loop is checked", second_broken, BAD, "/loops/1/b/link", "leg"},
};

BREAK(same_link, ring(r)->b.link = "finger")
BREAK(world_to_world, ring(r)->a.link = "world")
BREAK(fixed_between, ring(r)->b.link = "hand")
BREAK(base_of_a_rod, ring(r)->a = (td_loop_end){"arm", 0.0, loops[0].a.pose}; r->links[ARM].joint.type = TD_JOINT_FIXED;
      loops[0].b.link = "base"; r->spec.actuator_count = MOTOR)
BREAK(child_of_a_rod, ring(r)->a.link = "hand"; r->links[HAND].joint.type = TD_JOINT_FIXED; r->links[HAND].at = 0.5;
      loops[0].b = (td_loop_end){"arm", 0.5, loops[0].a.pose}; r->spec.actuator_count = MOTOR)
BREAK(along_a_rod, ring(r)->a = (td_loop_end){"arm", 0.2, loops[0].a.pose}; loops[0].b.link = "arm")
BREAK(prescribed_between, ring(r)->b.link = "arm"; r->actuators[WRIST].mode_position = true)

static const spec_rule selves[] = {
    {"a loop joins two links", same_link, BAD, "/loops/0", "a loop to itself"},
    {"the world is one link", world_to_world, BAD, "/loops/0", "a loop to itself"},
    {"a fixed joint joins links to one", fixed_between, BAD, "/loops/0", "\"finger\" and \"hand\""},
    {"a rod's base is what it stands on", base_of_a_rod, BAD, "/loops/0", "a loop to itself"},
    {"a link fixed in mid-rod is that point", child_of_a_rod, BAD, "/loops/0", "a loop to itself"},
    {"two points of a rod are two", along_a_rod, TD_OK, "", ""},
    {"a prescribed joint still moves", prescribed_between, TD_OK, "", ""},
};

START_TEST(ends_and_joints_of_a_loop_are_checked) { CHECK_RULES(ends); }
END_TEST

START_TEST(a_loop_to_itself_is_refused) { CHECK_RULES(selves); }
END_TEST

TEST_MAIN("spec_loops", ends_and_joints_of_a_loop_are_checked, a_loop_to_itself_is_refused)
