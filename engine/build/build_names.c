// Names of coordinates: arm.joint[0], arm.bending_y[2], body.q[1].
#include "build/build.h"
#include <stdio.h>

static void name_joint(td_model *m, const td_link *link) {
  for (int i = 0; i < link->joint_n; i++)
    snprintf(m->coordinate_name[link->joint_coordinate + i], sizeof *m->coordinate_name, "%s.joint[%d]", link->name, i);
}

static void name_rod(td_model *m, const td_link *link) {
  const td_element *e = &m->element[m->rod[link->rod].element];
  for (int g = 0; g < e->group_count; g++)
    for (int i = 0; i < e->group[g].count; i++)
      snprintf(m->coordinate_name[e->coordinate + e->group[g].first + i], sizeof *m->coordinate_name, "%s.%s[%d]",
               link->name, td_strain_component_name(e->group[g].component), i);
}

static void name_reduced(td_model *m, const td_link *link) {
  const td_element *e = &m->element[m->node[link->distal].element];
  for (int i = 0; i < e->n; i++)
    snprintf(m->coordinate_name[e->coordinate + i], sizeof *m->coordinate_name, "%s.q[%d]", link->name, i);
}

td_status td_build_names(td_model *m) {
  m->coordinate_name = td_block_alloc(&m->blocks, (size_t)m->n, sizeof *m->coordinate_name);
  if (!m->coordinate_name) return TD_NO_MEMORY;
  for (int i = 0; i < m->link_count; i++) {
    name_joint(m, &m->link[i]);
    if (m->link[i].body == TD_BODY_ROD) name_rod(m, &m->link[i]);
    if (m->link[i].body == TD_BODY_REDUCED) name_reduced(m, &m->link[i]);
  }
  return TD_OK;
}
