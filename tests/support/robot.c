// See robot.h.
#include "support/robot.h"
#include <math.h>
#include <string.h>

static td_rod_spec arm_rod(const robot *r) {
  td_rod_spec rod = {.length = 0.4,
                     .section = TD_SECTION_CIRCLE,
                     .young = 1e6,
                     .poisson = 0.45,
                     .shear = NAN,
                     .density = 1000,
                     .viscosity = 1e3,
                     .basis = TD_BASIS_LEGENDRE,
                     .order = {-1, 2, 2, 0, -1, -1}};
  rod.size[0] = (td_profile){.count = 2, .width = 1, .value = r->radius};
  return rod;
}

static void init_links(robot *r) {
  static const char *const names[LINKS] = {"base", "arm", "flap", "hand", "finger"};
  static const char *const parents[LINKS] = {"world", "base", "arm", "arm", "hand"};
  static const td_joint_type joints[LINKS] = {TD_JOINT_FREE, TD_JOINT_REVOLUTE, TD_JOINT_REVOLUTE, TD_JOINT_SPHERICAL,
                                              TD_JOINT_FIXED};
  for (int i = 0; i < LINKS; i++) {
    r->links[i] = (td_link_spec){.name = names[i], .parent = parents[i], .at = 1};
    r->links[i].pose = (td_se3){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    r->links[i].joint = (td_joint_spec){.type = joints[i], .axis = {0, 0, 1}};
  }
  r->links[FLAP].at = 0.5;
  td_rigid_spec mass = {.mass = 1, .com = {0.1, 0, 0}, .inertia = {0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.02}};
  r->links[BASE].body = (td_body_spec){.type = TD_BODY_RIGID, .rigid = mass};
  r->links[FINGER].body = r->links[BASE].body;
  r->links[ARM].body = (td_body_spec){.type = TD_BODY_ROD, .rod = arm_rod(r)};
  td_rigid_spec box = {.shape = TD_SHAPE_BOX, .density = 500, .size = {0.1, 0.02, 0.03}, .axis = {0, 0, 1}};
  r->links[FLAP].body = (td_body_spec){.type = TD_BODY_RIGID, .rigid = box};
}

static void init_actuators(robot *r) {
  td_routing_spec straight = {.type = TD_ROUTING_LINEAR, .base = {0, 0.01}, .tip = {0, 0.005}};
  r->cable[0] = (td_segment_spec){.link = "arm", .has_routing = true, .routing = straight};
  r->longer[0] = (td_segment_spec){.link = "base", .points = r->points, .points_count = 2};
  r->longer[1] = r->cable[0];
  r->actuators[CABLE] = (td_actuator_spec){.name = "cable", .segments = r->cable, .segment_count = 1, .joined = true};
  r->actuators[LONG] = (td_actuator_spec){
      .name = "long", .segments = r->longer, .segment_count = 2, .joined = true, .segments_key = true};
  r->actuators[MOTOR] = (td_actuator_spec){.name = "motor", .type = TD_ACTUATOR_JOINT, .link = "arm"};
  r->actuators[WRIST] = (td_actuator_spec){.name = "wrist", .type = TD_ACTUATOR_JOINT, .link = "hand"};
}

static void init_loads(robot *r) {
  td_se3 here = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  r->loads[PUSH] = (td_load_spec){.name = "push",
                                  .link = "arm",
                                  .at = 0.7,
                                  .pose = here,
                                  .has_channels = true,
                                  .channels = {NULL, NULL, NULL, "push_x", NULL, "push_z"}};
  r->loads[WEIGHT] =
      (td_load_spec){.link = "finger", .at = 1, .pose = here, .frame = TD_LOAD_WORLD, .wrench = {0, 0, 0, 0, 0, -2}};
}

void robot_init(robot *r) {
  static const double radius[4] = {0.02, 0.01, 0.015, 0.02}, knots[4] = {0, 0.3, 0.6, 1};
  static const double points[6] = {0, 0, 0.01, 0.1, 0, 0.01}, polygon[12] = {0, 0, 2, 0, 2, 1, 1, 1, 1, 3, 0, 3};
  memset(r, 0, sizeof *r);
  memcpy(r->radius, radius, sizeof radius);
  memcpy(r->knots, knots, sizeof knots);
  memcpy(r->points, points, sizeof points);
  memcpy(r->polygon, polygon, sizeof polygon);
  for (int i = 0; i < 24; i++) r->values[i] = i % 6 == 3;
  for (int i = 0; i < 8; i++) r->table[i] = i == 3 || i == 6;
  init_links(r);
  init_actuators(r);
  init_loads(r);
  r->spec = (td_model_spec){.name = "robot",
                            .gravity = {0, 0, -9.81},
                            .links = r->links,
                            .link_count = LINKS,
                            .actuators = r->actuators,
                            .actuator_count = ACTUATORS,
                            .loads = r->loads,
                            .load_count = LOADS};
}
