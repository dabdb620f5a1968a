// Memory of lanes, and what they serve.
#include "batch/lanes.h"
#include "base/carve.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool td_lanes_serve(const td_model *m) {
  return m->n > 0 && m->body_force_count == 0 && !m->full_maps && !m->world_forces && m->ritz_count == 0 &&
         m->slice_count == 0;
}

static int count_intervals(const td_model *m, int *first) {
  int count = 0;
  for (int i = 0; i < m->element_count; i++) {
    if (first) first[i] = count;
    if (m->element[i].type == TD_ELEMENT_STRIP) count += m->element[i].interval_count;
  }
  return count;
}

static size_t carve(td_lanes *l, char *base) {
  const td_model *m = l->model;
  td_carver c = {.base = base};
  size_t n = (size_t)m->n, strip = (size_t)m->max_strip_intervals, vec = sizeof(td_vec);
  size_t columns = (size_t)(m->max_strip_n > 0 ? m->max_strip_n : 1);
  l->first_interval = td_carve(&c, (size_t)m->element_count, sizeof(int));
  l->q = td_carve(&c, n, vec);
  l->qd = td_carve(&c, n, vec);
  l->qdd = td_carve(&c, n, vec);
  l->origin = td_carve(&c, 3, vec);
  l->node = td_carve(&c, (size_t)m->node_count, sizeof *l->node);
  l->screw = td_carve(&c, (size_t)m->element_count, sizeof *l->screw);
  l->motion = td_carve(&c, (size_t)count_intervals(m, NULL), sizeof *l->motion);
  l->tables = td_carve(&c, strip, sizeof *l->tables);
  l->kept = td_carve(&c, (size_t)m->kept_count * TD_ROWS, vec);
  l->prefix = td_carve(&c, (strip + 1) * TD_ROWS, vec);
  l->branch = td_carve(&c, (strip + 1) * TD_WRENCH_ROWS, vec);
  l->projected = td_carve(&c, strip * TD_PROJECTED, vec);
  l->wrench = td_carve(&c, columns * TD_WRENCH_ROWS, vec);
  l->id = td_carve(&c, n, vec);
  l->mass = td_carve(&c, n * n, vec);
  l->did_dq = td_carve(&c, n * n, vec);
  l->did_dqd = td_carve(&c, n * n, vec);
  return c.used;
}

td_status td_lanes_create(const td_model *m, td_lanes **lanes) {
  assert(td_lanes_serve(m));
  td_lanes *l = *lanes = calloc(1, sizeof *l);
  if (!l) return TD_NO_MEMORY;
  l->model = m;
  size_t size = carve(l, NULL);
  l->block = aligned_alloc(TD_CACHE_LINE, size);
  if (!l->block) {
    td_lanes_destroy(l);
    *lanes = NULL;
    return TD_NO_MEMORY;
  }
  memset(l->block, 0, size);
  carve(l, l->block);
  count_intervals(m, l->first_interval);
  return TD_OK;
}

void td_lanes_destroy(td_lanes *lanes) {
  if (lanes) free(lanes->block);
  free(lanes);
}

void td_lanes_put(const td_lanes *l, int lane, const double *x, td_vec *to) {
  assert(lane >= 0 && lane < TD_LANES);
  for (int i = 0; i < l->model->n; i++) to[i][lane] = x ? x[i] : 0;
}

void td_lanes_get(int count, int lane, const td_vec *from, double *out) {
  for (int i = 0; i < count; i++) out[i] = from[i][lane];
}
