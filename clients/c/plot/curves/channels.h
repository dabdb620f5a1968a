// Input channels by what they are, so that each kind gets its own axis and unit.
#ifndef TENDRIL_CLIENT_CHANNELS_H
#define TENDRIL_CLIENT_CHANNELS_H

#include "plot/recording.h"

typedef enum channel_group {
  CHANNEL_TENSION,
  CHANNEL_LENGTH, ///< of tendons of mode length
  CHANNEL_TORQUE,
  CHANNEL_FORCE,
  CHANNEL_JOINT_FORCE, ///< of a joint that the model does not tell
  CHANNEL_ANGLE,
  CHANNEL_SLIDE,
  CHANNEL_POSITION,
  CHANNEL_PRESSURE,
  CHANNEL_LOAD_MOMENT,
  CHANNEL_LOAD_FORCE,
  CHANNEL_LOAD_MOMENT_PER_LENGTH,
  CHANNEL_LOAD_FORCE_PER_LENGTH,
  CHANNEL_REST, ///< of springs
  CHANNEL_FLOW,
  CHANNEL_OTHER,
  CHANNEL_GROUPS
} channel_group;

/// The unit of the k-th coordinate of a joint: "rad" or "m", "" where the model does not tell.
const char *channels_joint_unit(const recording *r, const char *link, long k);
/// The group of a channel ("cable1", "shoulder[2]"), from the model document.
channel_group channels_group(const recording *r, const char *name);
const char *channels_title(channel_group group);
const char *channels_unit(channel_group group);

#endif
