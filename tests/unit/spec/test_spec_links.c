// Rules of the world, links and joints: each row breaks a valid robot in one place, and the check must name that place.
#include "support/spec_rule.h"
#include "support/suite.h"
#include "tendril/spec.h"
#include <math.h>

#define BAD TD_INVALID_ARGUMENT
#define NAME64 "0123456789012345678901234567890123456789012345678901234567890123"

BREAK(keep, (void)r)
BREAK(gravity_nan, r->spec.gravity[1] = NAN)
BREAK(fluid_negative, r->spec.fluid_density = -1)
BREAK(no_links, r->spec.link_count = 0)
BREAK(too_many_links, r->spec.link_count = TD_MAX_LINKS + 1)
BREAK(name_missing, r->links[ARM].name = NULL)
BREAK(name_empty, r->links[ARM].name = "")
BREAK(name_long, r->links[ARM].name = NAME64)
BREAK(name_control, r->links[BASE].name = "a\nb")
BREAK(name_broken, r->links[BASE].name = "a\xC3")
BREAK(name_overlong, r->links[BASE].name = "\xC0\xAF")
BREAK(name_surrogate, r->links[BASE].name = "\xED\xA0\x80")
BREAK(name_utf8, r->links[FINGER].name = r->loads[WEIGHT].link = "Flügel-β-脚-🤖")
BREAK(name_world, r->links[BASE].name = "world")
BREAK(name_twice, r->links[HAND].name = "arm")
BREAK(parent_missing, r->links[ARM].parent = NULL)
BREAK(parent_unknown, r->links[ARM].parent = "leg")
BREAK(parent_later, r->links[ARM].parent = "finger")
BREAK(parent_itself, r->links[ARM].parent = "arm")
BREAK(at_high, r->links[FLAP].at = 1.5)
BREAK(at_nan, r->links[FLAP].at = NAN)
BREAK(at_ends, r->links[FLAP].at = 0)
BREAK(translation_infinite, r->links[ARM].pose.p[2] = INFINITY)
BREAK(rotation_scaled, r->links[ARM].pose.R[0] = 1.1)
BREAK(rotation_mirrored, r->links[ARM].pose.R[0] = -1)
BREAK(rotation_nan, r->links[ARM].pose.R[4] = NAN)

static const spec_rule world_and_links[] = {
    {"the robot of the tests is valid", keep, TD_OK, "", ""},
    {"gravity is finite", gravity_nan, BAD, "/gravity/1", "nan"},
    {"a fluid's density is not negative", fluid_negative, BAD, "/fluid/density", "-1"},
    {"a model has links", no_links, BAD, "/links", "has 0"},
    {"links are limited", too_many_links, BAD, "/links", "1025"},
    {"a link has a name", name_missing, BAD, "/links/1/name", "empty"},
    {"a link's name is not empty", name_empty, BAD, "/links/1/name", "empty"},
    {"a link's name is short", name_long, BAD, "/links/1/name", "64"},
    {"a name has no control characters", name_control, BAD, "/links/0/name", "control"},
    {"a name is not cut within a character", name_broken, BAD, "/links/0/name", "UTF-8"},
    {"a name has no overlong characters", name_overlong, BAD, "/links/0/name", "UTF-8"},
    {"a name has no surrogates", name_surrogate, BAD, "/links/0/name", "UTF-8"},
    {"a name may be in any script", name_utf8, TD_OK, "", ""},
    {"a link is not called world", name_world, BAD, "/links/0/name", "world"},
    {"link names are unique", name_twice, BAD, "/links/3/name", "\"arm\""},
    {"a parent is named", parent_missing, BAD, "/links/1/parent", "world"},
    {"a parent exists", parent_unknown, BAD, "/links/1/parent", "no link \"leg\""},
    {"a parent stands before its children", parent_later, BAD, "/links/1/parent", "later: \"finger\""},
    {"a link is not its own parent", parent_itself, BAD, "/links/1/parent", "its own parent"},
    {"at lies on the rod", at_high, BAD, "/links/2/at", "1.5"},
    {"at is a number", at_nan, BAD, "/links/2/at", "nan"},
    {"at may be the base", at_ends, TD_OK, "", ""},
    {"a translation is finite", translation_infinite, BAD, "/links/1/pose/translation/2", "inf"},
    {"a rotation keeps lengths", rotation_scaled, BAD, "/links/1/pose", "orthonormal"},
    {"a rotation is right-handed", rotation_mirrored, BAD, "/links/1/pose", "right-handed"},
    {"a rotation is finite", rotation_nan, BAD, "/links/1/pose", "orthonormal"},
};

BREAK(joint_unknown, r->links[ARM].joint.type = TD_JOINT_TYPE_COUNT)
BREAK(axis_zero, r->links[ARM].joint.axis[2] = 0)
BREAK(axis_nan, r->links[ARM].joint.axis[0] = NAN)
BREAK(axis_any_length, r->links[ARM].joint.axis[2] = -1e-3)
BREAK(pitch_nan, r->links[ARM].joint.type = TD_JOINT_HELICAL; r->links[ARM].joint.pitch = NAN)
BREAK(pitch_unused, r->links[ARM].joint.pitch = NAN)
BREAK(stiffness_nan, r->links[ARM].joint.stiffness[0] = NAN)
BREAK(stiffness_second, r->links[HAND].joint.stiffness[1] = INFINITY)
BREAK(stiffness_negative, r->links[ARM].joint.stiffness[0] = -1)
BREAK(damping_negative, r->links[ARM].joint.damping[0] = -0.1)
BREAK(damping_of_all, for (int i = 0; i < 3; i++) r->links[HAND].joint.damping[i] = -2)
BREAK(rest_nan, r->links[HAND].joint.rest[2] = NAN)
BREAK(beyond_dof, r->links[ARM].joint.rest[3] = NAN)
BREAK(limits_none, r->links[ARM].joint.limits.lower[0] = 2)
BREAK(limits_given, r->links[ARM].joint.limits.stiffness[0] = 10; r->links[ARM].joint.limits.upper[0] = 1)
BREAK(limits_one_sided, r->links[ARM].joint.limits.stiffness[0] = 10; r->links[ARM].joint.limits.lower[0] = -INFINITY)
BREAK(limits_swapped, r->links[ARM].joint.limits.stiffness[0] = 10; r->links[ARM].joint.limits.lower[0] = 0.5)
BREAK(limits_nan, r->links[ARM].joint.limits.stiffness[0] = 10; r->links[ARM].joint.limits.upper[0] = NAN)
BREAK(limits_infinite, r->links[ARM].joint.limits.stiffness[0] = 10; r->links[ARM].joint.limits.lower[0] = INFINITY)
BREAK(limits_soft, r->links[ARM].joint.limits.stiffness[0] = -1)
BREAK(limits_damping, r->links[HAND].joint.limits.damping[1] = INFINITY)
BREAK(body_unknown, r->links[ARM].body.type = TD_BODY_TYPE_COUNT)

static const spec_rule joints[] = {
    {"a joint has a known type", joint_unknown, BAD, "/links/1/joint", "unknown"},
    {"an axis has a direction", axis_zero, BAD, "/links/1/joint/axis", "direction"},
    {"an axis is finite", axis_nan, BAD, "/links/1/joint/axis/0", "nan"},
    {"an axis may have any length", axis_any_length, TD_OK, "", ""},
    {"a helical joint's pitch is finite", pitch_nan, BAD, "/links/1/joint/pitch", "nan"},
    {"the pitch of other joints is not read", pitch_unused, TD_OK, "", ""},
    {"stiffness is finite", stiffness_nan, BAD, "/links/1/joint/stiffness", "nan"},
    {"stiffness is finite for every coordinate", stiffness_second, BAD, "/links/3/joint/stiffness/1", "inf"},
    {"negative stiffness is a mechanism, not an error", stiffness_negative, TD_OK, "", ""},
    {"damping does not add energy", damping_negative, BAD, "/links/1/joint/damping", "-0.1"},
    {"one number for all coordinates is named as one", damping_of_all, BAD, "/links/3/joint/damping", "-2"},
    {"rest is finite", rest_nan, BAD, "/links/3/joint/rest/2", "nan"},
    {"entries beyond the joint's coordinates are not read", beyond_dof, TD_OK, "", ""},
    {"limits without stiffness are none", limits_none, TD_OK, "", ""},
    {"a joint may have limits", limits_given, TD_OK, "", ""},
    {"limits may be on one side", limits_one_sided, TD_OK, "", ""},
    {"limits stand in order", limits_swapped, BAD, "/links/1/joint/limits/upper", "0 is below"},
    {"a limit is a number", limits_nan, BAD, "/links/1/joint/limits/upper", "nan"},
    {"a limit can be passed", limits_infinite, BAD, "/links/1/joint/limits/lower", "inf"},
    {"a stop pushes back", limits_soft, BAD, "/links/1/joint/limits/stiffness", "-1"},
    {"a stop's damping is finite", limits_damping, BAD, "/links/3/joint/limits/damping/1", "inf"},
    {"a body has a known type", body_unknown, BAD, "/links/1/body", "unknown"},
};

START_TEST(rules_of_the_world_and_of_links_name_the_place) { CHECK_RULES(world_and_links); }
END_TEST
START_TEST(rules_of_joints_name_the_place) { CHECK_RULES(joints); }
END_TEST

TEST_MAIN("spec_links", rules_of_the_world_and_of_links_name_the_place, rules_of_joints_name_the_place)
