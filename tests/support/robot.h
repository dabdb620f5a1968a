// A small valid robot with one of everything, for tests that break it in one place.
#ifndef TENDRIL_TEST_ROBOT_H
#define TENDRIL_TEST_ROBOT_H

#include "tendril/spec.h"

enum { BASE, ARM, FLAP, HAND, FINGER, LINKS };
enum { CABLE, LONG, MOTOR, WRIST, ACTUATORS };
enum { PUSH, WEIGHT, LOADS };

/// links: base (free, rigid) - arm (revolute, tapered rod) - flap (revolute at half the arm, box), hand (spherical, no
/// body) - finger (fixed, rigid). actuators: cable and long (tendons), motor (1 channel), wrist (3). loads: push (2
/// channels), weight.
typedef struct robot {
  td_model_spec spec;
  td_link_spec links[LINKS];
  td_actuator_spec actuators[ACTUATORS];
  td_load_spec loads[LOADS];
  td_segment_spec cable[1], longer[2];
  double radius[4], knots[4], values[24], points[6], polygon[12], table[8];
  td_routing_spec terms[3];
} robot;

/// Fills it in place; pointers go into the robot itself, so it must not be copied.
void robot_init(robot *r);

#endif
