// The input channels that an actuator of a document makes: how many, and their names.
#ifndef TENDRIL_SPEC_CHECK_ACTUATOR_ACTUATOR_H
#define TENDRIL_SPEC_CHECK_ACTUATOR_ACTUATOR_H

#include "tendril/spec.h"

/// Of a magnetic field without and with a gradient.
enum { TD_FIELD_CHANNELS = 3, TD_GRADIENT_CHANNELS = 8, TD_CHANNEL_NAME = TD_MAX_NAME + 12 };

/// Channels of an actuator whose link, where it has one, exists.
int td_actuator_channel_count(const td_model_spec *spec, const td_actuator_spec *actuator);
/// Name of channel k of `count`: the actuator's own where it has one, else name[0], name[1] … of a joint, name[x] … of
/// a field.
void td_actuator_channel_name(const td_actuator_spec *actuator, int k, int count, char name[TD_CHANNEL_NAME]);

#endif
