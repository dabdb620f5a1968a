// The frozen tree as asserts: who reads them knows what a pass may rely on (model.h says what the members mean).
#include "model/invariants.h"
#include <assert.h>
#include <math.h>

#ifdef NDEBUG
void td_model_assert_invariants(const td_model *m) { (void)m; }
#else

static bool is_one(double square) { return fabs(square - 1) < 1e-9; }

static double square(const double v[3]) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

// Nodes stand parents first, so that a forward pass is a loop upwards and sums towards the root are one downwards.
static void assert_nodes(const td_model *m) {
  assert(m->node_count > 0 && m->node[0].element == -1 && m->node[0].inertia == -1); // the world
  for (int k = 1; k < m->node_count; k++) {
    const td_node *node = &m->node[k];
    assert(node->element >= 0 && node->element < m->element_count);
    assert(m->element[node->element].start < k);
    assert(node->inertia < m->inertia_count);
    assert(node->inertia < 0 || m->inertia[node->inertia].mass >= 0);
  }
}

static void assert_strip(const td_model *m, const td_element *e) {
  int columns = 0;
  assert(e->interval_count > 0 && e->interval_count <= m->max_strip_intervals);
  assert(e->batch_count == (e->interval_count + TD_LANES - 1) / TD_LANES && e->batch_count <= m->max_batches);
  assert(e->first_batch + e->batch_count <= m->strip_batches);
  for (int i = 0; i < e->interval_count; i++) {
    assert(e->from[i] == e->start || m->node[e->from[i]].element == (int)(e - m->element));
    assert(e->from[i] < e->to[i] && m->node[e->to[i]].interval == i);
  }
  for (int g = 0; g < e->group_count; g++) {
    assert(e->group[g].component >= 0 && e->group[g].component < 6);
    columns += e->group[g].count;
  }
  assert(columns <= e->n); // the others are local to the sections of a reduced body
}

// The columns that move a frame: ranges of kept columns are of consecutive coordinates, ancestors first.
static int assert_ranges(const td_model *m, int count, const td_column_range *range) {
  int columns = 0;
  for (int i = 0; i < count; i++) {
    assert(range[i].count > 0 && range[i].first >= 0 && range[i].first + range[i].count <= m->kept_count);
    assert(range[i].coordinate >= 0 && range[i].coordinate + range[i].count <= m->n);
    assert(i == 0 || range[i - 1].coordinate + range[i - 1].count <= range[i].coordinate);
    columns += range[i].count;
  }
  return columns;
}

// Coordinates stand in the order of the elements, each of one element.
static void assert_elements(const td_model *m) {
  int coordinate = 0;
  for (int i = 0; i < m->element_count; i++) {
    const td_element *e = &m->element[i];
    assert(e->row && e->start >= 0 && e->start < e->end && e->end < m->node_count);
    assert(e->n == 0 || e->coordinate == coordinate);
    assert(e->n <= m->max_strip_n || e->type == TD_ELEMENT_SCREW);
    assert(e->type != TD_ELEMENT_FIXED || e->n == 0);
    assert(e->type != TD_ELEMENT_SCREW || (e->n == 1 && is_one(square(e->rotates ? e->screw : e->screw + 3))));
    assert(e->type != TD_ELEMENT_RITZ || m->ritz[e->ritz].n == e->n);
    if (e->type == TD_ELEMENT_STRIP) assert_strip(m, e);
    int ancestors = e->n > 0 ? assert_ranges(m, e->range_count, e->range) : 0; // those of fixed ones are not kept
    assert(e->n == 0 || ancestors == e->ancestor_count);
    coordinate += e->n;
  }
  assert(coordinate == m->n);
}

static void assert_rods(const td_model *m) {
  for (int i = 0; i < m->rod_count; i++) {
    const td_rod *rod = &m->rod[i];
    assert(rod->length > 0 && rod->gauss_count <= m->max_rod_gauss && m->element[rod->element].rod == i);
    assert(rod->abscissa[0] == 0 && rod->abscissa[rod->point_count - 1] == 1);
    for (int k = 1; k < rod->point_count; k++) assert(rod->abscissa[k - 1] < rod->abscissa[k]);
    for (int k = 0; k < rod->gauss_count; k++) assert(rod->gauss_s[k] > 0 && rod->gauss_s[k] < 1);
    assert(!rod->section || rod->section->fields <= 4);
  }
}

// Channels of u: those of actuators first. Rows of loops follow each other.
static void assert_channels_and_loops(const td_model *m) {
  int rows = 0;
  assert(m->actuator_channel_count <= m->channel_count);
  for (int i = 0; i < m->channel_count; i++) {
    assert(m->channel[i].tendon < m->tendon_count && m->channel[i].coordinate < m->n);
    assert(m->channel[i].chamber < m->chamber_count);
  }
  for (int i = 0; i < m->loop_count; i++) {
    const td_loop *l = &m->loop[i];
    assert(l->first == rows && l->rows > 0 && l->rows <= 6);
    assert_ranges(m, l->a.range_count, l->a.range);
    assert_ranges(m, l->b.range_count, l->b.range);
    rows += l->rows;
  }
  assert(rows == m->loop_rows);
  for (int i = 0; i < m->prescribed_count; i++) assert(m->prescribed_mask[m->prescribed[i].coordinate] == 0);
}

void td_model_assert_invariants(const td_model *m) {
  assert(m->ld == td_row_stride(m->n));
  assert(m->kept_stride % TD_LANES == 0 && m->kept_stride >= m->kept_count + TD_LANES);
  assert(!m->is_guide || !m->guide); // a guide has none itself
  assert_nodes(m);
  assert_elements(m);
  assert_rods(m);
  assert_channels_and_loops(m);
}

#endif
