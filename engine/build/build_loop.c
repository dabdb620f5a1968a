// Loops and prescribed coordinates of a model, and what the model tells about them (tendril/model.h).
//
// A loop is two frames on nodes and the rows that its joint holds; rows are numbered through all loops in document
// order. Prescribed coordinates are noted by build_actuation.c, here they become a mask.
#include "build/build.h"
#include "element/joint_type.h"
#include "element/loop_joint.h"
#include <assert.h>
#include <stdio.h>

static td_loop_frame frame_of(const td_model *m, const td_loop_end *end) {
  int node = td_build_node_at(m, td_model_link_find(m, end->link), end->at); // the world is link -1
  assert(node >= 0);
  return (td_loop_frame){.node = node, .pose = end->pose};
}

static void build_loop(td_model *m, const td_loop_spec *spec) {
  td_loop *loop = &m->loop[m->loop_count];
  *loop = (td_loop){.a = frame_of(m, &spec->a), .b = frame_of(m, &spec->b), .first = m->loop_rows};
  loop->rows = td_loop_joint_rows(&spec->joint, loop->phi, loop->component);
  loop->type = (int)spec->joint.type;
  loop->axis = td_joint_has_axis(spec->joint.type) ? td_principal_axis(spec->joint.axis) : 2;
  loop->pitch = td_joint_moves(spec->joint.type) & TD_PITCHED ? spec->joint.pitch : 0;
  loop->turns = td_loop_joint_turns(spec->joint.type);
  loop->winds = td_loop_joint_winds(&spec->joint);
  loop->group = td_loop_joint_is_group(spec->joint.type);
  if (spec->name)
    snprintf(loop->name, sizeof loop->name, "%s", spec->name);
  else
    snprintf(loop->name, sizeof loop->name, "loop %d", m->loop_count);
  m->loop_rows += loop->rows;
  m->loop_count++;
}

td_status td_build_loops(td_model *m, const td_model_spec *spec) {
  m->loop = td_block_alloc(&m->blocks, spec->loop_count, sizeof *m->loop);
  m->prescribed_mask = td_block_alloc(&m->blocks, (size_t)m->ld, sizeof(double));
  if (!m->loop || !m->prescribed_mask) return TD_NO_MEMORY;
  for (size_t i = 0; i < spec->loop_count; i++) build_loop(m, &spec->loops[i]);
  for (int i = 0; i < m->n; i++) m->prescribed_mask[i] = 1;
  for (int i = 0; i < m->prescribed_count; i++) m->prescribed_mask[m->prescribed[i].coordinate] = 0;
  return TD_OK;
}

int td_model_loop_row_count(const td_model *m) { return m->loop_rows; }
int td_model_loop_count(const td_model *m) { return m->loop_count; }

const char *td_model_loop_name(const td_model *m, int loop, int *first, int *rows) {
  if (first) *first = m->loop[loop].first;
  if (rows) *rows = m->loop[loop].rows;
  return m->loop[loop].name;
}

int td_model_prescribed_count(const td_model *m) { return m->prescribed_count; }

int td_model_prescribed_coordinate(const td_model *m, int i, int *channel) {
  if (channel) *channel = m->prescribed[i].channel;
  return m->prescribed[i].coordinate;
}
