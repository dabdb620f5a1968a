// Rules of actuators, loads and their channels.
#include "element/routing.h"
#include "support/spec_rule.h"
#include "support/suite.h"
#include <math.h>
#include <stdio.h>

#define BAD TD_INVALID_ARGUMENT
#define ROUTE (&r->cable[0].routing)

BREAK(actuator_name, r->actuators[CABLE].name = "")
BREAK(actuator_type, r->actuators[CABLE].type = TD_ACTUATOR_TYPE_COUNT)
BREAK(actuator_many, r->spec.actuator_count = TD_MAX_CHANNELS + 1)
BREAK(link_unknown, r->cable[0].link = "leg")
BREAK(link_world, r->cable[0].link = "world")
BREAK(link_missing, r->cable[0].link = NULL)
BREAK(segment_link, r->longer[1].link = "leg")
BREAK(no_segments, r->actuators[LONG].segment_count = 0)
BREAK(many_segments, r->actuators[LONG].segment_count = TD_MAX_SEGMENTS + 1)
BREAK(routing_on_rigid, r->cable[0].link = "base")
BREAK(points_on_rod, r->longer[0].link = "arm")
BREAK(rod_without, r->cable[0].has_routing = false)
BREAK(rigid_without, r->longer[0].points_count = 0)
BREAK(point_nan, r->points[4] = NAN)
BREAK(points_on_a_frame, r->longer[0].link = "hand")

static const spec_rule tendons[] = {
    {"an actuator has a name", actuator_name, BAD, "/actuators/0/name", "empty"},
    {"an actuator's type is known", actuator_type, BAD, "/actuators/0", "unknown"},
    {"actuators are limited", actuator_many, BAD, "/actuators", "1025"},
    {"a tendon's link exists", link_unknown, BAD, "/actuators/0/link", "no link \"leg\""},
    {"a tendon's link is not the world", link_world, BAD, "/actuators/0/link", "world"},
    {"a tendon has a link", link_missing, BAD, "/actuators/0/link", "must name"},
    {"a segment's link exists", segment_link, BAD, "/actuators/1/segments/1/link", "no link"},
    {"a tendon has segments", no_segments, BAD, "/actuators/1/segments", "at least one"},
    {"segments are limited", many_segments, BAD, "/actuators/1", "1024"},
    {"a routing is for rods", routing_on_rigid, BAD, "/actuators/0/routing", "\"base\""},
    {"points are for rigid links", points_on_rod, BAD, "/actuators/1/segments/0/points", "\"arm\""},
    {"a rod needs a routing", rod_without, BAD, "/actuators/0", "routing"},
    {"a rigid link needs points", rigid_without, BAD, "/actuators/1/segments/0/points", "has 0"},
    {"a point is finite", point_nan, BAD, "/actuators/1/segments/0/points/1/1", "nan"},
    {"a link without a body carries points too", points_on_a_frame, TD_OK, "", ""},
};

BREAK(linear_nan, ROUTE->tip[1] = NAN)
BREAK(helix_radius, ROUTE->type = TD_ROUTING_HELIX; ROUTE->radius = INFINITY)
BREAK(helix_turns, ROUTE->type = TD_ROUTING_HELIX; ROUTE->turns = NAN)
BREAK(helix_phase, ROUTE->type = TD_ROUTING_HELIX; ROUTE->phase = NAN)
BREAK(routing_unknown, ROUTE->type = TD_ROUTING_COUNT)

static void table(robot *r, size_t count) {
  *ROUTE = (td_routing_spec){.type = TD_ROUTING_TABLE, .s = r->knots, .y = r->radius, .z = r->table, .count = count};
}
BREAK(table_good, table(r, 4))
BREAK(table_short, table(r, 3))
BREAK(table_falls, table(r, 4); r->knots[2] = 0.3)
BREAK(table_y, table(r, 4); r->radius[3] = NAN)
BREAK(table_z, table(r, 4); r->table[0] = INFINITY)

static void sum(robot *r, size_t count) {
  r->terms[0] = r->terms[1] = *ROUTE;
  *ROUTE = (td_routing_spec){.type = TD_ROUTING_SUM, .of = r->terms, .of_count = count};
}
BREAK(sum_good, sum(r, 2))
BREAK(sum_empty, sum(r, 0))
BREAK(sum_term, sum(r, 2); r->terms[1].base[0] = NAN)

static td_routing_spec chain[TD_MAX_ROUTING_DEPTH + 2];
static void nest(robot *r, int depth) {
  chain[depth] = *ROUTE;
  for (int i = depth - 1; i >= 0; i--)
    chain[i] = (td_routing_spec){.type = TD_ROUTING_SUM, .of = &chain[i + 1], .of_count = 1};
  *ROUTE = chain[0];
}
BREAK(sum_deep, nest(r, TD_MAX_ROUTING_DEPTH + 1))
BREAK(sum_as_deep_as_allowed, nest(r, TD_MAX_ROUTING_DEPTH))

static td_routing_spec wide[TD_MAX_ROUTING_TERMS + 1];
static void widen(robot *r) {
  for (int i = 0; i <= TD_MAX_ROUTING_TERMS; i++) wide[i] = *ROUTE;
  *ROUTE = (td_routing_spec){.type = TD_ROUTING_SUM, .of = wide, .of_count = TD_MAX_ROUTING_TERMS + 1};
}
BREAK(sum_wide, widen(r))

#define DEEP "/actuators/0/routing/of/0/of/0/of/0/of/0/of/0/of/0/of/0/of/0"

static const spec_rule routings[] = {
    {"a linear routing is finite", linear_nan, BAD, "/actuators/0/routing/tip/1", "nan"},
    {"a helix has a finite radius", helix_radius, BAD, "/actuators/0/routing/radius", "inf"},
    {"a helix has finite turns", helix_turns, BAD, "/actuators/0/routing/turns", "nan"},
    {"a helix has a finite phase", helix_phase, BAD, "/actuators/0/routing/phase", "nan"},
    {"a routing's type is known", routing_unknown, BAD, "/actuators/0/routing", "unknown"},
    {"a table is accepted", table_good, TD_OK, "", ""},
    {"a table reaches the tip", table_short, BAD, "/actuators/0/routing/s/2", "0.6"},
    {"a table's knots rise", table_falls, BAD, "/actuators/0/routing/s/2", "0.3 follows 0.3"},
    {"a table's y is finite", table_y, BAD, "/actuators/0/routing/y/3", "nan"},
    {"a table's z is finite", table_z, BAD, "/actuators/0/routing/z/0", "inf"},
    {"a sum is accepted", sum_good, TD_OK, "", ""},
    {"a sum has terms", sum_empty, BAD, "/actuators/0/routing/of", "at least one"},
    {"a sum's terms are checked", sum_term, BAD, "/actuators/0/routing/of/1/base/0", "nan"},
    {"sums are not nested without end", sum_deep, BAD, DEEP, "nested 8"},
    {"sums may be nested", sum_as_deep_as_allowed, TD_OK, "", ""},
    {"sums are not endless", sum_wide, BAD, "/actuators/0/routing/of/64", "64 terms"},
};

BREAK(motor_link, r->actuators[MOTOR].link = "leg")
BREAK(motor_fixed, r->actuators[MOTOR].link = "finger")
BREAK(motor_twice, r->actuators[MOTOR].mode_position = r->actuators[WRIST].mode_position = true;
      r->actuators[WRIST].link = "arm")
BREAK(motor_both, r->actuators[WRIST].mode_position = true; r->actuators[WRIST].link = "arm")
BREAK(motor_position, r->actuators[MOTOR].mode_position = true)
BREAK(name_twice, r->actuators[LONG].name = "cable")
BREAK(name_of_a_coordinate, r->actuators[LONG].name = "wrist[2]")
BREAK(name_of_an_actuator_beside, r->actuators[LONG].name = "wrist")
BREAK(load_link, r->loads[PUSH].link = "leg")
BREAK(load_at, r->loads[PUSH].at = -0.1)
static void spread(robot *r, double from, double to) {
  r->loads[PUSH].per_length = true;
  r->loads[PUSH].from = from, r->loads[PUSH].to = to;
}
BREAK(load_spread, spread(r, 0.2, 0.7))
BREAK(load_from, spread(r, -0.2, 0.7))
BREAK(load_to, spread(r, 0.2, 1.5))
BREAK(load_backwards, spread(r, 0.7, 0.2))
BREAK(load_spread_on_a_body, spread(r, 0, 1); r->loads[PUSH].link = "hand")
BREAK(load_pose, r->loads[PUSH].pose.p[0] = NAN)
BREAK(load_frame, r->loads[PUSH].frame = TD_LOAD_FRAME_COUNT)
BREAK(load_wrench, r->loads[WEIGHT].wrench[4] = NAN)
BREAK(load_channel_empty, r->loads[PUSH].channels[3] = "")
BREAK(load_channel_twice, r->loads[PUSH].channels[5] = "push_x")
BREAK(load_channel_of_an_actuator, r->loads[PUSH].channels[5] = "cable")
BREAK(load_name, r->loads[PUSH].name = "")
BREAK(load_name_twice, r->loads[WEIGHT].name = "push")
BREAK(loads_many, r->spec.load_count = TD_MAX_CHANNELS + 1)

static td_actuator_spec motors[TD_MAX_CHANNELS];
static char names[TD_MAX_CHANNELS][24];
static void many_wrists(robot *r, size_t count) {
  for (size_t i = 0; i < count; i++) {
    snprintf(names[i], sizeof names[i], "w%zu", i);
    motors[i] = r->actuators[WRIST];
    motors[i].name = names[i];
  }
  r->spec.actuators = motors;
  r->spec.actuator_count = count;
}
BREAK(channels_many, many_wrists(r, 342))
BREAK(channels_at_the_limit, many_wrists(r, 340))

static const spec_rule inputs[] = {
    {"a joint actuator's link exists", motor_link, BAD, "/actuators/2/link", "no link"},
    {"a fixed joint cannot be driven", motor_fixed, BAD, "/actuators/2/link", "\"finger\""},
    {"a joint can be driven by position", motor_position, TD_OK, "", ""},
    {"a motion is prescribed once", motor_twice, BAD, "/actuators/3/link", "actuator 2 (\"motor\") prescribes"},
    {"force and position exclude each other", motor_both, BAD, "/actuators/3/link", "either by force or by position"},
    {"channel names are unique", name_twice, BAD, "/actuators/1/name", "\"cable\""},
    {"a name may not be that of a joint's coordinate", name_of_a_coordinate, BAD, "/actuators/3/name", "\"wrist[2]\""},
    {"channels are compared, not actuators", name_of_an_actuator_beside, TD_OK, "", ""},
    {"a load's link exists", load_link, BAD, "/loads/0/link", "no link"},
    {"a load's place lies on the rod", load_at, BAD, "/loads/0/at", "-0.1"},
    {"a load may act per length", load_spread, TD_OK, "", ""},
    {"a load per length begins on the rod", load_from, BAD, "/loads/0/from", "-0.2"},
    {"a load per length ends on the rod", load_to, BAD, "/loads/0/to", "1.5"},
    {"a load per length has a length", load_backwards, BAD, "/loads/0/to", "from is 0.7, to is 0.2"},
    {"only rods have loads per length", load_spread_on_a_body, BAD, "/loads/0/link", "\"hand\""},
    {"a load's pose is finite", load_pose, BAD, "/loads/0/pose/translation/0", "nan"},
    {"a load's frame is known", load_frame, BAD, "/loads/0", "unknown"},
    {"a wrench is finite", load_wrench, BAD, "/loads/1/wrench/4", "nan"},
    {"a load's channel has a name", load_channel_empty, BAD, "/loads/0/channels/3", "empty"},
    {"a load's channels differ", load_channel_twice, BAD, "/loads/0/channels/5", "\"push_x\""},
    {"loads and actuators share one name space", load_channel_of_an_actuator, BAD, "/loads/0/channels/5", "\"cable\""},
    {"a load's name is not empty", load_name, BAD, "/loads/0/name", "empty"},
    {"load names are unique", load_name_twice, BAD, "/loads/1/name", "\"push\""},
    {"loads are limited", loads_many, BAD, "/loads", "1025"},
    {"channels are limited", channels_many, BAD, "/actuators/341/name", "1024"},
    {"as many channels as the limit are accepted", channels_at_the_limit, TD_OK, "", ""},
};

START_TEST(rules_of_tendons_name_the_segment) { CHECK_RULES(tendons); }
END_TEST
START_TEST(rules_of_routings_name_the_term) { CHECK_RULES(routings); }
END_TEST
START_TEST(rules_of_joint_actuators_loads_and_channels_name_the_entry) { CHECK_RULES(inputs); }
END_TEST

TEST_MAIN("spec_inputs", rules_of_tendons_name_the_segment, rules_of_routings_name_the_term,
          rules_of_joint_actuators_loads_and_channels_name_the_entry)
