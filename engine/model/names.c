// What a model tells about itself: names, counts, sections (public accessors of tendril/model.h).
#include "model/model.h"
#include <string.h>

int td_model_ndof(const td_model *m) { return m->n; }
const td_warnings *td_model_warnings(const td_model *m) { return &m->warnings; }
int td_model_channel_count(const td_model *m) { return m->channel_count; }
int td_model_actuator_channel_count(const td_model *m) { return m->actuator_channel_count; }
const char *td_model_coordinate_name(const td_model *m, int i) { return m->coordinate_name[i]; }
const char *td_model_channel_name(const td_model *m, int i) { return m->channel[i].name; }
bool td_model_channel_is_tendon(const td_model *m, int i) { return m->channel[i].tendon >= 0; }
bool td_model_channel_is_tension(const td_model *m, int i) {
  return m->channel[i].tendon >= 0 && !m->law[m->channel[i].tendon].length;
}
bool td_model_channel_is_flow(const td_model *m, int i) {
  return i >= 0 && (m->water.channel[0] == i || m->water.channel[1] == i || m->water.channel[2] == i);
}

bool td_model_channel_is_rest(const td_model *m, int i) {
  for (int k = 0; k < m->spring_count; k++)
    if (m->spring[k].channel == i) return true;
  return false;
}
int td_model_tendon_count(const td_model *m) { return m->tendon_count; }
const char *td_model_tendon_name(const td_model *m, int tendon) { return m->tendon_name[tendon]; }
int td_model_chamber_count(const td_model *m) { return m->chamber_count; }
int td_model_link_count(const td_model *m) { return m->link_count; }
const char *td_model_link_name(const td_model *m, int link) { return m->link[link].name; }
td_body_type td_model_link_body(const td_model *m, int link) { return m->link[link].body; }

int td_model_link_find(const td_model *m, const char *name) {
  for (int i = 0; i < m->link_count; i++)
    if (!strcmp(m->link[i].name, name)) return i;
  return -1;
}

int td_model_link_point_count(const td_model *m, int link) {
  return m->link[link].body == TD_BODY_ROD ? m->rod[m->link[link].rod].point_count : 1;
}

int td_link_point_node(const td_model *m, int link, int k) {
  const td_link *l = &m->link[link];
  return l->body == TD_BODY_ROD ? m->rod[l->rod].point_node[k] : l->body == TD_BODY_REDUCED ? l->distal : l->node;
}

double td_model_link_abscissa(const td_model *m, int link, int k) {
  return m->link[link].body == TD_BODY_ROD ? m->rod[m->link[link].rod].abscissa[k] : 0;
}

void td_model_section_extent(const td_model *m, int link, double s, double extent[2]) {
  extent[0] = extent[1] = 0;
  if (m->link[link].rod < 0) return;
  td_section_at at;
  td_section_eval(m->rod[m->link[link].rod].outline, s, &at);
  extent[0] = at.extent[0], extent[1] = at.extent[1];
  if (extent[0] == 0) extent[0] = extent[1] = 0.02 * m->rod[m->link[link].rod].length; // stiffness without a radius
}
