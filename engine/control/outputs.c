// What controllers watch, and where in the job document they stand: coordinates by name, the output that a channel does
// work on.
#include "control/parts.h"
#include <assert.h>
#include <string.h>

int td_coordinate_find(const td_model *model, const char *name) {
  for (int i = 0; i < td_model_ndof(model); i++)
    if (strcmp(td_model_coordinate_name(model, i), name) == 0) return i;
  int channel = td_channel_find(model, name);
  return channel < 0 ? -1 : td_channel_coordinate(model, channel);
}

bool td_channel_output(const td_model *m, int channel, td_watched *output) {
  *output = (td_watched){-1, -1};
  if (channel < 0 || channel >= m->actuator_channel_count) return false;
  *output = (td_watched){m->channel[channel].coordinate, m->channel[channel].tendon};
  return output->coordinate >= 0 || output->tendon >= 0;
}

bool td_joint_outputs(const td_model *m, const td_controller_spec *spec, int *coordinate) {
  size_t k = spec->channel_count, joints = 0;
  for (size_t i = 0; i < k && spec->reference.coordinate_count; i++)
    coordinate[i] = td_coordinate_find(m, spec->reference.coordinates[i]);
  if (spec->reference.coordinate_count) return true;
  for (size_t i = 0; i < k; i++) {
    td_watched o;
    if (td_channel_output(m, td_channel_find(m, spec->channels[i]), &o) && o.coordinate >= 0) joints++;
    coordinate[i] = o.coordinate;
  }
  if (joints == k) return true;
  if (k != (size_t)(m->n - m->prescribed_count)) return false;
  for (int c = 0, i = 0; c < m->n; c++)
    if (m->prescribed_mask[c] != 0) coordinate[i++] = c;
  return true;
}

td_place td_controller_place(const td_place *root, const td_dynamics_spec *spec, size_t index, td_place *all) {
  assert(index < spec->controller_count);
  *all = td_place_key(root, "controller");
  return spec->controller_list ? td_place_at(all, index) : *all;
}
