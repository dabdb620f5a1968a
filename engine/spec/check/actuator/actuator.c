// Channels of actuators, as documents, checks and models count and name them.
#include "spec/check/actuator/actuator.h"
#include "spec/check/checks.h"
#include <assert.h>
#include <stdio.h>

int td_actuator_channel_count(const td_model_spec *spec, const td_actuator_spec *actuator) {
  if (actuator->type == TD_ACTUATOR_FIELD) return actuator->gradient ? TD_GRADIENT_CHANNELS : TD_FIELD_CHANNELS;
  if (actuator->type != TD_ACTUATOR_JOINT) return 1;
  int link = td_spec_link_find(spec, spec->link_count, actuator->link);
  assert(link >= 0);
  return td_joint_dof(spec->links[link].joint.type);
}

void td_actuator_channel_name(const td_actuator_spec *actuator, int k, int count, char name[TD_CHANNEL_NAME]) {
  static const char *const components[TD_GRADIENT_CHANNELS] = {"x", "y", "z", "xx", "xy", "xz", "yy", "yz"};
  assert(k >= 0 && k < count);
  if (actuator->type == TD_ACTUATOR_FIELD)
    snprintf(name, TD_CHANNEL_NAME, "%s[%s]", actuator->name, components[k]);
  else if (count > 1)
    snprintf(name, TD_CHANNEL_NAME, "%s[%d]", actuator->name, k);
  else
    snprintf(name, TD_CHANNEL_NAME, "%s", actuator->name);
}
