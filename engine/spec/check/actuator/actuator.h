// What drives a robot, as a row: its rules, and the input channels that it makes. A new type is a file here with its
// row, and that row's line in TD_ACTUATORS (tendril/spec.h); forces find their actuators by type (force/magnetism.c).
#ifndef TENDRIL_SPEC_CHECK_ACTUATOR_ACTUATOR_H
#define TENDRIL_SPEC_CHECK_ACTUATOR_ACTUATOR_H

#include "spec/place.h"
#include "tendril/spec.h"

enum { TD_CHANNEL_NAME = TD_MAX_NAME + 12 };

typedef struct td_actuator_row {
  /// How many; its link, where it has one, exists. NULL: one, with the actuator's name.
  int (*channels)(const td_model_spec *spec, const td_actuator_spec *actuator);
  const char *const *components; ///< name[x], name[y] …; NULL: its own name or, of several, name[0], name[1] …
  /// Its rules beside that of its name. NULL: none.
  td_status (*check)(const td_model_spec *spec, const td_place *at, size_t index);
} td_actuator_row;

#define TD_ACTUATOR_ROW(type, row) extern const td_actuator_row td_actuator_##row;
TD_ACTUATORS(TD_ACTUATOR_ROW)

/// Channels of an actuator of a known type whose link, where it has one, exists.
int td_actuator_channel_count(const td_model_spec *spec, const td_actuator_spec *actuator);
/// Where the channels of actuator `index` begin in u: actuators stand first there, in the document's order.
int td_actuator_first_channel(const td_model_spec *spec, size_t index);
/// The name of its channel k of `count`.
void td_actuator_channel_name(const td_actuator_spec *actuator, int k, int count, char name[TD_CHANNEL_NAME]);

#endif
