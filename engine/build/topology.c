// Who is whose ancestor, and where ancestor columns are kept (model.h: slots and runs).
//
// The world-frame columns of an element, once past its end, are the same for all descendants: the forward pass stores
// them in slots, one block for every node of the element where something hangs, a loop or a spring ends (the columns of
// a rod differ between its middle and its tip). An element finds all its ancestors as a few runs of consecutive slots,
// so that the kernels stream over them.
#include "build/build.h"
#include <stdbool.h>
#include <string.h>

// The next ancestor with coordinates above `node`: its element and the node of it we come from. False at the world.
static bool next_ancestor(const td_model *m, int *node, int *element, int *at) {
  while (m->node[*node].element >= 0) {
    *element = m->node[*node].element;
    *at = *node;
    *node = m->element[*element].start;
    if (m->element[*element].n > 0) return true;
  }
  return false;
}

static void note_block(td_element *e, int node) {
  td_slot_block *block = (td_slot_block *)e->block;
  for (int i = 0; i < e->block_count; i++)
    if (block[i].node == node) return;
  block[e->block_count++] = (td_slot_block){node, 0};
}

static int slot_of(const td_element *e, int node) {
  for (int i = 0; i < e->block_count; i++)
    if (e->block[i].node == node) return e->block[i].slot;
  return -1;
}

static void note_path(td_model *m, int node) {
  int element, at;
  while (next_ancestor(m, &node, &element, &at)) note_block(&m->element[element], at);
}

static td_status note_blocks(td_model *m) {
  for (int i = 0; i < m->element_count; i++) {
    td_element *e = &m->element[i];
    e->block = td_block_alloc(&m->blocks, (size_t)(e->type == TD_ELEMENT_STRIP ? e->interval_count : 1),
                              sizeof(td_slot_block));
    if (!e->block) return TD_NO_MEMORY;
  }
  for (int i = 0; i < m->element_count; i++)
    if (m->element[i].n) note_path(m, m->element[i].start);
  for (int i = 0; i < m->loop_count; i++) {
    note_path(m, m->loop[i].a.node);
    note_path(m, m->loop[i].b.node);
  }
  for (int i = 0; i < m->spring_count; i++) {
    note_path(m, m->spring[i].a.node);
    note_path(m, m->spring[i].b.node);
  }
  for (int i = 0; i < m->element_count; i++)
    for (int b = 0; b < m->element[i].block_count; b++) {
      ((td_slot_block *)m->element[i].block)[b].slot = m->slot_count;
      m->slot_count += m->element[i].n;
    }
  return TD_OK;
}

// The columns that move `node`, as runs; *count of them. Ancestors are met child first; their slots fall, so runs are
// built from the back.
static td_status build_runs(td_model *m, int node, const td_run **runs, int *count, int *columns) {
  int start = node, element, at, depth = 0;
  while (next_ancestor(m, &node, &element, &at)) depth++;
  td_run *run = td_block_alloc(&m->blocks, (size_t)depth + 1, sizeof *run);
  if (!run) return TD_NO_MEMORY;
  td_run *first = run + depth; // runs are [first, run + depth)
  *columns = 0;
  for (node = start; next_ancestor(m, &node, &element, &at);) {
    const td_element *a = &m->element[element];
    td_run piece = {slot_of(a, at), a->coordinate, a->n};
    bool joins = first < run + depth && piece.slot + piece.count == first->slot &&
                 piece.coordinate + piece.count == first->coordinate;
    if (joins) {
      first->slot = piece.slot, first->coordinate = piece.coordinate, first->count += piece.count;
    } else {
      *--first = piece;
    }
    *columns += a->n;
  }
  *runs = first;
  *count = (int)(run + depth - first);
  return TD_OK;
}

static td_status build_frame_runs(td_model *m, td_loop_frame *f) {
  int columns;
  return build_runs(m, f->node, &f->run, &f->run_count, &columns);
}

static void note_sizes(td_model *m) {
  long related = 0;
  for (int i = 0; i < m->element_count; i++) {
    td_element *e = &m->element[i];
    related += (long)e->n * (e->n + 2 * e->ancestor_count);
    if (e->type == TD_ELEMENT_SOLID && e->n > m->max_strip_n) m->max_strip_n = e->n;
    if (e->type != TD_ELEMENT_STRIP) continue;
    if (e->n > m->max_strip_n) m->max_strip_n = e->n;
    if (e->interval_count > m->max_strip_intervals) m->max_strip_intervals = e->interval_count;
    if (e->batch_count > m->max_batches) m->max_batches = e->batch_count;
    e->first_batch = m->strip_batches;
    m->strip_batches += e->batch_count;
  }
  m->branched = related < (long)m->n * m->n;
  for (int i = 0; i < m->rod_count; i++) {
    const td_rod *rod = &m->rod[i];
    if (rod->gauss_count > m->max_rod_gauss) m->max_rod_gauss = rod->gauss_count;
    if (m->element[rod->element].n > m->max_rod_n) m->max_rod_n = m->element[rod->element].n;
  }
  m->wide_rows = m->loop_count > 0;
}

static bool translates(const td_element *e) {
  if (e->type == TD_ELEMENT_SCREW) return e->screw[3] != 0 || e->screw[4] != 0 || e->screw[5] != 0;
  for (int g = 0; e->type == TD_ELEMENT_STRIP && g < e->group_count; g++)
    if (e->group[g].component >= 3) return e->rod < 0;
  return false;
}

td_status td_build_topology(td_model *m) {
  td_status status = note_blocks(m);
  for (int i = 0; !status && i < m->element_count; i++) {
    td_element *e = &m->element[i];
    status = build_runs(m, e->start, &e->run, &e->run_count, &e->ancestor_count);
  }
  for (int i = 0; !status && i < m->loop_count; i++) {
    status = build_frame_runs(m, &m->loop[i].a);
    if (!status) status = build_frame_runs(m, &m->loop[i].b);
  }
  for (int i = 0; !status && i < m->spring_count; i++) {
    status = build_frame_runs(m, &m->spring[i].a);
    if (!status) status = build_frame_runs(m, &m->spring[i].b);
  }
  m->slot_stride = td_pad(m->slot_count) + TD_LANES;
  m->floating = m->element_count > 0 && translates(&m->element[0]);
  note_sizes(m);
  return status;
}
