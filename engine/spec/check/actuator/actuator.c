// The table of actuators: channels as documents, checks and models count and name them, and what every one must fulfil.
#include "spec/check/actuator/actuator.h"
#include "spec/check/checks.h"
#include <assert.h>
#include <stdio.h>

#define ENTRY(type, row) &td_actuator_##row,
static const td_actuator_row *const ROWS[TD_ACTUATOR_TYPE_COUNT] = {TD_ACTUATORS(ENTRY)};

static const td_actuator_row *row_of(const td_actuator_spec *actuator) {
  assert((unsigned)actuator->type < TD_ACTUATOR_TYPE_COUNT);
  return ROWS[actuator->type];
}

int td_actuator_channel_count(const td_model_spec *spec, const td_actuator_spec *actuator) {
  int count = row_of(actuator)->channels ? row_of(actuator)->channels(spec, actuator) : 1;
  assert(count >= 0);
  return count;
}

int td_actuator_first_channel(const td_model_spec *spec, size_t index) {
  int first = 0;
  assert(index < spec->actuator_count);
  for (size_t i = 0; i < index; i++) first += td_actuator_channel_count(spec, &spec->actuators[i]);
  return first;
}

void td_actuator_channel_name(const td_actuator_spec *actuator, int k, int count, char name[TD_CHANNEL_NAME]) {
  const char *const *components = row_of(actuator)->components;
  assert(k >= 0 && k < count);
  if (components)
    snprintf(name, TD_CHANNEL_NAME, "%s[%s]", actuator->name, components[k]);
  else if (count > 1)
    snprintf(name, TD_CHANNEL_NAME, "%s[%d]", actuator->name, k);
  else
    snprintf(name, TD_CHANNEL_NAME, "%s", actuator->name);
}

static td_status check(const td_model_spec *spec, const td_place *at, size_t index) {
  const td_actuator_spec *actuator = &spec->actuators[index];
  td_status status = td_check_name(at, "name", actuator->name);
  if (status) return status;
  if ((unsigned)actuator->type >= TD_ACTUATOR_TYPE_COUNT)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "unknown actuator type %d", (int)actuator->type);
  return row_of(actuator)->check ? row_of(actuator)->check(spec, at, index) : TD_OK;
}

td_status td_check_actuators(const td_model_spec *spec, const td_place *root) {
  td_place list = td_place_key(root, "actuators");
  if (spec->actuator_count > TD_MAX_CHANNELS)
    return td_place_fail(&list, TD_INVALID_ARGUMENT, "may have %d actuators, has %zu", (int)TD_MAX_CHANNELS,
                         spec->actuator_count);
  td_status first = TD_OK;
  for (size_t i = 0; i < spec->actuator_count; i++) {
    td_place at = td_place_at(&list, i);
    td_status status = check(spec, &at, i);
    if (!first) first = status;
    if (!td_place_goes_on(&list, status)) break;
  }
  return first;
}
