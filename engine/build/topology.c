// Who is whose ancestor, and where ancestor columns are kept (model.h: td_column_range).
//
// The world-frame columns of an element, once past its end, are the same for all descendants: the forward pass keeps
// them, one block for every node of the element where something hangs, a loop or a spring ends (the columns of a rod
// differ between its middle and its tip). An element finds those of all its ancestors as a few ranges, so that the
// kernels stream over them.
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
  td_kept_block *block = (td_kept_block *)e->block;
  for (int i = 0; i < e->block_count; i++)
    if (block[i].node == node) return;
  block[e->block_count++] = (td_kept_block){node, 0};
}

static int kept_from(const td_element *e, int node) {
  for (int i = 0; i < e->block_count; i++)
    if (e->block[i].node == node) return e->block[i].first;
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
                              sizeof(td_kept_block));
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
  for (int i = 0; i < m->element_count; i++) m->element[i].whole_blocks = m->element[i].block_count;
  for (int i = 0; i < m->proxy_frame_count; i++) note_path(m, m->proxy_frame[i].node);
  for (int i = 0; i < m->element_count; i++)
    for (int b = 0; b < m->element[i].block_count; b++) {
      ((td_kept_block *)m->element[i].block)[b].first = m->kept_count;
      m->kept_count += m->element[i].n;
    }
  return TD_OK;
}

// The columns that move `node`, as ranges; *count of them. Ancestors are met child first, whose columns are kept last,
// so ranges are built from the back.
static td_status build_ranges(td_model *m, int node, const td_column_range **ranges, int *count, int *columns) {
  int start = node, element, at, depth = 0;
  while (next_ancestor(m, &node, &element, &at)) depth++;
  td_column_range *range = td_block_alloc(&m->blocks, (size_t)depth + 1, sizeof *range);
  if (!range) return TD_NO_MEMORY;
  td_column_range *first = range + depth; // ranges are [first, range + depth)
  *columns = 0;
  for (node = start; next_ancestor(m, &node, &element, &at);) {
    const td_element *a = &m->element[element];
    td_column_range piece = {kept_from(a, at), a->coordinate, a->n};
    bool joins = first < range + depth && piece.first + piece.count == first->first &&
                 piece.coordinate + piece.count == first->coordinate;
    if (joins) {
      first->first = piece.first, first->coordinate = piece.coordinate, first->count += piece.count;
    } else {
      *--first = piece;
    }
    *columns += a->n;
  }
  *ranges = first;
  *count = (int)(range + depth - first);
  return TD_OK;
}

static td_status build_frame_ranges(td_model *m, td_loop_frame *f) {
  int columns;
  return build_ranges(m, f->node, &f->range, &f->range_count, &columns);
}

// Vectors of coordinates that each begins at a multiple of lanes.
static void note_width(td_model *m, const td_loop_frame *f) {
  int width = 0;
  for (int r = 0; r < f->range_count; r++) width += td_pad(f->range[r].coordinate % TD_LANES + f->range[r].count);
  m->proxy_width = width > m->proxy_width ? width : m->proxy_width;
}

// Coordinates of the frames of a solid: those of the last one, which is farthest out.
static const td_loop_frame *farthest(const td_model *m, int solid) {
  const td_solid *s = &m->solid[solid];
  const td_loop_frame *last = &m->proxy_frame[m->proxy[s->first].frame[1]];
  for (int i = 0; i < s->count; i++)
    if (m->proxy_frame[m->proxy[s->first + i].frame[1]].node > last->node)
      last = &m->proxy_frame[m->proxy[s->first + i].frame[1]];
  return last;
}

static bool moves(const td_loop_frame *f, int coordinate) {
  for (int i = 0; i < f->range_count; i++)
    if (coordinate >= f->range[i].coordinate && coordinate < f->range[i].coordinate + f->range[i].count) return true;
  return false;
}

// What moves either solid, as ranges of coordinates.
static td_status build_pair_ranges(td_model *m, td_solid_pair *pair) {
  const td_loop_frame *a = farthest(m, pair->a), *b = farthest(m, pair->b);
  td_column_range *range = td_block_alloc(&m->blocks, (size_t)(a->range_count + b->range_count) + 1, sizeof *range);
  if (!range) return TD_NO_MEMORY;
  for (int i = 0, was = 0; i < m->n; i++) {
    bool is = moves(a, i) || moves(b, i);
    if (is && !was) range[pair->range_count++] = (td_column_range){.coordinate = i};
    if (is) range[pair->range_count - 1].count++;
    was = is;
  }
  pair->range = range;
  return TD_OK;
}

static td_status build_pairs(td_model *m) {
  td_status status = TD_OK;
  for (int i = 0; !status && i < m->proxy_frame_count; i++) {
    status = build_frame_ranges(m, &m->proxy_frame[i]);
    if (!status) note_width(m, &m->proxy_frame[i]);
  }
  for (int i = 0; !status && i < m->solid_pair_count; i++) status = build_pair_ranges(m, &m->solid_pair[i]);
  return status;
}

// Returns how many entries of the mass matrix are not 0 by the tree.
static long note_sizes(td_model *m) {
  long related = 0;
  for (int i = 0; i < m->element_count; i++) {
    td_element *e = &m->element[i];
    related += (long)e->n * (e->n + 2 * e->ancestor_count);
    if (e->type == TD_ELEMENT_RITZ && e->n > m->max_strip_n) m->max_strip_n = e->n;
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
  return related;
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
    status = build_ranges(m, e->start, &e->range, &e->range_count, &e->ancestor_count);
  }
  for (int i = 0; !status && i < m->loop_count; i++) {
    status = build_frame_ranges(m, &m->loop[i].a);
    if (!status) status = build_frame_ranges(m, &m->loop[i].b);
  }
  for (int i = 0; !status && i < m->spring_count; i++) {
    status = build_frame_ranges(m, &m->spring[i].a);
    if (!status) status = build_frame_ranges(m, &m->spring[i].b);
  }
  if (!status) status = build_pairs(m);
  m->kept_stride = td_pad(m->kept_count) + TD_LANES;
  m->floating = m->element_count > 0 && translates(&m->element[0]);
  long related = note_sizes(m);
  return status ? status : td_build_tree_order(m, (double)related);
}
