// Loads, and the input channels of actuators, loads and springs: one name space, in which every name stands once.
//
// A joint with several coordinates makes the channels name[0], name[1]…, so that these are compared, not the actuators'
// names. Quadratic in the number of channels, which is limited.
#include "spec/check/actuator/actuator.h"
#include "spec/check/checks.h"
#include "strain/points.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORTEST 1e-6 ///< part of a rod that a load per length may act on

static td_status check_load_channels(const td_place *at, const td_load_spec *load) {
  td_place channels = td_place_key(at, "channels");
  for (size_t k = 0; k < 6; k++) {
    td_place entry = td_place_at(&channels, k);
    td_status status = load->channels[k] ? td_check_name(&entry, NULL, load->channels[k]) : TD_OK;
    if (status) return status;
  }
  return TD_OK;
}

static td_status check_load_name(const td_model_spec *spec, const td_place *at, size_t index) {
  const char *name = spec->loads[index].name;
  td_place place = td_place_key(at, "name");
  if (!name) return TD_OK;
  td_status status = td_check_name(&place, NULL, name);
  for (size_t i = 0; i < index && !status; i++)
    if (spec->loads[i].name && !strcmp(spec->loads[i].name, name))
      status = td_place_fail(&place, TD_INVALID_ARGUMENT, "load %zu has this name already: \"%s\"", i, name);
  return status;
}

static td_status check_range(const td_model_spec *spec, const td_place *at, const td_load_spec *load, int link,
                             size_t *points) {
  td_place place = td_place_key(at, "link"), to = td_place_key(at, "to");
  if (spec->links[link].body.type != TD_BODY_ROD)
    return td_place_fail(&place, TD_INVALID_ARGUMENT, "only a rod has loads per length, \"%s\" is none", load->link);
  td_status status = td_check_within(at, "from", load->from, 0, 1);
  if (!status) status = td_check_within(at, "to", load->to, 0, 1);
  if (status) return status;
  if (!(load->to - load->from >= SHORTEST))
    return td_place_fail(&to, TD_INVALID_ARGUMENT,
                         "must be more than `from` by %g at least: from is %.15g, to is %.15g", SHORTEST, load->from,
                         load->to);
  *points += (size_t)td_rod_range_points(&spec->links[link].body.rod, load->from, load->to, NULL, NULL);
  if (*points > TD_MAX_MODEL_POINTS)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "loads per length act at more than %d points in all",
                         (int)TD_MAX_MODEL_POINTS);
  return TD_OK;
}

static td_status check_load(const td_model_spec *spec, const td_place *at, size_t index, size_t *points) {
  const td_load_spec *load = &spec->loads[index];
  int link;
  td_status status = check_load_name(spec, at, index);
  if (!status) status = td_check_link_reference(spec, at, "link", load->link, &link);
  if (!status)
    status = load->per_length ? check_range(spec, at, load, link, points) : td_check_within(at, "at", load->at, 0, 1);
  if (!status) status = td_check_pose(at, &load->pose);
  if (!status && !td_load_frame_name(load->frame))
    status = td_place_fail(at, TD_INVALID_ARGUMENT, "unknown frame %d", (int)load->frame);
  if (status) return status;
  return load->has_channels ? check_load_channels(at, load) : td_check_all_finite(at, "wrench", 6, load->wrench);
}

td_status td_check_loads(const td_model_spec *spec, const td_place *root) {
  td_place list = td_place_key(root, "loads");
  if (spec->load_count > TD_MAX_CHANNELS)
    return td_place_fail(&list, TD_INVALID_ARGUMENT, "may have %d loads, has %zu", (int)TD_MAX_CHANNELS,
                         spec->load_count);
  size_t points = 0;
  td_status first = TD_OK;
  for (size_t i = 0; i < spec->load_count; i++) {
    td_place at = td_place_at(&list, i);
    td_status status = check_load(spec, &at, i, &points);
    if (!first) first = status;
    if (!td_place_goes_on(&list, status)) break;
  }
  return first;
}

typedef char channel_name[TD_MAX_NAME + 12];

typedef struct channel_list {
  size_t count;
  channel_name name[TD_MAX_CHANNELS];
} channel_list;

// The list so far is free of duplicates, so one comparison with all of it keeps it so.
static td_status add(channel_list *list, const td_place *at, const char *name) {
  if (list->count == TD_MAX_CHANNELS)
    return td_place_fail(at, TD_INVALID_ARGUMENT, "the model has more than %d input channels", (int)TD_MAX_CHANNELS);
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->name[i], name))
      return td_place_fail(at, TD_INVALID_ARGUMENT, "another input channel has this name already: \"%s\"", name);
  snprintf(list->name[list->count++], sizeof(channel_name), "%s", name);
  return TD_OK;
}

static td_status add_actuator(channel_list *list, const td_model_spec *spec, const td_actuator_spec *actuator,
                              const td_place *at) {
  td_place place = td_place_key(at, "name");
  int count = td_actuator_channel_count(spec, actuator);
  td_status status = TD_OK;
  for (int k = 0; k < count && !status; k++) {
    char name[TD_CHANNEL_NAME];
    td_actuator_channel_name(actuator, k, count, name);
    status = add(list, &place, name);
  }
  return status;
}

static td_status add_load(channel_list *list, const td_load_spec *load, const td_place *at) {
  td_place channels = td_place_key(at, "channels");
  for (size_t k = 0; load->has_channels && k < 6; k++) {
    td_place entry = td_place_at(&channels, k);
    td_status status = load->channels[k] ? add(list, &entry, load->channels[k]) : TD_OK;
    if (status) return status;
  }
  return TD_OK;
}

static td_status add_flow(channel_list *list, const td_fluid_spec *fluid, const td_place *at) {
  td_place channels = td_place_key(at, "channels");
  for (size_t k = 0; fluid->has_channels && k < 3; k++) {
    td_place entry = td_place_at(&channels, k);
    if (!fluid->channels[k]) continue;
    td_status status = td_check_name(&entry, NULL, fluid->channels[k]);
    if (!status) status = add(list, &entry, fluid->channels[k]);
    if (status) return status;
  }
  return TD_OK;
}

static td_status add_springs(channel_list *list, const td_model_spec *spec, const td_place *root) {
  td_place springs = td_place_key(root, "springs");
  td_status status = TD_OK;
  for (size_t i = 0; i < spec->spring_count && !status; i++) {
    td_place at = td_place_at(&springs, i), channel = td_place_key(&at, "channel");
    if (spec->springs[i].channel) status = add(list, &channel, spec->springs[i].channel);
  }
  return status;
}

static td_status collect(channel_list *list, const td_model_spec *spec, const td_place *root) {
  td_place actuators = td_place_key(root, "actuators"), loads = td_place_key(root, "loads"),
           fluid = td_place_key(root, "fluid");
  td_status status = TD_OK;
  for (size_t i = 0; i < spec->actuator_count && !status; i++) {
    td_place at = td_place_at(&actuators, i);
    status = add_actuator(list, spec, &spec->actuators[i], &at);
  }
  for (size_t i = 0; i < spec->load_count && !status; i++) {
    td_place at = td_place_at(&loads, i);
    status = add_load(list, &spec->loads[i], &at);
  }
  if (!status) status = add_springs(list, spec, root);
  return status ? status : add_flow(list, &spec->fluid, &fluid);
}

td_status td_check_channels(const td_model_spec *spec, const td_place *root) {
  channel_list *list = malloc(sizeof *list);
  if (!list) return td_place_fail(root, TD_NO_MEMORY, "out of memory");
  list->count = 0;
  td_status status = collect(list, spec, root);
  free(list);
  return status;
}
