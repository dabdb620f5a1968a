// The order in which the mass matrix of a branched robot is factored (math/tree_cholesky.h), from the ancestors that
// topology.c found. Chains have none, all their coordinates have to do with each other; nor have robots with loops, whose
// derivatives keep fewer digits in this order (measured: one more lost of a swimmer, cond M 1e9; open trees keep theirs).
#include "build/build.h"
#include "math/tree_cholesky.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 16 };              // coordinates: below, a few more zeros are no loss
static const double FILLED = 0.8; // of the mass matrix: above, the dense factor is as good

// marked [n], in the reverse order.
static void mark(const td_model *m, int coordinate, int count, bool *marked) {
  for (int c = coordinate; c < coordinate + count; c++) marked[m->n - 1 - c] = true;
}

static bool meets(const td_tree_tile *tile, int n, int coordinate, int count) {
  int from = n - coordinate - count, to = n - coordinate; // as rows of the reverse order
  return from < tile->row + tile->rows && to > tile->row;
}

// Coordinates that have to do with some of the tile's.
static void mark_related(const td_model *m, const td_tree_tile *tile, bool *marked) {
  memset(marked, 0, (size_t)m->n * sizeof *marked);
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    bool own = e->n > 0 && meets(tile, m->n, e->coordinate, e->n), below = own;
    for (int r = 0; r < e->range_count && e->n > 0; r++) {
      below = below || meets(tile, m->n, e->range[r].coordinate, e->range[r].count);
      if (own) mark(m, e->range[r].coordinate, e->range[r].count, marked);
    }
    if (below) mark(m, e->coordinate, e->n, marked);
  }
}

// Marked rows of [from, to) as ranges; `range` NULL: their number.
static int note_ranges(const bool *marked, int from, int to, td_tree_range *range) {
  int count = 0;
  for (int k = from; k < to; k++) {
    if (!marked[k]) continue;
    if (k == from || !marked[k - 1]) {
      if (range) range[count].from = k;
      count++;
    }
    if (range) range[count - 1].to = k + 1;
  }
  return count;
}

// Of one direction: its tiles, and their ranges behind the `at` that there are. NULL: only counts.
static int note_tiles(const td_model *m, bool ahead, bool *marked, td_tree_tile *tiles, td_tree_range *range, int at,
                      int *tile_count) {
  *tile_count = 0;
  for (int row = ahead ? 0 : m->n - 1, rows; ahead ? row < m->n : row >= 0; row += ahead ? rows : -rows) {
    rows = td_tree_tile_rows(m->n, row, ahead);
    td_tree_tile tile = {.row = ahead ? row : row - rows + 1, .rows = rows, .begin = at};
    int from = ahead ? 0 : tile.row + rows, to = ahead ? tile.row : m->n;
    mark_related(m, &tile, marked);
    at += note_ranges(marked, from, to, range ? range + at : NULL);
    tile.end = at;
    if (tiles) tiles[*tile_count] = tile;
    ++*tile_count;
  }
  return at;
}

static bool parents_first(const td_model *m) {
  for (int i = 0; i < m->element_count; i++)
    for (int r = 0; r < m->element[i].range_count && m->element[i].n > 0; r++)
      if (m->element[i].range[r].coordinate + m->element[i].range[r].count > m->element[i].coordinate) return false;
  return true;
}

td_status td_build_tree_order(td_model *m, double related) {
  if (m->n < LEAST || m->loop_count > 0 || related > FILLED * m->n * m->n || !parents_first(m)) return TD_OK;
  bool *marked = malloc((size_t)m->n * sizeof *marked);
  td_tree_order *t = td_block_alloc(&m->blocks, 1, sizeof *t);
  if (!marked || !t) return free(marked), TD_NO_MEMORY;
  t->n = m->n;
  int ranges = note_tiles(m, true, marked, NULL, NULL, 0, &t->ahead_count);
  ranges = note_tiles(m, false, marked, NULL, NULL, ranges, &t->back_count);
  td_tree_tile *ahead = td_block_alloc(&m->blocks, (size_t)t->ahead_count, sizeof *ahead);
  td_tree_tile *back = td_block_alloc(&m->blocks, (size_t)t->back_count, sizeof *back);
  td_tree_range *range = td_block_alloc(&m->blocks, (size_t)ranges + 1, sizeof *range);
  bool whole = ahead && back && range;
  if (whole) {
    int half = note_tiles(m, true, marked, ahead, range, 0, &t->ahead_count);
    half = note_tiles(m, false, marked, back, range, half, &t->back_count);
    assert(half == ranges);
    (void)half;
    t->ahead = ahead, t->back = back, t->range = range;
    m->tree = t;
  }
  free(marked);
  return whole ? TD_OK : TD_NO_MEMORY;
}
